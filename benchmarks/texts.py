"""Texts for the benchmarks: real texts from the mirror, and generated texts of any size, as files.

Generated text has word frequencies as in real text, 19 tokens per sentence by default, and an error in every eighth
token. An annotator leaves the error, replaces it with one of two words, or deletes it. A system makes half of an
annotator's changes, and adds an error to one token in forty.
"""

from __future__ import annotations

import tarfile
from contextlib import ExitStack
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from measure import mirror

JFLEG_TEST = "raw.githubusercontent.com/keisks/jfleg/ee06ff806a208aba815ac45313f4e750a48330a5/test"
CONLL14 = "www.comp.nus.edu.sg/~nlp/conll14st/conll14st-test-data.tar.gz"
CONLL14_GOLD = "conll14st-test-data/noalt/official-2014.combined.m2"
EVALUATION = "raw.githubusercontent.com/grammatical/evaluation/08cdad84ffae07dfa167e3e45d77a96e0e01a160/data"
ERRANT = "raw.githubusercontent.com/THUKElab/CLEME/e90abead75a9d766595b1b0ff4473647af0c86e9/demo/examples"
SEEDA = "raw.githubusercontent.com/tmu-nlp/SEEDA/0c6c07f98dcfab016f1169b680997f1f29ea0705/outputs/subset"
LENGTH = 19
WORDS = 30_000
ERRORS = 1 / 7
WRONG = 1 / 40
CHUNK = 100_000
DELETED = -1
Ids = npt.NDArray[np.int64]


class MissingError(Exception):
    """A file or command that a measurement needs is missing. The message says which."""


def mirrored(path: str) -> Path:
    """Return the path of a file or folder in the mirror, or raise MissingError."""
    folder = mirror()
    if folder is None:
        raise MissingError("real data is missing (set GECBENCH_MIRROR to a folder with the corpora)")
    if not (folder / path).exists():
        raise MissingError(f"real data is missing (the mirror has no {path})")
    return folder / path


def jfleg() -> list[Path]:
    """Return the files of JFLEG's test set: sources, spell-checked sources, four references."""
    names = ("src", "spellchecked.src", "ref0", "ref1", "ref2", "ref3")
    return [mirrored(f"{JFLEG_TEST}/test.{name}") for name in names]


def conll14_gold(folder: Path) -> Path:
    """Return CoNLL-14's gold edits of two annotators, unpacked into a folder."""
    path = folder / "conll14.m2"
    if not path.exists():
        with tarfile.open(mirrored(CONLL14)) as archive:
            member = archive.extractfile(CONLL14_GOLD)
            path.write_bytes(member.read() if member else b"")
    return path


def conll14_systems() -> dict[str, Path]:
    """Return the outputs of the twelve systems of CoNLL-14 by name."""
    folder = mirrored(f"{EVALUATION}/original/official_submissions")
    return {path.name: path for path in sorted(folder.iterdir()) if path.name != "INPUT"}


def lines_of(path: Path) -> list[str]:
    """Return the lines of a file."""
    return path.read_bytes().decode().removesuffix("\n").split("\n")


@dataclass(frozen=True)
class Made:
    """Paths of the files of a generated text."""

    source: Path
    references: list[Path]
    gold: Path
    outputs: list[Path]


def make(
    folder: Path, sentences: int, length: int = LENGTH, references: int = 4, annotators: int = 2, systems: int = 1
) -> Made:
    """Write sources, references, the first references' edits as M2, and outputs. Equal calls write equal text."""
    made = made_files(folder, references, systems)
    writer = _Writer(np.random.default_rng([length, references]), length)
    with ExitStack() as stack:
        paths = (made.source, *made.references, made.gold, *made.outputs)
        files = [stack.enter_context(path.open("w", encoding="utf-8")) for path in paths]
        for begin in range(0, sentences, CHUNK):
            texts = writer.chunk(min(CHUNK, sentences - begin), references, annotators, systems)
            for file, lines in zip(files, texts, strict=True):
                file.write("".join(f"{line}\n" for line in lines))
    return made


def made_files(folder: Path, references: int = 4, systems: int = 1) -> Made:
    """Return the paths of the files that `make` writes."""
    return Made(
        folder / "source.txt",
        [folder / f"reference{k}.txt" for k in range(references)],
        folder / "gold.m2",
        [folder / f"system{k}.txt" for k in range(systems)],
    )


class _Writer:
    """Generates sentences in chunks. A rewrite has the source's tokens, some of them replaced or DELETED."""

    def __init__(self, chance: np.random.Generator, length: int) -> None:
        self.chance, self.length = chance, length
        self.words = [f"w{number}" for number in range(WORDS)]
        frequencies = np.cumsum(1 / np.arange(3, WORDS + 3))
        self.frequencies = frequencies / frequencies[-1]

    def chunk(self, count: int, references: int, annotators: int, systems: int) -> list[list[str]]:
        """Return the lines of the source, of each reference, of the M2 file and of each system's output."""
        spread = min(12, self.length // 2)
        ends = np.cumsum(self.chance.integers(self.length - spread, self.length + spread, count, endpoint=True))
        source = self._draw(int(ends[-1]))
        errors = np.flatnonzero(self.chance.random(len(source)) < ERRORS)
        errors = errors[np.diff(errors, prepend=-2) > 1]
        choices = np.stack([source[errors], self._draw(len(errors)), self._draw(len(errors)), 0 * errors + DELETED])
        rewrites = [self._rewritten(source, errors, choices) for _ in range(references)]
        outputs = [self._output(source, rewrites[k % references]) for k in range(systems)]
        texts = [self._join(tokens, ends) for tokens in (source, *rewrites, *outputs)]
        texts.insert(references + 1, self._m2(texts[0], source, rewrites[:annotators], ends))
        return texts

    def _draw(self, count: int) -> Ids:
        return np.searchsorted(self.frequencies, self.chance.random(count))

    def _rewritten(self, source: Ids, errors: Ids, choices: Ids) -> Ids:
        rewrite = source.copy()
        rewrite[errors] = choices[self.chance.integers(len(choices), size=len(errors)), np.arange(len(errors))]
        return rewrite

    def _output(self, source: Ids, rewrite: Ids) -> Ids:
        """Return half of an annotator's changes, and some wrong changes."""
        output = np.where(self.chance.random(len(source)) < 1 / 2, rewrite, source)
        wrong = np.flatnonzero(self.chance.random(len(source)) < WRONG)
        output[wrong] = self._draw(len(wrong))
        return output

    def _join(self, tokens: Ids, ends: Ids) -> list[str]:
        kept = tokens != DELETED
        words = [self.words[token] for token in tokens[kept].tolist()]
        begins = [0, *np.cumsum(kept)[ends - 1].tolist()]
        return [" ".join(words[begin:end]) for begin, end in pairwise(begins)]

    def _m2(self, lines: list[str], source: Ids, rewrites: list[Ids], ends: Ids) -> list[str]:
        blocks = [[f"S {line}"] for line in lines]
        begins = np.concatenate([[0], ends])
        for annotator, rewrite in enumerate(rewrites):
            places = np.flatnonzero(rewrite != source)
            sentences = np.searchsorted(ends, places, side="right")
            starts, new = (places - begins[sentences]).tolist(), rewrite[places].tolist()
            for sentence, start, token in zip(sentences.tolist(), starts, new, strict=True):
                word = "" if token == DELETED else self.words[token]
                blocks[sentence].append(f"A {start} {start + 1}|||X|||{word}|||REQUIRED|||-NONE-|||{annotator}")
            for sentence in set(range(len(lines))).difference(sentences.tolist()):
                blocks[sentence].append(f"A -1 -1|||noop|||-NONE-|||REQUIRED|||-NONE-|||{annotator}")
        return ["\n".join([*block, ""]) for block in blocks]


def make_judgments(path: Path, systems: int = 15, rankings: int = 4_000, ranked: int = 5) -> Path:
    """Write generated XML judgments. Each ranks a few systems, and earlier systems tend to be better."""
    chance = np.random.default_rng(systems)
    lines = ['<?xml version="1.0" encoding="UTF-8"?>', "<appraise-results>"]
    for k in range(rankings):
        chosen = chance.choice(systems, ranked, replace=False)
        ranks = np.argsort(np.argsort(chosen + chance.normal(0, systems / 2, ranked))) + 1
        item = "".join(f'<translation rank="{r}" system="S{s}"/>' for r, s in zip(ranks, chosen, strict=True))
        opening = (
            f'<ranking-item doc-id="made-{k}" duration="00:00:30.000000" id="{k}" src-id="{k}" user="judge{k % 4}">'
        )
        result = f'<error-correction-ranking-result source-language="err" id="made-{k}" target-language="cor">'
        lines.append(f"{result}{opening}{item}</ranking-item></error-correction-ranking-result>")
    path.write_text("\n".join([*lines, "</appraise-results>", ""]), encoding="utf-8")
    return path


def texts_for_peers() -> dict[str, Any]:
    """Return the name and texts of JFLEG's test set, or of the demo corpus if there is no mirror."""
    try:
        source, prediction, *references = map(lines_of, jfleg())
        name = "JFLEG test"
    except MissingError:
        import gecbench

        demo = gecbench.load_demo()
        source, prediction = list(demo.sources), list(gecbench.load_demo_systems()["rule-based"])
        references = [list(column) for column in zip(*(demo.references or ()), strict=True)]
        name = "the demo corpus"
    return {"name": name, "sources": source, "predictions": prediction, "references": references}
