"""The 128-bit integers of the I-measure's kernel give the same results as Python's integers."""

import os
import random
import shutil
import subprocess

import pytest

PROGRAM = """
#include <iostream>
#include "imeasure/best_sum.hpp"
using namespace gecbench::imeasure;
int main() {
  std::int64_t a, b, c, d;
  while (std::cin >> a >> b >> c >> d) {
    const Wide left = product(a, b), right = product(c, d), sum = left + right, difference = left - right;
    std::cout << sum.high << ' ' << sum.low << ' ' << difference.high << ' ' << difference.low << ' '
              << (left > right) << ' ' << (left == right) << '\\n';
  }
}
"""
EDGES = [0, 1, -1, 2**31, -(2**31), 2**32, -(2**32), 2**62, -(2**62), 2**63 - 1, -(2**63)]


def test_arithmetic_is_pythons(repository, tmp_path):
    compiler = os.environ.get("CXX") or shutil.which("c++") or ""
    if not shutil.which(compiler):
        pytest.skip("no C++ compiler")
    (tmp_path / "wide.cpp").write_text(PROGRAM)
    paths = ["-I", str(repository / "native"), str(tmp_path / "wide.cpp"), "-o", str(tmp_path / "wide")]
    subprocess.run([compiler, "-std=c++17", *paths], check=True)
    generator = random.Random(1)
    rows = [
        [
            generator.choice(EDGES) if generator.random() < 0.5 else generator.randrange(-(2**63), 2**63) >> shift
            for shift in (0, 0, 20, 40)
        ]
        for _ in range(20_000)
    ]
    rows += [[a, b, b, a] for a in EDGES for b in EDGES]
    text = "".join(" ".join(map(str, row)) + "\n" for row in rows)
    found = subprocess.run([str(tmp_path / "wide")], input=text, capture_output=True, text=True, check=True).stdout
    for (a, b, c, d), line in zip(rows, found.splitlines(), strict=True):
        left, right = a * b, c * d
        expected = [*halves(left + right), *halves(left - right), int(left > right), int(left == right)]
        assert list(map(int, line.split())) == expected


def halves(number):
    return wrapped(number) >> 64, number % 2**64


def wrapped(number):
    return (number + 2**127) % 2**128 - 2**127
