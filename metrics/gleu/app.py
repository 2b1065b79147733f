"""A page to try GLEU on: rows of source, prediction and references in, the result out."""

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


def score_rows(rows, draws="py2", variant="2017"):
    """Return the result of `evaluate`'s compute; empty reference cells are left out, wholly empty rows too."""
    filled = [[str(cell or "") for cell in row] for row in rows if any(row)]
    return gecbench.load_metric("gleu").compute(
        sources=[row[0] for row in filled],
        predictions=[row[1] for row in filled],
        references=[[cell for cell in row[2:] if cell.strip()] for row in filled],
        draws=draws,
        variant=variant,
        per_sentence=True,
    )


def build():
    """Return the page."""
    import gradio

    def answer(rows, draws, variant):
        try:
            return score_rows(rows, draws, variant)
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
            gradio.Dropdown(["py2", "py3"], value="py2", label="Reference draws"),
            gradio.Dropdown(["2017", "2016", "equation1", "multiset"], value="2017", label="Variant"),
        ],
        outputs=gradio.JSON(label="Result"),
        title="GLEU for grammatical error correction",
        description="Exact to the official script (Napoles et al. 2015, Sakaguchi et al. 2016).",
        api_name="gleu",
    )


if __name__ == "__main__":
    build().launch()
