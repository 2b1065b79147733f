"""The page of a board: a folder of files with the data as scripts, so that it opens from a disk; and kept fresh."""

from __future__ import annotations

import gzip
import json
import tempfile
import threading
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, field, replace
from datetime import datetime, timezone
from functools import lru_cache
from pathlib import Path
from typing import Any

from gecbench.corpora.catalog import modules_folder
from gecbench.corpus.corpus import Corpus
from gecbench.errors import GecbenchError
from gecbench.formats.text import write_bytes
from gecbench.leaderboard import page_data
from gecbench.leaderboard.page_data import script
from gecbench.leaderboard.ranking import Significance, known_corpora
from gecbench.leaderboard.records import BoardTable, Record
from gecbench.leaderboard.scoring import DEFAULT_RESAMPLES
from gecbench.leaderboard.seeds import seed_records
from gecbench.leaderboard.store import FolderStore
from gecbench.metrics.registry import METRICS
from gecbench.version import __version__


@dataclass(frozen=True)
class PagePlan:
    """What to put on the page: seeds, texts of corpora and outputs, tests; `server` is what the upload form needs.

    With `compute=False` the build is quick and shows only tests that were made before.
    """

    corpora: Sequence[Corpus] = ()
    seeds: bool = True
    texts: bool = True
    resamples: int = DEFAULT_RESAMPLES
    compute: bool = True
    server: Mapping[str, Any] | None = None


@dataclass
class Built:
    """The files of a page by their path within the folder, and warnings about records left out."""

    folder: Path
    files: dict[str, Path] = field(default_factory=dict)
    warnings: tuple[str, ...] = ()

    def write(self, name: str, data: bytes) -> None:
        """Write a file."""
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        write_bytes(path, data)
        self.files[name] = path

    def keep(self, name: str) -> bool:
        """Take a file that an earlier build wrote; return whether there is one."""
        path = self.folder / name
        if path.is_file():
            self.files[name] = path
        return name in self.files


def build_site(store: FolderStore, folder: str | Path, plan: PagePlan = PagePlan()) -> Built:  # noqa: B008
    """Write the page of a board into a folder: a static Space, a web server's folder, or files on a disk."""
    store.remove_leftovers()
    loaded = store.load()
    built = Built(Path(folder), warnings=loaded.warnings)
    tables = page_data.group_by_table([*loaded.records, *(seed_records() if plan.seeds else ())])
    corpora = known_corpora(plan.corpora)
    for table in corpora:
        tables.setdefault(table, [])
    tests = Significance(store, corpora, plan.resamples, compute=plan.compute)
    rows = {table: page_data.table_rows(records, tests) for table, records in tables.items()}
    summaries = [_write_table(built, table, rows[table], corpora.get(table), plan.texts) for table in _ordered(rows)]
    if plan.texts:
        for record in loaded.records:
            _write_details(built, store, record)
    board = {
        "version": __version__,
        "built": datetime.now(timezone.utc).isoformat(timespec="seconds"),
        "metrics": [_metric(name) for name in METRICS],
        "tables": summaries,
        "skipped": len(loaded.warnings),
        "server": plan.server,
    }
    built.write("data/board.js", script("board", board))
    flat = [row for table in _ordered(rows) for row in rows[table]]
    built.write("data/board.json", json.dumps({"records": flat}, indent=1).encode())
    built.write("data/board.csv", (page_data.csv_header() + "".join(map(page_data.csv_lines, flat))).encode())
    _write_page(built)
    return built


def make_tests(store: FolderStore, plan: PagePlan) -> None:
    """Make every test that the page of a board shows, so that the next build finds them."""
    tables = page_data.group_by_table(store.load().records)
    tests = Significance(store, known_corpora(plan.corpora), plan.resamples)
    for records in tables.values():
        page_data.table_rows(records, tests)


@lru_cache(maxsize=128)
def compressed(path: Path, _tag: str) -> bytes:
    """Return a file for browsers that unpack gzip; the last ones asked for stay in memory until their tag changes."""
    return gzip.compress(path.read_bytes(), compresslevel=6)


class Site:
    """The built page of a board, built anew when a record was added by anyone."""

    def __init__(self, store: FolderStore, plan: PagePlan) -> None:
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

    def find(self, path: str) -> tuple[Path, str] | None:
        """Return the file of a path and a tag of its content, if the build wrote one; no other file is ever found."""
        found = self.built.files.get(path or "index.html")
        if found is None:
            return None
        status = found.stat()
        return found, f'"{status.st_mtime_ns:x}-{status.st_size:x}"'


def _ordered(tables: Mapping[BoardTable, Sequence[object]]) -> list[BoardTable]:
    return sorted(tables, key=lambda table: (table[0] != "demo", table[0].startswith("conll14"), table))


def _metric(name: str) -> dict[str, str]:
    entry = METRICS[name]
    return {"name": name, "title": entry.title, "description": entry.description, "paper": entry.papers}


def _write_table(
    built: Built, table: BoardTable, rows: Sequence[page_data.Row], corpus: Corpus | None, texts: bool
) -> dict[str, Any]:
    key = page_data.table_key(table)
    people = page_data.people_row(table, rows)
    built.write(f"data/table-{key}.js", script(f"table-{key}", page_data.packed(rows, people)))
    lines = {row["id"]: page_data.csv_lines(row) for row in (*rows, *([people] if people else ()))}
    built.write(f"data/csv-{key}.js", script(f"csv-{key}", {"header": page_data.csv_header(), "lines": lines}))
    if corpus is not None and texts:
        text = {"ids": corpus.ids, "sources": corpus.sources, "references": corpus.references or ()}
        built.write(f"data/corpus-{key}.js", script(f"corpus-{key}", text))
    return {
        "key": key,
        "corpus": table[0],
        "reference_set": table[1],
        "sentences": len(corpus) if corpus is not None else None,
        "metrics": [metric for metric in METRICS if any(metric in row["scores"] for row in rows)],
        "systems": sum(row["role"] == "system" for row in rows),
        "texts": corpus is not None and texts,
    }


def _write_details(built: Built, store: FolderStore, record: Record) -> None:
    name = f"system-{record.id}"
    if not built.keep(f"data/{name}.js") and (details := store.details(record)) is not None:
        built.write(f"data/{name}.js", script(name, asdict(details)))


def _write_page(built: Built) -> None:
    sources = modules_folder("spaces") / "leaderboard"
    for path in sorted(sources.rglob("*")):
        name = path.relative_to(sources).as_posix()
        if path.is_file() and not name.startswith("data/"):
            built.write(name, path.read_bytes())
