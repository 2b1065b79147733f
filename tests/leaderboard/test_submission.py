"""From outputs to a record: checks, every metric, limits, verification."""

import json
import os
import warnings
from dataclasses import replace

import pytest
from boards import DEMO, GOOD, QUICK, RULES, add, demo_board, made_up_record, text, variant

import gecbench
from gecbench import InputError
from gecbench.cli.main import main
from gecbench.leaderboard.records import Settings, digest
from gecbench.leaderboard.scoring import board_metric, usable_metrics
from gecbench.leaderboard.store import FolderStore, init_board
from gecbench.leaderboard.submission import Submission, read_outputs, score_submission, submit, validate_outputs

ONE = gecbench.Corpus(sources=["a b"])
READY = [name for name, metric in gecbench.METRICS.items() if metric.missing() is None]


BAD_BYTES = {
    "gzip": (b"\x1f\x8b\x08\x00", "out.txt", "out.txt: is compressed \\(gzip\\)"),
    "zip": (b"PK\x03\x04rest", "out.txt", "is compressed \\(zip\\)"),
    "xz": (b"\xfd7zXZ\x00", "out.txt", "is compressed \\(xz\\)"),
    "binary": (b"\x7fELF\x00\x01", "out.txt", "is a binary file"),
    "too large": (b"a\n" * 6, "out.txt", "larger than the limit of 10 bytes"),
    "latin-1": (b"caf\xe9\n", "out.txt", "out.txt:1: not UTF-8"),
    "JSON that is none": (b"{\n", "o.jsonl", "o.jsonl:1: not JSON"),
    "JSON too deep": (b"[" * 9, "o.jsonl", "o.jsonl:1: not JSON"),
    "a line break in JSON": (b'"a\\nb"\n', "o.jsonl", "o.jsonl:1: the output contains a line break"),
    "a surrogate in JSON": (
        b'"\\ud800"',
        "o.jsonl",
        r"o.jsonl:1: the output contains a character .* \(a lone surrogate\)",
    ),
    "no prediction": (
        b'{"p":1}',
        "o.jsonl",
        "o.jsonl: no column has a common name such as 'prediction' \\(columns: 'p'\\)",
    ),
}


@pytest.mark.parametrize(("data", "file", "message"), BAD_BYTES.values(), ids=BAD_BYTES)
def test_bad_bytes_are_refused(data, file, message):
    with pytest.raises(InputError, match=message):
        read_outputs(data, file, ONE, most_bytes=10)


@pytest.mark.parametrize("start", ["PK", "PKO Bank", "BZh", "BZh9 is a name", "Rar! he said"])
def test_text_that_starts_like_an_archive_is_text(start):
    assert read_outputs(f"{start} .\n".encode(), "o.txt", ONE) == [f"{start} ."]


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
    "an endless line": ([*GOOD[:-1], "word " * 5000], "out:42: 5000 tokens, but the source has"),
    "every line eight times": (
        [f"{line} " * 8 for line in GOOD],
        r"All outputs together may have at most 2,890 tokens\.",
    ),
}


@pytest.mark.parametrize(("outputs", "message"), BAD_OUTPUTS.values(), ids=BAD_OUTPUTS)
def test_bad_outputs_are_refused(outputs, message):
    with pytest.raises(InputError, match=message):
        score_submission(Submission("bad", outputs, file="out"), DEMO, resamples=0)


def test_odd_outputs_are_warned_about():
    swapped = [*GOOD[:3], GOOD[4], GOOD[3], *GOOD[5:]]
    swap = "2 lines look like corrections of neighboring sentences (lines 4, 5)"
    assert swap in validate_outputs(swapped, DEMO, "out")
    repeated = [*GOOD[:3], GOOD[4], *GOOD[4:]]
    assert validate_outputs(repeated, DEMO, "out") == ["line 4 looks like the correction of a neighboring sentence"]
    nearly = [*DEMO.sources[:-1], "Changed ."]
    assert validate_outputs(nearly, DEMO, "out") == ["98% of the lines are copies of the source"]
    assert validate_outputs(DEMO.sources, DEMO, "out", copy=True) == []


def test_warnings_about_the_text_are_notes_of_the_submission():
    broken = [line.replace(" ", "\u00a0", 1) for line in GOOD[:4]] + ["", "", "", *GOOD[7:]]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        scored = score_submission(Submission("odd", broken), DEMO, resamples=0)
    assert scored.warnings == (
        "predictions: U+00A0 NO-BREAK SPACE in 4 of 42 lines. "
        "Replace this character with a space, because not every metric treats it as white space",
        "predictions: 3 of 42 lines are empty. They are scored as sentences without words",
    )


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
        assert sum(group["sentences"] for group in scored.details.by_source_distance[name]) == len(DEMO)


def test_a_metric_that_cannot_score_is_left_out_with_a_warning(monkeypatch):
    def refuse(*_arguments, **_options):
        raise InputError("too much for it")

    monkeypatch.setattr(gecbench.IMeasure, "score_prepared", refuse)
    scored = score_submission(Submission("good", GOOD), DEMO, resamples=0)
    assert set(scored.record.scores) == set(READY) - {"imeasure"}
    assert any("I-measure could not be computed: too much for it" in warning for warning in scored.warnings)


def test_progress_is_told_in_order():
    heard = []
    score_submission(Submission("good", GOOD), DEMO, resamples=0, progress=lambda *step: heard.append(step))
    shares = [done for _, done in heard]
    assert shares == sorted(shares)
    assert shares[0] == 0
    assert heard[-1] == ("scored", 1.0)


def test_submissions_per_name_and_day_are_limited(tmp_path):
    store = init_board(tmp_path, ["demo"], Settings(title="T", per_day=2, min_changes=0))

    def hand_in(word, submitter, date=None):
        about = {} if date is None else {"date": date}
        return submit(Submission(word, variant(word), submitter=submitter, **about), DEMO, store, resamples=20)

    hand_in("a", "Me")
    hand_in("b", " me ")
    with pytest.raises(InputError, match="ME has reached the limit of 2 submissions per day"):
        hand_in("c", "ME")
    with pytest.raises(InputError, match="the name of the submitter is missing"):
        hand_in("c", " ")
    hand_in("c", "You")
    assert {record.system for record in store.load().records} == {"a", "b", "c"}


def forged(store, record, **figure):
    """Add a record that claims another figure for the same outputs."""
    scores = {**record.scores, "gleu": {**record.scores["gleu"], **figure}}
    claimed = replace(record, scores=scores, system="forged")
    store.add(claimed)
    return claimed


@pytest.fixture
def not_verified(tmp_path, capsys):
    """Verify a board in vain, and return what is printed of its records."""

    def verify(message, *files):
        words = ["leaderboard", "verify", "--board", str(tmp_path), "-c", "demo", *files]
        assert main(words) == 2
        printed = capsys.readouterr()
        assert message in printed.err
        return printed.out

    return verify


def test_verify_passes_what_was_scored_and_refuses_what_differs(tmp_path, run, not_verified):
    store = demo_board(tmp_path)
    shown = run("leaderboard", "verify", "--board", tmp_path, "-c", "demo")
    assert shown.count("verified") == 4
    record = next(each for each in store.load().records if each.system == "rule-based")
    claimed = forged(store, record, value=0.99)
    shown = not_verified("1 of 5 records failed verification")
    assert (
        f"forged: gleu: value is 0.990000 in the record, but {record.scores['gleu']['value']:.6f} when rescored"
        in shown
    )
    one = f"records/{record.id}.json"
    assert "rule-based: verified" in run("leaderboard", "verify", "--board", tmp_path, "-c", "demo", one)
    not_verified("1 of 1 record failed verification", f"{claimed.id}.json")
    assert not_verified("the board has no record 'other'", "other.json") == ""


def test_verify_says_that_a_board_is_empty(tmp_path, run):
    shown = run("leaderboard", "verify", "--board", tmp_path, "-c", "demo")
    assert shown == "nothing to verify: the board has no records\n"


def test_verify_says_what_it_cannot_score(tmp_path, not_verified):
    store = FolderStore(tmp_path)
    store.add(made_up_record(system="paper", kind="reported", outputs=None, details=None))
    store.add(made_up_record(system="elsewhere", corpus="other"))
    store.add(made_up_record(system="lost"))
    shown = not_verified("2 of 3 records")
    assert "paper: reported by others, not rescored" in shown
    assert "elsewhere: the board has no corpus other (default)" in shown
    assert "lost: its outputs are missing or damaged" in shown


TAMPERED = {
    "an interval": {"low": 0.0},
    "precision": {"parts": {"precision": 1.0}},
    "people": {"human": 0.1},
    "other settings": {"signature": "gleu|refs:1|version:0.1.0"},
    "uncapped": {"capped": 3},
}


@pytest.mark.parametrize("figure", TAMPERED.values(), ids=TAMPERED)
def test_verify_looks_at_every_part_of_a_figure(figure, tmp_path, not_verified):
    store = FolderStore(tmp_path)
    forged(store, add(store, "rules", RULES), **figure)
    assert "forged: gleu: " in not_verified("1 of 2 records")


def test_verify_looks_at_details_and_files(tmp_path, not_verified):
    store = FolderStore(tmp_path)
    scored = score_submission(Submission("rules", RULES), DEMO, resamples=20)
    details = replace(scored.details, sentence_scores={"gleu": [1.0] * len(DEMO)})
    store.add(replace(scored.record, details=digest(details.to_json())), details)
    problem = "the field 'sentence_scores' of its details differs when rescored"
    assert problem in not_verified("1 of 1 record failed verification")
    (tmp_path / "records" / f"{'0' * 64}.json").write_text("{}")
    assert "its name is not the SHA-256 of its content" in not_verified("2 of 2 records")


@pytest.mark.skipif(os.name == "nt", reason="Windows has no such file names")
def test_a_file_name_adds_no_line_to_what_verify_prints(tmp_path, not_verified):
    (tmp_path / "records").mkdir()
    (tmp_path / "records" / "x\nab: verified\x1b[2J.json").write_text("{}")
    (line,) = not_verified("1 of 1 record failed verification").splitlines()
    assert line.startswith("x ab: verifi  ?: its name is not")
