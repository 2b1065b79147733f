from paper_tables import differences, drawn, lines_of

from gecbench import Corpus, kernels
from gecbench.papers import jfleg2017


def test_tables(reproduced):
    found = reproduced("jfleg2017") if kernels.active() == "native" else reproduced("jfleg2017", runs=20)
    loose = {"sentences": 10, "TrueSkill": 0.02 if kernels.active() == "native" else 0.1, "M2": 0.12}
    for section in found.sections:
        for row, difference, half in differences(section.table):
            if row[:2] == ["AMU Minimal", "Ortho."]:
                continue
            allowed = loose.get(row[0], loose.get(row[1], half))
            assert difference <= allowed + 1e-9, (section.title, row)


def test_figure1():
    """A rewrite equal to the others scores 100, in the group of its distance: 0, 1 to 2, and 6 to 8 characters."""
    sources = ["All of this is fine .", "He go to school now .", "We saw abcdefgh over there ."]
    rewrites = ["All of this is fine .", "He goes to school now .", "We saw ijklmnop over there ."]
    columns = {"spellchecked": tuple(sources)}
    corpus = Corpus(sources=sources, references=[[text] * 4 for text in rewrites], metadata={"columns": columns})
    lines = lines_of(*drawn(jfleg2017._figure1(corpus).draw))
    assert [x for x, _ in lines.pop("Spell-checked source")] == [0], "it changes nothing"
    assert lines == {f"Human, rewrite {k}": [[0, 100], [1, 100], [6, 100]] for k in range(4)}
