"""The drop-in commands print what the official programs print, byte for byte, and leave with their exit status.

`goldens/dropins.json` holds the official programs' output on the first six sentences of the demo corpus, under Python
2.7.18 or, for JFLEG's script, 3.11. Other figures are those of docs/m2.md, docs/imeasure.md and docs/exact.md.
"""

import subprocess
import sys

import pytest
from mirror_files import golden

from gecbench import load_demo, load_demo_systems
from gecbench.cli import main
from gecbench.corpus.prepare import RawTextWarning
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
    assert main(words_of(name)) == GOLDEN[name]["status"]
    assert capsys.readouterr().out == output_of(name)


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
    with pytest.warns(RawTextWarning, match=r"raw.txt: is not tokenised like its sources\. It is scored as it is"):
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
    with pytest.warns(RawTextWarning, match=r"shifted.txt: its lines look shifted .* It is scored as it is"):
        assert run(*words)
