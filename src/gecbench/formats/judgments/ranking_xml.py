"""Ranking XML of Appraise, as published by Grundkiewicz et al. 2015: ranking-item / translation elements."""

from __future__ import annotations

import re
from pathlib import Path
from typing import NoReturn
from xml.parsers import expat

from gecbench.errors import InputError
from gecbench.formats.judgments.model import Place, Ranking
from gecbench.formats.table import whole_number
from gecbench.formats.text import read_text


def read_ranking_xml(path: str | Path, *, first_sentence: int = 0) -> list[Ranking]:
    """Read the rankings of an Appraise XML file; see `parse_ranking_xml`."""
    return parse_ranking_xml(read_text(path), file=str(path), first_sentence=first_sentence)


def parse_ranking_xml(text: str, *, file: str, first_sentence: int = 0) -> list[Ranking]:
    """Parse the rankings of an Appraise XML file; `first_sentence` is the src-id of the first sentence (0 or 1).

    Systems of one translation are separated by spaces or commas. Document types and entities are refused.
    """
    return _RankingParser(file, first_sentence).parse(text)


class _RankingParser:
    def __init__(self, file: str, first_sentence: int) -> None:
        self.file, self.first_sentence = file, first_sentence
        self.rankings: list[Ranking] = []
        self.item: tuple[int, str, float | None] | None = None
        self.places: list[Place] = []
        self.parser = expat.ParserCreate()
        self.parser.StartElementHandler = self._start
        self.parser.EndElementHandler = self._end
        self.parser.StartDoctypeDeclHandler = self._refuse
        self.parser.EntityDeclHandler = self._refuse

    def parse(self, text: str) -> list[Ranking]:
        try:
            self.parser.Parse(text.encode("utf-8"), True)
        except expat.ExpatError as error:
            problem = f"broken XML ({expat.ErrorString(error.code)})"
            raise InputError(problem, file=self.file, line=error.lineno) from error
        return self.rankings

    def _refuse(self, *_: object) -> NoReturn:
        self._fail("document types and entities are refused", "Remove the DOCTYPE.")

    def _fail(self, message: str, fix: str | None = None) -> NoReturn:
        raise InputError(message, file=self.file, line=self.parser.CurrentLineNumber, fix=fix)

    def _attribute(self, attributes: dict[str, str], name: str, element: str) -> str:
        if name not in attributes:
            self._fail(f"{element} without {name}")
        return attributes[name]

    def _number(self, attributes: dict[str, str], name: str, element: str) -> int:
        text = self._attribute(attributes, name, element)
        return whole_number(text, name, file=self.file, line=self.parser.CurrentLineNumber)

    def _seconds(self, attributes: dict[str, str]) -> float | None:
        if "duration" not in attributes:
            return None
        form = re.fullmatch(r"(\d+):(\d+):(\d+(?:\.\d+)?)", attributes["duration"])
        if form is None:
            self._fail(f"duration={attributes['duration']!r} is not hours:minutes:seconds")
        return int(form[1]) * 3600 + int(form[2]) * 60 + float(form[3])

    def _start(self, element: str, attributes: dict[str, str]) -> None:
        if element == "ranking-item":
            if self.item is not None:
                self._fail("ranking-item inside a ranking-item")
            sentence = self._number(attributes, "src-id", element) - self.first_sentence
            self.item = (sentence, self._attribute(attributes, "user", element), self._seconds(attributes))
            self.places = []
        elif element == "translation":
            if self.item is None:
                self._fail("translation outside a ranking-item")
            self.places.append(self._place(attributes))

    def _place(self, attributes: dict[str, str]) -> Place:
        names = self._attribute(attributes, "system", "translation")
        systems = tuple(name for name in re.split(r"[\s,]+", names) if name)
        seen = {system for place in self.places for system in place.systems}
        if not systems or len(set(systems)) != len(systems) or seen & set(systems):
            self._fail(f"system={names!r} is empty or repeats a system of this ranking-item")
        return Place(systems, self._number(attributes, "rank", "translation"))

    def _end(self, element: str) -> None:
        if element == "ranking-item" and self.item is not None:
            sentence, judge, seconds = self.item
            self.rankings.append(Ranking(sentence, judge, tuple(self.places), seconds=seconds))
            self.item = None
