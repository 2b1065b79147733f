"""Public outputs, to be scored as submissions are: systems of a shared task, the source, and people's rewrites."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from gecbench.corpora.conll14.rows import REWRITES, SYSTEMS, read_systems, rewrites
from gecbench.corpora.upstream import Upstream
from gecbench.corpus.corpus import Corpus
from gecbench.leaderboard.submission import Submission

_SOURCE = "Source (unchanged)"
_TASK: Any = {"links": ["https://aclanthology.org/W14-1701"], "date": "2014", "description": "CoNLL-2014 shared task"}
_PEOPLE: Any = {
    "links": ["https://aclanthology.org/Q16-1013"],
    "date": "2016",
    "description": "Rewrite of Sakaguchi et al. 2016",
    "role": "human",
}


def public_submissions(corpus: Corpus, upstream: Upstream | None = None) -> Iterator[Submission]:
    """Yield what is public on a corpus: its source, and on CoNLL-14 twelve systems and eight rewrites.

    A rewrite that is one of the references is left out: it would be scored against itself.
    """
    sources = list(corpus.sources)
    as_they_are: Any = {"aligned": True, "tokenized": True}
    yield Submission(_SOURCE, sources, role="source", **as_they_are)
    if corpus.metadata.get("dataset") != "conll14_fluency":
        return
    upstream = upstream or Upstream.from_environment()
    outputs = read_systems(upstream, sources)
    for system in SYSTEMS:
        yield Submission(system, outputs[system], **_TASK, **as_they_are)
    known = {name for names in _columns(corpus).get("reference_names", ()) for name in names}
    for kind in REWRITES:
        for rewrite in rewrites(upstream, sources, kind):
            if rewrite.name not in known:
                yield Submission(_title(rewrite.name), rewrite.texts, **_PEOPLE, **as_they_are)


def _columns(corpus: Corpus) -> dict[str, tuple[tuple[str, ...], ...]]:
    columns = corpus.metadata.get("columns")
    return columns if isinstance(columns, dict) else {}


def _title(name: str) -> str:
    """Return the name of a rewrite as a title.

    >>> _title("nonexpert_minimal_B")
    'Non-expert B, minimal'
    """
    who, kind, letter = name.split("_")
    return f"{who.replace('nonexpert', 'non-expert').capitalize()} {letter}, {kind}"
