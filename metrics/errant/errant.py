"""ERRANT for grammatical error correction, as a module for `evaluate`."""

import evaluate

import gecbench
import gecbench.huggingface.evaluate_metric

_DESCRIPTION = """\
ERRANT for grammatical error correction (Bryant, Felice and Briscoe, 2017): F0.5 of edits with error types. Edits of
the system are compared with gold edits by span and correction. With several annotators, each sentence uses the
annotator who gives the best score over all sentences so far. Scores equal those of errant_compare (errant 3.0.2). The
installed errant extracts edits from texts.
"""

_CITATION = """\
@inproceedings{bryant-etal-2017-automatic,
  title = {Automatic Annotation and Evaluation of Error Types for Grammatical Error Correction},
  author = {Bryant, Christopher and Felice, Mariano and Briscoe, Ted},
  booktitle = {Proceedings of ACL 2017},
  pages = {793--805},
  year = {2017},
}
"""

_KWARGS_DESCRIPTION = """
Args:
    sources (list of str): the sentences before correction, tokens separated by spaces.
    predictions (list of str): the system's edits of each sentence as a block of M2 ("S ...", then "A ..."
        lines); or the corrected sentences, which the installed errant annotates.
    references (list of str, or list of list of str): the gold edits of each sentence as a block of M2; or
        rewrites of each sentence, which the installed errant annotates.
    ids (list of str or int, optional): an id of each sentence. Rows are sorted by id, and a repeated id counts
        once. So several processes give the same score as one.
    beta (float, 0.5): weight of recall; 0.5 weights precision twice as much.
    mode (str, "cs"): parts that must match: "cs" span and correction, "cse" also the type, "ds" only the span,
        "dt" each token of the span.
    single (bool, False): compare only edits with at most one token in source and in correction.
    multi (bool, False): compare only edits with two or more tokens in source or correction.
    filter (str, "none"): error types to leave out, such as "R:SPELL+M:PUNCT".
    duplicates (str, "official"): gold edits that `mode` cannot tell apart: "official" counts each of them,
        "once" counts them as one.
    policy (str, "greedy-rounded"): "greedy-rounded" (official), "greedy-cumulative" or "best-per-sentence".
    reannotate (bool, False): extract and classify the gold edits again with errant.
    lev (bool, False): for plain text: align with plain Levenshtein distance.
    merge (str, "rules"): for plain text: how adjacent changes are merged: "rules", "all-split", "all-merge" or
        "all-equal".
    tok (bool, False): for plain text: tokenize with spaCy.
    model (str, "en_core_web_sm"): for plain text: the spaCy pipeline (an installed package or a folder).
    resamples (int, 0): number of bootstrap resamples for a confidence interval; 0 computes none.
    per_sentence (bool, False): also return the score of each sentence.
    aligned (bool, False): skip the checks for shifted lines and for swapped or identical texts.
    tokenize (str, none): tokenize raw text: "auto" as in the corpus, or "treebank", "moses", "spacy", "13a" ...
    tokenized (bool, False): score text as it is, even if it is not tokenized like its sources.
Returns:
    errant (float): F-beta, between 0 and 1.
    precision, recall (float), tp, fp, fn (int): its components.
    interval_low, interval_high (float): 95% bootstrap interval, if resamples > 0.
    sentence_scores (list of float): the score of each sentence, if per_sentence.
    signature (str): how the score was computed, with the versions of errant, spaCy and the model if they were used.
Examples:
    >>> import gecbench
    >>> errant = gecbench.load_metric("errant")
    >>> gold = "S She like cat .\\nA 1 2|||R:VERB:SVA|||likes|||REQUIRED|||-NONE-|||0"
    >>> ours = "S She like cat .\\nA 1 2|||R:VERB|||likes|||REQUIRED|||-NONE-|||0"
    >>> errant.compute(sources=["She like cat ."], predictions=[ours], references=[gold])["errant"]
    1.0
"""


@evaluate.utils.file_utils.add_start_docstrings(_DESCRIPTION, _KWARGS_DESCRIPTION)
class ERRANT(gecbench.huggingface.evaluate_metric.EditToEditMetric):
    metric = gecbench.ERRANT

    def _info(self):
        return evaluate.MetricInfo(
            description=_DESCRIPTION,
            citation=_CITATION,
            inputs_description=_KWARGS_DESCRIPTION,
            features=gecbench.huggingface.evaluate_metric.text_or_m2_features(),
            codebase_urls=["https://github.com/gecbench/gecbench"],
            reference_urls=["https://aclanthology.org/P17-1074"],
        )
