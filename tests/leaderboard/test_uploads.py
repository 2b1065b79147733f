"""Uploads: the queue, the rate limit, and the folder of accepted submissions."""

import os
import sys
import threading

import pytest
from boards import DEMO, GOOD
from waiting import eventually

from gecbench.corpus.prepare import Preprocessing
from gecbench.errors import InputError, UnwritableError
from gecbench.leaderboard.records import digest
from gecbench.leaderboard.store import FolderStore
from gecbench.leaderboard.submission import Submission, read_outputs, validate_outputs
from gecbench.leaderboard.uploads import PendingFolder, Queue, Rate, form_error


def test_queue_refuses_when_full_and_reports_failures():
    queue = Queue(most_waiting=2)
    started, go = threading.Event(), threading.Event()

    def slow(progress):
        progress("slow", 0.5)
        started.set()
        go.wait(10)
        raise InputError("no good")

    def add(work):
        job = queue.prepare()
        if job is not None:
            queue.start(job, work)
        return job

    first = add(slow)
    assert started.wait(10)
    assert first.report()["stage"] == "slow"
    second = add(lambda progress: {"rank": 1})
    assert add(slow) is None
    go.set()
    queue.close()
    assert (first.state, first.result) == ("failed", {"error": "no good."})
    assert second.state in ("done", "waiting")
    queue.discard(second)
    assert queue.find(second.id) is None
    assert queue.find(first.id) is first
    assert queue.find("other") is None


def test_rate_forgets_after_a_minute():
    now = [0.0]
    rate = Rate(2, clock=lambda: now[0])
    assert [rate.allows("a"), rate.allows("a"), rate.allows("a"), rate.allows("b")] == [True, True, False, True]
    now[0] = 61
    assert rate.allows("a")
    assert list(rate._times) == ["a"]


def test_damaged_leftovers_are_passed_over(tmp_path):
    waiting = PendingFolder(tmp_path / "waiting")
    assert list(waiting.load()) == []
    waiting.save("good", Submission(system="s", predictions=GOOD, links=["https://example.org"]), DEMO.name)
    for name, content in {"a": "", "b": "[]", "c": '{"corpus": "demo"}', "d": '{"submission": {}}'}.items():
        (tmp_path / "waiting" / f"{name}.json").write_text(content)
    ((name, submission, corpus, tries),) = waiting.load()
    assert (name, submission.system, list(submission.predictions)) == ("good", "s", list(GOOD))
    assert (corpus, tries) == ("demo", 0)
    assert submission.about()["links"] == [{"title": "", "url": "https://example.org"}]
    waiting.remove(name)
    waiting.remove(name)
    assert list(waiting.load()) == []


def test_a_job_that_cannot_be_written_waits_and_is_tried_again():
    queue, tries = Queue(retry_seconds=0.05), []

    def work(progress):
        tries.append(1)
        if len(tries) == 1:
            raise UnwritableError("cannot write: No space left on device", file="/srv/board/records")
        if len(tries) == 2:
            raise OSError(28, "No space left on device")
        go.wait(20)
        return {"rank": 1}

    go = threading.Event()
    job = queue.prepare()
    queue.start(job, work)
    eventually(lambda: "cannot be changed" in job.stage, "it is not tried")
    assert job.state in ("waiting", "running")
    assert "/srv" not in str(job.report())
    go.set()
    eventually(lambda: job.state == "done", "it is not tried again")
    assert (len(tries), job.result) == (3, {"rank": 1})
    queue.close()


@pytest.mark.skipif(sys.platform == "win32", reason="needs links and pipes")
def test_links_and_pipes_and_deep_json_are_passed_over(tmp_path):
    waiting = PendingFolder(tmp_path / "waiting")
    waiting.save("good", Submission(system="s", predictions=GOOD), DEMO.name)
    (tmp_path / "waiting/a.json").write_bytes(b"[" * 200_000)
    (tmp_path / "waiting/b.json").symlink_to(tmp_path / "nothing")
    (tmp_path / "waiting/c.json").symlink_to(tmp_path / "waiting/good.json")
    os.mkfifo(tmp_path / "waiting/d.json")
    (tmp_path / "waiting/e.json").mkdir()
    (tmp_path / "waiting/f.json").write_bytes(b'{"corpus": "demo", "submission": {"system": "s", "predictions": 7}}')
    assert "good" in [left.name for left in waiting.load()]
    assert len(list(waiting.load())) <= 2
    store = FolderStore(tmp_path)
    store.put_resampled("good", [0.5])
    for question, make in {
        "deep": lambda path: path.write_bytes(b"[" * 200_000),
        "link": lambda path: path.symlink_to(tmp_path / "nothing"),
        "pipe": os.mkfifo,
    }.items():
        make(tmp_path / "tests" / f"{digest(question.encode())}.json")
        assert store.get_resampled(question) is None
    assert store.get_resampled("good") == [0.5]


def prepare(lines):
    Preprocessing(foreign="error").prepare(DEMO, lines, "predictions")


def validate(lines):
    validate_outputs(lines, DEMO, "out.txt")


SHIFTED = [*GOOD[1:], GOOD[0]]
RAW = [line.replace(" .", ".").replace(" ,", ",") for line in GOOD]


@pytest.mark.parametrize(
    ("lines", "check", "control"),
    [
        ([f"Corrected: {line}" for line in GOOD], prepare, 'Tick "Remove labels and quotes"'),
        (RAW, prepare, 'Choose "raw text" under Tokens'),
        (SHIFTED, prepare, 'tick "Skip the check for shifted lines"'),
        (SHIFTED, validate, 'tick "Skip the check for shifted lines"'),
        (list(DEMO.sources), validate, "Choose the file of the system's outputs"),
    ],
    ids=["labels", "raw", "shifted", "neighbors", "source"],
)
def test_errors_name_the_controls_of_the_form(lines, check, control):
    with pytest.raises(InputError) as error:
        check(lines)
    words = str(form_error(error.value))
    assert control in words
    assert not any(mark in words for mark in ("--", "=True", "gecbench.", "tokenize="))


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"system": " "}, "the name of the system is empty. Enter at least one visible character."),
        (
            {"system": "s", "links": ["ftp://x"]},
            "the link is 'ftp://x', not a link. Links start with http:// or https://.",
        ),
    ],
    ids=["name", "link"],
)
def test_errors_name_the_fields_of_the_form(fields, message):
    with pytest.raises(InputError) as error:
        Submission(predictions=GOOD, **fields)
    assert str(form_error(error.value)) == message


def test_advice_without_a_control_is_left_out():
    table = "\n".join(["id\tprediction", *(f"{i}\t{line}" for i, line in enumerate(GOOD))])
    with pytest.raises(InputError, match="column=NAME") as error:
        read_outputs(table.encode(), "output.txt", DEMO)
    assert "column" not in str(form_error(error.value))
