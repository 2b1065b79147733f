"""The package as a whole: light to import, packages in layers, tests that mirror the modules."""

import ast
import doctest
import importlib
import pkgutil
import re
import subprocess
import sys
from pathlib import Path

import pytest

import gecbench
from gecbench.errors import MissingDependencyError

PACKAGE = Path(gecbench.__file__).parent
TESTS = Path(__file__).parent


def modules():
    found = (module.name for module in pkgutil.walk_packages([str(PACKAGE)], "gecbench."))
    return [
        name for name in found if "_native" not in name and not name.endswith("__main__") and "_modules" not in name
    ]


def test_import_is_light():
    code = "import sys, gecbench; gecbench.score; gecbench.GLEU(); print([m for m in sys.modules if '.' not in m])"
    loaded = ast.literal_eval(
        subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    )
    heavy = {"datasets", "evaluate", "huggingface_hub", "sacrebleu", "rapidfuzz", "scipy", "tqdm", "pandas", "pyarrow"}
    assert not heavy & set(loaded)
    assert "numpy" in loaded


def test_contributing_lists_the_packages_in_the_order_that_is_checked(repository):
    settings = (repository / "pyproject.toml").read_text(encoding="utf-8")
    layers = re.findall(r'^  "\(?(\w+)\)?",$', settings.partition("layers = [")[2].partition("]")[0], re.MULTILINE)
    table = (
        (repository / "CONTRIBUTING.md").read_text(encoding="utf-8").partition("| package |")[2].partition("\n\n")[0]
    )
    packages = re.findall(r"^\| `(\w+)` \|", table, re.MULTILINE)
    folders = {path.name for path in PACKAGE.iterdir() if (path / "__init__.py").is_file() and path.name != "_modules"}
    assert packages == [layer for layer in reversed(layers) if layer in {*folders, "api"}]
    assert folders == set(packages) - {"api"}
    assert len(list(PACKAGE.glob("*.py"))) <= 7


@pytest.mark.parametrize("name", modules())
def test_doctests(name):
    try:
        module = importlib.import_module(name)
    except MissingDependencyError as error:
        pytest.skip(str(error))
    assert doctest.testmod(module).failed == 0


def test_docstrings_begin_with_one_line_of_under_80_characters(repository):
    long = []
    folders = ("datasets", "examples", "harness", "metrics", "spaces", "src")
    for path in sorted(path for name in folders for path in (repository / name).rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
                summary = (ast.get_docstring(node) or "").partition("\n\n")[0]
                if len(summary) >= 80 or "\n" in summary:
                    long.append(f"{path.relative_to(repository)}: {summary}")
    assert not long, "\n".join(long)


def test_public_names_exist():
    for name in gecbench.__all__:
        assert getattr(gecbench, name) is not None
    assert set(gecbench.__all__) <= set(dir(gecbench))
    with pytest.raises(AttributeError, match="'gecbench' has no attribute 'blue'"):
        gecbench.blue  # noqa: B018


def test_demo_corpus():
    demo, systems = gecbench.load_demo(), gecbench.load_demo_systems()
    assert len(demo) == 42
    assert demo.reference_range() == "4"
    assert list(systems) == ["do-nothing", "good-corrector", "rule-based", "spell-checker"]
    assert all(len(outputs) == len(demo) for outputs in systems.values())
    assert tuple(systems["do-nothing"]) == demo.sources
    assert all([annotation.annotator for annotation in sentence] == [0, 1] for sentence in demo.annotations)
    corrected = gecbench.derive_references(demo)
    assert sum(texts[0] == source for source, texts in zip(demo.sources, corrected.references, strict=True)) == 3


def test_most_modules_have_a_test_file_of_their_name():
    """`tests/<package>/test_<module>.py` for at least 80% of the modules over 30 lines."""
    long = [path for path in PACKAGE.rglob("[!_]*.py") if len(path.read_text(encoding="utf-8").splitlines()) > 30]
    modules = sorted(path.relative_to(PACKAGE) for path in long)
    missing = [
        module.as_posix() for module in modules if not (TESTS / module.with_name(f"test_{module.name}")).exists()
    ]
    assert len(missing) <= 0.2 * len(modules), f"{len(missing)} of {len(modules)} have none:\n" + "\n".join(missing)
