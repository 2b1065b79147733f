"""A page to try ERRANT on: gold edits and a system's edits as M2 in, the score and every match out."""

import gecbench
from gecbench.formats.m2 import parse_m2
from gecbench.formats.tables import edited_texts

GOLD = """\
S She like cat very much .
A 1 2|||R:VERB:SVA|||likes|||REQUIRED|||-NONE-|||0
A 2 3|||R:NOUN:NUM|||cats|||REQUIRED|||-NONE-|||0

S I am agree with you .
A 1 2|||U:VERB||||||REQUIRED|||-NONE-|||0
"""
SYSTEM = """\
S She like cat very much .
A 1 2|||R:VERB:SVA|||likes|||REQUIRED|||-NONE-|||0
A 2 2|||M:DET|||the|||REQUIRED|||-NONE-|||0

S I am agree with you .
A 1 2|||U:VERB||||||REQUIRED|||-NONE-|||0
"""


def score_text(gold, system, beta=0.5, mode="cs"):
    """Return the result of `evaluate`'s compute, and every sentence's edits and matches as HTML."""
    corpus = parse_m2(gold.strip("\n").split("\n"), "gold")
    edits = edited_texts(parse_m2(system.strip("\n").split("\n"), "system"), corpus, "system")
    result = gecbench.load_metric("errant").compute(
        sources=list(corpus.sources), predictions=_blocks(system), references=_blocks(gold), beta=beta, mode=mode
    )
    explained = gecbench.ERRANT(beta=beta, mode=mode).explain(corpus, edits, range(len(corpus)))
    return result, "\n".join(explanation.to_html() for explanation in explained)


def _blocks(text):
    return [block for block in text.strip("\n").split("\n\n") if block.strip()]


def build():
    """Return the page."""
    import gradio

    def answer(gold, system, beta, mode):
        try:
            return score_text(gold, system, beta, mode)
        except gecbench.InputError as error:
            raise gradio.Error(str(error)) from error

    return gradio.Interface(
        fn=answer,
        inputs=[
            gradio.Textbox(GOLD, lines=8, label="Gold edits (M2), blocks separated by empty lines"),
            gradio.Textbox(SYSTEM, lines=8, label="The system's edits (M2) of the same sentences"),
            gradio.Number(0.5, label="Beta"),
            gradio.Dropdown(["cs", "cse", "ds", "dt"], value="cs", label="What is compared"),
        ],
        outputs=[gradio.JSON(label="Result"), gradio.HTML(label="Edits and matches")],
        title="ERRANT for grammatical error correction",
        description="Edits compared exactly as errant_compare does (Bryant et al. 2017).",
        api_name="errant",
    )


if __name__ == "__main__":
    build().launch()
