"""The CoNLL-14 test set with every published reference set, system outputs and human rankings: the declaration."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial

from gecbench.corpora.conll14 import judgments, rows
from gecbench.corpora.declaration import Config, DatasetDeclaration, HumanJudgments, by_name
from gecbench.corpora.upstream import Upstream
from gecbench.formats.judgments import Ranking

_SCORED_ON = "conll14_fluency:expert_fluency"


def _references(name: str, description: str, coded: bool = False, pinned: bool = True) -> Config:
    fields = rows.ANNOTATED_FIELDS if coded else rows.REFERENCE_FIELDS
    return Config(name, description, fields, ("test",), partial(rows.reference_rows, name=name), pinned)


def _systems() -> Mapping[str, list[str]]:
    return judgments.system_outputs(Upstream.from_environment())


def _approved(split: str) -> Callable[[], list[Ranking]]:
    return lambda: [one for one in judgments.read_rankings(Upstream.from_environment(), split) if one.approved]


DATASET = DatasetDeclaration(
    name="conll14_fluency",
    aliases={"conll14": "nucle"},
    title="CoNLL-14 with fluency and minimal rewrites",
    homepage="https://github.com/keisks/reassess-gec",
    licence="other",
    redistributable=False,
    sources=("conll14", "bn15", "reassess", "grammatical"),
    default_config="all",
    several_reference_sets=True,
    configs=by_name(
        _references("nucle", "the two official annotators", coded=True),
        Config(
            "nucle_alt",
            "the official annotations with the teams' alternatives, one to five per sentence",
            rows.ANNOTATED_FIELDS,
            ("test",),
            rows.alternative_rows,
        ),
        _references("bn15", "the ten annotators of Bryant & Ng 2015", coded=True, pinned=False),
        _references("expert_fluency", "two fluency rewrites by experts"),
        _references("nonexpert_fluency", "two fluency rewrites by the crowd"),
        _references("expert_minimal", "two minimal rewrites by experts"),
        _references("nonexpert_minimal", "two minimal rewrites by the crowd"),
        _references("all", "ten references: the two official annotators and the eight rewrites"),
        _references("all_bn15", "eighteen references: the ten of Bryant & Ng and the eight rewrites", pinned=False),
        Config(
            "systems",
            "outputs of the twelve systems of the shared task, and the input",
            rows.SYSTEM_FIELDS,
            ("test",),
            rows.system_rows,
        ),
        Config(
            "judgments",
            "rankings of systems (experts; crowd, as published and relabelled) and of references (crowd)",
            judgments.FIELDS,
            judgments.SPLITS,
            judgments.judgment_rows,
        ),
        Config(
            "extra_fluency",
            "six more crowd rewrites of twenty sentences",
            rows.EXTRA_FIELDS,
            ("test",),
            rows.extra_rows,
        ),
    ),
    judgments={
        "conll14": HumanJudgments(
            "eight experts on twelve systems and the input (Grundkiewicz et al. 2015)",
            _approved("expert"),
            _systems,
            _SCORED_ON,
        ),
        "conll14-crowd": HumanJudgments(
            "the crowd on the same, relabelled by the texts shown (Sakaguchi et al. 2016)",
            _approved("crowd_relabelled"),
            _systems,
            _SCORED_ON,
        ),
        "conll14-references": HumanJudgments(
            "the crowd on five sets of references and the input (Sakaguchi et al. 2016)", _approved("references")
        ),
    },
)
