"""Runs over files that are stopped: they resume to the same bits, or leave nothing behind."""

import json
import os
import re
import signal
import subprocess
import sys

import pyarrow
import pyarrow.parquet
import pytest
from scale_cases import demo
from waiting import eventually

import gecbench
from gecbench import scale
from gecbench.cli import main
from gecbench.corpus.corpus import Corpus
from gecbench.metrics.streaming import Stream
from gecbench.scale import streaming

DEMO, OUTPUTS = demo().corpus, demo().outputs
TEXT = ["-s", "source.txt", "-r", *(f"ref{k}.txt.gz" for k in range(4))]
SCORE = ["score", "--stream", *TEXT, "-p", "output.txt", "-m", "gleu(draws=py3)", "m2", "--batch-size", "5"]
TABLE = ["--per-sentence", "per.parquet"]


class Stop(BaseException):
    """What no code expects."""


@pytest.fixture
def often_saved(monkeypatch):
    """Write a state after every batch."""
    monkeypatch.setattr(streaming, "_SECONDS_BETWEEN_STATES", -1.0)


@pytest.fixture
def stopped(files, often_saved, monkeypatch):
    """Return a function that runs until the given call of Stream.take, in the middle of a batch."""

    def run_until(calls, arguments=SCORE):
        counted, take = iter(range(calls)), Stream.take

        def stop(self, *given):
            if next(counted, None) is None:
                raise Stop
            take(self, *given)

        with monkeypatch.context() as patch:
            patch.setattr(Stream, "take", stop)
            with pytest.raises(Stop):
                main([*arguments, *TABLE])

    return run_until


def test_the_table_of_sentences_holds_scores_and_counts(files, run):
    run("score", "--stream", *TEXT, "-p", "output.txt", "-m", "gleu", "m2", "--batch-size", 10, *TABLE)
    expected = gecbench.score(OUTPUTS, Corpus(DEMO.sources, DEMO.references), ["gleu", "m2"], resamples=20)
    table = scale.read("per.parquet")
    found = scale.scores(table, resamples=20)
    for name, score in expected.items():
        assert found[name] == score
        assert table[f"{name}_score"].to_pylist() == score.sentence_scores().tolist()
    assert sorted(path.name for path in files.glob("per*")) == ["per.parquet"]


@pytest.mark.parametrize("calls", [2, 3, 9])
def test_a_run_goes_on_where_it_was(calls, files, run, stopped):
    whole = run(*SCORE, "--per-sentence", "whole.parquet")
    stopped(calls)
    assert not (files / "per.parquet").exists()
    assert run(*SCORE, *TABLE, "--resume") == whole
    assert scale.read("per.parquet").equals(scale.read("whole.parquet"))
    assert not (files / "per.parquet.journal").exists()


@pytest.mark.parametrize(("place", "again"), [("StateJournal.discard", ["--resume"]), ("shutil.rmtree", [])])
def test_a_run_that_ends_while_it_cleans_up_can_be_repeated(place, again, files, run, often_saved, monkeypatch):
    def stop(*_, **__):
        raise Stop

    arguments = [*SCORE[:-1], "50", *TABLE]
    with monkeypatch.context() as patch:
        patch.setattr(f"gecbench.formats.journal.{place}", stop)
        with pytest.raises(Stop):
            main(arguments)
    assert (files / "per.parquet.journal" / "state").exists() == bool(again)
    whole = run(*SCORE)
    assert run(*arguments, *again) == whole
    assert sorted(path.name for path in files.glob("per*")) == ["per.parquet"]


def test_standard_input_has_to_come_again_from_its_beginning(files, refused, stopped, monkeypatch):
    from_input = ["-" if word == "output.txt" else word for word in SCORE]
    monkeypatch.setattr("sys.stdin", (files / "output.txt").open())
    stopped(9, from_input)
    (files / "rest.txt").write_text("".join(f"{line}\n" for line in OUTPUTS[:12]))
    monkeypatch.setattr("sys.stdin", (files / "rest.txt").open())
    refused([*from_input, *TABLE, "--resume"], "predictions, but the interrupted run scored 20 sentences")


def test_before_the_first_state_nothing_is_left(files, stopped):
    stopped(1)
    assert not list(files.glob("per*"))


def test_what_does_not_fit_is_refused(files, refused, stopped):
    refused([*SCORE, *TABLE, "--resume"], "there is no unfinished run to resume. Start without --resume")
    stopped(4)
    refused(
        [*SCORE, *TABLE], "this folder belongs to an unfinished run. Resume the run with --resume, or delete the folder"
    )
    other = [*SCORE[:-3], "--batch-size", "5", *TABLE, "--resume"]
    refused(other, "belongs to a run with other files or options")
    (files / "output.txt").write_text("changed\n" * 42)
    refused([*SCORE, *TABLE, "--resume"], "belongs to a run with other files or options")


@pytest.mark.parametrize("name", ["source.txt", "output.txt", "all.parquet", "gold.m2", "system.m2"])
def test_inputs_that_changed_under_the_same_size_and_time_are_refused(name, files, refused, stopped):
    """A few letters of the first sentence, which the stopped run scored."""
    gold = {"gold.m2": ["--gold", "gold.m2"]}.get(name, TEXT)
    system = name if name in ("all.parquet", "system.m2") else "output.txt"
    arguments = ["score", "--stream", *gold, "-p", system, "-m", "gleu", "--batch-size", "5"]
    pyarrow.parquet.write_table(pyarrow.table({"output": OUTPUTS}), files / "all.parquet", compression="none")
    stopped(3, arguments)
    path, content, before = files / name, (files / name).read_bytes(), (files / name).stat()
    place = content.index(OUTPUTS[0].encode()) if name == "all.parquet" else 2
    path.write_bytes(content[:place] + content[place : place + 6].swapcase() + content[place + 6 :])
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))
    assert path.stat().st_size == before.st_size
    refused([*arguments, *TABLE, "--resume"], rf"{name}: the first 15 sentences changed since the interrupted run")


def test_another_standard_input_is_refused(files, refused, stopped, monkeypatch):
    from_input = ["-" if word == "output.txt" else word for word in SCORE]
    monkeypatch.setattr("sys.stdin", (files / "output.txt").open())
    stopped(9, from_input)
    (files / "other.txt").write_text("".join(f"{line}\n" for line in [*OUTPUTS[1:], OUTPUTS[0]]))
    monkeypatch.setattr("sys.stdin", (files / "other.txt").open())
    changed = "standard input: the first 20 sentences changed since the interrupted run"
    refused([*from_input, *TABLE, "--resume"], changed)


def test_a_part_that_is_short_is_refused(files, refused, stopped):
    stopped(9)
    part = files / "per.parquet.journal" / "part-000001.parquet"
    table = pyarrow.parquet.read_table(part)
    pyarrow.parquet.write_table(table.slice(0, table.num_rows - 1), part)
    refused(
        [*SCORE, *TABLE, "--resume"],
        "part-000001.parquet: has changed since the interrupted run wrote 5 rows to this file",
    )


def test_where_nothing_can_be_written_a_run_goes_to_its_end(files, run, often_saved, monkeypatch):
    def no_space(*_):
        raise OSError(28, "No space left on device")

    expected = run(*SCORE)
    monkeypatch.setattr(streaming.StateJournal, "save", no_space)
    with pytest.warns(UserWarning, match="this run cannot be resumed if it is interrupted: .*No space left") as warned:
        assert run(*SCORE) == expected
    assert len(warned) == 1


def test_what_was_seen_before_the_stop_still_counts(files, refused, stopped):
    """References that are shifted, but for the last lines, which alone come after the stop."""
    lines = (files / "source.txt").read_text().splitlines(keepends=True) * 24
    (files / "long.txt").write_text("".join(lines))
    (files / "shifted.txt").write_text("".join([*lines[1:601], *lines[600:]]))
    arguments = ["score", "--stream", "-s", "long.txt", "-r", "shifted.txt", "-p", "long.txt", "-m", "bleu"]
    arguments += ["--batch-size", "300"]
    stopped(2, arguments)
    refused([*arguments, *TABLE, "--resume"], "2 of 4 batches .* look shifted")


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_says_how_far_it_came(number, files, run, monkeypatch):
    arguments = ["score", "--stream", *TEXT, "-p", "-", "--batch-size", "5", *TABLE]
    command, pipe = [sys.executable, "-m", "gecbench", *arguments], subprocess.PIPE
    with subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=pipe) as running:
        running.stdin.write("".join(f"{line}\n" for line in OUTPUTS[:12]).encode())
        running.stdin.flush()
        eventually((files / "per.parquet.journal").exists, seconds=60)
        running.send_signal(number)
        output, errors = running.communicate()
    assert (running.returncode, output) == (130, b"")
    assert re.search(rb"stopped after (5|10) sentences .saved in .*. To resume, run the same", errors), errors
    monkeypatch.setattr("sys.stdin", (files / "output.txt").open())
    assert run(*arguments, "--resume").startswith("system")
    assert scale.scores(scale.read("per.parquet"))["gleu"] == demo().alone["gleu"]


@pytest.mark.parametrize("gold", [TEXT, ["-c", "demo"]], ids=["columns", "corpus"])
def test_batches_of_bad_rows_alone_are_in_the_table_of_sentences(gold, files, run):
    rows = [*[None] * 10, *OUTPUTS[10:20], *[None] * 10, *OUTPUTS[30:37], *[None] * 5]
    pyarrow.parquet.write_table(pyarrow.table({"output": rows}), "null.parquet")
    arguments = ["score", "--stream", *gold, "-p", "null.parquet", "--on-bad", "skip", "-f", "json", "-m", "m2"]
    printed = json.loads(run(*arguments, "--batch-size", "5", *TABLE))
    table = scale.read("per.parquet")
    assert table["index"].to_pylist() == list(range(42))
    assert [fault is None for fault in table["fault"].to_pylist()] == [row is not None for row in rows]
    assert table["m2_score"].null_count == 25
    score = scale.scores(table)["m2"]
    assert score.signature["skipped"] == "25"
    assert printed["systems"][0]["scores"][0]["signature"] == str(score.signature)


def test_shifted_references_are_refused(files, refused, run):
    lines = (files / "source.txt").read_text().splitlines(keepends=True)
    (files / "shifted.txt").write_text("".join([*lines[1:], lines[0]]))
    arguments = ["score", "--stream", "-s", "source.txt", "-r", "ref0.txt.gz", "shifted.txt", "-p", "output.txt"]
    refused([*arguments, "--batch-size", "5"], "shifted.txt: the references look shifted from line 1 on")
    assert "GLEU" in run(*arguments, "--aligned")


def test_options_of_streams_alone(files, refused):
    refused(["score", *TEXT, "-p", "output.txt", "--resume"], "--resume needs --stream. Add --stream")
    refused(["score", *TEXT, "-p", "output.txt", "--batch-size", "2"], "--batch-size needs --stream. Add --stream")
    refused(["score", *TEXT, "-p", "output.txt", "--on-bad", "skip"], "--on-bad needs --stream or --engine spark")
