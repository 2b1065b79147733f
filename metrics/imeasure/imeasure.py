"""I-measure for grammatical error correction, as a module for `evaluate`."""

import evaluate

import gecbench
import gecbench.huggingface.evaluate_metric

_DESCRIPTION = """\
I-measure for grammatical error correction (Felice and Briscoe, 2015): how much the correction improves the text.
Source, prediction and reference are aligned token by token. Weighted accuracy counts corrections, right and wrong,
more than unchanged tokens. The score compares the weighted accuracy of prediction and source: 1 is perfect, 0 is no
better than the source, -1 is the worst. Each sentence is scored against its best reference, among all mixes of the
annotators' corrections. Scores equal those of the official scorer.
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
    sources (list of str): the sentences before correction, tokens separated by spaces.
    predictions (list of str): the corrected sentences, one per source.
    references (list of str, or list of list of str): the gold edits of each sentence as a block of M2 ("S ...",
        then "A ..." lines); or rewrites of each sentence.
    ids (list of str or int, optional): an id of each sentence. Rows are sorted by id, and a repeated id counts
        once. So several processes give the same score as one.
    mixing (bool or "strict" or "cap", True): mix the annotators' corrections; "strict": error if there are too
        many mixes to search; "cap": mix only sentences with at most `cap` mixes; False: do not mix.
    cap (int, 1024): the largest number of mixes with mixing="cap".
    beyond (str, "unmixed"): with mixing="cap", score the other sentences without mixing ("unmixed"), or leave
        them out ("excluded").
    objective (str, "cwacc"): value that the chosen reference maximizes: d (detection) or c (correction),
        then a measure, such as cwacc.
    optimise (str, "sentence"): choose references that maximize the score of each "sentence", or the running
        total of the "corpus".
    weight (float, 2.0): weight of corrections relative to unchanged tokens in WAcc.
    beta (float, 1.0): beta of F (the paper reports 0.5).
    treebank (bool, True): tokenize the annotators' corrections as the official converter does.
    tokens (str, "ascii"): split predictions at "ascii" (official) or "unicode" white space.
    resamples (int, 0): number of bootstrap resamples for a confidence interval; 0 computes none.
    per_sentence (bool, False): also return the score of each sentence.
    aligned (bool, False): skip the checks for shifted lines and for swapped or identical texts.
    tokenize (str, none): tokenize raw text: "auto" as in the corpus, or "treebank", "moses", "spacy", "13a" ...
    tokenized (bool, False): score text as it is, even if it is not tokenized like its sources.
Returns:
    imeasure (float): I of the correction, between -1 and 1.
    correction_tp ... correction_improvement, detection_tp ... (int or float): counts and ratios.
    baseline_weighted_accuracy ... (float): values of the unchanged source, against the same references.
    interval_low, interval_high (float): 95% bootstrap interval, if resamples > 0.
    sentence_scores (list of float): the score of each sentence, if per_sentence.
    alignments_asked, unmixed_sentences, excluded_sentences ... (int): numbers of references, of sentences scored
        without mixing, of sentences left out, and more.
    signature (str): how the score was computed.
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
    metric = gecbench.IMeasure

    def _info(self):
        return evaluate.MetricInfo(
            description=_DESCRIPTION,
            citation=_CITATION,
            inputs_description=_KWARGS_DESCRIPTION,
            features=gecbench.huggingface.evaluate_metric.text_or_m2_features(),
            codebase_urls=["https://github.com/gecbench/gecbench"],
            reference_urls=["https://aclanthology.org/N15-1060"],
        )
