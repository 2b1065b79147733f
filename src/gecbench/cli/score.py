"""`gecbench score`: score one or more systems with any metrics."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator, Mapping
from functools import partial
from math import isnan
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gecbench.api import compare_prepared
from gecbench.cli.options import (
    add_command,
    add_corpus_options,
    add_scoring_options,
    check_one_given,
    check_published,
    check_roles,
    count,
    load_inputs,
    metric_names,
    pick,
    preprocessing_of,
    print_report,
    status_of,
    system_name,
    systems_of,
    warn_of_swapped_names,
)
from gecbench.display import log_info
from gecbench.errors import InputError

if TYPE_CHECKING:
    from gecbench.analysis.report import Report
    from gecbench.corpus.corpus import Corpus

_LARGE = 50_000  # With at least this many sentences, every metric takes seconds.
_EXAMPLES = """  gecbench score -s source.txt -r ref0.txt ref1.txt -p output.txt
  gecbench score -s source.txt -r ref*.txt -p a.txt b.txt.gz -m gleu bleu
  gecbench score -s source.txt -r ref*.txt -p output.txt --resamples 1000
  cat output.txt | gecbench score -s source.txt -r ref0.txt -p - --format json
  gecbench score -c demo -p output.txt --per-sentence
  gecbench score -c demo -p output.txt --by edit-distance
  gecbench score -m m2 --gold gold.m2 -p output.txt --by error-type
  gecbench score -m errant --gold gold.m2 -p system.m2 --average macro
  gecbench score -c conll14 -m m2 -p output.txt --published
  gecbench score -c demo -p output.txt --fail-under 40 || echo "got worse"
  gecbench score --stream -s source.txt.gz -r ref.txt.gz -p output.parquet \\
      --per-sentence scores.parquet
  gecbench score --engine spark --master local[2] -p s3a://bucket/pairs.parquet
"""


class _Breakdowns:
    """The choices of --by, which import the metrics only when they are read."""

    def __iter__(self) -> Iterator[str]:
        from gecbench.analysis.breakdown import breakdown_names

        return iter(breakdown_names())


def add_parser(commands: Any, summary: str) -> None:
    """Add the command."""
    parser = add_command(commands, "score", summary, _EXAMPLES, run)
    add_corpus_options(parser)
    add_scoring_options(parser, resamples=0)
    views = parser.add_mutually_exclusive_group()
    about = "print the score of every sentence; with --stream, write scores and counts to this Parquet file"
    views.add_argument("--per-sentence", metavar="FILE", nargs="?", const="", help=about)
    views.add_argument(
        "--by",
        metavar="WHAT",
        choices=_Breakdowns(),
        help="print the first metric's score per group: %(choices)s",
    )
    about = "print the mean of the first metric's scores over error types (m2, errant), or over the groups of --by"
    parser.add_argument("--average", choices=("macro",), help=about)
    stream = parser.add_argument_group(
        "streaming", "score any number of sentences in constant memory, with identical results"
    )
    stream.add_argument("--stream", action="store_true", help="read text, .gz, .jsonl, .parquet or M2 in batches")
    about = "sentences per batch (default: 10000)"
    stream.add_argument("--batch-size", metavar="N", type=partial(count, least=1), help=about)
    about = "for rows that cannot be scored: stop with an error, or skip them (default: error)"
    stream.add_argument("--on-bad", choices=("error", "skip"), default="error", help=about)
    stream.add_argument("--resume", action="store_true", help="resume an interrupted run")
    spark = parser.add_argument_group("Spark", "score Parquet files on many machines, with identical results")
    about = "read -p with Spark: Parquet files with columns for sources, predictions and references"
    spark.add_argument("--engine", choices=("spark",), help=about)
    spark.add_argument("--master", metavar="URL", help="Spark master: spark://…, yarn, … (default: local[*])")
    about = "column with the position of each row, from 0 (default: the order of the rows)"
    spark.add_argument("--index", metavar="NAME", help=about)


def run(options: argparse.Namespace) -> int:
    """Score and print."""
    options.metrics = metric_names(options)
    if options.engine == "spark":
        return print_report(_spark(options), options)
    if options.stream:
        return _stream(options)
    _check_whole(options)
    inputs = load_inputs(options)
    if len(inputs.corpus) >= _LARGE:
        log_info(f"scoring {len(inputs.corpus):,} sentences at once. To save memory and see progress, use --stream")
    report = compare_prepared(inputs.systems, inputs.metrics, **pick(options, "resamples", "seed"))
    if options.per_sentence is not None:
        print(_per_sentence(report, inputs.corpus, options.format, options.wide))
    elif options.by or options.average:
        from gecbench.analysis.breakdown import render_breakdown

        scored = {name: prepared.lines for name, prepared in inputs.systems.items()}
        corpus = next(iter(inputs.systems.values())).corpus
        by, average = options.by or "error-type", options.average is not None
        print(render_breakdown(by, report, corpus, scored, options.format, options.wide, average))
    else:
        return print_report(report, options)
    return status_of(report, options)


def _check_whole(options: argparse.Namespace) -> None:
    if options.average and options.per_sentence is not None:
        raise InputError("--average cannot be combined with --per-sentence", fix="Leave out one of them")
    _check_no_stream(options)
    if options.per_sentence:
        raise InputError("--per-sentence FILE needs --stream", fix="Add --stream, or leave out FILE")
    if options.on_bad != "error":
        fix = "Add one of them, or leave out --on-bad"
        raise InputError("--on-bad needs --stream or --engine spark", fix=fix)
    _check_no_spark(options)


def _check_no_stream(options: argparse.Namespace) -> None:
    for given, name in ((options.resume, "--resume"), (options.batch_size, "--batch-size")):
        if given:
            raise InputError(f"{name} needs --stream", fix=f"Add --stream, or leave out {name}")


def _check_no_spark(options: argparse.Namespace) -> None:
    if options.master or options.index:
        given = "--master" if options.master else "--index"
        raise InputError(f"{given} needs --engine spark", fix=f"Add --engine spark, or leave out {given}")


def _spark(options: argparse.Namespace) -> Report:
    from gecbench.analysis.report import Report
    from gecbench.scale.spark import score_files

    if options.corpus or options.gold or options.source or options.references:
        fix = "Put the sources and references into columns of the Parquet files of -p"
        raise InputError("-s, -r, --gold and -c cannot be combined with --engine spark", fix=fix)
    check_published(options)
    if options.per_sentence is not None:
        fix = "Leave it out, and use gecbench.spark in Python for sentence scores"
        raise InputError("--per-sentence cannot be combined with --engine spark", fix=fix)
    tokenize = options.tokenize != "none"
    given = {**pick(options, "stream", "batch_size", "resume", "by", "average", "clean"), "tokenize": tokenize}
    _check_not_combined(given, "--engine spark")
    wanted = pick(options, "column", "index", "metrics", "on_bad", "resamples", "seed", "tokenized", "aligned")
    found = score_files(systems_of(options), options.master or "local[*]", **wanted, foreign="error")
    return Report(found, [])


def _stream(options: argparse.Namespace) -> int:
    from gecbench.analysis.report import Report
    from gecbench.corpus.prepare import Preprocessing
    from gecbench.scale.files import Inputs
    from gecbench.scale.streaming import FileStream, StreamOptions, StreamStoppedError

    _check_stream(options)
    inputs = Inputs(
        predictions=options.predictions[0],
        metrics=tuple(options.metrics),
        references=tuple(options.references or ()),
        **pick(options, "source", "gold", "corpus", "column", "annotator"),
    )
    settings = pick(options, "on_bad", "resume")
    if options.batch_size:
        settings["batch_size"] = options.batch_size
    target = Path(options.per_sentence) if options.per_sentence else None
    try:
        scores = FileStream(
            inputs, StreamOptions(Preprocessing(**preprocessing_of(options)), per_sentence=target, **settings)
        ).run()
    except StreamStoppedError as stopped:
        print(f"gecbench: {stopped}", file=sys.stderr)
        return 130
    return print_report(Report({system_name(options.predictions[0]): scores}, []), options)


def _check_stream(options: argparse.Namespace) -> None:
    _check_no_spark(options)
    ways = (options.corpus, options.gold, options.source or options.references)
    check_one_given("corpus", ways, "Give one of -c, --gold, or -s with -r")
    check_published(options)
    check_roles(options)
    warn_of_swapped_names(options)
    if options.ignore_width:
        raise InputError("--ignore-width cannot be combined with --stream", fix="Leave out --stream")
    if len(options.predictions) != 1:
        raise InputError("--stream scores one system at a time", fix="Give one file with -p")
    if options.resamples:
        fix = (
            "Add --per-sentence FILE, then run in Python: gecbench.scale.scores(gecbench.scale.read(FILE), resamples=…)"
        )
        raise InputError("--resamples cannot be combined with --stream", fix=fix)
    _check_not_combined(pick(options, "by", "average", "clean"), "--stream")
    if options.per_sentence == "":
        fix = "Write them to a Parquet file: --per-sentence FILE.parquet"
        raise InputError("--stream cannot print sentence scores", fix=fix)


def _check_not_combined(given: Mapping[str, object], other: str) -> None:
    """Raise an error for given options that cannot be combined with `other`."""
    for name, value in given.items():
        if value:
            problem = f"--{name.replace('_', '-')} cannot be combined with {other}"
            raise InputError(problem, fix="Leave out one of them")


def _per_sentence(report: Report, corpus: Corpus, table_format: str, wide: bool) -> str:
    from gecbench.analysis.tables import Table, render_table
    from gecbench.display import percent

    columns = {
        (system, metric): report[system][metric].sentence_scores() for system in report for metric in report.metrics
    }
    ids = corpus.ids or ()
    if table_format == "json":
        rows = [
            {
                "id": ids[i],
                "system": system,
                "metric": metric,
                "value": None if isnan(values[i]) else float(values[i]),
            }
            for i in range(len(corpus))
            for (system, metric), values in columns.items()
        ]
        return "\n".join(json.dumps(row, ensure_ascii=False) for row in rows)
    several = len(report) > 1
    header = ["id", *(f"{system} {metric}" if several else metric for system, metric in columns)]
    cells = [[ids[i], *(percent(values[i]) for values in columns.values())] for i in range(len(corpus))]
    return render_table(Table(header, cells), table_format, wide)
