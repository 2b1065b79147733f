"""A training script with type hints; `mypy --strict` checks it in tests/huggingface/test_training.py."""

import gecbench


def rewards(completions: list[str], sources: list[str], references: list[list[str]]) -> list[float]:
    gleu: gecbench.Reward = gecbench.reward("gleu", source="sentence", references="corrections")
    m2 = gecbench.reward("m2", references=["one", "two"], tokenize="none", baseline="source", overcorrection=0.5)
    return gleu(completions, sentence=sources, corrections=references) + m2(completions, source=sources)


def callback(corpus: gecbench.Corpus) -> gecbench.GenerateAndScore:
    made = gecbench.GenerateAndScore(corpus, metrics=["gleu"], prompt="fluency", generation={"num_beams": 2}, log=print)
    numbers: dict[str, float] = made.evaluate(None, None)
    print(numbers)
    return gecbench.GenerateAndScore("jfleg:validation")


def numbers(tokenizer: object, rows: list[list[int]]) -> dict[str, float]:
    compute = gecbench.compute_metrics(tokenizer, "jfleg:validation", ["gleu", "imeasure"])
    compute(rows, compute_result=False)
    return compute(rows)


def shards(ids: list[int], texts: list[str]) -> float:
    total = gecbench.Accumulator("jfleg:test", ["gleu", "m2"])
    other = gecbench.Accumulator("jfleg:test", ["gleu", "m2"])
    total.update(ids, texts)
    total.merge(other)
    total.gather()
    scores: gecbench.Scores = total.compute(partial=True)
    scores.to_pandas().to_csv("scores.csv")
    plain = scores.to_dict()
    print(plain["gleu"], scores["gleu"].value + 1.0)
    metric = gecbench.torchmetrics.GLEU("jfleg:test", order=3)
    metric.update(texts, ids=ids)
    return float(metric.compute())


def data() -> int:
    names: list[str] = gecbench.register(quiet=True)
    split = gecbench.load_dataset("jfleg", split="test")
    metric = gecbench.load_metric("gleu", num_process=2, process_id=0)
    print(names, gecbench.load_dataset("jfleg").keys(), metric.inputs_description)
    return len(split)


def results(outputs: list[str]) -> float:
    return gecbench.score(outputs, "hf:owner/name:default:test")["gleu"].value


WARNINGS = (gecbench.OrderWarning, gecbench.RefusedMetricWarning, gecbench.ForeignTextWarning)
