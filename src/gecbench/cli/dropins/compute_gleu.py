"""`gecbench compute_gleu`: a drop-in for the official GLEU scripts.

It replaces compute_gleu of gec-ranking and, with --jfleg, gleu.py of JFLEG. docs/exact.md lists the inputs for which we
compared the output byte by byte.
"""

from __future__ import annotations

import argparse
import math
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from gecbench.cli.dropins import add_dropin, prepare, warn_of_mixed_up
from gecbench.cli.options import swapped_names
from gecbench.corpus.corpus import Corpus
from gecbench.corpus.prepare import misplaced_references, warn_of_damage
from gecbench.errors import InputError, counted
from gecbench.formats.text import read_bytes
from gecbench.metrics.base import Statistics
from gecbench.metrics.gleu import GLEU, NORMAL_975
from gecbench.metrics.policy import Sampled

_EXAMPLES = """  gecbench compute_gleu -s source.txt -r ref0.txt ref1.txt -o a.txt b.txt
  gecbench compute_gleu -s source.txt -r ref0.txt ref1.txt -o system.txt -d
  gecbench compute_gleu --jfleg -s test.src -r test.ref? --hyp system.txt
"""
_ABOUT_N = "leave out n-grams longer than N, but still divide by 4, like the official script (default: 4)"
_OPTIONS = """
To list the options, run gecbench compute_gleu -h. To list the options of
JFLEG's gleu.py, run gecbench compute_gleu --jfleg -h.
"""
_JFLEG = "--jfleg"
_ORDERS = 4
_ONE_REFERENCE = "There is one reference. NOTE: GLEU is not computing the confidence interval."


class Spread(NamedTuple):
    """The mean, standard deviation and 95% interval of scores, as printed.

    The interval assumes a normal distribution.
    """

    mean: str
    deviation: str
    interval: str

    @classmethod
    def of(cls, scores: npt.NDArray[np.float64]) -> Spread:
        """Return the spread of scores, or NaN if there are no scores."""
        if not len(scores):
            return cls("nan", "nan", "(nan,nan)")
        mean, deviation = float(np.mean(scores)), float(np.std(scores))
        half = NORMAL_975 * deviation if deviation else np.nan
        return cls(f"{mean:f}", f"{deviation:f}", f"({mean - half:.3f},{mean + half:.3f})")


def add_parser(commands: Any, summary: str) -> None:
    """Add the command."""
    usage = f"[{_JFLEG}] -s FILE -r FILE ... -o FILE ... [options]"
    add_dropin(commands, "compute_gleu", summary, usage, _EXAMPLES + _OPTIONS, run)


def run(options: argparse.Namespace) -> None:
    """Score and print as the official scripts do."""
    jfleg = _JFLEG in options.words
    parser = _jfleg_parser() if jfleg else _parser()
    given = parser.parse_args([word for word in options.words if word != _JFLEG])
    if not given.reference or given.n < 0:
        problem = f"-n {given.n} is below 0" if given.reference else "no reference is given"
        raise InputError(problem, fix=None if given.reference else "Give at least one file with -r")
    source, *files = _read_all([given.source, *given.reference, *given.hypothesis], given.python)
    references, hypotheses = files[: len(given.reference)], files[len(given.reference) :]
    for path, lines in zip(given.reference, references, strict=True):
        if len(lines) != len(source):
            fix = "Give one line for each source sentence, in order"
            raise InputError(f"{counted(len(lines), 'line')}, but the source has {len(source)}", file=path, fix=fix)
    named = {"reference_files": tuple(given.reference)}
    corpus = Corpus(source, list(zip(*references, strict=True)), name=given.source, metadata=named)
    _warn_of_corpus(corpus, given)
    metric = GLEU(tokens="ascii" if given.python == "2" else "unicode")
    prepared = [prepare(corpus, lines, path) for path, lines in zip(given.hypothesis, hypotheses, strict=True)]
    for path, texts in zip(given.hypothesis, prepared, strict=True):
        statistics = metric.count(corpus, texts)
        for line in _jfleg_lines(given, path, statistics) if jfleg else _lines(given, path, statistics):
            print(line)


def _warn_of_corpus(corpus: Corpus, given: argparse.Namespace) -> None:
    for path, column in zip(given.reference, corpus.reference_columns(), strict=True):
        warn_of_damage(corpus.sources, column, path)
    hypothesis = "--hyp" if given.python == "3" else "-o"
    named = swapped_names(given.source, given.reference, given.hypothesis, hypothesis)
    for problem in [*named, *misplaced_references(corpus)]:
        warn_of_mixed_up(problem)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="gecbench compute_gleu",
        description="Compute GLEU like the official script compute_gleu.",
        epilog=f"examples:\n{_EXAMPLES}\nFor the options of JFLEG's gleu.py, run: gecbench compute_gleu {_JFLEG} -h",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("-r", "--reference", metavar="FILE", nargs="*", required=True, help="one file per reference")
    parser.add_argument("-s", "--source", metavar="FILE", required=True, help="source sentences")
    parser.add_argument(
        "-o", "--hypothesis", metavar="FILE", nargs="*", required=True, help="one file per system; - is standard input"
    )
    parser.add_argument("-n", metavar="N", type=int, default=_ORDERS, help=_ABOUT_N)
    parser.add_argument("-d", "--debug", action="store_true", help="also print sentence scores")
    parser.add_argument("--iter", metavar="N", type=int, default=500, help="random draws of references (default: 500)")
    parser.set_defaults(python="2")
    return parser


def _jfleg_parser() -> argparse.ArgumentParser:
    about = "Compute GLEU like JFLEG's gleu.py."
    parser = argparse.ArgumentParser(prog=f"gecbench compute_gleu {_JFLEG}", description=about)
    about = "one file per reference"
    parser.add_argument("--ref", "-r", metavar="FILE", nargs="*", required=True, dest="reference", help=about)
    parser.add_argument("--src", "-s", metavar="FILE", required=True, dest="source", help="source sentences")
    about = "one file per system; - is standard input"
    parser.add_argument("--hyp", metavar="FILE", nargs="*", required=True, dest="hypothesis", help=about)
    parser.add_argument("-n", metavar="N", type=int, default=_ORDERS, help=_ABOUT_N)
    parser.add_argument("--iter", metavar="N", type=int, default=500, help="random draws of references (default: 500)")
    parser.add_argument("--sent", action="store_true", help="print sentence scores instead of the corpus score")
    about = "draw references and split words as the script does in this Python version (default: 3)"
    parser.add_argument("--python", choices=("2", "3"), default="3", help=about)
    return parser


def _read_all(paths: Sequence[str], python: str) -> list[list[str]]:
    """Return the lines of files, read as in Python 2 or as in Python 3.

    Python 2 reads bytes in any encoding. Python 3 reads UTF-8 text, in which a carriage return also ends a line.
    """
    contents = {path: read_bytes(path) for path in paths}
    if python == "3":
        contents = {path: data.replace(b"\r\n", b"\n").replace(b"\r", b"\n") for path, data in contents.items()}
    try:
        texts = {path: data.decode() for path, data in contents.items()}
    except UnicodeDecodeError as error:
        if python == "3":
            path = next(path for path, data in contents.items() if data == error.object)
            fix = "Save the file as UTF-8, or add --python 2"
            raise InputError(f"is not UTF-8 ({error.reason})", file=path, fix=fix) from error
        texts = {path: data.decode("latin-1") for path, data in contents.items()}  # one character per byte
    return [texts[path].removesuffix("\n").split("\n") if texts[path] else [] for path in paths]


def _corpus_scores(given: argparse.Namespace, statistics: Statistics) -> npt.NDArray[np.float64]:
    """Return the score of every draw."""
    if given.iter < 1 and len(given.reference) > 1:
        return np.zeros(0)
    draws = Sampled(max(1, given.iter), "py2" if given.python == "2" else "py3")
    return _scores(draws.totals(statistics), given.n)


def _scores(totals: npt.NDArray[np.int64], order: int) -> npt.NDArray[np.float64]:
    """Return the score of each row of counts.

    As in the scripts, the sum of logarithms is always divided by 4, even with a smaller -n. `GLEU.values` is not used,
    because numpy's logarithm may differ in the last bit. The last bit matters, because the scripts print an interval
    only if the standard deviation of the scores is not exactly 0.
    """
    return np.array([_score(row[: 2 + 2 * order]) for row in totals.tolist()])


def _score(counts: Sequence[int]) -> float:
    if 0 in counts:
        return 0.0
    logarithms = 0.0
    for numerator, denominator in zip(counts[2::2], counts[3::2], strict=True):
        logarithms += math.log(numerator / denominator)
    return math.exp(min(0, 1 - counts[1] / counts[0]) + logarithms / _ORDERS)


def _sentences(statistics: Statistics, order: int) -> Iterator[Spread]:
    scores = _scores(np.maximum(statistics.counts, 1), order)
    for begin, end in zip(statistics.offsets[:-1], statistics.offsets[1:], strict=True):
        yield Spread.of(scores[begin:end])


def _lines(given: argparse.Namespace, path: str, statistics: Statistics) -> Iterator[str]:
    overall = Spread.of(_corpus_scores(given, statistics))
    if not given.debug:
        yield f"{Path(path).name} {overall.mean}"
        return
    yield from ("", "===== Sentence-level scores =====", "SID Mean Stdev 95%CI GLEU")
    for i, spread in enumerate(_sentences(statistics, _ORDERS)):
        yield " ".join((str(i), *spread))
    yield from ("", "==== Overall score =====", "Mean Stdev 95%CI GLEU", " ".join(overall))


def _jfleg_lines(given: argparse.Namespace, path: str, statistics: Statistics) -> Iterator[str]:
    if given.sent and given.n > _ORDERS:
        raise InputError(f"-n {given.n} is too large with --sent", fix=f"Use at most -n {_ORDERS}")
    spreads = _sentences(statistics, given.n) if given.sent else [Spread.of(_corpus_scores(given, statistics))]
    found = [list(spread) for spread in spreads]
    yield path
    if len(given.reference) > 1:
        yield str(found)
    else:
        yield from (_ONE_REFERENCE, found[0][0])
