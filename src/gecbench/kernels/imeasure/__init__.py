"""The I-measure's kernel: count references, and choose among them, listed or mixed (Felice & Briscoe 2015)."""

from gecbench.kernels.imeasure.groups import GroupArrays, Limits
from gecbench.kernels.imeasure.keys import Objective

__all__ = ["GroupArrays", "Limits", "Objective"]
