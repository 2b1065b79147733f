"""Builds the C++ kernels, without Python, into a program that attacks them under sanitizers."""

from __future__ import annotations

import os
import shutil
import subprocess
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parents[2]
DRIVERS = ROOT / "tests" / "fuzz" / "native"
_FLAGS = ("-std=c++17", "-O1", "-g", "-ffp-contract=off", f"-I{ROOT / 'native'}", f"-I{DRIVERS}")
_CLANGS = ("clang++", *(f"clang++-{version}" for version in range(22, 13, -1)))


@cache
def fuzzing_compiler() -> str:
    """Return a clang with libFuzzer, or nothing."""
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
    """Return the program of a driver with the kernels, made anew where a source is newer."""
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
