"""MuCGEC (Zhang et al. 2022): Chinese sentences from three sources.

Each sentence has one to seven reference texts.
"""

from __future__ import annotations

from collections.abc import Iterator

from gecbench.corpora.declaration import Config, DatasetDeclaration, Field, ListOf, Row, by_name
from gecbench.corpora.upstream import Upstream
from gecbench.errors import InputError

_FILE = "mucgec/data/MuCGEC/MuCGEC_dev.txt"
_NO_ERROR = "没有错误"
_CANNOT_BE_ANNOTATED = "无法标注"
_FIELDS = (
    Field("id", "string", "number of the sentence in the upstream file, from 1"),
    Field("sentence", "string", "the sentence, with each character as a token, as in ChERRANT"),
    Field(
        "corrections",
        ListOf("string"),
        "the references, split like `sentence`; the sentence itself if it has no error or was not annotated",
    ),
    Field("text", "string", "the sentence as published"),
    Field("annotated", "bool", "false if the annotators could not understand the sentence"),
)


def characters(text: str) -> str:
    """Split a text into characters, separated by spaces.

    >>> characters("他有 MP3。")
    '他 有 M P 3 。'
    """
    return " ".join("".join(text.split()))


def dev_rows(upstream: Upstream, _split: str) -> Iterator[Row]:
    """Yield the rows of the development set."""
    for line, text in enumerate(upstream.lines(_FILE), 1):
        number, *texts = text.split("\t")
        if number != str(line) or len(texts) < 2 or not all(texts):
            problem = "expected the line number, a sentence and its references, separated by tabs"
            raise InputError(problem, file=_FILE, line=line)
        sentence, *references = texts
        references = [sentence if found in (_NO_ERROR, _CANNOT_BE_ANNOTATED) else found for found in references]
        yield {
            "id": number,
            "sentence": characters(sentence),
            "corrections": list(map(characters, references)),
            "text": sentence,
            "annotated": _CANNOT_BE_ANNOTATED not in texts,
        }


DATASET = DatasetDeclaration(
    name="mucgec",
    title="MuCGEC: multi-reference multi-source evaluation of Chinese grammatical error correction",
    homepage="https://github.com/HillZhang1999/MuCGEC",
    license="apache-2.0",
    redistributable=True,
    sources=("mucgec",),
    default_config="default",
    configs=by_name(Config("default", "one to seven references, as text", _FIELDS, ("validation",), dev_rows)),
    tokenizer="char",
    language="zh",
    tokenization="characters",
    citation="Zhang et al. 2022, MuCGEC: a Multi-Reference Multi-Source Evaluation Dataset for Chinese GEC",
)
