"""A server asked for several replies at once: retries, back-off, rate limits, a budget."""

from __future__ import annotations

import asyncio
import random
import threading
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from queue import SimpleQueue
from typing import Any

from gecbench.models.client import Client, Fault, Reply, open_session

_LONGEST_BACK_OFF = 60.0


class ServiceError(Exception):
    """The server cannot or must not be asked any further; `number` is the prompt's at which that was found."""

    def __init__(self, problem: str, fix: str | None = None) -> None:
        super().__init__(problem)
        self.fix = fix
        self.number = 0


@dataclass
class Budget:
    """What a run may cost, over all its parts, and what it has cost so far."""

    max_requests: int | None = None
    max_tokens: int | None = None
    requests: int = 0
    tokens: int = 0

    def begin(self) -> None:
        """Count a request, or refuse it."""
        for limit, spent, what in (
            (self.max_requests, self.requests, "requests"),
            (self.max_tokens, self.tokens, "tokens"),
        ):
            if limit is not None and spent >= limit:
                fix = f"All answers are kept: run again with a larger --max-{what} to go on from there"
                raise ServiceError(f"the budget of {limit} {what} is used up ({spent} so far)", fix)
        self.requests += 1

    def add(self, tokens: tuple[int, int] | None) -> None:
        """Count the tokens of a reply."""
        if tokens is None and self.max_tokens is not None:
            raise ServiceError("the server does not say how many tokens it used", "Limit --max-requests instead")
        self.tokens += sum(tokens or ())


@dataclass
class Service:
    """A client and how patiently it is used."""

    client: Client
    concurrency: int
    retries: int
    budget: Budget

    def ask(self, prompts: Sequence[str]) -> Generator[Reply, None, None]:
        """Yield replies as they come; what fails is asked again, and at last is a `ServiceError`.

        Replies that are under way when something fails are waited for and yielded before the error is raised.
        """
        loop = asyncio.new_event_loop()
        found: SimpleQueue[Reply | None] = SimpleQueue()
        asking = loop.create_task(_Asking(self, found.put, loop).all(prompts))
        thread = threading.Thread(target=_run, args=(loop, asking, found), daemon=True)
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


def _run(loop: asyncio.AbstractEventLoop, asking: asyncio.Task[None], found: SimpleQueue[Reply | None]) -> None:
    with suppress(BaseException):
        loop.run_until_complete(asking)
    found.put(None)


class _Asking:
    """One round of questions: workers that share prompts, pauses, and the first error."""

    def __init__(self, service: Service, put: Callable[[Reply], None], loop: asyncio.AbstractEventLoop) -> None:
        self.service, self.put, self.loop = service, put, loop
        self.stopping = asyncio.Event()
        self.error: ServiceError | None = None
        self.not_before = 0.0
        self.limited = 0

    async def all(self, prompts: Sequence[str]) -> None:
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
                self.service.budget.add(reply.tokens if not reply.too_long else (0, 0))
            except ServiceError as error:
                error.number = number
                self.error = self.error or error
                self.stopping.set()

    async def _ask(self, connection: Any, number: int, prompt: str) -> Reply | None:
        """Return the reply to a prompt, or None if it is not worth waiting for any more."""
        requests = failures = 0
        while True:
            await self._wait_for_permission()
            if self.stopping.is_set():
                return None
            self.service.budget.begin()
            requests += 1
            found = await self.service.client.ask(connection, number, prompt, requests)
            if isinstance(found, Reply):
                self.limited = 0
                return found
            failures += not found.limited
            self.limited += found.limited
            hopeless = self.limited > self.service.retries * self.service.concurrency
            if found.final or failures > self.service.retries or hopeless:
                again = f", {requests} times" if requests > 1 else ""
                raise ServiceError(f"{found.problem}{again}", found.fix)
            await self._back_off(found, requests)

    async def _wait_for_permission(self) -> None:
        """Wait until the rate limit, which holds for all requests, allows another one."""
        while (seconds := self.not_before - self.loop.time()) > 0 and not self.stopping.is_set():
            await self._sleep(seconds + random.uniform(0, 0.05 * self.service.concurrency))

    async def _back_off(self, fault: Fault, requests: int) -> None:
        """Wait as long as the server says, or else twice as long each time; a rate limit makes all wait."""
        seconds = min(_LONGEST_BACK_OFF, 2.0 ** min(requests - 1, 10)) * random.uniform(0.5, 1.0)
        if fault.wait is not None:
            seconds = fault.wait
        if fault.limited or fault.wait is not None:
            self.not_before = max(self.not_before, self.loop.time() + seconds)
        else:
            await self._sleep(seconds)

    async def _sleep(self, seconds: float) -> None:
        with suppress(asyncio.TimeoutError):
            await asyncio.wait_for(self.stopping.wait(), seconds)
