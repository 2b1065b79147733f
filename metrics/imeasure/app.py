"""A page to try the I-measure on: gold edits as M2 and corrected sentences in, the score and every alignment out."""

import gecbench
from gecbench.formats.m2 import parse_m2

GOLD = """\
S She like cats very much .
A 1 2|||SVA|||likes|||REQUIRED|||-NONE-|||0

S I am agree with you .
A 1 2|||Vform||||||REQUIRED|||-NONE-|||0
A 1 3|||Vform|||do agree|||REQUIRED|||-NONE-|||1
"""
PREDICTIONS = """\
She likes the cats very much .
I agree with you .
"""


def score_text(gold, predictions, mixing=True, weight=2.0, beta=0.5):
    """Return the result of `evaluate`'s compute, and every sentence's alignment as HTML."""
    lines = gold.strip("\n").split("\n")
    corpus = parse_m2(lines, "gold")
    outputs = predictions.removesuffix("\n").split("\n")
    options = {"mixing": mixing, "weight": weight, "beta": beta}
    result = gecbench.load_metric("imeasure").compute(
        sources=list(corpus.sources),
        predictions=outputs,
        references=[block for block in "\n".join(lines).split("\n\n") if block.strip()],
        per_sentence=True,
        **options,
    )
    explained = gecbench.IMeasure(**options).explain(corpus, outputs, range(len(corpus)))
    return result, "\n".join(explanation.to_html() for explanation in explained)


def build():
    """Return the page."""
    import gradio

    def answer(gold, predictions, mixing, weight, beta):
        try:
            return score_text(gold, predictions, mixing, weight, beta)
        except gecbench.InputError as error:
            raise gradio.Error(str(error)) from error

    return gradio.Interface(
        fn=answer,
        inputs=[
            gradio.Textbox(GOLD, lines=8, label="Gold edits (M2), blocks separated by empty lines"),
            gradio.Textbox(PREDICTIONS, lines=3, label="Corrected sentences, one per line"),
            gradio.Checkbox(True, label="Mix the annotators' corrections"),
            gradio.Number(2.0, label="Weight of corrections in WAcc"),
            gradio.Number(0.5, label="Beta of F"),
        ],
        outputs=[gradio.JSON(label="Result"), gradio.HTML(label="Alignments")],
        title="I-measure for grammatical error correction",
        description="Exact to the official scorer (Felice & Briscoe 2015), without listing the mixed references.",
        api_name="imeasure",
    )


if __name__ == "__main__":
    build().launch()
