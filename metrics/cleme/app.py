"""A web page to try CLEME.

Enter text or edits, and get the score and a diff of every sentence.
"""

import gecbench
from gecbench.huggingface.space import build_space


def build():
    """Return the page."""
    return build_space(
        gecbench.CLEME,
        "Scores equal those of the official program (Ye et al. 2023, 2025).",
        options=("version", "assumption", "weights"),
    )


if __name__ == "__main__":
    build().launch()
