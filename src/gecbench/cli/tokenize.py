"""`gecbench tokenize`: split raw text into tokens.

It uses a named tokenizer, or follows the tokenization of a corpus.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from gecbench.cli.options import add_command, corpus_files
from gecbench.corpora.load import resolve_corpus
from gecbench.corpus.corpus import Corpus
from gecbench.corpus.prepare import tokenize_like
from gecbench.corpus.tokenize import TOKENIZERS, tokenize
from gecbench.errors import InputError
from gecbench.formats.tables import ENDINGS, USE_PLAIN_TEXT, check_not_m2, parse_predictions, read_plain_text
from gecbench.formats.text import STANDARD_INPUT, check_not_overwriting, read_bytes, split_lines, write_lines

_EXAMPLES = """  gecbench tokenize raw.txt -c jfleg:test -o tokenized.txt
  gecbench tokenize raw.txt -s source.txt
  gecbench tokenize raw.txt -t moses
"""


def add_parser(commands: Any, summary: str) -> None:
    """Add the command."""
    parser = add_command(commands, "tokenize", summary, _EXAMPLES, run)
    about = "raw text, one sentence per line (default: standard input)"
    parser.add_argument("file", metavar="FILE", nargs="?", default=STANDARD_INPUT, help=about)
    about = "tokenizer to use without -c or -s: %(choices)s (default: treebank)"
    parser.add_argument("-t", "--tokenizer", metavar="NAME", choices=tuple(TOKENIZERS), help=about)
    about = "follow the tokenization of this corpus; line N must be a correction of sentence N"
    parser.add_argument("-c", "--corpus", metavar="NAME|FILE", help=about)
    about = "follow the tokenization of these sources, one per line, in the same order"
    parser.add_argument("-s", "--source", metavar="FILE", help=about)
    about = "file to write (default: standard output)"
    parser.add_argument("-o", "--output", metavar="FILE", default=STANDARD_INPUT, help=about)


def run(options: argparse.Namespace) -> None:
    """Tokenize and write."""
    if sum(map(bool, (options.tokenizer, options.corpus, options.source))) > 1:
        raise InputError("-t, -c and -s cannot be combined", fix="Give one of them")
    check_not_overwriting([options.output], [options.file, *corpus_files(options)])
    if not options.corpus and not options.source:
        write_lines(options.output, tokenize(read_plain_text(options.file), options.tokenizer or "treebank"))
        return
    data = read_bytes(options.file)
    if not options.file.removesuffix(".gz").lower().endswith(ENDINGS):
        check_not_m2(split_lines(data, options.file), options.file, USE_PLAIN_TEXT)
    if options.corpus:
        corpus = resolve_corpus(options.corpus)
    else:
        corpus = Corpus(sources=read_plain_text(options.source), name=Path(options.source).name)
    lines = parse_predictions(data, options.file, corpus)
    write_lines(options.output, tokenize_like(lines, corpus))
