"""The C++ kernels without Python, built with sanitizers: libFuzzer on every kernel, and kernels on many threads."""

from __future__ import annotations

import json
import math
import os
import re
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from pathlib import Path

from ..attack import Attack, Budget, Finding

ROOT = Path(__file__).parents[3]
DRIVERS = ROOT / "tests" / "fuzz" / "native"
_FLAGS = ("-std=c++17", "-O1", "-g", "-ffp-contract=off", f"-I{ROOT / 'native'}", f"-I{DRIVERS}")
_CLANGS = ("clang++", *(f"clang++-{version}" for version in range(22, 13, -1)))
KERNELS = 13
_ROUNDS = 2 * KERNELS  # of the threads' program at a time


@cache
def fuzzing_compiler() -> str:
    """Return the name of a clang with libFuzzer, or an empty text."""
    for name in filter(shutil.which, _CLANGS):
        made = subprocess.run(
            [name, "-fsanitize=fuzzer", "-x", "c++", "-", "-o", os.devnull],
            input=b'extern "C" int LLVMFuzzerTestOneInput(const unsigned char*, unsigned long) { return 0; }',
            capture_output=True,
            check=False,
        )
        if made.returncode == 0:
            return name
    return ""


def build(compiler: str, sanitizers: str, driver: str) -> Path:
    """Return the program of a driver and the kernels. Build it if a source is newer."""
    folder = ROOT / "build" / f"fuzz-{driver}"
    folder.mkdir(parents=True, exist_ok=True)
    program = folder / driver
    kernels = [path for path in (ROOT / "native").rglob("*.cpp") if path.parent.name != "bindings"]
    sources = [
        *(path for path in kernels if path.name != "module.cpp"),
        DRIVERS / "kernels.cpp",
        DRIVERS / f"{driver}.cpp",
    ]
    headers = [*(ROOT / "native").rglob("*.hpp"), *DRIVERS.glob("*.hpp")]
    newest = max(path.stat().st_mtime for path in (*sources, *headers))
    if program.exists() and program.stat().st_mtime > newest:
        return program
    flags = [*_FLAGS, f"-fsanitize={sanitizers}", "-fno-sanitize-recover=all"]

    def compiled(source: Path) -> Path:
        made = folder / f"{source.relative_to(ROOT).as_posix().replace('/', '.')}.o"
        subprocess.run([compiler, *flags, "-c", str(source), "-o", str(made)], check=True)
        return made

    with ThreadPoolExecutor(os.cpu_count()) as workers:
        objects = list(workers.map(compiled, sources))
    subprocess.run([compiler, *flags, *map(str, objects), "-pthread", "-o", str(program)], check=True)
    return program


def fuzzer() -> Path:
    """Return libFuzzer's program."""
    return build(fuzzing_compiler(), "fuzzer,address,undefined", "fuzz")


def threaded() -> Path:
    """Return the program that runs kernels on several threads."""
    return build(shutil.which("g++") or fuzzing_compiler(), "thread", "threads")


def unpack_seeds(folder: Path) -> None:
    """Write the fuzzer's first inputs, kept as hexadecimal numbers in one file, to a new folder."""
    folder.mkdir()
    for name, digits in json.loads((DRIVERS / "seeds.json").read_text(encoding="utf-8")).items():
        (folder / name).write_bytes(bytes.fromhex(digits))


def fuzz(seed: int, budget: Budget) -> Iterator[Finding]:
    """Run libFuzzer from the committed seeds on each kernel in turn, for an equal share of the budget."""
    program = fuzzer()
    for kernel in range(KERNELS):
        others = KERNELS - kernel
        limits = [f"-max_total_time={math.ceil(budget.seconds() / others)}"] if math.isfinite(budget.deadline) else []
        limits += [f"-runs={math.ceil((budget.most - budget.tries) / others)}"] if math.isfinite(budget.most) else []
        if budget.left():
            yield from _fuzz_kernel(program, kernel, seed, limits, budget)


def _fuzz_kernel(program: Path, kernel: int, seed: int, limits: list[str], budget: Budget) -> Iterator[Finding]:
    with tempfile.TemporaryDirectory() as place:
        corpus, seeds = Path(place) / "corpus", Path(place) / "seeds"
        corpus.mkdir()
        unpack_seeds(seeds)
        options = ["-max_len=400", "-timeout=20", "-rss_limit_mb=2048", "-print_final_stats=1", *limits]
        options.append("-entropic_scale_per_exec_time=1")  # prefer inputs that are quick to try
        ended = subprocess.run(
            [str(program), str(corpus), str(seeds), f"-seed={seed % 2**31 + 1}", *options],
            cwd=place,
            env={**os.environ, "GECBENCH_FUZZ_KERNEL": str(kernel)},
            capture_output=True,
            text=True,
            errors="replace",
            check=False,
        )
        tries = int((re.findall(r"number_of_executed_units: (\d+)", ended.stderr) or ["0"])[-1])
        budget.count(tries)
        print(f"kernel {kernel}: {tries:,} tries", flush=True)
        if ended.returncode:
            found = re.search(r"^(?:SUMMARY|==\d+==\s*ERROR): (.*)", ended.stderr, re.MULTILINE)
            inputs = {path.name: path.read_bytes() for path in Path(place).glob("*-*") if path.is_file()}
            yield Finding(
                f"kernel {kernel}: {found[1] if found else 'libFuzzer ended'}", f"{inputs}\n{ended.stderr[-3000:]}"
            )


def threads(seed: int, budget: Budget) -> Iterator[Finding]:
    """Run every kernel on one thread and on four, under the thread sanitizer."""
    program = threaded()
    while budget.left():
        command = [str(program), str((seed + budget.tries) % 2**31), str(_ROUNDS)]
        ended = subprocess.run(command, capture_output=True, text=True, errors="replace", check=False)
        budget.count(_ROUNDS)
        if ended.returncode:
            found = re.search(r"SUMMARY: (.*)", ended.stderr)
            yield Finding(found[1] if found else ended.stderr[-200:], f"{command}\n{ended.stderr[:3000]}")
            return


ATTACKS = [
    Attack(
        "fuzz-kernels",
        "seed inputs that libFuzzer mutates until they reach new code in the parsers and kernels",
        "no access outside an array, no undefined behavior, no impossible result, within 20 s and 2 GiB",
        fuzz,
        share=2,
        missing=lambda: "" if fuzzing_compiler() else "no clang with libFuzzer",
        prepare=fuzzer,
    ),
    Attack(
        "threads",
        "every kernel on 700 to 10,000 random sentences, under the thread sanitizer",
        "no data race; the same result on four threads as on one",
        threads,
        missing=lambda: "" if shutil.which("g++") or fuzzing_compiler() else "no C++ compiler",
        prepare=threaded,
    ),
]
