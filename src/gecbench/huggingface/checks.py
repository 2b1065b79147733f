"""What may go to the Hub: names and addresses it takes, and of a folder only what belongs there and is no secret."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Sequence
from fnmatch import fnmatchcase
from pathlib import Path
from urllib.parse import urlsplit

from gecbench.errors import InputError

_SECRET_NAMES = ("*.pem", "*.key", "*.p12", "*.pfx", "id_rsa*", "id_ed25519*", "*credential*", "*secret*", "*token*")
_SECRETS = re.compile(
    rb"hf_[A-Za-z0-9]{30,}|gh[pousr]_[A-Za-z0-9]{36}|github_pat_[A-Za-z0-9_]{30,}|AKIA[0-9A-Z]{16}"
    rb"|sk-(?:ant|proj|or)-[A-Za-z0-9_-]{20,}|xox[a-z]-[A-Za-z0-9-]{10,}|-----BEGIN [A-Z ]*PRIVATE KEY-----"
)


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


def choose_files(folder: Path, patterns: Sequence[str], built: str | None = None) -> list[str]:
    """Return the files to upload by their paths below the folder, sorted.

    A pattern without a slash means files in the folder itself. Files below `built` are products that may be
    git-ignored, and so may all files of a folder that is ignored as a whole.
    """
    found = [path for path in sorted(folder.rglob("*")) if path.is_file()]
    names = [path.relative_to(folder).as_posix() for path in found]
    wanted = [name for name in names if _belongs(name, patterns)]
    ignored = set() if _ignored(folder.parent, [folder.name]) else _ignored(folder, wanted)
    chosen = [name for name in wanted if name not in ignored or (built and name.startswith(f"{built}/"))]
    for name in chosen:
        _check_place(folder, name)
        _check_content(folder / name)
    return chosen


def _belongs(name: str, patterns: Sequence[str]) -> bool:
    parts = name.split("/")
    if any(part.startswith(".") or part == "__pycache__" for part in parts):
        return False
    if any(fnmatchcase(parts[-1].lower(), secret) for secret in _SECRET_NAMES):
        return False
    return any(fnmatchcase(name, pattern) and ("/" in pattern or "/" not in name) for pattern in patterns)


def _ignored(folder: Path, names: Sequence[str]) -> set[str]:
    if not names:
        return set()
    command = ["git", "-C", str(folder), "check-ignore", "-z", "--stdin"]
    try:
        done = subprocess.run(command, input="\0".join(names).encode(), capture_output=True, check=False)
    except OSError:
        return set()
    return set(done.stdout.decode(errors="surrogateescape").split("\0")) if done.returncode == 0 else set()


def _check_place(folder: Path, name: str) -> None:
    if not (folder / name).resolve().is_relative_to(folder.resolve()):
        raise InputError("points to a place outside the folder", file=str(folder / name), fix="Remove the link")


def _check_content(path: Path) -> None:
    content = path.read_bytes()
    found = _SECRETS.search(content)
    if found is not None:
        line = content.count(b"\n", 0, found.start()) + 1
        raise InputError("looks like a secret; nothing was uploaded", file=str(path), line=line, fix="Remove it")
