"""`endpoint:URL`: a served model behind any OpenAI-compatible address: vLLM, llama.cpp, TGI, Ollama, providers."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterable, Mapping, Sequence
from contextlib import closing
from typing import Any, ClassVar
from urllib.parse import urlsplit

from gecbench.errors import InputError
from gecbench.models.base import Answer, Model, Outputs, shorten
from gecbench.models.client import Client, Reply, check_client
from gecbench.models.outcomes import as_answer, count_outcomes, tell_outcomes
from gecbench.models.prompts import find_prompt
from gecbench.models.replies import Reading, read_reply
from gecbench.models.service import Budget, Service, ServiceError

_KEYS = {"HF_TOKEN": (".huggingface.co", ".huggingface.cloud", ".hf.space"), "OPENAI_API_KEY": (".openai.com",)}
_FIXED_FIELDS = ("model", "messages", "stream")
_SECRET_FIELD = re.compile(r'"[^"]*(?:api.?key|access.?token|authorization|password|secret)[^"]*":', re.IGNORECASE)


class EndpointModel(Model):
    """A model that a server offers by name, asked with a prompt, several sentences at a time.

    A sentence that is refused, or answered with nothing or with far too much, stays as it is, and is counted. So does a
    blank one, which is not sent. The key is read from the environment; without `key_variable` Hugging Face's servers
    get HF_TOKEN, OpenAI's OPENAI_API_KEY, and all others none.
    """

    batch: ClassVar[int | None] = None

    def __init__(
        self,
        text: str,
        name: str | None = None,
        prompt: str = "minimal",
        *,
        concurrency: int = 8,
        timeout: float = 120.0,
        retries: int = 6,
        max_new_tokens: int = 1024,
        request: Mapping[str, Any] | None = None,
        max_requests: int | None = None,
        max_tokens: int | None = None,
        key_variable: str | None = None,
    ) -> None:
        super().__init__(text)
        if not name:
            raise InputError(f"{text} has no name", fix="Give the name that the server knows it by: --name MODEL")
        if concurrency < 1 or retries < 0 or not timeout > 0:
            raise InputError(f"concurrency={concurrency}, retries={retries}, timeout={timeout} cannot be")
        url = _address(text.partition(":")[2])
        self.prompt = self._prompt = find_prompt(prompt)
        fields = {"temperature": 0, "max_tokens": max_new_tokens, **(request or {})}
        self.request = {field: value for field, value in fields.items() if value is not None}
        self._name = name
        key = _key(url, key_variable)
        self._check(request or {}, key)
        client = Client(url, name, key, self.request, timeout)
        self._service = Service(client, concurrency, retries, Budget(max_requests, max_tokens))

    @property
    def name(self) -> str:
        """The name that the server knows it by."""
        return self._name

    @property
    def options(self) -> Mapping[str, object]:
        """Name, prompt and request; the key never."""
        return {"name": self._name, "prompt": self._prompt.text, "request": self.request}

    def _check(self, request: Mapping[str, Any], key: str | None) -> None:
        """Refuse fields that would contradict the record, and a key in what the record shows."""
        if changed := [name for name in _FIXED_FIELDS if name in request]:
            fix = "Name the model with --name, and what it is asked with --prompt"
            raise InputError(f"the request cannot change {changed[0]!r}", fix=fix)
        shown = json.dumps([self.text, dict(self.options)])
        if _SECRET_FIELD.search(json.dumps(request)) or (key and json.dumps(key)[1:-1] in shown):
            fix = "Give the name of an environment variable that holds it: --key-variable NAME"
            raise InputError("a key stands in the address, the name, the prompt or the request", fix=fix)

    def prepare(self) -> None:
        """Find out whether the client is there."""
        check_client()

    def resume(self, answers: Iterable[Answer]) -> None:
        """Count what the earlier part of the run has cost."""
        budget = self._service.budget
        for answer in answers:
            budget.requests += answer.facts.get("requests", 0)
            budget.tokens += sum(answer.facts.get("tokens", ()))

    def correct(self, sentences: Sequence[str], lines: Sequence[int]) -> Outputs:
        """Yield each answer as it comes."""
        asked = [number for number, sentence in enumerate(sentences) if sentence.strip()]
        prompts = [self._prompt.fill(sentences[number]) for number in asked]
        try:
            with closing(self._service.ask(prompts)) as replies:
                for reply in replies:
                    number = asked[reply.number]
                    yield [_answer(reply, lines[number], sentences[number])]
        except ServiceError as error:
            number = asked[error.number]
            raise self.failure(str(error), lines[number], sentences[number], fix=error.fix) from error
        yield [Answer(lines[k], sentence) for k, sentence in enumerate(sentences) if not sentence.strip()]

    def account(self, answers: Iterable[Answer]) -> Mapping[str, Any]:
        """Return requests, tokens, outcomes and rules of cleaning, and what was not plainly answered."""
        found = [answer for answer in answers if answer.facts]
        tokens = [answer.facts["tokens"] for answer in found if "tokens" in answer.facts]
        return {
            "served": sorted({str(answer.facts["served"]) for answer in found if "served" in answer.facts}),
            "requests": sum(answer.facts["requests"] for answer in found),
            "tokens": {"prompt": sum(a for a, _ in tokens), "answers": sum(b for _, b in tokens)} if tokens else None,
            **count_outcomes(found),
        }

    def summarise(self, account: Mapping[str, Any]) -> Sequence[str]:
        """Return how many sentences were answered, what was not, and what it cost."""
        cost = "no count of tokens"
        if tokens := account["tokens"]:
            cost = f"{tokens['prompt']:,} tokens in prompts, {tokens['answers']:,} in answers"
        return [*tell_outcomes(account), f"{account['requests']:,} requests, {cost}"]


def _answer(reply: Reply, line: int, source: str) -> Answer:
    if reply.too_long:
        reading = Reading(source, "too long")
    else:
        reading = read_reply(reply.text, source, refused=reply.refused, cut=reply.cut)
    facts: dict[str, Any] = {"requests": reply.requests}
    if reply.tokens is not None:
        facts["tokens"] = list(reply.tokens)
    if reply.served:
        facts["served"] = shorten(reply.served, 200)
    if reply.cut:
        facts["cut"] = True
    return as_answer(line, reply.text, reading, **facts)


def _address(url: str) -> str:
    try:
        parts = urlsplit(url)
        sound = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:
        sound = False
    if not sound:
        raise InputError(f"endpoint:{url}: no http or https address", fix="Write endpoint:http://localhost:8000/v1")
    if parts.username or parts.password or parts.query or parts.fragment:
        fix = "Name the environment variable that holds the key: --key-variable NAME"
        raise InputError(f"the address of {parts.hostname} has more than host, port and path", fix=fix)
    return url


def _key(url: str, variable: str | None) -> str | None:
    parts = urlsplit(url)
    homes = (name for name, hosts in _KEYS.items() if parts.scheme == "https" and f".{parts.hostname}".endswith(hosts))
    name = variable or next(homes, None)
    key = os.environ.get(name, "").strip() if name else ""
    if variable and not key:
        fix = "Give the variable's name, not the key, and set it"
        raise InputError("--key-variable names nothing that is set in the environment", fix=fix)
    if not key.isascii() or not key.isprintable() or " " in key:
        raise InputError(f"{name} holds no key: it has blanks or letters that are not ASCII")
    return key or None
