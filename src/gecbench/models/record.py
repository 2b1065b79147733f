"""The record of a run, beside its outputs: which model made them, asked how, of which sentences."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

from gecbench.corpus.corpus import Corpus
from gecbench.errors import InputError
from gecbench.formats.text import read_text, write_bytes
from gecbench.models.base import Model
from gecbench.version import __version__

ENDING = ".run.json"
_MADE_BY = "Give what gecbench run wrote: its outputs, or the folder with them"


@dataclass(frozen=True)
class Run:
    """A finished run: its outputs' file, and its record."""

    outputs: Path
    record: Mapping[str, Any]

    @property
    def corpus(self) -> str | None:
        """The name of the corpus, if it has one that can be resolved."""
        corpus = self.record["corpus"]
        if "dataset" in corpus:
            return f"{corpus['dataset']}:{corpus['config']}:{corpus['split']}"
        return "demo" if corpus["name"] == "demo" else None

    @property
    def raw(self) -> bool:
        """Whether the model got natural sentences."""
        return bool(self.record["raw"])

    @property
    def notes(self) -> str:
        """Model, revision, prompt and what was not answered, in one line."""
        record = self.record
        outcomes = record.get("outcomes", {})
        parts = {
            "model": record["options"].get("name") or record["model"],
            "revision": record["revision"],
            "served": ", ".join(record.get("served", ())),
            "prompt": record["prompt"],
            "not answered": sum(outcomes.get(name, 0) for name in ("refused", "empty", "too long")),
        }
        return "; ".join(f"{name}: {value}" for name, value in parts.items() if value)

    def check_corpus(self, corpus: Corpus) -> None:
        """Refuse a corpus whose sentences are not those that the model corrected."""
        if _fingerprint(corpus) != self.record["corpus"]["sources"]:
            raise InputError(
                f"corrects other sentences than those of {corpus.name or 'this corpus'}", file=str(self.outputs)
            )


def record_path(output: Path) -> Path:
    """Return where the record of a run is kept."""
    return Path(f"{output}{ENDING}")


def write_record(output: Path, model: Model, corpus: Corpus, account: Mapping[str, Any], *, raw: bool) -> None:
    """Write down how outputs were made."""
    known = {key: corpus.metadata[key] for key in ("dataset", "config", "split") if key in corpus.metadata}
    record = {
        "gecbench": "run",
        "version": __version__,
        "finished": datetime.now(timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ"),
        "model": model.text,
        "revision": model.revision,
        "options": dict(model.options),
        "prompt": model.prompt.label if model.prompt else None,
        "corpus": {"name": corpus.name, **known, "sentences": len(corpus), "sources": _fingerprint(corpus)},
        "raw": raw,
        "outputs": _digest(output),
        **account,
    }
    write_bytes(record_path(output), f"{json.dumps(record, ensure_ascii=False, indent=2)}\n".encode())


def read_run(place: str | Path) -> Run:
    """Return the run whose outputs, record or folder is named."""
    path = Path(place)
    if path.is_dir():
        found = sorted(path.glob(f"*{ENDING}"))
        if len(found) != 1:
            raise InputError(f"{len(found)} records of runs in this folder", file=str(place), fix=_MADE_BY)
        path = found[0]
    outputs = path.with_name(path.name.removesuffix(ENDING))
    if not record_path(outputs).is_file():
        raise InputError("no record of a run beside it", file=str(outputs), fix=_MADE_BY)
    try:
        record = json.loads(read_text(record_path(outputs)))
        complete = record["gecbench"] == "run" and {"model", "revision", "options", "prompt", "raw"} <= set(record)
        changed = _digest(outputs) != record["outputs"]
    except (ValueError, KeyError, TypeError) as error:
        raise InputError("not the record of a run", file=str(record_path(outputs)), fix=_MADE_BY) from error
    except OSError as error:
        raise InputError(f"cannot be read: {error.strerror}", file=str(outputs)) from error
    if not complete:
        raise InputError("not the record of a run", file=str(record_path(outputs)), fix=_MADE_BY)
    if changed:
        raise InputError("not as the run left it", file=str(outputs), fix="Run it again")
    return Run(outputs, record)


def _digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def _fingerprint(corpus: Corpus) -> str:
    """Return what records call `sources`: not the corpus's own fingerprint, so that old records stay good."""
    return hashlib.sha256("\n".join(corpus.sources).encode(errors="surrogatepass")).hexdigest()[:8]
