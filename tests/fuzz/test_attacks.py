"""Run each attack a few times. `python -m tests.fuzz --minutes N` runs them longer."""

import pytest

from fuzz.attack import Budget, all_attacks
from fuzz.attacks.files import FILES

ATTACKS = all_attacks()
TRIES = {
    "differential-m2": 1000,
    "differential-m2-long": 300,
    "differential-gleu": 500,
    "differential-imeasure": 200,
    **dict.fromkeys([*FILES, "submissions", "records", "resumed", "calls", "options"], 10),
    "bindings": 1000,
    "changed-arrays": 100,
    "journals": 10,
    "parquet": 5,
    "runs": 20,
    "kill": 4,
    "disk": 4,
    "kill-serve": 1,
    "disk-serve": 1,
}


@pytest.mark.parametrize("name", TRIES)
def test_attack(name):
    attack = ATTACKS[name]
    if reason := attack.missing():
        pytest.skip(reason)
    budget = Budget(most=TRIES[name])
    findings = list(attack.run(17, budget))
    assert not findings, "\n".join(f"{finding.what}\n{finding.evidence}" for finding in findings)
    assert budget.tries >= TRIES[name]
