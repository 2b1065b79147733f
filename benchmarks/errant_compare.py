"""What comparing edits costs beside the official errant_compare, in one process and as a program.

    GECBENCH_MIRROR=folder python benchmarks/errant_compare.py           the whole table
    GECBENCH_MIRROR=folder python benchmarks/errant_compare.py --quick   fewer repetitions

It needs the errant package and the M2 files of CLEME. Every output is compared byte for byte.
"""

from __future__ import annotations

import contextlib
import io
import resource
import subprocess
import sys
from collections.abc import Callable, Sequence
from unittest import mock

from measure import best, is_quick, mirror, print_row, time_label

from gecbench.cli import main as gecbench

CLEME = "raw.githubusercontent.com/THUKElab/CLEME/e90abead75a9d766595b1b0ff4473647af0c86e9/demo/examples"
OPTIONS = ([], ["-dt"], ["-single"], ["-cat", "3"], ["-v"])


def main() -> None:
    repeats = 5 if is_quick(__doc__, dict, "fewer repetitions") else 25
    folder = mirror()
    if folder is None:
        sys.exit("GECBENCH_MIRROR is not set")
    from errant.commands.compare_m2 import main as official

    words = ["-hyp", str(folder / CLEME / "conll14-AMU.errant"), "-ref", str(folder / CLEME / "conll14.errant")]
    print("\nAMU on CoNLL-14: 1,312 sentences, two annotators\n")
    print("| options | official | gecbench | ratio |\n|---|---:|---:|---:|")
    for options in OPTIONS:
        programs: list[Callable[[], object]] = [
            official,
            lambda: gecbench(["errant_compare", *words, *options]),  # noqa: B023
        ]
        outputs = [printed(program, [*words, *options]) for program in programs]
        if outputs[0] != outputs[1]:
            sys.exit(f"{options}: the outputs differ")
        times = [best(lambda: printed(program, [*words, *options]), repeats) for program in programs]  # noqa: B023
        row(" ".join(options) or "none", times)
    commands = [["-m", "errant.commands.compare_m2"], ["-m", "gecbench", "errant_compare"]]
    row("none, as a program", [min(child_time([*command, *words]) for _ in range(repeats)) for command in commands])


def printed(program: Callable[[], object], words: Sequence[str]) -> str:
    output = io.StringIO()
    with mock.patch.object(sys, "argv", ["errant_compare", *words]), contextlib.redirect_stdout(output):
        program()
    return output.getvalue()


def child_time(words: Sequence[str]) -> float:
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([sys.executable, *words], stdout=subprocess.DEVNULL, check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def row(name: str, times: Sequence[float]) -> None:
    print_row(name, *map(time_label, times), f"{times[0] / times[1]:.1f} ×")


if __name__ == "__main__":
    main()
