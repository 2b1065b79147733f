"""The drop-in commands print what the official programs print, byte for byte, and leave with their exit status.

`goldens/dropins.json` holds the official programs' output on the first six sentences of the demo corpus, under Python
2.7.18 or, for JFLEG's script, 3.11. Other figures are those of docs/m2.md, docs/imeasure.md and docs/exact.md.
"""

import subprocess
import sys

import pytest
from mirror_files import golden

from gecbench import derive_groups, load_demo, load_demo_systems
from gecbench.cli import main
from gecbench.corpus.prepare import RawTextWarning
from gecbench.formats.imeasure_xml import write_imeasure_xml
from gecbench.formats.m2 import write_m2
from gecbench.formats.text import write_lines

GOLDEN = golden("dropins.json")
DEMO = load_demo().select(range(6))


def words_of(name):
    command = next(each for each in ("m2scorer", "ieval", "compute_gleu") if name.startswith(each))
    return [command, *GOLDEN[name]["arguments"].split()]


def output_of(name):
    return "".join(f"{line}\n" for line in GOLDEN[name]["output"])


@pytest.fixture
def six(folder):
    """Write the first six sentences of the demo corpus, as the official programs got them."""
    write_lines("source.txt", DEMO.sources)
    for k in range(4):
        write_lines(f"ref{k}.txt", [texts[k] for texts in DEMO.references])
    for name in ("rule-based", "good-corrector"):
        write_lines(f"{name}.6.txt", load_demo_systems()[name][:6])
    write_m2(DEMO, "gold6.m2")
    write_imeasure_xml(derive_groups(DEMO), "gold6.xml")
    return folder


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

    def test_edits_beyond_the_sentence_are_dropped(self, folder, run, refused):
        write_lines("wild.m2", ["S a b", "A 1 9|||T|||x|||REQUIRED|||-NONE-|||0"])
        write_lines("one.txt", ["a b"])
        assert "Recall      : 1.0000" in run("m2scorer", "one.txt", "wild.m2")
        refused(["score", "-m", "m2", "--gold", "wild.m2", "-p", "one.txt"], "wild.m2:2: the span 1 9")
        write_lines("two.txt", ["a b", "c"])
        refused(["m2scorer", "two.txt", "wild.m2"], "two.txt:2: 2 lines, but wild.m2 has 1 sentence", status=1)

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
        assert message in refused(["m2scorer", *words], status=1)


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
        assert printed == output_of("ieval").replace("gold6.xml", "gold.txt")

    def test_options_in_any_order(self, six, run):
        """The last of a kind counts, unknown ones are passed over, letter case matters in names only."""
        words = ["-w:7", "-x", "what", "-max:DF", "-ref:none", "-B:9", "-hyp:rule-based.6.txt", "-opt:Corpus", "-mix:1"]
        printed = run("ieval", *words, "-ref:gold6.xml", "-w:3")
        assert printed == output_of("ieval_corpus_w3")

    @pytest.mark.parametrize("words", [[], ["-ref:gold6.xml"], ["-hyp:out.txt"], ["--help"]])
    def test_help_where_a_file_is_missing(self, folder, run, words):
        assert "-max:GOAL" in run("ieval", *words)

    def test_an_unknown_scope_rolls_back(self, six, run):
        printed = run("ieval", "-opt:all", "-ref:gold6.xml", "-hyp:rule-based.6.txt")
        head, _, rest = printed.partition("Rolling back to default: sent\n")
        assert head == "Invalid optimisation: all\n"
        assert rest == output_of("ieval")

    def test_a_byte_order_mark_is_part_of_the_first_token(self, small, run):
        (small / "bom.txt").write_bytes(b"\xef\xbb\xbfa x c d\n\n\n")
        detection = run("ieval", "-ref:gold.m2", "-hyp:bom.txt").splitlines()[-3].split()
        assert detection[:6] == ["Detection", "1", "2", "1", "0", "0"], "and empty lines at the end are not read"

    @pytest.mark.parametrize(
        ("gold", "outputs", "words", "column", "ours"),
        [
            (["A 0 1|||T|||c|||R|||-|||0", "A 0 0|||T|||c|||R|||-|||1"], ["a c", "x y z"], [], -2, "60.00"),  # 75.00
            (["A 0 1|||T|||c|||R|||-|||0", "A 0 0|||T|||d|||R|||-|||1"], ["a c", "x y z"], [], -2, "60.00"),
            (
                ["A 0 0|||T|||b|||R|||-|||0", "A -1 -1|||noop|||-NONE-|||R|||-|||1"],
                ["", "x y z"],
                ["-nomix"],
                4,
                "1",
            ),  # 0
        ],
    )
    def test_known_ties_as_the_documents_say(self, folder, run, gold, outputs, words, column, ours):
        """docs/exact.md: the official figure, where it differs, stands behind each case."""
        write_lines("gold.m2", ["S a", *gold, "", "S x y z"])
        write_lines("out.txt", outputs)
        assert run("ieval", "-ref:gold.m2", "-hyp:out.txt", *words).splitlines()[-2].split()[column] == ours

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
        assert message in refused(["ieval", "-ref:gold.m2", "-hyp:out.txt", *words], status=1)


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
