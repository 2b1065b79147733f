"""Serve the page of a board, with uploads, security headers and timeouts."""

from __future__ import annotations

import asyncio
import hmac
import os
import re
import sys
from collections.abc import AsyncIterator, Collection
from contextlib import asynccontextmanager, nullcontext, suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from gecbench.corpus.corpus import Corpus
from gecbench.errors import InputError, MissingDependencyError, UnwritableError, counted
from gecbench.leaderboard.page import PagePlan
from gecbench.leaderboard.scoring import Progress
from gecbench.leaderboard.site import Site, contents
from gecbench.leaderboard.store import FolderStore, lock_board
from gecbench.leaderboard.submission import Submission, TooLargeError, check_size, normalized_submitter, read_outputs
from gecbench.leaderboard.uploads import (
    DailyCount,
    Job,
    Pending,
    PendingFolder,
    Queue,
    Rate,
    TeamTokens,
    UploadLimits,
    find_team,
    form_error,
    score_upload,
)
from gecbench.leaderboard.worker import StoppedError, Worker

try:
    import uvicorn
    from starlette.applications import Starlette
    from starlette.requests import ClientDisconnect, Request
    from starlette.responses import JSONResponse, Response
    from starlette.routing import Route
    from uvicorn.protocols.http.h11_impl import H11Protocol
except ImportError as error:
    problem = 'serving a board needs more packages. Install them: pip install "gecbench[leaderboard]"'
    raise MissingDependencyError(problem) from error

HEAD_SECONDS = 10.0
WRITE_SECONDS = 10.0
MOST_CONNECTIONS = 100
_LOOPBACK = ("127.0.0.1", "localhost", "::1", "[::1]")
_SLOWEST = 1000  # bytes per second
_UNWRITABLE = "The board cannot be changed right now. Try again later."
_PROXIES = "FORWARDED_ALLOW_IPS"
_HEADERS = {
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Content-Security-Policy": "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
    "connect-src 'self'; form-action 'none'; base-uri 'none'; frame-ancestors 'none'",
    "Cross-Origin-Opener-Policy": "same-origin",
}
CONTENT_TYPES = {
    ".html": "text/html; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".json": "application/json",
    ".csv": "text/csv; charset=utf-8",
    ".svg": "image/svg+xml",
    ".png": "image/png",
    ".jpg": "image/jpeg",
    ".jpeg": "image/jpeg",
    ".webp": "image/webp",
    ".txt": "text/plain; charset=utf-8",
    ".md": "text/plain; charset=utf-8",
}


class SecurityHeaders:
    """Add security headers to every response."""

    def __init__(self, app: Any) -> None:
        self.app = app
        self.headers = [(name.lower().encode(), value.encode()) for name, value in _HEADERS.items()]

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        """Pass the request on."""

        async def send_with_headers(message: Any) -> None:
            if message["type"] == "http.response.start":
                message["headers"] = [*message["headers"], *self.headers]
            await send(message)

        await self.app(scope, receive, send_with_headers if scope["type"] == "http" else send)


class KnownHosts:
    """Refuse requests whose `Host` is not a name of this server.

    This prevents DNS rebinding. In this attack, the owner of another site makes the site's name point to this machine.
    Then pages of that site could read a board that is served only to this machine, and submit to it.
    """

    def __init__(self, app: Any, hosts: Collection[str]) -> None:
        self.app = app
        self.hosts = frozenset(host.lower() for host in hosts)

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        """Pass the request on, or refuse it."""
        if scope["type"] == "http":
            given = [value.decode("latin-1") for name, value in scope["headers"] if name == b"host"]
            if len(given) != 1 or _host_name(given[0]) not in self.hosts:
                await refusal(
                    421, "The server does not know this host name. Its operator can add the name with --server-name."
                )(scope, receive, send)
                return
        await self.app(scope, receive, send)


def _host_name(host: str) -> str:
    """Return a `Host` without its port."""
    return re.sub(r":[0-9]*$", "", host).lower()


def known_hosts(host: str, names: Collection[str]) -> Collection[str] | None:
    """Return the accepted host names, or None to accept all.

    All names are accepted if the server also serves other machines and `names` is empty.
    """
    return {*_LOOPBACK, host, *names} if host in _LOOPBACK or names else None


def configured(app: Any, host: str, port: int) -> uvicorn.Config:
    """Return the server's settings.

    `X-Forwarded-For` is trusted only from the proxies that the operator lists in FORWARDED_ALLOW_IPS. Otherwise, a
    client could choose its own address and avoid the limits on uploads.
    """
    return uvicorn.Config(
        app,
        host=host,
        port=port,
        http=TimeoutProtocol,
        log_level="warning",
        timeout_keep_alive=10,
        limit_concurrency=500,
        proxy_headers=_PROXIES in os.environ,
    )


class TimeoutProtocol(H11Protocol):
    """Close connections that send headers or read responses too slowly.

    The headers of a request must arrive within `HEAD_SECONDS`. The client must read at least `_SLOWEST` bytes of its
    response per second. Each client has a limited number of connections, unless the operator lists proxies.

    This class uses h11 even if httptools is installed, because httptools limits neither the size of headers nor the
    requests that it reads ahead.
    """

    _deadline: asyncio.TimerHandle | None = None
    _reading: asyncio.TimerHandle | None = None

    def connection_made(self, transport: Any) -> None:
        """Start the deadlines of a new connection."""
        super().connection_made(transport)
        host = _host_of(self)
        same = sum(_host_of(other) == host for other in self.connections)
        if same > MOST_CONNECTIONS and _PROXIES not in os.environ:
            transport.abort()
            return
        self._update_deadline()
        self._check_reading(0)

    def _check_reading(self, before: int) -> None:
        """Abort the connection if the client has read too little since the last check."""
        waiting = self.transport.get_write_buffer_size()
        if before and waiting > before - WRITE_SECONDS * _SLOWEST:
            self.transport.abort()
            return
        self._reading = self.loop.call_later(WRITE_SECONDS, self._check_reading, waiting)

    def data_received(self, data: bytes) -> None:
        """Read bytes of a request, and update the deadline for its headers.

        The deadline is canceled once the headers are complete.
        """
        super().data_received(data)
        self._update_deadline()

    def connection_lost(self, exc: Exception | None) -> None:
        """Cancel the deadlines of a closed connection."""
        super().connection_lost(exc)
        self._cancel_deadline()
        if self._reading is not None:
            self._reading.cancel()

    def _update_deadline(self) -> None:
        if self.cycle is not None and not self.cycle.response_complete:
            self._cancel_deadline()
        elif self._deadline is None:
            self._deadline = self.loop.call_later(HEAD_SECONDS, self.transport.close)

    def _cancel_deadline(self) -> None:
        if self._deadline is not None:
            self._deadline.cancel()
            self._deadline = None


@dataclass
class App:
    """The request handlers, and the objects that they share."""

    site: Site
    limits: UploadLimits
    token: str | None
    teams: TeamTokens
    queue: Queue
    rate: Rate
    daily: DailyCount | None
    pending: PendingFolder
    worker: Worker = field(default_factory=Worker)

    async def page(self, request: Request) -> Response:
        """Serve a file of the page, from memory if it was served recently."""
        self.site.rebuild()
        found = None
        with suppress(FileNotFoundError):  # a build has just removed it
            found = self._page(request)
        return found or self._missing_page(request)

    def _missing_page(self, request: Request) -> Response:
        """Return the "not found" page to browsers, and JSON to programs."""
        missing = self.site.find("404.html")
        if missing is None or "text/html" not in request.headers.get("accept", ""):
            return refusal(404, "Page not found.")
        return Response(contents(*missing), status_code=404, media_type=CONTENT_TYPES[".html"])

    def _page(self, request: Request) -> Response | None:
        found = self.site.find(request.path_params["path"])
        if found is None:
            return None
        path, tag = found
        kind = CONTENT_TYPES.get(path.suffix, "application/octet-stream")
        headers = {"Cache-Control": "no-cache", "ETag": tag, "Vary": "Accept-Encoding"}
        if request.headers.get("if-none-match") == tag:
            return Response(status_code=304, headers=headers)
        if "gzip" in request.headers.get("accept-encoding", ""):
            packed = contents(path, tag, compress=True)
            return Response(packed, media_type=kind, headers={**headers, "Content-Encoding": "gzip"})
        return Response(contents(path, tag), media_type=kind, headers=headers)

    def job(self, request: Request) -> Response:
        """Return the state of a submission."""
        found = self.queue.find(request.path_params["job"])
        return refusal(404, "Submission not found.") if found is None else JSONResponse(found.report())

    async def submit(self, request: Request) -> Response:
        """Accept an upload: the body is the file, the query has the other form fields."""
        team, problem = self._team(request)
        if problem is not None:
            return problem
        add = _adds(request)
        try:
            data = await asyncio.wait_for(_body(request, self.limits.most_bytes), self.limits.seconds)
            submission, corpus = await asyncio.to_thread(self._submission, request.query_params, data, team)
        except InputError as error:
            return refusal(413 if isinstance(error, TooLargeError) else 400, str(form_error(error)))
        except (ClientDisconnect, asyncio.TimeoutError):
            return refusal(408, "The upload was interrupted or took too long. Try again.")
        who = f"address {_client(request)}" if team is None else f"team {team}"
        try:
            if self.daily is not None and not await asyncio.to_thread(self.daily.allows, who):
                most = counted(self.daily.most, "submission")
                return refusal(429, f"You have reached the limit of {most} per day. Try again after midnight UTC.")
        except UnwritableError:
            return refusal(503, _UNWRITABLE)
        return await self._accept(submission, corpus, add)

    async def _accept(self, submission: Submission, corpus: Corpus, add: bool) -> Response:
        job = self.queue.prepare()
        if job is None:
            return refusal(503, "Too many submissions are waiting. Try again in a minute.")
        try:
            if add:
                await asyncio.to_thread(self.pending.save, job.id, submission, corpus.name)
        except InputError:
            self.queue.discard(job)
            return refusal(503, _UNWRITABLE)
        if add:
            self._start(job, submission, corpus)
        else:  # "Score only" is not saved for a restart, because its submitter would not get the result
            self.queue.start(job, lambda progress: self._score(submission, corpus, False, progress, add=False))
        return JSONResponse(job.report(), status_code=202)

    def close(self) -> None:
        """Stop scoring, and leave the waiting submissions to the next server."""
        self.worker.close()
        self.queue.close()
        self.site.close()

    def resume(self) -> None:
        """Queue the submissions that an earlier server accepted but did not score."""
        for left in list(self.pending.load()):
            if left.tries >= self.pending.most_tries:
                self._quarantine(left)
            elif left.corpus in self._corpora():
                self._start(Job(left.name), left.submission, self._corpora()[left.corpus], left.tries)

    def _quarantine(self, left: Pending) -> None:
        place = self.pending.quarantine(left.name)
        times = counted(left.tries, "time")
        problem = f"the server stopped {times} while scoring this submission, so the file was moved here"
        print(f"gecbench: note: {place}: {problem}", file=sys.stderr, flush=True)
        sentence = f"The server stopped {times} while scoring this submission. Write to the board's owner."
        self.queue.add_finished(Job(left.name, "failed", result={"error": sentence}))

    def _start(self, job: Job, submission: Submission, corpus: Corpus, tries: int = 0) -> None:
        def work(progress: Progress) -> dict[str, Any]:
            self.pending.save(job.id, submission, corpus.name, tries + 1)
            try:
                result = self._score(submission, corpus, tries > 0, progress)
            except StoppedError:
                self.pending.save(job.id, submission, corpus.name, tries)
                raise  # the submission did not cause this, so it stays for the next server
            except (UnwritableError, OSError):
                raise  # the submission stays and will be tried again
            except BaseException:
                self.pending.remove(job.id)
                raise
            self.pending.remove(job.id)
            return result

        self.queue.start(job, work)

    def _corpora(self) -> dict[str, Corpus]:
        return {corpus.name: corpus for corpus in self.site.plan.corpora}

    def _team(self, request: Request) -> tuple[str | None, Response | None]:
        """Return the team of a request, and the response that refuses the request.

        The response is None if the request is accepted. Then the team is None only on a board without team tokens.
        """
        try:
            teams = self.teams.load()
        except InputError as error:
            print(f"gecbench: warning: {error}", file=sys.stderr, flush=True)
            return None, refusal(503, "The server cannot check tokens right now. Try again later.")
        team = None if teams is None else find_team(teams, _token(request))
        return team, self._refused(request, self._has_token(request) if teams is None else team is not None)

    def _refused(self, request: Request, has_token: bool) -> Response | None:
        origin = request.headers.get("origin")
        if origin and _host(origin) != request.headers.get("host"):
            return refusal(403, "Submit from this page or from a program. Submissions from other sites are rejected.")
        if not self.rate.allows(_client(request)):
            return refusal(
                429,
                f"You have sent {counted(self.limits.per_minute, 'submission')} in a minute. Try again in a minute.",
            )
        if not has_token:
            return refusal(401, "The token is missing or wrong. Ask the board's owner for a token.")
        if request.headers.get("content-encoding", "identity") != "identity":
            return refusal(415, "Compressed uploads are not accepted. Send the plain file.")
        return None

    def _has_token(self, request: Request) -> bool:
        """Return whether a request has the token of the server, if there is one."""
        return self.token is None or hmac.compare_digest(_token(request).encode(), self.token.encode())

    def _submission(self, query: Any, data: bytes, team: str | None) -> tuple[Submission, Corpus]:
        corpora = self._corpora()
        corpus = corpora.get(query.get("corpus", ""))
        if corpus is None:
            raise InputError(
                "unknown corpus",
                fix=f"Choose one of {', '.join(corpora)}" if corpora else "This board accepts no submissions",
            )
        file = Path(query.get("file", "")).name[:100] or "upload"
        tokenize = query.get("tokenize") or "none"
        if tokenize not in ("none", "auto"):
            raise InputError(f"tokenize={tokenize!r:.20} is not supported", fix="Use none or auto")
        submitter = query.get("submitter", "")
        if team is not None and normalized_submitter(submitter or team) != normalized_submitter(team):
            raise InputError(f"the token belongs to {team}", fix="Submit under the name of this team")
        submission = Submission(
            system=query.get("name", ""),
            predictions=read_outputs(data, file, corpus, self.limits.most_bytes),
            submitter=submitter if team is None else team,
            description=query.get("description", ""),
            links=[query["link"]] if query.get("link") else [],
            file=file,
            tokenize=tokenize,
            clean=query.get("clean") == "yes",
            aligned=query.get("aligned") == "yes",
            year=_year(query.get("year", "")),
            approach=query.get("approach", ""),
            size=query.get("size", ""),
            open_weights={"open": True, "closed": False}.get(query.get("weights", "")),
        )
        return submission, corpus

    def _score(
        self, submission: Submission, corpus: Corpus, resumed: bool, progress: Progress, add: bool = True
    ) -> dict[str, Any]:
        try:
            result = self.worker.run(
                score_upload,
                self.site.board,
                submission,
                corpus,
                self.site.plan.resamples,
                resumed,
                add,
                limits=self.limits.scoring,
                progress=lambda stage, share: progress(stage, 0.8 * share),
            )
        except UnwritableError:
            raise
        except InputError as error:
            raise form_error(error) from error
        if add:
            progress("ranking", 0.9)
            self.site.try_build()
        return result


def create_app(
    store: FolderStore,
    plan: PagePlan,
    limits: UploadLimits = UploadLimits(),  # noqa: B008
    token: str | None = None,
) -> Starlette:
    """Build the page of a board, and return the board's web application.

    Args:
        store: The board.
        plan: What to put on the page. Submissions are accepted for its corpora.
        limits: The limits of uploads.
        token: A token that uploads need, or None if they need none. If the board has team tokens, only these are
            accepted.
    """
    if token is not None and not token.isascii():
        fix = "Set GECBENCH_LEADERBOARD_TOKEN to ASCII letters and digits"
        raise InputError("the token contains characters that are not ASCII", fix=fix)
    per_day = store.settings.per_day
    teams = TeamTokens(store.folder)
    has_teams = teams.load() is not None
    if store.settings.private and plan.corpora and not has_teams:
        fix = f"To prevent this, give each team a token: gecbench leaderboard token --board {store.folder.name} TEAM"
        print(f"gecbench: note: anyone can submit under any name. {fix}", file=sys.stderr, flush=True)
    uploads = {
        "corpora": [corpus.name for corpus in plan.corpora],
        "most_bytes": limits.most_bytes,
        "token": token is not None or has_teams,
        "per_day": per_day,
        "name_required": per_day is not None,
    }
    site = Site(store, replace(plan, server=uploads if plan.corpora else None))
    site.build()
    pending = PendingFolder(store.folder / "waiting")
    daily = None if per_day is None else DailyCount(store.folder / "uploads.json", per_day)
    app = App(site, limits, token, teams, Queue(limits.waiting), Rate(limits.per_minute), daily, pending)
    app.resume()

    @asynccontextmanager
    async def lifespan(_: Starlette) -> AsyncIterator[None]:
        yield
        app.close()

    routes = [
        Route("/api/submissions", app.submit, methods=["POST"]),
        Route("/api/submissions/{job}", app.job),
        Route("/{path:path}", app.page),
    ]
    starlette = Starlette(routes=routes, lifespan=lifespan)
    starlette.add_middleware(SecurityHeaders)
    return starlette


def run(
    store: FolderStore,
    plan: PagePlan,
    limits: UploadLimits,
    token: str | None,
    host: str,
    port: int,
    names: Collection[str] = (),
) -> None:
    """Serve a board until stopped by Ctrl-C.

    `names` are names of the server other than `host`.
    """
    lock = lock_board(store.folder)
    app: Any = create_app(store, plan, limits, token)
    hosts = known_hosts(host, names)
    server = uvicorn.Server(configured(app if hosts is None else KnownHosts(app, hosts), host, port))
    print(f"http://{host}:{port}/  (press Ctrl-C to stop)", flush=True)
    with suppress(KeyboardInterrupt), lock or nullcontext():
        server.run()
    if not server.started:
        raise SystemExit(1)


def refusal(status: int, sentence: str) -> Response:
    """Return an error response with this status and message."""
    return JSONResponse({"error": sentence}, status_code=status)


def _adds(request: Request) -> bool:
    """Return whether to add an upload to the board after scoring it."""
    return bool(request.query_params.get("add") != "no")


def _year(text: str) -> int | None:
    if not text:
        return None
    if not re.fullmatch("[0-9]{4}", text):
        raise InputError(f"{text!r:.20} is not a year", fix="Write a year with four digits")
    return int(text)


def _host_of(connection: Any) -> str | None:
    return connection.client[0] if connection.client else None


def _token(request: Request) -> str:
    return request.headers.get("authorization", "").removeprefix("Bearer ")


def _client(request: Request) -> str:
    return request.client.host if request.client else ""


def _host(origin: str) -> str | None:
    try:
        return urlsplit(origin).netloc
    except ValueError:
        return None


async def _body(request: Request, most_bytes: int) -> bytes:
    declared = request.headers.get("content-length", "0")
    check_size(int(declared) if re.fullmatch("[0-9]{1,18}", declared) else 0, "the upload", most_bytes)
    parts, size = [], 0
    async for part in request.stream():
        size += len(part)
        check_size(size, "the upload", most_bytes)
        parts.append(part)
    return b"".join(parts)
