"""Checks of a record's fields, one small function per kind of value; each fault is a sentence."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from datetime import date
from typing import Any
from urllib.parse import urlsplit

from gecbench.display import is_plain
from gecbench.errors import InputError

Check = Callable[[object, str], None]

LONGEST_NAME = 200
LONGEST_TEXT = 2_000
MOST_LINKS = 10
METRIC_NAME = re.compile(r"[a-z][a-z0-9_-]{0,39}")
DIGEST = re.compile(r"[0-9a-f]{64}")


def check_fields(data: object, fields: Mapping[str, Check], where: str = "record") -> None:
    """Refuse a value that is not an object with exactly these fields, each passing its check."""
    if not isinstance(data, dict):
        raise InputError(f"{where} is not a JSON object")
    if missing := sorted(set(fields) - set(data)):
        raise InputError(f"{where} has no {', '.join(missing)}")
    if unknown := sorted(set(data) - set(fields)):
        raise InputError(f"{where} has unknown fields: {', '.join(map(str, unknown))[:200]}")
    for name, check in fields.items():
        check(data[name], name)


def such_that(holds: Callable[[Any], bool], words: str) -> Check:
    """Return a check that refuses a value for which this does not hold, saying in words what it is not."""

    def check(value: object, where: str) -> None:
        if isinstance(value, bool) or not holds(value):
            raise InputError(f"{where} is {value!r:.80}, not {words}")

    return check


def string(value: object, where: str) -> None:
    """Refuse what is not text."""
    if not isinstance(value, str):
        raise InputError(f"{where} is not text")


def truth(value: object, where: str) -> None:
    """Refuse what is neither true nor false."""
    if not isinstance(value, bool):
        raise InputError(f"{where} is neither true nor false")


def text(longest: int = LONGEST_TEXT, *, empty: bool = True) -> Check:
    """Return a check for one line of printable text."""

    def check(value: object, where: str) -> None:
        string(value, where)
        value = str(value)
        if not value.strip() and not empty:
            raise InputError(f"{where} is empty", fix=f"Give a {where}")
        if len(value) > longest:
            raise InputError(f"{where} has {len(value)} characters, more than {longest}", fix="Shorten it")
        if not (value.isprintable() or all(map(is_plain, value))):
            raise InputError(
                f"{where} holds a control character or a mark of direction", fix="Write it on one line of plain text"
            )

    return check


def one_of(*allowed: object) -> Check:
    """Return a check for one of some values."""
    return such_that(lambda value: value in allowed, f"one of {', '.join(map(repr, allowed))}")


def optional(check: Check) -> Check:
    """Return a check that lets None pass too."""
    return lambda value, where: None if value is None else check(value, where)


def list_of(check: Check, most: int = 10**9) -> Check:
    """Return a check for a list of at most `most` values."""

    def check_all(value: object, where: str) -> None:
        if not isinstance(value, (list, tuple)):
            raise InputError(f"{where} is not a list")
        if len(value) > most:
            raise InputError(f"{where} has {len(value)} entries, more than {most}")
        for i, item in enumerate(value):
            check(item, f"{where}[{i}]")

    return check_all


def fields_of(fields: Mapping[str, Check]) -> Check:
    """Return a check for an object with these fields."""
    return lambda value, where: check_fields(value, fields, where)


def mapping_of(names: re.Pattern[str], check: Check, most: int = 50) -> Check:
    """Return a check for an object of at most `most` keys, all of one form."""

    def check_all(value: object, where: str) -> None:
        if not isinstance(value, dict):
            raise InputError(f"{where} is not a JSON object")
        if len(value) > most:
            raise InputError(f"{where} has {len(value)} entries, more than {most}")
        for name, item in value.items():
            if not names.fullmatch(name):
                raise InputError(f"{where} has the key {name!r:.80}", fix="Keys are short lower-case names")
            check(item, f"{where}.{name}")

    return check_all


number = such_that(lambda value: isinstance(value, (int, float)) and -1e6 < value < 1e6, "a number below a million")
count = such_that(lambda value: isinstance(value, int) and value >= 0, "a whole number of at least 0")
digest = such_that(lambda value: isinstance(value, str) and bool(DIGEST.fullmatch(value)), "a SHA-256")


def day(value: object, where: str) -> None:
    """Refuse what is not a date such as 2026-11-17, or its year or month alone."""
    form = re.fullmatch(r"(\d{4})(?:-(\d\d)(?:-(\d\d))?)?", value) if isinstance(value, str) else None
    try:
        if form and date(int(form[1]), int(form[2] or 1), int(form[3] or 1)):
            return
    except ValueError:
        pass
    raise InputError(f"{where} is {value!r:.80}, not a date", fix="Write it as 2026-11-17")


def web_address(value: object, where: str) -> None:
    """Refuse what is not an absolute http or https address."""
    text(500, empty=False)(value, where)
    try:
        parts = urlsplit(str(value))
        good = parts.scheme in ("http", "https") and bool(parts.hostname) and " " not in str(value)
    except ValueError:
        good = False
    if not good:
        raise InputError(f"{where} is {value!r:.80}", fix="Links start with http:// or https://")


LINK: Mapping[str, Check] = {"title": text(LONGEST_NAME), "url": web_address}
