"""GLEU for grammatical error correction, as a module for `evaluate`."""

import evaluate

import gecbench
import gecbench.huggingface.evaluate_metric

_DESCRIPTION = """\
GLEU for grammatical error correction (Napoles et al., 2015; Sakaguchi et al., 2016): n-gram precision of the
correction against a reference, minus the n-grams that were kept from the source although the reference changed
them. With several references, one is drawn for each sentence. This is done 500 times, and the score is the mean. Scores
equal those of the official script to the last bit. This is not Google's GLEU (`google_bleu`), which is for machine
translation.
"""

_CITATION = """\
@article{sakaguchi-etal-2016-reassessing,
  title = {Reassessing the Goals of Grammatical Error Correction: Fluency Instead of Grammaticality},
  author = {Sakaguchi, Keisuke and Napoles, Courtney and Post, Matt and Tetreault, Joel},
  journal = {Transactions of the Association for Computational Linguistics},
  volume = {4},
  year = {2016},
}
@inproceedings{napoles-etal-2015-ground,
  title = {Ground Truth for Grammatical Error Correction Metrics},
  author = {Napoles, Courtney and Sakaguchi, Keisuke and Post, Matt and Tetreault, Joel},
  booktitle = {Proceedings of ACL-IJCNLP 2015},
  year = {2015},
}
"""

_KWARGS_DESCRIPTION = """
Args:
    sources (list of str): the sentences before correction, tokens separated by spaces.
    predictions (list of str): the corrected sentences, one per source.
    references (list of list of str): the references of each sentence, one or more.
    ids (list of str or int, optional): an id of each sentence. Rows are sorted by id, and a repeated id counts
        once. So several processes give the same score as one.
    order (int, 4): longest n-gram (the official script's -n works differently).
    iterations (int, 500): how many times references are drawn.
    draws (str, "py2"): "py2" (the draws of the published numbers) or "py3".
    variant (str, "2017"): "2017" (official), "2016" (inverted brevity penalty), "equation1" or "multiset"
        (GLEU+, called GLEU in gec-metrics).
    tokens (str, "ascii"): split tokens at "ascii" (official) or "unicode" white space.
    resamples (int, 0): number of bootstrap resamples for a confidence interval; 0 computes none.
    per_sentence (bool, False): also return the smoothed score of each sentence.
    aligned (bool, False): skip the checks for shifted lines and for swapped or identical texts.
    tokenize (str, none): tokenize raw text: "auto" as in the corpus, or "treebank", "moses", "spacy", "13a" ...
    tokenized (bool, False): score text as it is, even if it is not tokenized like its sources.
Returns:
    gleu (float): the score, between 0 and 1.
    standard_deviation, draws_low, draws_high (float): how much the score of a single draw varies.
    brevity_penalty, hypothesis_length, reference_length, precision_1 ... (float): components of the score.
    interval_low, interval_high (float): 95% bootstrap interval, if resamples > 0.
    sentence_scores (list of float): the score of each sentence, if per_sentence.
    signature (str): how the score was computed.
Examples:
    >>> import gecbench
    >>> gleu = gecbench.load_metric("gleu")
    >>> result = gleu.compute(
    ...     sources=["She like cats very much ."],
    ...     predictions=["She likes cats very much ."],
    ...     references=[["She likes cats very much .", "She loves cats ."]],
    ... )
    >>> round(result["gleu"], 4)
    0.484
"""


@evaluate.utils.file_utils.add_start_docstrings(_DESCRIPTION, _KWARGS_DESCRIPTION)
class Gleu(gecbench.huggingface.evaluate_metric.ReferenceMetric):
    metric = gecbench.GLEU

    def _info(self):
        return evaluate.MetricInfo(
            description=_DESCRIPTION,
            citation=_CITATION,
            inputs_description=_KWARGS_DESCRIPTION,
            features=gecbench.huggingface.evaluate_metric.text_features(),
            codebase_urls=["https://github.com/gecbench/gecbench"],
            reference_urls=["https://aclanthology.org/Q16-1013", "https://aclanthology.org/P15-2097"],
        )
