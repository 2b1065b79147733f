"""The I-measure's kernel: count references, and choose among them, listed or mixed (Felice & Briscoe 2015)."""

from gecbench.kernels.imeasure.corpus import align, choose_listed, choose_mixed, count_references
from gecbench.kernels.imeasure.groups import GroupArrays
from gecbench.kernels.imeasure.keys import Objective
from gecbench.kernels.imeasure.mixing import Limits

__all__ = ["GroupArrays", "Limits", "Objective", "align", "choose_listed", "choose_mixed", "count_references"]
