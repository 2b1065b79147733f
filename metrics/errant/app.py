"""A web page to try ERRANT.

Enter text or edits, and get the score and a diff of every sentence.
"""

import gecbench
from gecbench.huggingface.space import build_space


def build():
    """Return the page."""
    return build_space(
        gecbench.ERRANT,
        "Scores equal those of errant_compare (Bryant et al. 2017).",
        options=("beta", "mode"),
    )


if __name__ == "__main__":
    build().launch()
