import pytest

from gecbench.corpora.demo import DATA, copy_demo, load_demo, load_demo_systems
from gecbench.errors import InputError


def test_the_demo_has_references_annotators_and_systems_for_every_sentence():
    demo = load_demo()
    assert (len(demo), demo.reference_range()) == (42, "4")
    assert {len(row) for row in demo.annotations} == {2}
    assert {len(lines) for lines in load_demo_systems().values()} == {42}


def test_its_files_are_copied_into_a_new_folder(tmp_path):
    copied = copy_demo(tmp_path / "demo")
    assert {path.relative_to(tmp_path / "demo") for path in copied} == {
        path.relative_to(DATA) for path in DATA.rglob("*") if path.is_file()
    }
    with pytest.raises(InputError, match="already exists"):
        copy_demo(tmp_path / "demo")
    with pytest.raises(InputError, match="cannot be written"):
        copy_demo(copied[0] / "below a file")
