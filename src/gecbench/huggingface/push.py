"""Upload a metric module, a built dataset or a leaderboard page to the Hub."""

from __future__ import annotations

import glob
import json
import re
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from gecbench.corpora.build import FINGERPRINTS, folder_problems
from gecbench.corpora.catalog import DATASETS, modules_folder
from gecbench.corpora.declaration import DatasetDeclaration
from gecbench.errors import GecbenchError, InputError, counted

CARD = "README.md"
TASKS_FILE = "eval.yaml"
_PAGE_ENDINGS = (
    *("html", "css", "js", "mjs", "json", "jsonl", "csv", "svg", "png", "webp", "ico"),
    *("woff2", "webmanifest", "txt", "md", "gz"),
)
_BOARD_FILES = (
    *("board.json", "teams.json", "uploads.json", "*/teams.json", "*/uploads.json"),
    *(f"{place}{name}/*" for name in ("records", "details", "tests", "waiting") for place in ("", "*/")),
)
_FREE = "apache-2.0|mit|bsd.*|cc0.*|cc-by.*|odc-by|odbl|gpl.*|openrail.*|unlicense"
_SECRET_NAMES = ("*.pem", "*.key", "*.p12", "*.pfx", "id_rsa*", "id_ed25519*", "*credential*", "*secret*", "*token*")
_SECRETS = re.compile(
    rb"hf_[A-Za-z0-9]{30,}|gh[pousr]_[A-Za-z0-9]{36}|github_pat_[A-Za-z0-9_]{30,}|AKIA[0-9A-Z]{16}"
    rb"|sk-(?:ant|proj|or)-[A-Za-z0-9_-]{20,}|xox[a-z]-[A-Za-z0-9-]{10,}|-----BEGIN [A-Z ]*PRIVATE KEY-----"
)


class PushError(GecbenchError):
    """The folder cannot be uploaded, or the Hub rejected it."""


@dataclass(frozen=True)
class RepoType:
    """A kind of folder that can be uploaded.

    `repository` is the type of the Hub repository. `patterns` match the files to upload. `modules` is the name of
    the folder of gecbench's metrics or datasets, which can be given by name. `ready` is a file that must exist, and
    `make` tells the user how to create it. Files that match `withheld` are never uploaded. Git-ignored files are not
    uploaded, except those below `built`. An upload deletes the files in the repository that match `prune` and are not
    uploaded.
    """

    repository: str
    patterns: tuple[str, ...]
    modules: str | None
    ready: str
    make: str
    built: str | None = None
    prune: tuple[str, ...] = ()
    withheld: tuple[str, ...] = ()


REPO_TYPES: Mapping[str, RepoType] = {
    "metric": RepoType(
        "space", (CARD, "*.py", "requirements.txt"), "metrics", "{name}.py", "Give the folder of a metric module"
    ),
    "dataset": RepoType(
        "dataset",
        (CARD, "build.py", f"data/{FINGERPRINTS}", "data/*.parquet"),
        "datasets",
        "data/**/*.parquet",
        "Build it first: gecbench data build {name}",
        built="data",
        prune=("data/*",),
    ),
    "leaderboard": RepoType(
        "space",
        (*(f"*.{ending}" for ending in _PAGE_ENDINGS), *(f"*/*.{ending}" for ending in _PAGE_ENDINGS)),
        None,
        "index.html",
        "Build the page first: gecbench leaderboard build",
        withheld=_BOARD_FILES,
    ),
}


@dataclass(frozen=True)
class Upload:
    """The plan of an upload: the folder, its files to upload, and the destination."""

    kind: str
    folder: Path
    repository: str
    repository_type: str
    sdk: str | None
    files: tuple[str, ...]
    private: bool
    pull_request: bool
    prune: tuple[str, ...]
    message: str

    def describe(self) -> str:
        """Return the files with their sizes, and their destination."""
        sizes = [(self.folder / name).stat().st_size for name in self.files]
        width = max(map(len, self.files))
        listed = [f"  {name:<{width}}  {size:>11,} bytes" for name, size in zip(self.files, sizes, strict=True)]
        marks = {f"sdk {self.sdk}": self.sdk, "private": self.private, "as a pull request": self.pull_request}
        how = ", ".join(mark for mark, holds in marks.items() if holds)
        target = f"{self.kind} {self.folder} → {self.repository_type} {self.repository}{f' ({how})' if how else ''}"
        return "\n".join([target, *listed, f"{counted(len(self.files), 'file')}, {counted(sum(sizes), 'byte')}"])


def plan_push(
    kind: str,
    what: str,
    repository: str,
    *,
    private: bool = False,
    pull_request: bool = False,
    benchmark: bool = False,
    license_confirmed: bool = False,
    prune: bool = False,
) -> Upload:
    """Check a folder and plan its upload, without network access.

    `what` is a folder, or the name of a metric or dataset of gecbench. `benchmark` adds a dataset's `eval.yaml`.
    `prune` deletes files in the repository that are not uploaded.
    """
    form = REPO_TYPES[kind]
    check_repository(repository, "--repo")
    folder = _find_folder(form, what)
    header = _card_header(folder)
    ready = form.ready.format(name=folder.name)
    if not any(folder.glob(ready)):
        raise InputError(
            f"cannot be uploaded, because {ready} is missing", file=str(folder), fix=form.make.format(name=folder.name)
        )
    message = f"{kind} {folder.resolve().name}, by gecbench"
    if kind == "dataset":
        declared = _declaration(folder)
        _check_dataset(folder, declared, header, may_share=private or license_confirmed)
        message = f"{declared.title}, version {declared.version}" if declared else message
    patterns = (*form.patterns, *([TASKS_FILE] if benchmark and kind == "dataset" else []))
    files = files_to_upload(folder, patterns, form.built, form.withheld)
    if CARD not in files:
        raise InputError("is git-ignored, but the Hub needs it", file=str(folder / CARD), fix="Change .gitignore")
    sdk = _sdk(header, folder) if form.repository == "space" else None
    pruned = ("*",) if prune else form.prune
    return Upload(kind, folder, repository, form.repository, sdk, tuple(files), private, pull_request, pruned, message)


def push(plan: Upload, *, endpoint: str | None = None) -> str:
    """Upload the files of a plan, and return the URL of the commit or pull request.

    huggingface_hub's login is used.
    """
    target = {"repo_id": plan.repository, "repo_type": plan.repository_type}
    with logged_in(plan.repository, endpoint) as api:
        if not plan.pull_request:
            api.create_repo(**target, private=plan.private or None, exist_ok=True, space_sdk=plan.sdk)
        if plan.private:
            _check_private(api, plan)
        commit = api.upload_folder(
            **target,
            folder_path=str(plan.folder),
            allow_patterns=[glob.escape(name) for name in plan.files],
            delete_patterns=list(plan.prune) or None,
            create_pr=plan.pull_request,
            commit_message=plan.message,
        )
        return str(getattr(commit, "pr_url", None) or commit.commit_url)


def _check_private(api: Any, plan: Upload) -> None:
    """Raise an error for --private if the repository already exists and is public."""
    found = api.repo_info(plan.repository, repo_type=plan.repository_type)
    if found.private is not True:
        raise PushError(
            f"{plan.repository}: not uploaded: the repository is public. "
            "Make it private in its settings, choose another repository, or leave out --private."
        )


@contextmanager
def logged_in(repository: str, endpoint: str | None = None) -> Iterator[Any]:
    """Yield huggingface_hub's API for an upload, and report errors in one sentence."""
    from huggingface_hub import HfApi, get_token

    if get_token() is None:
        raise InputError("you are not logged in to the Hugging Face Hub", fix="Run: hf auth login (or set HF_TOKEN)")
    try:
        yield HfApi(endpoint=endpoint)
    except GecbenchError:
        raise
    except Exception as error:  # any kind of error: the first line of its message explains it
        words = str(error).strip().partition("\n")[0] or type(error).__name__
        reason = " ".join(str(getattr(error, "server_message", None) or "").split())
        raise PushError(f"{repository}: not uploaded: {words}{f' ({reason})' if reason else ''}") from error


def _find_folder(form: RepoType, what: str) -> Path:
    if form.modules is not None and re.fullmatch(r"[\w-]+", what):
        places = [Path(form.modules)]
        with suppress(InputError):
            places.append(modules_folder(form.modules))
        for place in places:
            if (place / what).is_dir():
                return place / what
    folder = Path(what)
    if not folder.is_dir():
        if form.modules == "datasets" and what in DATASETS:
            raise InputError(f"{what} is not built here", fix=f"Build it first: gecbench data build {what}")
        known = f"Give the name of one of gecbench's {form.modules}, or an existing folder"
        fix = known if form.modules else "Give the folder of the page, or build it first: gecbench leaderboard build"
        raise InputError("no such folder", file=what, fix=fix)
    return folder.resolve() if folder.name in ("", "..") else folder


def _card_header(folder: Path) -> dict[str, Any]:
    import yaml

    card = folder / CARD
    found = re.match(r"---\n(.*?)\n---\n", card.read_text(encoding="utf-8"), re.DOTALL) if card.is_file() else None
    header = yaml.safe_load(found[1]) if found else None
    if not isinstance(header, dict):
        raise InputError(
            "is missing or has no YAML header",
            file=str(card),
            fix="Start this file with a YAML header, because the Hub requires it",
        )
    return header


def _sdk(header: Mapping[str, Any], folder: Path) -> str:
    sdk = header.get("sdk")
    if sdk not in ("static", "gradio", "docker"):
        raise InputError("the YAML header has no valid sdk", file=str(folder / CARD), fix="Write sdk: static")
    return str(sdk)


def _declaration(folder: Path) -> DatasetDeclaration | None:
    """Return the dataset of gecbench in a folder, by its name or its fingerprints."""
    if folder.name in DATASETS:
        return DATASETS[folder.name]
    try:
        built = json.loads((folder / "data" / FINGERPRINTS).read_text(encoding="utf-8"))
        return DATASETS.get(str(built["dataset"]))
    except (OSError, ValueError, KeyError, TypeError):
        return None


def _check_dataset(
    folder: Path, declared: DatasetDeclaration | None, header: Mapping[str, Any], *, may_share: bool
) -> None:
    """Raise an error if a dataset was changed or may not be redistributed.

    A dataset of gecbench must be as gecbench builds it. For another dataset, only the license in its card is checked.
    """
    if declared is None:
        if not may_share:
            _check_license(header, folder)
        return
    if problems := folder_problems(declared.name, folder):
        raise PushError("not uploaded: " + "; ".join(problems))
    if not (declared.redistributable or may_share):
        raise PushError(
            f"not uploaded: {declared.name}, or part of it, may not be redistributed ({declared.homepage}). "
            "Upload it with --private, or with --license-confirmed if its owners allow you to redistribute it."
        )


def _check_license(header: Mapping[str, Any], folder: Path) -> None:
    given = header.get("license") or []
    names = [given] if isinstance(given, str) else list(given)
    if not names or not all(re.fullmatch(_FREE, str(name)) for name in names):
        named = ", ".join(map(str, names)) or "none"
        raise InputError(
            f"the dataset's license ({named}) does not allow everyone to redistribute the data",
            file=str(folder / CARD),
            fix="Upload the data with --private, or with --license-confirmed if the owners let you redistribute it",
        )


def files_to_upload(
    folder: Path, patterns: Sequence[str], built: str | None = None, withheld: Sequence[str] = ()
) -> list[str]:
    """Return the files to upload by their paths below the folder, sorted.

    A pattern without a slash matches only files directly in the folder. Files that match `withheld` are left out.
    Git-ignored files are left out, too, except for files below `built`, or if the whole folder is ignored.
    """
    found = [path for path in sorted(folder.rglob("*")) if path.is_file()]
    names = [path.relative_to(folder).as_posix() for path in found]
    wanted = [name for name in names if _should_upload(name, patterns) and not _matches(name, withheld)]
    ignored = set() if _git_ignored(folder.parent, [folder.name]) else _git_ignored(folder, wanted)
    chosen = [name for name in wanted if name not in ignored or (built and name.startswith(f"{built}/"))]
    for name in chosen:
        _check_inside(folder, name)
        _check_no_secret(folder / name)
    return chosen


def _should_upload(name: str, patterns: Sequence[str]) -> bool:
    parts = name.split("/")
    if any(part.startswith(".") or part == "__pycache__" for part in parts):
        return False
    if any(fnmatchcase(parts[-1].lower(), secret) for secret in _SECRET_NAMES):
        return False
    return _matches(name, patterns)


def _matches(name: str, patterns: Sequence[str]) -> bool:
    return any(fnmatchcase(name, pattern) and ("/" in pattern or "/" not in name) for pattern in patterns)


def _git_ignored(folder: Path, names: Sequence[str]) -> set[str]:
    if not names:
        return set()
    command = ["git", "-C", str(folder), "check-ignore", "-z", "--stdin"]
    try:
        done = subprocess.run(command, input="\0".join(names).encode(), capture_output=True, check=False)
    except OSError:
        return set()
    return set(done.stdout.decode(errors="surrogateescape").split("\0")) if done.returncode == 0 else set()


def _check_inside(folder: Path, name: str) -> None:
    if not (folder / name).resolve().is_relative_to(folder.resolve()):
        raise InputError("links to a file outside the folder", file=str(folder / name), fix="Remove the link")


def _check_no_secret(path: Path) -> None:
    content = path.read_bytes()
    found = _SECRETS.search(content)
    if found is not None:
        line = content.count(b"\n", 0, found.start()) + 1
        raise InputError(
            "seems to contain an API key or token, so nothing was uploaded",
            file=str(path),
            line=line,
            fix="Remove the key",
        )


def check_repository(name: str, option: str) -> str:
    """Return a repository's name `owner/name`, or raise an error naming the option."""
    from huggingface_hub.errors import HFValidationError
    from huggingface_hub.utils import validate_repo_id  # type: ignore[attr-defined]

    try:
        validate_repo_id(name)
    except HFValidationError as error:
        raise InputError(f"{option}: {name!r} is not a repository name", fix="Write owner/name") from error
    if name.count("/") != 1:
        raise InputError(f"{option}: {name!r} has no owner", fix="Write owner/name")
    return name


def check_address(address: str, option: str) -> str:
    """Return an http or https address, or raise an error."""
    try:
        parts = urlsplit(address)
    except ValueError:
        parts = urlsplit("")
    if parts.scheme not in ("http", "https") or not parts.netloc or any(c.isspace() for c in address):
        raise InputError(f"{option}: {address!r} is not an http or https address", fix="Write https://…")
    return address
