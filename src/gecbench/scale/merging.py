"""Merge tables of counts in the order of the corpus, and score them."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import reduce
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from gecbench.analysis.report import Report, Scores
from gecbench.analysis.significance import DEFAULT_SEED, TestName, check_resamples, warn_of_small_sample, with_intervals
from gecbench.api import check_test, significance_tests
from gecbench.corpus.corpus import fingerprint_of
from gecbench.errors import InputError
from gecbench.metrics.base import Score, Signature, Statistics, make_metric
from gecbench.metrics.streaming import CheckResult, merge_signatures
from gecbench.scale import counting
from gecbench.scale.counting import SHOWN, BadRows, OnBad
from gecbench.version import __version__

if TYPE_CHECKING:
    import pyarrow

Parts = Any
Places = npt.NDArray[np.int64]


def scores(parts: Parts, *, on_bad: OnBad | None = None, resamples: int = 0, seed: int = DEFAULT_SEED) -> Scores:
    """Score tables of counts.

    The scores are identical to those of `gecbench.score` on the whole corpus.

    Args:
        parts: The tables of counts of one system, as in `merge`.
        on_bad: As in `merge`.
        resamples: Bootstrap resamples for 95% confidence intervals. 0 computes none.
        seed: The seed of the resampling.

    Returns:
        The scores by metric.

    Raises:
        InputError: Rows are missing, repeated or cannot be scored, or a table does not contain counts.

    >>> from gecbench import scale
    >>> rows = {"source": ["He go ."] * 2, "prediction": ["He goes ."] * 2, "references": [["He goes ."]] * 2}
    >>> parts = [scale.counts("gleu(order=2)")(rows, places) for places in ([2, 3], [0, 1])]
    >>> scale.scores(parts)["gleu"].sentences
    4
    """
    found = _scores(parts, on_bad, resamples, seed)
    _warn_of_small_sample([found])
    return found


def _scores(parts: Parts, on_bad: OnBad | None, resamples: int, seed: int) -> Scores:
    if resamples:
        check_resamples(resamples, least=0)
    table = merge(parts, on_bad=on_bad)
    provenance = CountProvenance.of(table)
    provenance.result.decide()
    found = [_score(table, name, provenance) for name in provenance.metrics]
    if resamples:
        found = with_intervals(found, resamples, seed)
    return Scores(dict(zip(provenance.metrics, found, strict=True)))


def _warn_of_small_sample(scored: Iterable[Scores]) -> None:
    sizes = [score.sentences for found in scored for score in found.values() if score.interval is not None]
    if sizes:
        warn_of_small_sample(min(sizes))


def compare(
    systems: Mapping[str, Parts],
    *,
    on_bad: OnBad | None = None,
    resamples: int = 1000,
    seed: int = DEFAULT_SEED,
    test: TestName | None = "randomization",
    against: str = "first",
) -> Report:
    """Compare systems by tables of counts, as `gecbench.compare` compares texts.

    Args:
        systems: The tables of counts of each system, by name.
        on_bad: As in `merge`.
        resamples: Resamples for 95% confidence intervals and the paired test.
        seed: The seed of the resampling.
        test: "randomization", "bootstrap" or "t-test". None computes no test.
        against: The system to test against, as in `gecbench.compare`.

    Returns:
        The report, as `gecbench.compare` returns it.

    Raises:
        InputError: There are no systems, they were counted on different corpora or with different options, the test is
            unknown, or a table cannot be scored.
    """
    check_test(test)
    scored = {name: _scores(parts, on_bad, resamples, seed) for name, parts in systems.items()}
    if not scored:
        raise InputError("there are no systems to compare", fix="Pass at least one")
    _warn_of_small_sample(scored.values())
    first, *others = (
        (name, {key: str(each.signature) for key, each in found.items()}) for name, found in scored.items()
    )
    for name, signatures in others:
        if signatures != first[1]:
            raise InputError(
                f"{name} and {first[0]} were counted on different corpora or with different options",
                fix="Count both with the same corpus and options",
            )
    return Report(scored, significance_tests(scored, test, against, resamples, seed))


def read(*places: str | Path) -> pyarrow.Table:
    """Read tables of counts from Parquet files or folders.

    Args:
        *places: Parquet files, or folders that contain them.

    Returns:
        One table with the rows of all files.

    Raises:
        InputError: A file is missing, or does not contain a table of counts.
    """
    import pyarrow

    files = [file for place in places for file in (sorted(Path(place).rglob("*.parquet")) or [Path(place)])]
    return pyarrow.concat_tables([_read_file(file) for file in files])


def _read_file(file: Path) -> pyarrow.Table:
    import pyarrow.parquet

    try:
        return pyarrow.parquet.read_table(file)
    except FileNotFoundError as error:
        raise InputError("no such file", file=str(file), fix="Check the path") from error
    except (pyarrow.ArrowException, OSError) as error:
        raise InputError(f"not a table of counts ({str(error).splitlines()[0]})", file=str(file)) from error


def merge(parts: Parts, *, on_bad: OnBad | None = None) -> pyarrow.Table:
    """Merge tables of counts into one table in the order of the corpus.

    The tables may be in any order.

    Args:
        parts: A table, a `datasets.Dataset` of counts, or a list of them.
        on_bad: What to do about missing sentences, repeated sentences and rows that cannot be scored: "error"
            raises an error, "skip" leaves them out. None uses the value that was passed to `counts`.

    Returns:
        The table.

    Raises:
        InputError: Sentences are missing or repeated, rows cannot be scored, or a table does not contain counts.
    """
    table = _table_of(parts)
    provenance = CountProvenance.of(table)
    if provenance.merged == table.num_rows:
        return table
    index = table[counting.INDEX].fill_null(-1).to_numpy()
    order = np.argsort(index, kind="stable")
    if table[counting.FAULT].null_count == len(index) and np.array_equal(index[order], np.arange(len(index))):
        return provenance.write_into(table.take(order), skipped=0)
    bad, kept = _split_valid_rows(table, index)
    if bad.count and (on_bad or provenance.on_bad) != "skip":
        raise bad.error()
    if not len(kept):
        raise InputError("no row can be scored", fix="See the column 'fault' of the table of counts")
    ordered = table.take(kept[np.argsort(index[kept], kind="stable")])
    return provenance.write_into(ordered, skipped=bad.count)


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
        raise InputError("there are no tables of counts", fix="Pass at least one")
    return pyarrow.concat_tables(found)


def _split_valid_rows(table: pyarrow.Table, index: Places) -> tuple[BadRows, Places]:
    """Return the invalid rows, and the numbers of the valid ones.

    Two rows with the same index are both invalid. A missing index counts as one more invalid row, unless it may belong
    to an invalid row without an index.
    """
    faulty = table[counting.FAULT].is_valid().to_numpy()
    invalid, valid = np.flatnonzero(faulty), np.flatnonzero(~faulty)
    bad, shown = BadRows(len(invalid)), invalid[:SHOWN]
    for row, reason in zip(shown.tolist(), table[counting.FAULT].take(shown).to_pylist(), strict=True):
        bad.add_example(index[row], reason)
    found, times = np.unique(index[valid], return_counts=True)
    double = found[times > 1]
    bad.add(double.tolist(), "this index occurs more than once")
    known = np.union1d(found, index[faulty & (index >= 0)])
    gaps = np.diff(known, prepend=-1) - 1
    absent = int(gaps.sum() - (index < 0).sum())
    if absent > 0:
        bad.count += absent
        for place, missing in zip(known[gaps > 0][:SHOWN].tolist(), gaps[gaps > 0][:SHOWN].tolist(), strict=True):
            bad.add_example(place - missing, "this row is missing")
    return bad, valid[~np.isin(index[valid], double)]


@dataclass(frozen=True)
class CountProvenance:
    """The origin of counts, from the column `batch`.

    Some fields must be equal in all parts. Others are summed.
    """

    metrics: Mapping[str, Mapping[str, Any]]
    result: CheckResult
    on_bad: OnBad
    skipped: int = 0
    merged: int = 0

    @classmethod
    def of(cls, table: pyarrow.Table) -> CountProvenance:
        """Read and merge the provenance of all parts in a table."""
        wanted = {counting.INDEX, counting.FAULT, counting.BATCH}
        if not wanted <= set(table.column_names):
            found = ", ".join(table.column_names)
            raise InputError(
                f"not a table of counts: its columns are {found}", fix="Create it with gecbench.scale.counts"
            )
        batches = [json.loads(text) for text in table[counting.BATCH].drop_null().to_pylist()]
        if not batches:
            raise InputError(
                "a table of counts is incomplete: its column 'batch' is empty", fix="Pass all rows of each table"
            )
        if any("checks" not in batch for batch in batches):
            raise InputError("a table of counts was made by another version of gecbench", fix="Count again")
        result = reduce(lambda left, right: left + right, (CheckResult(**batch["checks"]) for batch in batches))
        on_bad: OnBad = "skip" if any(batch["on_bad"] == "skip" for batch in batches) else "error"
        scored = [batch["metrics"] for batch in batches if batch["metrics"]]
        names = dict.fromkeys(name for metrics in scored for name in metrics)
        metrics = {name: _merge_entries(name, scored) for name in names}
        merged = batches[0].get("merged", 0) if len(batches) == 1 else 0
        return cls(metrics, result, on_bad, batches[0].get("skipped", 0) if merged else 0, merged)

    def write_into(self, table: pyarrow.Table, skipped: int) -> pyarrow.Table:
        """Return the merged table with the provenance in its first row."""
        import pyarrow

        made = {"gecbench": __version__, "checks": asdict(self.result), "on_bad": self.on_bad, "metrics": self.metrics}
        text = json.dumps({**made, "skipped": skipped, "merged": table.num_rows})
        column = pyarrow.array([text] + [None] * (table.num_rows - 1), pyarrow.string())
        return table.set_column(table.column_names.index(counting.BATCH), counting.BATCH, column)


def _merge_entries(name: str, scored: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Return the merged entries of one metric."""
    if not all(name in metrics for metrics in scored):
        raise InputError(f"some tables have no counts of {name}", fix="Compute all parts with the same metrics")
    parts = [metrics[name] for metrics in scored]
    diagnostics: Counter[str] = Counter()
    for part in parts:
        diagnostics.update(part["diagnostics"])
    signature = merge_signatures(Signature.parse(text) for text in dict.fromkeys(part["signature"] for part in parts))
    return {**parts[0], "signature": str(signature), "diagnostics": dict(diagnostics)}


def _score(table: pyarrow.Table, name: str, provenance: CountProvenance) -> Score:
    made = provenance.metrics[name]
    hashes = table[counting.DATA + made["gold"]]
    if table[name].null_count or hashes.null_count:
        raise InputError(f"some rows have no counts of {name}", fix="Compute all parts with the same metrics")
    signature = Signature.parse(made["signature"])
    metric = make_metric(str(signature))
    statistics = counting.statistics_from_column(table[name], made["width"])
    statistics = Statistics(statistics.counts, statistics.offsets, made["diagnostics"])
    data = fingerprint_of(counting.sum_hash_column(hashes))
    signature = signature.with_field("data", data)
    if provenance.skipped:
        signature = signature.with_field("skipped", provenance.skipped)
    return metric.score_statistics(statistics, signature)
