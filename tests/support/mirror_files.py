"""Real corpora for the tests, read from the mirror folder that GECBENCH_MIRROR names."""

import functools
import gzip
import json
import os
import tarfile
from pathlib import Path

import pytest

from gecbench import Annotation, Corpus, apply_edits, derive_references
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
SEEDA = "raw.githubusercontent.com/tmu-nlp/SEEDA/0c6c07f98dcfab016f1169b680997f1f29ea0705"
GECCC = "raw.githubusercontent.com/ufal/GECCC/257381c8cb0f9855c0c5b2680691c0a1ac18e48f/data"
SEEDA_OUTPUTS = f"{SEEDA}/outputs/all"
_CWEB = "raw.githubusercontent.com/SimonHFL/CWEB/08d1da0ff2b78885b1f060b4fa11460a98eb9218/data/m2"
_UA_GEC = "raw.githubusercontent.com/grammarly/ua-gec/4757f72f192c4a41e4c8fb1d9690a948f87cf6d6/data"
_MUCGEC = "raw.githubusercontent.com/HillZhang1999/MuCGEC/39221934ee4ccf07801879136a75dd7e11319977"
# M2 files by language and corpus
M2_FILES = {
    "English": {f"CWEB-{part}": f"{_CWEB}/CWEB-{part}.m2" for part in ("G.dev", "G.test", "S.dev", "S.test")},
    "Czech": {
        f"GECCC {split}, {unit}s": f"{GECCC}/{split}/{unit}.m2"
        for split in ("dev", "test")
        for unit in ("sentence", "paragraph")
    },
    "Ukrainian": {f"UA-GEC {kind}": f"{_UA_GEC}/{kind}/test/{kind}.test.m2" for kind in ("gec-only", "gec-fluency")},
    "Chinese": {
        f"ChERRANT sample, {unit}s": f"{_MUCGEC}/scorers/ChERRANT/samples/demo.ref.m2.{unit}"
        for unit in ("char", "word")
    },
}
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
    data = (GOLDENS / name).read_bytes()
    return json.loads(gzip.decompress(data) if name.endswith(".gz") else data)


def lines(path):
    text = (Path(MIRROR) / path).read_bytes().decode()
    return [line.removesuffix("\r") for line in text.removesuffix("\n").split("\n")]


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


def seeda_output(system):
    """A system's corrections of the 391 sentences of SEEDA."""
    return lines(f"{SEEDA}/outputs/subset/{system}.txt")


@functools.cache
def seeda_corpus(references="right"):
    """SEEDA's sentences with the references of both annotators' own files ("right").

    "gecmetrics": from the combined file, where a missing second annotator becomes the uncorrected source.
    """
    gold, places = conll14_gold(), []
    for source in seeda_output("INPUT"):
        places.append(gold.sources.index(source, places[-1] + 1 if places else 0))
    if references == "right":
        texts = [conll14_references("NUCLE")[i] for i in places]
    else:
        known = [{found.annotator: found.edits for found in gold.annotations[i]} for i in places]
        texts = [
            [apply_edits(gold.sources[i], edits.get(k, ())) for k in (0, 1)]
            for i, edits in zip(places, known, strict=True)
        ]
    return Corpus(sources=seeda_output("INPUT"), references=texts)


def conll14_rewrites(reference_set):
    return Corpus(sources=submission("INPUT"), references=conll14_references(reference_set))


def seeda_systems():
    return sorted(path.stem for path in (Path(MIRROR) / SEEDA_OUTPUTS).glob("*.txt")) if MIRROR else []


@functools.cache
def m2_file(path):
    return parse_m2(lines(path))


def annotators(gold):
    return sorted({annotation.annotator for sentence in gold.annotations for annotation in sentence})


def split_annotator(gold, annotator):
    """Return the sentences an annotator worked on: his texts, the gold without him, and the whole gold."""
    texts, others, kept = [], [], []
    for i, (source, sentence) in enumerate(zip(gold.sources, gold.annotations, strict=True)):
        mine = [annotation for annotation in sentence if annotation.annotator == annotator]
        if mine:
            kept.append(i)
            texts.append(" ".join(apply_edits(source, mine[0].edits).split()))
            others.append([item for item in sentence if item.annotator != annotator] or [Annotation(0, ())])
    sources = [gold.sources[i] for i in kept]
    return (
        texts,
        Corpus(sources=sources, annotations=others),
        Corpus(sources=sources, annotations=[gold.annotations[i] for i in kept]),
    )


def mucgec(file="MuCGEC_dev.txt"):
    """Return the texts of each line, characters apart as ChERRANT splits them."""
    rows = [line.split("\t")[1:] for line in lines(f"{_MUCGEC}/data/MuCGEC/{file}")]
    return [[" ".join("".join(text.split())) for text in row] for row in rows]
