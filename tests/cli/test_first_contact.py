"""What a person meets first: hints for mistyped words, progress, quiet, a status for pipelines."""

import pytest

import gecbench
from gecbench import display
from gecbench.cli import main
from gecbench.corpora.demo import DATA

GOOD, BAD = (str(DATA / "systems" / f"{name}.txt") for name in ("good-corrector", "do-nothing"))


@pytest.mark.parametrize(
    ("arguments", "hint"),
    [
        (["scroe"], "there is no command 'scroe'. Did you mean score? Commands: "),
        (
            ["score", "--mterics", "gleu"],
            "gecbench score: error: unrecognized arguments: --mterics. Did you mean --metrics?",
        ),
        (["score", "-c", "demo", "-p", GOOD, "-f", "jsn"], "invalid choice: 'jsn'. Did you mean json? Choose from"),
        (["human", "rnak"], "invalid choice: 'rnak'. Did you mean rank? Choose from"),
        (["--versoin"], "there is no option '--versoin'. Did you mean --version? Options: --help, --version."),
        (
            ["demo", "--zzz"],
            "gecbench demo: error: unrecognized arguments: --zzz. Options and examples: gecbench demo --help\n",
        ),
        (
            ["score"],
            "gecbench score: error: the following arguments are required: -p/--predictions. Options and examples:",
        ),
        (["demo", "zzz"], "unrecognized arguments: zzz. Options and examples: "),
    ],
)
def test_did_you_mean_in_usage(capsys, arguments, hint):
    with pytest.raises(SystemExit, match=r"^2$"):
        main(arguments)
    said = capsys.readouterr().err
    assert hint in said
    assert len(said.splitlines()) == 1, "the mistake is buried"


@pytest.mark.parametrize(("asked", "same"), [(["help"], []), (["help", "score"], ["score", "--help"])])
def test_help_is_a_word_too(capsys, asked, same):
    shown = []
    for arguments in (asked, same):
        with pytest.raises(SystemExit, match=r"^0$"):
            main(arguments)
        shown.append(capsys.readouterr().out)
    assert shown[0] == shown[1]


@pytest.mark.parametrize(
    ("arguments", "hint"),
    [
        (["-m", "imesure"], r"unknown metric 'imesure'\. Did you mean imeasure\? Known metrics: gleu"),
        (["-c", "dmeo"], r"no corpus or file 'dmeo'\. Did you mean demo\? Corpora: "),
        (["-c", "jflge:test"], r"Did you mean jfleg:test\? Corpora: "),
        (["-c", "jfleg:tset"], r"nor a split of jfleg\. Did you mean test\? Configurations: "),
        (["-m", "gleu(drws=py3)"], r"gleu has no parameter 'drws'\. Did you mean draws\? Its parameters: "),
    ],
)
def test_did_you_mean_in_names(refused, arguments, hint):
    refused(["score", "-c", "demo", "-p", GOOD, *arguments], hint)


@pytest.mark.parametrize(
    ("arguments", "hint"),
    [
        (["meta", "--human", "conl14"], r"no file of judgments 'conl14'\. Did you mean conll14\? Give a file"),
        (["reproduce", "sakaguchi"], r"no paper 'sakaguchi' to reproduce\. Did you mean sakaguchi2016\? Choose"),
        (["run", "--model", "pyton:x:y", "-c", "demo"], r"the model 'pyton:x:y'\. Did you mean python\? Write cmd:"),
    ],
)
def test_did_you_mean_in_other_commands(refused, arguments, hint):
    refused(arguments, hint)


@pytest.mark.parametrize("command", ["human", "leaderboard"])
def test_a_command_without_its_action_shows_them(capsys, command):
    with pytest.raises(SystemExit, match=r"^0$"):
        main([command])
    assert "\nactions:\n" in capsys.readouterr().out


def test_nothing_near_is_not_guessed(refused):
    assert "Did you mean" not in refused(["score", "-c", "demo", "-p", GOOD, "-m", "xylophone"], "unknown metric")


def test_an_option_may_still_be_abbreviated(run):
    assert run("demo", "--form", "tsv").startswith("system\t")


def test_the_opponent_is_checked_before_anything_is_scored(refused, monkeypatch):
    monkeypatch.setattr(gecbench.GLEU, "count", lambda *_: pytest.fail("it was scored"))
    command = ["compare", "-c", "demo", "-p", GOOD, BAD, "--against", "do-nothin"]
    refused(command, r"against='do-nothin' names no system\. Did you mean do-nothing\?")


def test_all_systems_are_checked_before_one_is_scored(monkeypatch):
    monkeypatch.setattr(gecbench.GLEU, "count", lambda *_: pytest.fail("it was scored"))
    demo = gecbench.load_demo()
    shifted = [*demo.sources[1:], demo.sources[0]]
    with pytest.raises(gecbench.InputError, match="predictions of b look shifted"):
        gecbench.compare({"a": demo.sources, "b": shifted}, demo)


@pytest.mark.parametrize(("command", "extra"), [("score", []), ("compare", ["--resamples", "10"])])
@pytest.mark.parametrize(("limit", "status"), [("10", 0), ("45.3", 1)])
def test_fail_under(capsys, command, extra, limit, status):
    arguments = [command, "-c", "demo", "-p", GOOD, BAD, "-m", "gleu", "bleu", *extra, "--fail-under", limit]
    assert main(arguments) == status
    output = capsys.readouterr()
    assert "good-corrector" in output.out
    printed = {line.split()[0]: line.split()[1] for line in output.out.splitlines()[2:4]}
    assert all(float(value) < 45.3 for value in printed.values())
    said = [f"gecbench: {name}: gleu {value} is below 45.3" for name, value in printed.items()]
    assert output.err.splitlines() == (said if status else [])


class TestProgress:
    @pytest.fixture(autouse=True)
    def clock(self, monkeypatch):
        monkeypatch.delenv("TQDM_DISABLE")
        monkeypatch.setattr(display, "monotonic", lambda: self.now)
        self.now = 0.0

    def steps(self, *times, total=100):
        with display.progress(total, "counting") as bar:
            for self.now in times:
                bar.update(10)

    def test_a_log_gets_a_line_after_two_seconds_and_then_every_ten(self, capsys):
        self.steps(1, 3, 9, 14, 100, 101)
        assert capsys.readouterr().err.splitlines() == [
            "gecbench: counting: 20 %, about 12 s left",
            "gecbench: counting: 40 %, about 21 s left",
            "gecbench: counting: 50 %, about 2 min left",
        ]

    def test_without_a_total_it_says_how_much_is_done(self, capsys):
        self.steps(5, total=None)
        assert capsys.readouterr().err == "gecbench: counting: 10 done\n"

    def test_what_goes_fast_has_a_rate_without_what_was_there_before(self, capsys):
        with display.progress(90_000, "sentences", 10_000) as bar, display.progress(None, "lines") as other:
            self.now = 4.0
            bar.update(20_000)
            other.update(6_000)
        assert capsys.readouterr().err.splitlines() == [
            "gecbench: sentences: 33 %, 5,000 a second, about 12 s left",
            "gecbench: lines: 6,000 done, 1,500 a second",
        ]

    def test_quiet(self, capsys, run):
        display.set_quiet(True)
        self.steps(5)
        display.log_info("hello")
        assert capsys.readouterr().err == ""
        run("doctor")
        display.log_info("the next command is not quiet")
        assert capsys.readouterr().err == "gecbench: the next command is not quiet\n"

    def test_tqdm_s_own_switch(self, capsys, monkeypatch):
        monkeypatch.setenv("TQDM_DISABLE", "1")
        self.steps(5)
        assert capsys.readouterr().err == ""


def test_quiet_leaves_the_result(capsys, folder):
    assert main(["run", "--model", "cmd:cat", "-c", "demo", "-o", "out.txt", "--quiet"]) == 0
    output = capsys.readouterr()
    assert output.err == ""
    assert "GLEU" in output.out


def test_a_large_corpus_is_told_of_streams(capsys, monkeypatch):
    from gecbench.cli import score

    monkeypatch.setattr(score, "_LARGE", 42)
    assert main(["score", "-c", "demo", "-p", GOOD]) == 0
    assert capsys.readouterr().err.startswith("gecbench: 42 sentences at once; with --stream it takes less memory")
