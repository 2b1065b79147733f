"""GREEN for grammatical error correction, as a module for `evaluate`."""

import evaluate

import gecbench
import gecbench.huggingface.evaluate_metric

_DESCRIPTION = """\
GREEN for grammatical error correction (Koyama et al., 2024): precision, recall and F of the n-grams that a system
kept, deleted and inserted as the reference did. With several references, each sentence uses the best one. Scores
equal those of the official program. GREEN also works on characters, for languages that do not separate words by blanks.
"""

_CITATION = """\
@inproceedings{koyama-etal-2024-n-gram,
  title = {n-gram {F}-score for Evaluating Grammatical Error Correction},
  author = {Koyama, Shota and Nagata, Ryo and Takamura, Hiroya and Okazaki, Naoaki},
  booktitle = {Proceedings of the 17th International Natural Language Generation Conference},
  year = {2024},
}
"""

_KWARGS_DESCRIPTION = """
Args:
    sources (list of str): the sentences before correction, tokens separated by spaces.
    predictions (list of str): the corrected sentences, one per source.
    references (list of list of str): the references of each sentence, one or more.
    ids (list of str or int, optional): an id of each sentence. Rows are sorted by id, and a repeated id counts
        once. So several processes give the same score as one.
    order (int, 4): longest n-gram.
    beta (float, 2.0): weight of recall; 2 weights it twice as much as precision.
    unit (str, "word"): "word" n-grams, or "char" n-grams including spaces.
    variant (str, "official"): "official", or "gec-metrics", which differs on short sentences.
    resamples (int, 0): number of bootstrap resamples for a confidence interval; 0 computes none.
    per_sentence (bool, False): also return the score of each sentence.
    aligned (bool, False): skip the checks for shifted lines and for swapped or identical texts.
    tokenize (str, none): tokenize raw text: "auto" as in the corpus, or "treebank", "moses", "spacy", "13a" ...
    tokenized (bool, False): score text as it is, even if it is not tokenized like its sources.
Returns:
    green (float): F-beta, between 0 and 1.
    precision, recall (float): geometric means over the orders (lengths of n-grams).
    precision_1, recall_1 ... (float): the values of each order.
    tp, fp, fn (int): n-grams of all orders that are right, wrong and missed.
    interval_low, interval_high (float): 95% bootstrap interval, if resamples > 0.
    sentence_scores (list of float): the score of each sentence, if per_sentence.
    signature (str): how the score was computed.
Examples:
    >>> import gecbench
    >>> green = gecbench.load_metric("green")
    >>> result = green.compute(
    ...     sources=["She like cats very much ."],
    ...     predictions=["She likes cats very much ."],
    ...     references=[["She loves cats very much ."]],
    ... )
    >>> round(result["green"], 4)
    0.7035
"""


@evaluate.utils.file_utils.add_start_docstrings(_DESCRIPTION, _KWARGS_DESCRIPTION)
class Green(gecbench.huggingface.evaluate_metric.ReferenceMetric):
    metric = gecbench.GREEN

    def _info(self):
        return evaluate.MetricInfo(
            description=_DESCRIPTION,
            citation=_CITATION,
            inputs_description=_KWARGS_DESCRIPTION,
            features=gecbench.huggingface.evaluate_metric.text_features(),
            codebase_urls=["https://github.com/gecbench/gecbench"],
            reference_urls=["https://aclanthology.org/2024.inlg-main.25"],
        )
