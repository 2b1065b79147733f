"""What GLEU saw in a sentence: the n-grams that count against each reference, and those that are punished."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from gecbench.metrics.explanation import Cell, Explanation, Mark, Row
from gecbench.metrics.ratios import percent

Tokens = Sequence[str]

_MEANINGS: dict[Mark, str] = {
    "match": "counts: the reference has this n-gram, too",
    "wrong": "punished: kept from the source, where the reference has it no more",
    "note": "neither: in the denominator alone",
}


@dataclass(frozen=True)
class NgramCredit:
    """One n-gram of a system: how often it counts, is punished, and is neither."""

    text: str
    matched: int
    punished: int
    neither: int

    def cells(self) -> Iterator[Cell]:
        """Show it once under each mark that it has."""
        marks: tuple[tuple[Mark, int], ...] = (
            ("match", self.matched),
            ("wrong", self.punished),
            ("note", self.neither),
        )
        for mark, count in marks:
            if count:
                yield Cell(self.text + (f" ×{count}" if count > 1 else ""), mark)


def ngram_credits(source: Tokens, prediction: Tokens, reference: Tokens, n: int, literal: bool) -> list[NgramCredit]:
    """Return every n-gram of the prediction, in its order.

    As many count as the reference has. What else stands in the source is punished: in the official script only if the
    reference does not have the n-gram at all, in Equation 1 of Sakaguchi et al. 2016 (`literal`) if it has fewer.
    """
    in_source, in_reference = _ngrams(source, n), _ngrams(reference, n)
    found = []
    for ngram, count in _ngrams(prediction, n).items():
        matched = min(count, in_reference[ngram])
        kept = min(count, in_source[ngram])
        punished = max(kept - matched, 0) if literal else 0 if in_reference[ngram] else kept
        found.append(NgramCredit(" ".join(ngram), matched, punished, count - matched - punished))
    return found


def explain_ngrams(
    sentence: int, texts: Sequence[Tokens], values: Sequence[float], order: int, literal: bool
) -> Explanation:
    """Explain a sentence (counted from 0); `texts` are source, prediction and references, `values` by reference."""
    source, prediction, *references = texts
    rows = [Row("source", [Cell(" ".join(source))]), Row("system", [Cell(" ".join(prediction))])]
    counts = {"matched": 0, "punished": 0, "neither": 0}
    for k, (reference, value) in enumerate(zip(references, values, strict=True), start=1):
        rows.append(Row(f"reference {k}", [Cell(" ".join(reference)), Cell(f"GLEU {percent(value)}", "note")]))
        for n in range(1, order + 1):
            found = ngram_credits(source, prediction, reference, n, literal)
            for name in counts:
                counts[name] += sum(getattr(each, name) for each in found)
            rows.append(Row(f"{n}-grams", [_sum(found, literal), *(cell for each in found for cell in each.cells())]))
    mean = percent(sum(values) / len(values))
    against = f"mean over {len(values)} references" if len(values) > 1 else "one reference"
    return Explanation(f"Sentence {sentence + 1}: GLEU {mean}, {against}", rows, counts=counts, meanings=_MEANINGS)


def _sum(found: Sequence[NgramCredit], literal: bool) -> Cell:
    """Show numerator and denominator; the official numerator is at least 0."""
    matched, punished = sum(each.matched for each in found), sum(each.punished for each in found)
    total = sum(each.matched + each.punished + each.neither for each in found)
    numerator = matched - punished if literal else max(matched - punished, 0)
    equals = "=" if numerator == matched - punished else "→"
    made_of = f"{matched} − {punished} {equals} " if punished else ""
    return Cell(f"{made_of}{numerator} of {total}", "note")


def _ngrams(tokens: Tokens, n: int) -> Counter[tuple[str, ...]]:
    return Counter(tuple(tokens[i : i + n]) for i in range(len(tokens) - n + 1))
