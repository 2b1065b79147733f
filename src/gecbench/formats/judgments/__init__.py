"""Human judgments: one data model, a reader per published format, one writer (WMT CSV)."""

from gecbench.formats.judgments.detect import read_judgments
from gecbench.formats.judgments.experts import parse_expert_groups, read_expert_groups
from gecbench.formats.judgments.model import Judgment, Place, Ranking, expand_pairs, rename_systems
from gecbench.formats.judgments.mturk import parse_mturk, read_mturk, relabel
from gecbench.formats.judgments.pseudonyms import Pseudonyms
from gecbench.formats.judgments.ranking_xml import parse_ranking_xml, read_ranking_xml
from gecbench.formats.judgments.wmt import (
    parse_jfleg_pairwise,
    parse_wmt_csv,
    read_jfleg_pairwise,
    read_wmt_csv,
    write_wmt_csv,
)

__all__ = [
    "Judgment",
    "Place",
    "Pseudonyms",
    "Ranking",
    "expand_pairs",
    "parse_expert_groups",
    "parse_jfleg_pairwise",
    "parse_mturk",
    "parse_ranking_xml",
    "parse_wmt_csv",
    "read_expert_groups",
    "read_jfleg_pairwise",
    "read_judgments",
    "read_mturk",
    "read_ranking_xml",
    "read_wmt_csv",
    "relabel",
    "rename_systems",
    "write_wmt_csv",
]
