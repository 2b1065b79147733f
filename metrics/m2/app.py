"""A page to try M2 on: gold edits as M2 and corrected sentences in, the score and every match out."""

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


def score_text(gold, predictions, beta=0.5, policy="greedy-cumulative"):
    """Return the result of `evaluate`'s compute, and every sentence's edits and matches as HTML."""
    lines = gold.strip("\n").split("\n")
    corpus = parse_m2(lines, "gold")
    outputs = predictions.removesuffix("\n").split("\n")
    result = gecbench.load_metric("m2").compute(
        sources=list(corpus.sources),
        predictions=outputs,
        references=[block for block in "\n".join(lines).split("\n\n") if block.strip()],
        beta=beta,
        policy=policy,
        per_sentence=True,
    )
    explained = gecbench.M2(beta=beta, policy=policy).explain(corpus, outputs, range(len(corpus)))
    return result, "\n".join(explanation.to_html() for explanation in explained)


def build():
    """Return the page."""
    import gradio

    def answer(gold, predictions, beta, policy):
        try:
            return score_text(gold, predictions, beta, policy)
        except gecbench.InputError as error:
            raise gradio.Error(str(error)) from error

    policies = ["greedy-cumulative", "best-per-sentence", "average"]
    return gradio.Interface(
        fn=answer,
        inputs=[
            gradio.Textbox(GOLD, lines=8, label="Gold edits (M2), blocks separated by empty lines"),
            gradio.Textbox(PREDICTIONS, lines=3, label="Corrected sentences, one per line"),
            gradio.Number(0.5, label="Beta"),
            gradio.Dropdown(policies, value=policies[0], label="Choice of annotator"),
        ],
        outputs=[gradio.JSON(label="Result"), gradio.HTML(label="Edits and matches")],
        title="M2 (MaxMatch) for grammatical error correction",
        description="Exact to the official scorer (Dahlmeier & Ng 2012).",
        api_name="m2",
    )


if __name__ == "__main__":
    build().launch()
