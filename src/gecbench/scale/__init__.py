"""Score corpora that are larger than memory or use many processes.

Batches are counted first, and the counts are scored later. `counts` returns a function for `Dataset.map` and Spark that
counts each batch. `merge` joins the tables of counts, and `scores` scores them. `sentence_scores` and `features` add
columns to each batch (docs/scale.md).

>>> from gecbench import scale
>>> rows = {"source": ["He go home ."], "prediction": ["He goes home ."], "references": [["He goes home ."]]}
>>> scale.scores(scale.counts("gleu")(rows, [0]))["gleu"].value
1.0
"""

from gecbench.scale.counting import Counts, counts, tabulate
from gecbench.scale.features import features, sentence_scores
from gecbench.scale.merging import compare, merge, read, scores

__all__ = ["Counts", "compare", "counts", "features", "merge", "read", "scores", "sentence_scores", "tabulate"]
