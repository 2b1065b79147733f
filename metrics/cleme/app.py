"""A page to try CLEME on: gold edits and a system's edits as M2 in, the score and every chunk out."""

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
A 1 3|||R:OTHER|||likes cats|||REQUIRED|||-NONE-|||0
A 5 6|||R:PUNCT|||!|||REQUIRED|||-NONE-|||0

S I am agree with you .
A -1 -1|||noop|||-NONE-|||REQUIRED|||-NONE-|||0
"""


def score_text(gold, system, version=1, assumption="dependent", weights="length"):
    """Return the result of `evaluate`'s compute, and every sentence's chunks as HTML."""
    corpus = parse_m2(gold.strip("\n").split("\n"), "gold")
    edits = edited_texts(parse_m2(system.strip("\n").split("\n"), "system"), corpus, "system")
    options = {"version": version, "assumption": assumption, "weights": weights}
    result = gecbench.load_metric("cleme").compute(
        sources=list(corpus.sources), predictions=_blocks(system), references=_blocks(gold), **options
    )
    explained = gecbench.CLEME(**options).explain(corpus, edits, range(len(corpus)))
    return result, "\n".join(explanation.to_html() for explanation in explained)


def _blocks(text):
    return [block for block in text.strip("\n").split("\n\n") if block.strip()]


def build():
    """Return the page."""
    import gradio

    def answer(gold, system, version, assumption, weights):
        try:
            return score_text(gold, system, version, assumption, weights)
        except gecbench.InputError as error:
            raise gradio.Error(str(error)) from error

    return gradio.Interface(
        fn=answer,
        inputs=[
            gradio.Textbox(GOLD, lines=8, label="Gold edits (M2), blocks separated by empty lines"),
            gradio.Textbox(SYSTEM, lines=8, label="The system's edits (M2) of the same sentences"),
            gradio.Dropdown([1, 2], value=1, label="Version"),
            gradio.Dropdown(["dependent", "independent"], value="dependent", label="References"),
            gradio.Dropdown(["length", "none"], value="length", label="Weights"),
        ],
        outputs=[gradio.JSON(label="Result"), gradio.HTML(label="Chunks")],
        title="CLEME for grammatical error correction",
        description="Chunks compared as the official program does (Ye et al. 2023, 2025).",
        api_name="cleme",
    )


if __name__ == "__main__":
    build().launch()
