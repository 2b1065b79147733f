"""The forms of the metric Spaces: what they score and show."""

import re
import runpy

import pytest
from documents import ROOT

import gecbench
from gecbench.errors import InputError, MissingDependencyError
from gecbench.huggingface import space

APPS = sorted(ROOT.glob("metrics/*/app.py"))
GOLD = """\
S She like cats very much .
A 1 2|||SVA|||likes|||REQUIRED|||-NONE-|||0

S I am agree with you .
A 1 2|||Vform||||||REQUIRED|||-NONE-|||0
A 1 3|||Vform|||do agree|||REQUIRED|||-NONE-|||1
"""
OUTPUTS = "She likes the cats very much .\nI agree with you .\n"


def value(shown):
    """Return the number in large type."""
    return float(re.search(r"<p class='value'>[^<]* (-?[\d.]+)</p>", shown)[1])


def rows(shown):
    """Return the rows of the table by label."""
    return dict(re.findall(r"<tr><th scope='row'>([^<]*)</th><td class='number'>([^<]*)</td></tr>", shown))


@pytest.mark.parametrize(
    ("message", "shown"),
    [
        ("reference 0 is identical to the sources. If this is intended, pass aligned=True to skip this check.",
         "reference 1 is identical to the sources."),
        ("Give one line per source, in order, or pass aligned=True to skip this check.",
         "Give one line per source, in order."),
        ("The predictions are scored as they are; pass aligned=True to skip this check.",
         "The predictions are scored as they are."),
        ("Remove the extra text with gecbench.clean(lines, sources).", "Remove the extra text."),
    ],
)  # fmt: skip
def test_messages_name_no_parameters(message, shown):
    assert space._form_words(message) == shown


class TestEdits:
    def test_m2(self):
        """like → likes and the deletion of am are right, the insertion of the is wrong: P 2/3, R 2/2."""
        shown = space.score_edits(gecbench.M2(beta=1), GOLD, OUTPUTS)
        assert value(shown) == 80.0
        found = {"Precision": "66.67", "Recall": "100.00"}
        assert rows(shown) == found | {"Correct edits": "2", "Proposed edits": "3", "Gold edits": "2"}
        assert "She <del>like</del> <ins>likes the</ins> cats very much ." in shown
        assert "like → likes [1,2) <small>SVA: subject-verb agreement</small>" in shown
        assert "+ made by the system, and in the gold<br>" in shown

    def test_imeasure(self):
        """TP 1 TN 5 FP 1, and TP 1 TN 5: 2·2 + 10 of 2·(2 + 1) + 10, against 10 of 12 tokens."""
        shown = space.score_edits(gecbench.IMeasure(), GOLD, OUTPUTS)
        assert value(shown) == pytest.approx(100 * (14 / 16 - 10 / 12) / (2 / 12), abs=0.005)

    def test_errant_takes_edits(self):
        system = GOLD.partition("\n\n")[0] + "\nA 2 2|||M:DET|||the|||REQUIRED|||-NONE-|||0\n\nS I am agree with you ."
        shown = space.score_edits(gecbench.ERRANT(), GOLD, system)
        assert [rows(shown)[name] for name in rows(shown) if "(" in name] == ["1", "1", "1"]

    def test_raw_text_is_split_as_the_gold(self):
        raw = "She likes the cats very much.\nI agree with you."
        assert value(space.score_edits(gecbench.M2(beta=1), GOLD, raw)) == 80.0

    def test_a_convention_is_not_a_percentage(self):
        shown = space.score_edits(gecbench.M2(), GOLD, "She like cats very much .\nI am agree with you .")
        assert rows(shown)["Precision"] == "– (nothing to divide by)"

    def test_wrong_numbers(self):
        with pytest.raises(InputError, match=r"1 .* for 2 sources"):
            space.score_edits(gecbench.M2(), GOLD, "She likes cats very much .")


class TestText:
    SOURCES = ("I am agree, too.", "She like cats.")
    OUTPUTS = ("I agree, too.", "She likes cats.")
    REFERENCES = (("I agree, too.", "So do I."), ("She likes cats.", "She loves cats."))

    @staticmethod
    def tokens(texts):
        return [re.sub(r"([,.])", r" \1", text) for text in texts]

    @pytest.mark.parametrize("metric", [gecbench.GLEU(), gecbench.GREEN(), gecbench.M2(), gecbench.IMeasure()])
    @pytest.mark.parametrize("raw", [True, False])
    def test_raw_and_tokenized_text_score_alike(self, metric, raw):
        references = [self.tokens(each) for each in self.REFERENCES]
        expected = metric.score(
            sources=self.tokens(self.SOURCES), predictions=self.tokens(self.OUTPUTS), references=references
        )
        columns = list(zip(*self.REFERENCES, strict=True))
        texts = [self.SOURCES, self.OUTPUTS, *columns]
        source, output, *others = ["\n".join(each if raw else self.tokens(each)) for each in texts]
        shown = space.score_text(metric, source, output, [*others, "", ""])
        assert value(shown) == round(100 * expected.value, 2)
        assert shown.count("<section>") == 2

    def test_gleu_shows_no_bounds_above_one(self):
        """A normal interval of few draws exceeds 1, as in the official script; it is no part of the table."""
        shown = space.score_text(gecbench.GLEU(), "She like cats.", "She likes cats.", ["She likes cats."])
        assert all(float(cell) <= 100 for cell in rows(shown).values())
        assert "draws_high" not in shown

    def test_empty_lines_are_no_references(self):
        shown = space.score_text(gecbench.GLEU(), "a b c.\nd e f.", "a b c.\nd e f.", ["a x c.\nd y f.", "\nd z f."])
        assert "|refs:1-2|" in shown

    @pytest.mark.parametrize(
        ("output", "references", "message"),
        [
            ("a", ["a\nb"], "Corrected sentences: 1 line, but 2 source sentences. Write one line"),
            ("a\nb", ["a\nb", "a"], "Reference 2: 1 line, but 2 source sentences"),
            ("a\nb", ["a\n "], "no reference for source sentence 2"),
            ("a\nb", ["", " "], "no reference for source sentence 1"),
        ],
    )
    def test_wrong_texts(self, output, references, message):
        with pytest.raises(InputError, match=re.escape(message)):
            space.score_text(gecbench.GLEU(), "a\nb", output, references)

    def test_everything_is_escaped(self):
        nasty = "<script>alert(1)</script> & so ."
        shown = space.score_text(gecbench.GLEU(), nasty, f"<b> {nasty}", [nasty + " x"])
        assert "<script>" not in shown
        assert "<b>" not in shown


def test_diff():
    assert space.diff("a b c", "a c d") == "a <del>b</del> c <ins>d</ins>"
    assert space.diff("a b", "a b") == "a b"
    assert space.diff("", "a") == "<ins>a</ins>"


def test_without_gradio(monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "gradio", None)
    with pytest.raises(MissingDependencyError, match="pip install gradio"):
        space.build_space(gecbench.GLEU, "")


def test_there_are_six_apps():
    assert len(APPS) == 6


@pytest.mark.parametrize("path", APPS, ids=lambda path: path.parent.name)
def test_every_app_scores_its_example(path):
    """Each form's function gets what the form shows at first."""
    pytest.importorskip("gradio", minversion="6")
    page = runpy.run_path(str(path))["build"]()
    functions = [each for each in page.fns.values() if each.api_name in ("text", "edits")]
    assert functions
    for each in functions:
        assert value(each.fn(*(box.value for box in each.inputs))) > 0
