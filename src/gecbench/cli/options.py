"""Options that several commands share, and what they mean."""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from gecbench.analysis.report import Report
from gecbench.analysis.significance import DEFAULT_SEED
from gecbench.analysis.tables import FORMATS
from gecbench.api import compare
from gecbench.corpora.resolve import apply_edits_for, read_edits, resolve_corpus
from gecbench.corpus.corpus import Corpus
from gecbench.errors import InputError
from gecbench.formats.jsonl import read_jsonl_predictions
from gecbench.formats.parallel import read_parallel
from gecbench.formats.text import STANDARD_INPUT, read_lines
from gecbench.metrics.registry import METRICS


def add_command(
    commands: Any, name: str, description: str, examples: str, run: Any, **settings: Any
) -> argparse.ArgumentParser:
    """Add a command whose help ends with examples."""
    parser: argparse.ArgumentParser = commands.add_parser(
        name,
        help=description,
        description=description + ".",
        epilog=f"examples:\n{examples}",
        formatter_class=argparse.RawDescriptionHelpFormatter,
        **settings,
    )
    parser.set_defaults(run=run)
    return parser


def add_corpus_options(parser: argparse.ArgumentParser, *, predictions: bool | None = True) -> None:
    """Add the options that say what to score against, and predictions: needed, optional (None) or none."""
    corpus = parser.add_argument_group(
        "corpus", "plain text with one sentence per line; .gz is read as is, - is standard input"
    )
    corpus.add_argument("-s", "--source", metavar="FILE", help="source sentences")
    corpus.add_argument("-r", "--references", metavar="FILE", nargs="+", help="one file per reference")
    corpus.add_argument(
        "--gold",
        metavar="FILE",
        help="an M2 file (or I-measure .xml) instead: coded edits, applied where references are needed",
    )
    corpus.add_argument(
        "-c",
        "--corpus",
        metavar="NAME|FILE",
        help="demo, jfleg:test, conll14_fluency:nucle, … or .m2, .xml, .jsonl",
    )
    if predictions is not False:
        corpus.add_argument(
            "-p",
            "--predictions",
            metavar="FILE",
            nargs="+",
            required=bool(predictions),
            default=[],
            help="one file per system (.jsonl too)",
        )
    corpus.add_argument("--aligned", action="store_true", help="skip the check for shifted lines")


def add_scoring_options(parser: argparse.ArgumentParser, resamples: int) -> None:
    """Add metrics, resampling and output format."""
    add_metrics_option(parser)
    parser.add_argument(
        "--resamples",
        metavar="N",
        type=count,
        default=resamples,
        help=f"bootstrap resamples{' for the interval, 0 for none' if not resamples else ''} (default: {resamples})",
    )
    parser.add_argument("--seed", metavar="N", type=count, default=DEFAULT_SEED, help="seed of the resampling")
    add_format_option(parser)


def add_format_option(parser: argparse.ArgumentParser) -> None:
    """Add the output format."""
    parser.add_argument("-f", "--format", choices=FORMATS, default="text", help="how to print (default: text)")


def add_metrics_option(parser: argparse.ArgumentParser) -> None:
    """Add the choice of metrics, listed in the help."""
    metrics = "\n".join(f"  {entry.name:<10}{entry.description}" for entry in METRICS.values())
    parser.epilog = f"metrics (parameters in brackets, as in 'gleu(draws=py3)'):\n{metrics}\n\n{parser.epilog}"
    parser.add_argument(
        "-m",
        "--metrics",
        metavar="METRIC",
        nargs="+",
        default=["gleu"],
        help="what to compute (default: gleu)",
    )


def pick(options: argparse.Namespace, *names: str) -> dict[str, Any]:
    """Return some of the options by name, to be passed on as keywords."""
    return {name: getattr(options, name) for name in names}


def compare_systems(
    options: argparse.Namespace, systems: Mapping[str, Sequence[str]], corpus: Corpus, *names: str
) -> Report:
    """Score systems as the options of `add_scoring_options` say; without tests unless `names` has those of tests."""
    wanted = {"test": None, **pick(options, "resamples", "seed", "aligned", *names)}
    return compare(systems, corpus, options.metrics, **wanted)


def check_one_given(what: str, ways: Sequence[object], fix: str) -> None:
    """Refuse options that name a thing in no way, or in more than one."""
    given = sum(map(bool, ways))
    if given != 1:
        raise InputError(f"more than one {what}" if given else f"no {what}", fix=fix)


def read_corpus(options: argparse.Namespace) -> Corpus:
    """Return the corpus that the options name."""
    ways = (options.corpus, options.gold, options.source or options.references)
    check_one_given("corpus", ways, "Give -s with -r, or --gold, or -c")
    if options.corpus or options.gold:
        chosen = [options.metric] if "metric" in options else getattr(options, "metrics", ["gleu"])
        if options.corpus:
            return resolve_corpus(options.corpus, chosen)
        return apply_edits_for(chosen, read_edits(options.gold))
    if not options.source or not options.references:
        raise InputError("-s and -r belong together", fix="Give the source file and at least one reference file")
    return read_parallel(options.source, options.references, aligned=options.aligned)


def read_systems(options: argparse.Namespace, corpus: Corpus) -> dict[str, list[str]]:
    """Return each system's predictions by name: the file name without its ending where that is unique."""
    paths = [str(path) for path in options.predictions]
    if [*paths, options.source, *(options.references or []), options.gold, options.corpus].count(STANDARD_INPUT) > 1:
        raise InputError("standard input (-) is named more than once", fix="It can be read only once")
    short = [_system_name(path) for path in paths]
    names = short if len(set(short)) == len(short) else paths
    for i, name in enumerate(names):
        if name in names[:i]:
            raise InputError("the same predictions file is given twice", file=name)
    return {name: read_predictions(path, corpus) for name, path in zip(names, paths, strict=True)}


def read_predictions(path: str, corpus: Corpus) -> list[str]:
    """Read one system's predictions, one for each sentence of the corpus."""
    jsonl = path.removesuffix(".gz").endswith(".jsonl")
    lines = read_jsonl_predictions(path) if jsonl else read_lines(path)
    if len(lines) != len(corpus):
        raise InputError(
            f"{len(lines)} lines, but {corpus.name} has {len(corpus)} sentences",
            file=path,
            line=min(len(lines), len(corpus)) + 1,
            fix="Write one output per line, in order; an empty output is an empty line",
        )
    return lines


def _system_name(path: str) -> str:
    if path == STANDARD_INPUT:
        return "standard input"
    name = Path(path).name.removesuffix(".gz")
    return name.removesuffix(".txt").removesuffix(".jsonl") or name


def count(text: str, least: int = 0) -> int:
    """Return a whole number of at least 0, or of at least another number."""
    if not text.isdigit() or int(text) < least:
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number of at least {least}")
    return int(text)
