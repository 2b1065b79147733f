"""The built page of a board, kept fresh while it is served."""

from __future__ import annotations

import gzip
import tempfile
import threading
import time
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path

from gecbench.errors import GecbenchError
from gecbench.leaderboard.build import Built, Plan, build_site, make_tests
from gecbench.leaderboard.store import FolderStore


@dataclass(frozen=True)
class Page:
    """A file of the page as it is now; `tag` changes with its content."""

    path: Path
    tag: str

    def compressed(self) -> bytes:
        """Return the content for browsers that unpack gzip; the last ones asked for stay in memory."""
        return _compressed(self)


@lru_cache(maxsize=128)
def _compressed(page: Page) -> bytes:
    return gzip.compress(page.path.read_bytes(), compresslevel=6)


class Site:
    """The built page of a board, built anew when a record was added by anyone."""

    def __init__(self, store: FolderStore, plan: Plan) -> None:
        self.store, self.plan = store, plan
        self._folder = tempfile.TemporaryDirectory(prefix="gecbench-site-", ignore_cleanup_errors=True)
        self._lock = threading.Lock()
        self._checked = 0.0
        self._changed = -1.0
        self._wanted = threading.Event()
        self.built = Built(Path(self._folder.name))
        threading.Thread(target=self.keep_testing, daemon=True).start()

    def build(self) -> None:
        """Build now, with the tests that are known; those that are not are made in the background."""
        with self._lock:
            self._changed = self.store.changed()
            self.built = build_site(self.store, self._folder.name, replace(self.plan, compute=False))
        self._wanted.set()

    def rebuild(self) -> None:
        """Build in a thread if records came from elsewhere; looks at most once a second."""
        if self._lock.locked() or time.monotonic() - self._checked < 1:
            return
        self._checked = time.monotonic()
        if self.store.changed() != self._changed:
            threading.Thread(target=self.build, daemon=True).start()

    def keep_testing(self) -> None:
        """Make missing tests whenever the page was built, and build it once more; runs forever, in a thread."""
        while True:
            self._wanted.wait()
            self._wanted.clear()
            with suppress(GecbenchError, OSError):
                make_tests(self.store, self.plan)
                with self._lock:
                    self.built = build_site(self.store, self._folder.name, replace(self.plan, compute=False))

    def find(self, path: str) -> Page | None:
        """Return the file of a path if the build wrote one; there is no way to any other file."""
        found = self.built.files.get(path or "index.html")
        if found is None:
            return None
        status = found.stat()
        return Page(found, f'"{status.st_mtime_ns:x}-{status.st_size:x}"')
