"""Reproduce the tables and figures of papers.

They are computed from raw outputs, references and judgments.

Each paper is a module with a function `reproduce(resources)`. Its published numbers are in `published/<module>.json`.
"""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from importlib.resources import files
from typing import Any

from gecbench.corpora.upstream import Upstream
from gecbench.errors import InputError, did_you_mean
from gecbench.papers.document import Reproduction, Resources, published, render

_NAMES = [file.name.removesuffix(".json") for file in files("gecbench.papers").joinpath("published").iterdir()]
PAPERS: Mapping[str, str] = {
    name: published(name)["contents"] for name in sorted(_NAMES, key=lambda name: (name[-4:], name))
}

__all__ = ["PAPERS", "Reproduction", "check_paper", "render", "reproduce"]


def check_paper(paper: str) -> None:
    """Raise an error if `PAPERS` has no such paper."""
    if paper not in PAPERS:
        fix = did_you_mean(paper, PAPERS, f"Choose one of {', '.join(PAPERS)}")
        raise InputError(f"unknown paper {paper!r}", fix=fix)


def reproduce(paper: str, upstream: Upstream | None = None, **options: Any) -> Reproduction:
    """Recompute the tables and figures of a paper.

    `options` are the other fields of `Resources`.
    """
    check_paper(paper)
    resources = Resources(upstream or Upstream.from_environment(), **options)
    sections, figures = import_module(f"gecbench.papers.{paper}").reproduce(resources)
    return Reproduction(paper, published(paper)["title"], tuple(sections), tuple(figures))
