"""The command line as a person and a script use it."""

import argparse
import gzip
import importlib
import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from programs import modules_imported_by

import gecbench
from gecbench.cli import main
from gecbench.cli.main import COMMANDS
from gecbench.corpora.demo import DATA

SYSTEMS = [str(DATA / "systems" / f"{name}.txt") for name in ("do-nothing", "good-corrector")]
PLAIN = ["-s", str(DATA / "source.txt"), "-r", *(str(DATA / f"reference{k}.txt") for k in range(4))]


def value(output):
    return json.loads(output)["systems"][0]["scores"][0]["value"]


def test_all_ways_to_name_a_corpus_agree(run, tmp_path):
    expected = gecbench.GLEU().score_corpus(gecbench.load_demo(), gecbench.load_demo_systems()["good-corrector"]).value
    good = SYSTEMS[1]
    assert value(run("score", *PLAIN, "-p", good, "-f", "json")) == expected
    assert value(run("score", "-c", "demo", "-p", good, "-f", "json")) == expected
    run("convert", *PLAIN, "-o", tmp_path / "demo.jsonl")
    assert value(run("score", "-c", tmp_path / "demo.jsonl", "-p", good, "-f", "json")) == expected
    packed = tmp_path / "out.txt.gz"
    packed.write_bytes(gzip.compress((DATA / "systems" / "good-corrector.txt").read_bytes()))
    output = json.loads(run("score", "-c", "demo", "-p", packed, "-f", "json"))
    assert output["systems"][0]["system"] == "out"
    assert value(json.dumps(output)) == expected


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


def test_json_has_one_shape(run):
    for extra in ([], ["--resamples", "20"]):
        found = json.loads(run("score", *PLAIN, "-p", *SYSTEMS, "-m", "gleu", "bleu", "-f", "json", *extra))
        assert [entry["system"] for entry in found["systems"]] == ["good-corrector", "do-nothing"]
        for entry in found["systems"]:
            for scored in entry["scores"]:
                assert set(scored) == {"metric", "value", "parts", "diagnostics", "interval", "sentences", "signature"}
                assert (scored["interval"] is None) == (not extra)
                assert gecbench.make_metric(scored["signature"]).name == scored["metric"]
        assert found["tests"] == []
    compared = json.loads(run("compare", *PLAIN, "-p", *SYSTEMS, "--resamples", "20", "-f", "json"))
    (test,) = compared["tests"]
    assert (test["system"], test["baseline"], test["p_value"]) == ("good-corrector", "do-nothing", 1 / 21)


def test_per_sentence(run):
    scores = gecbench.score(gecbench.load_demo_systems()["good-corrector"], gecbench.load_demo())[
        "gleu"
    ].sentence_scores()
    rows = run("score", "-c", "demo", "-p", SYSTEMS[1], "--per-sentence", "-f", "tsv").splitlines()
    assert rows[0] == "id\tgleu"
    assert rows[1:] == [f"{i}\t{100 * score:.2f}" for i, score in enumerate(scores, start=1)]
    objects = run("score", "-c", "demo", "-p", SYSTEMS[1], "--per-sentence", "-f", "json").splitlines()
    assert [json.loads(line)["value"] for line in objects] == scores.tolist()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["compare", "-c", "demo", "-p", *SYSTEMS, "--resamples", "0"], "needs resamples"),
        (["compare", "-c", "demo", "-p", SYSTEMS[0]], "needs two systems"),
    ],
)
def test_wrong_use(refused, folder, arguments, message):
    refused(arguments, message)
    assert not list(folder.iterdir())


@pytest.mark.parametrize("arguments", [["score"], ["score", "-p"], ["unknown"], ["demo", "-f", "xml"]])
def test_usage_errors_exit_with_2(capsys, arguments):
    with pytest.raises(SystemExit, match=r"^2$"):
        main(arguments)
    assert capsys.readouterr().err.startswith("gecbench")


@pytest.mark.parametrize("arguments", [[], ["--help"]])
def test_help_lists_every_command_with_its_own_help(capsys, arguments):
    with pytest.raises(SystemExit, match=r"^0$"):
        main(arguments)
    text = capsys.readouterr().out.partition("commands:\n")[2].partition("\n\n")[0]
    listed = dict(line.split(maxsplit=1) for line in text.splitlines())
    folder = Path(gecbench.cli.__file__).parent
    commands = [path.stem for path in folder.rglob("*.py") if "\ndef add_parser" in path.read_text(encoding="utf-8")]
    assert {"demo", "score", "leaderboard", "push", "data"} <= set(commands) == set(listed)
    for command in commands:
        parsers = argparse.ArgumentParser().add_subparsers()
        module, summary = COMMANDS[command]
        importlib.import_module(f"gecbench.cli.{module}").add_parser(parsers, summary)
        assert list(parsers.choices) == [command]
        assert parsers.choices[command].description == f"{listed[command]}."


@pytest.mark.parametrize("word", ["options", "main", "unknown", "__init__", "../cli/score"])
def test_what_is_no_command(capsys, word):
    with pytest.raises(SystemExit, match=r"^2$"):
        main([word])
    assert re.search(rf"gecbench: there is no command '{word}'. Commands: .*demo.*score", capsys.readouterr().err)


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


def test_the_python_kernels_are_imported_only_where_they_run():
    if gecbench.kernels.active() != "native":
        pytest.skip("the Python kernels run here")
    imported = modules_imported_by("m2scorer", SYSTEMS[1], DATA / "gold.m2")
    assert "gecbench._native" in imported
    assert "gecbench.kernels.greedy" not in imported


@pytest.mark.parametrize("command", ["demo", "score", "compare", "convert", "doctor", "run", "results", "push", "data"])
def test_help_has_examples(capsys, command):
    with pytest.raises(SystemExit, match=r"^0$"):
        main([command, "--help"])
    assert "examples:\n  " in capsys.readouterr().out


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
def test_a_full_disk_is_one_sentence():
    with Path("/dev/full").open("w") as full:
        done = subprocess.run([*installed_program(), "doctor"], stdout=full, stderr=subprocess.PIPE, check=False)
    assert b"No space left on device" in done.stderr
    assert b"Traceback" not in done.stderr
