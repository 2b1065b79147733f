"""`gecbench errant_compare`: goldens, the installed program and a literal oracle; what it refuses."""

from __future__ import annotations

import hashlib
import json
import re
from pathlib import Path
from typing import Any

import errant_m2
import pytest
from hypothesis import HealthCheck, given, settings
from mirror_files import CLEME, MIRROR, golden, needs_mirror
from oracles import errant as oracle

from gecbench.cli import main
from gecbench.metrics.errant import ERRANT

GOLDEN = golden("errant.json")
A, B = "S a b\nA 0 1|||R:OTHER|||c|||REQUIRED|||-NONE-|||0\n\n", "S d e\n\n"
MODES = {"-cs": "cs", "-cse": "cse", "-ds": "ds", "-dt": "dt"}


def real(name: str) -> Path:
    return Path(MIRROR or "") / CLEME / f"{name}.errant"


@needs_mirror
@pytest.mark.parametrize("system", GOLDEN["stdout"])
def test_goldens_byte_for_byte(system: str, run: Any, kernels_of: str) -> None:
    for flags, expected in GOLDEN["stdout"][system].items():
        if kernels_of == "python" and flags not in ("default", "dt", "cat3"):
            continue
        words = ["-hyp", real(f"conll14-{system}"), "-ref", real("conll14"), *GOLDEN["flags"][flags].split()]
        assert run("errant_compare", *words) == expected, flags


@needs_mirror
def test_verbose_golden_byte_for_byte(run: Any, tmp_path: Path) -> None:
    for name, path in (("system.m2", real("conll14-CAMB")), ("gold.m2", real("conll14"))):
        blocks = path.read_text(encoding="utf-8").split("\n\n")[:60]
        (tmp_path / name).write_text("\n\n".join(blocks) + "\n\n", encoding="utf-8")
    printed = run("errant_compare", "-hyp", tmp_path / "system.m2", "-ref", tmp_path / "gold.m2", "-v")
    assert [hashlib.sha256(printed.encode()).hexdigest()] == list(GOLDEN["verbose_sha256"].values())


SHARED_FOLDER = settings(max_examples=75, suppress_health_check=[HealthCheck.function_scoped_fixture])


def write(folder: Path, files: tuple[str, str]) -> tuple[Path, Path]:
    hypothesis, reference = folder / "system.m2", folder / "gold.m2"
    hypothesis.write_text(files[0], encoding="utf-8")
    reference.write_text(files[1], encoding="utf-8")
    return hypothesis, reference


@SHARED_FOLDER
@given(files=errant_m2.two_files(), flags=errant_m2.FLAGS)
def test_prints_what_the_installed_program_prints(
    files: tuple[str, str], flags: list[str], run: Any, tmp_path: Path, kernels_of: str
) -> None:
    hypothesis, reference = write(tmp_path, files)
    ours = run("errant_compare", "-hyp", hypothesis, "-ref", reference, *flags)
    assert ours == errant_m2.official_compare(hypothesis, reference, flags)


@SHARED_FOLDER
@given(files=errant_m2.two_files(), flags=errant_m2.FLAGS)
def test_totals_are_the_oracles(files: tuple[str, str], flags: list[str], run: Any, tmp_path: Path) -> None:
    hypothesis, reference = write(tmp_path, files)
    mode = next((MODES[flag] for flag in flags if flag in MODES), "cs")
    beta = next((float(flag.removeprefix("--beta=")) for flag in flags if flag.startswith("--beta=")), 0.5)
    beta = float(flags[flags.index("-b") + 1]) if "-b" in flags else beta
    filtered = [word for word in ("M:DET", "R:OTHER", "noop") if word in flags]
    blocks = map(oracle.read_blocks, files)
    counts = oracle.score(*blocks, mode, beta, single="-single" in flags, multi="-multi" in flags, filtered=filtered)
    total = [sum(n for (outcome, _), n in counts.items() if outcome == name) for name in ("tp", "fp", "fn")]
    printed = run("errant_compare", "-hyp", hypothesis, "-ref", reference, *flags)
    last = printed.splitlines()[-2 if printed.endswith("==\n") else -3]
    assert last.split("\t") == [str(cell) for cell in (*total, *oracle.figures(*total, beta))]


def test_abbreviations_and_both_forms_of_an_option(run: Any, tmp_path: Path) -> None:
    hypothesis, reference = write(tmp_path, (A, A))
    whole = run("errant_compare", "-hyp", hypothesis, "-ref", reference, "--beta", "1", "-single", "-cat", "1")
    short = run("errant_compare", "-hyp", hypothesis, "-r", reference, "-b1", "-s", "-ca", "1")
    assert whole == short
    assert "\nR              1        0        0        1.0      1.0      1.0\n" in whole


def test_the_last_of_repeated_options_counts_as_officially(run: Any, tmp_path: Path) -> None:
    hypothesis, reference = write(tmp_path, (A, A))
    given = ["-hyp", hypothesis, "-ref", reference, "-b", "1", "-filt", "M"]
    assert run("errant_compare", "-hyp", "none", "-b", "2", "-filt", "R", *given) == run("errant_compare", *given)


@pytest.mark.parametrize("words", [["-ref", "x"], ["-hyp", "x", "-ref", "y", "-ds", "-dt"], ["-cat", "4"]])
def test_wrong_arguments_end_with_status_two(words: list[str], capsys: Any) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["errant_compare", *words])
    assert ended.value.code == 2
    assert capsys.readouterr().out == ""


REFUSED = {
    "other sentences": ((A + B, B + A), [], "sentence 1 differs from"),
    "fewer sentences": ((A, A + B), [], "1 sentence, but .* has 2"),
    "an empty file": (("\n", A), [], "no sentences"),
    "plain text": (("She go .\nHe go .\n", A), [], r"system.m2: is not an M2 file: no line starts with 'S '"),
    "no edit line": ((A, "S a b\nI a comment\n\n"), [], r"gold.m2:2: not an edit line: 'I a comment'"),
    "an edit of another letter": ((A, A.replace("A 0", "B 0")), [], r"gold.m2:2: not an edit line: 'B 0 1"),
    "an edit line cut short": ((A + B.strip() + "\nA 0 1\n\n", A + B), [], r"system.m2:5: not an edit line: 'A 0 1'"),
    "empty lines before it": (("\n \n" + A.strip() + "\nA 0 1\n\n" + B, A + B), [], r"system.m2:5: .* 'A 0 1'"),
    "two empty lines": ((A + "\n" + B, A + B), [], r"system.m2:5: .* 'S d e'\. Put exactly one empty line before each"),
    "beta 0 where there is no F": (("S a b\n\n", A), ["-b", "0"], "F is undefined"),
    "beta 0 where a type has no F": (
        (A, A.replace("0 1|||R", "1 2|||M")),
        ["-b", "0", "-cat", "1", "-v"],
        "F is undefined",
    ),
    "beta whose square is 0": (("S a b\n\n", A), ["-b", "1e-200"], "F is undefined"),
    "more annotators than can be compared": (
        ("S a b\n" + "".join(f"A 0 1|||R|||c|||REQUIRED|||-NONE-|||{k}\n" for k in range(501)) + "\n",) * 2,
        [],
        "sentence 1: 501 x 501 pairs of annotators are too many to compare",
    ),
    "edits of more tokens than can be listed": (
        (A, "S a b\n" + "A 0 10000|||R|||c|||REQUIRED|||-NONE-|||0\n" * 101 + "\n"),
        ["-dt"],
        "sentence 1: the edits of an annotator span more than 1,000,000 tokens",
    ),
    "beta nan": ((A, A), ["-b", "nan"], "F is undefined"),
}


@pytest.mark.parametrize("fault", REFUSED)
def test_refused_in_one_sentence_with_the_programs_status(fault: str, tmp_path: Path, capsys: Any) -> None:
    files, flags, message = REFUSED[fault]
    hypothesis, reference = write(tmp_path, files)
    assert main(["errant_compare", "-hyp", str(hypothesis), "-ref", str(reference), *flags]) == 1
    output = capsys.readouterr()
    assert output.out == ""
    assert output.err.count("\n") == 1
    assert re.search(message, output.err), output.err


def test_line_ends_of_windows_are_read(run: Any, tmp_path: Path) -> None:
    hypothesis, reference = write(tmp_path, (A + B, A + B))
    expected = run("errant_compare", "-hyp", hypothesis, "-ref", reference)
    hypothesis.write_bytes(hypothesis.read_bytes().replace(b"\n", b"\r\n"))
    assert run("errant_compare", "-hyp", hypothesis, "-ref", reference) == expected


def test_a_byte_order_mark_stands_in_for_a_letter_as_officially(run: Any, tmp_path: Path) -> None:
    hypothesis, reference = write(tmp_path, ("\ufeff" + A + B, A + B))
    shown = run("errant_compare", "-hyp", hypothesis, "-ref", reference, "-v")
    assert shown == errant_m2.official_compare(hypothesis, reference, ["-v"])
    assert "Original sentence 0:  a b\n" in shown


@needs_mirror
@pytest.mark.parametrize("system", ["AMU", "CAMB", "UFC"])
def test_the_metric_has_the_programs_counts(system: str, run: Any, tmp_path: Path, kernels_of: str) -> None:
    for name, path in ((f"{system}.m2", real(f"conll14-{system}")), ("gold.m2", real("conll14"))):
        (tmp_path / name).write_bytes(path.read_bytes())
    words = ["-p", tmp_path / f"{system}.m2", "-c", tmp_path / "gold.m2", "-f", "json"]
    for flags, metric in (("default", "errant"), ("beta1", "errant(beta=1)"), ("dt", "errant(mode=dt)")):
        if flags not in GOLDEN["stdout"][system]:
            continue
        printed = GOLDEN["stdout"][system][flags].splitlines()[-3]
        score = json.loads(run("score", "-m", metric, *words))["systems"][0]["scores"][0]
        found = [score["parts"][name] for name in ("tp", "fp", "fn", "precision", "recall")] + [score["value"]]
        assert [str(round(value, 4)) for value in found] == printed.split("\t")


def test_parameters_make_the_selection() -> None:
    found = ERRANT(mode="ds", single=True, filter="R:SPELL+M:PUNCT", duplicates="once").selection()
    assert (found.mode, found.single, found.multi, found.once) == ("ds", True, False, True)
    assert found.filtered == {"R:SPELL", "M:PUNCT"}
