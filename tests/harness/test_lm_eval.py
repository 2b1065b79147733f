import re

import harness_faces as faces

from gecbench.harness import lm_eval
from gecbench.harness.benchmark import BENCHMARKS, figure_names


def test_documents_items_and_figures():
    lm_eval._figures.cache_clear()  # of tests with the same replies and other metrics
    case = faces.demo_case()
    documents = lm_eval.documents("demo")["test"]
    assert [document["request"] for document in documents] == case.benchmark.requests()
    items = [lm_eval.items(document, [reply]) for document, reply in zip(documents, case.replies, strict=True)]
    names = figure_names(case.benchmark.metrics)
    figures = {name: getattr(lm_eval, name)([item[name] for item in items]) for name in names}
    assert figures == faces.in_python(case, None)


def test_the_task_files(repository):
    folder = repository / "harness" / "lm_eval"
    listed = re.findall(r"^  - metric: (\w+)$", (folder / "_gecbench_yaml").read_text(encoding="utf-8"), re.MULTILINE)
    wanted = {name for benchmark in BENCHMARKS.values() for name in figure_names(benchmark.declared_metrics)}
    assert sorted(listed) == sorted(wanted)
    for name in BENCHMARKS:
        text = (folder / f"{name}.yaml").read_text(encoding="utf-8")
        assert f"task: gecbench_{name}\n" in text
        assert f"  benchmark: {name}\n" in text
    assert len(list(folder.glob("*.yaml"))) == len(BENCHMARKS)
