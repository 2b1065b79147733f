"""The drop-in commands print what the official programs print, byte for byte, and leave with their exit status.

`goldens/dropins.json` holds the official programs' output on the first six sentences of the demo corpus and on
generated files, under Python 2.7.18 or, for JFLEG's script, 3.11. Of most generated files it holds only the SHA-256 of
the output. Other figures are those of docs/metrics/m2.md, docs/metrics/imeasure.md and docs/exact.md.
"""

import hashlib
import subprocess
import sys

import pytest
from mirror_files import golden
from programs import gecbench

from gecbench import load_demo, load_demo_systems
from gecbench.cli import main
from gecbench.corpus.prepare import DamagedTextWarning, MixedUpTextWarning, RawTextWarning
from gecbench.formats.m2 import write_m2
from gecbench.formats.text import write_lines

GOLDEN = golden("dropins.json")


def words_of(name):
    command = next(each for each in ("m2scorer", "ieval", "compute_gleu") if name.startswith(each))
    return [command, *GOLDEN[name]["arguments"].split()]


def output_of(name):
    return "".join(f"{line}\n" for line in GOLDEN[name]["output"])


@pytest.mark.parametrize("name", GOLDEN)
def test_official_output(six, capsys, kernels_of, name):
    for file, text in GOLDEN[name].get("files", {}).items():
        (six / file).write_text(text, encoding="utf-8", newline="")
    assert main(words_of(name)) == GOLDEN[name]["status"]
    printed = capsys.readouterr().out
    if "output" in GOLDEN[name]:
        assert printed == output_of(name)
    else:
        assert hashlib.sha256(printed.encode()).hexdigest() == GOLDEN[name]["sha256"], printed


@pytest.mark.parametrize("name", ["m2scorer_v", "ieval", "compute_gleu_d", "m2scorer_noargs"])
def test_official_output_of_the_program_itself(six, name):
    done = subprocess.run([sys.executable, "-m", "gecbench", *words_of(name)], check=False, capture_output=True)
    assert done.stdout == output_of(name).encode()
    assert done.returncode == GOLDEN[name]["status"]


@pytest.mark.parametrize("command", ["m2scorer", "ieval", "compute_gleu"])
def test_the_programs_need_numpy_only(six, command):
    heavy = "{'scipy', 'datasets', 'sacrebleu', 'rapidfuzz', 'pyarrow', 'huggingface_hub', 'tqdm'}"
    code = f"import sys; from gecbench.cli import main; main(sys.argv[1:]); sys.exit(str({heavy} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code, *words_of(command)], check=False, capture_output=True, text=True)
    assert done.stderr.strip() == "set()"


@pytest.mark.parametrize(
    "words",
    [
        ["m2scorer", "raw.txt", "gold6.m2"],
        ["ieval", "-ref:gold6.xml", "-hyp:raw.txt"],
        ["compute_gleu", "-s", "source.txt", "-r", "ref0.txt", "-o", "raw.txt"],
    ],
)
def test_raw_text_is_scored_with_a_warning(six, run, words):
    raw = [line.replace(" .", ".").replace(" ,", ",") for line in load_demo_systems()["rule-based"][:6]]
    write_lines("raw.txt", raw)
    with pytest.warns(
        RawTextWarning, match=r"raw.txt: is not tokenized like its sources\. The file is scored as it is"
    ):
        assert run(*words)


@pytest.mark.parametrize(
    "words",
    [
        ["m2scorer", "shifted.txt", "gold.m2"],
        ["ieval", "-ref:gold.m2", "-hyp:shifted.txt"],
    ],
)
def test_shifted_lines_are_scored_with_a_warning(folder, run, words):
    demo = load_demo()
    write_m2(demo, "gold.m2")
    write_lines("shifted.txt", [*demo.sources[1:], demo.sources[0]])
    with pytest.warns(RawTextWarning, match=r"shifted.txt: its lines look shifted .* The file is scored as it is"):
        assert run(*words)


DAMAGED = {
    "odd blanks": (lambda line: line.replace(" ", "\u00a0", 1), r"U\+00A0 NO-BREAK SPACE in 42 of 42 lines"),
    "BPE marks": (lambda line: line[:2] + "@@ " + line[2:], r"BPE marks \(@@\) in 42 of 42 lines"),
    "empty lines": (lambda _line: "", "42 of 42 lines are empty"),
    "NUL bytes": (lambda line: line.replace(" ", "\0 ", 1), "NUL bytes in 42 of 42 lines"),
}


@pytest.fixture
def demo_files(folder):
    demo = load_demo()
    write_m2(demo, "gold.m2")
    texts = {"source.txt": demo.sources, "ref0.txt": [texts[0] for texts in demo.references]}
    texts |= {"ref1.txt": [texts[1] for texts in demo.references], "out.txt": load_demo_systems()["rule-based"]}
    for name, lines in texts.items():
        write_lines(name, lines)
    return texts


@pytest.mark.parametrize(("damage", "message"), DAMAGED.values(), ids=DAMAGED)
@pytest.mark.parametrize(
    "words",
    [
        ["m2scorer", "bad.txt", "gold.m2"],
        ["ieval", "-ref:gold.m2", "-hyp:bad.txt"],
        ["compute_gleu", "-s", "source.txt", "-r", "ref0.txt", "-o", "bad.txt"],
        ["compute_gleu", "--jfleg", "-s", "source.txt", "-r", "ref0.txt", "--hyp", "bad.txt"],
    ],
    ids=" ".join,
)
def test_damaged_text_is_scored_with_a_warning(demo_files, run, words, damage, message):
    write_lines("bad.txt", map(damage, demo_files["out.txt"]))
    with pytest.warns(DamagedTextWarning, match=f"^bad.txt: {message}") as caught:
        assert run(*words)
    assert len(caught) == 1, "said once"


MIXED_UP = {
    "swapped names": (
        "-s ref0.txt -r source.txt -o out.txt",
        "named like a reference, but -r source.txt is named like",
    ),
    "output and source": ("-s out.txt -r ref0.txt -o source.txt", "-o source.txt is named like a source, but -s out."),
    "the source as reference": ("-s source.txt -r source.txt -o out.txt", "source.txt is identical to the sources"),
    "the output as reference": ("-s source.txt -r ref0.txt -o ref0.txt", "its lines are identical to ref0.txt"),
    "a reference twice": ("-s source.txt -r ref0.txt ref0.txt -o out.txt", "ref0.txt is given twice"),
}


@pytest.mark.parametrize(("words", "message"), MIXED_UP.values(), ids=MIXED_UP)
def test_mixed_up_texts_are_scored_with_a_warning(demo_files, run, words, message):
    with pytest.warns(MixedUpTextWarning, match=rf"{message}.*The files are scored as they are\."):
        assert run("compute_gleu", *words.split())


def test_several_annotators_of_a_system_are_compared_with_a_warning(demo_files, run):
    with pytest.warns(MixedUpTextWarning) as caught:
        assert "1.0\t1.0\t1.0" in run("errant_compare", "-hyp", "gold.m2", "-ref", "gold.m2")
    assert [str(each.message) for each in caught] == [
        "gold.m2: expected one annotator, but found the annotators 0, 1. The files are scored as they are.",
        "gold.m2 and gold.m2 are identical. The files are scored as they are.",
    ]


def test_the_warning_leaves_the_officials_bytes_alone(demo_files):
    write_lines("bad.txt", [""] * 42)
    done = gecbench("m2scorer", "bad.txt", "gold.m2")
    assert done.returncode == 0
    assert [line.split()[0] for line in done.stdout.splitlines()] == ["Precision", "Recall", "F_0.5"]
    warning = "bad.txt: 42 of 42 lines are empty. They are scored as sentences without words."
    assert done.stderr == f"gecbench: warning: {warning}\n"
