"""The built page of a board, kept fresh while it is served."""

from __future__ import annotations

import tempfile
import threading
import time
from pathlib import Path

from gecbench.leaderboard.build import Built, Plan, build_site
from gecbench.leaderboard.store import FolderStore


class Site:
    """The built page of a board, built anew when a record was added by anyone."""

    def __init__(self, store: FolderStore, plan: Plan) -> None:
        self.store, self.plan = store, plan
        self._folder = tempfile.TemporaryDirectory(prefix="gecbench-site-", ignore_cleanup_errors=True)
        self._lock = threading.Lock()
        self._checked = 0.0
        self._changed = -1.0
        self.built = Built(Path(self._folder.name))

    def build(self) -> None:
        """Build now, unless nothing changed."""
        with self._lock:
            changed = self.store.changed()
            if changed != self._changed:
                self.built = build_site(self.store, self._folder.name, self.plan)
                self._changed = changed

    def rebuild(self) -> None:
        """Build in a thread if records came from elsewhere; looks at most once a second."""
        if self._lock.locked() or time.monotonic() - self._checked < 1:
            return
        self._checked = time.monotonic()
        if self.store.changed() != self._changed:
            threading.Thread(target=self.build, daemon=True).start()

    def find(self, path: str) -> Path | None:
        """Return the file of a path if the build wrote one; there is no way to any other file."""
        return self.built.files.get(path or "index.html")
