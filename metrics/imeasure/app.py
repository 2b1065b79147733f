"""A page to try the I-measure on: text or edits in, the score and a diff of every sentence out."""

import gecbench
from gecbench.huggingface.space import build_space


def build():
    """Return the page."""
    return build_space(
        gecbench.IMeasure,
        "Exact to the official scorer (Felice & Briscoe 2015), without listing the mixed references.",
        options=("mixing", "weight", "beta"),
    )


if __name__ == "__main__":
    build().launch()
