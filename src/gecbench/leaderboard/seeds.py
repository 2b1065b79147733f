"""Seed a board with published results and with public outputs.

Published results become records of the kind "reported". Public outputs are scored.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache
from typing import Any

from gecbench.corpora import seeda
from gecbench.corpora.conll14 import REWRITES, SYSTEMS, read_systems, rewrites
from gecbench.corpora.published import PublishedResult, published_results
from gecbench.corpora.upstream import Upstream
from gecbench.corpus.corpus import Corpus
from gecbench.leaderboard.records import Figure, Record, figure
from gecbench.leaderboard.submission import Submission
from gecbench.metrics.base import METRICS


@cache
def seed_records() -> tuple[Record, ...]:
    """Return the published results as records.

    The results come with the package and are never written into a board. If several sources report a system's score in
    the same metric, the score of the earliest source is used.
    """
    rows: dict[tuple[str, str, str], list[PublishedResult]] = {}
    for result in published_results():
        if result.metric in METRICS:
            rows.setdefault((result.corpus, result.reference_set, result.system), []).append(result)
    return tuple(_record(found) for found in rows.values())


def _record(results: Sequence[PublishedResult]) -> Record:
    first = results[0]
    scores: dict[str, Figure] = {}
    for result in sorted(results, key=lambda result: result.date):
        scores.setdefault(result.metric, _figure(result))
    return Record(
        system=first.system,
        corpus=first.corpus,
        reference_set=first.reference_set,
        kind="reported",
        role=first.role,
        description=first.description,
        links=[{"title": "paper", "url": first.link}] if first.link else [],
        scores=scores,
        date=max(result.date for result in results),
    )


def _figure(result: PublishedResult) -> Figure:
    parts = {"precision": result.precision, "recall": result.recall}
    return figure(
        round(result.value / 100, 6),
        parts={name: round(value / 100, 6) for name, value in parts.items() if value is not None},
        source={"title": result.source, "url": result.url},
        differs=result.differs or "As reported by its authors",
    )


def is_same_system(scored: Record, reported: Record) -> bool:
    """Return whether a scored and a reported record describe the same system.

    The board lists such a system once. Names are compared in lower case. The name in the scored record may have an
    additional part in brackets.
    """
    if scored.table != reported.table or scored.kind != "scored":
        return False
    if reported.role != "system":
        return scored.role == reported.role == "source"
    name = scored.system.casefold()
    return reported.system.casefold() in (name, name.partition(" (")[0])


_SOURCE = "Source (unchanged)"
_PAPERS = "https://aclanthology.org/"
_SHARED_TASK: Any = {
    "links": [f"{_PAPERS}W14-1701"],
    "year": 2014,
    "date": "2014",
    "submitter": "CoNLL-2014 shared task",
}
_APPROACHES_2014 = {
    **{"AMU": "statistical MT", "CAMB": "hybrid", "CUUI": "classifiers", "IITB": "hybrid", "RAC": "rules"},
    **{"SJTU": "hybrid", "UFC": "rules", "UMC": "hybrid"},
}
_REWRITE: Any = {
    "links": [f"{_PAPERS}Q16-1013"],
    "year": 2016,
    "date": "2016",
    "description": "Human rewrite of Sakaguchi et al. 2016",
    "role": "human",
}
_SEEDA: dict[str, tuple[int, str, bool | None, str, str]] = {
    "BART": (2020, "seq2seq", None, "Katsumata and Komachi 2020", f"{_PAPERS}2020.aacl-main.83"),
    "BERT-fuse": (2020, "seq2seq", True, "Kaneko et al. 2020", f"{_PAPERS}2020.acl-main.391"),
    "GECToR-BERT": (2020, "tagger", True, "Omelianchuk et al. 2020", f"{_PAPERS}2020.bea-1.16"),
    "GECToR-ens": (2022, "tagger", True, "Tarnavskyi et al. 2022, an ensemble", f"{_PAPERS}2022.acl-long.266"),
    "GPT-3.5": (2023, "LLM", False, "Coyne et al. 2023", "https://arxiv.org/abs/2303.14342"),
    "LM-Critic": (2021, "seq2seq", True, "Yasunaga et al. 2021", f"{_PAPERS}2021.emnlp-main.611"),
    "PIE": (2019, "tagger", True, "Awasthi et al. 2019", f"{_PAPERS}D19-1435"),
    "Riken-Tohoku": (2019, "seq2seq", True, "Kiyono et al. 2019", f"{_PAPERS}D19-1119"),
    "T5": (2021, "seq2seq", None, "Rothe et al. 2021", f"{_PAPERS}2021.acl-short.89"),
    "TemplateGEC": (2023, "seq2seq", None, "Li et al. 2023", f"{_PAPERS}2023.acl-long.380"),
    "TransGEC": (2023, "seq2seq", None, "Fang et al. 2023", f"{_PAPERS}2023.findings-acl.223"),
    "UEDIN-MS": (2019, "seq2seq", True, "Grundkiewicz et al. 2019", f"{_PAPERS}W19-4427"),
}
"""SEEDA's systems: year, approach, whether the weights are public (None: not known), paper and its address."""
_SEEDA_REFERENCES = {"expert_minimal_A": "REF-M", "expert_fluency_A": "REF-F"}
"""SEEDA's two human references are two of the rewrites, under other names."""


def public_submissions(corpus: Corpus, upstream: Upstream | None = None) -> Iterator[Submission]:
    """Yield the public outputs on a corpus.

    For every corpus, the unchanged source is included as a baseline. JFLEG also has the spell-checked source. CoNLL-14
    also has twelve systems of the shared task, twelve systems of SEEDA, and eight human rewrites. A rewrite that is one
    of the references is left out, because it would be scored against itself.
    """
    sources = list(corpus.sources)
    as_they_are: Any = {"aligned": True, "tokenized": True}
    yield Submission(_SOURCE, sources, role="source", description="The source, not corrected", **as_they_are)
    spellchecked = corpus_columns(corpus).get("spellchecked")
    if spellchecked:
        about = "The source after a spell checker (Napoles et al. 2017)"
        yield Submission("Spell-checked source", list(spellchecked), role="baseline", description=about, **as_they_are)
    if corpus.metadata.get("dataset") != "conll14_fluency":
        return
    upstream = upstream or Upstream.from_environment()
    outputs = read_systems(upstream, sources)
    for system in SYSTEMS:
        yield Submission(
            system, outputs[system], approach=_APPROACHES_2014.get(system, ""), **_SHARED_TASK, **as_they_are
        )
    newer = seeda.read_all_outputs(upstream, len(sources))
    for system, (year, approach, weights, paper, link) in _SEEDA.items():
        paper_of: Any = {"year": year, "date": str(year), "approach": approach, "open_weights": weights}
        paper_of |= {"description": paper, "links": [link], "submitter": "SEEDA"}
        yield Submission(system, newer[system], **paper_of, **as_they_are)
    known = {name for names in corpus_columns(corpus).get("reference_names", ()) for name in names}
    for kind in REWRITES:
        for rewrite in rewrites(upstream, sources, kind):
            if rewrite.name not in known:
                yield Submission(_title(rewrite.name), rewrite.texts, **_REWRITE, **as_they_are)


def corpus_columns(corpus: Corpus) -> dict[str, Any]:
    """Return the extra columns of a corpus, such as essays or judgments, by name."""
    columns = corpus.metadata.get("columns")
    return columns if isinstance(columns, dict) else {}


def _title(name: str) -> str:
    """Return the name of a rewrite as a title.

    >>> _title("nonexpert_minimal_B"), _title("expert_minimal_A")
    ('Non-expert B, minimal', 'Expert A, minimal (REF-M)')
    """
    who, kind, letter = name.split("_")
    other = f" ({_SEEDA_REFERENCES[name]})" if name in _SEEDA_REFERENCES else ""
    return f"{who.replace('nonexpert', 'non-expert').capitalize()} {letter}, {kind}{other}"
