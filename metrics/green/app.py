"""A page to try GREEN on: text or edits in, the score and a diff of every sentence out."""

import gecbench
from gecbench.huggingface.space import build_space


def build():
    """Return the page."""
    return build_space(
        gecbench.GREEN,
        "Equal to the official program (Koyama et al. 2024).",
        options=("beta", "unit", "variant"),
    )


if __name__ == "__main__":
    build().launch()
