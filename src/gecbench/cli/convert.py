"""`gecbench convert`: convert between text, M2, I-measure XML and JSON Lines."""

from __future__ import annotations

import argparse
from typing import Any

from gecbench.cli.options import add_command, check_one_given, count, read_parallel_text
from gecbench.corpora.load import CORPUS_FILES, read_file
from gecbench.corpus.corpus import Corpus
from gecbench.corpus.derive import derive_groups, derive_references, ungroup, with_references
from gecbench.display import log_info
from gecbench.errors import InputError, counted
from gecbench.formats.imeasure_xml import write_imeasure_xml
from gecbench.formats.jsonl import write_jsonl
from gecbench.formats.m2 import write_m2
from gecbench.formats.tables import write_parallel
from gecbench.formats.text import STANDARD_INPUT, check_files, check_not_overwriting, write_lines

_EXAMPLES = """  gecbench convert gold.m2 -o corpus.jsonl
  gecbench convert gold.m2 --to-source source.txt --to-references r0.txt r1.txt
  gecbench convert gold.m2 --annotator 0 -o -     (annotator 0's corrected text)
  gecbench convert corpus.jsonl -o gold.m2        (if the corpus has edits)
  gecbench convert gold.m2 -o gold.xml            (for the official I-measure)
  gecbench convert -s source.txt -r ref0.txt ref1.txt -o corpus.jsonl
"""


def add_parser(commands: Any, summary: str) -> None:
    """Add the command."""
    parser = add_command(commands, "convert", summary, _EXAMPLES, run)
    parser.add_argument("input", metavar="FILE", nargs="?", help="input: M2, .xml or .jsonl")
    parser.add_argument("-s", "--source", metavar="FILE", help="input: source sentences")
    parser.add_argument("-r", "--references", metavar="FILE", nargs="+", help="input: one file per reference")
    parser.add_argument("-o", "--output", metavar="FILE", help="output: .m2, .xml or .jsonl, or text with --annotator")
    parser.add_argument("--to-source", metavar="FILE", help="output: source sentences")
    parser.add_argument("--to-references", metavar="FILE", nargs="+", help="output: one file per reference")
    parser.add_argument("--annotator", metavar="N", type=count, help="write the text corrected by annotator N (from 0)")


def run(options: argparse.Namespace) -> None:
    """Read one format and write another."""
    outputs = (options.output, options.to_source, *(options.to_references or ()))
    check_not_overwriting(outputs, (options.input, options.source, *(options.references or ())))
    corpus = _read(options)
    if bool(options.to_source) != bool(options.to_references):
        fix = "Give the source file and one file per reference"
        raise InputError("--to-source and --to-references must be given together", fix=fix)
    check_one_given("output", (options.output, options.to_source), "Give -o FILE, or --to-source and --to-references")
    if options.to_source:
        write_parallel(with_references(corpus), options.to_source, options.to_references)
    else:
        _write(corpus, options.output, options.annotator)


def _read(options: argparse.Namespace) -> Corpus:
    if bool(options.source) != bool(options.references):
        raise InputError("-s and -r must be given together", fix="Give the source file and at least one reference file")
    ways = (options.input, options.source)
    check_one_given("input", ways, "Give an .m2, .xml or .jsonl file, or -s and -r")
    if options.source:
        return read_parallel_text(options.source, options.references)
    check_files([options.input])
    return read_file(options.input)


def _write(corpus: Corpus, path: str, annotator: int | None) -> None:
    kind = path.removesuffix(".gz")
    if annotator is not None and kind.endswith(CORPUS_FILES):
        fix = "Choose a file name that ends in .txt"
        raise InputError("--annotator can write only plain text", file=path, fix=fix)
    if annotator is not None:
        write_lines(path, _annotator_text(_with_annotations(corpus), annotator))
    elif kind.endswith(".m2"):
        write_m2(_with_annotations(corpus), path)
    elif kind.endswith(".xml"):
        write_imeasure_xml(derive_groups(corpus), path)
    elif kind.endswith(".jsonl"):
        write_jsonl(with_references(corpus), path)
    else:
        fix = "Use the extension .m2, .xml or .jsonl; for text use --annotator N, or --to-source and --to-references"
        raise InputError(
            "unknown output format",
            file="standard output" if path == STANDARD_INPUT else path,
            fix=fix,
        )


def _with_annotations(corpus: Corpus) -> Corpus:
    return ungroup(corpus) if corpus.annotations is None and corpus.groups is not None else corpus


def _annotator_text(corpus: Corpus, annotator: int) -> list[str]:
    if corpus.annotations is None:
        raise InputError(f"{corpus.name} has no annotators", fix="Leave out --annotator")
    known = sorted({annotation.annotator for sentence in corpus.annotations for annotation in sentence})
    if annotator not in known:
        fix = f"Choose one of {', '.join(map(str, known))}"
        raise InputError(f"{corpus.name} has no annotator {annotator}", fix=fix)
    chosen = [[found for found in sentence if found.annotator == annotator] for sentence in corpus.annotations]
    missing = [i for i, sentence in enumerate(corpus.annotations) if sentence and not chosen[i]]
    for i in missing:  # CoNLL-14's combined file leaves out annotators with the same edits as the first annotator
        chosen[i] = [min(corpus.annotations[i], key=lambda found: found.annotator)]
    if missing:
        left_out = f"annotator {annotator} left out {counted(len(missing), 'sentence')} that others annotated"
        log_info(f"{left_out}. There, the first annotator's edits are used")
    alone = Corpus(sources=corpus.sources, annotations=chosen, name=corpus.name)
    return [texts[0] for texts in derive_references(alone).references or ()]
