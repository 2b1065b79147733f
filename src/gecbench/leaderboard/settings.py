"""Settings of a board (`board.json`): title, corpora, ranking metric, and the notes shown with its figures."""

from __future__ import annotations

import json
import os
import re
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlencode

from gecbench.corpora.load import is_known_name, resolve_corpus
from gecbench.corpus.corpus import Corpus
from gecbench.corpus.prepare import Preprocessing
from gecbench.errors import InputError
from gecbench.formats.text import read_bytes, write_bytes
from gecbench.leaderboard import schema
from gecbench.leaderboard.records import canonical, parse, table_of
from gecbench.metrics.base import METRICS

FILE = "board.json"
LOGOS = (".svg", ".png", ".jpg", ".jpeg", ".webp")
SEALED_PER_DAY = 5
SEALED_DIGITS = 1
_DIGITS = 2
_LARGEST_LOGO = 2**20
_UNPUBLISHED = b"/tests/\n/waiting/\n"
_CORPUS = {"corpus": schema.text(500, empty=False), "fingerprint": schema.text(64)}
_FIELDS: Mapping[str, schema.Check] = {
    "title": schema.text(schema.LONGEST_NAME, empty=False),
    "description": schema.text(),
    "licence": schema.text(schema.LONGEST_NAME),
    "link": schema.optional(schema.web_address),
    "logo": schema.optional(schema.one_of(*(f"logo{ending}" for ending in LOGOS))),
    "metric": schema.one_of(*METRICS),
    "corpora": schema.list_of(schema.fields_of(_CORPUS), 50),
    "publish_references": schema.truth,
    "per_day": schema.optional(schema.count),
}


@dataclass(frozen=True)
class Settings:
    """A board's settings; those of a folder without `board.json` are the defaults.

    `corpora` name each corpus (a file: from the board's folder) and its fingerprint. `per_day` is how many submissions
    one submitter may make on a day, None for any number.
    """

    title: str = "GEC leaderboard"
    description: str = ""
    licence: str = ""
    link: str | None = None
    logo: str | None = None
    metric: str = next(iter(METRICS))
    corpora: Sequence[Mapping[str, str]] = ()
    publish_references: bool = False
    per_day: int | None = None

    def __post_init__(self) -> None:
        schema.check_fields({**vars(self)}, _FIELDS, FILE)

    @property
    def sealed(self) -> bool:
        """Whether nothing that the board keeps or answers may give its references away."""
        return bool(self.corpora) and not self.publish_references

    @property
    def digits(self) -> int:
        """How many decimals of a point scores have: those of a sealed board are rounded."""
        return SEALED_DIGITS if self.sealed else _DIGITS


def read_settings(folder: Path) -> Settings:
    """Return the settings of a board's folder."""
    path = folder / FILE
    if not path.is_file():
        return Settings()
    try:
        value = parse(path.read_bytes())
        schema.check_fields(value, _FIELDS, FILE)
        return Settings(**value)
    except InputError as error:
        raise InputError(f"cannot be read: {error}", file=str(path)) from error


def initialise(folder: Path, corpora: Sequence[str], settings: Settings, logo: str | None = None) -> Settings:
    """Write `board.json` (and the logo) into a folder that has none; every corpus is read once, to know it again.

    Exact p-values and submissions that wait are the organiser's alone: `.gitignore` keeps them out of a repository.
    """
    if (folder / FILE).exists():
        raise InputError("is there already", file=str(folder / FILE), fix="Edit it, or choose another folder")
    resolved = [_resolve(name) for name in corpora]
    for corpus in resolved:
        Preprocessing(aligned=True).prepare(corpus, corpus.sources, "sources")
    tables = [table_of(corpus) for corpus in resolved]
    if doubled := [table for table in tables if tables.count(table) > 1]:
        raise InputError(f"two corpora are called {doubled[0][0]}", fix="Rename a file")
    entries = [
        {"corpus": _from(folder, name), "fingerprint": corpus.fingerprint()}
        for name, corpus in zip(corpora, resolved, strict=True)
    ]
    image = None if logo is None else (f"logo{Path(logo).suffix.lower()}", _logo(logo))
    written = replace(settings, corpora=entries, logo=image and image[0])
    folder.mkdir(parents=True, exist_ok=True)
    if image is not None:
        write_bytes(folder / image[0], image[1])
    _ignore_unpublished(folder / ".gitignore")
    write_bytes(folder / FILE, canonical(asdict(written)))
    return written


def _ignore_unpublished(path: Path) -> None:
    kept = path.read_bytes() if path.is_file() else b""
    between = b"" if not kept or kept.endswith(b"\n") else b"\n"
    write_bytes(path, kept + between + _UNPUBLISHED)


def board_corpora(folder: Path, settings: Settings) -> list[Corpus]:
    """Return the corpora of a board, each checked to be the one it was made with."""
    corpora = []
    for entry in settings.corpora:
        name = entry["corpus"]
        if not is_known_name(name) and not (folder / name).is_file():
            raise InputError(f"the board's corpus {name} is not here", fix="Give its file with -c")
        corpus = _resolve(name if is_known_name(name) else str(folder / name))
        if corpus.fingerprint() != entry["fingerprint"]:
            fix = "Restore the file, or make a new board: its scores could not be compared"
            raise InputError(f"{name} is no longer the corpus of this board", file=str(folder / FILE), fix=fix)
        corpora.append(corpus)
    return corpora


def choose_corpus(name: str | None, folder: Path, settings: Settings) -> Corpus:
    """Return the corpus that a submission names: one of the board's, or any where the board has none of its own.

    No path of this machine is told: a file is called by its name alone.
    """
    if not settings.corpora:
        if name is None:
            raise InputError("no corpus is given", fix="Use -c, or give the board its own: gecbench leaderboard init")
        corpus = resolve_corpus(name)
        return corpus if is_known_name(name) else corpus.replace(name=Path(name).name)
    if name is not None and (given := _known_again(name, settings)) is not None:
        return given
    corpora = board_corpora(folder, settings)
    if name is None and len(corpora) == 1:
        return corpora[0]
    for corpus, entry in zip(corpora, settings.corpora, strict=True):
        if name in (corpus.name, table_of(corpus)[0], entry["corpus"]):
            return corpus
    problem = f"the board has no corpus {name!r:.80}" if name else "the board has several corpora"
    raise InputError(problem, fix=f"Use -c with one of {', '.join(corpus.name for corpus in corpora)}")


def _known_again(name: str, settings: Settings) -> Corpus | None:
    """Return the corpus of a file that is one of the board's, wherever it lies; None if it is none of them."""
    if is_known_name(name) or not Path(name).is_file():
        return None
    corpus = resolve_corpus(name)
    same = [entry["corpus"] for entry in settings.corpora if entry["fingerprint"] == corpus.fingerprint()]
    return corpus.replace(name=table_of(corpus.replace(name=same[0]))[0]) if same else None


def _resolve(name: str) -> Corpus:
    """Return a corpus; a file's is called by its name alone, so that no path of this machine is told."""
    corpus = resolve_corpus(name)
    return corpus if is_known_name(name) else corpus.replace(name=table_of(corpus)[0])


def _from(folder: Path, name: str) -> str:
    return name if is_known_name(name) else Path(os.path.relpath(name, folder)).as_posix()


def _logo(path: str) -> bytes:
    if Path(path).suffix.lower() not in LOGOS:
        raise InputError("is no image of a known kind", file=path, fix=f"Give one of {', '.join(LOGOS)}")
    data = read_bytes(path)
    if len(data) > _LARGEST_LOGO:
        raise InputError("is larger than 1 MB", file=path)
    return data


def about_board(settings: Settings) -> dict[str, Any]:
    """Return what the page says of the board itself."""
    names = ("title", "description", "licence", "link", "logo", "metric", "digits")
    return {name: getattr(settings, name) for name in names}


THIS_BOARD = "THIS-BOARD/"
NOTES: Mapping[str, str] = {
    "p": "p: how often chance alone makes a difference as large as that from the entry above "
    "(paired approximate randomisation); * below 0.05",
    "human": "human: people, each against the others; beside: the system against the same others; "
    "of human: beside divided by human",
    "cluster": "Systems of one cluster do not differ significantly from its best one (p < 0.05)",
    "bounded": "bounded: sentences whose annotators were not mixed for the I-measure, because that would take too long",
    "reported": "Results as reported by others are not ranked: data or settings differ from those here",
}


def card(ours: str, settings: Settings) -> str:
    """Return the card of a page as a Space: ours, or that of an organiser's board, which says what they say."""
    if not settings.corpora:
        return ours
    head = ours.split("---\n")[1]
    kept = re.sub(r"^(license|short_description): .*\n", "", head, flags=re.MULTILINE)
    titled = re.sub(r"^title: .*", lambda _: f"title: {json.dumps(settings.title)}", kept, flags=re.MULTILINE)
    about = [
        f"# {settings.title}",
        settings.description,
        settings.link and f"About this task: {settings.link}",
        settings.licence and f"Licence: {settings.licence}",
        "Scored by [gecbench](https://github.com/gecbench/gecbench).",
    ]
    return f"---\n{titled}---\n\n" + "\n\n".join(filter(None, about)) + "\n"


def sample_commands(board: str, corpora: Sequence[Corpus], settings: Settings) -> list[str]:
    """Return the commands with which one submits to a board whose references one has."""
    name = corpora[0].name if corpora else "demo"
    place, corpus = f"--board {shlex.quote(board)}", f" -c {shlex.quote(name)}"
    submitted, built = ("" if len(settings.corpora) == 1 else corpus), ("" if settings.corpora else corpus)
    return [
        "pip install gecbench",
        f'gecbench leaderboard submit {place}{submitted} -p outputs.txt --name "My system" --submitter Me',
        f"gecbench leaderboard build {place}{built} -o site",
    ]


def upload_commands(corpora: Sequence[Corpus], server: Mapping[str, Any] | None) -> list[str]:
    """Return the command with which one uploads to a sealed board, none where no server takes it."""
    if not server:
        return []
    about = {"name": "My system", "submitter": "Me", "corpus": corpora[0].name, "file": "outputs.txt"}
    token = ' -H "Authorization: Bearer TOKEN"' if server["token"] else ""
    return [f'curl --data-binary @outputs.txt{token} "{THIS_BOARD}api/submissions?{urlencode(about, quote_via=quote)}"']
