"""The rules of the attacks, their table and their command; the attacks run in fuzz/test_attacks.py."""

import pytest
from fuzz.attack import Attack, Budget, Finding, all_attacks
from fuzz.confined import Case, confined, judge
from fuzz.explore import missing
from fuzz.log import DOCUMENT, LOG, document, read_log, table


@pytest.mark.skipif(bool(missing()), reason=missing())
@pytest.mark.parametrize(
    ("call", "problem"),
    [
        (("builtins:len", (3,), {}), "traceback: TypeError: object of type 'int' has no len()"),
        (("builtins:bytearray", (1 << 31,), {}), "traceback: MemoryError"),
        (("os:abort", (), {}), "killed by SIGABRT"),
        (("builtins:exit", (3,), {}), "status 3: nothing said"),
        (("shutil:copy", ("mine", "copied"), {}), "files touched with status 0: ['copied']"),
        (("warnings:warn", ("odd",), {}), "a warning of Python's: "),
        (("gecbench.errors:InputError", ("fine",), {}), ""),
    ],
)
def test_what_breaks_the_rule_is_noticed(call, problem):
    case = Case([], {"mine": b"x"}, call=call)
    assert judge(case, confined().run(case)).startswith(problem)
    assert problem or not judge(case, confined().run(case))


def test_a_budget_counts_and_ends():
    budget = Budget(most=3)
    assert list(budget) == [0, 1, 2]
    assert budget.tries == 3
    assert not list(Budget(deadline=0))


def test_the_table_shows_the_findings_and_the_tries_since_the_last():
    attacks = [Attack(name, "what", "holds", lambda *_: [Finding("", "")]) for name in ("a", "b", "c", "d")]
    runs = [
        {"attack": "a", "tries": 1000, "findings": []},
        {"attack": "b", "tries": 20, "findings": ["x", "y"]},
        {"attack": "c", "tries": 20, "findings": ["x"]},
        {"attack": "b", "tries": 3000, "findings": []},
    ]
    assert [row.split(" | ")[3:] for row in table(attacks, runs).splitlines()[2:]] == [
        ["1,000", "no finding |"],
        ["3,020", "2 findings, fixed; none in the 3,000 tries since |"],
        ["20", "1 finding, open |"],
        ["0", "not run yet |"],
    ]


def test_the_document_shows_the_committed_log():
    text = DOCUMENT.read_text(encoding="utf-8")
    shown_as_it_should_be = document(all_attacks().values(), read_log(LOG), text) == text
    assert shown_as_it_should_be, "python -m tests.fuzz --document regenerates the table"


def test_an_attack_that_is_asked_for_and_cannot_run_is_a_failure(monkeypatch, tmp_path, capsys):
    from fuzz import __main__ as command

    attacks = {"a": Attack("a", "what", "holds", lambda *_: [], missing=lambda: "no compiler")}
    monkeypatch.setattr(command, "all_attacks", lambda: attacks)
    for words, status in (([], 0), (["--only", "a"], 1)):
        monkeypatch.setattr("sys.argv", ["fuzz", "--tries", "1", "--log", str(tmp_path / "log"), *words])
        assert command.main() == status
        assert capsys.readouterr().out == "a: left out, no compiler\n"
