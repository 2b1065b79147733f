"""From outputs to a place on the board: checks, every metric, the human bound, significance."""

import json
from pathlib import Path

import pytest
from boards import DEMO, GOOD, QUICK, add, demo_board, text
from corpora_support import files_of
from mirror_files import golden

import gecbench
from gecbench import InputError
from gecbench.leaderboard.page import PagePlan, build_site, csv_lines, table_rows
from gecbench.leaderboard.ranking import Significance, known_corpora
from gecbench.leaderboard.records import table_of
from gecbench.leaderboard.scoring import board_metric, human_figures, usable_metrics
from gecbench.leaderboard.seeds import seed_records
from gecbench.leaderboard.store import FolderStore
from gecbench.leaderboard.submission import Submission, read_outputs, score_submission, validate_outputs

ONE = gecbench.Corpus(sources=["a b"])
READY = [name for name, metric in gecbench.METRICS.items() if metric.missing() is None]
BAD_BYTES = {
    "gzip": (b"\x1f\x8b\x08\x00", "out.txt", "out.txt: is compressed \\(gzip\\)"),
    "zip": (b"PK\x03\x04rest", "out.txt", "is compressed \\(zip\\)"),
    "xz": (b"\xfd7zXZ\x00", "out.txt", "is compressed \\(xz\\)"),
    "binary": (b"\x7fELF\x00\x01", "out.txt", "is binary"),
    "too large": (b"a\n" * 6, "out.txt", "larger than the limit of 10 bytes"),
    "latin-1": (b"caf\xe9\n", "out.txt", "out.txt:1: not UTF-8"),
    "JSON that is none": (b"{\n", "o.jsonl", "o.jsonl:1: not JSON"),
    "JSON too deep": (b"[" * 9, "o.jsonl", "o.jsonl:1: not JSON"),
    "a line break in JSON": (b'"a\\nb"\n', "o.jsonl", "o.jsonl:1: the output holds a line break"),
    "a surrogate in JSON": (b'"\\ud800"', "o.jsonl", "o.jsonl:1: the output holds a lone surrogate"),
    "no prediction": (b'{"p":1}', "o.jsonl", "o.jsonl: no column with a usual name among 'p'"),
}


@pytest.mark.parametrize(("data", "file", "message"), BAD_BYTES.values(), ids=BAD_BYTES)
def test_bad_bytes_are_refused(data, file, message):
    with pytest.raises(InputError, match=message):
        read_outputs(data, file, ONE, most_bytes=10)


def test_json_lines_and_text_are_the_same():
    rows = "".join(json.dumps({"prediction": line}) + "\n" for line in GOOD).encode()
    assert read_outputs(rows, "o.jsonl", DEMO) == read_outputs(text(GOOD), "o.txt", DEMO) == GOOD


def test_deep_and_long_json_is_refused_not_run_into():
    for data in (b"[" * 200_000, b"9" * 10_000):
        with pytest.raises(InputError, match="not JSON"):
            read_outputs(data, "o.jsonl", ONE)


BAD_OUTPUTS = {
    "a line missing": (GOOD[:-1], "out:42: 41 lines, but demo has 42 sentences"),
    "a line too many": ([*GOOD, "x"], "out:43: 43 lines"),
    "shifted by one": ([*GOOD[1:], GOOD[0]], "out: predictions look shifted from line 1 on"),
    "the source": (DEMO.sources, "every line is a copy of the source"),
    "the source with other blanks": ([f" {line} " for line in DEMO.sources], "every line is a copy"),
    "an endless line": ([*GOOD[:-1], "word " * 5000], "out:42: 5000 tokens, where the source has"),
}


@pytest.mark.parametrize(("outputs", "message"), BAD_OUTPUTS.values(), ids=BAD_OUTPUTS)
def test_bad_outputs_are_refused(outputs, message):
    with pytest.raises(InputError, match=message):
        score_submission(Submission("bad", outputs, file="out"), DEMO, resamples=0)


def test_odd_outputs_are_warned_about():
    swapped = [*GOOD[:3], GOOD[4], GOOD[3], *GOOD[5:]]
    assert "look like corrections of a neighbouring sentence: 4, 5" in "\n".join(validate_outputs(swapped, DEMO, "out"))
    assert validate_outputs([*GOOD[:-1], ""], DEMO, "out") == ["1 outputs are empty"]
    nearly = [*DEMO.sources[:-1], "Changed ."]
    assert validate_outputs(nearly, DEMO, "out") == ["98 % of the lines are copies of the source"]
    assert validate_outputs(DEMO.sources, DEMO, "out", copy=True) == []


def test_every_metric_is_scored_as_score_does():
    scored = score_submission(Submission("good", GOOD), DEMO, resamples=QUICK)
    names = usable_metrics(DEMO)
    assert list(names) == READY
    expected = gecbench.score(GOOD, DEMO, [board_metric(name) for name in names], resamples=QUICK)
    for name in names:
        figure = scored.record.scores[name]
        score = expected[name]
        assert (figure["value"], figure["low"]) == (score.value, score.interval.low)
        assert figure["signature"] == str(score.signature)
        assert scored.details.sentence_scores[name] == pytest.approx(score.sentence_scores(), abs=1e-4)
        assert sum(group["sentences"] for group in scored.details.by_distance[name]) == len(DEMO)


def test_a_metric_that_cannot_score_is_left_out_with_a_warning(monkeypatch):
    def refuse(*_arguments, **_options):
        raise InputError("too much for it")

    monkeypatch.setattr(gecbench.IMeasure, "score_prepared", refuse)
    scored = score_submission(Submission("good", GOOD), DEMO, resamples=0)
    assert set(scored.record.scores) == set(READY) - {"imeasure"}
    assert any("I-measure is left out: too much for it" in warning for warning in scored.warnings)


def test_metrics_that_need_what_is_not_installed_are_left_out(monkeypatch):
    monkeypatch.setattr(gecbench.ERRANT, "missing", lambda: "errant is not installed")
    assert list(usable_metrics(DEMO)) == [name for name in gecbench.METRICS if name != "errant"]
    monkeypatch.setattr(gecbench.ERRANT, "missing", lambda: None)
    assert list(usable_metrics(DEMO)) == list(gecbench.METRICS)


def test_metrics_without_gold_are_left_out():
    annotated = gecbench.Corpus(sources=DEMO.sources, annotations=DEMO.annotations)
    assert not {"gleu", "bleu"} & set(usable_metrics(annotated))
    assert usable_metrics(gecbench.Corpus(sources=["a"])) == {}


def test_progress_is_told_in_order():
    heard = []
    score_submission(Submission("good", GOOD), DEMO, resamples=0, progress=lambda *step: heard.append(step))
    shares = [done for _, done in heard]
    assert shares == sorted(shares)
    assert shares[0] == 0
    assert heard[-1] == ("scored", 1.0)


def people(human, against_others):
    ratio = None if against_others is None else against_others / human
    return {"human": human, "against_others": against_others, "ratio": ratio}


def test_human_bound_by_hand():
    sentences = ["a b c d e .", "f g h i j ."]
    same = gecbench.Corpus(sources=["x b c d e .", "x g h i j ."], references=[[line] * 3 for line in sentences])
    assert human_figures(gecbench.GLEU().score_corpus(same, sentences), same) == people(1.0, 1.0)
    unchanged = human_figures(gecbench.GLEU().score_corpus(same, same.sources), same)
    assert unchanged == people(1.0, gecbench.GLEU().score_corpus(same, same.sources).value)
    one = gecbench.Corpus(sources=same.sources, references=[[line] for line in sentences])
    assert human_figures(gecbench.GLEU().score_corpus(one, sentences), one) == people(None, None)
    assert human_figures(gecbench.BLEU().score_corpus(same, sentences), same) == people(pytest.approx(1), None), (
        "BLEU pools references"
    )


def test_human_bound_is_jflegs(mirror):
    corpus = gecbench.load_corpus("jfleg:test", upstream=mirror)
    expected = golden("gleu.json")["jfleg"]["jfleg.test.human_average"]
    value = human_figures(gecbench.GLEU().score_corpus(corpus, corpus.sources), corpus)["human"]
    assert value == pytest.approx(expected["py2"], abs=1e-6)
    assert 100 * value == pytest.approx(expected["published_x100"], abs=0.02)


def test_places_p_values_and_clusters(tmp_path):
    store = demo_board(tmp_path)
    nearly = list(GOOD)
    nearly[0] = DEMO.sources[0]
    twin = add(store, "nearly good", nearly)
    records = store.load().records
    tests = Significance(store, known_corpora([DEMO]), 200)
    places = {each.system: tests.places(records, "gleu")[each.id] for each in records}
    assert [places[name].rank for name in ("good-corrector", "nearly good", "rule-based")] == [1, 2, 3]
    assert places["good-corrector"].cluster == places["nearly good"].cluster == 1
    assert places["rule-based"].cluster == 2
    report = gecbench.compare(
        {"nearly": nearly, "good": GOOD, "rules": gecbench.load_demo_systems()["rule-based"]},
        DEMO,
        resamples=200,
        against="above",
    )
    expected = {test.system: test.p_value for test in report.tests}
    assert places["nearly good"].p_value == expected["nearly"]
    assert places["rule-based"].p_value == expected["rules"]
    assert places["nearly good"].above == next(each.id for each in records if each.system == "good-corrector")
    assert twin.unchanged > 0
    quick = Significance(store, known_corpora([DEMO]), 200, compute=False)
    assert quick.places(records, "gleu") == tests.places(records, "gleu")
    assert {place.p_value for place in quick.places(records, "bleu").values()} == {None}, "never made"
    other = Significance(store, known_corpora([DEMO.with_references([0, 1])]), 200)
    assert {place.p_value for place in other.places(records, "gleu").values()} == {None}


def test_reported_figures_are_neither_ranked_nor_tested(tmp_path):
    records = [each for each in seed_records() if each.table == ("jfleg:test", "default")]
    for row in table_rows(records, Significance(FolderStore(tmp_path), {})):
        assert row["kind"] == "reported"
        for figure in row["scores"].values():
            assert not {"rank", "cluster", "p_value"} & set(figure)
            assert figure["differs"]


def test_table_names():
    named = gecbench.Corpus(sources=["a"], name="jfleg:default:test")
    assert table_of(named) == ("jfleg:test", "default")
    assert table_of(gecbench.Corpus(sources=["a"], name="mine.jsonl")) == ("mine", "default")


def test_build_is_whole_and_repeatable(tmp_path):
    store = demo_board(tmp_path / "board")
    plan = PagePlan([DEMO], resamples=QUICK, publish_references=True)
    built = build_site(store, tmp_path / "site", plan)
    written = files_of(tmp_path / "site").keys()
    assert written == set(built.files)
    assert {"index.html", "README.md", "style.css", "data/board.js", "data/board.json", "data/board.csv"} <= written
    systems = {name for name in written if name.startswith("data/system-")}
    identities = [record.id for record in store.load().records]
    assert systems == {f"data/system-{name}.{ending}" for name in identities for ending in ("js", "json")}
    flat = json.loads((tmp_path / "site/data/board.json").read_text())["records"]
    assert {row["system"] for row in flat} > {"good-corrector", "Ge et al. (2018)"}
    build_site(store, tmp_path / "site", plan)
    bare = build_site(store, tmp_path / "bare", PagePlan([DEMO], seeds=False, texts=False, resamples=QUICK))
    assert not [name for name in bare.files if "system-" in name or "corpus-" in name]
    assert "swiming" not in "".join(path.read_text() for path in bare.files.values() if path.suffix == ".js")


def test_cells_are_no_formulas():
    row = dict.fromkeys(["corpus", "reference_set", "kind", "date", "submitter"], "x")
    line = csv_lines({**row, "system": "=HYPERLINK(1)", "scores": {"gleu": {"value": -0.5}}})
    assert line == "x,x,'=HYPERLINK(1),x,x,x,gleu,-0.5,,,,,,,,,,,\n"


BAD_USES = {
    "an unknown corpus": (["-c", "nowhere"], "no corpus or file 'nowhere'"),
    "a script link": (["--link", "javascript:alert(1)"], "Links start with http"),
    "no name": (["--name", ""], "system is empty"),
    "a compressed file": (["-p", "good.txt.gz"], "good.txt.gz: is compressed"),
    "a missing file": (["-p", "nowhere.txt"], "nowhere.txt: no such file"),
    "a board that is a file": (["--board", "good.txt"], "good.txt: is a file"),
    "a board nowhere": (["--board", "ftp://x"], "cannot open a board"),
    "a Hub board without a name": (["--board", "hf://datasets/x"], "names no repository"),
    "outputs twice": (["--board", "twice"], "on the board already, as 'Good'"),
    "a Hub board offline": (["--board", "hf://datasets/a/b"], "HF_HUB_OFFLINE is set"),
}


def test_submit_list_build_on_the_command_line(folder, run):
    Path("good.txt").write_bytes(text(GOOD))
    add(FolderStore("board"), "rules", gecbench.load_demo_systems()["rule-based"])
    board = ["--board", "board", "-c", "demo"]
    submit = ("leaderboard", "submit", "-p", "good.txt", "--name", "Good", *board)
    assert json.loads(run(*submit, "--dry-run", "-f", "json"))["system"] == "Good"
    submitted = run(*submit, "--link", "https://example.org")
    assert "rank 1 of 2 by GLEU" in submitted
    assert "added as records/" in submitted
    assert [line.split()[0] for line in run("leaderboard", "list", *board).splitlines()[2:]] == ["Good", "rules"]
    assert "Ge et al. (2018)" in run("leaderboard", "list", "--board", "board")
    assert Path(run("leaderboard", "build", *board, "-o", "site").strip()).is_file()


@pytest.mark.parametrize(("options", "message"), BAD_USES.values(), ids=BAD_USES)
def test_refused_on_the_command_line(options, message, folder, refused):
    Path("good.txt").write_bytes(text(GOOD))
    add(FolderStore("twice"), "Good", GOOD)
    refused(["leaderboard", "submit", "-c", "demo", "-p", "good.txt", "--name", "Again", *options], message)
    assert not Path("board").exists()


def test_unknown_corpus_in_list(tmp_path, refused):
    refused(["leaderboard", "list", "--board", tmp_path, "-c", "nothing"], "the board has nothing on 'nothing'")
