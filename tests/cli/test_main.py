"""The command line as a whole: help, the program itself, what it imports, how it is stopped."""

import importlib
import os
import re
import shutil
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest
from programs import modules_imported_by

import gecbench
from gecbench.cli import main
from gecbench.cli.main import COMMANDS
from gecbench.cli.options import Parser
from gecbench.corpora.demo import DATA

SYSTEMS = [str(DATA / "systems" / f"{name}.txt") for name in ("do-nothing", "good-corrector")]


def installed_program():
    program = shutil.which("gecbench", path=str(Path(sys.executable).parent))
    return [program] if program else [sys.executable, "-m", "gecbench"]


def test_a_terminal_without_unicode_does_not_break_it():
    environment = {**os.environ, "PYTHONIOENCODING": "ascii"}
    done = subprocess.run([*installed_program(), "demo"], capture_output=True, check=True, env=environment)
    assert b"good-corrector" in done.stdout


def test_standard_input_and_the_installed_program():
    command = installed_program()
    outputs = (DATA / "systems" / "good-corrector.txt").read_bytes()
    done = subprocess.run(
        [*command, "score", "-c", "demo", "-p", "-", "-f", "tsv"], input=outputs, capture_output=True, check=True
    )
    assert done.stdout.decode().splitlines()[1].startswith("standard input\t")
    failed = subprocess.run([*command, "score", "-c", "demo", "-p", "nowhere"], capture_output=True, check=False)
    assert failed.returncode == 2
    assert failed.stderr.decode() == "gecbench: nowhere: no such file. Check the path.\n"


@pytest.mark.parametrize("arguments", [[], ["--help"]])
def test_help_lists_every_command_with_its_own_help(exits, arguments):
    text = exits(arguments).out.partition("commands:\n")[2].partition("\n\n")[0]
    listed = dict(line.split(maxsplit=1) for line in text.splitlines())
    folder = Path(gecbench.cli.__file__).parent
    commands = [path.stem for path in folder.rglob("*.py") if "\ndef add_parser" in path.read_text(encoding="utf-8")]
    assert {"demo", "score", "leaderboard", "push", "data"} <= set(commands) == set(listed)
    for command in commands:
        parsers = Parser().add_subparsers()
        module, summary = COMMANDS[command]
        importlib.import_module(f"gecbench.cli.{module}").add_parser(parsers, summary)
        assert list(parsers.choices) == [command]
        assert parsers.choices[command].description == f"{listed[command]}."


@pytest.mark.parametrize("word", ["options", "main", "unknown", "__init__", "../cli/score"])
def test_unknown_commands(exits, word):
    assert re.search(rf"gecbench: unknown command '{word}'. Commands: .*demo.*score", exits([word], 2).err)


@pytest.mark.parametrize("word", ["--version", "--help"])
def test_the_program_starts_without_what_it_does_not_need(word):
    imported = modules_imported_by(word)
    ours = {name for name in imported if name.partition(".")[0] == "gecbench"}
    assert ours == {"gecbench", "gecbench.version", "gecbench.errors", "gecbench.cli", "gecbench.cli.main"}
    heavy = {"numpy", "argparse", "typing", "dataclasses", "importlib.metadata", "pathlib", "pkgutil", "json"}
    assert not heavy & imported


HEAVY = {"datasets", "evaluate", "huggingface_hub", "pandas", "pyarrow", "rapidfuzz", "sacrebleu", "scipy"}
HEAVY |= {"tqdm", "yaml", "ssl", "http.client", "urllib.request", "tarfile", "zipfile", "importlib.metadata"}


@pytest.mark.parametrize(
    "words",
    [
        ["score", "-c", "demo", "-p", SYSTEMS[1]],
        ["score", "-m", "m2", "imeasure", "--gold", DATA / "gold.m2", "-p", SYSTEMS[1]],
        ["m2scorer", SYSTEMS[1], DATA / "gold.m2"],
        ["ieval", f"-ref:{DATA / 'gold.m2'}", f"-hyp:{SYSTEMS[1]}"],
    ],
)
def test_scoring_imports_numpy_alone(words):
    imported = modules_imported_by(*words)
    assert "numpy" in imported
    assert not HEAVY & imported


@pytest.mark.parametrize("command", ["human", "leaderboard", "push", "results", "run"])
def test_help_of_a_command_imports_no_more(command):
    assert not {*HEAVY, "starlette", "transformers"} & modules_imported_by(command, "--help")


def test_scoring_a_named_corpus_imports_numpy_alone(mirror, tmp_path):
    lines = mirror.lines("jfleg/test/test.ref1")
    (tmp_path / "system.txt").write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    assert not HEAVY & modules_imported_by("score", "-c", "jfleg:test", "-p", tmp_path / "system.txt")


def test_python_kernels_are_imported_only_where_they_run():
    if gecbench.kernels.active() != "native":
        pytest.skip("the Python kernels run here")
    imported = modules_imported_by("m2scorer", SYSTEMS[1], DATA / "gold.m2")
    assert "gecbench._native" in imported
    assert "gecbench.kernels.greedy" not in imported


@pytest.mark.parametrize(("asked", "same"), [(["help"], []), (["help", "score"], ["score", "--help"])])
def test_help_is_a_command_too(exits, asked, same):
    assert exits(asked).out == exits(same).out


@pytest.mark.parametrize("command", ["human", "leaderboard"])
def test_a_command_without_its_action_lists_its_actions(exits, command):
    assert "\nactions:\n" in exits([command]).out


@pytest.mark.parametrize("stream", ["stdin", "stdout"])
def test_closed_streams(stream, monkeypatch, tmp_path, capsys):
    source = tmp_path / "s.txt"
    source.write_text("He goes .\n")
    monkeypatch.setattr(sys, stream, None)
    command = ["score", "-c", "demo", "-p", "-"] if stream == "stdin" else ["detokenize", str(source), "-o", "-"]
    assert main(command) == 2
    assert f"standard {stream.removeprefix('std')}put is closed" in capsys.readouterr().err


def test_stopped_while_the_command_is_imported(monkeypatch, capsys):
    def stop(_name):
        raise KeyboardInterrupt

    monkeypatch.setattr(sys.modules["gecbench.cli.main"], "import_module", stop)
    assert main(["score"]) == 130
    assert capsys.readouterr().err == "gecbench: stopped\n"


def test_stopped_while_a_library_is_imported(tmp_path):
    numpy = """
    import os, signal
    try:
        os.kill(os.getpid(), signal.SIGINT)
    except KeyboardInterrupt:
        raise ImportError("advice on how to install numpy")
    """
    (tmp_path / "numpy.py").write_text(textwrap.dedent(numpy))
    command = [sys.executable, "-m", "gecbench", "score", "-c", "demo", "-p", "x"]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(tmp_path), *sys.path])}
    stopped = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert (stopped.returncode, stopped.stdout, stopped.stderr) == (130, "", "gecbench: stopped\n")


@pytest.mark.parametrize("name", ["s.txt", "s.csv"])
def test_advice_names_the_options_of_the_command(name, folder, refused):
    (folder / name).write_text("She go .\n")
    in_python = r"Pass (gecbench\.Corpus\(sources=…, references=…\)|a data frame)\.$"
    with pytest.raises(gecbench.InputError, match=in_python):
        gecbench.score(["She go ."], name)
    refused(["meta", "-c", name], r"Convert it first: gecbench convert -s SOURCE -r REF -o corpus\.jsonl\.$")
    refused(["convert", name, "-o", "c.jsonl"], r"Give .* with (both )?-s and (references with )?-r")
