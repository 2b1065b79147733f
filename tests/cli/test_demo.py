"""The demo, at once and as files to try commands on."""

from gecbench.corpora.demo import DATA


def test_demo_ranks_the_systems(run):
    lines = run("demo").splitlines()
    ranked = [line.split()[0] for line in lines[4:8]]
    assert ranked == ["good-corrector", "rule-based", "spell-checker", "do-nothing"]


def test_demo_files_can_be_tried(run, refused, tmp_path):
    listed = run("demo", "--write", tmp_path / "demo").splitlines()
    assert str(tmp_path / "demo" / "systems" / "rule-based.txt") in listed
    assert (tmp_path / "demo" / "gold.m2").read_bytes() == (DATA / "gold.m2").read_bytes()
    refused(["demo", "--write", tmp_path / "demo"], "already exists")
