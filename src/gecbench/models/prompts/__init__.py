"""Named prompts, one file each.

All models and harnesses share these prompts, so that scores of models can be compared.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from gecbench.errors import InputError
from gecbench.formats.text import read_lines

PLACE = "{sentence}"
_FOLDER = Path(__file__).parent
NAMES = tuple(sorted(path.stem for path in _FOLDER.glob("*.txt")))


@dataclass(frozen=True)
class Prompt:
    """A prompt: a name, and a text with `{sentence}` in place of the sentence."""

    name: str
    text: str

    def __post_init__(self) -> None:
        if PLACE not in self.text:
            raise InputError(f"the prompt has no {PLACE}", fix=f"Write {PLACE} where the sentence goes")

    def fill(self, sentence: str) -> str:
        """Return the prompt for a sentence."""
        return self.text.replace(PLACE, sentence)

    def shows(self, sentences: Iterable[str]) -> list[int]:
        """Return the numbers (from 1) of sentences that occur in the prompt.

        Sentences of fewer than four words are ignored.
        """
        enough = 4
        return [k for k, text in enumerate(sentences, start=1) if text in self.text and len(text.split()) >= enough]

    @property
    def label(self) -> str:
        """The name and a short hash of the text, as in signatures."""
        return f"{self.name}:{hashlib.sha256(self.text.encode()).hexdigest()[:8]}"


def find_prompt(wanted: str) -> Prompt:
    """Find a prompt by its name, file or text.

    >>> find_prompt("Correct: {sentence}").name, find_prompt("minimal").fill("He go .").splitlines()[-1]
    ('own', 'He go .')
    """
    if PLACE in wanted:
        return Prompt("own", wanted)
    if wanted in NAMES:
        return Prompt(wanted, _read(_FOLDER / f"{wanted}.txt"))
    if not Path(wanted).is_file():
        fix = f"Give the name of a prompt ({', '.join(NAMES)}), a file, or a text that contains {PLACE}"
        raise InputError(f"unknown prompt {wanted!r}", fix=fix)
    try:
        return Prompt("own", _read(Path(wanted)))
    except InputError as error:
        raise InputError(error.problem, file=wanted, line=error.line, fix=error.fix) from error


def _read(path: Path) -> str:
    return "\n".join(read_lines(path)).strip()
