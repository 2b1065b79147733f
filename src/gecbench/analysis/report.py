"""Scores of one or several systems, with their intervals, tests and signatures."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from typing import TypeVar

from gecbench.analysis.significance import PairedTest
from gecbench.analysis.tables import Table, render_table
from gecbench.metrics.base import Score
from gecbench.metrics.ratios import percent

_WIDEST = 120
Entry = TypeVar("Entry")


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


class Scores(_Entries[Score]):
    """One system's scores by metric name."""

    def __repr__(self) -> str:
        return "\n".join(str(score) for score in self._scores.values())


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
        return sorted(self._scores, key=lambda system: -self._scores[system][column].value)

    def render(self, report_format: str = "text") -> str:
        """Return the report as text, markdown, latex, tsv or json."""
        if report_format == "json":
            return json.dumps(self.to_dict(), ensure_ascii=False, indent=2)
        if report_format in ("tsv", "latex"):
            return render_table(self.table(), report_format)
        whole = render_table(self.table(), report_format)
        wide = report_format == "text" and len(whole.splitlines()[0]) > _WIDEST
        tables = [render_table(self.table([metric]), "text") for metric in self.metrics] if wide else [whole]
        return "\n\n".join([*tables, *self._notes()])

    def table(self, metrics: Sequence[str] | None = None) -> Table:
        """Return systems × metrics (by default all), values times 100, ranked by the first of them."""
        shown = list(metrics or self.metrics)
        header, tested = ["system"], {test.metric for test in self.tests}
        for metric in shown:
            header += self._columns(metric, metric in tested)
        return Table(header, [self._row(system, shown, tested) for system in self.ranked(shown[0])])

    def to_dict(self) -> dict[str, object]:
        """Return systems with their scores, and tests, as plain data."""
        systems = [
            {"system": name, "scores": [self._scores[name][metric].to_dict() for metric in self.metrics]}
            for name in self.ranked()
        ]
        return {"systems": systems, "tests": [asdict(test) for test in self.tests]}

    def _columns(self, metric: str, tested: bool) -> list[str]:
        sample = next(iter(self._scores.values()))[metric]
        title = sample.metric.title if metric == sample.name else metric
        interval = [f"{percent(sample.interval.confidence, 0)} % interval"] if sample.interval else []
        return [title, *interval, *(["p"] if tested else [])]

    def _row(self, system: str, metrics: Sequence[str], tested: set[str]) -> list[str]:
        cells = [system]
        for metric in metrics:
            score = self._scores[system][metric]
            cells.append(percent(score.value))
            if score.interval is not None:
                cells.append(f"{percent(score.interval.low)} – {percent(score.interval.high)}")
            if metric in tested:
                cells.append(self._p_value(system, metric))
        return cells

    def _p_value(self, system: str, metric: str) -> str:
        for test in self.tests:
            if test.system == system and test.metric == metric:
                return f"{test.p_value:.4f}{'*' if test.p_value < 0.05 else ''}"
        return ""

    def _notes(self) -> list[str]:
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
                f"by {kind}; * marks p < 0.05."
            )
        signatures = dict.fromkeys(
            str(self._scores[system][metric].signature) for metric in self.metrics for system in self
        )
        return [*notes, "\n".join(signatures)]
