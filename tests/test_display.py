"""Progress and messages on standard error."""

import pytest

from gecbench import display
from gecbench.cli import main


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
            "gecbench: counting: 20%, about 12 s left",
            "gecbench: counting: 40%, about 21 s left",
            "gecbench: counting: 50%, about 2 min left",
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
            "gecbench: sentences: 33%, 5,000 per second, about 12 s left",
            "gecbench: lines: 6,000 done, 1,500 per second",
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
