"""A web page to try GLEU.

Enter text, and get the score and a diff of every sentence.
"""

import gecbench
from gecbench.huggingface.space import build_space


def build():
    """Return the page."""
    return build_space(
        gecbench.GLEU,
        "Scores equal those of the official script (Napoles et al. 2015, Sakaguchi et al. 2016).",
        options=("variant", "draws"),
    )


if __name__ == "__main__":
    build().launch()
