"""The drop-in commands print what the official programs print, byte for byte, and leave with their exit status.

`goldens/dropins` holds the official programs' output on the first six sentences of the demo corpus under Python 2.7.18
(the last line of each is the exit status); other figures are those of docs/m2.md, docs/imeasure.md and docs/exact.md.
"""

import io
import subprocess
import sys

import pytest
from mirror_files import GOLDENS

from gecbench import derive_groups, load_demo, load_demo_systems
from gecbench.cli import main
from gecbench.corpus.raw_text import RawTextWarning
from gecbench.formats.imeasure_xml import write_imeasure_xml
from gecbench.formats.m2 import write_m2
from gecbench.formats.text import write_lines

COMMANDS = [line.split("\t") for line in (GOLDENS / "dropins/commands.tsv").read_text().splitlines()]


def command_of(name):
    return next(each for each in ("m2scorer", "ieval", "compute_gleu") if name.startswith(each))


@pytest.fixture
def six(folder):
    """Write the first six sentences of the demo corpus, as the official programs got them."""
    demo = load_demo().select(range(6))
    write_lines("source.txt", demo.sources)
    for k in range(4):
        write_lines(f"ref{k}.txt", [texts[k] for texts in demo.references])
    for name in ("rule-based", "good-corrector"):
        write_lines(f"{name}.6.txt", load_demo_systems()[name][:6])
    write_m2(demo, "gold6.m2")
    write_imeasure_xml(derive_groups(demo), "gold6.xml")
    return folder


@pytest.mark.parametrize(("name", "words"), COMMANDS, ids=[name for name, _ in COMMANDS])
def test_official_output(six, capsys, kernels_of, name, words):
    status = main([command_of(name), *words.split()])
    assert f"{capsys.readouterr().out}[exit {status}]\n" == (GOLDENS / f"dropins/{name}.out").read_text()


@pytest.mark.parametrize("name", ["m2scorer_v", "ieval", "compute_gleu_d", "m2scorer_noargs"])
def test_official_output_of_the_program_itself(six, name):
    words = dict(COMMANDS)[name].split()
    done = subprocess.run(
        [sys.executable, "-m", "gecbench", command_of(name), *words], check=False, capture_output=True
    )
    expected = (GOLDENS / f"dropins/{name}.out").read_bytes()
    assert done.stdout + b"[exit %d]\n" % done.returncode == expected


@pytest.mark.parametrize("command", ["m2scorer", "ieval", "compute_gleu"])
def test_the_programs_need_numpy_only(six, command):
    words = dict(COMMANDS)[command].split()
    heavy = "{'scipy', 'datasets', 'sacrebleu', 'rapidfuzz', 'pyarrow', 'huggingface_hub', 'tqdm'}"
    code = f"import sys; from gecbench.cli import main; main(sys.argv[1:]); sys.exit(str({heavy} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code, command, *words], check=False, capture_output=True, text=True)
    assert done.stderr.strip() == "set()"


class TestM2Scorer:
    @pytest.fixture
    def small(self, folder):
        write_lines("gold.m2", ["S a b c", "A 1 2|||T|||x|||R|||-|||0"])
        write_lines("right.txt", ["a x c"])
        return folder

    @pytest.mark.parametrize(
        "words", [["--verb"], ["--very"], ["-v", "--b", "0.5"], ["--max=2", "--verbose"], ["-v", "--rel", "master"]]
    )
    def test_abbreviations(self, six, run, words):
        assert run("m2scorer", *words, "rule-based.6.txt", "gold6.m2") == run(
            "m2scorer", "-v", "rule-based.6.txt", "gold6.m2"
        )

    @pytest.mark.parametrize(
        ("words", "status"),
        [(["--ver", "a", "b"], 1), (["--beta"], 1), (["-x"], 1), (["--verbose=1"], 1), (["one"], 255), ([*"abc"], 255)],
    )
    def test_exit_status(self, folder, capsys, words, status):
        assert main(["m2scorer", *words]) == status
        assert capsys.readouterr().out == ""

    def test_release_3_2(self, folder, run):
        """B.12: two words inserted before the first token cannot match."""
        write_lines("gold.m2", ["S a b c", "A 0 0|||T|||x y|||R|||-|||0"])
        write_lines("out.txt", ["x y a b c"])
        assert "Recall      : 1.0000" in run("m2scorer", "out.txt", "gold.m2")
        assert "Recall      : 0.0000" in run("m2scorer", "--release", "3.2", "out.txt", "gold.m2")

    def test_a_byte_order_mark_is_part_of_the_first_token(self, small, run):
        (small / "bom.txt").write_bytes(b"\xef\xbb\xbfa x c\n")
        assert run("m2scorer", "bom.txt", "gold.m2").endswith("F_0.5       : 0.5556\n")
        assert "100.00" in run("score", "--gold", "gold.m2", "-p", "bom.txt", "-m", "m2"), "elsewhere it is none"

    def test_white_space_of_python_2(self, folder, run):
        write_lines("gold.m2", ["S a\u180eb c", "A 1 2|||T|||x|||R|||-|||0"])
        write_lines("out.txt", ["a x\u180ec"])
        assert run("m2scorer", "out.txt", "gold.m2").endswith("F_0.5       : 1.0000\n")

    def test_negative_numbers_are_accepted(self, folder, run):
        write_lines("gold.m2", ["S x y", "A 0 1|||T|||p|||R|||-|||0"])
        write_lines("out.txt", ["p q"])
        printed = run("m2scorer", "--max_unchanged_words", "-3", "--beta", "-1", "out.txt", "gold.m2")
        assert printed == "Precision   : 0.5000\nRecall      : 1.0000\nF_-1.0       : 0.6667\n"

    def test_verbose_shows_letters_as_python_2_did(self, folder, run):
        write_lines("gold.m2", ["S an café 's", "A 1 2|||T|||cafés||中|||R|||-|||3"])
        write_lines("out.txt", ["an 中 's"])
        shown = run("m2scorer", "-v", "out.txt", "gold.m2").splitlines()
        assert shown[:6] == [
            ">> Annotator: 3",
            "SOURCE        : an café 's",
            "HYPOTHESIS    : an 中 's",
            r"EDIT SEQ      : [(1, 2, u'caf\xe9', u'\u4e2d')]",
            r"GOLD EDITS    : [(1, 2, u'caf\xe9', [u'caf\xe9s', u'\u4e2d'])]",
            r"CORRECT EDITS : [(1, 2, u'caf\xe9', u'\u4e2d')]",
        ]

    def test_a_gold_edit_listed_twice_is_credited_twice(self, small, run):
        """B.8."""
        write_lines("twice.m2", ["S a b c", *["A 1 2|||T|||x|||R|||-|||0"] * 2])
        shown = run("m2scorer", "-v", "right.txt", "twice.m2")
        assert "CORRECT EDITS : [(1, 2, u'b', u'x'), (1, 2, u'b', u'x')]\n# correct     : 2\n" in shown
        assert "\nP = 2.0\nR = 1.0\nF_0.5 = 1.66666666667\n" in shown

    @pytest.mark.parametrize(
        ("words", "message"),
        [
            (["--beta", "x", "right.txt", "gold.m2"], "--beta 'x' is not a number"),
            (["--max_unchanged_words", "1.5", "right.txt", "gold.m2"], "'1.5' is not a number"),
            (["--release", "3.1", "right.txt", "gold.m2"], "release='3.1' is unknown"),
            (["nowhere.txt", "gold.m2"], "nowhere.txt: no such file"),
        ],
    )
    def test_refused(self, small, refused, words, message):
        assert message in refused(["m2scorer", *words])


class TestIEval:
    @pytest.fixture
    def small(self, folder):
        """Write `a b c d` with b → x; the output has that and a wrong word: TP 1, TN 3, FP 1."""
        write_lines("gold.m2", ["S a b c d", "A 1 2|||T|||x|||REQUIRED|||-NONE-|||0"])
        write_lines("out.txt", ["a x c d y"])
        return folder

    @pytest.mark.parametrize(
        ("word", "weighted", "improved", "f"),
        [
            ("-w:2", "71.43", "-4.76", "66.67"),  # (2·1 + 3) / (2·2 + 3), base 3/4
            ("-w:0", "100.00", "100.00", "66.67"),  # 3 / 3
            ("-w:-1", "200.00", "500.00", "66.67"),  # (-1 + 3) / (-2 + 3)
            ("-b:0", "71.43", "-4.76", "50.00"),  # P = 1/2
        ],
    )
    def test_any_weight_and_beta(self, small, run, kernels_of, word, weighted, improved, f):
        printed = run("ieval", "-ref:gold.m2", "-hyp:out.txt", word)
        for row in printed.rstrip().splitlines()[-2:]:
            cells = row.split()
            assert (cells[8], cells[11], cells[13]) == (f, weighted, improved)
        assert f"WAcc weight        : {float(word[3:]) if word[1] == 'w' else 2.0}\n" in printed

    def test_gold_is_xml_whatever_its_name(self, six, run):
        (six / "gold6.xml").rename(six / "gold.txt")
        printed = run("ieval", "-ref:gold.txt", "-hyp:rule-based.6.txt")
        expected = (GOLDENS / "dropins/ieval.out").read_text().replace("gold6.xml", "gold.txt")
        assert f"{printed}[exit 0]\n" == expected

    def test_options_in_any_order(self, six, run):
        """The last of a kind counts, unknown ones are passed over, letter case matters in names only."""
        words = ["-w:7", "-x", "what", "-max:DF", "-ref:none", "-B:9", "-hyp:rule-based.6.txt", "-opt:Corpus", "-mix:1"]
        printed = run("ieval", *words, "-ref:gold6.xml", "-w:3")
        assert f"{printed}[exit 0]\n" == (GOLDENS / "dropins/ieval_corpus_w3.out").read_text()

    @pytest.mark.parametrize("words", [[], ["-ref:gold6.xml"], ["-hyp:out.txt"], ["--help"]])
    def test_help_where_a_file_is_missing(self, folder, run, words):
        assert "-max:GOAL" in run("ieval", *words)

    def test_an_unknown_scope_rolls_back(self, six, run):
        printed = run("ieval", "-opt:all", "-ref:gold6.xml", "-hyp:rule-based.6.txt")
        head, _, rest = printed.partition("Rolling back to default: sent\n")
        assert head == "Invalid optimisation: all\n"
        assert f"{rest}[exit 0]\n" == (GOLDENS / "dropins/ieval.out").read_text()

    def test_a_byte_order_mark_is_part_of_the_first_token(self, small, run):
        (small / "bom.txt").write_bytes(b"\xef\xbb\xbfa x c d\n\n\n")
        detection = run("ieval", "-ref:gold.m2", "-hyp:bom.txt").splitlines()[-3].split()
        assert detection[:6] == ["Detection", "1", "2", "1", "0", "0"], "and empty lines at the end are not read"

    @pytest.mark.parametrize(
        ("words", "message"),
        [
            (["-b:x"], "-b:x is not a number"),
            (["-hyp:two.txt"], "two.txt:2: 2 lines, but gold.m2 has 1 sentences"),
            (["-hyp:none.txt"], "none.txt:1: 0 lines, but gold.m2 has 1 sentences"),
        ],
    )
    def test_refused(self, small, refused, words, message):
        write_lines("two.txt", ["a", "b"])
        write_lines("none.txt", [])
        assert message in refused(["ieval", "-ref:gold.m2", "-hyp:out.txt", *words])


EXAMPLE = {
    "s": """This sentences contain gramamtical error .
This is a sentence .
This is no change .
I bought a pen to write a letter to a friend .
Hi .""",
    "h": """This sentence contains a grammatical error .
the sentence was corrected into completely different one .
This is no change .
I bought a pen to write a letter to a friend .
Hi !""",
    "r0": """This sentence contains a grammatical error .
dummy sentence .
This is no change .
I bought a pen to write a letter to the friend .
Hi !""",
    "r1": """These sentences contain grammatical errors .
another dummy sentence .
This is no change .
I bought a pen to write the letter to the friend .
Hello .""",
}
FILES = ["-s", "s", "-r", "r0", "r1"]


class TestComputeGleu:
    @pytest.fixture(autouse=True)
    def example(self, folder):
        for name, text in EXAMPLE.items():
            (folder / name).write_text(text + "\n")
        return folder

    def test_sentence_scores(self, run, kernels_of):
        assert run("compute_gleu", *FILES, "-o", "h", "-d").splitlines() == [
            *("", "===== Sentence-level scores =====", "SID Mean Stdev 95%CI GLEU"),
            *("0 0.592875 0.407125 (-0.205,1.391)", "1 0.160366 0.000000 (nan,nan)", "2 1.000000 0.000000 (nan,nan)"),
            *("3 0.376133 0.151964 (0.078,0.674)", "4 0.920448 0.079552 (0.765,1.076)"),
            *("", "==== Overall score =====", "Mean Stdev 95%CI GLEU", "0.372116 0.128738 (0.120,0.624)"),
        ]

    @pytest.mark.parametrize(
        ("words", "figure"),
        [
            ([], "0.372116"),
            (["-n", "5"], "0.372116"),
            (["-n", "3"], "0.518612"),
            (["--iter", "10"], "0.393444"),
            (["--it", "0"], "nan"),
        ],
    )
    def test_options(self, run, words, figure):
        assert run("compute_gleu", *words, *FILES, "-o", "h") == f"h {figure}\n"
        assert run("compute_gleu", *words, "--s", "s", "--ref", "r0", "r1", "--hyp", "./h") == f"h {figure}\n"

    def test_one_reference(self, run):
        printed = run("compute_gleu", "-s", "s", "-r", "r0", "-o", "h", "--debug")
        assert printed.endswith("\n0.555492 0.000000 (nan,nan)\n")

    def test_jfleg(self, run):
        """Under Python 3 with its own draws, under Python 2 with those of compute_gleu."""
        words = ["compute_gleu", "--jfleg", "--src", "s", "--ref", "r0", "r1", "--hyp", "./h"]
        assert run(*words) == "./h\n[['0.368816', '0.131053', '(0.112,0.626)']]\n"
        assert run(*words, "--python", "2") == "./h\n[['0.372116', '0.128738', '(0.120,0.624)']]\n"
        sentences = run(*words, "--sent")
        assert sentences.startswith("./h\n[['0.592875', '0.407125', '(-0.205,1.391)'], ['0.160366', ")

    def test_jfleg_with_one_reference(self, run):
        notice = "There is one reference. NOTE: GLEU is not computing the confidence interval.\n"
        assert run("compute_gleu", "--jfleg", "-s", "s", "-r", "r0", "--hyp", "h") == f"h\n{notice}0.555492\n"

    def test_standard_input(self, run, monkeypatch):
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(EXAMPLE["h"].encode())))
        assert run("compute_gleu", *FILES, "-o", "-", "h") == "- 0.372116\nh 0.372116\n"

    def test_files_are_bytes(self, example, run):
        """Latin-1 is as good as any, and a byte order mark is part of the first token."""
        for name in EXAMPLE:
            text = (example / name).read_text().replace("This", "Cécile").replace("a ", "à ")
            (example / f"{name}.latin").write_bytes(text.encode("latin-1"))
            (example / f"{name}.utf8").write_bytes(text.encode())
        scores = [
            run("compute_gleu", "-s", f"s.{code}", "-r", f"r0.{code}", f"r1.{code}", "-o", f"h.{code}").split()[1]
            for code in ("latin", "utf8")
        ]
        assert scores[0] == scores[1]
        (example / "bom").write_bytes(b"\xef\xbb\xbf" + EXAMPLE["h"].encode())
        assert run("compute_gleu", *FILES, "-o", "bom") != "bom 0.372116\n"

    @pytest.mark.parametrize(
        ("words", "status"), [([], 2), (["-s", "s", "-r", "r0"], 2), ([*FILES, "-o", "h", "-l", "0.0"], 2), (["-h"], 0)]
    )
    def test_exit_status(self, capsys, words, status):
        with pytest.raises(SystemExit) as left:
            main(["compute_gleu", *words])
        assert left.value.code == status
        assert bool(capsys.readouterr().out) == (status == 0)

    def test_no_systems(self, run):
        assert run("compute_gleu", *FILES, "-o") == ""

    def test_refused(self, example, refused):
        (example / "short").write_text("Hi !\n")
        assert "short:2: 1 lines, but s has 5 sentences" in refused(["compute_gleu", *FILES, "-o", "short"])
        assert "short: 1 lines, but the source has 5" in refused(["compute_gleu", *FILES, "short", "-o", "h"])
        assert "no references" in refused(["compute_gleu", "-s", "s", "-r", "-o", "h"])
        assert "-n -1 is below 0" in refused(["compute_gleu", *FILES, "-o", "h", "-n", "-1"])


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
