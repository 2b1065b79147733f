"""Generate hostile cases: few distinct tokens, so many ties; edits that agree, repeat, touch, overlap, lie outside."""

from __future__ import annotations

from random import Random
from typing import NamedTuple

from gecbench import Alternative, ErrorGroup, GroupedSentence, Replacement
from gecbench.kernels.alignment import MEASURES, Objective
from gecbench.kernels.maxmatch import GoldEdit

Tokens = list[int]
FOLDED = [[1], [1], [2], [1, 1], [3], [2, 1]]  # the letters of each token without case, of which some are equal


def tokens(random: Random, most: int, vocabulary: int = 4) -> Tokens:
    """Return a text of up to `most` tokens."""
    return [random.randrange(vocabulary) for _ in range(random.randint(0, most))]


def rewritten(random: Random, text: Tokens, most: int, vocabulary: int = 4) -> Tokens:
    """Return the text with some pieces replaced, moved or repeated; sometimes return an unrelated text."""
    if random.random() < 0.2:
        return tokens(random, most, vocabulary)
    changed = list(text)
    for _ in range(random.randint(0, 3)):
        place = random.randint(0, len(changed))
        piece = random.choice([tokens(random, 2, vocabulary), changed[place : place + 2], text[:1], text[-2:]])
        changed[place : place + random.randint(0, 2)] = piece
    return changed[:most]


class M2Case(NamedTuple):
    """One sentence and annotator, and the scorer's options."""

    source: Tokens
    hypothesis: Tokens
    golds: list[GoldEdit]
    max_unchanged_words: int
    release: str
    ignores_case: bool


def m2_case(random: Random, longest: int = 7) -> M2Case:
    """Return a sentence whose gold edits often agree with the hypothesis."""
    source = tokens(random, longest)
    hypothesis = rewritten(random, source, longest + 2)

    def text() -> tuple[int, ...]:
        at = random.randint(0, len(hypothesis))
        return tuple(random.choice([hypothesis[at : at + random.randint(0, 3)], tokens(random, 3)]))

    golds = []
    for _ in range(random.randint(0, 5)):
        start = random.randint(0, len(source))
        end = start + random.choice([0, 0, 1, 1, 2])
        if random.random() < 0.1:
            start, end = random.randint(-2, longest + 2), random.randint(-2, longest + 2)
        golds.append(GoldEdit(start, end, tuple(text() for _ in range(random.choice([1, 1, 1, 2, 0])))))
    golds += random.choices(golds, k=random.choice([0, 0, 1, 2])) if golds else []
    unchanged = random.choice([2, 2, 2, 0, 1, 3, -1])
    return M2Case(source, hypothesis, golds, unchanged, random.choice(["master", "3.2"]), random.random() < 0.3)


class GleuCase(NamedTuple):
    """Some sentences with their references, and the metric's options."""

    sources: list[Tokens]
    hypotheses: list[Tokens]
    references: list[list[Tokens]]
    order: int
    multiset: bool
    python3: bool


def gleu_case(random: Random) -> GleuCase:
    """Return texts that repeat their tokens, from 1 to 300 references each, and orders beyond the texts' lengths."""
    vocabulary = random.choice([1, 2, 4, 50])
    sources = [tokens(random, random.choice([3, 9, 30]), vocabulary) for _ in range(random.randint(1, 4))]
    most = 300 if random.random() < 0.01 else random.choice([1, 2, 4])
    return GleuCase(
        sources,
        [rewritten(random, source, 32, vocabulary) for source in sources],
        [[rewritten(random, source, 32, vocabulary) for _ in range(random.randint(1, most))] for source in sources],
        random.choice([4, 4, 1, 2, 3, 7, 40]),
        random.random() < 0.3,
        random.random() < 0.5,
    )


class IMeasureCase(NamedTuple):
    """Some sentences with their error groups, tokens written as letters, and the objective to maximize."""

    sources: list[str]
    hypotheses: list[str]
    groups: list[GroupedSentence]
    goal: Objective


def imeasure_case(random: Random, longest: int = 6, most_groups: int = 3) -> IMeasureCase:
    """Return sentences whose groups may touch, overlap, edit one span twice or lie outside the sentence."""
    vocabulary = random.choice([2, 4, 26])

    def spelled(text: Tokens) -> str:
        return " ".join(chr(ord("a") + token) for token in text)

    def group(source: Tokens) -> ErrorGroup:
        place, made = random.randint(0, len(source)), []
        for annotator in range(random.choice([1, 1, 2])):
            changes = []
            for _ in range(random.choice([1, 1, 1, 2])):
                start = min(len(source), max(0, place + random.randint(-1, 1))) if random.random() < 0.97 else -1
                text = spelled(tokens(random, 2, vocabulary))
                changes.append(Replacement(start, start + random.randint(0, 2), text))
            made.append(Alternative(str(annotator), tuple(changes)))
        return ErrorGroup(tuple(made), required=random.random() < 0.5)

    sources = [tokens(random, longest, vocabulary) or [0] for _ in range(random.choice([1, 1, 2]))]
    groups = [tuple(group(source) for _ in range(random.randint(0, most_groups))) for source in sources]
    goal = Objective(
        random.randint(0, 1),
        random.randrange(len(MEASURES)) if random.random() < 0.5 else MEASURES.index("wacc"),
        random.random() < 0.5,
        random.choice([2.0, 2.0, 1.0, 1.37, 0.0, -0.7]),
        random.choice([0.5, 1.0, 0.0]),
    )
    hypotheses = [spelled(rewritten(random, source, longest + 2, vocabulary)) for source in sources]
    return IMeasureCase(list(map(spelled, sources)), hypotheses, [GroupedSentence(each, 2) for each in groups], goal)
