"""A page to try GREEN on: rows of source, prediction and references in, the result and its n-grams out."""

import gecbench

COLUMNS = ["source", "prediction", "reference 1", "reference 2", "reference 3", "reference 4"]
EXAMPLE = [
    [
        "She like cats very much .",
        "She likes cats very much .",
        "She likes cats very much .",
        "She is very fond of cats .",
    ],
    ["I am agree with you .", "I agree with you .", "I agree with you ."],
]


def score_rows(rows, beta=2.0, unit="word", variant="official"):
    """Return the result of `evaluate`'s compute, and the n-grams of every sentence as HTML.

    Empty reference cells are left out, wholly empty rows too.
    """
    filled = [[str(cell or "") for cell in row] for row in rows if any(row)]
    sources, predictions = [row[0] for row in filled], [row[1] for row in filled]
    references = [[cell for cell in row[2:] if cell.strip()] for row in filled]
    options = {"beta": beta, "unit": unit, "variant": variant}
    result = gecbench.load_metric("green").compute(
        sources=sources, predictions=predictions, references=references, per_sentence=True, **options
    )
    corpus = gecbench.Corpus(sources=sources, references=references)
    explained = gecbench.GREEN(**options).explain(corpus, predictions, range(len(corpus)))
    return result, "\n".join(explanation.to_html() for explanation in explained)


def build():
    """Return the page."""
    import gradio

    def answer(rows, beta, unit, variant):
        try:
            return score_rows(rows, beta, unit, variant)
        except gecbench.InputError as error:
            raise gradio.Error(str(error)) from error

    width = len(COLUMNS)
    return gradio.Interface(
        fn=answer,
        inputs=[
            gradio.Dataframe(
                headers=COLUMNS,
                column_count=width,
                type="array",
                value=[[*row, *[""] * (width - len(row))] for row in EXAMPLE],
                label="Tokens separated by blanks; leave unused references empty",
            ),
            gradio.Number(2.0, label="Beta"),
            gradio.Dropdown(["word", "char"], value="word", label="N-grams of"),
            gradio.Dropdown(["official", "gec-metrics"], value="official", label="Variant"),
        ],
        outputs=[gradio.JSON(label="Result"), gradio.HTML(label="N-grams")],
        title="GREEN for grammatical error correction",
        description="Equal to the official program (Koyama et al. 2024).",
        api_name="green",
    )


if __name__ == "__main__":
    build().launch()
