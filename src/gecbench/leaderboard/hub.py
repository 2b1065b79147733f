"""A board in a dataset repository on the Hugging Face Hub: read as a folder, added to by pull request."""

from __future__ import annotations

import tempfile
from dataclasses import dataclass
from typing import Any

from gecbench.errors import GecbenchError, InputError
from gecbench.leaderboard.records import Details, Record
from gecbench.leaderboard.store import FolderStore
from gecbench.metrics.ratios import percent


class BoardCopy(FolderStore):
    """A copy of a board in a temporary folder, which goes when the copy does."""

    def __init__(self) -> None:
        self._temporary = tempfile.TemporaryDirectory(prefix="gecbench-board-", ignore_cleanup_errors=True)
        super().__init__(self._temporary.name)


@dataclass(frozen=True)
class HubBoard:
    """A dataset repository with `records/` and `details/`, laid out as a board's folder is."""

    repository: str
    revision: str = "main"
    endpoint: str | None = None

    def download(self) -> BoardCopy:
        """Return a copy of the board as it is now."""
        copy = BoardCopy()
        self._call(
            "snapshot_download",
            repo_id=self.repository,
            repo_type="dataset",
            revision=self.revision,
            local_dir=copy.folder,
            allow_patterns=["records/*.json", "details/*.json"],
        )
        return copy

    def add(self, record: Record, details: Details) -> str:
        """Open a pull request that adds the record and its details; return its address."""
        from huggingface_hub import CommitOperationAdd

        files = {f"details/{record.details}.json": details.to_json(), f"records/{record.id}.json": record.to_json()}
        commit = self._call(
            "create_commit",
            repo_id=self.repository,
            repo_type="dataset",
            revision=self.revision,
            operations=[CommitOperationAdd(path, data) for path, data in files.items()],
            commit_message=f"Add {record.system} on {record.corpus}"[:200],
            commit_description=_summary(record),
            create_pr=True,
        )
        return str(commit.pr_url or commit.commit_url)

    def _call(self, name: str, **arguments: Any) -> Any:
        from huggingface_hub import HfApi, constants
        from huggingface_hub.errors import HfHubHTTPError

        if constants.HF_HUB_OFFLINE:
            raise InputError("HF_HUB_OFFLINE is set", fix="Unset it to reach a board on the Hub")
        try:
            return getattr(HfApi(endpoint=self.endpoint), name)(**arguments)
        except HfHubHTTPError as error:
            fix = "Check the name, and log in with hf auth login"
            raise InputError(f"the Hub refused {self.repository}: {_first_line(error)}", fix=fix) from error
        except (OSError, RuntimeError) as error:
            raise GecbenchError(f"the Hub cannot be reached: {_first_line(error)}") from error


def _first_line(error: BaseException) -> str:
    return (str(error).strip() or type(error).__name__).splitlines()[0][:200]


def _summary(record: Record) -> str:
    lines = [
        f"{metric}: {percent(figure['value'])} `{figure['signature']}`" for metric, figure in record.scores.items()
    ]
    return "\n".join(lines)
