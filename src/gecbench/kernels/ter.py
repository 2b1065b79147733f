"""Translation edit rate (Snover et al. 2006): sacrebleu's search for shifts, of which ter.cpp is the native twin."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from gecbench.kernels.tokens import TokenArray


def ter_edits(hypotheses: TokenArray, references: TokenArray, threads: int = 1) -> npt.NDArray[np.int64]:
    """Return how many insertions, deletions, substitutions and shifts turn each hypothesis into its reference.

    `threads` is for the native twin.
    """
    from sacrebleu.metrics.lib_ter import translation_edit_rate

    del threads
    pairs = zip(hypotheses.lists(), references.lists(), strict=True)
    edits = [0 if left == right else translation_edit_rate(left, right)[0] for left, right in pairs]  # type: ignore[arg-type]
    return np.array(edits, dtype=np.int64)
