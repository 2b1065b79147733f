"""gecbench: benchmark grammatical error correction, exact to the official scorers.

>>> import gecbench
>>> corpus = gecbench.Corpus(sources=["She like cats very much ."], references=[["She likes cats very much ."]])
>>> gecbench.score(["She likes cats very much ."], corpus)["gleu"].value
1.0
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from gecbench.version import __version__

if TYPE_CHECKING:
    from gecbench.api import compare, score
    from gecbench.corpora.load import load_corpus, load_dataset, load_rows
    from gecbench.corpus import Annotation, Corpus, Edit
    from gecbench.demo import load_demo, load_demo_systems
    from gecbench.edits import apply_edits, derive_references
    from gecbench.errors import GecbenchError, InputError
    from gecbench.extraction import derive_annotations, extract_edits
    from gecbench.grouping import derive_groups, ungroup
    from gecbench.groups import Alternative, ErrorGroup, GroupedSentence, Replacement
    from gecbench.human.annotators import human_bound
    from gecbench.human.correlation import correlate
    from gecbench.human.meta import meta_evaluate
    from gecbench.human.ranking import expected_wins, trueskill
    from gecbench.metrics.bleu import BLEU
    from gecbench.metrics.gleu import GLEU
    from gecbench.metrics.imeasure import IMeasure
    from gecbench.metrics.m2 import M2
    from gecbench.mixing import mix_annotations
    from gecbench.models import correct
    from gecbench.modules import load_metric, register, unregister
    from gecbench.registry import METRICS, make_metric
    from gecbench.report import Report, Scores
    from gecbench.result import Interval, Score
    from gecbench.signature import Signature

_HOMES = {
    "BLEU": "metrics.bleu",
    "GLEU": "metrics.gleu",
    "IMeasure": "metrics.imeasure",
    "M2": "metrics.m2",
    "METRICS": "registry",
    "Alternative": "groups",
    "Annotation": "corpus",
    "Corpus": "corpus",
    "Edit": "corpus",
    "ErrorGroup": "groups",
    "GecbenchError": "errors",
    "GroupedSentence": "groups",
    "InputError": "errors",
    "Interval": "result",
    "Replacement": "groups",
    "Report": "report",
    "Score": "result",
    "Scores": "report",
    "Signature": "signature",
    "apply_edits": "edits",
    "compare": "api",
    "correct": "models",
    "correlate": "human.correlation",
    "derive_annotations": "extraction",
    "derive_groups": "grouping",
    "derive_references": "edits",
    "expected_wins": "human.ranking",
    "extract_edits": "extraction",
    "human_bound": "human.annotators",
    "load_corpus": "corpora.load",
    "load_dataset": "corpora.load",
    "load_demo": "demo",
    "load_demo_systems": "demo",
    "load_metric": "modules",
    "load_rows": "corpora.load",
    "make_metric": "registry",
    "meta_evaluate": "human.meta",
    "mix_annotations": "mixing",
    "register": "modules",
    "score": "api",
    "trueskill": "human.ranking",
    "ungroup": "grouping",
    "unregister": "modules",
}

__all__ = [*sorted(_HOMES), "__version__"]


def __getattr__(name: str) -> Any:
    """Import a public name when it is first used, so that `import gecbench` stays light."""
    if name not in _HOMES:
        raise AttributeError(f"module 'gecbench' has no attribute {name!r}")
    value = getattr(import_module(f"gecbench.{_HOMES[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
