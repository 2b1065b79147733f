"""Run the attacks in turn, each for its share of the time, and log tries and findings.

python -m tests.fuzz --minutes 30                  all attacks
python -m tests.fuzz --minutes 5 --only files-m2   one attack (repeat --only for more)
python -m tests.fuzz --tries 1000                  each attack this many times
python -m tests.fuzz --document                    update the table in docs/reliability.md from the log
"""

from __future__ import annotations

import argparse
import contextlib
import math
import os
import subprocess
import sys
import time
from pathlib import Path

from .attack import Attack, Budget, all_attacks
from .log import DOCUMENT, LOG, append, document, read_log


def commit() -> str:
    """Return the attacked commit, with a + if files differ from it; an empty text outside a repository."""
    git = ["git", "-C", str(LOG.parent), "describe", "--always", "--exclude=*", "--dirty=+"]
    with contextlib.suppress(OSError):
        return subprocess.run(git, capture_output=True, text=True, check=False).stdout.strip()
    return ""


def attempt(attack: Attack, seed: int, seconds: float, tries: float, log: Path) -> int:
    """Run one attack, log it, and return the number of findings."""
    attack.prepare()
    started, clock = time.time(), time.monotonic()
    budget = Budget(clock + seconds, tries)
    findings = []
    for finding in attack.run(seed, budget):
        findings.append(finding)
        print(f"{attack.name}: FOUND {finding.what}\n{finding.evidence}\n", flush=True)
    taken = round(time.monotonic() - clock, 1)
    run = {
        "attack": attack.name,
        "date": time.strftime("%Y-%m-%d", time.gmtime(started)),
        "commit": commit(),
        "seed": seed,
        "seconds": taken,
        "tries": budget.tries,
        "findings": [finding.what for finding in findings],
    }
    append(log, run)
    print(f"{attack.name}: {budget.tries:,} tries in {taken} s, {len(findings)} findings", flush=True)
    return len(findings)


def main() -> int:
    """Run the attacks. Return 1 if there are findings, or if a requested attack cannot run here."""
    parser = argparse.ArgumentParser(
        prog="python -m tests.fuzz", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--minutes", type=float, help="time of all attacks together")
    parser.add_argument("--tries", type=int, help="the most tries of each attack")
    parser.add_argument("--only", metavar="NAME", action="append", help="an attack; all unless given")
    parser.add_argument("--seed", type=int, default=None, help="default: a new one")
    parser.add_argument("--log", type=Path, default=LOG, help="where a line per attack is added (default: %(default)s)")
    parser.add_argument("--document", action="store_true", help="update docs/reliability.md from the log")
    options = parser.parse_args()
    attacks = all_attacks()
    if unknown := set(options.only or ()) - set(attacks):
        parser.error(f"no attack {', '.join(sorted(unknown))}; there are {', '.join(attacks)}")
    findings, runs = 0, options.minutes is not None or options.tries is not None
    if not runs and not options.document:
        parser.error("--minutes, --tries or --document is needed")
    if runs:
        seed = int.from_bytes(os.urandom(4), "big") if options.seed is None else options.seed
        chosen = [attack for name, attack in attacks.items() if not options.only or name in options.only]
        minutes, tries = (math.inf if most is None else most for most in (options.minutes, options.tries))
        share = 60 * minutes / sum(attack.share for attack in chosen)
        for attack in chosen:
            if reason := attack.missing():
                print(f"{attack.name}: left out, {reason}", flush=True)
                findings += bool(options.only)
                continue
            findings += attempt(attack, seed, attack.share * share, tries, options.log)
    if options.document:
        text = document(attacks.values(), read_log(options.log), DOCUMENT.read_text(encoding="utf-8"))
        DOCUMENT.write_text(text, encoding="utf-8", newline="\n")
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit(main())
