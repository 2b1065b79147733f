"""Journals of stopped streams, Parquet files that unpack to large tables, and runs of characters."""

from __future__ import annotations

import functools
import io
from collections.abc import Iterator, Mapping
from random import Random

from boards import GOOD, text
from test_patterns import CLASSES, WORK, grows_too_fast

from ..attack import Attack, Budget, Finding
from ..confined import Case, confined, judge, shown
from ..explore import HOLDS
from .faults import missing, run_with_fault, stage

STREAM = [
    *("score", "--stream", "-c", "demo", "-p", "good.txt", "-m", "gleu", "m2"),
    *("--batch-size", "10", "--per-sentence", "scores.parquet"),
]
JOURNAL = "scores.parquet.journal"


@functools.cache
def stopped_stream() -> tuple[Mapping[str, bytes], str]:
    """Return the files of a stream that was killed, and the output of the same stream if it is not killed."""
    files: dict[str, bytes] = {}
    with stage() as folder:
        (folder / "good.txt").write_bytes(text(GOOD))
        expected = run_with_fault(STREAM, folder).output
    for change in range(24, 4, -1):
        with stage() as folder:
            (folder / "good.txt").write_bytes(text(GOOD))
            run_with_fault(STREAM, folder, change, "kill")
            files = {
                path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()
            }
        if f"{JOURNAL}/state" in files and len(files) > 3 and "scores.parquet" not in files:
            return files, expected
    raise AssertionError("no kill left a journal")


def damage(random: Random, files: Mapping[str, bytes]) -> dict[str, bytes]:
    """Return the files with one of them cut off, doubled, changed, deleted or replaced by another."""
    found = dict(files)
    name = random.choice(sorted(name for name in found if not name.endswith("/lock")))  # it has no content
    content, place = found[name], random.randrange(max(1, len(found[name])))
    changed = bytes([random.randrange(256)])
    ways = {
        "cut": content[:place],
        "doubled": content + content,
        "changed": content[:place] + changed + content[place + 1 :],
        "longer": content[:place] + changed + content[place:],
        "swapped": found[random.choice(sorted(found))],
        "digits": content.translate(bytes.maketrans(b"123456789", b"234567891")),
    }
    found[name] = random.choice([*ways.values()])
    if random.random() < 0.1:
        del found[name]
    return found


def journals(seed: int, budget: Budget) -> Iterator[Finding]:
    """Resume a stream from changed files: the result must be the same, or the error one sentence."""
    files, expected = stopped_stream()
    for number in budget:
        random = Random(f"{seed} {number}")
        case = Case([*STREAM, "--resume"], damage(random, files), frozenset({"scores.parquet"}))
        ending = confined().run(case)
        problem = judge(case, ending)
        if not problem and ending.status == 0 and ending.output != expected and case.files["good.txt"] == text(GOOD):
            problem = f"another result: {ending.output[:200]!r}"
        if problem:
            yield Finding(problem, shown(case, ending))


def bomb(random: Random) -> bytes:
    """Return a small Parquet file of many equal texts, sometimes with a changed byte."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    rows = random.choice([0, 3, 1_000, 100_000, 1_000_000, 5_000_000])
    length = random.choice([0, 1, 100, 1_000, 10_000])
    column = pa.array([], pa.string())
    if rows:
        column = pa.DictionaryArray.from_arrays(pa.repeat(pa.scalar(0, pa.int32()), rows), ["x y " * (length // 4)])
    names = random.sample(["prediction", "id", "text"], random.randint(1, 3))
    stream = io.BytesIO()
    codec = random.choice(["zstd", "snappy", "gzip", "none"])
    group = random.choice([None, 1_000_000])  # more groups would make it a large file
    pq.write_table(pa.table(dict.fromkeys(names, column)), stream, compression=codec, row_group_size=group)
    content = bytearray(stream.getvalue())
    if random.random() < 0.4:
        content[-random.randrange(1, min(len(content), 400))] = random.randrange(256)
    return bytes(content)


def parquet(seed: int, budget: Budget) -> Iterator[Finding]:
    """Score small Parquet files that unpack to large tables."""
    for number in budget:
        random = Random(f"{seed} {number}")
        words = ["score", "-s", "s.txt", "-r", "s.txt", "-p", "p.parquet", "--tokenized", "--aligned"]
        more = random.choice([[], ["--column", "prediction"], ["--stream"], ["--stream", "--on-bad", "skip"]])
        files = {"s.txt": b"a b c\nthe cat goes .\nb\n", "p.parquet": bomb(random)}
        case = Case([*words, *more], files)
        ending = confined().run(case)
        if problem := judge(case, ending):
            yield Finding(
                f"{more} {problem}", f"{seed} {number} {len(files['p.parquet'])} bytes {ending.errors[-800:]}"
            )


def runs(seed: int, budget: Budget) -> Iterator[Finding]:
    """Double runs of mixed characters through everything that reads a line."""
    for number in budget:
        random = Random(f"{seed} {number}")
        unit = "".join(random.choice([*CLASSES, "ab", "the ", "n't", "1."]) for _ in range(random.randint(1, 5)))
        start = "".join(random.choice(CLASSES) for _ in range(random.randint(0, 3)))
        name = random.choice(sorted(WORK))
        if grows_too_fast(WORK[name], lambda length, a=start, b=unit: a + b * (length // len(b)), 500):
            yield Finding(f"{name} is not linear", f"runs of {unit!r} after {start!r}")


ATTACKS = [
    Attack(
        "journals",
        "files of a stopped `score --stream` that were cut off, changed, swapped or deleted; then it resumes",
        "the usual rule, and any result is the same as without the stop",
        journals,
        share=0.5,
        missing=missing,
        prepare=confined,
    ),
    Attack(
        "parquet",
        "small Parquet files that unpack to up to 5,000,000 texts of up to 10 kB; some have a damaged footer",
        HOLDS,
        parquet,
        share=0.5,
        missing=missing,
        prepare=confined,
    ),
    Attack(
        "runs",
        "one to five characters repeated over and over, read by checks, cleaning, tokenizers and the parser of replies",
        "processor time grows no faster than the length of the text",
        runs,
        share=0.5,
    ),
]
