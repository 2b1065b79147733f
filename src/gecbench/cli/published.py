"""`gecbench published`: results that others reported, with their sources."""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from gecbench.cli.options import add_command, add_format_option
from gecbench.errors import InputError, counted

if TYPE_CHECKING:
    from gecbench.analysis.tables import Table
    from gecbench.corpora.published import PublishedResult

_EXAMPLES = """  gecbench published
  gecbench published -c conll14
  gecbench published -c jfleg:test --format markdown
  gecbench published -c conll14 -m gleu some
  gecbench published -c bea19:test -m all --format json
"""
_LONGEST = 30


def add_parser(commands: Any, summary: str) -> None:
    """Add the command."""
    parser = add_command(commands, "published", summary, _EXAMPLES, run)
    about = "list the results on this corpus, such as conll14 or jfleg:test (default: list the corpora)"
    parser.add_argument("-c", "--corpus", metavar="NAME", help=about)
    about = "metrics to list, or all (default: the metric with the most results)"
    parser.add_argument("-m", "--metrics", metavar="METRIC", nargs="+", help=about)
    add_format_option(
        parser, "text tables with full names and a column that shows whether gecbench gets the published score"
    )


def run(options: argparse.Namespace) -> None:
    """Print the results."""
    from gecbench.corpora.published import published_results

    if options.corpus is None:
        if options.metrics:
            fix = "Choose one with -c (to list them, run gecbench published)"
            raise InputError("-m needs a corpus with published results", fix=fix)
        print(_corpora(options.format, options.wide))
        return
    found = published_results(options.corpus)
    counts = Counter(result.metric for result in found)
    metrics = options.metrics or [metric for metric, _ in counts.most_common(1)]
    if metrics == ["all"]:
        metrics = list(counts)
    chosen = [result for metric in metrics for result in published_results(options.corpus, metric)]
    if not chosen:
        print(f"no published results on {options.corpus}" + (f" with {', '.join(metrics)}" if metrics else ""))
        return
    if options.format == "json":
        print(_json(chosen))
        return
    print(_tables(chosen, options.format, options.wide))
    others = [f"{metric} ({count})" for metric, count in counts.items() if metric not in metrics]
    if others and options.format == "text":
        print(f"\nOther metrics (-m NAME, or -m all): {', '.join(others)}")


def _corpora(table_format: str, wide: bool) -> str:
    from gecbench.analysis.tables import Table, render_rows
    from gecbench.corpora.published import corpora_with_results, published_results
    from gecbench.metrics.base import METRICS

    counts = {name: Counter(result.metric for result in published_results(name)) for name in corpora_with_results()}
    rows = []
    for name, found in counts.items():
        ours = [metric for metric in found if metric in METRICS]
        others = len(found) - len(ours)
        listed = ", ".join(ours) + (f" + {others}" if others else "")
        rows.append([name, str(found.total()), listed])
    plain = [{"corpus": name, "metrics": dict(found)} for name, found in counts.items()]
    return render_rows(Table(["corpus", "results", "metrics"], rows), plain, table_format, wide)


def _json(results: Sequence[PublishedResult]) -> str:
    import json

    return json.dumps([{**asdict(result), "year": result.year} for result in results], ensure_ascii=False, indent=2)


def _tables(results: Sequence[PublishedResult], table_format: str, wide: bool) -> str:
    """Return a table for each metric, and the sources by number."""
    from gecbench.analysis.tables import COMMENT_MARKS, render_table

    sources = {source: k for k, source in enumerate(dict.fromkeys(map(_source, results)), start=1)}
    groups: dict[str, list[PublishedResult]] = {}
    for result in results:
        groups.setdefault(result.metric, []).append(result)
    compact = table_format == "text" and not wide
    shown = [
        render_table(_table(group, sources, table_format, compact), table_format, wide) for group in groups.values()
    ]
    if table_format == "markdown":
        return "\n\n".join([*shown, "\n".join(f"{k}. {_note(*source, True)}" for source, k in sources.items())])
    head = f"{counted(len(results), 'result')} as reported by others. Scores of gecbench's metrics are in percent."
    equal = compact and any(result.recomputed == "equal" for result in results)
    star = "*: gecbench computes the same score from public outputs. For the full system names, use --wide."
    notes = [head, *([star] if equal else []), *(f"[{k}] {_note(*source, False)}" for source, k in sources.items())]
    return "\n\n".join([*shown, "\n".join(COMMENT_MARKS.get(table_format, "") + note for note in notes)])


def _source(result: PublishedResult) -> tuple[str, str, str]:
    return result.source, result.url, result.differs


def _note(source: str, url: str, differs: str, linked: bool) -> str:
    cited = f"[{source}]({url})." if linked else f"{source}. {url}"
    return f"{cited} {differs}." if differs else cited


def _table(
    results: Sequence[PublishedResult], sources: dict[tuple[str, str, str], int], table_format: str, compact: bool
) -> Table:
    """Return the table of one metric.

    The column "recomputed" shows whether gecbench computes the same score. If `compact`, a star marks equal scores
    instead.
    """
    from gecbench.analysis.tables import Table
    from gecbench.metrics.base import METRICS

    metric = results[0].metric
    parts = any(result.precision is not None for result in results)
    columns = {
        "system": [_short(result.system) if compact else result.system for result in results],
        METRICS[metric].title if metric in METRICS else metric: [str(result.value) for result in results],
        "P": [_number(result.precision) for result in results] if parts else [],
        "R": [_number(result.recall) for result in results] if parts else [],
        "year": [str(result.year) for result in results],
        "approach": [result.approach for result in results],
        "recomputed": [] if compact else [result.recomputed or "–" for result in results],
        "src" if compact else "source": [
            f"[{sources[_source(result)]}]" + (f"({result.url})" if table_format == "markdown" else "")
            for result in results
        ],
    }
    shown = {name: cells for name, cells in columns.items() if cells}
    starred = [(row, 1) for row, result in enumerate(results) if compact and result.recomputed == "equal"]
    return Table(list(shown), list(map(list, zip(*shown.values(), strict=True))), starred=starred)


def _short(name: str) -> str:
    """Return a name, shortened in the middle if it has more than 30 characters.

    A longer name would make the table wider than 80 characters.
    """
    return name if len(name) <= _LONGEST else f"{name[: _LONGEST // 2]}…{name[-(_LONGEST // 2) + 1 :]}"


def _number(value: float | None) -> str:
    return "–" if value is None else str(value)
