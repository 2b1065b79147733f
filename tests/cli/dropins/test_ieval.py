"""`gecbench ieval`: its columns, options and the official program's reading; figures: docs/metrics/imeasure.md."""

import pytest
from imeasure_examples import imeasure_files
from imeasure_support import GOLDEN
from mirror_files import golden

import gecbench
from gecbench.formats.m2 import noop_line, read_m2
from gecbench.formats.text import write_lines

files = imeasure_files  # the fixture, under the name that tests use
DEMO = gecbench.load_demo()
RULES = gecbench.load_demo_systems()["rule-based"]


def golden_output(name):
    """Return what the official program printed."""
    return "".join(f"{line}\n" for line in golden("dropins.json")[name]["output"])


def rows_of(printed):
    """Return the rows of numbers by what stands before them."""
    rows = [line.split() for line in printed.splitlines() if line.count(".") == 8]
    return {tuple(row[:-13]): [float(cell) for cell in row[-13:]] for row in rows}


@pytest.mark.parametrize("mode", ["mix", "nomix"])
def test_ieval_prints_the_official_columns(files, run, mode):
    flags = ["-nomix"] if mode == "nomix" else []
    rows = rows_of(run("ieval", "-ref:gold.xml", "-hyp:system.txt", "-b:0.5", "-per-sent", *flags))
    expected = GOLDEN["small"]["example"][mode]
    for aspect in ("Detection", "Correction"):
        assert rows[(aspect,)] == rows["1", aspect[:3]] == expected[aspect.lower()]


def test_ieval_options(files, run):
    metric = gecbench.IMeasure(objective="df", optimise="corpus", weight=3, beta=1)
    corpus = read_m2("demo.m2")
    parts = metric.score_corpus(corpus, RULES).parts
    rows = rows_of(run("ieval", "-opt:Corpus", "-max:DF", "-w:3", "-ref:demo.m2", "-hyp:demo.txt"))
    names = ("tp", "tn", "fp", "fn", "fpn")
    assert rows[("Detection",)][:5] == [parts[f"detection_{name}"] for name in names]
    assert rows[("Correction",)][-1] == float(f"{100 * parts['correction_improvement']:.2f}")
    assert "\nSentence 1: I 73.33" in run("ieval", "-ref:gold.xml", "-hyp:system.txt", "-v")


@pytest.fixture
def small(folder):
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
def test_any_weight_and_beta(small, run, kernels_of, word, weighted, improved, f):
    printed = run("ieval", "-ref:gold.m2", "-hyp:out.txt", word)
    for row in printed.rstrip().splitlines()[-2:]:
        cells = row.split()
        assert (cells[8], cells[11], cells[13]) == (f, weighted, improved)
    assert f"WAcc weight        : {float(word[3:]) if word[1] == 'w' else 2.0}\n" in printed


def test_gold_is_xml_whatever_its_name(six, run):
    (six / "gold6.xml").rename(six / "gold.txt")
    printed = run("ieval", "-ref:gold.txt", "-hyp:rule-based.6.txt")
    expected = golden_output("ieval").replace("gold6.xml", "gold.txt")
    assert printed == expected


def test_options_in_any_order(six, run):
    """The last of a kind counts, unknown ones are passed over, letter case matters in names only."""
    words = ["-w:7", "-x", "what", "-max:DF", "-ref:none", "-B:9", "-hyp:rule-based.6.txt", "-opt:Corpus", "-mix:1"]
    printed = run("ieval", *words, "-ref:gold6.xml", "-w:3")
    assert printed == golden_output("ieval_corpus_w3")


@pytest.mark.parametrize("words", [[], ["-ref:gold6.xml"], ["-hyp:out.txt"], ["--help"]])
def test_help_where_a_file_is_missing(folder, run, words):
    assert "-max:GOAL" in run("ieval", *words)


def test_an_unknown_scope_rolls_back(six, run):
    printed = run("ieval", "-opt:all", "-ref:gold6.xml", "-hyp:rule-based.6.txt")
    head, _, rest = printed.partition("Rolling back to default: sent\n")
    assert head == "Invalid optimisation: all\n"
    assert rest == golden_output("ieval")


def test_a_byte_order_mark_is_part_of_the_first_token(small, run):
    (small / "bom.txt").write_bytes(b"\xef\xbb\xbfa x c d\n\n\n")
    detection = run("ieval", "-ref:gold.m2", "-hyp:bom.txt").splitlines()[-3].split()
    assert detection[:6] == ["Detection", "1", "2", "1", "0", "0"], "and empty lines at the end are not read"


@pytest.mark.parametrize(
    ("second", "ours"),
    [
        ("A 0 0|||T|||c|||R|||-|||1", "60.00"),  # 75.00
        ("A 0 0|||T|||d|||R|||-|||1", "60.00"),
    ],
)
def test_known_ties_of_mixed_references_as_the_documents_say(folder, run, second, ours):
    """docs/exact.md: the official figure, where it differs, stands behind each case."""
    write_lines("gold.m2", ["S a", "A 0 1|||T|||c|||R|||-|||0", second, "", "S x y z"])
    write_lines("out.txt", ["a c", "x y z"])
    assert run("ieval", "-ref:gold.m2", "-hyp:out.txt").splitlines()[-2].split()[-2] == ours


def test_a_tie_without_mixing_goes_to_the_official_reference(folder, run, kernels_of):
    """docs/exact.md: of `a` and `b a` the official program takes the source, so that nothing is missed."""
    write_lines("gold.m2", ["S a", "A 0 0|||T|||b|||R|||-|||0", noop_line(1), "", "S x y z"])
    write_lines("out.txt", ["", "x y z"])
    detection = run("ieval", "-ref:gold.m2", "-hyp:out.txt", "-nomix").splitlines()[-3].split()
    assert detection[:6] == ["Detection", "0", "3", "1", "0", "0"]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["-b:x"], "-b:x is not a number"),
        (["-ref:nowhere.xml"], "nowhere.xml: no such file"),
        (["-hyp:two.txt"], "two.txt:2: 2 lines, but gold.m2 has 1 sentence. "),
        (["-hyp:none.txt"], "none.txt:1: 0 lines, but gold.m2 has 1 sentence. "),
    ],
)
def test_refused(small, refused, words, message):
    write_lines("two.txt", ["a", "b"])
    write_lines("none.txt", [])
    assert message in refused(["ieval", "-ref:gold.m2", "-hyp:out.txt", *words], status=1)
