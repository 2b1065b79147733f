from __future__ import annotations

import json
import zipfile

import pytest
from corpora_support import place_of, write_tar

from gecbench.cli import main
from gecbench.corpora.demo import load_demo
from gecbench.corpus.tokenize import detokenize


@pytest.fixture
def run(tiny_environment, tmp_path, monkeypatch, capsys):
    """Run a command in an empty folder; return its status, what it printed, and its errors."""
    monkeypatch.chdir(tmp_path)

    def run_command(*words):
        status = main([*words])
        return (status, *capsys.readouterr())

    return run_command


def test_the_list_has_every_corpus_of_the_catalog(run):
    status, printed, _ = run("corpora", "--format", "json")
    entries = {entry["name"]: entry for entry in json.loads(printed)}
    wanted = "bea19:dev bea19:test conll13 conll14 conll14:alt bn15 cweb:g cweb:s ua-gec:gec-only ua-gec:gec-fluency"
    assert (status, {*wanted.split(), "geccc", "mucgec:dev", "jfleg"} - set(entries)) == (0, set())
    assert entries["cweb:s"]["metric"] == "errant"
    assert entries["cweb:s"]["sentences"] == {"validation": 2862, "test": 2864}
    assert (entries["bea19:test"]["metric"], entries["bea19:test"]["gold"]) == (None, "none")
    assert [name for name, entry in entries.items() if entry["terms"]] == ["bea19:dev", "bea19:test"]
    assert all(entry[key] for entry in entries.values() for key in ("license", "citation", "tokenization", "homepage"))


def test_one_corpus_with_its_files(run):
    _, printed, _ = run("corpora", "geccc")
    assert "Náplava et al. 2022" in printed
    assert "data/test/sentence.m2\n    sha256 " in printed
    assert "paragraph.m2" not in printed
    status, _, error = run("corpora", "gecc")
    assert (status, "no corpus 'gecc'. Did you mean geccc?" in error) == (2, True)


@pytest.mark.parametrize(
    ("name", "listed"),
    [("bea19", "bea19:dev"), ("cweb:s:dev", "cweb:s"), ("conll14:bn15", "bn15"), ("mucgec", "mucgec:dev")],
)
def test_any_name_of_a_corpus_is_described(run, name, listed):
    assert run("corpora", name)[1].startswith(f"{listed}\ntitle: ")


def test_the_list_fits_80_columns(run, monkeypatch):
    monkeypatch.delenv("GECBENCH_ACCEPT_LICENSE")
    monkeypatch.setenv("COLUMNS", "80")
    lines = run("corpora")[1].splitlines()
    assert (max(map(len, lines)) <= 80, sum(line.startswith("corpus") for line in lines)) == (True, 1)


def test_a_license_is_accepted_by_an_option(run, monkeypatch):
    monkeypatch.delenv("GECBENCH_ACCEPT_LICENSE")
    status, _, error = run("data", "source", "bea19:test")
    assert (status, "gecbench corpora --accept-license bea19" in error) == (2, True)
    assert "other, accept" in run("corpora")[1]
    assert run("corpora", "--accept-license", "bea19")[1].startswith(
        "You accepted the license of bea19: non-commercial"
    )
    assert "other, accept" not in run("corpora")[1]
    assert run("data", "source", "bea19:test")[1].splitlines()[1] == "My town are small ."
    only = "'jfleg' has no license that must be accepted. Only bea19 has such a license."
    assert only in run("corpora", "--accept-license", "jfleg")[2]
    assert "there is no corpus 'jfle'. Did you mean jfleg?" in run("corpora", "--accept-license", "jfle")[2]


def test_the_demo_corpus_is_listed(run):
    assert run("corpora")[1].splitlines()[2].split() == ["demo", "en", "–", "42", "text", "gleu", "apache-2.0"]
    _, printed, _ = run("corpora", "demo")
    assert (printed.splitlines()[0], "files:" in printed) == ("demo", False)


def test_marks_of_the_list_are_explained(run, monkeypatch):
    monkeypatch.delenv("GECBENCH_ACCEPT_LICENSE")
    legend = "?: counted after the download. accept: accept the license (--accept-license)."
    assert run("corpora")[1].endswith(f"\n\n{legend}\n")
    assert "counted after" not in run("corpora", "-f", "tsv")[1]


def test_a_submission_has_one_line_per_sentence(run, tmp_path):
    run("data", "source", "bea19:test", "-o", "source.txt")
    lines = (tmp_path / "source.txt").read_text().splitlines()
    (tmp_path / "out.txt").write_text("".join(f"{line}\n" for line in lines).replace("are small", "is small"))
    submit = ("data", "submission", "bea19:test", "-o", "bea19.zip", "-p")
    status, printed, _ = run(*submit, "out.txt")
    assert (status, printed) == (0, "bea19.zip: 5 sentences in bea19.test.txt\n")
    with zipfile.ZipFile(tmp_path / "bea19.zip") as archive:
        assert archive.namelist() == ["bea19.test.txt"]
        assert archive.read("bea19.test.txt").decode().splitlines()[1] == "My town is small ."
    (tmp_path / "short.txt").write_text("My Town\n")
    (tmp_path / "bea19.zip").unlink()
    status, _, error = run(*submit, "short.txt")
    assert (status, "short.txt" in error, (tmp_path / "bea19.zip").exists()) == (2, True, False)
    status, _, error = run("data", "submission", "conll14", "-p", "out.txt", "-o", "conll14.zip")
    assert (
        status,
        "conll14 is not a test set with private references. To score the outputs, run: gecbench score" in error,
    ) == (2, True)


def test_a_submission_of_many_sentences(run, tiny_environment, tmp_path):
    """Outputs may be the source itself; raw text is refused, and tokenized on request."""
    sources = load_demo().sources
    members = {"m2/ABCN.dev.gold.bea19.m2": "S Fine .\n", "test/ABCN.test.bea19.orig": "\n".join(sources)}
    write_tar(
        place_of(tiny_environment, "bea19"), *((f"wi+locness/{name}", text.encode()) for name, text in members.items())
    )
    raw = "".join(f"{line}\n" for line in detokenize(sources))
    submit = ("data", "submission", "bea19:test", "-o", "bea19.zip", "-p", "out.txt")
    for text, options in (("".join(f"{line}\n" for line in sources), ()), (raw, ("--tokenize", "auto"))):
        (tmp_path / "out.txt").write_text(text)
        assert run(*submit, *options)[:2] == (0, "bea19.zip: 42 sentences in bea19.test.txt\n")
        with zipfile.ZipFile(tmp_path / "bea19.zip") as archive:
            assert archive.read("bea19.test.txt").decode().splitlines() == list(sources)
    status, _, error = run(*submit)
    assert (status, "not tokenized like their sources" in error) == (2, True)


def test_score_uses_the_official_metric(run, tmp_path):
    run("data", "source", "conll14", "-o", "out.txt")
    scored = json.loads(run("score", "-c", "conll14", "-p", "out.txt", "--format", "json")[1])
    assert "m2" in json.dumps(scored)
    assert "gleu" not in json.dumps(scored)
    printed = run("score", "-c", "conll14_fluency:expert_minimal", "-p", "out.txt", "--aligned")[1]
    assert printed.split()[1].lower() == "gleu"
    assert "beta:1.0" in run("score", "-c", "conll13", "-p", "out.txt")[1]


def test_the_manual_lists_what_the_command_lists(repository, capsys, monkeypatch, tmp_path):
    monkeypatch.setenv("HF_HOME", str(tmp_path))
    main(["corpora", "--format", "markdown"])
    manual = (repository / "docs" / "corpora.md").read_text(encoding="utf-8")
    _, _, rest = manual.partition("<!-- gecbench corpora --format markdown -->\n")
    assert rest.startswith(capsys.readouterr().out), "write the output of the command under its mark"
