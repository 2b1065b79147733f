"""Lines and bytes of files: odd characters do not shift lines, and no write leaves or replaces what it should not."""

import gzip
import io
import os
import stat
import sys
import threading
from pathlib import Path

import pytest

from gecbench.cli import main
from gecbench.errors import InputError
from gecbench.formats.m2 import read_m2
from gecbench.formats.tables import write_parallel
from gecbench.formats.text import cache_folder, read_lines, write_bytes, write_lines
from gecbench.models import correct

ODD = [
    "plain",
    "",
    "trailing space ",
    " \t leading",
    "no\u00a0break",
    "line\u2028separator",
    "next\x85line",
    "form\x0cfeed",
    "é",
]
GOLD = "S He go home .\nA 1 2|||SVA|||goes|||REQUIRED|||-NONE-|||0\nA 1 2|||SVA|||went|||REQUIRED|||-NONE-|||1\n\n"
posix = pytest.mark.skipif(os.name != "posix", reason="needs links, pipes and modes")


class TestText:
    @pytest.mark.parametrize(
        ("content", "lines"),
        [
            pytest.param("\n".join([*ODD, ""]).encode(), ODD, id="odd characters do not shift lines"),
            pytest.param(b"\xef\xbb\xbfone\r\n\r\nthree", ["one", "", "three"], id="CRLF, byte order mark, no newline"),
            pytest.param(b"one\n\n\n", ["one", "", ""], id="empty lines at the end are data"),
        ],
    )
    def test_reading(self, content, lines, tmp_path, monkeypatch):
        (tmp_path / "a.txt").write_bytes(content)
        assert read_lines(tmp_path / "a.txt") == lines
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(content)))
        assert read_lines("-") == lines

    @pytest.mark.parametrize("name", ["a.txt", "a.txt.gz"])
    def test_round_trip(self, tmp_path, name):
        write_lines(tmp_path / name, ODD)
        assert read_lines(tmp_path / name) == ODD
        assert [path.name for path in tmp_path.iterdir()] == [name], "no temporary file is left"

    def test_gzip_is_reproducible(self, tmp_path):
        write_lines(tmp_path / "a.gz", ODD)
        assert gzip.decompress((tmp_path / "a.gz").read_bytes()) == "".join(f"{line}\n" for line in ODD).encode()
        first = (tmp_path / "a.gz").read_bytes()
        write_lines(tmp_path / "a.gz", ODD)
        assert (tmp_path / "a.gz").read_bytes() == first

    def test_nothing_half_written_where_it_cannot_write(self, tmp_path):
        with pytest.raises(InputError, match="cannot write"):
            write_lines(tmp_path / "missing" / "a.txt", ["x"])


def listed(folder="."):
    return sorted(path.name for path in Path(folder).iterdir())


@pytest.fixture
def gold(folder):
    (folder / "g.m2").write_text(GOLD)
    return folder / "g.m2"


@posix
class TestNotRegularFiles:
    def test_a_link_stays_a_link(self, gold, run):
        (gold.parent / "data").mkdir()
        Path("link.jsonl").symlink_to("data/real.jsonl")
        for _there in (False, True):
            run("convert", gold, "-o", "link.jsonl")
            assert Path("link.jsonl").is_symlink()
            assert listed("data") == ["real.jsonl"]
        assert '"He goes home ."' in (gold.parent / "data" / "real.jsonl").read_text()

    def test_a_pipe_is_written_to(self, gold, run):
        os.mkfifo("pipe.jsonl")
        read = []
        reader = threading.Thread(target=lambda: read.append((gold.parent / "pipe.jsonl").read_text()), daemon=True)
        reader.start()
        run("convert", gold, "-o", "pipe.jsonl")
        reader.join(10)
        assert '"He goes home ."' in read[0]
        assert stat.S_ISFIFO(Path("pipe.jsonl").stat().st_mode)

    def test_a_device_is_written_to(self, gold, run):
        Path("null.jsonl").symlink_to("/dev/null")
        run("convert", gold, "-o", "null.jsonl")
        assert Path("null.jsonl").is_symlink()
        assert stat.S_ISCHR(Path("/dev/null").stat().st_mode)
        assert listed() == ["g.m2", "null.jsonl"]

    def test_a_loop_of_links_is_refused(self, gold, refused):
        Path("a.jsonl").symlink_to("b.jsonl")
        Path("b.jsonl").symlink_to("a.jsonl")
        refused(["convert", gold, "-o", "a.jsonl"], r"a\.jsonl: cannot write: ")

    def test_where_a_file_cannot_be_written(self, gold, refused):
        Path("folder.jsonl").mkdir()
        refused(["convert", gold, "-o", "folder.jsonl"], r"folder\.jsonl: cannot write: .*Give the name of a file\.")
        refused(["convert", gold, "-o", "no/a.jsonl"], r"cannot write: .*Create its folder first\.")

    def test_a_run_needs_a_file_that_it_can_read_again(self, folder, refused):
        os.mkfifo("pipe.txt")
        refused(["run", "--model", "cmd:cat", "-c", "demo", "-o", "pipe.txt"], "the outputs need a regular file")


@posix
class TestPermissions:
    @pytest.mark.parametrize(("umask", "mode"), [(0o022, 0o644), (0o077, 0o600), (0o002, 0o664)])
    def test_a_new_file_has_those_of_the_umask(self, umask, mode, folder):
        before = os.umask(umask)
        try:
            write_bytes("new", b"x")
        finally:
            os.umask(before)
        assert stat.S_IMODE(Path("new").stat().st_mode) == mode

    @pytest.mark.parametrize("mode", [0o600, 0o755, 0o666])
    def test_an_old_file_keeps_its_own(self, mode, folder):
        (folder / "old").write_bytes(b"x")
        (folder / "old").chmod(mode)
        write_bytes("old", b"y")
        assert stat.S_IMODE(Path("old").stat().st_mode) == mode
        assert (folder / "old").read_bytes() == b"y"


def test_nothing_is_left_of_a_write_that_fails(folder, monkeypatch):
    def stop(*_):
        raise KeyboardInterrupt

    (folder / "old").write_bytes(b"x")
    monkeypatch.setattr("pathlib.Path.replace", stop)
    with pytest.raises(KeyboardInterrupt):
        write_bytes("old", b"y")
    assert listed() == ["old"]
    assert (folder / "old").read_bytes() == b"x"


OVERWRITING = {
    "the source": ["run", "--model", "cmd:cat", "-s", "s.txt", "-r", "r.txt", "-o", "s.txt"],
    "a reference": ["run", "--model", "cmd:cat", "-s", "s.txt", "-r", "r.txt", "-o", "r.txt"],
    "a file by another name": ["run", "--model", "cmd:cat", "-s", "s.txt", "-r", "r.txt", "-o", "./x/../s.txt"],
    "a link": ["run", "--model", "cmd:cat", "-s", "link.txt", "-r", "r.txt", "-o", "s.txt"],
    "the record of a run": ["run", "--model", "cmd:cat", "-s", "s.txt", "-r", "o.txt.run.json", "-o", "o.txt"],
    "a corpus": ["run", "--model", "cmd:cat", "-c", "c.jsonl", "-o", "c.jsonl"],
    "gold": ["run", "--model", "cmd:cat", "--gold", "g.m2", "-o", "g.m2"],
    "what is converted": ["convert", "g.m2", "-o", "g.m2"],
    "what is converted, as source": ["convert", "g.m2", "--to-source", "g.m2", "--to-references", "a", "b"],
    "a source that is converted": ["convert", "-s", "s.txt", "-r", "r.txt", "-o", "s.txt"],
    "a sibling": ["convert", "g.m2", "--to-source", "X", "--to-references", "X", "Y"],
    "a reference's sibling": ["convert", "g.m2", "--to-source", "X", "--to-references", "Y", "./Y"],
    "what is tokenized": ["tokenize", "s.txt", "-o", "s.txt"],
    "the sources that tokenization goes by": ["tokenize", "s.txt", "-s", "r.txt", "-o", "r.txt"],
    "what is detokenized": ["detokenize", "s.txt", "-o", "s.txt"],
    "what is explained": ["explain", "--gold", "g.m2", "-p", "r.txt", "--html", "r.txt"],
}


@posix
@pytest.mark.parametrize("command", OVERWRITING.values(), ids=OVERWRITING)
def test_nothing_is_written_over_an_input_or_another_output(command, gold, capsys):
    texts = {"s.txt": "He go home .\n", "r.txt": "He goes home .\n", "o.txt.run.json": "He goes home .\n"}
    texts["c.jsonl"] = '{"source": "He go home .", "references": ["He goes home ."]}\n'
    for name, text in texts.items():
        (gold.parent / name).write_text(text)
    Path("x").mkdir()
    Path("link.txt").symlink_to("s.txt")
    before = listed()
    status = main(command)
    message = capsys.readouterr().err
    assert (status, message.count("\n")) == (1 if command[0].startswith("errant") else 2, 1)
    assert "would be overwritten. Write each output to its own file." in message
    assert listed() == before
    assert {name: (gold.parent / name).read_text() for name in texts} == texts
    assert gold.read_text() == GOLD


def test_functions_refuse_it_too(gold, run):
    run("convert", gold, "-o", "c.jsonl")
    with pytest.raises(InputError, match=r"c\.jsonl: would be overwritten"):
        correct("cmd:cat", "c.jsonl", "c.jsonl")
    corpus = read_m2(gold)
    with pytest.raises(InputError, match="b: would be overwritten"):
        write_parallel(corpus.replace(references=[["a", "b"]]), "a", ["b", "b"])
    assert listed() == ["c.jsonl", "g.m2"]


def test_the_name_of_a_corpus_is_not_a_file(folder, run):
    for _there in (False, True):
        run("run", "--model", "cmd:cat", "-c", "demo", "-o", "demo")


def test_cache_folder_follows_the_hugging_face_home(tmp_path, monkeypatch):
    monkeypatch.setenv("HF_HOME", str(tmp_path))
    monkeypatch.setenv("XDG_CACHE_HOME", "/elsewhere")
    assert cache_folder() == tmp_path / "gecbench"
    monkeypatch.delenv("HF_HOME")
    assert cache_folder() == Path("/elsewhere/huggingface/gecbench")
    monkeypatch.delenv("XDG_CACHE_HOME")
    assert cache_folder().parts[-3:] == (".cache", "huggingface", "gecbench")
