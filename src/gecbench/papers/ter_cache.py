"""TER edits found before, kept beside the fetched corpora: the one slow part of a reproduction."""

from __future__ import annotations

import hashlib
import json
from importlib.metadata import version
from pathlib import Path
from types import TracebackType

from gecbench.formats.text import write_bytes

Pair = tuple[str, str]


class TerCache:
    """A dictionary from pairs of lines to TER edits, filled from a folder on entry and written back on exit.

    The file holds hashes, never texts; its name carries the version of sacrebleu. Without a folder nothing is kept.
    """

    def __init__(self, folder: Path | None) -> None:
        self.path = None if folder is None else folder / f"ter-sacrebleu-{version('sacrebleu')}.json"
        self._known: dict[Pair, float] = {}

    def __enter__(self) -> dict[Pair, float]:
        stored = _read(self.path)
        self._known = _Remembered(stored)
        return self._known

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self.path is None or not self._known:
            return
        edits = _read(self.path) | {_key(pair): edits for pair, edits in self._known.items()}
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            write_bytes(self.path, json.dumps(edits).encode())
        except (OSError, ValueError):
            return


class _Remembered(dict[Pair, float]):
    """Pairs of lines, looked up by hash where they are not there yet."""

    def __init__(self, stored: dict[str, float]) -> None:
        super().__init__()
        self._stored = stored

    def __contains__(self, pair: object) -> bool:
        if super().__contains__(pair):
            return True
        if isinstance(pair, tuple) and (edits := self._stored.get(_key(pair))) is not None:
            self[pair] = edits
            return True
        return False


def _key(pair: Pair) -> str:
    return hashlib.sha256("\0".join(pair).encode(errors="surrogatepass")).hexdigest()[:20]


def _read(path: Path | None) -> dict[str, float]:
    if path is None or not path.is_file():
        return {}
    try:
        found = json.loads(path.read_bytes())
    except ValueError:
        return {}
    return found if isinstance(found, dict) else {}
