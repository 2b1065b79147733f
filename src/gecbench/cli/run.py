"""`gecbench run`: correct a corpus with a model, then score the corrections."""

from __future__ import annotations

import argparse
import sys
from functools import partial
from typing import Any

from gecbench.api import score_system
from gecbench.cli.options import (
    add_command,
    add_corpus_options,
    add_intake_options,
    add_scoring_options,
    cleaned,
    compare_systems,
    count,
    pick,
    read_corpus,
)
from gecbench.corpus.corpus import Corpus
from gecbench.corpus.intake import Intake
from gecbench.models import correct, default_output, make_model

_EXAMPLES = """  gecbench run --model "cmd:sed 's/ a apple/ an apple/'" -c demo
  gecbench run --model "cmd:python3 correct.py" -s source.txt -r ref0.txt ref1.txt -o outputs.txt --timeout 60
  gecbench run --model python:my_module:correct -c demo -m gleu bleu --resamples 1000
  gecbench run --model transformers:./my-model -c demo --prompt "Correct: {sentence}" --beams 5 --batch 8

models:
  cmd:COMMAND               run by the shell (sh, or cmd.exe on Windows; quote for it): it reads one sentence per
                            line and prints one line for each, and nothing else, on standard output
  python:MODULE:FUNCTION    from a string to a string, or from a list of strings to a list
  transformers:MODEL        a sequence-to-sequence or chat model, by folder or Hub name (extra: transformers)

Outputs must be tokenised as the corpus is; for natural text use --raw, or --tokenize. They are kept in
OUTPUT.partial.jsonl as they come: after an error or a kill the same command goes on from there. If you changed the
model meanwhile, start again with --restart.
"""


def add_parser(commands: Any) -> None:
    """Add the command."""
    parser = add_command(commands, "run", "Correct a corpus with a model, and score it", _EXAMPLES, run)
    parser.add_argument("--model", metavar="MODEL", required=True, help="cmd:…, python:… or transformers:…")
    add_corpus_options(parser, predictions=False)
    running = parser.add_argument_group("running the model")
    positive = partial(count, least=1)
    running.add_argument(
        "--raw", action="store_true", help="send natural, detokenised sentences; tokenise what comes back (auto)"
    )
    add_intake_options(running)
    running.add_argument(
        "-o", "--output", metavar="FILE", help="the outputs, .txt or .jsonl (default: named by corpus and model)"
    )
    running.add_argument("--name", help="the system's name in the table")
    running.add_argument("--batch", metavar="N", type=positive, help="sentences handed over at once (cmd: all)")
    running.add_argument("--restart", action="store_true", help="discard the outputs of a stopped run")
    about = "make blanks of line breaks inside an output"
    running.add_argument("--flatten", dest="flatten_lines", action="store_true", help=about)
    running.add_argument("--timeout", metavar="SECONDS", type=_seconds, help="cmd: longest wait for a line")
    running.add_argument("--prompt", metavar="TEXT", help="transformers: text with {sentence} in it")
    running.add_argument("--beams", metavar="N", type=positive, help="transformers: beam search (default: greedy)")
    running.add_argument("--max-new-tokens", metavar="N", type=positive, help="transformers: at most (default: 256)")
    running.add_argument("--device", help="transformers: cpu, cuda, … (default: cuda where there is one)")
    add_scoring_options(parser, resamples=0)


def run(options: argparse.Namespace) -> None:
    """Correct, write, score and print."""
    if options.raw and options.tokenize == "none":
        options.tokenize = "auto"
    corpus = read_corpus(options)
    _check_scoring(options, corpus)
    model = make_model(options.model, **pick(options, "timeout", "prompt", "beams", "max_new_tokens", "device"))
    output = options.output or default_output(model, corpus)
    outputs = correct(model, corpus, output, say=_say, **pick(options, "raw", "batch", "restart", "flatten_lines"))
    _say(f"outputs are in {output}")
    report = compare_systems(options, {options.name or model.name: cleaned(outputs, corpus, output, options)}, corpus)
    print(report.render(options.format))


def _check_scoring(options: argparse.Namespace, corpus: Corpus) -> None:
    """Find out that the corpus cannot be scored so before the model runs, not after."""
    first = corpus.select([0])
    score_system(first.sources, first, options.metrics, 0, options.seed, "predictions", Intake(options.tokenize, True))


def _say(text: str) -> None:
    print(f"gecbench: {text}", file=sys.stderr)


def _seconds(text: str) -> float:
    try:
        seconds = float(text)
    except ValueError:
        seconds = 0.0
    if not 0 < seconds < 1e9:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number of seconds above 0")
    return seconds
