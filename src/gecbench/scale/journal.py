"""An unfinished stream on disk: how far it came, all that it carries, and the tables written so far."""

from __future__ import annotations

import hashlib
import io
import json
import shutil
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

import numpy as np

from gecbench.errors import InputError
from gecbench.formats.locks import lock
from gecbench.formats.text import write_bytes
from gecbench.metrics.stream import Stream
from gecbench.version import __version__

if TYPE_CHECKING:
    import pyarrow

_STATE = "state.npz"
_LOCK = "lock"
_FACTS = "facts"


class Journal:
    """A folder beside the table of sentences, or in the current one, that is gone when the run is complete.

    The state is replaced as a whole. Parts of the table are closed before the state that counts them is written, so
    that whatever a kill leaves behind them is written again; they stay until the whole table is in its place. A lock
    keeps the folder for one run at a time.
    """

    def __init__(self, key: Mapping[str, object], target: Path | None) -> None:
        self._key = json.loads(json.dumps({**key, "version": __version__}))
        name = hashlib.sha256(json.dumps(self._key, sort_keys=True).encode()).hexdigest()[:8]
        self.folder = Path(f"{target}.journal") if target else Path(f"gecbench-{name}.journal")
        self._target = target
        self._parts = 0
        self._writer: Any = None
        self._lock: IO[bytes] | None = None

    def load(self, streams: Mapping[str, Stream], resume: bool) -> dict[str, Any]:
        """Return the facts of an unfinished run whose streams go on, or none for a new one."""
        path = self.folder / _STATE
        if path.exists():
            self._own()
        if not resume:
            if path.exists():
                fix = "Go on with --resume, or delete the folder"
                raise InputError("an unfinished run is here", file=str(self.folder), fix=fix)
            return {}
        if not path.exists():
            raise InputError("no unfinished run is here", file=str(self.folder), fix="Start it without --resume")
        try:
            with np.load(path, allow_pickle=False) as state:
                arrays = dict(state)
            facts: dict[str, Any] = json.loads(str(arrays.pop(_FACTS)))
        except (OSError, ValueError, KeyError) as error:
            raise InputError("is not the state of a run", file=str(path), fix="Delete the folder") from error
        if facts["key"] != self._key:
            raise InputError("belongs to a run with other files or options", file=str(self.folder), fix="Delete it")
        for number, (name, stream) in enumerate(streams.items()):
            ours = {key.partition(".")[2]: each for key, each in arrays.items() if key.startswith(f"{number}.")}
            stream.restore(facts["streams"][name], ours)
        self._parts = int(facts["parts"])
        return facts

    def save(self, streams: Mapping[str, Stream], facts: Mapping[str, Any]) -> None:
        """Write how far the run came."""
        self._own()
        self._close_part()
        arrays: dict[str, Any] = {}
        known: dict[str, object] = {}
        for number, (name, stream) in enumerate(streams.items()):
            known[name], ours = stream.state()
            arrays |= {f"{number}.{key}": each for key, each in ours.items()}
        arrays[_FACTS] = json.dumps({**facts, "key": self._key, "streams": known, "parts": self._parts})
        content = io.BytesIO()
        np.savez(content, **arrays)
        write_bytes(self.folder / _STATE, content.getvalue(), durable=True)

    def write(self, table: pyarrow.Table) -> None:
        """Append to the part of the table that is open."""
        import pyarrow.parquet

        if self._writer is None:
            self._own()
            self._writer = pyarrow.parquet.ParquetWriter(self._part(self._parts), table.schema, compression="zstd")
        self._writer.write_table(table)

    def finish(self) -> None:
        """Put the table together where it belongs, and delete the folder."""
        self._close_part()
        if self._target and self._parts:
            self._join().replace(self._target)
        self.discard()

    def discard(self) -> None:
        """Delete the folder, if it is this run's; the state first, so that nobody goes on with half of it."""
        is_ours = self._lock is not None
        self.close()
        if is_ours:
            with suppress(OSError):
                (self.folder / _STATE).unlink(missing_ok=True)
            shutil.rmtree(self.folder, ignore_errors=True)

    def leave(self) -> None:
        """Leave the folder as the last state has it, or none if there is no state."""
        if (self.folder / _STATE).exists():
            self.close()
        else:
            self.discard()

    def close(self) -> None:
        """Let go of the open part and of the folder."""
        self._close_part()
        if self._lock is not None:
            self._lock.close()
            self._lock = None

    def _own(self) -> None:
        """Take the folder for this run."""
        if self._lock is None:
            self.folder.mkdir(exist_ok=True)
            file = (self.folder / _LOCK).open("wb")
            try:
                lock(file, str(self.folder), "Wait for it, or write to another --per-sentence FILE")
            except InputError:
                file.close()
                raise
            self._lock = file

    def _close_part(self) -> None:
        if self._writer is not None:
            self._writer.close()
            self._writer = None
            self._parts += 1

    def _join(self) -> Path:
        import pyarrow.parquet

        whole = self.folder / "whole.parquet"
        schema = pyarrow.parquet.read_schema(self._part(0))
        with pyarrow.parquet.ParquetWriter(whole, schema, compression="zstd") as writer:
            for number in range(self._parts):
                for batch in pyarrow.parquet.ParquetFile(self._part(number)).iter_batches():
                    writer.write_batch(batch)
        return whole

    def _part(self, number: int) -> Path:
        return self.folder / f"part-{number:06d}.parquet"
