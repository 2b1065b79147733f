"""The board as a static folder: the page's files, and its data as scripts, so that it opens from a disk too."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

from gecbench.corpora.catalog import modules_folder
from gecbench.corpus.corpus import Corpus
from gecbench.formats.text import write_bytes
from gecbench.leaderboard.ranking import Place, Significance, known_corpora
from gecbench.leaderboard.records import Record, digest
from gecbench.leaderboard.seeds import seed_records
from gecbench.leaderboard.store import FolderStore
from gecbench.leaderboard.submission import DEFAULT_RESAMPLES
from gecbench.metrics.registry import METRICS
from gecbench.version import __version__

Table = tuple[str, str]


@dataclass(frozen=True)
class Plan:
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

    def write(self, name: str, data: bytes, *, keep: bool = False) -> None:
        """Write a file; `keep` leaves one that is there as it is."""
        path = self.folder / name
        if not (keep and path.is_file()):
            path.parent.mkdir(parents=True, exist_ok=True)
            write_bytes(path, data)
        self.files[name] = path


def build_site(store: FolderStore, folder: str | Path, plan: Plan = Plan()) -> Built:  # noqa: B008
    """Write the page of a board into a folder: a static Space, a web server's folder, or files on a disk."""
    store.remove_leftovers()
    loaded = store.load()
    built = Built(Path(folder), warnings=loaded.warnings)
    tables = group_by_table([*loaded.records, *(seed_records() if plan.seeds else ())])
    corpora = known_corpora(plan.corpora)
    for table in corpora:
        tables.setdefault(table, [])
    tests = Significance(store, corpora, plan.resamples, compute=plan.compute)
    rows = {table: table_rows(records, tests) for table, records in tables.items()}
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
    built.write("data/board.csv", as_csv(flat))
    _write_page(built)
    return built


def make_tests(store: FolderStore, plan: Plan) -> None:
    """Make every test that the page of a board shows, so that the next build finds them."""
    tables = group_by_table(store.load().records)
    tests = Significance(store, known_corpora(plan.corpora), plan.resamples)
    for records in tables.values():
        table_rows(records, tests)


def group_by_table(records: Sequence[Record]) -> dict[Table, list[Record]]:
    """Return the records by corpus and reference set."""
    tables: dict[Table, list[Record]] = {}
    for record in records:
        tables.setdefault(record.table, []).append(record)
    return tables


def table_rows(records: Sequence[Record], tests: Significance) -> list[dict[str, Any]]:
    """Return what the page shows of each record: its fields, and its places under each metric."""
    metrics = {metric for record in records for metric in record.scores if metric in METRICS}
    places = {metric: tests.places(records, metric) for metric in metrics}
    return [_row(record, places) for record in records]


def script(name: str, value: object) -> bytes:
    """Return data as a script that hands it to the page: readable where a page from a disk may fetch nothing."""
    return f"GECBENCH.add({json.dumps(name)}, {json.dumps(value, separators=(',', ':'))});\n".encode()


def as_csv(rows: Sequence[Mapping[str, Any]]) -> bytes:
    """Return one line per record and metric; cells that a spreadsheet would run as formulas are disarmed."""
    stream = io.StringIO()
    writer = csv.writer(stream, lineterminator="\n")
    header = ["corpus", "reference_set", "system", "kind", "date", "submitter", "metric"]
    figures = ["value", "low", "high", "human", "ratio", "rank", "cluster", "p_value", "signature"]
    writer.writerow([*header, *figures])
    for row in rows:
        for metric, figure in row["scores"].items():
            cells = [*(row[name] for name in header[:-1]), metric, *(figure.get(name) for name in figures)]
            writer.writerow([_disarmed(cell) for cell in cells])
    return stream.getvalue().encode()


def table_key(table: Table) -> str:
    """Return a short name for a table's files."""
    return digest("\0".join(table).encode())[:12]


def _disarmed(cell: object) -> object:
    return f"'{cell}" if isinstance(cell, str) and cell.startswith(("=", "+", "-", "@", "\t")) else cell


def _ordered(tables: Mapping[Table, Sequence[object]]) -> list[Table]:
    return sorted(tables, key=lambda table: (table[0] != "demo", table[0].startswith("conll14"), table))


def _metric(name: str) -> dict[str, str]:
    entry = METRICS[name]
    return {"name": name, "title": entry.title, "description": entry.description, "paper": entry.papers}


def _row(record: Record, places: Mapping[str, Mapping[str, Place]]) -> dict[str, Any]:
    scores = {
        metric: {**figure, **_place(places.get(metric, {}).get(record.id))} for metric, figure in record.scores.items()
    }
    kept = ("system", "corpus", "reference_set", "kind", "role", "date", "submitter", "description", "unchanged")
    fields = {name: getattr(record, name) for name in kept}
    return {"id": record.id, **fields, "links": list(record.links), "outputs": record.outputs, "scores": scores}


def _place(place: Place | None) -> dict[str, Any]:
    return {} if place is None else {"rank": place.rank, "cluster": place.cluster, "p_value": place.p_value}


def _write_table(
    built: Built, table: Table, rows: Sequence[Mapping[str, Any]], corpus: Corpus | None, texts: bool
) -> dict[str, Any]:
    key = table_key(table)
    built.write(f"data/table-{key}.js", script(f"table-{key}", _packed(rows)))
    if corpus is not None and texts:
        text = {"ids": corpus.ids, "sources": corpus.sources, "references": corpus.references or ()}
        built.write(f"data/corpus-{key}.js", script(f"corpus-{key}", text))
    shown = [metric for metric in METRICS if any(metric in row["scores"] for row in rows)]
    return {
        "key": key,
        "corpus": table[0],
        "reference_set": table[1],
        "sentences": len(corpus) if corpus is not None else None,
        "metrics": shown,
        "systems": sum(row["role"] == "system" for row in rows),
        "texts": corpus is not None and texts,
    }


def _packed(rows: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Return the rows without empty fields, and their signatures, which many share, as numbers into a list."""
    signatures: dict[str, int] = {}
    packed = []
    for row in rows:
        scores = {}
        for metric, figure in row["scores"].items():
            kept = {name: _rounded(value) for name, value in figure.items() if value not in (None, "")}
            if "signature" in kept:
                kept["signature"] = signatures.setdefault(kept["signature"], len(signatures))
            scores[metric] = kept
        packed.append({**row, "scores": scores})
    return {"signatures": list(signatures), "rows": packed}


def _rounded(value: Any) -> Any:
    return round(value, 6) if isinstance(value, float) else value


def _write_details(built: Built, store: FolderStore, record: Record) -> None:
    name = f"data/system-{record.id}.js"
    if (built.folder / name).is_file():
        built.files[name] = built.folder / name
        return
    details = store.details(record)
    if details is not None:
        built.write(name, script(f"system-{record.id}", asdict(details)))


def _write_page(built: Built) -> None:
    sources = modules_folder("spaces") / "leaderboard"
    for path in sorted(sources.rglob("*")):
        name = path.relative_to(sources).as_posix()
        if path.is_file() and not name.startswith("data/"):
            built.write(name, path.read_bytes())
