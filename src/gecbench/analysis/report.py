"""Scores of one or several systems, with their intervals, tests and signatures."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from importlib import import_module
from typing import Any, Literal, TypeVar

from gecbench.analysis.significance import SIGNIFICANT, PairedTest, resamples_needed
from gecbench.analysis.tables import Table, best_cells, html_table, render_table, shown_p_value
from gecbench.display import percent
from gecbench.errors import MissingDependencyError
from gecbench.metrics.base import Score

_WIDEST = 120
Entry = TypeVar("Entry")


@dataclass(frozen=True)
class _Column:
    """A column of the table."""

    kind: Literal["value", "interval", "p", "adjusted", "part"]
    title: str
    cells: Sequence[str]
    lower_is_better: bool = False


class _Entries(Mapping[str, Entry]):
    """A read-only mapping over a dictionary."""

    def __init__(self, entries: Mapping[str, Entry]) -> None:
        self._scores = dict(entries)

    def __getitem__(self, name: str) -> Entry:
        return self._scores[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._scores)

    def __len__(self) -> int:
        return len(self._scores)


def rank(scores: Mapping[str, Score]) -> list[str]:
    """Return the systems from best to worst; ties keep their order."""
    return sorted(
        scores, key=lambda name: -scores[name].value if scores[name].metric.higher_is_better else scores[name].value
    )


class Scores(_Entries[Score]):
    """One system's scores by metric name."""

    def __repr__(self) -> str:
        return "\n".join(str(score) for score in self._scores.values())

    def _repr_html_(self) -> str:
        return "\n".join(score._repr_html_() for score in self._scores.values())


class Report(_Entries[Mapping[str, Score]]):
    """Scores by system and metric, ranked by the first metric when shown."""

    def __init__(self, scores: Mapping[str, Mapping[str, Score]], tests: Sequence[PairedTest]) -> None:
        super().__init__(scores)
        self.tests = list(tests)

    def __repr__(self) -> str:
        return self.render("text")

    @property
    def metrics(self) -> list[str]:
        """The metrics' columns, in order."""
        return list(next(iter(self._scores.values())))

    def ranked(self, metric: str | None = None) -> list[str]:
        """Return the systems from best to worst by a metric (by default the first); ties keep their order."""
        column = metric or self.metrics[0]
        return rank({system: scores[column] for system, scores in self._scores.items()})

    def with_field(self, key: str, value: object) -> Report:
        """Return the report with one more field in all its signatures."""
        scores = {
            system: {metric: score.with_field(key, value) for metric, score in found.items()}
            for system, found in self.items()
        }
        return Report(scores, self.tests)

    def render(self, report_format: str = "text") -> str:
        """Return the report as text, markdown, latex, tsv or json."""
        if report_format == "json":
            return json.dumps(self.to_dict(), ensure_ascii=False, indent=2)
        if report_format == "latex":
            return self._latex()
        whole = render_table(self.table(), report_format)
        if report_format == "tsv":
            return f"{whole}\n{_comments('#', self._notes())}"
        wide = report_format == "text" and len(whole.splitlines()[0]) > _WIDEST
        tables = [render_table(self.table([metric]), "text") for metric in self.metrics] if wide else [whole]
        return "\n\n".join([*tables, *self._notes()])

    def _repr_html_(self) -> str:
        from html import escape

        *notes, signatures = map(escape, self._notes())
        explained = "".join(f"<p><small>{note}</small></p>\n" for note in notes)
        lines = "<br>".join(signatures.splitlines())
        return f"{html_table(self.table())}\n{explained}<p><small><code>{lines}</code></small></p>"

    def table(self, metrics: Sequence[str] | None = None) -> Table:
        """Return systems × metrics (by default all), values times 100, ranked by the first of them.

        Each value comes with its interval, the p-value of its test (and the one adjusted for all tests if there are
        several), and the parts that its metric names in `columns`.
        """
        return self._table(list(metrics or self.metrics))

    def to_pandas(self) -> Any:
        """Return a `pandas.DataFrame`: a row per system, ranked; a column per value, such as `m2`, and its figures.

        These are `m2_low` and `m2_high`, the interval, `m2_p` and `m2_p_adjusted` (Holm), and `m2_precision` and
        `m2_recall`, the metric's own.
        All are fractions, as `Score.value` is; unknown figures are NaN. `attrs["signatures"]` lists the signatures.
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
        """Return systems with their scores, and tests, as plain data."""
        systems = [
            {"system": name, "scores": [self._scores[name][metric].to_dict() for metric in self.metrics]}
            for name in self.ranked()
        ]
        return {"systems": systems, "tests": [asdict(test) for test in self.tests]}

    def _latex(self) -> str:
        table = self._table(self.metrics, star_scores=True)
        needs = r"Needs \usepackage{booktabs}." + (" Bold: the best of its column." if table.bold else "")
        notes = self._notes("$^{*}$ after a score")
        return f"{_comments('%', [needs, *notes])}\n{render_table(table, 'latex')}"

    def _table(self, metrics: Sequence[str], star_scores: bool = False) -> Table:
        """Return the table with stars on significant p-values, or on their scores."""
        systems = self.ranked(metrics[0])
        header, columns, bold, starred = ["system"], [list(systems)], [], []
        for metric in metrics:
            for column in self._columns(metric, systems):
                header.append(column.title)
                columns.append(list(column.cells))
                if column.kind in ("value", "part"):
                    bold += [(row, len(columns) - 1) for row in best_cells(column.cells, column.lower_is_better)]
                if column.kind == ("value" if star_scores else "adjusted" if self._has_several_tests() else "p"):
                    starred += [(row, len(columns) - 1) for row in self._significant(metric, systems)]
        return Table(header, list(map(list, zip(*columns, strict=True))), frozenset(bold), frozenset(starred))

    def _columns(self, metric: str, systems: Sequence[str]) -> Iterator[_Column]:
        scores = [self._scores[system][metric] for system in systems]
        sample = scores[0]
        title = sample.metric.title if metric == sample.name else metric
        cells = [percent(score.value) for score in scores]
        yield _Column("value", title, cells, not sample.metric.higher_is_better)
        if sample.interval is not None:
            bounds = [score.interval for score in scores if score.interval is not None]
            cells = [f"{percent(each.low)} – {percent(each.high)}" for each in bounds]
            yield _Column("interval", f"{percent(sample.interval.confidence, 0)} % interval", cells)
        found = [self._test(system, metric) for system in systems]
        if any(found):
            yield _Column("p", "p", [shown_p_value(test.p_value) if test else "" for test in found])
        if any(found) and self._has_several_tests():
            yield _Column("adjusted", "p (Holm)", [shown_p_value(test.p_adjusted) if test else "" for test in found])
        for part in sample.metric.columns:
            cells = [percent(score.parts[part]) for score in scores]
            yield _Column("part", part, cells, part in sample.metric.lower_is_better)

    def _figures(self, system: str) -> dict[str, float]:
        """Return a system's row of the data frame."""
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

    def _notes(self, star: str = "*") -> list[str]:
        """Return a note on the tests, if there are any, and the signatures."""
        notes = []
        if self.tests:
            first = self.tests[0]
            baselines = {test.baseline for test in self.tests}
            opponent = f"{first.baseline}" if len(baselines) == 1 else "the system ranked above"
            kind = {
                "randomisation": f"approximate randomisation ({first.resamples} resamples)",
                "bootstrap": f"the paired bootstrap ({first.resamples} resamples)",
                "t-test": "a paired t-test over the sentence scores",
            }[first.test]
            notes.append(
                f"p: chance of a difference from {opponent} at least this large if the two systems were equally good,\n"
                f"by {kind}{self._note_on_stars(star)}"
            )
        return [*notes, "\n".join(self._signatures())]

    def _note_on_stars(self, star: str) -> str:
        if not self._has_several_tests():
            return f"; {star} marks p < {SIGNIFICANT}."
        comparisons, resamples = len(self.tests), self.tests[0].resamples
        adjusted = f"p (Holm): p adjusted by Holm's method for the {comparisons} comparisons shown"
        note = f".\n{adjusted}; {star} marks p (Holm) < {SIGNIFICANT}."
        if 0 < resamples < (needed := resamples_needed(comparisons)):
            note += f" It cannot be below {SIGNIFICANT} with {resamples} resamples; use at least {needed}."
        return note

    def _signatures(self) -> list[str]:
        found = (str(self._scores[system][metric].signature) for metric in self.metrics for system in self)
        return list(dict.fromkeys(found))


def _comments(sign: str, notes: Sequence[str]) -> str:
    return "\n".join(f"{sign} {line}" for note in notes for line in note.splitlines())
