"""Scores of one or several systems, with their intervals, tests and signatures."""

from __future__ import annotations

import json
import math
import textwrap
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from importlib import import_module
from typing import Any, Literal, TypeVar

from gecbench.analysis.significance import SIGNIFICANT, PairedTest, resamples_needed
from gecbench.analysis.tables import (
    FORMATS,
    Table,
    best_cells,
    check_format,
    html_table,
    render_table,
    shown_p_value,
    with_half_widths,
)
from gecbench.display import percent
from gecbench.errors import MissingDependencyError
from gecbench.metrics.base import Score

_SHORT_TITLES = {"precision": "P", "recall": "R"}
_TEST_NAMES = {
    "randomization": "approximate randomization",
    "bootstrap": "the paired bootstrap",
    "t-test": "a paired t-test on the sentence scores",
}
WIDE = "report.render(wide=True)"  # cli.options replaces it with --wide
Entry = TypeVar("Entry")


@dataclass(frozen=True)
class _Column:
    """A column of the table."""

    kind: Literal["value", "interval", "p", "adjusted", "part"]
    title: str
    cells: Sequence[str]
    best: Sequence[int] = ()


class _Entries(Mapping[str, Entry]):
    """A read-only mapping over a dictionary."""

    def __init__(self, entries: Mapping[str, Entry]) -> None:
        self._scores = dict(entries)

    def __getitem__(self, name: str) -> Entry:
        if name not in self._scores:
            raise KeyError(f"no entry {name!r}. Known: {', '.join(self._scores)}")
        return self._scores[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._scores)

    def __len__(self) -> int:
        return len(self._scores)


def rank(scores: Mapping[str, Score]) -> list[str]:
    """Return the systems from best to worst, with ties in the given order."""
    return sorted(
        scores, key=lambda name: -scores[name].value if scores[name].metric.higher_is_better else scores[name].value
    )


class Scores(_Entries[Score]):
    """The scores of one system by metric name, as returned by `gecbench.score`.

    This is a read-only mapping.

    Args:
        entries: The `Score` of each metric, by name.

    >>> import gecbench
    >>> scores = gecbench.score(gecbench.load_demo_systems()["rule-based"], "demo", ["gleu", "m2"])
    >>> {name: f"{score:.2f}" for name, score in scores.items()}
    {'gleu': '19.37', 'm2': '66.24'}
    """

    def __repr__(self) -> str:
        return "\n".join(str(score) for score in self._scores.values())

    def _repr_html_(self) -> str:
        return "\n".join(score._repr_html_() for score in self._scores.values())

    def to_dict(self) -> dict[str, dict[str, object]]:
        """Return the scores as plain data for JSON, by metric name.

        Each score has the keys of `Score.to_dict`, such as `value`, `parts`, `interval` and `signature`.
        """
        return {name: score.to_dict() for name, score in self.items()}

    def to_pandas(self) -> Any:
        """Return a `pandas.DataFrame` of one row, with the columns of `Report.to_pandas`.

        Raises:
            gecbench.errors.MissingDependencyError: pandas is not installed.
        """
        return Report({"predictions": self}, []).to_pandas()


class Report(_Entries[Mapping[str, Score]]):
    """The scores and tests of several systems, as returned by `gecbench.compare`.

    A report is a read-only mapping: `report[system][metric]` is a `Score`. Print it for a table of the systems, ranked
    by the first metric.

    Args:
        scores: The scores of each system, by system and by metric.
        tests: The significance tests, as `gecbench.analysis.significance.PairedTest`. Each has the fields `test`,
            `metric`, `system`, `baseline`, `difference` (system minus baseline), `p_value`, `p_adjusted` (by Holm's
            method) and `resamples`.

    >>> import gecbench
    >>> report = gecbench.compare(gecbench.load_demo_systems(), "demo", resamples=100)
    >>> f"{report['good-corrector']['gleu']:.2f}", report.ranked()[0], len(report.tests)
    ('45.25', 'good-corrector', 3)
    """

    def __init__(self, scores: Mapping[str, Mapping[str, Score]], tests: Sequence[PairedTest]) -> None:
        super().__init__(scores)
        self.tests = list(tests)

    def __repr__(self) -> str:
        return self.render("text")

    @property
    def metrics(self) -> list[str]:
        """The names of the metrics, in order."""
        return list(next(iter(self._scores.values())))

    def ranked(self, metric: str | None = None) -> list[str]:
        """Return the systems from best to worst, with ties in the given order.

        Args:
            metric: The metric to rank by. By default the first.

        Returns:
            The names of the systems.

        Raises:
            KeyError: The report does not have this metric.
        """
        column = metric or self.metrics[0]
        return rank({system: scores[column] for system, scores in self._scores.items()})

    def with_field(self, key: str, value: object) -> Report:
        """Return the report with one more field in all signatures.

        Args:
            key: The name of the field.
            value: The value of the field.
        """
        scores = {
            system: {metric: score.with_field(key, value) for metric, score in found.items()}
            for system, found in self.items()
        }
        return Report(scores, self.tests)

    def render(self, report_format: str = "text", wide: bool = False) -> str:
        """Return the report as a string.

        Text and LaTeX are compact: scores ± half the width of the interval, and a star for a significant difference.

        Args:
            report_format: "text", "markdown", "latex", "tsv" or "json".
            wide: Also show the ends of intervals and the p-values in text and LaTeX, as the other formats always do.

        Returns:
            The table, notes on the tests, and the signatures.

        Raises:
            InputError: The format is unknown.
        """
        check_format(report_format, FORMATS)
        if report_format == "json":
            return json.dumps(self.to_dict(), ensure_ascii=False, indent=2)
        if report_format == "latex":
            return self._latex(wide)
        compact = report_format == "text" and not wide
        table = render_table(self._compact() if compact else self.table(), report_format, wide)
        if report_format == "tsv":
            return f"{table}\n{_comments('#', self._notes())}"
        return "\n\n".join([table, *self._notes(compact=compact)])

    def _repr_html_(self) -> str:
        from html import escape

        *notes, signatures = map(escape, self._notes())
        explained = "".join(f"<p><small>{note}</small></p>\n" for note in notes)
        lines = "<br>".join(signatures.splitlines())
        return f"{html_table(self.table())}\n{explained}<p><small><code>{lines}</code></small></p>"

    def table(self, metrics: Sequence[str] | None = None) -> Table:
        """Return a table of systems and metrics, ranked by the first metric.

        Scores are in percent. After each score come its interval, the p-value of its test, and the metric's own
        columns, such as precision and recall. If there are several tests, the p-value is followed by the adjusted
        p-value.

        Args:
            metrics: The metrics to include. By default all.

        Returns:
            The table.

        Raises:
            KeyError: The report does not have one of the metrics.
        """
        return self._table(list(metrics or self.metrics))

    def to_pandas(self) -> Any:
        """Return the report as a `pandas.DataFrame` with one row per system, best first.

        For the metric `m2` the columns are `m2`, `m2_low` and `m2_high` (interval), `m2_p` and `m2_p_adjusted` (Holm),
        and the metric's own columns, such as `m2_precision`. Scores are fractions like `Score.value`, not percentages.
        Missing values are NaN. `attrs["signatures"]` lists the signatures.

        Returns:
            The data frame.

        Raises:
            gecbench.errors.MissingDependencyError: pandas is not installed.
        """
        try:
            pandas = import_module("pandas")
        except ImportError as error:
            raise MissingDependencyError("to_pandas needs pandas. Install it: pip install pandas.") from error
        rows = {system: self._figures(system) for system in self.ranked()}
        frame = pandas.DataFrame.from_dict(rows, orient="index", dtype=float).rename_axis("system")
        frame.attrs["signatures"] = self._signatures()
        return frame

    def to_dict(self) -> dict[str, object]:
        """Return the scores and tests as plain data for JSON, best system first."""
        systems = [
            {"system": name, "scores": [self._scores[name][metric].to_dict() for metric in self.metrics]}
            for name in self.ranked()
        ]
        return {"systems": systems, "tests": [asdict(test) for test in self.tests]}

    def _latex(self, wide: bool) -> str:
        table = self._table(self.metrics, star_scores=True) if wide else self._compact(latex=True)
        notes = [r"Needs \usepackage{booktabs}." + (" Bold: the best in the column." if table.bold else "")]
        drawn = render_table(table, "latex")
        if wide:
            return f"{_comments('%', [*notes, *self._notes('$^{*}$ after a score')])}\n{drawn}"
        if self._baseline():
            notes.append(r"$^{\dagger}$: the baseline.")
        notes += self._notes("$^{*}$", compact=True, latex=True)
        small = r"{\footnotesize\setlength{\tabcolsep}{4pt}%"
        return f"{_comments('%', notes)}\n{small}\n{drawn}}}"

    def _table(self, metrics: Sequence[str], star_scores: bool = False) -> Table:
        """Return the full table, with stars on significant p-values.

        With `star_scores`, the stars are on the scores instead.
        """
        systems = self.ranked(metrics[0])
        columns = {metric: list(self._columns(metric, systems)) for metric in metrics}
        starred_kind = "value" if star_scores else "adjusted" if self._has_several_tests() else "p"
        return self._assemble(systems, columns, starred_kind)

    def _compact(self, latex: bool = False) -> Table:
        """Return the table without p-values, with ± instead of intervals.

        For LaTeX, titles are shorter and the baseline is marked.
        """
        systems = self.ranked()
        columns = {metric: list(self._compact_columns(metric, systems)) for metric in self.metrics}
        table = self._assemble(systems, columns, "value")
        if not latex:
            return table
        header = ["system", *(title for found in columns.values() for title in self._short_titles(found))]
        rows = [[f"{row[0]}†" if row[0] == self._baseline() else row[0], *row[1:]] for row in table.rows]
        return replace(table, header=header, rows=rows)

    def _short_titles(self, columns: Sequence[_Column]) -> list[str]:
        """Return short titles for the columns of a metric.

        If a metric has several columns, LaTeX prints its name above them. So the first column is just "F" or "score".
        """
        if len(columns) == 1:
            return [columns[0].title]
        titles = [_SHORT_TITLES.get(column.title, column.title) for column in columns[1:]]
        return ["F" if titles == ["P", "R"] else "score", *titles]

    def _assemble(self, systems: Sequence[str], by_metric: Mapping[str, Sequence[_Column]], starred_kind: str) -> Table:
        """Combine columns into a table that marks best and significant cells.

        The best cells are bold. In columns of the kind `starred_kind`, significant cells have a star.
        """
        header, columns, bold, starred = ["system"], [list(systems)], [], []
        for metric, found in by_metric.items():
            for column in found:
                place = len(columns)
                header.append(column.title)
                columns.append(list(column.cells))
                bold += [(row, place) for row in column.best]
                if column.kind == starred_kind:
                    starred += [(row, place) for row in self._significant(metric, systems)]
        groups = [(found[0].title if len(found) > 1 else "", len(found)) for found in by_metric.values()]
        rows = list(map(list, zip(*columns, strict=True)))
        return Table(header, rows, frozenset(bold), frozenset(starred), groups=groups)

    def _columns(self, metric: str, systems: Sequence[str]) -> Iterator[_Column]:
        scores = [self._scores[system][metric] for system in systems]
        sample = scores[0]
        yield self._value_column(metric, scores)
        if sample.interval is not None:
            bounds = [score.interval for score in scores if score.interval is not None]
            cells = [f"{percent(each.low)} – {percent(each.high)}" for each in bounds]
            yield _Column("interval", f"{percent(sample.interval.confidence, 0)}% interval", cells)
        found = [self._test(system, metric) for system in systems]
        if any(found):
            yield _Column("p", "p", [shown_p_value(test.p_value) if test else "" for test in found])
        if any(found) and self._has_several_tests():
            yield _Column("adjusted", "p (Holm)", [shown_p_value(test.p_adjusted) if test else "" for test in found])
        yield from self._part_columns(scores)

    def _compact_columns(self, metric: str, systems: Sequence[str]) -> Iterator[_Column]:
        scores = [self._scores[system][metric] for system in systems]
        value = self._value_column(metric, scores)
        intervals = [score.interval for score in scores]
        halves = [percent((each.high - each.low) / 2) if each else "" for each in intervals]
        yield replace(value, cells=with_half_widths(value.cells, halves))
        yield from self._part_columns(scores)

    def _value_column(self, metric: str, scores: Sequence[Score]) -> _Column:
        sample = scores[0]
        title = sample.metric.title if metric == sample.name else metric
        cells = [percent(score.value) for score in scores]
        return _Column("value", title, cells, best_cells(cells, lowest=not sample.metric.higher_is_better))

    def _part_columns(self, scores: Sequence[Score]) -> Iterator[_Column]:
        """Yield the metric's own columns, such as precision and recall.

        The value of 0/0 is set by convention, so it is never marked as best.
        """
        metric = scores[0].metric
        for part in metric.columns:
            cells = [percent(score.parts[part]) for score in scores]
            measured = [
                "–" if part in metric.undefined_parts(score.parts) else cell
                for cell, score in zip(cells, scores, strict=True)
            ]
            yield _Column("part", part, cells, best_cells(measured, lowest=part in metric.lower_is_better))

    def _figures(self, system: str) -> dict[str, float]:
        """Return the data frame row of a system."""
        figures: dict[str, float] = {}
        for metric in self.metrics:
            score, test = self._scores[system][metric], self._test(system, metric)
            figures[metric] = score.value
            if score.interval is not None:
                figures |= {f"{metric}_low": score.interval.low, f"{metric}_high": score.interval.high}
            if any(each.metric == metric for each in self.tests):
                figures[f"{metric}_p"] = math.nan if test is None else test.p_value
                figures[f"{metric}_p_adjusted"] = math.nan if test is None else test.p_adjusted
            figures |= {f"{metric}_{part}": score.parts[part] for part in score.metric.columns}
        return figures

    def _test(self, system: str, metric: str) -> PairedTest | None:
        return next((test for test in self.tests if (test.system, test.metric) == (system, metric)), None)

    def _has_several_tests(self) -> bool:
        return len(self.tests) > 1

    def _significant(self, metric: str, systems: Sequence[str]) -> list[int]:
        tests = [self._test(system, metric) for system in systems]
        return [row for row, test in enumerate(tests) if test is not None and test.p_adjusted < SIGNIFICANT]

    def _baseline(self) -> str | None:
        """Return the baseline of all tests, or None if they have no common baseline."""
        baselines = {test.baseline for test in self.tests}
        return baselines.pop() if len(baselines) == 1 else None

    def _notes(self, star: str = "*", compact: bool = False, latex: bool = False) -> list[str]:
        """Return the notes below a table: marks, tests and signatures."""
        notes = self._compact_legend(star, latex) if compact else self._test_notes(star)
        return [*notes, "\n".join(self._signatures())]

    def _compact_legend(self, star: str, latex: bool) -> list[str]:
        lines = []
        interval = next(iter(next(iter(self._scores.values())).values())).interval
        if interval is not None:
            lines.append(f"±: half the width of the {percent(interval.confidence, 0)}% interval.")
        if self.tests:
            lines += self._compact_test_notes(star)
        if lines and not latex:
            hidden = "interval limits and p-values" if self.tests else "interval limits"
            lines.append(f"For {hidden}, use {WIDE}.")
        wrapped = [textwrap.fill(line, 80, break_long_words=False, break_on_hyphens=False) for line in lines]
        return ["\n".join(wrapped)] if lines else []

    def _compact_test_notes(self, star: str) -> list[str]:
        """Return a note on the stars: the baseline, the significance level and the test."""
        first, comparisons = self.tests[0], len(self.tests)
        opponent = self._baseline() or "the next better system by the same metric"
        details = [f"p < {SIGNIFICANT}", _TEST_NAMES[first.test]]
        if first.test != "t-test":
            details[1] += f" with {_resamples(first.resamples)}"
        if comparisons > 1:
            details.append(f"Holm's method for {comparisons} comparisons")
        note = f"{star}: significantly different from {opponent} ({', '.join(details)})."
        return [f"{note}{self._note_on_resamples() if comparisons > 1 else ''}"]

    def _test_notes(self, star: str) -> list[str]:
        """Return a note on the p-values, if there are any."""
        if not self.tests:
            return []
        first = self.tests[0]
        method = _TEST_NAMES[first.test] + (f" ({_resamples(first.resamples)})" if first.test != "t-test" else "")
        opponent = self._baseline() or "the next better system"
        return [
            f"p: chance that two equally good systems differ at least as much as the system and {opponent},\n"
            f"computed by {method}{self._note_on_stars(star)}"
        ]

    def _note_on_stars(self, star: str) -> str:
        if not self._has_several_tests():
            return f"; {star} marks p < {SIGNIFICANT}."
        comparisons = len(self.tests)
        adjusted = f"p (Holm): p adjusted by Holm's method for the {comparisons} comparisons shown"
        note = f".\n{adjusted}; {star} marks p (Holm) < {SIGNIFICANT}."
        return note + self._note_on_resamples()

    def _note_on_resamples(self) -> str:
        resamples, needed = self.tests[0].resamples, resamples_needed(len(self.tests))
        if not 0 < resamples < needed:
            return ""
        return f" With {_resamples(resamples)} no difference can be significant; use at least {needed}."

    def _signatures(self) -> list[str]:
        found = (str(self._scores[system][metric].signature) for metric in self.metrics for system in self)
        return list(dict.fromkeys(found))


def _resamples(number: int) -> str:
    """Return a number of resamples with its noun, without thousands separators."""
    return f"{number} resample{'' if number == 1 else 's'}"


def _comments(sign: str, notes: Sequence[str]) -> str:
    return "\n".join(f"{sign} {line}" for note in notes for line in note.splitlines())
