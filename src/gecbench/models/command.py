"""`cmd:COMMAND`: a shell command that prints one line for each line it reads."""

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
    """A command run by the shell.

    Sentences go to its standard input, never to the command line. Lines are read as they are printed, so the output of
    a command that crashes is saved. If a command succeeds but prints too few or too many lines, they cannot be paired
    with sentences, and all of them are rejected.
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
            fix = "Give a longer --timeout, or fix the command"
            raise self.failure(f"printed nothing for {self.timeout:g} s {done}", *place, fix=fix)
        if code != 0:
            message = process.last_message()
            printed_error = f", saying {shorten(message)!r}" if message else ""
            how = f"was killed by signal {-code}" if code < 0 else f"ended with exit code {code}"
            raise self.failure(f"{how} {done}{printed_error}", *place, fix="Try the command in a shell")
        if len(printed) != len(sentences):
            raise self._rejection(printed, sentences, first_line)

    def _rejection(self, printed: list[str], sentences: Sequence[str], first_line: int) -> ModelError:
        line = min(len(printed), len(sentences) - 1)
        numbers = f"{counted(len(printed), 'line')} for {counted(len(sentences), 'sentence')}"
        problem = f"printed {numbers}, so they cannot be paired"
        error = self.failure(problem, first_line + line, sentences[line], fix=_ONE_LINE_EACH)
        error.rejected = printed
        return error

    def _encode(self, sentences: Sequence[str], first_line: int) -> bytes:
        for line, sentence in enumerate(sentences, start=first_line):
            if "\n" in sentence:
                raise self.failure(
                    "the sentence contains a line break, so it cannot be sent to a command", line, sentence
                )
            if not sentence.isascii() and sentence != sentence.encode(errors="replace").decode():
                raise self.failure(
                    "the sentence contains a character that cannot be encoded as UTF-8 (a lone surrogate)",
                    line,
                    sentence,
                )
        return "".join(f"{sentence}\n" for sentence in sentences).encode()

    def _decode(self, raw: bytes, line: int, sentence: str) -> str:
        if len(raw) >= _LONGEST:
            raise self.failure(f"printed a line of more than {_LONGEST:,} bytes", line, sentence, fix=_ONE_LINE_EACH)
        try:
            return raw.removesuffix(b"\n").removesuffix(b"\r").decode()
        except UnicodeDecodeError as error:
            problem = f"printed a line that is not UTF-8: byte 0x{raw[error.start]:02x} at offset {error.start}"
            raise self.failure(problem, line, sentence, fix="Make the command print UTF-8") from error


def _decode_lossy(raw: bytes) -> str:
    return raw.decode(errors="replace").rstrip("\r\n")


class _Process:
    """A running command.

    Threads write its input, forward its messages to standard error, and kill it after the timeout.
    """

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
        """Yield the lines that the command prints. The last line may have no newline."""
        while line := self._process.stdout.readline(_LONGEST):
            self._last_line = time.monotonic()
            self._missing -= 1
            yield line

    def wait(self) -> int:
        """Wait for the command to end, and return its exit code."""
        code: int = self._process.wait()
        self._listener.join(timeout=1)
        return code

    def last_message(self) -> str:
        """Return the last line that the command printed to standard error."""
        return self._last_message.decode(errors="replace").strip()

    def kill(self) -> None:
        """Kill the command and its child processes."""
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
        """Kill the command if it prints no line for `timeout` seconds.

        When it ends by itself, kill its child processes.
        """
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
    with suppress(OSError), stdin:  # if the command stops reading, it prints too few lines
        stdin.write(data)
