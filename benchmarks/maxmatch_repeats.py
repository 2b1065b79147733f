"""Time and memory of MaxMatch on outputs that repeat a clause: a 30-token source against ever longer hypotheses."""

from __future__ import annotations

import argparse
import os
import time
from pathlib import Path

import numpy as np

SOURCE = 30
CLAUSE = 7


def resident_megabytes() -> float:
    """Memory of this process right now."""
    with Path("/proc/self/statm").open() as handle:
        return int(handle.read().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 1e6


def peak_megabytes() -> float:
    """Largest memory of this process since the mark was last cleared."""
    with Path("/proc/self/status").open() as handle:
        line = next(line for line in handle if line.startswith("VmHWM"))
    return int(line.split()[1]) / 1e3


def clear_peak() -> None:
    """Start the peak anew."""
    with Path("/proc/self/clear_refs").open("w") as handle:
        handle.write("5")


def sentence(kind: str, size: int) -> tuple[np.ndarray, np.ndarray]:
    """Source and hypothesis token ids; the repeated clause comes from the source or shares nothing with it."""
    source = np.arange(SOURCE, dtype=np.int32)
    clause = source[10 : 10 + CLAUSE] if kind == "own clause" else np.arange(100, 100 + CLAUSE, dtype=np.int32)
    if kind == "one word":
        source, clause = np.tile(np.arange(3, dtype=np.int32), SOURCE // 3), np.zeros(1, dtype=np.int32)
    repeats = np.tile(clause, size // len(clause) + 1)
    return source, np.concatenate([source[:17], repeats])[:size]


def main() -> None:
    """Print the curve."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sizes", type=int, nargs="+", default=[500, 1000, 2000, 5000, 10000, 20000])
    parser.add_argument("--python", action="store_true", help="the Python twin instead of the native kernel")
    arguments = parser.parse_args()
    if arguments.python:
        from gecbench.kernels import maxmatch
    else:
        from gecbench._native import maxmatch
    zero = np.zeros(1, dtype=np.int64)
    starts = np.array([3, 12, 17, 17, 20], dtype=np.int32)
    ends = np.array([4, 13, 17, 17, 22], dtype=np.int32)
    texts = [[50], [], [10, 11, 12, 13, 14, 15, 16], [100], [0, 0]]
    corrections = np.array([token for text in texts for token in text], dtype=np.int32)
    offsets = np.concatenate([zero, np.cumsum([len(text) for text in texts])]).astype(np.int64)
    one = np.arange(len(texts) + 1, dtype=np.int64)
    print(f"{'hypothesis':>10} {'kind':>14} {'ms':>9} {'extra MB':>9} {'bytes/cell':>10}  settled  counts")
    for kind in ("own clause", "foreign clause", "one word"):
        for size in arguments.sizes:
            source, hypothesis = sentence(kind, size)
            ids = (
                source,
                np.array([0, len(source)], dtype=np.int64),
                hypothesis,
                np.array([0, size], dtype=np.int64),
            )
            rows = (np.array([0, 1], dtype=np.int64), np.array([0, len(starts)], dtype=np.int64))
            clear_peak()
            before, clock = resident_megabytes(), time.perf_counter()
            counts, settled = maxmatch.match_corpus(*ids, *rows, starts, ends, one, corrections, offsets)
            elapsed, extra = time.perf_counter() - clock, peak_megabytes() - before
            per_cell = extra * 1e6 / (size * SOURCE)
            how = ("fast", "literal", "too large")[settled[0]]
            print(f"{size:>10} {kind:>14} {elapsed * 1e3:9.2f} {extra:9.1f} {per_cell:10.0f}  {how:>9}  {counts[0]}")


if __name__ == "__main__":
    main()
