"""SEEDA (Kobayashi et al. 2024): two human rankings of 15 systems.

The systems were ranked on 391 sentences of CoNLL-14.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from gecbench.corpora.declaration import HumanJudgments
from gecbench.corpora.upstream import Upstream
from gecbench.errors import InputError
from gecbench.formats.judgments import Ranking, parse_ranking_xml
from gecbench.formats.tables import finite_number

SYSTEMS = (
    *("BART", "BERT-fuse", "GECToR-BERT", "GECToR-ens", "GPT-3.5", "INPUT", "LM-Critic", "PIE"),
    *("REF-F", "REF-M", "Riken-Tohoku", "T5", "TemplateGEC", "TransGEC", "UEDIN-MS"),
)
SETS: Mapping[str, tuple[str, ...]] = {
    "base": tuple(name for name in SYSTEMS if name not in ("GPT-3.5", "INPUT", "REF-F")),
    "fluency": tuple(name for name in SYSTEMS if name != "INPUT"),
}
SENTENCES = 391
_JUDGED = "seeda/data/judgments_{}.xml"
_SCORED = {"trueskill": "TS", "expected-wins": "EW"}


def _judged(upstream: Upstream, what: str) -> list[Ranking]:
    """Return the rankings with sentences numbered as in CoNLL-14, from 0.

    The file counts from 1.
    """
    file = _JUDGED.format(what)
    return parse_ranking_xml(upstream.text(file), file=file, first_sentence=1)


def judged_sentences(upstream: Upstream) -> list[int]:
    """Return the positions of the 391 judged sentences in CoNLL-14, in order."""
    found = sorted({ranking.sentence for ranking in _judged(upstream, "edit")})
    if len(found) != SENTENCES:
        raise InputError(f"expected {SENTENCES} judged sentences, found {len(found)}", file=_JUDGED.format("edit"))
    return found


def read_rankings(upstream: Upstream, what: str) -> list[Ranking]:
    """Return the rankings of edits ("edit") or whole sentences ("sent").

    Sentences are numbered from 0 to 390.
    """
    places = {sentence: place for place, sentence in enumerate(judged_sentences(upstream))}
    return [replace(ranking, sentence=places[ranking.sentence]) for ranking in _judged(upstream, what)]


def read_outputs(upstream: Upstream) -> dict[str, list[str]]:
    """Return the outputs of the 15 systems for the 391 sentences.

    INPUT and two references count as systems.
    """
    return {name: upstream.lines(f"seeda/outputs/subset/{name}.txt", SENTENCES) for name in SYSTEMS}


def read_all_outputs(upstream: Upstream, sentences: int) -> dict[str, list[str]]:
    """Return the outputs of all systems except INPUT for all sentences of CoNLL-14."""
    names = (name for name in SYSTEMS if name != "INPUT")
    return {name: upstream.lines(f"seeda/outputs/all/{name}.txt", sentences) for name in names}


def read_scores(upstream: Upstream, what: str, method: str) -> dict[str, float]:
    """Return the published human scores of the systems.

    `method` is "trueskill" or "expected-wins".
    """
    file = f"seeda/scores/human/{_SCORED[method]}_{what}.txt"  # one score per line, in alphabetical order of systems
    values = [finite_number(text, "score", file=file, line=i) for i, text in enumerate(upstream.lines(file), 1)]
    return dict(zip(SYSTEMS, values, strict=True))


def _judgments(what: str, description: str) -> HumanJudgments:
    environment = Upstream.from_environment
    return HumanJudgments(
        description,
        lambda: read_rankings(environment(), what),
        lambda: read_outputs(environment()),
        "conll14",
        sentences=lambda: judged_sentences(environment()),
        scores=lambda method: read_scores(environment(), what, method),
        sets=SETS,
    )


JUDGMENTS: Mapping[str, HumanJudgments] = {
    "seeda:edit": _judgments(
        "edit", "15 systems on 391 sentences of CoNLL-14, ranked by their edits (Kobayashi et al. 2024)"
    ),
    "seeda:sentence": _judgments(
        "sent", "the systems of seeda:edit, ranked by whole sentences (Kobayashi et al. 2024)"
    ),
}
