"""Beyond one process and beyond memory: counts of sentences as Arrow tables, made in parts and scored later.

`counts` is what `Dataset.map` and Spark call on each batch, `merge` puts the parts together, `scores` scores them;
`sentence_scores` and `features` add columns to each batch (docs/scale.md).
"""

from gecbench.scale.counting import Counts as Counts
from gecbench.scale.counting import counts as counts
from gecbench.scale.counting import tabulate as tabulate
from gecbench.scale.features import features as features
from gecbench.scale.features import sentence_scores as sentence_scores
from gecbench.scale.merging import compare as compare
from gecbench.scale.merging import merge as merge
from gecbench.scale.merging import read as read
from gecbench.scale.merging import scores as scores
