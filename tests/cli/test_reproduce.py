import pytest
from mirror_files import needs_mirror
from paper_tables import needs_native

from gecbench import InputError
from gecbench.cli.reproduce import draw_figures
from gecbench.papers import reproduce
from gecbench.papers.document import MOVED, Figure, Reproduction, ranks_side_by_side


def test_unknown_paper(refused):
    with pytest.raises(InputError, match="unknown paper 'smith1999'"):
        reproduce("smith1999")
    refused(["reproduce", "smith1999"], "Choose one of bryant2015, felice2015, sakaguchi2016, jfleg2017, seeda")


@needs_native
@needs_mirror
def test_figures_are_drawn(tmp_path, run):
    pytest.importorskip("matplotlib")
    printed = run("reproduce", "jfleg2017", "--runs", "5", "--figures", tmp_path / "f", "-f", "tsv")
    (picture,) = (tmp_path / "f").iterdir()
    assert picture.read_bytes().startswith(b"\x89PNG")
    assert "# Table 5" in printed


def test_a_figure_carries_its_caption_and_note(tmp_path):
    pytest.importorskip("matplotlib")
    columns = {"one": ["A", "B"], "two": ["B", "A"]}
    figure = Figure(
        "ranks", "Two rankings", lambda picture: ranks_side_by_side(picture, columns), f"{MOVED} Missing: C."
    )
    draw_figures([Reproduction("paper", "A paper", (), (figure,))], tmp_path, "svg")
    text = (tmp_path / "paper-ranks.svg").read_text(encoding="utf-8")
    assert text.startswith("<?xml")
    for words in ("Two rankings", "Orange lines: systems whose rank", "Missing: C."):
        assert words in text  # matplotlib writes the words of each text as a comment
