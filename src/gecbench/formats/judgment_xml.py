"""Ranking XML of Appraise, as published by Grundkiewicz et al. 2015: ranking-item / translation elements."""

from __future__ import annotations

import re

from gecbench.errors import InputError
from gecbench.formats.judgments import Place, Ranking, repeats_a_system
from gecbench.formats.table import whole_number
from gecbench.formats.xml_reader import XmlReader


def parse_ranking_xml(text: str, *, file: str, first_sentence: int = 0) -> list[Ranking]:
    """Parse the rankings of an Appraise XML file; `first_sentence` is the src-id of the first sentence (0 or 1).

    Systems of one translation are separated by spaces or commas. Document types and entities are refused.
    """
    reader = _Reader(file, first_sentence)
    reader.read(text.encode())
    return reader.rankings


class _Reader(XmlReader):
    def __init__(self, file: str, first_sentence: int) -> None:
        super().__init__(file)
        self.first_sentence = first_sentence
        self.rankings: list[Ranking] = []
        self.item: tuple[int, str, float | None] | None = None
        self.places: list[Place] = []
        self.judged: set[str] = set()  # systems of this item
        self.known: dict[tuple[str | None, str | None], Place] = {}  # by the attributes that a place is made of

    def attribute(self, attributes: dict[str, str], name: str, element: str) -> str:
        if name not in attributes:
            raise self.wrong(f"{element} without {name}")
        return attributes[name]

    def number(self, attributes: dict[str, str], name: str, element: str) -> int:
        text = self.attribute(attributes, name, element)
        return whole_number(text, name, file=self.file, line=self.parser.CurrentLineNumber)

    def seconds(self, attributes: dict[str, str]) -> float | None:
        if "duration" not in attributes:
            return None
        form = re.fullmatch(r"(\d+):(\d+):(\d+(?:\.\d+)?)", attributes["duration"])
        if form is None:
            raise self.wrong(f"duration={attributes['duration']!r} is not hours:minutes:seconds")
        return int(form[1]) * 3600 + int(form[2]) * 60 + float(form[3])

    def open(self, name: str, attributes: dict[str, str]) -> None:
        if name == "ranking-item":
            if self.item is not None:
                raise self.wrong("ranking-item inside a ranking-item")
            sentence = self.number(attributes, "src-id", name) - self.first_sentence
            self.item = (sentence, self.attribute(attributes, "user", name), self.seconds(attributes))
            self.places = []
            self.judged = set()
        elif name == "translation":
            if self.item is None:
                raise self.wrong("translation outside a ranking-item")
            self.places.append(self.place(attributes))

    def place(self, attributes: dict[str, str]) -> Place:
        key = attributes.get("system"), attributes.get("rank")
        if key not in self.known:
            self.known[key] = self.new_place(attributes)
        place = self.known[key]
        if not self.judged.isdisjoint(place.systems):
            raise self.repeated(attributes)
        self.judged.update(place.systems)
        return place

    def new_place(self, attributes: dict[str, str]) -> Place:
        names = self.attribute(attributes, "system", "translation")
        systems = tuple(name for name in re.split(r"[\s,]+", names) if name)
        if repeats_a_system(systems, ()):
            raise self.repeated(attributes)
        return Place(systems, self.number(attributes, "rank", "translation"))

    def repeated(self, attributes: dict[str, str]) -> InputError:
        return self.wrong(f"system={attributes['system']!r} is empty or repeats a system of this ranking-item")

    def close(self, name: str) -> None:
        if name == "ranking-item" and self.item is not None:
            sentence, judge, seconds = self.item
            self.rankings.append(Ranking(sentence, judge, tuple(self.places), seconds=seconds))
            self.item = None
