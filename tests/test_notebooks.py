"""The notebooks run from top to bottom on the demo, and show what they show in the repository."""

import base64
import re
from pathlib import Path

import pytest
from documents import ROOT

nbformat = pytest.importorskip("nbformat")
nbclient = pytest.importorskip("nbclient")
pytest.importorskip("ipykernel")
pytest.importorskip("matplotlib")
pytest.importorskip("pandas")

NOTEBOOKS = sorted(ROOT.glob("examples/*.ipynb"))
PICTURE = "image/png"


def shown(notebook):
    """Return every cell's outputs as text, without versions; of a picture only that it is one."""
    cells = []
    for cell in notebook.cells:
        for output in cell.get("outputs", ()):
            data = output.get("data", {"text/plain": output.get("text", "")})
            if PICTURE in data:
                assert base64.b64decode(data[PICTURE]).startswith(b"\x89PNG")
                cells.append("a picture")
            else:
                text = data.get("text/html", data.get("text/plain", ""))
                cells.append(re.sub(r"version:[\w.]+", "version:*", text))
    return cells


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.name)
def test_notebook_shows_what_happens(path: Path, tmp_path):
    written = nbformat.read(path, as_version=4)
    run = nbclient.NotebookClient(nbformat.read(path, as_version=4), resources={"metadata": {"path": str(tmp_path)}})
    assert shown(run.execute()) == shown(written)
    assert "a picture" in shown(written)


def test_alignments_are_in_color():
    (path,) = (path for path in NOTEBOOKS if path.name == "scores.ipynb")
    text = "".join(shown(nbformat.read(path, as_version=4)))
    for color in ("#1a7f37", "#9a6700", "#cf222e"):
        assert f'style="color: {color}"' in text
