"""I-measure for grammatical error correction, as an `evaluate` module over the gecbench package."""

import evaluate

import gecbench
import gecbench.huggingface.evaluate_metric

_DESCRIPTION = """\
I-measure for grammatical error correction (Felice and Briscoe, 2015): how much the correction improves the text.
Source, prediction and reference are aligned token by token; right and wrong corrections weigh more than what was left
alone, and the result is related to leaving the source as it is: 1 perfect, 0 no better than before, -1 ruined. Each
sentence is scored against its best reference, among all mixes of the annotators' corrections. Equal to the official
scorer, without listing the mixes.
"""

_CITATION = """\
@inproceedings{felice-briscoe-2015-towards,
  title = {Towards a standard evaluation method for grammatical error detection and correction},
  author = {Felice, Mariano and Briscoe, Ted},
  booktitle = {Proceedings of NAACL-HLT 2015},
  pages = {578--587},
  year = {2015},
}
"""

_KWARGS_DESCRIPTION = """
Args:
    sources (list of str): the sentences before correction, tokens separated by blanks.
    predictions (list of str): the corrected sentences, one per source.
    references (list of str, or list of list of str): the gold edits of each sentence as a block of M2 ("S ...", then
        "A ..." lines); or rewrites of each sentence.
    mixing (bool or "cap"): mix the annotators' corrections (True, default), take annotators or rewrites as they are
        (False), or mix only sentences of at most `cap` combinations.
    cap (int), beyond (str): with mixing="cap", 1024 and "unmixed" (or "excluded") by default.
    objective (str), optimise (str): the best reference maximises "cwacc" of the "sentence" (default) or "corpus".
    weight (float), beta (float): of WAcc (2.0) and of F (1.0; the paper has 0.5).
    resamples (int): bootstrap resamples for an interval, 0 (default) for none.
    per_sentence (bool): also return I of each sentence.
    aligned (bool): skip the check for shifted lines.
Returns:
    imeasure (float): I of the correction, between -1 and 1.
    correction_tp ... correction_improvement, detection_tp ... (float): counts and ratios of both aspects.
    baseline_weighted_accuracy ... (float): of leaving the source alone, on the chosen references.
    alignments_asked, alignments_done, excluded_sentences ... (float): the work done, and what was left out.
    interval_low, interval_high (float or None): 95 % bootstrap interval, if resamples were asked for.
    sentence_scores (list of float): if per_sentence.
    signature (str): how the number was made.
Examples:
    >>> import gecbench
    >>> imeasure = gecbench.load_metric("imeasure")
    >>> block = "S She like cats .\\nA 1 2|||SVA|||likes|||REQUIRED|||-NONE-|||0"
    >>> sources, predictions = ["She like cats ."], ["She likes the cats ."]
    >>> result = imeasure.compute(sources=sources, predictions=predictions, references=[block])
    >>> [round(result[key], 4) for key in ("imeasure", "correction_weighted_accuracy", "baseline_weighted_accuracy")]
    [-0.0476, 0.7143, 0.75]
"""


@evaluate.utils.file_utils.add_start_docstrings(_DESCRIPTION, _KWARGS_DESCRIPTION)
class Imeasure(gecbench.huggingface.evaluate_metric.EditMetric):
    def _info(self):
        return evaluate.MetricInfo(
            description=_DESCRIPTION,
            citation=_CITATION,
            inputs_description=_KWARGS_DESCRIPTION,
            features=gecbench.huggingface.evaluate_metric.text_or_m2_features(),
            codebase_urls=["https://github.com/gecbench/gecbench"],
            reference_urls=["https://aclanthology.org/N15-1060"],
        )

    def _compute(
        self,
        sources,
        predictions,
        references,
        mixing=True,
        cap=1024,
        beyond="unmixed",
        objective="cwacc",
        optimise="sentence",
        weight=2.0,
        beta=1.0,
        resamples=0,
        per_sentence=False,
        aligned=False,
    ):
        metric = gecbench.IMeasure(mixing, cap, beyond, objective, optimise, weight, beta)
        corpus = self.corpus(sources, references)
        return self.result(metric, corpus, predictions, resamples, per_sentence, aligned)
