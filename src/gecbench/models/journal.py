"""The partial file of a run: outputs appended as they come, so that a killed run can go on."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import Any

from gecbench.errors import InputError
from gecbench.formats.locks import lock
from gecbench.models.base import Answer


class Journal:
    """A JSON Lines file beside the output: a header that says whose outputs these are, then one row per sentence.

    They stand in the order in which they came. Rows go to the system in one write each time, so a kill leaves whole
    rows and at most one torn one at the end, which is dropped when the file is opened again.
    """

    def __init__(self, path: Path, header: Mapping[str, object], *, restart: bool = False) -> None:
        self.path = path
        self.answers: dict[int, Answer] = {}
        self._header = dict(header)
        self._sentences = int(str(header["sentences"]))
        self._finished = False
        if path.is_symlink() or (path.exists() and not path.is_file()):
            raise InputError("is no plain file", file=str(path), fix="Choose another -o")
        try:
            self._file = path.open("a+b", buffering=0)
        except OSError as error:
            raise InputError(f"cannot write: {error.strerror}", file=str(path)) from error
        try:
            lock(self._file, str(self.path), "Choose another -o")
            if restart:
                self._file.truncate(0)
            self._recover()
        except BaseException:
            self._file.close()
            raise

    def __enter__(self) -> Journal:
        return self

    def __exit__(self, kind: object, *_: object) -> None:
        self._file.close()
        if self._finished or (kind is not None and not self.answers):
            self.path.unlink(missing_ok=True)

    def append(self, answers: Sequence[Answer]) -> None:
        """Add answers as they come."""
        rows = [{"line": each.line, "prediction": each.text, **each.facts} for each in answers]
        self._write("".join(f"{json.dumps(row)}\n" for row in rows))
        self.answers |= {each.line: each for each in answers}

    def cut(self, rows: int) -> None:
        """Keep the answers that came first only."""
        kept = self._content().split(b"\n")[: rows + 1]
        self._file.truncate(sum(len(row) + 1 for row in kept))
        self.answers = dict(islice(self.answers.items(), rows))

    def finish(self) -> None:
        """Have the file deleted when it is closed: the run is complete and written elsewhere."""
        self._finished = True

    def _write(self, text: str) -> None:
        data = text.encode()
        try:
            while data:
                data = data[self._file.write(data) :]
        except OSError as error:
            raise InputError(f"cannot write: {error.strerror}", file=str(self.path)) from error

    def _content(self) -> bytes:
        self._file.seek(0)
        return self._file.read()

    def _recover(self) -> None:
        """Read the answers; only a file that is ours throughout is changed."""
        content = self._content()
        *rows, torn = content.split(b"\n")
        header = f"{json.dumps(self._header)}\n"
        if not rows:
            if not header.encode().startswith(torn):
                raise self._damage(1)
            self._file.truncate(0)
            self._write(header)
            return
        found = self._row(rows[0], 1)
        if found != self._header:
            raise InputError(
                f"holds the outputs of another run ({_difference(found, self._header)})",
                file=str(self.path),
                fix="Choose another -o, or discard them with --restart",
            )
        for number, row in enumerate(rows[1:], start=2):
            fields = self._row(row, number)
            line, text = fields.pop("line", None), fields.pop("prediction", None)
            known = type(line) is int and isinstance(text, str) and 0 < line <= self._sentences and _is_text(text)
            if not known or line in self.answers:
                raise self._damage(number)
            self.answers[line] = Answer(line, text, fields)
        self._file.truncate(len(content) - len(torn))

    def _row(self, row: bytes, number: int) -> dict[str, Any]:
        try:
            fields = json.loads(row)
        except (ValueError, RecursionError) as error:
            raise self._damage(number) from error
        if not isinstance(fields, dict):
            raise self._damage(number)
        return fields

    def _damage(self, number: int) -> InputError:
        return InputError("damaged", file=str(self.path), line=number, fix="Discard it with --restart")


def _is_text(text: str) -> bool:
    return not any("\ud800" <= character <= "\udfff" for character in text)


def _difference(found: Mapping[str, object], wanted: Mapping[str, object]) -> str:
    keys = [key for key in wanted if found.get(key) != wanted[key]]
    return "; ".join(f"{key}: {found.get(key)!r}, not {wanted[key]!r}" for key in keys) or "other fields"
