"""gecbench: score grammatical error correction exactly like the official scorers.

>>> import gecbench
>>> corpus = gecbench.Corpus(sources=["She like cats very much ."], references=[["She likes cats very much ."]])
>>> gecbench.score(["She likes cats very much ."], corpus)["gleu"].value
1.0
"""

from gecbench.version import __version__ as __version__

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gecbench import scale  # noqa: F401
    from gecbench.analysis.report import Report as Report
    from gecbench.analysis.report import Scores as Scores
    from gecbench.analysis.significance import SmallSampleWarning as SmallSampleWarning
    from gecbench.api import compare as compare
    from gecbench.api import human_bound as human_bound
    from gecbench.api import meta as meta
    from gecbench.api import score as score
    from gecbench.corpora.demo import load_demo as load_demo
    from gecbench.corpora.demo import load_demo_systems as load_demo_systems
    from gecbench.corpora.load import load_corpus as load_corpus
    from gecbench.corpora.load import load_dataset as load_dataset
    from gecbench.corpora.load import load_rows as load_rows
    from gecbench.corpus.corpus import Corpus as Corpus
    from gecbench.corpus.derive import derive_annotations as derive_annotations
    from gecbench.corpus.derive import derive_groups as derive_groups
    from gecbench.corpus.derive import derive_references as derive_references
    from gecbench.corpus.derive import mix_annotations as mix_annotations
    from gecbench.corpus.derive import ungroup as ungroup
    from gecbench.corpus.edits import Annotation as Annotation
    from gecbench.corpus.edits import Edit as Edit
    from gecbench.corpus.edits import EditedTexts as EditedTexts
    from gecbench.corpus.edits import apply_edits as apply_edits
    from gecbench.corpus.edits import extract_edits as extract_edits
    from gecbench.corpus.groups import Alternative as Alternative
    from gecbench.corpus.groups import ErrorGroup as ErrorGroup
    from gecbench.corpus.groups import GroupedSentence as GroupedSentence
    from gecbench.corpus.groups import Replacement as Replacement
    from gecbench.corpus.prepare import DamagedTextWarning as DamagedTextWarning
    from gecbench.corpus.prepare import ForeignTextWarning as ForeignTextWarning
    from gecbench.corpus.prepare import MixedUpTextWarning as MixedUpTextWarning
    from gecbench.corpus.prepare import RawTextWarning as RawTextWarning
    from gecbench.corpus.prepare import clean as clean
    from gecbench.corpus.prepare import tokenize_like as tokenize_like
    from gecbench.corpus.tokenize import detokenize as detokenize
    from gecbench.corpus.tokenize import tokenize as tokenize
    from gecbench.errors import GecbenchError as GecbenchError
    from gecbench.errors import InputError as InputError
    from gecbench.huggingface import torchmetrics  # noqa: F401
    from gecbench.huggingface.accumulator import Accumulator as Accumulator
    from gecbench.huggingface.accumulator import OrderWarning as OrderWarning
    from gecbench.huggingface.register import load_metric as load_metric
    from gecbench.huggingface.register import register as register
    from gecbench.huggingface.register import unregister as unregister
    from gecbench.huggingface.reward import Reward as Reward
    from gecbench.huggingface.reward import reward as reward
    from gecbench.huggingface.training import RefusedMetricWarning as RefusedMetricWarning
    from gecbench.huggingface.training import compute_metrics as compute_metrics
    from gecbench.human.correlation import correlate as correlate
    from gecbench.human.correlation import meta_evaluate as meta_evaluate
    from gecbench.human.ranking import expected_wins as expected_wins
    from gecbench.human.ranking import trueskill as trueskill
    from gecbench.metrics.base import METRICS as METRICS
    from gecbench.metrics.base import Interval as Interval
    from gecbench.metrics.base import Score as Score
    from gecbench.metrics.base import Signature as Signature
    from gecbench.metrics.base import make_metric as make_metric
    from gecbench.metrics.bleu import BLEU as BLEU
    from gecbench.metrics.cleme import CLEME as CLEME
    from gecbench.metrics.errant import ERRANT as ERRANT
    from gecbench.metrics.gleu import GLEU as GLEU
    from gecbench.metrics.green import GREEN as GREEN
    from gecbench.metrics.imeasure import IMeasure as IMeasure
    from gecbench.metrics.imeasure import MixingLimitWarning as MixingLimitWarning
    from gecbench.metrics.m2 import M2 as M2
    from gecbench.metrics.plugin import metric as metric
    from gecbench.metrics.streaming import OddPartsWarning as OddPartsWarning
    from gecbench.models.correction import PromptOverlapWarning as PromptOverlapWarning
    from gecbench.models.correction import correct as correct
    from gecbench.models.training import GenerateAndScore as GenerateAndScore
    from gecbench.scale import spark  # noqa: F401

# Public name -> module that defines the name. Each module is imported when its name is first used.
_MODULES = {
    "Accumulator": "gecbench.huggingface.accumulator",
    "Alternative": "gecbench.corpus.groups",
    "Annotation": "gecbench.corpus.edits",
    "apply_edits": "gecbench.corpus.edits",
    "BLEU": "gecbench.metrics.bleu",
    "clean": "gecbench.corpus.prepare",
    "CLEME": "gecbench.metrics.cleme",
    "compare": "gecbench.api",
    "compute_metrics": "gecbench.huggingface.training",
    "Corpus": "gecbench.corpus.corpus",
    "correct": "gecbench.models.correction",
    "correlate": "gecbench.human.correlation",
    "DamagedTextWarning": "gecbench.corpus.prepare",
    "derive_annotations": "gecbench.corpus.derive",
    "derive_groups": "gecbench.corpus.derive",
    "derive_references": "gecbench.corpus.derive",
    "detokenize": "gecbench.corpus.tokenize",
    "Edit": "gecbench.corpus.edits",
    "EditedTexts": "gecbench.corpus.edits",
    "ERRANT": "gecbench.metrics.errant",
    "ErrorGroup": "gecbench.corpus.groups",
    "expected_wins": "gecbench.human.ranking",
    "extract_edits": "gecbench.corpus.edits",
    "ForeignTextWarning": "gecbench.corpus.prepare",
    "GecbenchError": "gecbench.errors",
    "GenerateAndScore": "gecbench.models.training",
    "GLEU": "gecbench.metrics.gleu",
    "GREEN": "gecbench.metrics.green",
    "GroupedSentence": "gecbench.corpus.groups",
    "human_bound": "gecbench.api",
    "IMeasure": "gecbench.metrics.imeasure",
    "InputError": "gecbench.errors",
    "Interval": "gecbench.metrics.base",
    "load_corpus": "gecbench.corpora.load",
    "load_dataset": "gecbench.corpora.load",
    "load_demo": "gecbench.corpora.demo",
    "load_demo_systems": "gecbench.corpora.demo",
    "load_metric": "gecbench.huggingface.register",
    "load_rows": "gecbench.corpora.load",
    "M2": "gecbench.metrics.m2",
    "make_metric": "gecbench.metrics.base",
    "meta": "gecbench.api",
    "meta_evaluate": "gecbench.human.correlation",
    "metric": "gecbench.metrics.plugin",
    "METRICS": "gecbench.metrics.base",
    "mix_annotations": "gecbench.corpus.derive",
    "MixedUpTextWarning": "gecbench.corpus.prepare",
    "MixingLimitWarning": "gecbench.metrics.imeasure",
    "OddPartsWarning": "gecbench.metrics.streaming",
    "OrderWarning": "gecbench.huggingface.accumulator",
    "PromptOverlapWarning": "gecbench.models.correction",
    "RawTextWarning": "gecbench.corpus.prepare",
    "RefusedMetricWarning": "gecbench.huggingface.training",
    "register": "gecbench.huggingface.register",
    "Replacement": "gecbench.corpus.groups",
    "Report": "gecbench.analysis.report",
    "reward": "gecbench.huggingface.reward",
    "Reward": "gecbench.huggingface.reward",
    "score": "gecbench.api",
    "Score": "gecbench.metrics.base",
    "Scores": "gecbench.analysis.report",
    "Signature": "gecbench.metrics.base",
    "SmallSampleWarning": "gecbench.analysis.significance",
    "tokenize": "gecbench.corpus.tokenize",
    "tokenize_like": "gecbench.corpus.prepare",
    "trueskill": "gecbench.human.ranking",
    "ungroup": "gecbench.corpus.derive",
    "unregister": "gecbench.huggingface.register",
}
_SUBMODULES = {
    "scale": "gecbench.scale",
    "spark": "gecbench.scale.spark",
    "torchmetrics": "gecbench.huggingface.torchmetrics",
}


def __getattr__(name: str) -> object:
    if name == "__all__":
        return sorted(["__version__", *_MODULES, *_SUBMODULES])
    from importlib import import_module

    value: object
    if name in _SUBMODULES:
        value = import_module(_SUBMODULES[name])
    elif name in _MODULES:
        value = getattr(import_module(_MODULES[name]), name)
    else:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *_MODULES, *_SUBMODULES})
