"""Hypothesis strategies that several test modules share."""

from __future__ import annotations

from hypothesis import strategies as st

sentences = st.lists(st.sampled_from("abcd"), max_size=8).map(" ".join)


rows = st.tuples(sentences, sentences, st.lists(sentences, min_size=1, max_size=3))


# As many references as sentences may look transposed, which a corpus refuses.
corpora = st.lists(rows, min_size=1, max_size=5).filter(
    lambda found: len(found) == 1 or {len(references) for *_, references in found} != {len(found)}
)
