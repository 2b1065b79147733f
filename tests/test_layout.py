"""The tests mirror the packages: `tests/<package>/test_<module>.py` tests `src/gecbench/<package>/<module>.py`."""

from pathlib import Path

import gecbench

PACKAGE = Path(gecbench.__file__).parent
TESTS = Path(__file__).parent


def test_most_modules_have_a_test_file_of_their_name():
    modules = [path for path in PACKAGE.rglob("[!_]*.py") if len(path.read_text(encoding="utf-8").splitlines()) > 30]
    missing = [path for path in modules if not any(map(Path.exists, _test_files(path.relative_to(PACKAGE))))]
    assert len(modules) > 80
    names = "\n".join(sorted(path.relative_to(PACKAGE).as_posix() for path in missing))
    assert len(missing) <= 0.2 * len(modules), f"{len(missing)} of {len(modules)} modules have no test file:\n{names}"


def _test_files(module):
    """Return where a module's tests may be; a package inside a package may have one file, named after it."""
    yield TESTS / module.with_name(f"test_{module.name}")
    if len(module.parts) > 2:
        yield TESTS / module.parts[0] / f"test_{module.parts[1]}.py"
