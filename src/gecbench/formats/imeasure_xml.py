"""Read and write gold files of the I-measure, which contain error groups.

The format is from Felice & Briscoe 2015, Listing 1. The elements are scripts > script > sentence (id, numann) > text,
error-list > error (req, type) > alt (ann) > c (start, end). See docs/metrics/imeasure.md §1.
"""

from __future__ import annotations

import re
from itertools import groupby
from pathlib import Path

from gecbench.corpus.corpus import Corpus, check_annotators, check_span
from gecbench.corpus.groups import Alternative, ErrorGroup, GroupedSentence, Replacement
from gecbench.errors import InputError, error_context, plain_number
from gecbench.formats.text import read_bytes, write_lines
from gecbench.formats.xml_reader import XmlReader

_PARENTS = {
    "scripts": (None,),
    "script": ("scripts",),
    "sentence": ("script", "scripts"),
    "text": ("sentence",),
    "error-list": ("sentence",),
    "error": ("error-list",),
    "alt": ("error",),
    "c": ("alt",),
}
_LARGEST = 2**30
_NOT_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def read_imeasure_xml(path: str | Path) -> Corpus:
    """Read a gold file as a corpus of error groups."""
    return parse_imeasure_xml(read_bytes(path), str(path))


def parse_imeasure_xml(data: bytes, file: str = "I-measure XML") -> Corpus:
    """Parse the content of a gold file.

    A sentence without an id gets its number as id, counted from 1.
    """
    reader = _GoldReader(file)
    reader.read(data)
    if not reader.sentences:
        fix = "Nest the elements in this order: scripts > script > sentence > text, error-list"
        raise InputError("the file has no sentences", file=file, fix=fix)
    ids = [name or str(number) for number, name in enumerate(reader.ids, start=1)]
    return Corpus(sources=reader.sources, groups=reader.sentences, ids=ids, name=Path(file).name)


class _GoldReader(XmlReader):
    """Collect sentences. The method `close_x` handles the end of an element x."""

    def __init__(self, file: str) -> None:
        super().__init__(file)
        self.path: list[str] = []
        self.attributes: list[dict[str, str]] = []
        self.text: list[str] = []
        self.sources: list[str] = []
        self.ids: list[str] = []
        self.sentences: list[GroupedSentence] = []
        self.source: str | None = None
        self.groups: list[ErrorGroup] = []
        self.alternatives: list[Alternative] = []
        self.replacements: list[Replacement] = []
        self.spans: list[tuple[int, int, int]] = []
        self.begin = 0

    def open(self, name: str, attributes: dict[str, str]) -> None:
        parent = self.path[-1] if self.path else None
        if parent not in _PARENTS.get(name, ()):
            where = "at the top level" if parent is None else f"inside <{parent}>"
            fix = "Nest the elements in this order: scripts > script > sentence > text, error-list > error > alt > c"
            raise self.wrong(f"element <{name}> is not allowed {where}", fix)
        self.path.append(name)
        self.attributes.append(attributes)
        self.text = []
        if name == "sentence":
            self.source, self.groups, self.spans, self.begin = None, [], [], self.parser.CurrentByteIndex
        elif name == "error":
            self.alternatives = []
        elif name == "alt":
            self.replacements = []

    def characters(self, data: str) -> None:
        if data.strip() and (not self.path or self.path[-1] not in ("text", "c")):
            raise self.wrong(f"text {data.strip()[:30]!r} outside <text> and <c>", "Remove it")
        self.text.append(data)

    def close(self, name: str) -> None:
        self.path.pop()
        attributes = self.attributes.pop()
        if finish := getattr(self, f"close_{name}", None):
            finish(attributes)

    def integer(self, attributes: dict[str, str], name: str) -> int:
        try:
            value = int(plain_number(attributes[name]))
        except KeyError:
            raise self.wrong(f"attribute {name} is missing") from None
        except ValueError:
            raise self.wrong(f"attribute {name}={attributes[name]!r} is not an integer") from None
        if abs(value) > _LARGEST:
            raise self.wrong(f"attribute {name}={value} is too large")
        return value

    def close_text(self, _: dict[str, str]) -> None:
        if self.source is not None:
            raise self.wrong("a sentence has two <text> elements")
        self.source = " ".join("".join(self.text).split())

    def close_c(self, attributes: dict[str, str]) -> None:
        start, end = self.integer(attributes, "start"), self.integer(attributes, "end")
        self.spans.append((start, end, self.parser.CurrentLineNumber))
        self.replacements.append(Replacement(start, end, " ".join("".join(self.text).split())))

    def close_alt(self, attributes: dict[str, str]) -> None:
        self.alternatives.append(Alternative(attributes.get("ann", ""), tuple(self.replacements)))

    def close_error(self, attributes: dict[str, str]) -> None:
        required = attributes.get("req") != "no"
        self.groups.append(ErrorGroup(tuple(self.alternatives), required, attributes.get("type", "")))

    def close_sentence(self, attributes: dict[str, str]) -> None:
        if self.source is None:
            raise self.wrong("a sentence has no <text>")
        for start, end, line in self.spans:
            with error_context(self.file, line):
                check_span(start, end, len(self.source.split()))
        annotators = self.integer(attributes, "numann") if "numann" in attributes else None
        with error_context(self.file, self.parser.CurrentLineNumber):
            check_annotators(annotators, self.parser.CurrentByteIndex - self.begin)
        script = self.attributes[-1].get("id", "") if self.path[-1] == "script" else ""
        self.sources.append(self.source)
        self.ids.append(attributes.get("id", ""))
        self.sentences.append(GroupedSentence(tuple(self.groups), annotators, script))


def write_imeasure_xml(corpus: Corpus, path: str | Path) -> None:
    """Write the error groups of a corpus as a gold file.

    The official scorer can also read this file.
    """
    write_lines(path, format_imeasure_xml(corpus))


def format_imeasure_xml(corpus: Corpus) -> list[str]:
    """Return the error groups of a corpus as lines of a gold file, one per sentence."""
    if corpus.groups is None or corpus.ids is None:
        raise InputError(f"{corpus.name} has no error groups to write as XML", fix="Use derive_groups(corpus) first")
    lines = ["<?xml version='1.0' encoding='UTF-8'?>", "<scripts>"]
    sentences = zip(corpus.groups, corpus.sources, corpus.ids, strict=True)
    for script, members in groupby(sentences, key=lambda item: item[0].script):
        lines.append(f"<script{_attributes(id=script)}>")
        lines.extend(_sentence(*member) for member in members)
        lines.append("</script>")
    return [*lines, "</scripts>"]


def _sentence(sentence: GroupedSentence, source: str, name: str) -> str:
    numann = {} if sentence.annotators is None else {"numann": str(sentence.annotators)}
    errors = "".join(_error(number, group) for number, group in enumerate(sentence.groups, 1))
    text = f"<text>{_escape(' '.join(source.split()))}</text><error-list>{errors}</error-list>"
    return f"<sentence{_attributes(id=name, **numann)}>{text}</sentence>"


def _error(number: int, group: ErrorGroup) -> str:
    alternatives = ""
    for alternative in group.alternatives:
        changes = "".join(
            f'<c start="{change.start}" end="{change.end}">{_escape(change.text)}</c>'
            for change in alternative.replacements
        )
        alternatives += f"<alt{_attributes(ann=alternative.annotator)}>{changes}</alt>"
    required = "yes" if group.required else "no"
    return f"<error{_attributes(id=str(number), req=required, type=group.type)}>{alternatives}</error>"


def _attributes(**values: str) -> str:
    quoted = {'"': "&quot;", "\n": "&#10;", "\r": "&#13;", "\t": "&#9;"}
    return "".join(f' {name}="{_escape(value, quoted)}"' for name, value in values.items())


def _escape(text: str, entities: dict[str, str] | None = None) -> str:
    if found := _NOT_XML.search(text):
        problem = f"character U+{ord(found.group()):04X} in {text[:40]!r} cannot be written as XML"
        raise InputError(problem, fix="Remove this character from the corpus")
    from xml.sax.saxutils import escape

    return escape(text, entities or {"\r": "&#13;"})
