"""Human judgments by name or file, with the outputs that were judged where these are public."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from gecbench.corpora import conll14, jfleg, judgments
from gecbench.corpora.demo import DATA, load_demo_systems
from gecbench.corpora.upstream import Upstream
from gecbench.errors import InputError
from gecbench.formats.judgment_tables import read_judgments
from gecbench.formats.judgments import Ranking


@dataclass(frozen=True)
class HumanSource:
    """Published judgments: rankings, the judged systems' outputs (None: not public), a corpus to score them on."""

    description: str
    rankings: Callable[[], list[Ranking]]
    systems: Callable[[], Mapping[str, list[str]]] | None = None
    corpus: str | None = None


def _conll14_systems() -> Mapping[str, list[str]]:
    upstream = Upstream.from_environment()
    sentences = [row["sentence"] for row in conll14.sentence_rows(upstream)]
    return conll14.read_systems(upstream, sentences)


def _conll14(split: str) -> Callable[[], list[Ranking]]:
    return lambda: [one for one in judgments.read_rankings(Upstream.from_environment(), split) if one.approved]


_CONLL14_CORPUS = "conll14_fluency:expert_fluency"
HUMAN_SOURCES: Mapping[str, HumanSource] = {
    "demo": HumanSource(
        "two judges of the demo's four toy systems",
        lambda: read_judgments(DATA / "judgments.csv"),
        load_demo_systems,
        "demo",
    ),
    "conll14": HumanSource(
        "eight experts on twelve systems and the input (Grundkiewicz et al. 2015)",
        _conll14("expert"),
        _conll14_systems,
        _CONLL14_CORPUS,
    ),
    "conll14-crowd": HumanSource(
        "the crowd on the same, relabelled by the texts shown (Sakaguchi et al. 2016)",
        _conll14("crowd_relabelled"),
        _conll14_systems,
        _CONLL14_CORPUS,
    ),
    "conll14-references": HumanSource(
        "the crowd on five sets of references and the input (Sakaguchi et al. 2016)", _conll14("references")
    ),
    "jfleg": HumanSource(
        "two judges of four systems, a rewrite and the input (Napoles et al. 2017); outputs are not public",
        lambda: jfleg.read_rankings(Upstream.from_environment()),
    ),
}


def load_rankings(name: str) -> list[Ranking]:
    """Return the rankings of a published source (`demo`, `conll14`, …) or of a file.

    >>> len(load_rankings("demo"))
    210
    """
    if name in HUMAN_SOURCES:
        return HUMAN_SOURCES[name].rankings()
    if not Path(name).is_file():
        raise InputError(f"no file of judgments {name!r}", fix=f"Give a file or one of {', '.join(HUMAN_SOURCES)}")
    return read_judgments(name)
