"""The page that a server shows and rebuilds when the board changes."""

from __future__ import annotations

import gzip
import os
import shutil
import sys
import tempfile
import threading
import time
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from typing import Any

from gecbench.errors import GecbenchError
from gecbench.leaderboard.page import PagePlan, build_site
from gecbench.leaderboard.ranking import Significance, corpora_by_table, group_by_table
from gecbench.leaderboard.scoring import Progress
from gecbench.leaderboard.store import FolderStore, try_lock
from gecbench.leaderboard.worker import StoppedError, TaskLimits, Worker

_FOLDER = "gecbench-site-"
_IN_USE = ".in-use"
_BUILD_LIMITS = TaskLimits(seconds=600, processor_seconds=1200)


def make_tests(board: Path, plan: PagePlan, *, progress: Progress) -> dict[str, Any]:
    """Compute and store the bootstrap values that the tests on the page need.

    The next build computes the significance tests from these values.
    """
    store = FolderStore(board)
    tables = group_by_table(store.load().records)
    tests = Significance(store, corpora_by_table(plan.corpora), plan.resamples)
    for number, (table, records) in enumerate(tables.items()):
        progress(table[0], number / len(tables))
        for metric in sorted({metric for record in records for metric in record.scores}):
            tests.resample(records, metric)
    return {}


def build_files(board: Path, folder: Path, plan: PagePlan, *, progress: Progress) -> dict[str, Any]:
    """Build the page of a board, and return the names of its files and the warnings."""
    progress("building", 0.0)
    built = build_site(FolderStore(board), folder, plan)
    return {"files": list(built.files), "warnings": list(built.warnings)}


@lru_cache(maxsize=128)
def contents(path: Path, _tag: str, *, compress: bool = False) -> bytes:
    """Return the bytes of a file, compressed or not.

    Recent results are cached by the path and the tag of the content.
    """
    return gzip.compress(path.read_bytes(), compresslevel=6) if compress else path.read_bytes()


def remove_abandoned_pages() -> None:
    """Remove the temporary folders of servers that were killed.

    These folders have a lock file that no process has locked.
    """
    for folder in Path(tempfile.gettempdir()).glob(f"{_FOLDER}*"):
        with suppress(OSError):
            ours = not folder.is_symlink() and (not hasattr(os, "getuid") or folder.stat().st_uid == os.getuid())
            if ours and (folder / _IN_USE).is_file():
                with (folder / _IN_USE).open("ab") as stream:
                    abandoned = try_lock(stream)
                if abandoned:
                    shutil.rmtree(folder, ignore_errors=True)


class Site:
    """The built page of a board, which is rebuilt when a record is added.

    Child processes build the page and compute its tests, so that the server can answer while slow metrics score.
    """

    def __init__(self, store: FolderStore, plan: PagePlan) -> None:
        self.plan = plan
        self.board = store.folder
        self.files: Mapping[str, Path] = {}
        remove_abandoned_pages()
        self._folder = tempfile.TemporaryDirectory(prefix=_FOLDER, ignore_cleanup_errors=True)
        self._in_use = Path(self._folder.name, _IN_USE).open("wb")  # noqa: SIM115, closed with the site
        try_lock(self._in_use)
        self._lock = threading.Lock()
        self._checked = 0.0
        self._changed = -1.0
        self._wanted = threading.Event()
        self._warned: frozenset[str] = frozenset()
        self._builder, self._tester = Worker(), Worker()
        threading.Thread(target=self.keep_testing, daemon=True).start()

    @property
    def store(self) -> FolderStore:
        """The board, opened again each time, because its settings may have changed."""
        return FolderStore(self.board)

    def build(self) -> None:
        """Build now with the stored tests, and compute missing tests in the background."""
        with self._lock:
            self._changed = self.store.changed()
            self._build_with_stored_tests()
        self._wanted.set()

    def try_build(self) -> None:
        """Build now, or print why this failed and keep the page as it was."""
        try:
            self.build()
        except StoppedError:
            pass
        except (GecbenchError, OSError) as error:
            print(f"gecbench: warning: the page could not be built: {error}", file=sys.stderr, flush=True)

    def _build_with_stored_tests(self) -> None:
        plan = replace(self.plan, compute=False)
        folder = Path(self._folder.name)
        built = self._builder.run(build_files, self.board, folder, plan, limits=_BUILD_LIMITS)
        self.files = {name: folder / name for name in built["files"]}
        for warning in built["warnings"]:
            if warning not in self._warned:
                print(f"gecbench: warning: {warning}", file=sys.stderr, flush=True)
        self._warned = frozenset(built["warnings"])

    def rebuild(self) -> None:
        """Build in a thread if another process has added records.

        The records are checked at most once a second.
        """
        if self._lock.locked() or time.monotonic() - self._checked < 1:
            return
        self._checked = time.monotonic()
        threading.Thread(target=self._build_if_changed, daemon=True).start()

    def _build_if_changed(self) -> None:
        if self.store.changed() != self._changed:
            self.try_build()

    def keep_testing(self) -> None:
        """Compute missing tests after each build, and build again.

        This method runs in a thread until the site is closed.
        """
        while True:
            self._wanted.wait()
            self._wanted.clear()
            try:
                self._tester.run(make_tests, self.board, self.plan, limits=_BUILD_LIMITS)
                with self._lock:
                    self._build_with_stored_tests()
            except StoppedError:
                return
            except (GecbenchError, OSError) as error:
                print(
                    f"gecbench: warning: some significance tests could not be computed: {error}",
                    file=sys.stderr,
                    flush=True,
                )

    def close(self) -> None:
        """Stop the child processes."""
        self._tester.close()
        self._builder.close()
        self._in_use.close()

    def find(self, path: str) -> tuple[Path, str] | None:
        """Return the file of a URL path and a tag of its content.

        The result is None if the build did not write this file.
        """
        found = self.files.get(path or "index.html")
        if found is None:
            return None
        status = found.stat()
        return found, f'"{status.st_mtime_ns:x}-{status.st_size:x}"'
