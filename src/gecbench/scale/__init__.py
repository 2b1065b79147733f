"""Corpora larger than memory or one process: counts as Arrow tables, made in parts and scored later.

`counts` is what `Dataset.map` and Spark call on each batch, `merge` puts the parts together, `scores` scores them;
`sentence_scores` and `features` add columns to each batch (docs/scale.md).
"""

from gecbench.scale.counting import Counts, counts, tabulate
from gecbench.scale.features import features, sentence_scores
from gecbench.scale.merging import compare, merge, read, scores

__all__ = ["Counts", "compare", "counts", "features", "merge", "read", "scores", "sentence_scores", "tabulate"]
