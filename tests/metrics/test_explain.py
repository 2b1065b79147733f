"""Explanations of M2 as text and HTML."""

import html.parser

import pytest
from m2_corpus import THREE_OUTPUTS, THREE_SENTENCES, annotation

from gecbench import M2, Corpus, load_demo
from gecbench.cli.explain import html_page
from gecbench.metrics.explain import Cell, Explanation, Row

pytestmark = pytest.mark.usefixtures("kernels_of")
EXPLAINED = """\
Sentence 3, annotator 0: 2 correct, 2 proposed, 3 gold
  source        Young wolves is a pack hunter .
  system        Young wolves are pack hunter .
  system edits  +is → are [2,3)  +a → ∅ [3,4)
  gold edits    +is → are [2,3) Verb
                +a → ∅ [3,4) Det
                -hunter → hunters [5,6) Noun"""


def test_matches_of_every_sentence():
    matches = M2().matches(THREE_SENTENCES, THREE_OUTPUTS)
    assert [match.annotation.annotator for match in matches] == [0, 1, 0]
    assert [match.matched_gold for match in matches] == [(True, True), (), (True, True, False)]
    first = [(edit.start, edit.end, edit.corrections[0]) for edit in matches[0].proposed]
    assert first == [(0, 3, "My fox ran"), (3, 4, "up"), (4, 4, "that")], "equal words around it cost nothing"
    assert matches[0].matched_proposed == (False, True, True)


@pytest.mark.parametrize("policy", ["greedy-cumulative", "best-per-sentence"])
def test_matches_add_up_to_the_score(policy):
    demo = load_demo()
    predictions = [texts[k % 4] for k, texts in enumerate(demo.references)]
    metric = M2(policy=policy)
    matches = metric.matches(demo, predictions)
    score = metric.score_corpus(demo, predictions)
    assert sum(len(match.proposed) for match in matches) == score.parts["proposed"]
    assert sum(sum(match.matched_gold) for match in matches) == score.parts["correct"]
    assert sum(len(match.annotation.edits) for match in matches) == score.parts["gold"]


def test_text():
    [explanation] = M2().explain(THREE_SENTENCES, THREE_OUTPUTS, [2])
    assert explanation.to_text() == EXPLAINED


def test_signs_come_with_colors():
    [explanation] = M2().explain(THREE_SENTENCES, THREE_OUTPUTS, [0])
    colored = explanation.to_text(color=True)
    assert "\x1b[31m!Our → My [0,1)\x1b[0m" in colored
    assert "\x1b[32m+at → up [3,4)\x1b[0m" in colored
    assert "!Our → My" in explanation.to_text()


def test_nothing_to_show():
    [explanation] = M2().explain(THREE_SENTENCES, THREE_OUTPUTS, [1])
    assert explanation.to_text().endswith("system edits  none\n  gold edits    none")


def test_html_escapes_everything():
    nasty = "<script>alert('x')</script> & \"q\""
    edit = (0, 1, ("<b>&amp;",))
    corpus = Corpus(sources=[nasty], annotations=[[annotation(edit)]])
    page = html_page({1: M2().explain(corpus, [f"<i> {nasty}"], [0])[0]}, "<title> & 'more'")
    tags = []
    texts = []

    class Reader(html.parser.HTMLParser):
        def handle_starttag(self, tag, attributes):
            tags.append(tag)

        def handle_data(self, data):
            texts.append(data)

    Reader().feed(page)
    assert not {"b", "i"} & set(tags)
    assert tags.count("script") == 1
    assert nasty in texts
    assert f"<i> {nasty}" in texts
    assert "-<script>alert('x')</script> → <b>&amp; [0,1) " in texts
    assert "UNK: unknown type" in texts
    assert "<title> & 'more'" in texts


def test_error_types_are_explained():
    cell = Cell("make → have [10,11)", "miss", "Wci")
    explained = Explanation("title", [Row("gold edits", [cell, Cell("a → b [1,2)", "match", "X")])])
    assert explained.to_text() == (
        "title\n  gold edits  -make → have [10,11) Wci: wrong collocation or idiom\n              +a → b [1,2) X"
    )
    page = explained.to_html()
    words = "<small>Wci: wrong collocation or idiom</small>"
    assert f'<span class="miss" data-type="Wci">-make → have [10,11) {words}</span><br>' in page


def test_long_rows_continue_below():
    """Two blanks before and after the label, two between cells: 20 columns hold three words of four letters."""
    explained = Explanation("title", [Row("a", [Cell("four")] * 4), Row("b", [Cell("longer than the line")])])
    assert explained.to_text(width=21) == ("title\n  a  four  four  four\n     four\n  b  longer than the line")
    assert explained.to_text(width=20) == "title\n  a  four  four\n     four  four\n  b  longer than the line"
    assert explained.to_text().splitlines()[1] == "  a  four  four  four  four"


def test_aligned_cells_stand_in_columns():
    rows = [Row("a", [Cell("x", "match"), Cell("yyy")]), Row("bb", [Cell("long", "wrong"), Cell("z", "miss")])]
    shown = Explanation("title", rows, aligned=True)
    assert shown.to_text() == "title\n  a   +x    yyy\n  bb  !long -z"
    assert shown.to_html().count("<td>") == 4


def test_wide_rows_are_read_once():
    read = []

    class Cells(list):
        def __iter__(self):
            read.append(len(self))
            return super().__iter__()

    rows = [Row(label, Cells([Cell("word")] * 100)) for label in ("source", "system")]
    explained = Explanation("wide", rows, aligned=True)
    narrow = explained.to_text(width=40)
    first = len(read)
    assert narrow.count("word") == 200
    explained.to_text(width=400)
    assert len(read) == 2 * first, "no more often for many blocks than for few"
