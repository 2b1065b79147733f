"""Names and addresses as the Hub takes them."""

from __future__ import annotations

from urllib.parse import urlsplit

from gecbench.errors import InputError


def check_repository(name: str, option: str) -> str:
    """Return a repository's name, `owner/name`, or say what is wrong with it."""
    from huggingface_hub.errors import HFValidationError
    from huggingface_hub.utils import validate_repo_id  # type: ignore[attr-defined]

    try:
        validate_repo_id(name)
    except HFValidationError as error:
        raise InputError(f"{option}: {name!r} is no repository's name", fix="Write owner/name") from error
    if name.count("/") != 1:
        raise InputError(f"{option}: {name!r} has no owner", fix="Write owner/name")
    return name


def check_address(address: str, option: str) -> str:
    """Return an http or https address, or refuse it."""
    try:
        parts = urlsplit(address)
    except ValueError:
        parts = urlsplit("")
    if parts.scheme not in ("http", "https") or not parts.netloc or any(c.isspace() for c in address):
        raise InputError(f"{option}: {address!r} is no http or https address")
    return address
