"""A small corpus of odd sentences, and what a failed correction of it leaves."""

import json
from pathlib import Path

import pytest

import gecbench
from gecbench.models import ModelError, partial_path

SMALL = gecbench.Corpus(
    sources=["He go .", "", "Café \u2028 olé .", "'; echo $HOME `id` \"|| exit 9", "They is ."],
    references=[["He goes ."], [""], ["Café ."], ["x"], ["They are ."]],
    name="small",
)
UPPER = [source.upper() for source in SMALL.sources]


def kept_rows(output="out.txt"):
    """Return the whole rows of the journal of an unfinished run."""
    partial = partial_path(Path(output))
    content = partial.read_bytes() if partial.exists() else b""
    return [json.loads(row) for row in content.split(b"\n")[1:-1]]


def kept_texts(output):
    return [row["prediction"] for row in kept_rows(output)]


def check_failure(model, output, kept, message, **options):
    """Check that a run fails with a message, and that so many outputs are kept."""
    with pytest.raises(ModelError, match=message):
        gecbench.correct(model, SMALL, output, **options)
    assert len(kept_texts(output)) == kept if kept else not partial_path(output).exists()
    assert not output.exists()
