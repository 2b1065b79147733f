"""Annotated sentences made up by hypothesis."""

from hypothesis import strategies as st

from gecbench import Annotation, Edit

words = st.text(st.sampled_from("abcé'"), min_size=1, max_size=3)


@st.composite
def annotated_sentences(draw):
    tokens = draw(st.lists(words, max_size=6))
    annotations = []
    for annotator in draw(st.sets(st.integers(0, 12), max_size=3)):
        cuts = sorted(draw(st.sets(st.integers(0, len(tokens)), max_size=4)))
        edits = [
            Edit(start, end, tuple(draw(st.lists(st.one_of(words, st.just("")), min_size=1, max_size=2))), "Wci")
            for start, end in zip(cuts[::2], cuts[1::2], strict=False)
        ]
        annotations.append(Annotation(annotator, tuple(edits)))
    return " ".join(tokens), annotations
