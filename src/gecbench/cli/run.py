"""`gecbench run`: correct a corpus with a model, then score the corrections."""

from __future__ import annotations

import argparse
import json
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Any

from gecbench.api import compare_prepared, score_prepared
from gecbench.cli.options import (
    add_command,
    add_corpus_options,
    add_preprocessing_options,
    add_scoring_options,
    cleaned,
    corpus_files,
    count,
    metrics_of,
    pick,
    preprocessing_of,
    print_report,
    read_corpus,
)
from gecbench.corpus.corpus import Corpus
from gecbench.corpus.prepare import Preprocessing
from gecbench.display import log_info
from gecbench.errors import plain_number
from gecbench.formats.text import check_not_overwriting
from gecbench.metrics.base import Metric
from gecbench.models import correct, default_output, make_model, partial_path, written_paths

_EXAMPLES = """  gecbench run --model "cmd:sed 's/ a apple/ an apple/'" -c demo
  gecbench run --model "cmd:python3 correct.py" -s source.txt -r ref.txt
  gecbench run --model python:my_module:correct -c demo -m gleu bleu
  gecbench run --model transformers:./my-model -c demo --beams 5 --batch 8 \\
      --prompt "Correct: {sentence}"
  gecbench run --model endpoint:http://localhost:8000/v1 --name my-model \\
      -c jfleg:test --raw --prompt fluency
  gecbench run --model endpoint:https://router.huggingface.co/v1 \\
      --name OWNER/MODEL -c demo --raw --max-requests 50

models:
  cmd:COMMAND             a shell command (for sh, or cmd.exe on Windows) that
                          reads one sentence per line from standard input and
                          prints one line for each sentence
  python:MODULE:FUNCTION  a function from a string to a string, or from a list
                          of strings to a list
  transformers:MODEL      a sequence-to-sequence or chat model: a folder or a
                          Hub name (needs gecbench[transformers])
  endpoint:URL            a served model (vLLM, llama.cpp, TGI, Ollama,
                          Inference Providers, …). Give the name of the model
                          on the server with --name.
                          The API key is read from HF_TOKEN (Hugging Face),
                          OPENAI_API_KEY (OpenAI) or --key-variable.

prompts:
  minimal, fluency, few-shot, a file, or a text that contains {sentence}. The
  signature of the score names the prompt.

Outputs must be tokenized like the corpus. If your model writes raw text, use
--raw or --tokenize.

Outputs are saved in OUTPUT.partial.jsonl as they arrive. Run the same command
again to resume an interrupted run. If you have changed the model since then,
add --restart. OUTPUT.run.json records the model, the corpus and the options.
"""


def add_parser(commands: Any, summary: str) -> None:
    """Add the command."""
    parser = add_command(commands, "run", summary, _EXAMPLES, run)
    about = "cmd:…, python:…, transformers:… or endpoint:… (see below)"
    parser.add_argument("--model", metavar="MODEL", required=True, help=about)
    add_corpus_options(parser, predictions=False)
    running = parser.add_argument_group("running the model")
    positive = partial(count, least=1)
    running.add_argument(
        "--raw", action="store_true", help="send raw, detokenized sentences and use --tokenize auto for the outputs"
    )
    add_preprocessing_options(running)
    running.add_argument(
        "-o",
        "--output",
        metavar="FILE",
        help="file for the outputs, .txt or .jsonl (default: a file named after the corpus and the model)",
    )
    running.add_argument("--name", help="the system's name in the table; for endpoint: the model's name on the server")
    about = "sentences per batch (default: 32 for python, 16 for transformers, all for cmd and endpoint)"
    running.add_argument("--batch", metavar="N", type=positive, help=about)
    running.add_argument("--restart", action="store_true", help="discard the saved outputs of an interrupted run")
    about = "replace line breaks inside an output with spaces"
    running.add_argument("--flatten", dest="flatten_lines", action="store_true", help=about)
    about = "longest wait for an output line of cmd (default: no limit) or a reply of endpoint (default: 120)"
    running.add_argument("--timeout", metavar="SECONDS", type=_seconds, help=about)
    about = "for transformers and endpoint: a prompt's name, file or text (default for chat models: minimal)"
    running.add_argument("--prompt", metavar="PROMPT", help=about)
    about = "for transformers: number of beams (default: greedy decoding)"
    running.add_argument("--beams", metavar="N", type=positive, help=about)
    about = "longest output in tokens (default: 256 for transformers, 1024 for endpoint)"
    running.add_argument("--max-new-tokens", metavar="N", type=positive, help=about)
    running.add_argument("--device", help="for transformers: cpu, cuda, … (default: cuda if available)")
    _add_endpoint_options(parser.add_argument_group("served models (endpoint:)"))
    add_scoring_options(parser, resamples=0)


def _add_endpoint_options(served: Any) -> None:
    positive = partial(count, least=1)
    served.add_argument("--concurrency", metavar="N", type=positive, help="parallel requests (default: 8)")
    served.add_argument("--retries", metavar="N", type=count, help="retries of a failed request (default: 6)")
    about = "stop the run after this many requests; a resumed run counts earlier requests"
    served.add_argument("--max-requests", metavar="N", type=positive, help=about)
    about = "send no more requests after this many tokens; a resumed run counts earlier tokens"
    served.add_argument("--max-tokens", metavar="N", type=positive, help=about)
    about = (
        """extra fields of each request, such as '{"top_p": 0.9}'; """
        "a field that you set to null, such as temperature, is not sent"
    )
    served.add_argument("--request", metavar="JSON", type=_json_object, help=about)
    served.add_argument("--key-variable", metavar="NAME", help="environment variable with the API key")


def run(options: argparse.Namespace) -> int:
    """Correct the corpus, write the outputs, and print their scores."""
    if options.raw and options.tokenize == "none":
        options.tokenize = "auto"
    metrics = metrics_of(options)
    corpus = read_corpus(options, metrics)
    _check_scoring(options, corpus, metrics)
    model = make_model(options.model, **_model_options(options))
    if options.model.startswith("endpoint:") and options.tokenize == "none":
        log_info("the model receives tokenized text and must reply with tokenized text. Use --raw for raw text")
    output = options.output or default_output(model, corpus)
    check_not_overwriting(written_paths(Path(output)), corpus_files(options))
    try:
        outputs = correct(
            model, corpus, output, say=log_info, **pick(options, "raw", "batch", "restart", "flatten_lines")
        )
    except KeyboardInterrupt:
        if (partial_file := partial_path(Path(output))).exists():
            log_info(f"the outputs so far are in {partial_file}. Run the same command again to resume")
        raise
    log_info(f"the outputs are in {output}")
    name, preprocessing = options.name or model.name, Preprocessing(**preprocessing_of(options), paired=True)
    prepared = preprocessing.prepare(corpus, cleaned(outputs, corpus, output, options), f"predictions of {name}")
    report = compare_prepared({name: prepared}, metrics, **pick(options, "resamples", "seed"))
    if model.prompt:
        report = report.with_field("prompt", model.prompt.label)
    return print_report(report, options)


def _model_options(options: argparse.Namespace) -> dict[str, Any]:
    given = pick(options, "timeout", "prompt", "beams", "max_new_tokens", "device")
    served = pick(options, "concurrency", "retries", "max_requests", "max_tokens", "request", "key_variable")
    name = pick(options, "name") if options.model.startswith("endpoint:") else {}
    return {**given, **served, **name}


def _check_scoring(options: argparse.Namespace, corpus: Corpus, metrics: Mapping[str, Metric]) -> None:
    """Check that the corpus can be scored with these metrics, before the model runs."""
    first = corpus.select([0])
    prepared = Preprocessing(options.tokenize, tokenized=True).prepare(first, first.sources)
    score_prepared({"predictions": prepared}, metrics, 0, options.seed)


def _json_object(text: str) -> dict[str, Any]:
    try:
        fields = json.loads(text)
    except ValueError:
        fields = None
    if not isinstance(fields, dict):
        raise argparse.ArgumentTypeError(f"{text!r} is not a JSON object")
    return fields


def _seconds(text: str) -> float:
    try:
        seconds = float(plain_number(text))
    except ValueError:
        seconds = 0.0
    if not 0 < seconds < 1e9:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number of seconds above 0")
    return seconds
