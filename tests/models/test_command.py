"""`cmd:COMMAND`: what a command prints is paired with its sentences, or the failure is named and the rest kept."""

import os
import re
import subprocess
import time

import pytest
from corrections import SMALL, UPPER, check_failure, kept_texts
from programs import script
from waiting import eventually

import gecbench
from gecbench.models import ModelError

ECHO = "for line in sys.stdin:\n    sys.stdout.write(line.upper())\n"
posix = pytest.mark.skipif(os.name != "posix", reason="the shell is sh")


@posix
@pytest.mark.parametrize("timeout", [None, 0.5, 30])
def test_what_a_command_leaves_behind_does_not_hold_the_run(timeout):
    before = time.monotonic()
    assert gecbench.correct("cmd:sleep 60 & cat", SMALL, timeout=timeout) == list(SMALL.sources)
    assert time.monotonic() - before < 50, "it waited for the sleeper"


@pytest.mark.parametrize("batch", [None, 1, 2, 100])
def test_a_command_maps_lines_to_lines(tmp_path, batch):
    output = tmp_path / "out.txt"
    assert gecbench.correct(script(tmp_path, ECHO), SMALL, output, batch=batch) == UPPER
    assert gecbench.correct(script(tmp_path, ECHO), SMALL, batch=batch) == UPPER
    assert output.read_bytes().decode() == "".join(f"{line}\n" for line in UPPER)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["model.py", "out.txt", "out.txt.run.json"]


@pytest.mark.parametrize(("batch", "starts"), [(None, 1), (2, 3)])
def test_how_often_a_command_starts(folder, batch, starts):
    command = script(folder, "open('starts', 'a').write('x')\n" + ECHO)
    gecbench.correct(command, SMALL, batch=batch)
    assert (folder / "starts").read_text() == "x" * starts


@posix
def test_a_command_goes_through_the_shell():
    assert gecbench.correct("cmd:cat | sed 's/is/are/' | cat", SMALL)[4] == "They are ."


def test_carriage_returns_and_a_missing_last_newline(tmp_path):
    command = script(tmp_path, "sys.stdout.write('\\r\\n'.join(line.strip() for line in sys.stdin))")
    assert gecbench.correct(command, gecbench.Corpus(sources=["a b", "c d"])) == ["a b", "c d"]


def test_large_input_and_output_do_not_block(tmp_path):
    corpus = gecbench.Corpus(sources=["word " * 200] * 3000)
    command = script(tmp_path, "text = sys.stdin.read()\nprint(text * 1, end='')\nsys.stderr.write('x' * 300000)")
    assert gecbench.correct(command, corpus) == list(corpus.sources)


FAILURES = {
    "dies": (
        "for k in range(3):\n    print(k)\nprint('torn', end='', flush=True)\nos._exit(3)",
        3,
        "exit code 3 after 3 of 5 lines.*line 4",
    ),
    "dies at once": (
        "raise SystemExit('no model here')",
        0,
        "exit code 1 after 0 of 5 lines, saying 'no model here'.*line 1",
    ),
    "fails at the end": (ECHO + "sys.exit(7)", 5, "exit code 7 after 5 of 5"),
    "not UTF-8": (
        "print('one', flush=True)\nsys.stdout.buffer.write(b'caf\\xe9\\n')",
        1,
        "not UTF-8: byte 0xe9 at offset 3.*line 2",
    ),
    "hangs": (
        "print('one', flush=True)\ntime.sleep(60)",
        1,
        "printed nothing for 2 s after 1 of 5 lines.*line 2",
    ),
    "a line break inside": (
        "for line in sys.stdin:\n    print('a\\rb' if line == '\\n' else 'x', flush=True)",
        1,
        r"line break.*line 2.*flatten_lines=True.*then repeat the run to resume\.$",
    ),
    "one endless line": (
        "while True:\n    sys.stdout.write('x' * 100000)",
        0,
        "a line of more than 1,000,000 bytes.*line 1",
    ),
}


@pytest.mark.parametrize(("body", "kept", "message"), FAILURES.values(), ids=FAILURES)
def test_a_command_that_fails(tmp_path, body, kept, message):
    timeout = 2 if "sleep" in body else None
    check_failure(script(tmp_path, body), tmp_path / "out.txt", kept, message, timeout=timeout)


@posix
@pytest.mark.parametrize(
    "body", ["time.sleep(60)", "while True: print('y')", "print(b'\\xff', flush=True)\ntime.sleep(60)"]
)
def test_a_failed_command_and_what_it_started_are_ended(tmp_path, body):
    command = script(tmp_path, f"open({str(tmp_path / 'pid')!r}, 'w').write(str(os.getpid()))\n{body}")
    with pytest.raises(ModelError):
        gecbench.correct(f"{command} | cat", SMALL, timeout=1)
    question = ["ps", "-o", "stat=", "-p", (tmp_path / "pid").read_text()]

    def ended():
        return subprocess.run(question, capture_output=True, check=False).stdout.strip()[:1] in (b"", b"Z")

    eventually(ended, "the command was left running")


MISCOUNTS = {
    "fewer": ("print(sys.stdin.readline(), end='')", 1, "printed 1 line for 5 sentences.*line 2"),
    "none": ("sys.stdin.read()", 0, "printed 0 lines for 5 sentences.*line 1"),
    "one more": ("print('Loading the model')\n" + ECHO, 6, "printed 6 lines for 5 sentences.*line 5"),
    "endless": ("while True:\n    print('y')", 11, "printed 11 lines for 5 sentences"),
}


@pytest.mark.parametrize(("body", "printed", "message"), MISCOUNTS.values(), ids=MISCOUNTS)
def test_a_miscount_rejects_what_cannot_be_paired_and_keeps_the_rest(tmp_path, body, printed, message):
    corpus = gecbench.Corpus(sources=["first", *SMALL.sources])
    output, marker = tmp_path / "out.txt", tmp_path / "marker"
    first = f"if not os.path.exists({str(marker)!r}):\n    open({str(marker)!r}, 'w')\n"
    first += "    print(sys.stdin.readline(), end='', flush=True)\n    os._exit(1)\n"
    command = script(tmp_path, first + body)
    with pytest.raises(ModelError, match="after 1 of 6 lines"):
        gecbench.correct(command, corpus, output)
    message = re.sub(r"line (\d)", lambda found: f"line {int(found[1]) + 1}", message)
    with pytest.raises(ModelError, match=message + r".*output \(rejected output: .*out.txt.rejected.txt\)\.$"):
        gecbench.correct(command, corpus, output)
    assert kept_texts(output) == ["first"], "the earlier output is kept"
    assert not output.exists()
    rejected = (tmp_path / "out.txt.rejected.txt").read_bytes()
    assert rejected.count(b"\n") == printed
    script(tmp_path, ECHO)
    assert gecbench.correct(command, corpus, output) == ["first", *UPPER]


@pytest.mark.parametrize(("sentence", "message"), [("a\nb", "line break"), ("a\ud800b", "lone surrogate")])
def test_sentences_that_no_line_can_hold(tmp_path, sentence, message):
    with pytest.raises(ModelError, match=f"{message}.*line 2"):
        gecbench.correct(script(tmp_path, ECHO), gecbench.Corpus(sources=["fine", sentence]))
