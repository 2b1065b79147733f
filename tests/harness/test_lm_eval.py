import re

from gecbench.harness.benchmark import BENCHMARKS, figure_names


def test_the_files_of_lm_eval(repository):
    folder = repository / "harness" / "lm_eval"
    listed = re.findall(r"^  - metric: (\w+)$", (folder / "_gecbench_yaml").read_text(encoding="utf-8"), re.MULTILINE)
    wanted = {name for benchmark in BENCHMARKS.values() for name in figure_names(benchmark.declared_metrics)}
    assert sorted(listed) == sorted(wanted)
    for name in BENCHMARKS:
        text = (folder / f"{name}.yaml").read_text(encoding="utf-8")
        assert f"task: gecbench_{name}\n" in text
        assert f"  benchmark: {name}\n" in text
    assert len(list(folder.glob("*.yaml"))) == len(BENCHMARKS)
