"""`cmd:COMMAND`: any shell command that reads sentences, one per line, and prints a line for each."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import suppress
from itertools import islice
from typing import IO, Any, ClassVar

from gecbench.display import shorten
from gecbench.errors import counted
from gecbench.models.base import Model, ModelError, Outputs

_LINGERING = 1.0
_LONGEST = 1_000_000
_ONE_LINE_EACH = "The command must print one line for each line it reads, and nothing else, on standard output"


class CommandModel(Model):
    """A command run through the shell; sentences go to its standard input, never into the command line.

    Lines are taken as they come, so what a command printed before it died is kept. If it ends well but printed too
    few or too many lines, nobody can tell which line belongs to which sentence: all of them are rejected.
    """

    batch: ClassVar[int | None] = None

    def __init__(self, text: str, timeout: float | None = None) -> None:
        super().__init__(text)
        self.command = text.partition(":")[2]
        self.timeout = timeout

    @property
    def name(self) -> str:
        """The command, shortened."""
        return shorten(self.command, 40)

    def correct(self, sentences: Sequence[str], lines: Sequence[int]) -> Outputs:
        """Yield each line as it is printed."""
        first_line = lines[0]
        data = self._encode(sentences, first_line)
        printed: list[str] = []
        with _Process(self.command, data, self.timeout) as process:
            for raw in process.lines():
                if len(printed) == len(sentences):
                    surplus = [raw, *islice(process.lines(), len(sentences))]
                    raise self._rejection([*printed, *map(_decode_lossy, surplus)], sentences, first_line)
                text = self._decode(raw, first_line + len(printed), sentences[len(printed)])
                if not raw.endswith(b"\n") and process.wait() != 0:
                    break
                printed.append(text)
                yield [text]
            self._check_end(process, printed, sentences, first_line)

    def _check_end(self, process: _Process, printed: list[str], sentences: Sequence[str], first_line: int) -> None:
        code = process.wait()
        done = f"after {len(printed)} of {counted(len(sentences), 'line')}"
        line = min(len(printed), len(sentences) - 1)
        place = (first_line + line, sentences[line])
        if process.timed_out:
            fix = "Give a longer --timeout, or correct the command; what it printed is kept"
            raise self.failure(f"printed nothing for {self.timeout:g} s {done}", *place, fix=fix)
        if code != 0:
            message = process.last_message()
            printed_error = f", saying {shorten(message)!r}" if message else ""
            how = f"was ended by signal {-code}" if code < 0 else f"ended with exit code {code}"
            fix = "What it printed is kept: run again to continue from there" if printed else "Try it by hand first"
            raise self.failure(f"{how} {done}{printed_error}", *place, fix=fix)
        if len(printed) != len(sentences):
            raise self._rejection(printed, sentences, first_line)

    def _rejection(self, printed: list[str], sentences: Sequence[str], first_line: int) -> ModelError:
        line = min(len(printed), len(sentences) - 1)
        numbers = f"{counted(len(printed), 'line')} for {counted(len(sentences), 'sentence')}"
        problem = f"printed {numbers}, so nobody can pair them"
        error = self.failure(problem, first_line + line, sentences[line], fix=_ONE_LINE_EACH)
        error.rejected = printed
        return error

    def _encode(self, sentences: Sequence[str], first_line: int) -> bytes:
        for line, sentence in enumerate(sentences, start=first_line):
            if "\n" in sentence:
                raise self.failure("a sentence with a line break cannot go to a command", line, sentence)
            if not sentence.isascii() and sentence != sentence.encode(errors="replace").decode():
                raise self.failure("a sentence with a lone surrogate cannot go to a command", line, sentence)
        return "".join(f"{sentence}\n" for sentence in sentences).encode()

    def _decode(self, raw: bytes, line: int, sentence: str) -> str:
        if len(raw) >= _LONGEST:
            raise self.failure(f"printed a line of more than {_LONGEST} bytes", line, sentence, fix=_ONE_LINE_EACH)
        try:
            return raw.removesuffix(b"\n").removesuffix(b"\r").decode()
        except UnicodeDecodeError as error:
            problem = f"printed a line that is not UTF-8: byte 0x{raw[error.start]:02x} at offset {error.start}"
            raise self.failure(problem, line, sentence, fix="Make the command print UTF-8") from error


def _decode_lossy(raw: bytes) -> str:
    return raw.decode(errors="replace").rstrip("\r\n")


class _Process:
    """A running command: threads feed its input, pass its messages on, and end it when it is silent for too long."""

    def __init__(self, command: str, data: bytes, timeout: float | None) -> None:
        self._process: Any = subprocess.Popen(
            command,
            shell=True,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            start_new_session=os.name == "posix",
        )
        self.timed_out = False
        self._last_message = b""
        self._last_line = time.monotonic()
        self._ended = threading.Event()
        threading.Thread(target=_feed, args=(self._process.stdin, data), daemon=True).start()
        self._listener = threading.Thread(target=self._listen, daemon=True)
        self._listener.start()
        self._missing = data.count(b"\n")
        threading.Thread(target=self._supervise, args=(timeout,), daemon=True).start()

    def __enter__(self) -> _Process:
        return self

    def __exit__(self, *_: object) -> None:
        self.kill()
        self.wait()
        self._ended.set()
        self._process.stdout.close()

    def lines(self) -> Iterator[bytes]:
        """Yield the lines it prints; the last may lack its newline."""
        while line := self._process.stdout.readline(_LONGEST):
            self._last_line = time.monotonic()
            self._missing -= 1
            yield line

    def wait(self) -> int:
        """Return its exit code, once it has ended."""
        code: int = self._process.wait()
        self._listener.join(timeout=1)
        return code

    def last_message(self) -> str:
        """Return the last line of its messages on standard error."""
        return self._last_message.decode(errors="replace").strip()

    def kill(self) -> None:
        """End it, and what it started."""
        if self._process.returncode is None:
            self._kill_group()

    def _kill_group(self) -> None:
        if os.name == "posix":
            with suppress(ProcessLookupError, PermissionError):
                os.killpg(self._process.pid, signal.SIGKILL)
        else:
            tree = ["taskkill", "/F", "/T", "/PID", str(self._process.pid)]
            subprocess.run(tree, capture_output=True, check=False)

    def _listen(self) -> None:
        with self._process.stderr as stderr:
            while line := stderr.readline(_LONGEST):
                self._last_message = line if line.strip() else self._last_message
                sys.stderr.write(line.decode(errors="replace"))

    def _supervise(self, timeout: float | None) -> None:
        """End the command after `timeout` seconds without a line, and what it left running once it is done."""
        pause = min(_LINGERING / 2, timeout or _LINGERING)
        while not self._ended.wait(pause):
            silence = time.monotonic() - self._last_line
            if timeout and silence >= timeout:
                self.timed_out = self._missing > 0 or self._process.poll() is None
            elif self._missing > 0 or silence < _LINGERING or self._process.poll() is None:
                continue
            self._kill_group()
            return


def _feed(stdin: IO[bytes], data: bytes) -> None:
    with suppress(OSError), stdin:  # if it stops reading, the number of its lines shows that
        stdin.write(data)
