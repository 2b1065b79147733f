"""One question to a server that speaks OpenAI's chat completions, through huggingface_hub's client."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime, timezone
from email.utils import parsedate_to_datetime
from typing import Any

from gecbench.errors import MissingDependencyError
from gecbench.models.base import shorten
from gecbench.models.replies import encodable

LARGEST_BODY = 1_000_000
_LONGEST_WAIT = 600.0
_NOT_YET = (408, 409, 425, 429)
_FIXES = dict.fromkeys((401, 403), "Name the environment variable that holds the right key: --key-variable NAME")
_FIXES |= dict.fromkeys((404, 405), "Check the address (such as http://localhost:8000/v1) and --name")
_NO_KEY = "none"
_FILTERED = ("content_filter", "content management policy", "content_policy")


@dataclass(frozen=True)
class Reply:
    """What came back for a prompt: `tokens` are those of the prompt and of the reply, if the server counts them."""

    number: int
    text: str
    requests: int
    tokens: tuple[int, int] | None = None
    refused: bool = False
    cut: bool = False
    too_long: bool = False
    served: str = ""


@dataclass(frozen=True)
class Fault:
    """Why there is no reply, whether asking again may help, and when."""

    problem: str
    fix: str | None = "All answers are kept: run again to go on from there"
    final: bool = False
    limited: bool = False
    wait: float | None = None


class _TooLongError(Exception):
    """The body of a reply is larger than any sentence."""


@dataclass(frozen=True)
class Client:
    """Where to ask, as whom, and how long to wait; `request` are further fields of every request."""

    url: str
    model: str
    key: str | None = field(repr=False)
    request: Mapping[str, Any]
    timeout: float

    def connect(self, session: Any) -> Any:
        """Return huggingface_hub's client; without a token of ours it would send the Hub's to any server."""
        from huggingface_hub import AsyncInferenceClient

        client = AsyncInferenceClient(base_url=self.url, token=self.key or _NO_KEY, timeout=self.timeout)
        client._async_client = session
        return client

    async def ask(self, connection: Any, number: int, prompt: str, requests: int) -> Reply | Fault:
        """Send a prompt, for the n-th time, and return what comes back before the time is up."""
        messages = [{"role": "user", "content": prompt}]
        question = connection.chat_completion(messages, model=self.model, extra_body=dict(self.request))
        try:
            reply = _reply(await asyncio.wait_for(question, self.timeout), number, requests)
            return replace(reply, text=self._without_key(reply.text), served=self._without_key(reply.served))
        except _TooLongError:
            return Reply(number, "", requests, too_long=True)
        except Exception as error:  # whatever the library, its HTTP client or a strange answer raise
            if _is_filtered(error):
                return Reply(number, "", requests, (0, 0), refused=True)
            return self._fault(error)

    def _fault(self, error: Exception) -> Fault:
        from huggingface_hub.errors import InferenceTimeoutError, OfflineModeIsEnabled

        if isinstance(error, OfflineModeIsEnabled):
            return Fault("huggingface_hub is offline and asks no server", "Unset HF_HUB_OFFLINE", final=True)
        if isinstance(error, (asyncio.TimeoutError, InferenceTimeoutError)):
            return Fault(f"no answer within {self.timeout:g} seconds")
        response = getattr(error, "response", None)
        status = getattr(response, "status_code", None)
        if response is None or status is None:
            return Fault(f"no answer that can be read ({type(error).__name__}: {self._shown(str(error))})")
        words = self._shown(_body(response))
        problem = f"the server answers {status}{f': {words}' if words else ''}"
        wait = _retry_after(response.headers)
        if wait is not None and wait > _LONGEST_WAIT:
            return Fault(f"{problem}, and asks to wait {wait:.0f} seconds", final=True)
        if status in _NOT_YET or status >= 500:
            return Fault(problem, limited=status == 429, wait=wait)
        return Fault(problem, _FIXES.get(status), final=True)

    def _without_key(self, text: str) -> str:
        """Return a text of the server's, which may repeat what it was sent, without the key."""
        return text.replace(self.key, "…") if self.key else text

    def _shown(self, text: str) -> str:
        printable = "".join(letter if letter.isprintable() else " " for letter in self._without_key(text))
        return shorten(printable, 200)


def _reply(output: Any, number: int, requests: int) -> Reply:
    if not output.choices:
        raise ValueError(f"it holds no choices, but {getattr(output, 'error', None) or 'nothing'}")
    choice = output.choices[0]
    content, refusal = choice.message.content, getattr(choice.message, "refusal", None)
    if isinstance(content, list):
        content = "".join(str(part.get("text", "")) for part in content)
    counts = [getattr(output.usage, f"{part}_tokens", None) for part in ("prompt", "completion")]
    tokens = (int(counts[0] or 0), int(counts[1] or 0)) if any(counts) else None
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
    """Return the seconds of a Retry-After header, which holds them or a date."""
    text = (headers.get("retry-after") or "").strip()
    if text.replace(".", "", 1).isdigit():
        return float(text)
    try:
        return max(0.0, (parsedate_to_datetime(text) - datetime.now(timezone.utc)).total_seconds())
    except (TypeError, ValueError):
        return None


def _is_filtered(error: Exception) -> bool:
    response = getattr(error, "response", None)
    return getattr(response, "status_code", None) == 400 and any(word in _body(response) for word in _FILTERED)


def _body(response: Any) -> str:
    try:
        return str(response.text)
    except Exception:  # never read, because it is too long
        return ""


def check_client() -> None:
    """Refuse a huggingface_hub whose client cannot be used so."""
    import huggingface_hub

    if not hasattr(huggingface_hub, "get_async_session"):
        version = huggingface_hub.__version__
        problem = f"endpoint: models need huggingface_hub 1.0, not {version}: pip install 'gecbench[endpoint]'"
        raise MissingDependencyError(problem)


def open_session() -> Any:
    """Return an HTTP client of huggingface_hub that reads no endless body."""
    from huggingface_hub import get_async_session

    session = get_async_session()
    session.event_hooks = {**session.event_hooks, "response": [_read_bounded, *session.event_hooks["response"]]}
    return session


async def _read_bounded(response: Any) -> None:
    """Read a body to its end, but not beyond what any sentence needs."""
    body = bytearray()
    async for part in response.aiter_bytes():
        body += part
        if len(body) > LARGEST_BODY and response.status_code < 400:
            raise _TooLongError
        if len(body) > LARGEST_BODY:
            break
    await response.aclose()
    response._content = bytes(body)
