"""The expert rankings as the crowd study of Sakaguchi et al. 2016 used them (highAgreedAMU.txt)."""

from __future__ import annotations

import ast
from pathlib import Path

from gecbench.errors import InputError
from gecbench.formats.judgments.model import Place, Ranking
from gecbench.formats.table import whole_number
from gecbench.formats.text import read_text


def read_expert_groups(path: str | Path, *, first_sentence: int = 0) -> list[Ranking]:
    """Read the experts' rankings of a file; see `parse_expert_groups`."""
    return parse_expert_groups(read_text(path), file=str(path), first_sentence=first_sentence)


def parse_expert_groups(text: str, *, file: str, first_sentence: int = 0) -> list[Ranking]:
    """Parse lines `sentence TAB agreement TAB {'A B||C||D': [['1', '2', '2'], …], …}`; judges have no names.

    Of each line the first group of texts is read, as the study did; each of its lists of ranks becomes one
    ranking, of judge e1, e2, … by its position. The ids count from 0; the study took them to count from 1.
    """
    rankings: list[Ranking] = []
    for line, words in enumerate(text.split("\n"), start=1):
        fields = words.removesuffix("\r").split("\t")
        if fields == [""]:
            continue
        if len(fields) != 3:
            raise InputError(f"{len(fields)} fields instead of 3", file=file, line=line)
        sentence = whole_number(fields[0], "sentence", file=file, line=line) - first_sentence
        rankings.extend(_line_rankings(sentence, _table(fields[2], file, line), file, line))
    return rankings


def _table(text: str, file: str, line: int) -> dict[str, list[list[str]]]:
    try:
        table = ast.literal_eval(text)
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        table = None
    if isinstance(table, dict) and table and all(_is_group(*entry) for entry in table.items()):
        return table
    raise InputError("the third field is not a table of rankings", file=file, line=line)


def _is_group(names: object, rank_lists: object) -> bool:
    return (
        isinstance(names, str)
        and isinstance(rank_lists, list)
        and all(isinstance(ranks, list) and all(isinstance(rank, str) for rank in ranks) for ranks in rank_lists)
    )


def _line_rankings(sentence: int, table: dict[str, list[list[str]]], file: str, line: int) -> list[Ranking]:
    rankings: list[Ranking] = []
    names, rank_lists = next(iter(table.items()))
    groups = [tuple(group.split()) for group in names.split("||")]
    for number, ranks in enumerate(rank_lists, start=1):
        if len(ranks) != len(groups):
            raise InputError(f"{len(ranks)} ranks for {len(groups)} texts", file=file, line=line)
        values = [whole_number(rank, "rank", file=file, line=line) for rank in ranks]
        places = tuple(Place(group, value) for group, value in zip(groups, values, strict=True))
        rankings.append(Ranking(sentence, f"e{number}", places))
    return rankings
