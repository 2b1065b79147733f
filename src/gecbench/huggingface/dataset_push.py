"""Uploading a built dataset folder to the Hugging Face Hub."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from gecbench.corpora.card import card_problems
from gecbench.corpora.catalog import dataset
from gecbench.corpora.parquet import FINGERPRINTS, verify_dataset
from gecbench.errors import GecbenchError

FILES = ("README.md", "build.py", f"data/{FINGERPRINTS}", "data/**/*.parquet")
BENCHMARK_FILE = "eval.yaml"


class PushError(GecbenchError):
    """The folder must not be uploaded as it is."""


def check_pushable(name: str, folder: Path, *, private: bool, licence_confirmed: bool) -> None:
    """Refuse a folder that is not as it was built, or whose owners gave no licence to redistribute it."""
    problems = [*verify_dataset(name, folder), *card_problems(name, folder / "README.md")]
    if problems:
        raise PushError("not uploaded: " + "; ".join(problems))
    if not (dataset(name).redistributable or private or licence_confirmed):
        raise PushError(
            f"not uploaded: part of {name} was published without a licence. "
            "Upload it as private, or confirm that its owners allow you to redistribute it."
        )


def push_dataset(
    name: str,
    folder: Path,
    repo_id: str,
    *,
    private: bool = False,
    create_pr: bool = False,
    benchmark: bool = False,
    licence_confirmed: bool = False,
    token: str | None = None,
    endpoint: str | None = None,
    message: str | None = None,
) -> str:
    """Upload card and Parquet files and return the commit's address; data files gone locally go there too.

    The folder is verified first. A dataset whose upstream states no licence goes to a public repository only
    when `licence_confirmed`. `benchmark` adds `eval.yaml`, which the Hub checks.
    """
    declared = dataset(name)
    check_pushable(name, folder, private=private, licence_confirmed=licence_confirmed)
    api = _api(endpoint, token)
    try:
        api.create_repo(repo_id, repo_type="dataset", private=private, exist_ok=True)
        commit = api.upload_folder(
            repo_id=repo_id,
            repo_type="dataset",
            folder_path=str(folder),
            allow_patterns=[*FILES, *([BENCHMARK_FILE] if benchmark else [])],
            delete_patterns=["data/**"],
            create_pr=create_pr,
            commit_message=message or f"{declared.title}, version {declared.version}",
        )
    except Exception as error:  # whatever the library raises, its first line says what happened
        words = str(error).strip().partition("\n")[0] or type(error).__name__
        raise PushError(f"{repo_id}: not uploaded: {words}. Log in with hf auth login, and check the name.") from error
    return str(getattr(commit, "pr_url", None) or commit.commit_url)


def _api(endpoint: str | None, token: str | None) -> Any:
    from huggingface_hub import HfApi

    return HfApi(endpoint=endpoint, token=token)
