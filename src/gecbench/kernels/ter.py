"""Edits of the translation edit rate (Snover et al. 2006): here sacrebleu's own, in C++ a search with equal results."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from gecbench.kernels.tokens import TokenArray


def ter_edits(hypotheses: TokenArray, references: TokenArray, threads: int = 1) -> npt.NDArray[np.int64]:
    """Return the number of insertions, deletions, substitutions and shifts from each hypothesis to its reference.

    `threads` is for the native kernel.
    """
    from sacrebleu.metrics.lib_ter import translation_edit_rate

    del threads
    pairs = zip(hypotheses.lists(), references.lists(), strict=True)
    edits = [0 if left == right else translation_edit_rate(left, right)[0] for left, right in pairs]  # type: ignore[arg-type]
    return np.array(edits, dtype=np.int64)
