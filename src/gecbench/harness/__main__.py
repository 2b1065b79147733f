"""`python -m gecbench.harness`: list harnesses and how to run our tasks.

The list shows which harnesses are installed. With the argument `lm-eval` or `lighteval`, print only the path of the
task files of that harness, for use in a command.
"""

from __future__ import annotations

import argparse
from importlib.metadata import PackageNotFoundError, version

from gecbench.corpora.catalog import modules_folder
from gecbench.harness.benchmark import BENCHMARKS

_FOLDER = modules_folder("harness")
_FILES = {"lm-eval": _FOLDER / "lm_eval", "lighteval": _FOLDER / "lighteval" / "gecbench_tasks.py"}


def _installed(package: str) -> str | None:
    try:
        return version(package)
    except PackageNotFoundError:
        return None


def _lines() -> list[str]:
    harnesses = {
        ("lm-evaluation-harness", "lm-eval", "'gecbench[lm-eval]'"): f"lm_eval run --include_path {_FILES['lm-eval']} "
        "--tasks gecbench_jfleg --model hf --model_args pretrained=MODEL --apply_chat_template",
        ("Inspect AI", "inspect-ai", "'gecbench[inspect]'"): "inspect eval gecbench/jfleg --model PROVIDER/MODEL",
        ("lighteval", "lighteval", "lighteval 'huggingface_hub<2' 'xxhash<4'"): "lighteval accelerate model_name=MODEL "
        f"'gecbench:jfleg|0' --custom-tasks {_FILES['lighteval']}",
    }
    lines = []
    for (name, package, wanted), call in harnesses.items():
        found = _installed(package)
        lines += [f"{name}: {found or f'not installed (pip install {wanted})'}", f"  {call}", ""]
    lines += ["gecbench itself", "  gecbench run --model transformers:MODEL -c jfleg:test --raw --prompt fluency", ""]
    lines.append("Tasks (to run another one, replace jfleg in the command of a harness):")
    return [*lines, *(f"  {each.name:<16} {each.description}" for each in BENCHMARKS.values())]


def main() -> None:
    """Print the list of harnesses, or the path of task files."""
    parser = argparse.ArgumentParser(prog="python -m gecbench.harness", description=__doc__)
    parser.add_argument("files", nargs="?", choices=_FILES, help="print the path of the task files of this harness")
    wanted = parser.parse_args().files
    print(_FILES[wanted] if wanted else "\n".join(_lines()))


if __name__ == "__main__":
    main()
