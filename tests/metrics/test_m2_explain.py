"""What M2 saw, shown: explanations as text and HTML, the official scorer's three lines, scores by error type."""

import html.parser
import json

import pytest
from m2_corpus import THREE_OUTPUTS, THREE_SENTENCES, annotation

from gecbench import M2, Corpus, InputError, load_demo
from gecbench.analysis.explained_page import html_page
from gecbench.corpora.demo import DATA
from gecbench.formats.m2 import write_m2
from gecbench.formats.text import write_lines
from gecbench.metrics.explain import Cell, Explanation, Row

pytestmark = pytest.mark.usefixtures("kernels_of")
EXPLAINED = """\
Sentence 3, annotator 0: 2 correct, 2 proposed, 3 gold
  source        Young wolves is a pack hunter .
  system        Young wolves are pack hunter .
  system edits  +is → are [2,3)  +a → ∅ [3,4)
  gold edits    +is → are [2,3) Verb  +a → ∅ [3,4) Det  -hunter → hunters [5,6) Noun"""


@pytest.fixture
def files(tmp_path, monkeypatch):
    """The worked example as files in the working folder."""
    monkeypatch.chdir(tmp_path)
    write_m2(THREE_SENTENCES, "gold.m2")
    write_lines("out.txt", THREE_OUTPUTS)
    write_lines("same.txt", THREE_SENTENCES.sources)
    return tmp_path


class TestExplain:
    def test_matches_of_every_sentence(self):
        matches = M2().matches(THREE_SENTENCES, THREE_OUTPUTS)
        assert [match.annotation.annotator for match in matches] == [0, 1, 0]
        assert [match.matched_gold for match in matches] == [(True, True), (), (True, True, False)]
        first = [(edit.start, edit.end, edit.corrections[0]) for edit in matches[0].proposed]
        assert first == [(0, 3, "My fox ran"), (3, 4, "up"), (4, 4, "that")], "equal words around it cost nothing"
        assert matches[0].matched_proposed == (False, True, True)

    @pytest.mark.parametrize("policy", ["greedy-cumulative", "best-per-sentence"])
    def test_matches_add_up_to_the_score(self, policy):
        demo = load_demo()
        predictions = [texts[k % 4] for k, texts in enumerate(demo.references)]
        metric = M2(policy=policy)
        matches = metric.matches(demo, predictions)
        score = metric.score_corpus(demo, predictions)
        assert sum(len(match.proposed) for match in matches) == score.parts["proposed"]
        assert sum(sum(match.matched_gold) for match in matches) == score.parts["correct"]
        assert sum(len(match.annotation.edits) for match in matches) == score.parts["gold"]

    def test_text(self):
        [explanation] = M2().explain(THREE_SENTENCES, THREE_OUTPUTS, [2])
        assert explanation.to_text() == EXPLAINED

    def test_signs_stand_beside_colours(self):
        [explanation] = M2().explain(THREE_SENTENCES, THREE_OUTPUTS, [0])
        coloured = explanation.to_text(colour=True)
        assert "\x1b[31m!Our → My [0,1)\x1b[0m" in coloured
        assert "\x1b[32m+at → up [3,4)\x1b[0m" in coloured
        assert "!Our → My" in explanation.to_text()

    def test_nothing_to_show(self):
        [explanation] = M2().explain(THREE_SENTENCES, THREE_OUTPUTS, [1])
        assert explanation.to_text().endswith("system edits  none\n  gold edits    none")

    def test_html_escapes_everything(self):
        nasty = "<script>alert('x')</script> & \"q\""
        edit = (0, 1, ("<b>&amp;",))
        corpus = Corpus(sources=[nasty], annotations=[[annotation(edit)]])
        page = html_page(M2().explain(corpus, [f"<i> {nasty}"], [0]), "<title> & 'more'")
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
        assert any("→ <b>&amp; [0,1) UNK" in text for text in texts)
        assert "<title> & 'more'" in texts

    def test_aligned_cells_stand_in_columns(self):
        rows = [Row("a", [Cell("x", "match"), Cell("yyy")]), Row("bb", [Cell("long", "wrong"), Cell("z", "miss")])]
        shown = Explanation("title", rows, aligned=True)
        assert shown.to_text() == "title\n  a   +x    yyy\n  bb  !long -z"
        assert shown.to_html().count("<td>") == 4

    def test_command_line(self, files, run):
        output = run("explain", "--gold", "gold.m2", "-p", "out.txt", "--sentences", "3", "--colour", "never")
        assert output.rstrip("\n") == EXPLAINED
        both = run("explain", "--gold", "gold.m2", "-p", "out.txt", "same.txt")
        assert both.count("Sentence 1, annotator 0") == 2
        assert both.startswith("=== out\n")
        assert "\n=== same\n" in both
        assert run("explain", "--gold", "gold.m2", "-p", "out.txt", "--html", "page.html") == ""
        assert (files / "page.html").read_text(encoding="utf-8").count("<table>") == 3

    @pytest.mark.parametrize(
        ("arguments", "message"),
        [
            (["--sentences", "4"], "no sentence 4. Sentences are counted from 1 to 3"),
            (["same.txt", "--html", "page.html"], "a page shows one system"),
            (["-m", "bleu"], "bleu has no edits to explain"),
        ],
    )
    def test_errors(self, files, refused, arguments, message):
        assert message in refused(["explain", "--gold", "gold.m2", "-p", "out.txt", *arguments])
        assert not (files / "page.html").exists()


class TestOfficialScript:
    def test_three_lines(self, files, run):
        output = run("m2scorer", "out.txt", "gold.m2")
        assert output == "Precision   : 0.8000\nRecall      : 0.8000\nF_0.5       : 0.8000\n"

    def test_options(self, files, run):
        output = run("m2scorer", "--beta=2", "--max_unchanged_words", "0", "same.txt", "gold.m2")
        assert output == "Precision   : 1.0000\nRecall      : 0.0000\nF_2.0       : 0.0000\n"
        write_lines("lower.txt", [line.lower() for line in THREE_SENTENCES.sources])
        assert "Precision   : 0.0000" in run("m2scorer", "lower.txt", "gold.m2")
        output = run("m2scorer", "--ignore_whitespace_casing", "lower.txt", "gold.m2")
        assert "Precision   : 1.0000" in output

    def test_edits_beyond_the_sentence_are_dropped_as_officially(self, files, run, refused):
        write_lines("wild.m2", ["S a b", "A 1 9|||T|||x|||REQUIRED|||-NONE-|||0"])
        write_lines("one.txt", ["a b"])
        assert "Recall      : 1.0000" in run("m2scorer", "one.txt", "wild.m2")
        assert "wild.m2:2: the span 1 9" in refused(["score", "-m", "m2", "--gold", "wild.m2", "-p", "one.txt"])

    def test_wrong_number_of_lines(self, files, refused):
        write_lines("cut.txt", THREE_OUTPUTS[:2])
        assert "cut.txt:3: 2 lines, but gold.m2 has 3 sentences" in refused(
            ["m2scorer", "cut.txt", "gold.m2"], status=1
        )


class TestScoreCommand:
    def test_gold_edits_are_scored_without_applying_them(self, files, run, refused):
        """Overlapping edits cannot be applied, which M2 does not ask for."""
        edits = [f"A {span}|||T|||x|||REQUIRED|||-NONE-|||0" for span in ("0 2", "1 2")]
        write_lines("overlap.m2", ["S a b", *edits])
        write_lines("one.txt", ["x"])
        found = json.loads(run("score", "-m", "m2", "--gold", "overlap.m2", "-p", "one.txt", "-f", "json"))
        assert found["systems"][0]["scores"][0]["parts"]["correct"] == 1
        assert "overlaps" in refused(["score", "-m", "m2", "gleu", "--gold", "overlap.m2", "-p", "one.txt"])

    def test_parameters_in_brackets(self, files, run):
        metric = "m2(beta=1,annotators=0+1,policy=average,release=3.2,ignore_whitespace_casing=yes)"
        output = run("score", "-m", metric, "--gold", "gold.m2", "-p", "out.txt")
        assert "|beta:1.0|unchanged:2|case:ignored|release:3.2|policy:average|annotators:0+1|" in output


class TestErrorTypes:
    def test_by_hand(self):
        """Annotators 0, 1, 0 are chosen; the scores alone choose anew, against the edits of one type."""
        scores = {found.type: found for found in M2().breakdown("error-type", THREE_SENTENCES, THREE_OUTPUTS)}
        assert list(scores) == ["Det", "Noun", "Prep", "Verb"]
        assert {name: (found.correct, found.gold) for name, found in scores.items()} == {
            **{"Det": (2, 2), "Noun": (0, 1)},
            **{"Prep": (1, 1), "Verb": (1, 1)},
        }
        assert [found.recall for found in scores.values()] == [1, 0, 1, 1]
        # Det alone: (1, 2, 1), (0, 0, 0), (1, 2, 1): where nothing else is gold, other changes merge.
        det = scores["Det"]
        assert (det.precision_alone, det.recall_alone) == (0.5, 1)
        assert det.value_alone == pytest.approx(1.25 * 0.5 / (0.125 + 1))
        # Noun alone: (0, 1, 0), annotator 1's (0, 0, 0), (0, 1, 1).
        noun = scores["Noun"]
        assert (noun.precision_alone, noun.recall_alone, noun.value_alone) == (0, 0, 0)

    def test_needs_coded_edits(self):
        with pytest.raises(InputError, match="no coded edits"):
            M2().breakdown("error-type", Corpus(sources=["a"], references=[["b"]]), ["b"])

    def test_command_line(self, files, run, refused):
        output = run("score", "-m", "m2", "--gold", "gold.m2", "-p", "out.txt", "--by", "error-type", "-f", "json")
        found = json.loads(output)["systems"]["out"]
        assert [(part["type"], part["correct"], part["gold"]) for part in found][:2] == [("Det", 2, 2), ("Noun", 0, 1)]
        table = run("score", "-m", "m2", "--gold", "gold.m2", "-p", "out.txt", "--by", "error-type")
        assert table.splitlines()[2].split() == ["Det", "out", "2", "2", "100.00", "50.00", "100.00", "55.56"]
        assert "gleu has no scores by error-type" in refused(
            ["score", "-c", "demo", "-p", DATA / "source.txt", "--by", "error-type"]
        )
