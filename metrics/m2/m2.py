"""M2 (MaxMatch) for grammatical error correction, as a module for `evaluate`."""

import evaluate

import gecbench
import gecbench.huggingface.evaluate_metric

_DESCRIPTION = """\
M2, the MaxMatch score for grammatical error correction (Dahlmeier and Ng, 2012): F0.5 of edits. Of all
minimal alignments of source and correction, it takes the one whose edits match the gold edits best. With several
annotators, each sentence uses the annotator who gives the best score over all sentences so far. Scores equal those of
the official scorer, floating-point ties included. Even long or repetitive outputs take only milliseconds.
"""

_CITATION = """\
@inproceedings{dahlmeier-ng-2012-better,
  title = {Better Evaluation for Grammatical Error Correction},
  author = {Dahlmeier, Daniel and Ng, Hwee Tou},
  booktitle = {Proceedings of NAACL-HLT 2012},
  pages = {568--572},
  year = {2012},
}
"""

_KWARGS_DESCRIPTION = """
Args:
    sources (list of str): the sentences before correction, tokens separated by spaces.
    predictions (list of str): the corrected sentences, one per source.
    references (list of str, or list of list of str): the gold edits of each sentence as a block of M2 ("S ...",
        then "A ..." lines); or rewrites of each sentence, from which edits are extracted.
    ids (list of str or int, optional): an id of each sentence. Rows are sorted by id, and a repeated id counts
        once. So several processes give the same score as one.
    beta (float, 0.5): weight of recall; 0.5 weights precision twice as much.
    max_unchanged_words (int, 2): largest number of unchanged words inside an edit; -1 merges no edits.
    ignore_whitespace_casing (bool, False): ignore proposed edits that change only white space or case.
    release (str, "master"): release of the official scorer, "master" or "3.2".
    policy (str, "greedy-cumulative"): "greedy-cumulative" (official), "best-per-sentence" or "average" over the
        annotators.
    annotators (str, "all"): "all", or some annotators, such as "0+2".
    mixing (bool or "cap", False): score against every mix of the annotators' corrections; "cap": do
        not mix sentences with more than 1,024 mixes.
    resamples (int, 0): number of bootstrap resamples for a confidence interval; 0 computes none.
    per_sentence (bool, False): also return the score of each sentence.
    aligned (bool, False): skip the checks for shifted lines and for swapped or identical texts.
    tokenize (str, none): tokenize raw text: "auto" as in the corpus, or "treebank", "moses", "spacy", "13a" ...
    tokenized (bool, False): score text as it is, even if it is not tokenized like its sources.
Returns:
    m2 (float): F-beta, between 0 and 1.
    precision, recall (float), correct, proposed, gold (int): its components.
    interval_low, interval_high (float): 95% bootstrap interval, if resamples > 0.
    sentence_scores (list of float): the score of each sentence, if per_sentence.
    settled_literally (int): pairs of a sentence and an annotator for which the steps of the official scorer were
        repeated, because rounding might decide which edits are chosen.
    too_large_for_literal (int): pairs that need these steps, but are too large for them.
    signature (str): how the score was computed.
Examples:
    >>> import gecbench
    >>> m2 = gecbench.load_metric("m2")
    >>> block = "S She like cats .\\nA 1 2|||SVA|||likes|||REQUIRED|||-NONE-|||0"
    >>> result = m2.compute(sources=["She like cats ."], predictions=["She likes the cats ."], references=[block])
    >>> [round(result[key], 4) for key in ("m2", "precision", "recall")]
    [0.5556, 0.5, 1.0]
"""


@evaluate.utils.file_utils.add_start_docstrings(_DESCRIPTION, _KWARGS_DESCRIPTION)
class M2(gecbench.huggingface.evaluate_metric.EditMetric):
    metric = gecbench.M2

    def _info(self):
        return evaluate.MetricInfo(
            description=_DESCRIPTION,
            citation=_CITATION,
            inputs_description=_KWARGS_DESCRIPTION,
            features=gecbench.huggingface.evaluate_metric.text_or_m2_features(),
            codebase_urls=["https://github.com/gecbench/gecbench"],
            reference_urls=["https://aclanthology.org/N12-1067"],
        )
