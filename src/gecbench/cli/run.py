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
  gecbench run --model "cmd:python3 correct.py" -s source.txt -r ref0.txt ref1.txt -o outputs.txt --timeout 60
  gecbench run --model python:my_module:correct -c demo -m gleu bleu --resamples 1000
  gecbench run --model transformers:./my-model -c demo --prompt "Correct: {sentence}" --beams 5 --batch 8
  gecbench run --model endpoint:http://localhost:8000/v1 --name my-model -c jfleg:test --raw --prompt fluency
  gecbench run --model endpoint:https://router.huggingface.co/v1 --name OWNER/MODEL -c demo --raw --max-requests 50

models:
  cmd:COMMAND               run by the shell (sh, or cmd.exe on Windows; quote for it): it reads one sentence per
                            line and prints one line for each, and nothing else, on standard output
  python:MODULE:FUNCTION    from a string to a string, or from a list of strings to a list
  transformers:MODEL        a sequence-to-sequence or chat model, by folder or Hub name (extra: transformers)
  endpoint:URL              a served model (vLLM, llama.cpp, TGI, Ollama, Inference Providers, …), called --name there.
                            Its key comes from HF_TOKEN (Hugging Face), OPENAI_API_KEY (OpenAI), or --key-variable

prompts: minimal, fluency, few-shot, a file, or a text with {sentence} in it; the signature names it.

Outputs must be tokenized like the corpus. For raw text use --raw, or --tokenize. Outputs are saved to
OUTPUT.partial.jsonl as they come: after an error or a kill the same command continues. If you changed the model
meanwhile, start over with --restart. OUTPUT.run.json records how the outputs were made.
"""


def add_parser(commands: Any, summary: str) -> None:
    """Add the command."""
    parser = add_command(commands, "run", summary, _EXAMPLES, run)
    parser.add_argument("--model", metavar="MODEL", required=True, help="cmd:…, python:…, transformers:… or endpoint:…")
    add_corpus_options(parser, predictions=False)
    running = parser.add_argument_group("running the model")
    positive = partial(count, least=1)
    running.add_argument("--raw", action="store_true", help="send raw sentences, and tokenize the outputs (auto)")
    add_preprocessing_options(running)
    running.add_argument(
        "-o", "--output", metavar="FILE", help="the outputs, .txt or .jsonl (default: named by corpus and model)"
    )
    running.add_argument("--name", help="the system's name in the table; endpoint: the model's name on the server")
    running.add_argument("--batch", metavar="N", type=positive, help="sentences per call of the model (cmd: all)")
    running.add_argument("--restart", action="store_true", help="discard the outputs of a stopped run")
    about = "replace line breaks inside an output by blanks"
    running.add_argument("--flatten", dest="flatten_lines", action="store_true", help=about)
    about = "longest wait for a line (cmd) or a reply (endpoint, default: 120)"
    running.add_argument("--timeout", metavar="SECONDS", type=_seconds, help=about)
    about = "transformers, endpoint: name, file or text (endpoint: minimal)"
    running.add_argument("--prompt", metavar="PROMPT", help=about)
    running.add_argument("--beams", metavar="N", type=positive, help="transformers: beam search (default: greedy)")
    about = "longest reply in tokens (default: transformers 256, endpoint 1024)"
    running.add_argument("--max-new-tokens", metavar="N", type=positive, help=about)
    running.add_argument("--device", help="transformers: cpu, cuda, … (default: cuda if there is one)")
    _add_endpoint_options(parser.add_argument_group("served models (endpoint:)"))
    add_scoring_options(parser, resamples=0)


def _add_endpoint_options(served: Any) -> None:
    positive = partial(count, least=1)
    served.add_argument("--concurrency", metavar="N", type=positive, help="requests at the same time (default: 8)")
    served.add_argument(
        "--retries", metavar="N", type=count, help="send a failed request again up to N times (default: 6)"
    )
    about = "stop after N requests, resumed parts included"
    served.add_argument("--max-requests", metavar="N", type=positive, help=about)
    about = "send nothing more after N tokens, resumed parts included"
    served.add_argument("--max-tokens", metavar="N", type=positive, help=about)
    about = """further fields of each request, such as '{"top_p": 0.9}'; null leaves out temperature or max_tokens"""
    served.add_argument("--request", metavar="JSON", type=_json_object, help=about)
    served.add_argument("--key-variable", metavar="NAME", help="the environment variable that holds the key")


def run(options: argparse.Namespace) -> int:
    """Correct, write, score and print."""
    if options.raw and options.tokenize == "none":
        options.tokenize = "auto"
    metrics = metrics_of(options)
    corpus = read_corpus(options, metrics)
    _check_scoring(options, corpus, metrics)
    model = make_model(options.model, **_model_options(options))
    if options.model.startswith("endpoint:") and options.tokenize == "none":
        log_info("the model gets tokens and must answer with tokens; for raw text use --raw")
    output = options.output or default_output(model, corpus)
    check_not_overwriting(written_paths(Path(output)), corpus_files(options))
    try:
        outputs = correct(
            model, corpus, output, say=log_info, **pick(options, "raw", "batch", "restart", "flatten_lines")
        )
    except KeyboardInterrupt:
        if (partial_file := partial_path(Path(output))).exists():
            log_info(f"outputs so far are in {partial_file}; the same command continues")
        raise
    log_info(f"outputs are in {output}")
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
    """Check before the model runs that its corpus can be scored as asked."""
    first = corpus.select([0])
    prepared = Preprocessing(options.tokenize, tokenized=True).prepare(first, first.sources)
    score_prepared({"predictions": prepared}, metrics, 0, options.seed)


def _json_object(text: str) -> dict[str, Any]:
    try:
        fields = json.loads(text)
    except ValueError:
        fields = None
    if not isinstance(fields, dict):
        raise argparse.ArgumentTypeError("not a JSON object")
    return fields


def _seconds(text: str) -> float:
    try:
        seconds = float(plain_number(text))
    except ValueError:
        seconds = 0.0
    if not 0 < seconds < 1e9:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number of seconds above 0")
    return seconds
