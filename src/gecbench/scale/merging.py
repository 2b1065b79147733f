"""Parts put together: one table in the order of its corpus, and the scores that it holds."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import reduce
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from gecbench.analysis.report import Report, Scores
from gecbench.analysis.significance import DEFAULT_SEED, TestName, check_resamples, with_intervals
from gecbench.api import check_test, significance_tests
from gecbench.corpus.batch_checks import CheckResult
from gecbench.corpus.corpus import fingerprint_of
from gecbench.errors import InputError
from gecbench.metrics.base import Score, Signature, Statistics, make_metric
from gecbench.metrics.streaming import merge_signatures
from gecbench.scale import counting
from gecbench.scale.counting import SHOWN, Faults, OnBad
from gecbench.version import __version__

if TYPE_CHECKING:
    import pyarrow

Parts = Any
Places = npt.NDArray[np.int64]


def scores(parts: Parts, *, on_bad: OnBad | None = None, resamples: int = 0, seed: int = DEFAULT_SEED) -> Scores:
    """Score counts that were made in parts: those of `gecbench.score` on the whole corpus, to the bit.

    `parts` are as in `merge`. `resamples` > 0 adds a bootstrap interval.
    """
    if resamples:
        check_resamples(resamples)
    table = merge(parts, on_bad=on_bad)
    making = Making.of(table)
    making.result.decide()
    found = [_score(table, name, making) for name in making.metrics]
    if resamples:
        found = with_intervals(found, resamples, seed)
    return Scores(dict(zip(making.metrics, found, strict=True)))


def compare(
    systems: Mapping[str, Parts],
    *,
    on_bad: OnBad | None = None,
    resamples: int = 1000,
    seed: int = DEFAULT_SEED,
    test: TestName | None = "randomisation",
    against: str = "first",
) -> Report:
    """Compare systems whose sentences were counted, as `gecbench.compare` does those whose texts are at hand."""
    check_test(test)
    scored = {name: scores(parts, on_bad=on_bad, resamples=resamples, seed=seed) for name, parts in systems.items()}
    if not scored:
        raise InputError("no systems to compare")
    first, *others = (
        (name, {key: str(each.signature) for key, each in found.items()}) for name, found in scored.items()
    )
    for name, signatures in others:
        if signatures != first[1]:
            raise InputError(
                f"{name} was scored on other data or in another way than {first[0]}", fix="Count both alike"
            )
    return Report(scored, significance_tests(scored, test, against, resamples, seed))


def read(*places: str | Path) -> pyarrow.Table:
    """Read parts from Parquet: files, and folders of them."""
    import pyarrow

    files = [file for place in places for file in (sorted(Path(place).rglob("*.parquet")) or [Path(place)])]
    return pyarrow.concat_tables([_read_file(file) for file in files])


def _read_file(file: Path) -> pyarrow.Table:
    import pyarrow.parquet

    try:
        return pyarrow.parquet.read_table(file)
    except FileNotFoundError as error:
        raise InputError("no such file", file=str(file)) from error
    except (pyarrow.ArrowException, OSError) as error:
        raise InputError(f"no table of counts ({str(error).splitlines()[0]})", file=str(file)) from error


def merge(parts: Parts, *, on_bad: OnBad | None = None) -> pyarrow.Table:
    """Return one table in the order of the corpus, of parts in any order; a sentence too few or too many is found.

    `parts`: a table, a `datasets.Dataset` of counts, or several of them. Rows that cannot be scored are refused with
    their number and the first of them, or left out (`on_bad="skip"`, here or where they were counted).
    """
    table = _table_of(parts)
    made = Making.of(table)
    if made.merged == table.num_rows:
        return table
    index = table[counting.INDEX].fill_null(-1).to_numpy()
    order = np.argsort(index, kind="stable")
    if table[counting.FAULT].null_count == len(index) and np.array_equal(index[order], np.arange(len(index))):
        return made.write_into(table.take(order), skipped=0)
    faults, kept = _sifted(table, index)
    if faults.count and (on_bad or made.on_bad) != "skip":
        raise faults.error()
    if not len(kept):
        raise InputError("no row can be scored")
    ordered = table.take(kept[np.argsort(index[kept], kind="stable")])
    return made.write_into(ordered, skipped=faults.count)


def _table_of(parts: Parts) -> pyarrow.Table:
    import pyarrow

    if isinstance(parts, pyarrow.Table):
        return parts
    if isinstance(parts, pyarrow.RecordBatch):
        return pyarrow.Table.from_batches([parts])
    if hasattr(parts, "with_format"):
        return parts.with_format("arrow")[:]
    found = [_table_of(part) for part in parts]
    if not found:
        raise InputError("no parts to merge")
    return pyarrow.concat_tables(found)


def _sifted(table: pyarrow.Table, index: Places) -> tuple[Faults, Places]:
    """Return what is wrong with how many rows, and the numbers of the others.

    Of two rows with one index neither is kept: which of them is right is not known. Rows without an index are taken
    for those that are absent.
    """
    faulty = table[counting.FAULT].is_valid().to_numpy()
    bad, good = np.flatnonzero(faulty), np.flatnonzero(~faulty)
    faults = Faults(len(bad))
    for row, reason in zip(bad[:SHOWN].tolist(), table[counting.FAULT].take(bad[:SHOWN]).to_pylist(), strict=True):
        faults.say(index[row], reason)
    found, times = np.unique(index[good], return_counts=True)
    double = found[times > 1]
    faults.note(double.tolist(), "this index is there more than once")
    known = np.union1d(found, index[faulty & (index >= 0)])
    gaps = np.diff(known, prepend=-1) - 1
    absent = int(gaps.sum() - (index < 0).sum())
    if absent > 0:
        faults.count += absent
        for place, missing in zip(known[gaps > 0][:SHOWN].tolist(), gaps[gaps > 0][:SHOWN].tolist(), strict=True):
            faults.say(place - missing, "no row has this index")
    return faults, good[~np.isin(index[good], double)]


@dataclass(frozen=True)
class Making:
    """How counts were made: what all parts must agree on, or what adds up over them."""

    metrics: Mapping[str, Mapping[str, Any]]
    result: CheckResult
    on_bad: OnBad
    skipped: int = 0
    merged: int = 0

    @classmethod
    def of(cls, table: pyarrow.Table) -> Making:
        """Read it from the column `batch` of a table."""
        wanted = {counting.INDEX, counting.FAULT, counting.BATCH}
        if not wanted <= set(table.column_names):
            found = ", ".join(table.column_names)
            raise InputError(f"no table of counts: its columns are {found}", fix="Make it with gecbench.scale.counts")
        batches = [json.loads(text) for text in table[counting.BATCH].drop_null().to_pylist()]
        if not batches:
            raise InputError(
                "no table of counts: it does not say how they were made", fix="Merge all rows of each part"
            )
        result = reduce(lambda left, right: left + right, (CheckResult(**batch["checks"]) for batch in batches))
        on_bad: OnBad = "skip" if any(batch["on_bad"] == "skip" for batch in batches) else "error"
        scored = [batch["metrics"] for batch in batches if batch["metrics"]]
        names = dict.fromkeys(name for metrics in scored for name in metrics)
        metrics = {name: _joined(name, scored) for name in names}
        merged = batches[0].get("merged", 0) if len(batches) == 1 else 0
        return cls(metrics, result, on_bad, batches[0].get("skipped", 0) if merged else 0, merged)

    def write_into(self, table: pyarrow.Table, skipped: int) -> pyarrow.Table:
        """Return a merged table that says it on its first row."""
        import pyarrow

        made = {"gecbench": __version__, "checks": asdict(self.result), "on_bad": self.on_bad, "metrics": self.metrics}
        text = json.dumps({**made, "skipped": skipped, "merged": table.num_rows})
        column = pyarrow.array([text] + [None] * (table.num_rows - 1), pyarrow.string())
        return table.set_column(table.column_names.index(counting.BATCH), counting.BATCH, column)


def _joined(name: str, scored: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Return what parts say of one metric."""
    if not all(name in metrics for metrics in scored):
        raise InputError(f"some parts have no counts of {name}", fix="Count all parts alike")
    parts = [metrics[name] for metrics in scored]
    diagnostics: Counter[str] = Counter()
    for part in parts:
        diagnostics.update(part["diagnostics"])
    signature = merge_signatures(Signature.parse(text) for text in dict.fromkeys(part["signature"] for part in parts))
    return {**parts[0], "signature": str(signature), "diagnostics": dict(diagnostics)}


def _score(table: pyarrow.Table, name: str, making: Making) -> Score:
    made = making.metrics[name]
    hashes = table[counting.DATA + made["gold"]]
    if table[name].null_count or hashes.null_count:
        raise InputError(f"rows without counts of {name}", fix="Count all parts alike")
    signature = Signature.parse(made["signature"])
    metric = make_metric(str(signature))
    statistics = counting.statistics_of(table[name], made["width"])
    statistics = Statistics(statistics.counts, statistics.offsets, made["diagnostics"])
    data = fingerprint_of(counting.sum_of_column(hashes))
    signature = signature.with_field("data", data)
    if making.skipped:
        signature = signature.with_field("skipped", making.skipped)
    return metric.score_statistics(statistics, signature)
