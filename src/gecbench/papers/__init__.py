"""The papers' tables and figures, computed again from raw outputs, references and judgments."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from typing import Any

from gecbench.corpora.upstream import Upstream
from gecbench.errors import InputError
from gecbench.papers.document import Reproduction, render

PAPERS: Mapping[str, str] = {
    "sakaguchi2016": "Reassessing the Goals of GEC: Tables 4 to 7, Figures 2 to 6",
    "bryant2015": "How Far are We from Fully Automatic High Quality GEC: Tables 2 to 5, Figures 1 to 3",
    "felice2015": "Towards a standard evaluation method: Tables 1 to 3, 8, 10 and 11",
    "jfleg2017": "JFLEG: Tables 2, 4, 5 and 6, Figure 1",
}

__all__ = ["PAPERS", "Reproduction", "render", "reproduce"]


def reproduce(paper: str, upstream: Upstream | None = None, **options: Any) -> Reproduction:
    """Compute a paper's tables again; `processes` spreads slow parts, `runs` are those of TrueSkill."""
    if paper not in PAPERS:
        raise InputError(f"no paper {paper!r} to reproduce", fix=f"Choose one of {', '.join(PAPERS)}")
    module = import_module(f"gecbench.papers.{paper}")
    found: Reproduction = module.reproduce(upstream or Upstream.from_environment(), **options)
    return found
