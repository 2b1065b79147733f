"""MaxMatch, the kernel of M2 (Dahlmeier & Ng 2012), with the official scorer's counts (docs/m2.md, B.3-B.8)."""

from gecbench.kernels.maxmatch.edits import GoldArrays, Options

__all__ = ["GoldArrays", "Options"]
