"""A web page to try M2.

Enter text or edits, and get the score and a diff of every sentence.
"""

import gecbench
from gecbench.huggingface.space import build_space


def build():
    """Return the page."""
    return build_space(
        gecbench.M2,
        "Scores equal those of the official MaxMatch scorer (Dahlmeier & Ng 2012).",
        options=("beta", "policy"),
    )


if __name__ == "__main__":
    build().launch()
