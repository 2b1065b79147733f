"""Scores of systems and sentences from tab-separated files."""

import pytest

from gecbench.errors import InputError
from gecbench.formats.scores import read_sentence_scores, read_system_scores


def test_scores_from_tsv(tmp_path):
    path = tmp_path / "mine.tsv"
    path.write_text("A\t0.5\nB\t -1\n")
    assert read_system_scores(path) == {"mine": {"A": 0.5, "B": -1.0}}
    path.write_text("metric\tsystem\tscore\r\nm\tA\t1\r\n")
    assert read_system_scores(path) == {"m": {"A": 1.0}}
    path.write_text("m\trefs\tA\t1\nm\tmore\tA\t2\n")
    assert read_system_scores(path) == {"m|refs": {"A": 1.0}, "m|more": {"A": 2.0}}
    path.write_text("system\tsentence\tscore\nA\t0\t0.5\n")
    assert read_sentence_scores(path) == {"mine": {("A", 0): 0.5}}


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [("A\t1\nA\t2\n", 2, "two scores for A"), ("A\t1\nB\n", 2, r"1 field\b"),
     ("A\tx\n", 1, "not a finite number"),
     ("A\tinf\n", 1, "not a finite"), ("a\tb\tc\td\te\n", 1, "5 fields"), ("\n", None, "no scores")],
)  # fmt: skip
def test_bad_tsv(tmp_path, text, line, message):
    path = tmp_path / "mine.tsv"
    path.write_text(text)
    with pytest.raises(InputError, match=message) as caught:
        read_system_scores(path)
    assert caught.value.line == line
