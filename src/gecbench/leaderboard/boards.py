"""A board by its address: a folder, or a dataset repository on the Hub (`hf://datasets/NAME/BOARD`)."""

from __future__ import annotations

import re
from pathlib import Path

from gecbench.errors import InputError
from gecbench.leaderboard.hub import HubBoard
from gecbench.leaderboard.store import FolderStore

Board = FolderStore | HubBoard
_HUB = "hf://datasets/"


def open_board(address: str) -> Board:
    """Return the board of an address; a folder need not exist yet."""
    if address.startswith(_HUB):
        repository, _, revision = address.removeprefix(_HUB).rstrip("/").partition("@")
        if not re.fullmatch(r"[\w.-]+/[\w.-]+", repository):
            raise InputError(f"{address!r} names no repository", fix=f"Write {_HUB}NAME/BOARD")
        return HubBoard(repository, revision or "main")
    if "://" in address:
        raise InputError(f"cannot open a board at {address!r}", fix=f"Give a folder, or {_HUB}NAME/BOARD")
    if Path(address).exists() and not Path(address).is_dir():
        raise InputError("is a file, where a board's folder is meant", file=address)
    return FolderStore(address)


def local_store(board: Board) -> FolderStore:
    """Return the board as a folder: itself, or a copy of the Hub's."""
    return board if isinstance(board, FolderStore) else board.download()
