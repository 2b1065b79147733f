import harness_faces as faces
import pytest

import gecbench


def test_sentences_of_inspect(tmp_path):
    case = faces.demo_case()
    log = faces.run_inspect(case, tmp_path)
    scores = gecbench.score(case.replies, case.benchmark.corpus, case.benchmark.metrics, tokenize="auto")
    alone = {name: score.sentence_scores() for name, score in scores.items()}
    by_id = {sample.id: sample for sample in log.samples}
    assert len(by_id) == len(case.benchmark.corpus)
    for i, name in enumerate(case.benchmark.corpus.ids):
        sample = by_id[name]
        (found,) = sample.scores.values()
        assert found.value == {name: pytest.approx(values[i], abs=1e-12) for name, values in alone.items()}
        assert found.answer == case.replies[i]
        assert sample.target == list(case.benchmark.corpus.references[i])
    explanation = next(iter(by_id["1"].scores.values())).explanation
    assert explanation.count("```text\n") == 3
    assert "system edits  +have → has [2,3)" in explanation
    assert "I-measure: I " in explanation
    assert "reference   My brother has" in explanation
    assert ", mean over 4 references" in explanation


def test_epochs_and_parts_in_inspect(tmp_path):
    case = faces.demo_case()
    log = faces.run_inspect(case, tmp_path, epochs=2, limit=20)
    part = case.benchmark.corpus.select(range(20))
    expected = gecbench.score(case.replies[:20], part, case.benchmark.metrics, tokenize="auto")
    found = {name: metric.value for name, metric in log.results.scores[0].metrics.items()}
    assert {name: found[name] for name in expected} == {
        name: pytest.approx(score.value) for name, score in expected.items()
    }
