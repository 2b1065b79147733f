"""`gecbench human`: human upper bounds, rankings, agreement and edit rates."""

from __future__ import annotations

import argparse
import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict
from functools import partial
from itertools import combinations
from textwrap import fill
from typing import TYPE_CHECKING, Any

from gecbench.analysis.tables import Table, render_rows
from gecbench.cli.options import (
    HelpFormatter,
    add_command,
    add_corpus_options,
    add_format_option,
    add_metrics_option,
    count,
    definition_list,
    metric_names,
    preprocessing_of,
    read_corpus,
    read_systems,
)
from gecbench.corpora.catalog import HUMAN_JUDGMENTS
from gecbench.corpora.load import load_rankings
from gecbench.corpus.corpus import Corpus
from gecbench.corpus.prepare import Prepared, Preprocessing
from gecbench.display import log_info, percent
from gecbench.errors import InputError, error_context
from gecbench.formats.judgments import Judgment, expand_pairs
from gecbench.human.agreement import cross_agreement, inter_agreement, intra_agreement
from gecbench.human.change import Change, changes
from gecbench.human.ranking import HumanRanking, PairTable, expected_wins, table_of_rankings, trueskill

if TYPE_CHECKING:
    from gecbench.human.bound import Bound

_EXAMPLES = """  gecbench human rank                       (the judgments of the demo corpus)
  gecbench human rank judgments.csv --method expected-wins
  gecbench human agreement conll14 conll14-crowd
  gecbench human bound -c demo -m m2 -p output.txt
  gecbench human bound -c jfleg:validation -m gleu --last
  gecbench human bound -c conll14_fluency:bn15 -m m2 --by-category --last
  gecbench human change -c conll14_fluency:expert_fluency
"""
_CHANGE_LEGEND = (
    "sTER: mean number of TER edits per sentence (insertions, deletions, substitutions and shifts). changed: share of "
    "changed sentences. characters: mean edit distance in characters."
)


def add_parser(commands: Any, summary: str) -> None:
    """Add the command and its actions."""
    parser = add_command(commands, "human", summary, _EXAMPLES, None)
    list_judgments(parser)
    actions = parser.add_subparsers(title="actions", metavar="ACTION", required=True)
    for name, (description, add_options, run) in _ACTIONS.items():
        examples = "".join(line for line in _EXAMPLES.splitlines(True) if f" human {name} " in line)
        action = actions.add_parser(
            name,
            help=description,
            description=description + ".",
            epilog=f"examples:\n{examples}",
            formatter_class=HelpFormatter,
        )
        add_options(action)
        add_format_option(action)
        action.set_defaults(run=run)


def list_judgments(parser: argparse.ArgumentParser) -> None:
    """List the known judgments in the help of a command."""
    listed = definition_list({name: source.description for name, source in HUMAN_JUDGMENTS.items()}, 20)
    parser.epilog = f"known judgments:\n{listed}\n\n{parser.epilog}"


def add_ranking_options(parser: argparse.ArgumentParser) -> None:
    """Add the options for ranking systems by judgments."""
    about = "how to rank the judged systems (default: trueskill)"
    parser.add_argument("--method", choices=("trueskill", "expected-wins"), default="trueskill", help=about)
    about = "bootstrap runs of the ranking (default: 1000)"
    parser.add_argument("--runs", metavar="N", type=partial(count, least=1), default=1000, help=about)
    parser.add_argument("--seed", metavar="N", type=count, default=0, help="seed of the resampling (default: 0)")


def make_ranking(options: argparse.Namespace, judgments: Iterable[Judgment] | PairTable) -> HumanRanking:
    """Rank the judged systems with the chosen method."""
    rank = trueskill if options.method == "trueskill" else expected_wins
    return rank(judgments, runs=options.runs, seed=options.seed)


def _rank_options(parser: argparse.ArgumentParser) -> None:
    about = "a file of judgments, or a name from the list in gecbench human --help (default: demo)"
    parser.add_argument("judgments", metavar="NAME|FILE", nargs="?", default="demo", help=about)
    add_ranking_options(parser)


def _rank(options: argparse.Namespace) -> None:
    rankings = load_rankings(options.judgments)
    with error_context(options.judgments):
        ranking = make_ranking(options, table_of_rankings(rankings))
    rows = [
        [line.system, str(line.cluster), f"{line.score:.3f}", f"{line.best}–{line.worst}"] for line in ranking.systems
    ]
    table = Table(["system", "cluster", "score", "ranks"], rows)
    print(render_rows(table, [asdict(line) for line in ranking.systems], options.format, options.wide))


def _agreement_options(parser: argparse.ArgumentParser) -> None:
    about = (
        "files of judgments, or names from the list in gecbench human --help; several files or names are also "
        "compared with each other (default: demo)"
    )
    parser.add_argument("judgments", metavar="NAME|FILE", nargs="*", default=["demo"], help=about)


def _agreement(options: argparse.Namespace) -> None:
    groups = {name: list(expand_pairs(load_rankings(name))) for name in options.judgments}
    found, crossed = {}, {}
    for name, pairs in groups.items():
        found[f"{name}: between judges"] = inter_agreement(pairs)
        found[f"{name}: judges with themselves"] = intra_agreement(pairs)
    for one, other in combinations(groups, 2):
        crossed[f"{one} with {other}"] = cross_agreement(groups[one], groups[other])
    found |= crossed
    rows = [[name, *map(_kappa, (one.kappa, one.weighted)), str(one.comparisons)] for name, one in found.items()]
    table = Table(["who", "kappa", "weighted", "comparisons"], rows)
    print(
        render_rows(table, [{"who": name, **asdict(one)} for name, one in found.items()], options.format, options.wide)
    )
    for name, one in found.items():
        if math.isnan(one.kappa):
            unjudged = "no pair of outputs was judged in both" if name in crossed else "no pair was judged twice"
            reason = "all judgments are the same" if one.comparisons else unjudged
            log_info(f"{name}: kappa is undefined because {reason}")


def _kappa(value: float) -> str:
    return "–" if math.isnan(value) else f"{value:.3f}"


def _bound_options(parser: argparse.ArgumentParser) -> None:
    add_corpus_options(parser, predictions=None)
    add_metrics_option(parser)
    about = "score each annotator only against all others (default: also against subsets of the others)"
    parser.add_argument("--last", action="store_true", help=about)
    about = "compute a bound for each error category (only with the metrics m2, errant, imeasure and cleme)"
    parser.add_argument("--by-category", action="store_true", help=about)
    parser.add_argument("--essays", metavar="N-M", help="score only the sentences of these essays, such as 1-10")


def _bound(options: argparse.Namespace) -> None:
    from gecbench.human.bound import note_missing_lines

    corpus = read_corpus(options)
    note_missing_lines(corpus)
    systems = _prepared_systems(options, corpus)
    header = ["metric", "annotators", "human", *(name for system in systems for name in (system, "% human"))]
    rows, plain = [], []
    for metric, bound in _bounds(options, corpus, systems):
        for row in bound.rows:
            cells = [percent(value) for name in systems for value in (row.systems[name], row.ratio(name))]
            rows.append([metric, str(row.size), percent(row.human), *cells])
            plain.append({"metric": metric, "annotators": row.size, "human": row.human, "systems": dict(row.systems)})
    table = Table(header, rows, keys=3, groups=[("", 2)] * len(systems))
    print(render_rows(table, plain, options.format, options.wide))


def _prepared_systems(options: argparse.Namespace, corpus: Corpus) -> dict[str, Prepared]:
    prepare = Preprocessing(**preprocessing_of(options)).prepare
    systems = read_systems(options, corpus)
    return {name: prepare(corpus, lines, f"predictions of {name}") for name, lines in systems.items()}


def _bounds(
    options: argparse.Namespace, corpus: Corpus, systems: Mapping[str, Prepared]
) -> Iterator[tuple[str, Bound]]:
    """Yield the name and the bound of each metric.

    With --by-category, yield them for each error category of each metric.
    """
    from gecbench.human.bound import bound_by_category, human_bound

    sizes: Any = "last" if options.last else "all"
    if options.by_category and systems:
        raise InputError("-p cannot be combined with --by-category", fix="Leave out one of them")
    sentences = essay_sentences(corpus, options.essays) if options.essays else None
    for metric in metric_names(options):
        if not options.by_category:
            yield metric, human_bound(metric, corpus, systems, sizes=sizes, sentences=sentences)
            continue
        chosen = corpus if sentences is None else corpus.select(sentences)
        for category, bound in bound_by_category(metric, chosen, sizes=sizes).items():
            yield f"{metric} {category}", bound


def essay_sentences(corpus: Corpus, essays: str) -> list[int]:
    """Return the positions of the sentences of essays N-M (Bryant & Ng 2015, §6.2)."""
    columns: Any = corpus.metadata.get("columns", {})
    if "essay" not in columns:
        raise InputError(f"{corpus.name} has no essay numbers", fix="Leave out --essays")
    first, _, last = essays.partition("-")
    if not first.isdigit() or not (last or first).isdigit():
        raise InputError(f"--essays {essays!r} is not a range", fix="Give a range such as 1-10, or one number")
    chosen = [i for i, essay in enumerate(columns["essay"]) if int(first) <= essay <= int(last or first)]
    if not chosen:
        fix = f"The essays are numbered from {min(columns['essay'])} to {max(columns['essay'])}"
        raise InputError(f"{corpus.name} has no {'essays' if last else 'essay'} {essays}", fix=fix)
    return chosen


def _change_options(parser: argparse.ArgumentParser) -> None:
    add_corpus_options(parser, predictions=None)


def _change(options: argparse.Namespace) -> None:
    corpus = read_corpus(options)
    if corpus.references is not None and "-" in corpus.reference_range():
        raise InputError(
            f"{corpus.name} has {corpus.reference_range()} references per sentence",
            fix="Use a corpus with the same number of references for every sentence",
        )
    texts = {f"reference {k}": list(column) for k, column in enumerate(zip(*(corpus.references or ()), strict=True))}
    references = list(texts)
    texts |= {name: list(prepared.lines) for name, prepared in _prepared_systems(options, corpus).items()}
    comparisons = {f"source → {name}": (corpus.sources, lines) for name, lines in texts.items()}
    comparisons |= {f"{a} → {b}": (texts[a], texts[b]) for a, b in combinations(references, 2)}
    found = changes(comparisons)
    table = Table(["from → to", "sTER", "changed", "characters"], [_change_row(*item) for item in found.items()])
    plain = [{"comparison": name, **asdict(one)} for name, one in found.items()]
    print(render_rows(table, plain, options.format, options.wide))
    if options.format == "text":
        print(f"\n{fill(_CHANGE_LEGEND, 80)}")


def _change_row(name: str, found: Change) -> list[str]:
    return [name, f"{found.ster:.2f}", f"{percent(found.changed, 1)}%", f"{found.characters:.2f}"]


_ACTIONS = {
    "rank": ("Rank systems by human judgments, with rank ranges and clusters", _rank_options, _rank),
    "agreement": ("Measure how much judges agree (kappa, weighted kappa)", _agreement_options, _agreement),
    "bound": ("Score annotators and systems against the same references", _bound_options, _bound),
    "change": ("Measure how much references and systems change the source", _change_options, _change),
}
