"""A web page to try the I-measure.

Enter text or edits, and get the score and a diff of every sentence.
"""

import gecbench
from gecbench.huggingface.space import build_space


def build():
    """Return the page."""
    return build_space(
        gecbench.IMeasure,
        "Scores equal those of the official scorer (Felice & Briscoe 2015).",
        options=("mixing", "weight", "beta"),
    )


if __name__ == "__main__":
    build().launch()
