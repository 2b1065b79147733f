"""`gecbench tokenize`: split raw text into tokens, by a named tokenizer or as a corpus does."""

from __future__ import annotations

import argparse
from typing import Any

from gecbench.cli.options import add_command, corpus_files
from gecbench.corpora.load import resolve_corpus
from gecbench.corpus.corpus import Corpus
from gecbench.corpus.prepare import tokenize_like
from gecbench.corpus.tokenize import TOKENIZERS, tokenize
from gecbench.errors import InputError
from gecbench.formats.tables import parse_predictions
from gecbench.formats.text import STANDARD_INPUT, check_not_overwriting, read_bytes, read_lines, write_lines

_EXAMPLES = """  gecbench tokenize raw.txt -c jfleg:test -o tokenized.txt    (as the corpus does, guided by its sources)
  gecbench tokenize raw.txt -s source.txt                     (the same, with a tokenized source file)
  gecbench tokenize raw.txt -t moses
"""


def add_parser(commands: Any, summary: str) -> None:
    """Add the command."""
    parser = add_command(commands, "tokenize", summary, _EXAMPLES, run)
    parser.add_argument(
        "file", metavar="FILE", nargs="?", default=STANDARD_INPUT, help="raw text (default: standard input)"
    )
    parser.add_argument("-t", "--tokenizer", choices=tuple(TOKENIZERS), help="without a corpus (default: treebank)")
    parser.add_argument("-c", "--corpus", metavar="NAME|FILE", help="split as this corpus does")
    parser.add_argument("-s", "--source", metavar="FILE", help="split as these tokenized sources, one per line")
    parser.add_argument(
        "-o", "--output", metavar="FILE", default=STANDARD_INPUT, help="tokenized text (default: standard output)"
    )


def run(options: argparse.Namespace) -> None:
    """Tokenize and write."""
    if sum(map(bool, (options.tokenizer, options.corpus, options.source))) > 1:
        raise InputError("more than one way to tokenize", fix="Give one of -t, -c and -s")
    check_not_overwriting([options.output], [options.file, *corpus_files(options)])
    if not options.corpus and not options.source:
        write_lines(options.output, tokenize(read_lines(options.file), options.tokenizer or "treebank"))
        return
    data = read_bytes(options.file)
    corpus = resolve_corpus(options.corpus) if options.corpus else Corpus(sources=read_lines(options.source))
    lines = parse_predictions(data, options.file, corpus)
    write_lines(options.output, tokenize_like(lines, corpus))
