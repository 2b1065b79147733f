"""The page that a server keeps built."""

import sys
import tempfile

import pytest
from boards import DEMO, QUICK, demo_board

from gecbench.errors import InputError
from gecbench.leaderboard.page import PagePlan
from gecbench.leaderboard.site import Site, remove_abandoned_pages


def test_a_page_that_cannot_be_built_stays_as_it_was(tmp_path, capsys, monkeypatch):
    site = Site(demo_board(tmp_path), PagePlan([DEMO], resamples=QUICK))
    site.build()

    def fail():
        raise InputError("something in the folder is odd")

    monkeypatch.setattr(site, "_build_with_stored_tests", fail)
    site.try_build()
    site.close()
    assert "warning: the page could not be built: something in the folder is odd." in capsys.readouterr().err
    assert site.find("data/board.json")[0].is_file()


@pytest.mark.skipif(sys.platform == "win32", reason="needs locks that end with their process")
def test_pages_of_killed_servers_are_removed(tmp_path, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    abandoned, another = tmp_path / "gecbench-site-abandoned", tmp_path / "gecbench-site-of-something-else"
    for folder in (abandoned, another):
        folder.mkdir()
    (abandoned / ".in-use").touch()
    (abandoned / "index.html").touch()
    running = Site(demo_board(tmp_path / "board"), PagePlan([DEMO], resamples=QUICK))
    assert not abandoned.exists()
    assert another.exists()
    remove_abandoned_pages()
    assert len(list(tmp_path.glob("gecbench-site-*/.in-use"))) == 1, "one that is in use stays"
    running.close()
