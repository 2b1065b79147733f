"""`gecbench compute_gleu` on the worked example: figures of compute_gleu (gec-ranking) and gleu.py (JFLEG).

The figures were printed by the scripts themselves, gleu.py under Python 3 unless said.
"""

import io
import sys

import pytest

from gecbench.cli import main

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

    def test_equal_scores_have_no_interval(self, example, run):
        """Three references, one score: its last bit decides whether their deviation is exactly 0."""
        for name, text in {
            "one": "p q r t u",
            "out": "v u",
            "a": "p q r t v",
            "b": "p q r t u",
            "c": "p q r t .",
        }.items():
            (example / name).write_text(f"{text}\n")
        printed = run("compute_gleu", "-s", "one", "-r", "a", "b", "c", "-o", "out", "-d")
        assert printed.splitlines()[3] == "0 0.187629 0.000000 (nan,nan)"

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
        assert "short:2: 1 line, but s has 5 sentences" in refused(
            ["compute_gleu", *FILES, "-o", "h", "short"], status=1
        )
        assert "short: 1 line, but the source has 5" in refused(["compute_gleu", *FILES, "short", "-o", "h"], status=1)
        assert "no reference is given" in refused(["compute_gleu", "-s", "s", "-r", "-o", "h"], status=1)
        assert "-n -1 is below 0" in refused(["compute_gleu", *FILES, "-o", "h", "-n", "-1"], status=1)
        (example / "latin").write_bytes(b"C\xe9cile\n")
        jfleg = ["compute_gleu", "--jfleg", "-s", "s", "-r", "r0", "--hyp"]
        assert "latin: is not UTF-8 (invalid continuation byte). Save" in refused([*jfleg, "latin"], status=1)
        assert "-n 5 is too large with --sent. Use at most -n 4" in refused([*jfleg, "h", "--sent", "-n5"], status=1)
