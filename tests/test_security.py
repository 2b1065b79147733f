"""SECURITY.md says what the code does."""

import pkgutil
import re

import pytest


def rows(repository):
    text = (repository / "SECURITY.md").read_text(encoding="utf-8")
    return re.findall(r"^\| ([^|]+) \| ([\d,]+) \| `([^`]+)` \|$", text, re.MULTILINE)


def test_every_limit_is_the_codes(repository):
    found = rows(repository)
    assert len(found) > 20
    for what, number, place in found:
        if "leaderboard.server" in place:
            pytest.importorskip("uvicorn", reason="the extra [leaderboard] is not installed")
        assert pkgutil.resolve_name(place) == int(number.replace(",", "")), what


def test_everything_is_pinned_by_hash(repository):
    path = repository / ".ci" / "locked.txt"
    if not path.exists():
        pytest.skip("not part of a source distribution")
    text = path.read_text(encoding="utf-8").replace("\\\n", "")
    for line in text.splitlines():
        assert re.fullmatch(r"[\w.-]+(\[[\w,-]+\])?==\S+( ; [^\\]+?)?\s+(--hash=sha256:[0-9a-f]{64}\s*)+", line), line
    assert "://" not in text


def test_the_lock_has_everything_that_is_asked_for(repository):
    path = repository / ".ci" / "locked.txt"
    if not path.exists():
        pytest.skip("not part of a source distribution")
    locked = {_name(line) for line in path.read_text(encoding="utf-8").splitlines() if "==" in line}
    project = (repository / "pyproject.toml").read_text(encoding="utf-8")
    dependencies = re.search(r"^dependencies = \[(.*?)^\]", project, re.MULTILINE | re.DOTALL)[1]
    tools = re.search(r"^dev = \[(.*?)^\]", project, re.MULTILINE | re.DOTALL)[1]
    build = re.search(r"^requires = \[(.*)\]", project, re.MULTILINE)[1]
    wanted = {_name(text) for text in re.findall(r'"([^"]+)"', dependencies + tools + build)} - {"gecbench"}
    assert len(wanted) > 15
    assert wanted <= locked


def test_a_release_runs_what_is_pinned(repository):
    path = repository / ".github" / "workflows" / "release.yml"
    if not path.exists():
        pytest.skip("not part of a source distribution")
    text = path.read_text(encoding="utf-8")
    actions = [name for name in re.findall(r"uses: (\S+)", text) if not name.startswith(("./", "actions/"))]
    programs = re.findall(r"pipx run (.*)", text)
    assert actions
    assert programs
    assert [name for name in actions if not re.search(r"@[0-9a-f]{40}$", name)] == []
    assert [words for words in programs if not re.match(r"--spec [\w-]+==[\d.]+ ", words)] == []


def _name(requirement):
    return re.match(r"[\w.-]+", requirement)[0].lower().replace("_", "-")
