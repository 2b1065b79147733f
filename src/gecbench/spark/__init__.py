"""Spark frames counted, scored and filtered by the functions that `Dataset.map` calls (docs/scale.md).

Needs pyspark 4 with its Java (`pip install "gecbench[spark]"`), and gecbench on every worker.
"""

from gecbench.spark.frames import counts as counts
from gecbench.spark.frames import features as features
from gecbench.spark.frames import score as score
from gecbench.spark.frames import sentence_scores as sentence_scores
from gecbench.spark.frames import with_index as with_index
