"""A corpus refuses gold that does not fit its sentences. Wrong sources and references: tests/test_api.py."""

import pytest
from m2_corpus import annotation

from gecbench import Annotation, Corpus, Edit, InputError


@pytest.mark.parametrize("span", [(2, 4), (-1, 1), (2, 1), (4, 4)])
def test_a_span_outside_the_sentence_is_refused(span):
    with pytest.raises(InputError, match=r"annotations\[1\]: the span -?\d \d does not fit a sentence of 3 tokens"):
        Corpus(sources=["a", "a b c"], annotations=[[], [annotation((*span, ("x",)))]])


def test_an_annotator_listed_twice_is_refused():
    with pytest.raises(InputError, match=r"annotations\[0\]: lists an annotator twice"):
        Corpus(sources=["a"], annotations=[[Annotation(3, ()), Annotation(3, ())]])
    with pytest.raises(InputError, match=r"annotations\[0\]: an annotation is \[.*, not Annotation"):
        Corpus(sources=["a"], annotations=[[[Edit(0, 1, ("b",))]]])
