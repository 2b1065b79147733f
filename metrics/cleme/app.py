"""A page to try CLEME on: text or edits in, the score and a diff of every sentence out."""

import gecbench
from gecbench.huggingface.space import build_space


def build():
    """Return the page."""
    return build_space(
        gecbench.CLEME,
        "Chunks compared as the official program does (Ye et al. 2023, 2025).",
        options=("version", "assumption", "weights"),
    )


if __name__ == "__main__":
    build().launch()
