"""The argument parser and the options shared by several commands."""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import takewhile
from math import isfinite, nan
from pathlib import Path
from textwrap import fill
from typing import TYPE_CHECKING, Any, NoReturn

from gecbench.display import log_info
from gecbench.errors import InputError, counted, did_you_mean, plain_number
from gecbench.formats.text import STANDARD_INPUT, check_files

if TYPE_CHECKING:
    from gecbench.analysis.report import Report
    from gecbench.corpus.corpus import Corpus
    from gecbench.corpus.prepare import Prepared
    from gecbench.metrics.base import Metric


class _StoreOnce(argparse.Action):
    """Store the value of an option, and do not let a repeated option replace it.

    Options with `nargs="+"` or `nargs="*"` collect the values of all repetitions. Other options must have one value.
    """

    def __call__(self, parser: Any, namespace: argparse.Namespace, values: Any, option: str | None = None) -> None:
        if self.dest in parser.given and self.option_strings:
            stored = getattr(namespace, self.dest)
            if self.nargs in ("+", "*"):
                values = [*stored, *values]
            elif values != stored:
                raise argparse.ArgumentError(self, "is given twice, but takes one value")
        parser.given.add(self.dest)
        setattr(namespace, self.dest, values)


class Parser(argparse.ArgumentParser):
    """An argument parser that adds --quiet and suggests similar words in errors.

    With `last_wins`, the last of repeated options counts, as in the parsers of official programs.
    """

    def __init__(self, *arguments: Any, last_wins: bool = False, **settings: Any) -> None:
        super().__init__(*arguments, **settings)
        self.given: set[str] = set()  # the options found so far
        if not last_wins:
            self.register("action", None, _StoreOnce)
        if self.add_help:
            about = "print only results, warnings and errors (no progress, no notes)"
            self.add_argument("--quiet", action="store_true", default=argparse.SUPPRESS, help=about)

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> tuple[Any, list[str]]:
        """Print the help if no action is given, and reject unknown arguments.

        Unknown arguments are rejected here, so that the error names the command.
        """
        self.given = set()
        if self._subparsers and not args:
            self.print_help()
            self.exit()
        if not self._subparsers and self.add_help:
            for word in takewhile(lambda word: word != "--", args or ()):
                if word.startswith("--") and not self._get_option_tuples(word.partition("=")[0]):
                    fix = did_you_mean(word.partition("=")[0], self._option_string_actions)
                    self.error(f"unrecognized argument: {word}", fix)
        found, rest = super().parse_known_args(args, namespace)
        if rest and not self._subparsers and self.add_help:
            self.error(f"unrecognized {'argument' if len(rest) == 1 else 'arguments'}: {' '.join(rest)}")
        return found, rest

    def error(self, message: str, fix: str = "") -> NoReturn:
        """Print what is wrong and how to fix it or get help, and exit with status 2."""
        if wrong := re.match(r"(.*?invalid choice: '([^']*)') \(choose from ([^()]*)\)", message):
            message, fix = wrong[1], did_you_mean(wrong[2], re.findall(r"[\w-]+", wrong[3]), f"Choose from {wrong[3]}.")
        self.exit(2, f"{self.prog}: error: {message}. {fix or f'For help, run: {self.prog} --help'}\n")


_LIST_OF_METRICS = "{the metrics}"


class HelpFormatter(argparse.RawDescriptionHelpFormatter):
    """Print descriptions unchanged, and import the metrics only if they are listed."""

    def add_text(self, text: str | None) -> None:
        """Add a text, and replace the placeholder in it with the list of metrics."""
        if text and _LIST_OF_METRICS in text:
            from gecbench.metrics.base import METRICS

            listed = definition_list({entry.name: entry.description for entry in METRICS.values()}, 10)
            text = text.replace(_LIST_OF_METRICS, listed)
        super().add_text(text)


def definition_list(entries: Mapping[str, str], indent: int) -> str:
    """Return names and descriptions as a list with lines of up to 80 characters."""
    blanks = " " * (indent + 2)
    return "\n".join(
        fill(text, 80, initial_indent=f"  {name:<{indent}}", subsequent_indent=blanks) for name, text in entries.items()
    )


def add_command(
    commands: Any, name: str, description: str, examples: str, run: Any, failure: int = 2, **settings: Any
) -> argparse.ArgumentParser:
    """Add a command whose help ends with examples.

    `failure` is its exit status for invalid input.
    """
    parser: argparse.ArgumentParser = commands.add_parser(
        name,
        help=description,
        description=description + ".",
        epilog=f"examples:\n{examples}",
        formatter_class=HelpFormatter,
        **settings,
    )
    parser.set_defaults(run=run, failure=failure)
    return parser


def add_corpus_options(parser: argparse.ArgumentParser, *, predictions: bool | None = True) -> None:
    """Add the options for the corpus and, if wanted, for predictions.

    If `predictions` is True, predictions are required. If it is None, they are optional. If it is False, their options
    are left out.
    """
    corpus = parser.add_argument_group(
        "corpus", "files have one sentence per line and may be gzipped; - is standard input"
    )
    corpus.add_argument("-s", "--source", metavar="FILE", help="source sentences; needs -r")
    corpus.add_argument("-r", "--references", metavar="FILE", nargs="+", help="one file per reference")
    corpus.add_argument(
        "--gold",
        metavar="FILE",
        help="gold edits (.m2, or I-measure .xml), instead of -s and -r; "
        "for metrics that need references, the edits are applied to the source",
    )
    corpus.add_argument(
        "-c",
        "--corpus",
        metavar="NAME|FILE",
        help="a known corpus (demo, jfleg:test, conll14, …; list them with gecbench corpora) "
        "or a file (.m2, .xml, .jsonl)",
    )
    if predictions is False:
        add_aligned_option(corpus)
    else:
        add_predictions_options(corpus, predictions)


def add_predictions_options(parser: Any, needed: bool | None) -> None:
    """Add the options for the systems' outputs and their preprocessing."""
    parser.add_argument(
        "-p",
        "--predictions",
        metavar="FILE",
        nargs="+",
        required=bool(needed),
        default=[],
        help="one file per system: text, a table (.jsonl, .csv, .tsv, .parquet) or edits (.m2)",
    )
    about = "column with the predictions, if they are a table (default: prediction, hypothesis, output, …)"
    parser.add_argument("--column", metavar="NAME", help=about)
    add_annotator_option(parser)
    about = "accept M2 predictions whose sources differ from the corpus only in full-width and half-width characters"
    parser.add_argument("--ignore-width", action="store_true", help=about)
    add_preprocessing_options(parser)
    add_aligned_option(parser)


def add_annotator_option(parser: Any) -> None:
    """Add the option to choose an annotator of M2 predictions."""
    about = "annotator to score, if an M2 file of predictions has several"
    parser.add_argument("--annotator", metavar="N", type=count, help=about)


def add_aligned_option(parser: Any) -> None:
    """Add the option to skip the alignment checks."""
    about = "skip the checks for shifted lines and for swapped or identical files"
    parser.add_argument("--aligned", action="store_true", help=about)


def add_preprocessing_options(parser: Any) -> None:
    """Add the options for preprocessing predictions."""
    from gecbench.corpus.prepare import TOKENIZE_CHOICES

    parser.add_argument(
        "--tokenize",
        choices=TOKENIZE_CHOICES,
        metavar="NAME",
        default="none",
        help="tokenize raw predictions: %(choices)s; auto follows the tokenization of the corpus (default: none)",
    )
    about = "remove labels, quotes, list numbers, code fences and explanations around predictions"
    parser.add_argument("--clean", action="store_true", help=about)
    about = "score the predictions as they are, even if they look untokenized"
    parser.add_argument("--tokenized", action="store_true", help=about)


def preprocessing_of(options: argparse.Namespace) -> dict[str, Any]:
    """Return the preprocessing settings.

    Predictions that do not resemble their sources, or are identical to a reference, are an error.
    """
    return {**pick(options, "tokenize", "tokenized", "aligned"), "foreign": "error"}


def add_scoring_options(parser: argparse.ArgumentParser, resamples: int) -> None:
    """Add the options for metrics, resampling, format, --fail-under and --published."""
    add_metrics_option(parser)
    add_resampling_options(parser, resamples)
    add_format_option(parser, WIDE_WITH_INTERVALS)
    about = "exit with status 1 if a system scores below N percent with the first metric"
    parser.add_argument("--fail-under", metavar="N", type=number, help=about)
    about = "show where each score ranks among published results on the corpus (needs -c NAME)"
    parser.add_argument("--published", action="store_true", help=about)


def add_resampling_options(parser: argparse.ArgumentParser, resamples: int) -> None:
    """Add the options for the number of bootstrap resamples and their seed."""
    from gecbench.analysis.significance import DEFAULT_SEED

    parser.add_argument(
        "--resamples",
        metavar="N",
        type=count,
        default=resamples,
        help="resamples for 95%% confidence intervals and the paired test (default: 1000)"
        if resamples
        else "bootstrap resamples for 95%% confidence intervals; 0 computes none (default: 0)",
    )
    about = f"seed of the resampling (default: {DEFAULT_SEED})"
    parser.add_argument("--seed", metavar="N", type=count, default=DEFAULT_SEED, help=about)


WIDE_WITH_INTERVALS = "text and LaTeX tables that include interval limits and p-values"


def add_format_option(parser: argparse.ArgumentParser, wide: str = "text tables") -> None:
    """Add the options for the output format and for wide tables.

    `wide` describes the wide tables.
    """
    from gecbench.analysis.tables import FORMATS

    parser.add_argument("-f", "--format", choices=FORMATS, default="text", help="output format (default: text)")
    add_wide_option(parser, wide)


def add_wide_option(parser: argparse.ArgumentParser, wide: str) -> None:
    """Add the option for wide tables, which are described by `wide`."""
    parser.add_argument("--wide", action="store_true", help=f"print wide {wide} (default: fit 80 columns)")


def add_metrics_option(
    parser: argparse.ArgumentParser, default: str = "the official metric of a known corpus, else gleu"
) -> None:
    """Add the option to choose metrics, and list the metrics in the help."""
    usage = "  Set parameters in parentheses: 'gleu(draws=py3)'. For your own metric, give\n  python:MODULE:FUNCTION."
    parser.epilog = f"metrics:\n{_LIST_OF_METRICS}\n\n{usage}\n\n{parser.epilog}"
    parser.add_argument(
        "-m",
        "--metrics",
        metavar="METRIC",
        nargs="+",
        help=f"metrics to compute (default: {default})",
    )


def pick(options: argparse.Namespace, *names: str) -> dict[str, Any]:
    """Return some options as a dictionary of keyword arguments."""
    return {name: getattr(options, name) for name in names}


@dataclass(frozen=True)
class LoadedInputs:
    """The metrics, the corpus and the prepared predictions of a command.

    The keys of `metrics` are column names. The keys of `systems` are system names.
    """

    metrics: Mapping[str, Metric]
    corpus: Corpus
    systems: Mapping[str, Prepared]


def load_inputs(options: argparse.Namespace) -> LoadedInputs:
    """Create the metrics, read the corpus, and read and prepare the predictions."""
    from gecbench.corpus.prepare import Preprocessing

    check_roles(options)
    metrics = metrics_of(options)
    corpus = read_corpus(options, metrics)
    preprocessing = Preprocessing(**preprocessing_of(options))
    texts = {name: read_system(path, corpus, options) for name, path in systems_of(options).items()}
    systems = {
        name: preprocessing.prepare(corpus, lines, f"predictions of {name}", counted=True)
        for name, lines in texts.items()
    }
    return LoadedInputs(metrics, corpus, systems)


def metrics_of(options: argparse.Namespace) -> dict[str, Metric]:
    """Return the chosen metrics by column name, and reject unknown metrics.

    Call this first, so that an unknown metric is an error before any work is done.
    """
    from gecbench.metrics.base import metric_columns

    return metric_columns(options.metric if "metric" in options else metric_names(options))


def metric_names(options: argparse.Namespace) -> list[str]:
    """Return the metrics given with -m.

    The default is the official metric of a known corpus, and GLEU for any other corpus.
    """
    from gecbench.api import default_metrics

    return getattr(options, "metrics", None) or list(default_metrics(options.corpus))


def print_report(report: Report, options: argparse.Namespace) -> int:
    """Print a report and return the exit status.

    With --published, also print where each score ranks among published results.
    """
    if options.published:
        from gecbench.corpora.published import with_published

        print_rendered(with_published(report, options.corpus, options.format, options.wide))
    else:
        print_rendered(report.render(options.format, options.wide))
    return status_of(report, options)


def print_rendered(report: str) -> None:
    """Print a rendered report, with --wide in place of its Python equivalent."""
    from gecbench.analysis.report import WIDE

    print(report.replace(WIDE, "--wide"))


def check_published(options: argparse.Namespace) -> None:
    """Raise an error for --published if there are no published results on the corpus."""
    if getattr(options, "published", False):
        from gecbench.corpora.published import published_results

        if not options.corpus or not published_results(options.corpus):
            fix = "Choose one with -c (to list them, run gecbench published)"
            raise InputError("--published needs a corpus with published results", fix=fix)


def status_of(report: Report, options: argparse.Namespace) -> int:
    """Print the systems below --fail-under, and return 1 if there are any, else 0."""
    from gecbench.display import percent

    if options.fail_under is None:
        return 0
    first = report.metrics[0]
    printed = {name: percent(report[name][first].value) for name in report}
    below = [name for name, value in printed.items() if value == "–" or float(value) < options.fail_under]
    for name in below:
        print(f"gecbench: {name}: {first} {printed[name]} is below {options.fail_under:g}", file=sys.stderr)
    return int(bool(below))


def check_one_given(what: str, ways: Sequence[object], fix: str) -> None:
    """Raise an error unless exactly one of the alternative options is given.

    `what` names the options in the error.
    """
    given = sum(map(bool, ways))
    if given != 1:
        raise InputError(f"more than one {what} is given" if given else f"no {what} is given", fix=fix)


def read_corpus(options: argparse.Namespace, metrics: Mapping[str, Metric] | None = None) -> Corpus:
    """Read the corpus of a command, and derive references if the metrics need them."""
    from gecbench.corpus.prepare import check_corpus
    from gecbench.formats.tables import read_edits
    from gecbench.metrics.base import with_needed_references

    ways = (options.corpus, options.gold, options.source or options.references)
    check_one_given("corpus", ways, "Give one of -c, --gold, or -s with -r")
    check_published(options)
    chosen = list((metrics or metrics_of(options)).values())
    check_files([*getattr(options, "predictions", ()), options.source, *(options.references or ()), options.gold])
    if options.corpus:
        from gecbench.corpora.load import resolve_corpus

        return resolve_corpus(options.corpus, chosen)
    if options.gold:
        return with_needed_references(read_edits(options.gold), chosen)
    if not options.source or not options.references:
        raise InputError("-s and -r must be given together", fix="Give the source file and at least one reference file")
    corpus = read_parallel_text(options.source, options.references, options.aligned)
    check_corpus(corpus, options.aligned, swapped=warn_of_swapped_names(options))
    return corpus


def read_parallel_text(source: str, references: Sequence[str], aligned: bool = False) -> Corpus:
    """Read a source file and reference files.

    Shifted references are an error, unless `aligned`.
    """
    from gecbench.corpus.prepare import check_alignment
    from gecbench.formats.tables import read_parallel

    corpus = read_parallel(source, references)
    if not aligned:
        for path, column in zip(references, corpus.reference_columns(), strict=True):
            check_alignment(corpus.sources, column, "the references", path)
    return corpus


def corpus_files(options: argparse.Namespace) -> list[str | None]:
    """Return the input files of the corpus."""
    from gecbench.corpora.load import is_known_name

    named = options.corpus and is_known_name(options.corpus)
    files = [options.source, *(getattr(options, "references", None) or ()), getattr(options, "gold", None)]
    return [*files, None if named else options.corpus]


def read_systems(options: argparse.Namespace, corpus: Corpus) -> dict[str, Sequence[str]]:
    """Return each system's predictions by name."""
    check_roles(options)
    return {name: read_system(path, corpus, options) for name, path in systems_of(options).items()}


def systems_of(options: argparse.Namespace) -> dict[str, str]:
    """Return the prediction files by system name.

    The names are the file names without extensions or, if two of these are equal, the paths.
    """
    paths = [str(path) for path in options.predictions]
    short = [system_name(path) for path in paths]
    names = short if len(set(short)) == len(short) else paths
    for i, name in enumerate(names):
        if name in names[:i]:
            raise InputError("this file is given twice with -p", file=name, fix="Give each file once")
    return dict(zip(names, paths, strict=True))


def check_roles(options: argparse.Namespace) -> None:
    """Raise an error if standard input is used twice or a file has two roles.

    A reference file must not also be the source or predictions, unless it is a table or --aligned is given.
    """
    from gecbench.formats.tables import ENDINGS
    from gecbench.formats.text import is_same_file

    references = options.references or []
    files = [*options.predictions, options.source, *references, options.gold, options.corpus]
    if list(map(str, files)).count(STANDARD_INPUT) > 1:
        raise InputError("standard input (-) is used more than once", fix="Use - once, and give file names otherwise")
    for reference in () if options.aligned else references:
        for option, path in (("-s", options.source), *(("-p", path) for path in options.predictions)):
            if path and is_same_file(path, reference) and not reference.removesuffix(".gz").endswith(ENDINGS):
                fix = "Give each file once, or skip this check with --aligned"
                raise InputError(f"is given with both -r and {option}", file=str(reference), fix=fix)


_SOURCE_WORDS = {"src", "source", "sources", "input", "inputs", "orig", "original", "originals"}
_REFERENCE_WORDS = {"ref", "refs", "reference", "references", "gold", "tgt", "trg", "target", "targets"}


def warn_of_swapped_names(options: argparse.Namespace) -> bool:
    """Warn if file names suggest that files are swapped, and return whether they do.

    The files are those of sources, references and predictions.
    """
    if options.aligned or not options.source:
        return False
    predictions = getattr(options, "predictions", ())  # `gecbench run` has no such option
    found = swapped_names(options.source, options.references or (), predictions)
    for evidence in found:
        import warnings

        from gecbench.corpus.prepare import MixedUpTextWarning

        problem = f"{evidence}. If these files are not swapped, skip this check with --aligned"
        warnings.warn(problem, MixedUpTextWarning, stacklevel=2)
    return bool(found)


def swapped_names(source: str, references: Sequence[str], predictions: Sequence[str], option: str = "-p") -> list[str]:
    """Describe file names that suggest that the source is swapped with another file.

    The other file is a reference or a file of predictions. `option` is the option that gives the predictions.
    """
    kind = _last_word(source)
    for path in references if kind in _REFERENCE_WORDS else ():
        if _last_word(path) in _SOURCE_WORDS:
            return [f"-s {source} is named like a reference, but -r {path} is named like a source"]
    named = [path for path in predictions if kind not in _SOURCE_WORDS and _last_word(path) in _SOURCE_WORDS]
    differing = [path for path in named if not _same_content(source, path)]
    return [f"{option} {path} is named like a source, but -s {source} is not" for path in differing]


def _last_word(path: str) -> str:
    """Return the last word of a file name, such as `ref` for `test.ref0.txt`.

    The words `txt`, `gz` and `tok` are skipped.
    """
    words = re.findall("[a-z]+", Path(path).name.lower())
    return next((word for word in reversed(words) if word not in ("txt", "gz", "tok")), "")


def _same_content(one: str, other: str) -> bool:
    import filecmp

    return Path(one).is_file() and Path(other).is_file() and filecmp.cmp(one, other, shallow=False)


def read_system(path: str, corpus: Corpus, options: argparse.Namespace) -> Sequence[str]:
    """Read the predictions in a file, and clean them if --clean is given."""
    from gecbench.formats.tables import read_predictions

    found = read_predictions(path, corpus, options.column, options.annotator, getattr(options, "ignore_width", False))
    return cleaned(found, corpus, path, options)


def cleaned(lines: Sequence[str], corpus: Corpus, path: object, options: argparse.Namespace) -> Sequence[str]:
    """Return the lines of a file, cleaned if --clean is given.

    Cleaning removes extra text around the lines, and prints what was removed.
    """
    if not options.clean:
        return lines
    from gecbench.corpus.prepare import clean

    lines, touched = clean(lines, corpus.sources)
    removed = ", ".join(f"{name} from {counted(count, 'line')}" for name, count in touched.items()) or "nothing"
    log_info(f"{path}: removed {removed}")
    return lines


def system_name(path: str) -> str:
    """Return a system's name from the path of its outputs."""
    if path == STANDARD_INPUT:
        return "standard input"
    from gecbench.formats.tables import EDITS, ENDINGS

    name = Path(path).name.removesuffix(".gz")
    return Path(name).stem if Path(name).suffix in (".txt", EDITS, *ENDINGS) else name


def number(text: str) -> float:
    """Parse a finite number. Unlike `float`, reject underscores, as in `1_0`."""
    try:
        value = float(plain_number(text))
    except ValueError:
        value = nan
    if not isfinite(value):
        raise argparse.ArgumentTypeError(f"{text!r} is not a finite number")
    return value


_LONGEST_NUMBER = 18


def count(text: str, least: int = 0) -> int:
    """Parse a whole number of at least `least`."""
    if not (text.isascii() and text.isdigit() and len(text) <= _LONGEST_NUMBER) or int(text) < least:
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number of at least {least}")
    return int(text)
