"""`endpoint:URL`: a model served behind an OpenAI-compatible API.

Failed requests are retried, rate limits are respected, and a budget can limit the requests and tokens of a run.
"""

from __future__ import annotations

import asyncio
import json
import os
import random
import re
import threading
import zlib
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass, field, replace
from datetime import datetime, timezone
from email.utils import parsedate_to_datetime
from queue import SimpleQueue
from typing import Any, ClassVar
from urllib.parse import urlsplit

from gecbench.display import shorten
from gecbench.errors import InputError, MissingDependencyError, counted
from gecbench.models.base import Answer, Model, ModelError, Outputs
from gecbench.models.prompts import find_prompt
from gecbench.models.replies import Reading, as_answer, count_outcomes, encodable, read_reply, summarize_outcomes

LARGEST_BODY = 1_000_000
_LONGEST_WAIT = 600.0
_LONGEST_BACK_OFF = 60.0
_RETRYABLE = (408, 409, 425, 429)
_FILTERED = ("content_filter", "content management policy", "content_policy")
_FIXES = {
    **dict.fromkeys(
        (401, 403), 'Set the environment variable with the API key, or name another one with key_variable="NAME"'
    ),
    **dict.fromkeys((404, 405), "Check the address (such as http://localhost:8000/v1) and the model's name (--name)"),
}
_REDIRECTED = "Give the address where the model is served (redirects are not followed)"
_NO_KEY = "none"
_KEYS = {"HF_TOKEN": (".huggingface.co", ".huggingface.cloud", ".hf.space"), "OPENAI_API_KEY": (".openai.com",)}
_FIXED_FIELDS = ("model", "messages", "stream")
_FIELD = re.compile(r'"([^"]*)":')
_SECRET = re.compile("api.?key|access.?token|authorization|password|secret", re.IGNORECASE)


class EndpointModel(Model):
    """A model on a server. Prompts are sent in parallel.

    If a reply is a refusal, empty or far too long, its sentence stays unchanged and is counted as unanswered. Blank
    sentences are not sent. The API key is read from the environment variable `key_variable`. By default, this variable
    is HF_TOKEN for Hugging Face's servers and OPENAI_API_KEY for OpenAI's. Other servers get no key.
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
            raise InputError(f"{text} needs a model name", fix="Give the name of the model on the server: --name MODEL")
        if concurrency < 1 or retries < 0 or not timeout > 0:
            raise InputError(
                f"a value is out of range: concurrency={concurrency}, retries={retries}, timeout={timeout}",
                fix="Give concurrency of at least 1, retries of at least 0, and a timeout above 0",
            )
        url = _checked_url(text.partition(":")[2])
        self.prompt = self._prompt = find_prompt(prompt)
        fields = {"temperature": 0, "max_tokens": max_new_tokens, **(request or {})}
        self.request = {field: value for field, value in fields.items() if value is not None}
        self._name = name
        key = _find_key(url, key_variable)
        self._check_request(request or {}, key)
        client = Client(url, name, key, self.request, timeout)
        self._service = Service(client, concurrency, retries, Budget(max_requests, max_tokens))

    @property
    def name(self) -> str:
        """The name of the model on the server."""
        return self._name

    @property
    def options(self) -> Mapping[str, object]:
        """The name, the prompt and the request fields. The key is never included."""
        return {"name": self._name, "prompt": self._prompt.text, "request": self.request}

    def _check_request(self, request: Mapping[str, Any], key: str | None) -> None:
        """Raise an error for a reserved field, or if the run's record would have a key."""
        if changed := [name for name in _FIXED_FIELDS if name in request]:
            fix = "Leave it out: --name sets the model, --prompt sets the messages, and replies are never streamed"
            raise InputError(f"--request cannot set {changed[0]!r}", fix=fix)
        shown = json.dumps([self.text, dict(self.options)])
        secret = any(map(_SECRET.search, _FIELD.findall(json.dumps(request))))
        if secret or (key and json.dumps(key)[1:-1] in shown):
            fix = 'Put the key into an environment variable, and give the name of the variable: key_variable="NAME"'
            raise InputError("the address, name, prompt or request contains an API key", fix=fix)

    def prepare(self) -> None:
        """Check that huggingface_hub is recent enough."""
        check_client()

    def resume(self, answers: Iterable[Answer]) -> None:
        """Add the requests and tokens of the earlier part of the run."""
        budget = self._service.budget
        for answer in answers:
            budget.requests += answer.facts.get("requests", 0)
            budget.tokens += sum(answer.facts.get("tokens", ()))

    def correct(self, sentences: Sequence[str], lines: Sequence[int]) -> Outputs:
        """Yield each answer as it arrives."""
        asked = [number for number, sentence in enumerate(sentences) if sentence.strip()]
        prompts = [self._prompt.fill(sentences[number]) for number in asked]
        try:
            with closing(self._service.ask(prompts)) as replies:
                for reply in replies:
                    number = asked[reply.number]
                    yield [_answer(reply, lines[number], sentences[number])]
        except ServiceError as error:
            number = asked[error.number]
            raise self.failure(str(error), lines[number], sentences[number], error.fix) from error
        yield [Answer(lines[k], sentence) for k, sentence in enumerate(sentences) if not sentence.strip()]

    def ask(self, prompts: Sequence[str]) -> list[Reply]:
        """Return the unprocessed replies to your own prompts, in the same order.

        Use it for tasks other than corrections, such as judging which of two outputs is better. If a request fails, no
        replies are saved.
        """
        self.prepare()
        try:
            return sorted(self._service.ask(prompts), key=lambda reply: reply.number)
        except ServiceError as error:
            problem = f"{shorten(self.text)}: {error} (prompt {error.number + 1} of {len(prompts)})"
            raise ModelError(problem, fix="Check the server, then send all prompts again") from error

    def account(self, answers: Iterable[Answer]) -> Mapping[str, Any]:
        """Return the counts of requests, tokens, outcomes and cleaning rules."""
        found = [answer for answer in answers if answer.facts]
        tokens = [answer.facts["tokens"] for answer in found if "tokens" in answer.facts]
        return {
            "served": sorted({str(answer.facts["served"]) for answer in found if "served" in answer.facts}),
            "requests": sum(answer.facts["requests"] for answer in found),
            "tokens": {"prompt": sum(a for a, _ in tokens), "answers": sum(b for _, b in tokens)} if tokens else None,
            **count_outcomes(found),
        }

    def summarize(self, account: Mapping[str, Any]) -> Sequence[str]:
        """Return the counts of outcomes, requests and tokens as lines of text."""
        cost = "tokens not counted"
        if tokens := account["tokens"]:
            cost = f"{counted(tokens['prompt'], 'token')} in prompts, {tokens['answers']:,} in answers"
        return [*summarize_outcomes(account), f"{counted(account['requests'], 'request')}, {cost}"]


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


def _checked_url(url: str) -> str:
    try:
        parts = urlsplit(url)
        valid = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:
        valid = False
    if not valid:
        fix = "Give an address such as endpoint:http://localhost:8000/v1"
        raise InputError(f"{url!r} is not an http or https address", fix=fix)
    if parts.username or parts.password or parts.query or parts.fragment:
        fix = 'Remove the rest, and give an API key in an environment variable: key_variable="NAME"'
        raise InputError(f"the address of {parts.hostname} may have only a host, a port and a path", fix=fix)
    return url


def _find_key(url: str, variable: str | None) -> str | None:
    parts = urlsplit(url)
    homes = (name for name, hosts in _KEYS.items() if parts.scheme == "https" and f".{parts.hostname}".endswith(hosts))
    name = variable or next(homes, None)
    key = os.environ.get(name, "").strip() if name else ""
    if variable and not key:
        fix = 'Set the variable, and give its name with key_variable="NAME", not the key itself'
        raise InputError("the environment variable with the API key is not set", fix=fix)
    if not key.isascii() or not key.isprintable() or " " in key:
        raise InputError(f"the environment variable {name} has blanks or non-ASCII characters, so it is not an API key")
    return key or None


class ServiceError(Exception):
    """A request failed permanently or after all retries, or the budget is used up.

    `number` is the number of the prompt, from 0.
    """

    def __init__(self, problem: str, fix: str | None = None) -> None:
        super().__init__(problem)
        self.fix = fix
        self.number = 0


@dataclass
class Budget:
    """The limits of a run, and the requests and tokens used so far.

    A resumed run continues these counts.
    """

    max_requests: int | None = None
    max_tokens: int | None = None
    requests: int = 0
    tokens: int = 0

    def spend_request(self) -> None:
        """Count a request, or raise an error if the budget is used up."""
        for limit, spent, what in (
            (self.max_requests, self.requests, "request"),
            (self.max_tokens, self.tokens, "token"),
        ):
            if limit is not None and spent >= limit:
                problem = f"the budget of {counted(limit, what)} is used up ({spent} used)"
                raise ServiceError(problem, f"Give a larger max_{what}s")
        self.requests += 1

    def spend_tokens(self, tokens: tuple[int, int] | None) -> None:
        """Count the tokens of a reply."""
        if tokens is None and self.max_tokens is not None:
            raise ServiceError(
                "the server does not report the number of tokens", "Limit the run with --max-requests, not --max-tokens"
            )
        self.tokens += sum(tokens or ())


@dataclass
class Service:
    """A client with its number of parallel requests, retries and budget."""

    client: Client
    concurrency: int
    retries: int
    budget: Budget

    def ask(self, prompts: Sequence[str]) -> Generator[Reply, None, None]:
        """Yield replies as they arrive.

        If a request fails permanently or after all retries, or if the budget is used up, `ServiceError` is raised.
        Before this error, the replies to all requests already sent are awaited and yielded.
        """
        loop = asyncio.new_event_loop()
        found: SimpleQueue[Reply | None] = SimpleQueue()
        asking = loop.create_task(_RequestPool(self, found.put, loop).run(prompts))
        thread = threading.Thread(target=_run_loop, args=(loop, asking, found), daemon=True)
        thread.start()
        try:
            while (reply := found.get()) is not None:
                yield reply
        finally:
            with suppress(RuntimeError):
                loop.call_soon_threadsafe(asking.cancel)
            thread.join()
            loop.close()
        asking.result()


def _run_loop(loop: asyncio.AbstractEventLoop, asking: asyncio.Task[None], found: SimpleQueue[Reply | None]) -> None:
    with suppress(BaseException):
        loop.run_until_complete(asking)
    found.put(None)


class _RequestPool:
    """Workers that share the prompts, the rate limit and the first error.

    Retries are implemented here instead of in a library, because the workers share their limits. A rate limit pauses
    all workers, the first final error stops them, and all attempts count toward one budget.
    """

    def __init__(self, service: Service, put: Callable[[Reply], None], loop: asyncio.AbstractEventLoop) -> None:
        self.service, self.put, self.loop = service, put, loop
        self.stopping = asyncio.Event()
        self.error: ServiceError | None = None
        self.not_before = 0.0
        self.limited = 0

    async def run(self, prompts: Sequence[str]) -> None:
        numbers = iter(range(len(prompts)))
        async with open_session() as session, self.service.client.connect(session) as connection:
            count = min(self.service.concurrency, len(prompts))
            await asyncio.gather(*(self._work(connection, prompts, numbers) for _ in range(count)))
        if self.error:
            raise self.error

    async def _work(self, connection: Any, prompts: Sequence[str], numbers: Iterator[int]) -> None:
        while not self.stopping.is_set() and (number := next(numbers, None)) is not None:
            try:
                reply = await self._ask(connection, number, prompts[number])
                if reply is None:
                    return
                self.put(reply)
                self.service.budget.spend_tokens(reply.tokens if not reply.too_long else (0, 0))
            except ServiceError as error:
                error.number = number
                self.error = self.error or error
                self.stopping.set()

    async def _ask(self, connection: Any, number: int, prompt: str) -> Reply | None:
        """Return the reply to a prompt, or None if another request has failed for good."""
        requests = failures = 0
        while True:
            await self._wait_for_rate_limit()
            if self.stopping.is_set():
                return None
            self.service.budget.spend_request()
            requests += 1
            found = await self.service.client.ask(connection, number, prompt, requests)
            if isinstance(found, Reply):
                self.limited = 0
                return found
            failures += not found.limited
            self.limited += found.limited
            keeps_limiting = self.limited > self.service.retries * self.service.concurrency
            if found.final or failures > self.service.retries or keeps_limiting:
                again = f"failed {requests} times: " if requests > 1 else ""
                raise ServiceError(f"{again}{found.problem}", found.fix)
            await self._back_off(found, requests)

    async def _wait_for_rate_limit(self) -> None:
        """Wait until the shared rate limit allows another request."""
        while (seconds := self.not_before - self.loop.time()) > 0 and not self.stopping.is_set():
            await self._sleep(seconds + random.uniform(0, 0.05 * self.service.concurrency))

    async def _back_off(self, failed: FailedRequest, requests: int) -> None:
        """Wait as long as the server asks, or else longer after each attempt.

        All workers wait if the server limits the rate or says how long to wait.
        """
        seconds = min(_LONGEST_BACK_OFF, 2.0 ** min(requests - 1, 10)) * random.uniform(0.5, 1.0)
        if failed.wait is not None:
            seconds = failed.wait
        if failed.limited or failed.wait is not None:
            self.not_before = max(self.not_before, self.loop.time() + seconds)
        else:
            await self._sleep(seconds)

    async def _sleep(self, seconds: float) -> None:
        with suppress(asyncio.TimeoutError):
            await asyncio.wait_for(self.stopping.wait(), seconds)


@dataclass(frozen=True)
class Reply:
    """The reply to a prompt.

    `number` is the number of the prompt, from 0. `tokens` are the tokens of prompt and reply, if the server reports
    them.
    """

    number: int
    text: str
    requests: int
    tokens: tuple[int, int] | None = None
    refused: bool = False
    cut: bool = False
    too_long: bool = False
    served: str = ""


@dataclass(frozen=True)
class FailedRequest:
    """A failed request: the reason, whether to retry, and how long to wait."""

    problem: str
    fix: str | None = "Check the server"
    final: bool = False
    limited: bool = False
    wait: float | None = None


class _TooLongError(Exception):
    """The body of a reply is too large for a corrected sentence."""


class _RedirectError(Exception):
    """The server redirects to another address."""

    def __init__(self, response: Any) -> None:
        self.response = response


@dataclass(frozen=True)
class Client:
    """A server's address, with model, key and timeout.

    `request` holds further fields of every request.
    """

    url: str
    model: str
    key: str | None = field(repr=False)
    request: Mapping[str, Any]
    timeout: float

    def connect(self, session: Any) -> Any:
        """Return huggingface_hub's client.

        Without a key, the client gets a dummy token. Without any token, it would send the user's token of the Hub.
        """
        from huggingface_hub import AsyncInferenceClient

        client = AsyncInferenceClient(base_url=self.url, token=self.key or _NO_KEY, timeout=self.timeout)
        client._async_client = session
        return client

    async def ask(self, connection: Any, number: int, prompt: str, requests: int) -> Reply | FailedRequest:
        """Send a prompt, and return the reply or the failure.

        `requests` is the number of attempts, including this one.
        """
        messages = [{"role": "user", "content": prompt}]
        question = connection.chat_completion(messages, model=self.model, extra_body=dict(self.request))
        try:
            reply = _reply(await asyncio.wait_for(question, self.timeout), number, requests)
            return replace(reply, text=self._without_key(reply.text), served=self._without_key(reply.served))
        except _TooLongError:
            return Reply(number, "", requests, too_long=True)
        except Exception as error:  # from the library or its HTTP client, or because the reply has an unexpected form
            if _is_content_filter(error):
                return Reply(number, "", requests, (0, 0), refused=True)
            return self._failure(error)

    def _failure(self, error: Exception) -> FailedRequest:
        response = getattr(error, "response", None)
        status = getattr(response, "status_code", None)
        if response is None or status is None:
            return self._no_response(error)
        words = self._shown(_body(response))
        problem = f"the server answers {status}{f': {words}' if words else ''}"
        if 300 <= status < 400:
            target = self._shown(response.headers.get("location") or "another address")
            return FailedRequest(f"the server redirects to {target} (status {status})", _REDIRECTED, final=True)
        wait = _retry_after(response.headers)
        if wait is not None and wait > _LONGEST_WAIT:
            return FailedRequest(f"{problem}, and asks to wait {wait:.0f} s", "Wait that long", final=True)
        if status in _RETRYABLE or status >= 500:
            return FailedRequest(problem, limited=status == 429, wait=wait)
        return FailedRequest(problem, _FIXES.get(status), final=True)

    def _no_response(self, error: Exception) -> FailedRequest:
        from huggingface_hub.errors import InferenceTimeoutError, OfflineModeIsEnabled

        shown = self._shown(str(error))
        if isinstance(error, OfflineModeIsEnabled):
            return FailedRequest("huggingface_hub is in offline mode", "Unset HF_HUB_OFFLINE", final=True)
        if isinstance(error, (asyncio.TimeoutError, InferenceTimeoutError)):
            return FailedRequest(f"no reply within {self.timeout:g} s")
        # unknown host or refused connection; compared by name, because huggingface_hub has changed its HTTP client
        if type(error).__name__ == "ConnectError":
            fix = "Check that the server is running and that the address is right"
            return FailedRequest(f"cannot connect ({shown})", fix, final=True)
        return FailedRequest(f"the reply cannot be parsed ({type(error).__name__}: {shown})")

    def _without_key(self, text: str) -> str:
        """Remove the key from the server's text, which may repeat the request."""
        return text.replace(self.key, "…") if self.key else text

    def _shown(self, text: str) -> str:
        printable = "".join(letter if letter.isprintable() else " " for letter in self._without_key(text))
        return shorten(printable, 200)


_MOST_TOKENS = 10**9


def _reply(output: Any, number: int, requests: int) -> Reply:
    if not output.choices:
        error = getattr(output, "error", None)
        raise ValueError(f"no `choices`{f'; the server reports the error {error}' if error else ''}")
    choice = output.choices[0]
    content, refusal = choice.message.content, getattr(choice.message, "refusal", None)
    if isinstance(content, list):
        content = "".join(str(part.get("text", "")) for part in content)
    counts = [getattr(output.usage, f"{part}_tokens", None) for part in ("prompt", "completion")]
    known = all(count is None or (type(count) is int and 0 <= count <= _MOST_TOKENS) for count in counts)
    tokens = (counts[0] or 0, counts[1] or 0) if known and any(counts) else None
    return Reply(
        number,
        encodable(str(content or refusal or "")),
        requests,
        tokens,
        refused=bool(refusal) or choice.finish_reason == "content_filter",
        cut=choice.finish_reason == "length",
        served=" ".join(filter(None, [output.model, output.system_fingerprint])),
    )


def _retry_after(headers: Mapping[str, str]) -> float | None:
    """Return the seconds to wait, from a Retry-After header with seconds or a date."""
    text = (headers.get("retry-after") or "").strip()
    if re.fullmatch(r"[0-9]{1,9}(\.[0-9]*)?", text):
        return float(text)
    try:
        return max(0.0, (parsedate_to_datetime(text) - datetime.now(timezone.utc)).total_seconds())
    except (TypeError, ValueError):
        return None


def _is_content_filter(error: Exception) -> bool:
    response = getattr(error, "response", None)
    return getattr(response, "status_code", None) == 400 and any(word in _body(response) for word in _FILTERED)


def _body(response: Any) -> str:
    try:
        return str(response.text)
    except Exception:  # the body was not read, because it is too long
        return ""


def check_client() -> None:
    """Raise an error if the version of huggingface_hub has no async session."""
    import huggingface_hub

    if not hasattr(huggingface_hub, "get_async_session"):
        version = huggingface_hub.__version__
        problem = f"models of the form endpoint:URL need huggingface_hub 1.0 or newer, not {version}"
        raise MissingDependencyError(f"{problem}. Run: pip install 'gecbench[endpoint]'")


def open_session() -> Any:
    """Return huggingface_hub's HTTP client, without redirects and with a size limit."""
    from huggingface_hub import get_async_session

    session = get_async_session()
    session.headers["Accept-Encoding"] = "gzip"
    session.follow_redirects = False  # the sentences and the key are for the server that you named
    session.event_hooks = {**session.event_hooks, "response": [_read_limited, *session.event_hooks["response"]]}
    return session


async def _read_limited(response: Any) -> None:
    """Read a body up to a limit, and raise an error for a redirect.

    The HTTP client has no such limit: it would decompress whole chunks, and a small chunk can become gigabytes.
    """
    if response.has_redirect_location:
        raise _RedirectError(response)
    encoding = response.headers.get("content-encoding", "").strip().lower() or "identity"
    if encoding not in ("identity", "gzip"):
        raise ValueError(f"the server sent the encoding {encoding}, which was not requested")
    body = bytearray()
    unpacker = zlib.decompressobj(wbits=31)
    async for part in response.aiter_raw():
        body += part if encoding == "identity" else unpacker.decompress(part, LARGEST_BODY + 1)
        if len(body) > LARGEST_BODY and response.status_code < 400:
            raise _TooLongError
        if len(body) > LARGEST_BODY:
            break
    await response.aclose()
    response._content = bytes(body)
