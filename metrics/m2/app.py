"""A page to try M2 on: text or edits in, the score and a diff of every sentence out."""

import gecbench
from gecbench.huggingface.space import build_space


def build():
    """Return the page."""
    return build_space(
        gecbench.M2,
        "Exact to the official MaxMatch scorer (Dahlmeier & Ng 2012).",
        options=("beta", "policy"),
    )


if __name__ == "__main__":
    build().launch()
