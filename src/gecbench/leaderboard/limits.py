"""How much a server takes, and from whom how often."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass

from gecbench.leaderboard.outputs import MOST_BYTES


@dataclass(frozen=True)
class Limits:
    """How much is taken: bytes and seconds per upload, uploads per client and minute, uploads waiting."""

    most_bytes: int = MOST_BYTES
    per_minute: int = 10
    waiting: int = 20
    seconds: float = 60.0


class Rate:
    """Counts the uploads of each client in the last minute."""

    def __init__(self, per_minute: int, clock: Callable[[], float] = time.monotonic) -> None:
        self.per_minute = per_minute
        self.clock = clock
        self._times: dict[str, list[float]] = {}

    def allows(self, client: str) -> bool:
        """Return whether the client may upload now, and count it."""
        now = self.clock()
        self._times = {who: kept for who, times in self._times.items() if (kept := [t for t in times if t > now - 60])}
        times = self._times.setdefault(client, [])
        if len(times) >= self.per_minute:
            return False
        times.append(now)
        return True
