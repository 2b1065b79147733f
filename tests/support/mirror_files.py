"""Real corpora for the tests, read from the mirror folder that GECBENCH_MIRROR names."""

import functools
import json
import os
import tarfile
from pathlib import Path

import pytest

from gecbench import Corpus, derive_references
from gecbench.formats.m2 import parse_m2

GOLDENS = Path(__file__).parents[1] / "goldens"
MIRROR = os.environ.get("GECBENCH_MIRROR")
needs_mirror = pytest.mark.skipif(not MIRROR, reason="GECBENCH_MIRROR is not set")

JFLEG = "raw.githubusercontent.com/keisks/jfleg/ee06ff806a208aba815ac45313f4e750a48330a5"
REASSESS = "raw.githubusercontent.com/keisks/reassess-gec/054786a923b2635ce33240c580d18c908c9a49a9"
_SUBMISSIONS = (
    "raw.githubusercontent.com/grammatical/evaluation/08cdad84ffae07dfa167e3e45d77a96e0e01a160"
    "/data/original/official_submissions"
)
CLEME = "raw.githubusercontent.com/THUKElab/CLEME/e90abead75a9d766595b1b0ff4473647af0c86e9/demo/examples"
_CONLL14 = "www.comp.nus.edu.sg/~nlp/conll14st/conll14st-test-data.tar.gz"
MERGED = (
    *(76, 77, 89, 90, 96, 97, 416, 417, 418, 419, 428, 429, 532, 533, 558, 559, 562, 563, 568, 569),
    *(860, 861, 877, 878, 937, 938, 956, 957, 1028, 1029, 1099, 1100, 1225, 1226),
)
KEPT = [i for i in range(1312) if i + 1 not in MERGED]
REFERENCE_FILES = {
    "E-fluency": "expert_annotations/expert_fluency/expert_fluency",
    "E-minimal": "expert_annotations/expert_minimal/expert_minimal",
    "NE-fluency": "turker_annotations/turkers_fluency/turker_fluency",
    "NE-minimal": "turker_annotations/turkers_minimal/turker_minimal",
}


def golden(name):
    return json.loads((GOLDENS / name).read_text(encoding="utf-8"))


def lines(path):
    text = (Path(MIRROR) / path).read_bytes().decode()
    return [line.removesuffix("\r") for line in text.split("\n")[:-1]]


def jfleg(split, part):
    return lines(f"{JFLEG}/{split}/{split}.{part}")


def submission(system):
    return lines(f"{_SUBMISSIONS}/{system}")


def conll14_member(name):
    with tarfile.open(Path(MIRROR) / _CONLL14) as archive:
        return archive.extractfile(f"conll14st-test-data/{name}").read().decode()


@functools.cache
def conll14_gold(part="combined"):
    """Both annotators ("combined"), with the teams' alternatives ("withalt"), or one annotator alone (0 or 1)."""
    name = "alt/official-2014.combined-withalt.m2" if part == "withalt" else f"noalt/official-2014.{part}.m2"
    return parse_m2(conll14_member(name).split("\n"))


@functools.cache
def jfleg_gold(split):
    """JFLEG's own M2 file; annotator k made reference k."""
    return parse_m2(lines(f"{JFLEG}/EACL_exp/m2converter/{split}.ref.m2"), out_of_range="drop")


def published_scores(metric, reference_set):
    """What the repository of Sakaguchi et al. 2016 lists for a metric, by system."""
    rows = [line.split("\t") for line in lines(f"{REASSESS}/metric_scores")]
    return {row[2]: row[3].strip() for row in rows if row[:2] == [metric, reference_set]}


@functools.cache
def conll14_references(reference_set):
    """Two references per sentence of a reference set, sentence-major."""
    if reference_set == "NUCLE":
        texts = [derive_references(conll14_gold(annotator)).references for annotator in (0, 1)]
        return [[first[0], second[0]] for first, second in zip(*texts, strict=True)]
    columns = [lines(f"{REASSESS}/annotations/{REFERENCE_FILES[reference_set]}{half}") for half in "AB"]
    return [list(pair) for pair in zip(*columns, strict=True)]


def conll14_rewrites(reference_set):
    return Corpus(sources=submission("INPUT"), references=conll14_references(reference_set))
