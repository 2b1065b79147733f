"""A page to try ERRANT on: text or edits in, the score and a diff of every sentence out."""

import gecbench
from gecbench.huggingface.space import build_space


def build():
    """Return the page."""
    return build_space(
        gecbench.ERRANT,
        "Edits compared exactly as errant_compare does (Bryant et al. 2017).",
        options=("beta", "mode"),
    )


if __name__ == "__main__":
    build().launch()
