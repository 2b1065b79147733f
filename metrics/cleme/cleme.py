"""CLEME for grammatical error correction, as a module for `evaluate`."""

import evaluate

import gecbench
import gecbench.huggingface.evaluate_metric

_DESCRIPTION = """\
CLEME for grammatical error correction (Ye et al., 2023): F0.5 of chunks. A sentence is split into chunks so that no
edit of the system or of a reference is cut. CLEME 2.0 (Ye et al., 2025) distinguishes wrong corrections of real errors
from unnecessary changes and reports the rates of hits, wrong corrections, under-correction and over-correction. Scores
equal those of the official program, with and without length weights. The installed errant extracts edits from texts.
"""

_CITATION = """\
@inproceedings{ye-etal-2023-cleme,
  title = {{CLEME}: Debiasing Multi-reference Evaluation for Grammatical Error Correction},
  author = {Ye, Jingheng and Li, Yinghui and Zhou, Qingyu and Li, Yangning and Ma, Shirong and Zheng, Hai-Tao and
    Shen, Ying},
  booktitle = {Proceedings of EMNLP 2023},
  year = {2023},
}
@inproceedings{ye-etal-2025-cleme2,
  title = {{CLEME}2.0: Towards Interpretable Evaluation by Disentangling Edits for Grammatical Error Correction},
  author = {Ye, Jingheng and Xu, Zishan and Li, Yinghui and Song, Linlin and Zhou, Qingyu and Zheng, Hai-Tao and
    Shen, Ying and Jiang, Wenhao and Kim, Hong-Gee and Liu, Ruitong and Su, Xin and Shan, Zifei},
  booktitle = {Proceedings of ACL 2025},
  year = {2025},
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
    version (int, 1): 1 for F0.5, 2 for the comprehensive score of CLEME 2.0.
    assumption (str, "dependent"): "dependent" (one reference at a time) or "independent" (all references at
        once).
    weights (str, "length"): weight chunks by "length", or "none".
    model (str, "en_core_web_sm"): for plain text: the spaCy pipeline (an installed package or a folder).
    resamples (int, 0): number of bootstrap resamples for a confidence interval; 0 computes none.
    per_sentence (bool, False): also return the score of each sentence.
    aligned (bool, False): skip the checks for shifted lines and for swapped or identical texts.
    tokenize (str, none): tokenize raw text: "auto" as in the corpus, or "treebank", "moses", "spacy", "13a" ...
    tokenized (bool, False): score text as it is, even if it is not tokenized like its sources.
Returns:
    cleme (float): F0.5 or the comprehensive score, between 0 and 1.
    precision, recall, accuracy (float): computed from the chunks.
    hit, err, und, ove (float): rates of hits, wrong corrections, under-correction and over-correction.
    tp, fp, fn, tn, fp_ne, fp_un: chunks of each kind (int), or the sums of their weights (float).
    interval_low, interval_high (float): 95% bootstrap interval, if resamples > 0.
    sentence_scores (list of float): the score of each sentence, if per_sentence.
    signature (str): how the score was computed, with the versions of errant, spaCy and the model if they were used.
Examples:
    >>> import gecbench
    >>> cleme = gecbench.load_metric("cleme")
    >>> gold = "S She like cat .\\nA 1 2|||R:VERB:SVA|||likes|||REQUIRED|||-NONE-|||0"
    >>> ours = "S She like cat .\\nA 1 2|||R:VERB|||likes|||REQUIRED|||-NONE-|||0"
    >>> cleme.compute(sources=["She like cat ."], predictions=[ours], references=[gold])["cleme"]
    1.0
"""


@evaluate.utils.file_utils.add_start_docstrings(_DESCRIPTION, _KWARGS_DESCRIPTION)
class Cleme(gecbench.huggingface.evaluate_metric.EditToEditMetric):
    metric = gecbench.CLEME

    def _info(self):
        return evaluate.MetricInfo(
            description=_DESCRIPTION,
            citation=_CITATION,
            inputs_description=_KWARGS_DESCRIPTION,
            features=gecbench.huggingface.evaluate_metric.text_or_m2_features(),
            codebase_urls=["https://github.com/gecbench/gecbench"],
            reference_urls=[
                "https://aclanthology.org/2023.emnlp-main.378",
                "https://aclanthology.org/2025.acl-long.10",
            ],
        )
