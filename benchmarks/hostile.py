"""Sentences that are hard on a scorer: an output that repeats a clause for ever, a sentence full of errors."""

from __future__ import annotations

import random

from gecbench import Alternative, Annotation, Corpus, Edit, ErrorGroup, GroupedSentence, Replacement

SOURCE = 30
CLAUSE = 7
LONG = 400


def repeated_clause(length: int) -> tuple[Corpus, list[str]]:
    """Return a source of 30 tokens with five gold edits, and an output that repeats a clause of it.

    The official M2 scorer does not come back from it; the lattice here grows with source × output.
    """
    source = [f"w{i}" for i in range(SOURCE)]
    clause = source[10 : 10 + CLAUSE]
    output = (source[:17] + clause * (length // CLAUSE + 1))[:length]
    texts = {(3, 4): "z", (12, 13): "", (17, 17): " ".join(clause), (20, 22): "w0 w0", (29, 30): "y"}
    gold = Annotation(0, tuple(Edit(*span, (text,)) for span, text in texts.items()))
    return Corpus(sources=[" ".join(source)], annotations=[[gold]]), [" ".join(output)]


def many_errors(errors: int) -> tuple[Corpus, list[str]]:
    """Return a sentence of 400 tokens whose errors have two alternatives each: 3 ** errors mixed references.

    The output corrects half of them and spoils one token in twenty.
    """
    chance = random.Random(errors)
    words = [f"w{min(int(chance.paretovariate(0.7)), 5000)}" for _ in range(LONG)]
    places = [round((k + 0.5) * LONG / errors - 0.5) for k in range(errors)]
    output = list(words)
    for place in places[1::2]:
        output[place] = "right0"
    output[7::20] = ["wrong"] * len(output[7::20])
    groups = tuple(
        ErrorGroup(tuple(Alternative(str(n), (Replacement(place, place + 1, f"right{n}"),)) for n in range(2)), False)
        for place in places
    )
    return Corpus(sources=[" ".join(words)], groups=[GroupedSentence(groups, 3)]), [" ".join(output)]
