"""`python -m gecbench.harness`: which harnesses are installed, and how to call gecbench's tasks in them."""

from __future__ import annotations

from importlib.metadata import PackageNotFoundError, version

from gecbench.corpora.catalog import modules_folder
from gecbench.harness.benchmark import BENCHMARKS


def _installed(package: str) -> str | None:
    try:
        return version(package)
    except PackageNotFoundError:
        return None


def _lines() -> list[str]:
    folder = modules_folder("harness")
    harnesses = {
        ("lm-evaluation-harness", "lm-eval", "'gecbench[lm-eval]'"): f"lm_eval run --include_path {folder / 'lm_eval'} "
        "--tasks gecbench_jfleg --model hf --model_args pretrained=MODEL --apply_chat_template",
        ("Inspect AI", "inspect-ai", "'gecbench[inspect]'"): "inspect eval gecbench/jfleg --model PROVIDER/MODEL",
        ("lighteval", "lighteval", "lighteval 'huggingface_hub<2' 'xxhash<4'"): "lighteval accelerate model_name=MODEL "
        f"'gecbench:jfleg|0' --custom-tasks {folder / 'lighteval' / 'gecbench_tasks.py'}",
    }
    lines = []
    for (name, package, wanted), call in harnesses.items():
        found = _installed(package)
        lines += [f"{name}: {found or f'not installed (pip install {wanted})'}", f"  {call}", ""]
    lines += ["gecbench itself", "  gecbench run --model transformers:MODEL -c jfleg:test --raw --prompt fluency", ""]
    return [*lines, "In place of jfleg:", *(f"  {each.name:<16} {each.description}" for each in BENCHMARKS.values())]


if __name__ == "__main__":
    print("\n".join(_lines()))
