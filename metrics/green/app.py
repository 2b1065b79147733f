"""A web page to try GREEN.

Enter text, and get the score and a diff of every sentence.
"""

import gecbench
from gecbench.huggingface.space import build_space


def build():
    """Return the page."""
    return build_space(
        gecbench.GREEN,
        "Scores equal those of the official program (Koyama et al. 2024).",
        options=("beta", "unit", "variant"),
    )


if __name__ == "__main__":
    build().launch()
