from mirror_files import published_scores

from gecbench.papers.data import NO_ARCHIVE


def test_the_34_merged_sentences_are_left_out(data):
    assert (len(data.rows), len(data.kept)) == (1312, 1278)
    assert {len(lines) for lines in data.kept_systems.values()} == {1278}
    assert data.kept_systems["INPUT"] == list(data.corpus("nucle").sources)


def test_reference_sets(data):
    found, missing = data.reference_sets()
    assert missing == ({} if data.has_ten_annotations else {"BN15": NO_ARCHIVE, "All": NO_ARCHIVE})
    assert found.keys() | missing.keys() == {
        *("NUCLE", "BN15", "All", "E-fluency", "N-fluency", "E-minimal", "N-minimal"),
    }


def test_released_scores_have_our_names(data):
    scores = data.published_scores()
    released = published_scores("IM", "NE-fluency")
    assert scores["I-measure", "N-fluency"]["INPUT"] == float(released["source"])
    assert scores["I-measure", "N-fluency"]["AMU"] == float(released["AMU"])
