"""`transformers:MODEL`: a sequence-to-sequence or chat model of transformers."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from typing import Any, ClassVar

from gecbench.display import shorten
from gecbench.errors import InputError, MissingDependencyError, counted
from gecbench.models.base import Answer, Model, Outputs
from gecbench.models.prompts import find_prompt
from gecbench.models.replies import as_answer, count_outcomes, read_reply, summarize_outcomes


class PretrainedModel(Model):
    """A model in a folder or on the Hub, decoded without sampling.

    Code from its repository is never run. A sequence-to-sequence model gets only the sentence, unless you give a prompt
    (a name, a file or a text). A causal model gets the prompt (`minimal` by default) as a user message through its chat
    template. Replies are parsed like the replies of a served model. Blank sentences and sentences without an answer
    stay unchanged.
    """

    batch: ClassVar[int | None] = 16

    def __init__(
        self, text: str, prompt: str | None = None, beams: int = 1, max_new_tokens: int = 256, device: str | None = None
    ) -> None:
        super().__init__(text)
        self.prompt = None if prompt is None else find_prompt(prompt)
        self.beams, self.max_new_tokens, self.device = beams, max_new_tokens, device
        self._path = text.partition(":")[2]

    @property
    def name(self) -> str:
        """The last part of the model's path."""
        return self._path.rstrip("/").rpartition("/")[2] or self._path

    @property
    def options(self) -> Mapping[str, object]:
        """The prompt and the decoding settings."""
        prompt = self.prompt.text if self.prompt else None
        return {"prompt": prompt, "beams": self.beams, "max_new_tokens": self.max_new_tokens}

    @property
    def revision(self) -> str | None:
        """The commit of the model on the Hub, or None for a local folder."""
        commit = getattr(self._loaded[1].config, "_commit_hash", None)
        return None if commit is None else str(commit)

    def prepare(self) -> None:
        """Load the tokenizer and the weights."""
        _ = self._loaded

    def correct(self, sentences: Sequence[str], lines: Sequence[int]) -> Outputs:
        """Yield the outputs of each batch."""
        tokenizer, model, chat = self._loaded
        wanted = [k for k, sentence in enumerate(sentences) if sentence.strip()]
        try:
            written = self._generate(tokenizer, model, chat, [sentences[k] for k in wanted]) if wanted else []
        except (RuntimeError, ValueError, IndexError) as error:
            problem = f"failed on {counted(len(sentences), 'sentence')}: {shorten(str(error), 200)}"
            fix = "If memory ran out, use a smaller batch"
            raise self.failure(problem, lines[0], sentences[0], fix=fix) from error
        replies = dict(zip(wanted, written, strict=True))
        yield [_answer(line, replies.get(k), sentences[k]) for k, line in enumerate(lines)]

    def account(self, answers: Iterable[Answer]) -> Mapping[str, Any]:
        """Return the counts of outcomes and cleaning rules."""
        return count_outcomes(answers)

    def summarize(self, account: Mapping[str, Any]) -> Sequence[str]:
        """Return the counts of outcomes as lines of text."""
        return summarize_outcomes(account)

    def _generate(self, tokenizer: Any, model: Any, chat: bool, sentences: list[str]) -> list[str]:
        prompts = [self.prompt.fill(sentence) if self.prompt else sentence for sentence in sentences]
        settings = {"do_sample": False, "num_beams": self.beams, "max_new_tokens": self.max_new_tokens}
        return generate_replies(model, tokenizer, prompts, chat=chat, **settings)

    @cached_property
    def _loaded(self) -> tuple[Any, Any, bool]:
        try:
            import torch  # noqa: F401
            import transformers
        except ImportError as error:
            problem = f"{self.text} needs {error.name}. Install it: pip install 'gecbench[transformers]'"
            raise MissingDependencyError(problem) from error
        try:
            return self._load_from(transformers)
        except InputError:
            raise
        except (OSError, ValueError, KeyError, ImportError) as error:
            problem = f"cannot load {self._path}: {shorten(str(error), 300)}"
            fix = "Give a folder with a saved model, or the name of a model on the Hub"
            raise InputError(problem, fix=fix) from error

    def _load_from(self, transformers: Any) -> tuple[Any, Any, bool]:
        safe = {"trust_remote_code": False}
        config = transformers.AutoConfig.from_pretrained(self._path, **safe)
        chat = not config.is_encoder_decoder
        tokenizer = transformers.AutoTokenizer.from_pretrained(
            self._path, **safe, **({"padding_side": "left"} if chat else {})
        )
        if chat and not tokenizer.chat_template:
            fix = "Give a sequence-to-sequence or chat model, or wrap this one in a function: python:module:function"
            raise InputError(f"{self._path} is a causal model without a chat template", fix=fix)
        if tokenizer.pad_token is None:
            tokenizer.pad_token = tokenizer.eos_token
        kind = transformers.AutoModelForCausalLM if chat else transformers.AutoModelForSeq2SeqLM
        model = kind.from_pretrained(self._path, **safe).eval()
        if chat and self.prompt is None:
            self.prompt = find_prompt("minimal")
        return tokenizer, model.to(self.device or _best_device()), chat


def generate_replies(model: Any, tokenizer: Any, prompts: Sequence[str], *, chat: bool, **settings: Any) -> list[str]:
    """Return the text that a model generates after each prompt.

    With `chat`, the chat template of the tokenizer is applied. The tokenizer of a causal model must pad on the left.
    """
    import torch

    if chat:
        turns = [[{"role": "user", "content": prompt}] for prompt in prompts]
        prompts = [tokenizer.apply_chat_template(turn, tokenize=False, add_generation_prompt=True) for turn in turns]
    encoded = tokenizer(list(prompts), return_tensors="pt", padding=True, add_special_tokens=not chat)
    encoded.pop("token_type_ids", None)
    encoded = encoded.to(model.device)
    with torch.no_grad():
        written = model.generate(**encoded, **settings)
    start = 0 if model.config.is_encoder_decoder else encoded["input_ids"].shape[1]
    texts: list[str] = tokenizer.batch_decode(
        written[:, start:], skip_special_tokens=True, clean_up_tokenization_spaces=False
    )
    return texts


def _answer(line: int, reply: str | None, source: str) -> Answer:
    if reply is None:
        return Answer(line, source)
    return as_answer(line, reply, read_reply(reply, source))


def _best_device() -> str:
    import torch

    return "cuda" if torch.cuda.is_available() else "cpu"
