"""Build the static page of a board, with its tables as scripts, JSON and CSV."""

from __future__ import annotations

import json
import re
import shlex
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timezone
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlencode

from gecbench.analysis.significance import SIGNIFICANT, resamples_needed
from gecbench.corpora import seeda
from gecbench.corpora.catalog import modules_folder
from gecbench.corpora.upstream import Upstream
from gecbench.corpus.corpus import Corpus
from gecbench.corpus.error_types import ERRANT_OPERATIONS, error_type_in_words
from gecbench.errors import GecbenchError, InputError, counted
from gecbench.formats.text import write_bytes
from gecbench.leaderboard.ranking import Significance, corpora_by_table, fullest_first, group_by_table
from gecbench.leaderboard.records import NOTES, BoardTable, Details, Record, Settings, declared_config, digest
from gecbench.leaderboard.rows import (
    Row,
    csv_header,
    csv_lines,
    human_row,
    is_shown_plugin,
    packed,
    rounded,
    table_rows,
)
from gecbench.leaderboard.scoring import (
    DEFAULT_RESAMPLES,
    details_of,
    metric_title,
    prepare_stored,
    sentence_edits,
    usable_metrics,
)
from gecbench.leaderboard.seeds import seed_records
from gecbench.leaderboard.store import FolderStore
from gecbench.metrics.base import METRICS
from gecbench.version import REQUIREMENT, __version__

THIS_BOARD = "THIS-BOARD/"
_BOARD_DATA = "data/board.json"
_SHOWN_FILES = 3
_DATA_FILE = re.compile(
    r"(agreement|corpus|system|outputs|tests|table|csv|source)-[0-9a-f]+(-[a-z0-9_]+)?\.(js|json|txt)"
)
_BOARD_FIELDS = ("title", "description", "license", "link", "logo", "digits")
_GROUPS = ("by_source_distance", "by_grammaticality", "by_type")
_FEWEST_JUDGED = 3
_SEEDA_SETS = {"edits": "edit", "sentences": "sent"}


@dataclass(frozen=True)
class PagePlan:
    """What to put on the page.

    Attributes:
        corpora: The corpora whose sentences and significance tests are shown.
        seeds: Whether to list results that others reported.
        texts: Whether to show sentences.
        publish_references: Whether to show references, outputs and scores of single sentences. The board's settings can
            allow this, too.
        restricted_texts: Whether to show sentences even if the license of the corpus forbids publication.
        board: The name of the board in sample commands.
        resamples: The number of bootstrap resamples per test.
        compute: Whether to compute missing tests. If not, the build is quick and shows only stored tests.
        server: Settings of the upload form, such as its limits, or None if the page has no upload form.
    """

    corpora: Sequence[Corpus] = ()
    seeds: bool = True
    texts: bool = True
    publish_references: bool = False
    restricted_texts: bool = False
    board: str = "board"
    resamples: int = DEFAULT_RESAMPLES
    compute: bool = True
    server: Mapping[str, Any] | None = None


@dataclass
class Built:
    """A built page: its files by their path within the folder, and warnings."""

    folder: Path
    files: dict[str, Path] = field(default_factory=dict)
    warnings: tuple[str, ...] = ()

    def write(self, name: str, data: bytes) -> None:
        """Write a file."""
        path = self.folder / name
        for folder in path.relative_to(self.folder).parents[:-1]:
            if (self.folder / folder).is_symlink():
                raise InputError(
                    "is a symbolic link", file=str(self.folder / folder), fix="Replace the link with a real folder"
                )
        path.parent.mkdir(parents=True, exist_ok=True)
        if path.is_symlink():  # otherwise, a link could make the build replace any file
            path.unlink()
        write_bytes(path, data)
        self.files[name] = path

    def write_data(self, name: str, value: object) -> None:
        """Write data as a script for the page, and as JSON for other programs."""
        data = json.dumps(value, separators=(",", ":"))
        self.write(f"data/{name}.js", _script(name, data))
        self.write(f"data/{name}.json", data.encode())

    def keep_data(self, name: str) -> bool:
        """Keep data that an earlier build wrote, and return whether they exist."""
        paths = {file: self.folder / file for file in (f"data/{name}.js", f"data/{name}.json")}
        kept = all(path.is_file() for path in paths.values())
        if kept:
            self.files.update(paths)
        return kept

    def remove_others(self) -> None:
        """Remove data of earlier builds that this build neither wrote nor kept.

        These data may be private now.
        """
        for path in (self.folder / "data").glob("*"):
            if _DATA_FILE.fullmatch(path.name) and f"data/{path.name}" not in self.files:
                path.unlink(missing_ok=True)


def build_site(store: FolderStore, folder: str | Path, plan: PagePlan = PagePlan()) -> Built:
    """Write the page of a board into a folder.

    The folder can be uploaded as a static Space, served by any web server, or opened from a disk.

    Args:
        store: The board.
        folder: The folder to write. Data of earlier builds are replaced.
        plan: What to put on the page.

    Returns:
        The built page with its files and warnings.

    Raises:
        InputError: If the folder is the board itself, one of the board's own folders, contains the board, is a file, or
            has files that the build would overwrite but gecbench did not write.
    """
    store.check_page_folder(Path(folder))
    settings = store.settings
    _check_not_overwriting_others(Path(folder), settings)
    store.remove_leftovers()
    loaded = store.load()
    plan = replace(plan, publish_references=plan.publish_references or settings.publish_references)
    built = Built(Path(folder), warnings=loaded.warnings)
    corpora = corpora_by_table(plan.corpora)
    records = loaded.records
    if plan.texts and plan.publish_references:
        records = _with_details(built, store, records, corpora, plan)
    tables = group_by_table([*records, *(_reported(corpora, settings) if plan.seeds else ())])
    for table in corpora:
        tables.setdefault(table, [])
    tests = Significance(store, corpora, plan.resamples, compute=plan.compute)
    private = settings.private and not plan.publish_references
    rows = {table: table_rows(tables[table], tests, private=private) for table in fullest_first(tables)}
    skipped = len(built.warnings)
    agreements = [] if private else [table for table in rows if _write_human_scores(built, table, tables[table])]
    built.warnings += tuple(_warn_of_few_resamples(rows, plan.resamples))
    summaries = [
        _write_table(built, table, found, corpora.get(table), plan, settings.ranked_by(table))
        | {"tests": [] if private else _write_tests(built, table, tables[table], tests)}
        | {"agreement": table in agreements}
        for table, found in rows.items()
    ]
    commands = (
        upload_commands(plan.corpora, plan.server) if private else sample_commands(plan.board, plan.corpora, settings)
    )
    board = {
        "version": __version__,
        "built": datetime.now(timezone.utc).isoformat(timespec="seconds"),
        **{name: getattr(settings, name) for name in _BOARD_FIELDS},
        "sealed": not plan.publish_references,
        "notes": dict(NOTES),
        "types": {} if private else _types_in_words(corpora.values()),
        "commands": commands,
        "metrics": [*map(_metric, METRICS), *_plugins(row for found in rows.values() for row in found)],
        "tables": summaries,
        "skipped": skipped,
        "server": plan.server,
    }
    built.write("data/board.js", script("board", board))
    flat = [row for found in rows.values() for row in found]
    built.write(_BOARD_DATA, json.dumps({**board, "records": flat}, indent=1).encode())
    built.write("data/board.csv", (csv_header() + "".join(map(csv_lines, flat))).encode())
    _write_page(built, store, settings)
    built.remove_others()
    return built


def _warn_of_few_resamples(rows: Mapping[BoardTable, Sequence[Row]], resamples: int) -> Iterator[str]:
    """Yield a warning for each table that needs more resamples for its tests.

    With too few resamples, no p-value can be significant after Holm's adjustment.
    """
    for table, found in rows.items():
        tested = Counter(metric for row in found for metric, figure in row["scores"].items() if figure.get("cluster"))
        needed = resamples_needed(max(tested.values(), default=1) - 1)
        if resamples < needed:
            yield (
                f"{table[0]} ({table[1]}): with {resamples} resamples, adjusted p-values cannot be "
                f"below {SIGNIFICANT}, so all systems are in one cluster. Use --resamples {needed} or more"
            )


def _reported(corpora: Mapping[BoardTable, Corpus], settings: Settings) -> list[Record]:
    """Return the results that others reported, on the board's corpora if it has any."""
    return [record for record in seed_records() if not settings.corpora or record.table in corpora]


def _types_in_words(corpora: Iterable[Corpus]) -> dict[str, str]:
    """Return the known descriptions of the error types in corpora, by type.

    The operations of ERRANT are included, because edits extracted from references have an operation as their type.
    """
    annotated = (found for corpus in corpora for sentence in corpus.annotations or () for found in sentence)
    types = {edit.type for annotation in annotated for edit in annotation.edits} | {*ERRANT_OPERATIONS}
    return {name: words for name in sorted(types) if (words := error_type_in_words(name))}


def _about(table: BoardTable) -> dict[str, Any]:
    """Return the titles, license, homepage and citation of a table, as far as known."""
    found = declared_config(table)
    if found is None:
        names = {"demo": "Demo corpus"}
        return {"title": names.get(table[0], table[0]), "set_title": "" if table[1] == "default" else table[1]}
    declared, config = found
    _, _, split = table[0].partition(":")
    return {
        "title": f"{declared.short_title or declared.title} {split}".strip(),
        "set_title": f"{config.description} ({config.name})" if declared.several_reference_sets else config.description,
        "license": "no license that permits redistribution" if declared.license == "other" else declared.license,
        "homepage": declared.homepage,
        "citation": _citation(declared.citation, config.name),
    }


def _citation(text: str, config: str) -> str:
    """Return the papers to cite for a configuration.

    A paper after a name, such as `nine: B 2015`, is cited only for the configuration of this name.

    >>> _citation("A 2014; nine: B 2015", "two"), _citation("A 2014; nine: B 2015", "nine")
    ('A 2014', 'A 2014; B 2015')
    """
    papers = [re.fullmatch(r"(?:([a-z0-9_]+): )?(.*)", paper) for paper in text.split("; ")]
    return "; ".join(found[2] for found in papers if found and found[1] in (None, config))


def _may_show_texts(table: BoardTable, plan: PagePlan) -> bool:
    found = declared_config(table)
    return plan.texts and (plan.restricted_texts or found is None or found[0].redistributable)


def _write_tests(built: Built, table: BoardTable, records: Sequence[Record], tests: Significance) -> list[str]:
    """Write the tests of all pairs of systems, and return the metrics with tests.

    The tests of each metric are in a file of their own.
    """
    written = []
    for metric in METRICS:
        found = tests.matrix([record for record in records if metric in record.scores], metric)
        if found is None:
            continue
        written.append(metric)
        differences: list[list[list[float]]] = [[] for _ in found.records]
        for (i, _), each in sorted(found.differences.items()):
            numbers = (each.value, each.low, each.high, each.p_value)
            differences[i].append([rounded(number, 6) for number in numbers])
        adjusted = [[p if p is None else rounded(p, 6) for p in row] for row in found.adjusted]
        value = {
            "ids": [record.id for record in found.records],
            "ranked": sum(record.role == "system" for record in found.records),
            "differences": differences,
            "adjusted": adjusted,
        }
        built.write_data(f"tests-{table_key(table)}-{metric}", value)
    return written


def _write_human_scores(built: Built, table: BoardTable, records: Sequence[Record]) -> bool:
    """Write SEEDA's human scores of a table's systems, and return whether any exist."""
    try:
        found = _human_scores(table, records)
    except GecbenchError as error:
        built.warnings += (f"{table[0]}: the view Metrics is missing, because human judgments cannot be read: {error}",)
        return False
    if found is not None:
        built.write_data(f"agreement-{table_key(table)}", found)
    return found is not None


def _human_scores(table: BoardTable, records: Sequence[Record]) -> dict[str, Any] | None:
    """Return SEEDA's human scores of a table's systems, or None for fewer than three.

    The scores are from TrueSkill. A system is recognized by its outputs. References and the unchanged source are not
    ranked, so they are left out. In the result, `judgments` has two entries: scores from judged edits, and scores from
    judged sentences. Each entry has a score for each system in `ids`.
    """
    systems = [record for record in records if record.role == "system" and record.outputs]
    named = {each.system for each in systems} & {*seeda.SYSTEMS}
    if not table[0].startswith("conll14_fluency:") or len(named) < _FEWEST_JUDGED:
        return None
    upstream = Upstream.from_environment()
    sentences = systems[0].sentences or 0
    names = {Details(lines).outputs: name for name, lines in seeda.read_all_outputs(upstream, sentences).items()}
    judged = {names[each.outputs]: each.id for each in systems if each.outputs in names}
    if len(judged) < _FEWEST_JUDGED:
        return None
    judgments = []
    for title, name in _SEEDA_SETS.items():
        scores = seeda.read_scores(upstream, name, "trueskill")
        judgments.append({"title": title, "scores": [scores[system] for system in judged]})
    return {"ids": list(judged.values()), "judgments": judgments}


def _metric(name: str) -> dict[str, Any]:
    entry = METRICS[name]
    about = {"name": name, "title": entry.title, "description": entry.description, "paper": entry.papers}
    parts = {"columns": list(entry.columns), "lower_is_better": list(entry.lower_is_better)}
    return about | parts | {"part_titles": dict(entry.part_titles)}


def _plugins(rows: Iterable[Row]) -> list[dict[str, Any]]:
    """Return what the page shows about each plug-in metric that scored a row."""
    figures = (pair for row in rows for pair in row["scores"].items())
    found = {name: figure["signature"] for name, figure in figures if is_shown_plugin(name, figure)}
    return [
        {
            "name": name,
            "title": metric_title(name),
            "description": f"Plug-in of the board's owner: {signature}",
            "paper": "",
            "columns": [],
            "lower_is_better": [],
            "plugin": True,
            "higher_is_better": "|better:lower|" not in signature,
        }
        for name, signature in found.items()
    ]


def _write_table(
    built: Built,
    table: BoardTable,
    rows: Sequence[Row],
    corpus: Corpus | None,
    plan: PagePlan,
    metric: str,
) -> dict[str, Any]:
    key = table_key(table)
    human = human_row(table, rows)
    built.write_data(f"table-{key}", packed(rows, human))
    lines = {row["id"]: csv_lines(row) for row in (*rows, *([human] if human else ()))}
    built.write(f"data/csv-{key}.js", script(f"csv-{key}", {"header": csv_header(), "lines": lines}))
    shown = corpus if _may_show_texts(table, plan) else None
    if shown is not None:
        references = shown.references if plan.publish_references else None
        text = {"ids": shown.ids, "sources": shown.sources, "references": references or ()}
        built.write_data(f"corpus-{key}", text)
        built.write(f"data/source-{key}.txt", "".join(f"{line}\n" for line in shown.sources).encode())
    metrics = [name for name in METRICS if any(name in row["scores"] for row in rows)]
    metrics += [plugin["name"] for plugin in _plugins(rows)]
    return {
        "key": key,
        "corpus": table[0],
        "reference_set": table[1],
        **_about(table),
        "name": corpus.name if corpus is not None else None,
        "sentences": len(corpus) if corpus is not None else None,
        "metrics": sorted(metrics, key=lambda name: name != metric),
        "systems": sum(row["role"] == "system" for row in rows),
        "restricted": corpus is not None and shown is None and plan.texts,
        "groups": corpus is not None and plan.texts and plan.publish_references,
        "references": shown is not None and plan.publish_references,
        "source": None if shown is None else f"data/source-{key}.txt",
    }


def _with_details(
    built: Built, store: FolderStore, records: Sequence[Record], corpora: Mapping[BoardTable, Corpus], plan: PagePlan
) -> tuple[Record, ...]:
    """Write the details of records, and return the records whose details fit.

    A record is skipped with a warning if its details do not fit its corpus.
    """
    kept, warnings = [], []
    for record in records:
        try:
            _write_details(built, store, record, corpora.get(record.table), _may_show_texts(record.table, plan))
            kept.append(record)
        except InputError as error:
            warnings.append(f"records/{record.id}.json ({record.system}) is skipped: {error}"[:400])
    built.warnings = (*built.warnings, *warnings)
    return tuple(kept)


def _write_details(built: Built, store: FolderStore, record: Record, corpus: Corpus | None, texts: bool) -> None:
    """Write a record's scores of groups and, if `texts`, its outputs.

    The outputs are written with their edits and the scores of their sentences. Missing scores are computed, because a
    board does not store them while it is private.
    """
    names = [f"system-{record.id}", *([f"outputs-{record.id}"] if texts else ())]
    kept = [built.keep_data(name) for name in names]
    if all(kept) or (details := store.details(record)) is None:
        return
    ours = corpus if corpus is not None and corpus.fingerprint() == record.fingerprint else None
    if ours is not None and len(details.predictions) != len(ours):
        outputs = counted(len(details.predictions), "output")
        raise InputError(f"its details file has {outputs}, but {ours.name} has {counted(len(ours), 'sentence')}")
    if ours is not None and not (details.sentence_scores and details.by_source_distance):
        prepared = prepare_stored(ours, details.predictions)
        metrics = usable_metrics(ours)
        scores = {name: metrics[name].score_prepared(prepared) for name in record.scores if name in metrics}
        details = details_of(scores, prepared)
    built.write_data(names[0], {name: getattr(details, name) for name in _GROUPS})
    if texts:
        edits = [] if ours is None else sentence_edits(ours, details.predictions)
        sentences = {"predictions": details.predictions, "sentence_scores": details.sentence_scores}
        built.write_data(names[1], {**sentences, "edits": edits})


def _page_sources() -> dict[str, Path]:
    """Return the files of the page that are not data, by their names on the page."""
    sources = modules_folder("spaces") / "leaderboard"
    files = {path.relative_to(sources).as_posix(): path for path in sorted(sources.rglob("*")) if path.is_file()}
    return {name: path for name, path in files.items() if not name.startswith("data/")}


def _check_not_overwriting_others(folder: Path, settings: Settings) -> None:
    """Raise an error if files would be overwritten that gecbench did not write."""
    if (folder / _BOARD_DATA).is_file():
        return
    written = [*_page_sources(), *([settings.logo] if settings.logo else ()), "data/board.csv"]
    others = [name for name in written if (folder / name).exists() or (folder / name).is_symlink()]
    if others:
        more = ", …" if len(others) > _SHOWN_FILES else ""
        problem = f"has files that gecbench did not write ({', '.join(others[:_SHOWN_FILES])}{more})"
        raise InputError(problem, file=str(folder), fix="Give a new or empty folder with -o")


def _write_page(built: Built, store: FolderStore, settings: Settings) -> None:
    for name, path in _page_sources().items():
        data = path.read_bytes()
        built.write(name, card(data.decode(), settings).encode() if name == "README.md" else data)
    if settings.logo is not None and (store.folder / settings.logo).is_symlink():
        warning = f"{settings.logo} is skipped, because it is a symbolic link. Replace the link with the image"
        built.warnings = (*built.warnings, warning)
    elif settings.logo is not None and (store.folder / settings.logo).is_file():
        built.write(settings.logo, (store.folder / settings.logo).read_bytes())


def script(name: str, value: object) -> bytes:
    """Return data as a script for the page.

    A page that is opened from a disk cannot fetch JSON.
    """
    return _script(name, json.dumps(value, separators=(",", ":")))


def _script(name: str, data: str) -> bytes:
    return f"GECBENCH.add({json.dumps(name)}, {data});\n".encode()


def table_key(table: BoardTable) -> str:
    """Return a short hash of a table, used in the names of its files."""
    return digest("\0".join(table).encode())[:12]


def card(ours: str, settings: Settings) -> str:
    """Return the README of a board's Space.

    A board without corpora in its settings gets `ours`, the README of gecbench's board. Other boards get a README with
    their own title, description, link and license.
    """
    if not settings.corpora:
        return ours
    head = ours.split("---\n")[1]
    kept = re.sub(r"^(license|short_description): .*\n", "", head, flags=re.MULTILINE)
    titled = re.sub(r"^title: .*", lambda _: f"title: {json.dumps(settings.title)}", kept, flags=re.MULTILINE)
    about = [
        f"# {settings.title}",
        settings.description,
        settings.link and f"About this task: {settings.link}",
        settings.license and f"License: {settings.license}",
        "Scored by [gecbench](https://github.com/gecbench/gecbench).",
    ]
    return f"---\n{titled}---\n\n" + "\n\n".join(filter(None, about)) + "\n"


def sample_commands(board: str, corpora: Sequence[Corpus], settings: Settings) -> list[str]:
    """Return the commands to submit to a board whose references are public."""
    name = corpora[0].name if corpora else "demo"
    place, corpus = f"--board {shlex.quote(board)}", f" -c {shlex.quote(name)}"
    submitted, built = ("" if len(settings.corpora) == 1 else corpus), ("" if settings.corpora else corpus)
    return [
        f'pip install "{REQUIREMENT}"',
        f'gecbench leaderboard submit {place}{submitted} -p outputs.txt --name "My system" --submitter Me',
        f"gecbench leaderboard build {place}{built} -o site",
    ]


def upload_commands(corpora: Sequence[Corpus], server: Mapping[str, Any] | None) -> list[str]:
    """Return the command to upload to a private board, if the page has a server."""
    if not server:
        return []
    about = {"name": "My system", "submitter": "Me", "corpus": corpora[0].name, "file": "outputs.txt"}
    token = ' -H "Authorization: Bearer TOKEN"' if server["token"] else ""
    return [f'curl --data-binary @outputs.txt{token} "{THIS_BOARD}api/submissions?{urlencode(about, quote_via=quote)}"']
