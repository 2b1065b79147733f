"""Generate and score during training, with a callback for transformers and TRL."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from gecbench.corpora.load import CorpusLike
from gecbench.corpus.prepare import check_corpus
from gecbench.corpus.tokenize import detokenize
from gecbench.errors import MissingDependencyError
from gecbench.huggingface.accumulator import Accumulator, all_gather
from gecbench.huggingface.training import training_numbers
from gecbench.metrics.base import Metrics
from gecbench.models.base import flatten
from gecbench.models.pretrained import generate_replies
from gecbench.models.prompts import find_prompt
from gecbench.models.replies import UNANSWERED, read_reply

try:
    from transformers import TrainerCallback
except ImportError:
    TrainerCallback = object
_GREEDY = {"do_sample": False, "num_beams": 1, "max_new_tokens": 256}
_RUNTIME = "_runtime"  # an evaluation logs its duration as <prefix>_runtime


class GenerateAndScore(TrainerCallback):  # type: ignore[misc]
    """Correct a corpus at every evaluation, and add scores to the trainer's metrics.

    This callback works for causal and sequence-to-sequence models. The scores have the names that `compute_metrics`
    uses, with the prefix of the trainer (`eval_gleu`, `eval_empty`, `eval_unrelated`, …). They are added before the
    best model is selected, so you can set `metric_for_best_model="gleu"`, also for `EarlyStoppingCallback`. With
    several processes, each process generates its share, and one of them computes the scores.

    Args:
        corpus: A `Corpus`, a name such as "jfleg:validation", a file or rows.
        metrics: Names of metrics, with parameters in parentheses if any, or metric objects.
        prompt: The name of a prompt ("minimal", "fluency", "few-shot"), a file, or a text with `{sentence}` in it. By
            default, a causal model gets "minimal", and a sequence-to-sequence model gets only the sentence. With a chat
            template, the prompt is the user's message.
        generation: Options of `model.generate`. By default, decoding is greedy with at most 256 new tokens.
        batch: The number of sentences per batch. By default the trainer's `per_device_eval_batch_size`.
        raw: Give the model raw, detokenized sentences. Use False if it is trained on tokenized sentences.
        tokenize: How to tokenize outputs: "auto" (as the corpus is tokenized), "none", or the name of a tokenizer.
        log: A function that is called with the numbers of each evaluation. The trainer prints and keeps them anyway.
            Pass `trainer.log` to send them to loggers such as Weights & Biases.

    Raises:
        InputError: The corpus, a metric or the prompt is unknown.
        gecbench.errors.MissingDependencyError: transformers is not installed.
        gecbench.errors.UpstreamError: A named corpus cannot be downloaded.

    >>> scores = GenerateAndScore("jfleg:validation", ["gleu"], prompt="minimal")  # doctest: +SKIP
    >>> trainer = trl.SFTTrainer(model, args, callbacks=[scores])  # doctest: +SKIP
    """

    def __init__(
        self,
        corpus: CorpusLike,
        metrics: Metrics = ("gleu",),
        *,
        prompt: str | None = None,
        generation: Mapping[str, Any] | None = None,
        batch: int | None = None,
        raw: bool = True,
        tokenize: str = "auto",
        log: Callable[[dict[str, float]], object] | None = None,
    ) -> None:
        if TrainerCallback is object:
            problem = "GenerateAndScore needs transformers. Install it: pip install 'gecbench[transformers]'"
            raise MissingDependencyError(problem)
        self.total = Accumulator(corpus, metrics, tokenize=tokenize)
        check_corpus(self.total.corpus)
        self.sentences = detokenize(self.total.corpus.sources) if raw else list(self.total.corpus.sources)
        self.prompt = None if prompt is None else find_prompt(prompt)
        self.generation = {**_GREEDY, **(generation or {})}
        self.batch, self.log = batch, log
        self._numbers: dict[str, float] = {}

    def on_log(self, args: Any, state: Any, control: Any, logs: dict[str, float] | None = None, **given: Any) -> None:
        """Add the scores to the numbers of an evaluation when the trainer logs them."""
        logs = {} if logs is None else logs
        prefix = next((key.removesuffix(_RUNTIME) for key in logs if key.endswith(_RUNTIME)), "train")
        if prefix == "train":
            return
        found = self.evaluate(given["model"], _tokenizer(given), args)
        self._numbers = {f"{prefix}_{name}": value for name, value in found.items()}
        logs.update(self._numbers)
        if state.log_history:
            state.log_history[-1].update(self._numbers)
        if self.log is not None:
            self.log(dict(self._numbers))

    def on_evaluate(self, args: Any, state: Any, control: Any, metrics: dict[str, float], **given: Any) -> None:
        """Add the scores to `metrics` too.

        This is needed because some trainers give `on_log` only a copy of `metrics`.
        """
        metrics.update(self._numbers)

    def evaluate(self, model: Any, tokenizer: Any, args: Any = None) -> dict[str, float]:
        """Return the scores of a model, the same on all processes.

        Args:
            model: A `transformers` model.
            tokenizer: The tokenizer of the model.
            args: The arguments of the trainer, which contain the number of this process, the number of processes and
                the batch size. None means a single process and, without `batch`, 16 sentences per batch.
        """
        rank, processes = (0, 1) if args is None else (args.process_index, args.world_size)
        batch = self.batch or (16 if args is None else args.per_device_eval_batch_size)
        size = len(self.sentences)
        # all processes take the same number of steps, or sharded models would wait forever, so some sentences repeat
        share = [place % size for place in range(rank, -(-size // processes) * processes, processes)]
        self.total.reset()
        with _ready_to_generate(model, tokenizer):
            for begin in range(0, len(share), batch):
                places = share[begin : begin + batch]
                self.total.update(places, self._correct(model, tokenizer, [self.sentences[i] for i in places]))
        self.total.gather()
        numbers = training_numbers(self.total.prepare, self.total.metrics) if rank == 0 else {}
        shared: dict[str, float] = all_gather(numbers)[0]
        return shared

    def _correct(self, model: Any, tokenizer: Any, sentences: Sequence[str]) -> list[str]:
        causal = not model.config.is_encoder_decoder
        prompt = find_prompt("minimal") if causal and self.prompt is None else self.prompt
        prompts = [prompt.fill(sentence) if prompt else sentence for sentence in sentences]
        chat = causal and bool(getattr(tokenizer, "chat_template", None))
        replies = generate_replies(model, tokenizer, prompts, chat=chat, **self.generation)
        return [_text(reply, sentence) for reply, sentence in zip(replies, sentences, strict=True)]


def _text(reply: str, sentence: str) -> str:
    """Return the correction in a reply, or else the whole reply.

    Without a correction, the unchanged source would score too well.
    """
    reading = read_reply(reply, sentence)
    return flatten(reply).strip() if reading.outcome in UNANSWERED else reading.text


def _tokenizer(given: Mapping[str, Any]) -> Any:
    """Return the tokenizer of a trainer, which may be inside its processor."""
    found = given.get("processing_class") or given.get("tokenizer")
    if found is None:
        raise MissingDependencyError("the trainer has no tokenizer. Pass processing_class=tokenizer to the trainer")
    return getattr(found, "tokenizer", found)


@contextmanager
def _ready_to_generate(model: Any, tokenizer: Any) -> Iterator[None]:
    """Switch to evaluation mode and left padding, then restore model and tokenizer."""
    training, side, pad = model.training, tokenizer.padding_side, tokenizer.pad_token
    model.eval()
    if not model.config.is_encoder_decoder:
        tokenizer.padding_side = "left"
    if pad is None:
        tokenizer.pad_token = tokenizer.eos_token
    try:
        yield
    finally:
        model.train(training)
        tokenizer.padding_side = side
        tokenizer.pad_token = pad
