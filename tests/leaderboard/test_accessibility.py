"""axe-core over every view of the page and over explained pages: no fault, light and dark, wide and narrow."""

import pytest
from boards import QUICK
from chromium import VIEWS, open_page
from screenshots import SCREENS, addresses, emulate_screen

import gecbench
from gecbench.cli.explain import html_page
from gecbench.leaderboard.page import PagePlan, build_site
from gecbench.leaderboard.records import Settings
from gecbench.leaderboard.store import init_board
from gecbench.leaderboard.submission import Submission, submit
from gecbench.metrics.base import make_metric

pytestmark = pytest.mark.usefixtures("calm")
RUN = """
const done = arguments[0];
axe.run(document, { resultTypes: ["violations"], preload: false })
  .then((found) => done(found.violations), (error) => done(String(error)));
"""


@pytest.fixture(scope="module")
def axe(repository):
    file = repository / "node_modules/axe-core/axe.min.js"
    if not file.exists():
        pytest.skip("axe-core is not installed: npm ci")
    return file.read_text(encoding="utf-8")


def faults(browser, axe):
    browser.execute_script("document.querySelectorAll('details').forEach((each) => { each.open = true; })")
    browser.execute_script(axe)
    found = browser.execute_async_script(RUN)
    assert isinstance(found, list), found
    return [(fault["id"], node["html"][:200]) for fault in found for node in fault["nodes"]]


@pytest.fixture(scope="module")
def sealed(tmp_path_factory):
    """The page of a sealed board, with uploads."""
    folder = tmp_path_factory.mktemp("sealed")
    store = init_board(folder / "task", ["demo"], Settings(title="Sealed", link="https://example.org"))
    for name in ("good-corrector", "rule-based"):
        outputs = gecbench.load_demo_systems()[name]
        submit(Submission(name, outputs), gecbench.load_demo(), store, resamples=QUICK)
    uploads = {"corpora": ["demo"], "most_bytes": 100, "token": True, "per_day": 5, "name_required": True}
    build_site(store, folder / "site", PagePlan([gecbench.load_demo()], resamples=QUICK, server=uploads))
    return (folder / "site/index.html").as_uri()


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("screen", SCREENS)
@pytest.mark.parametrize("board", ["page", "sealed"])
def test_every_view(request, browser, axe, board, screen, theme):
    page = request.getfixturevalue(board)
    views = addresses(browser, page, "demo")
    if board == "page":
        assert set(views) >= {*VIEWS, "system", "groups-type"}
        views["reported"] = f"{page}#table?corpus=jfleg%3Atest"
    emulate_screen(browser, screen, dark=theme == "dark")
    for view, address in views.items():
        open_page(browser, address)
        assert faults(browser, axe) == [], view


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("name", ["gleu", "m2", "imeasure"])
def test_explained_pages(browser, axe, tmp_path, name, theme):
    metric = make_metric(name)
    corpus, outputs = gecbench.load_demo(), gecbench.load_demo_systems()["rule-based"]
    file = tmp_path / "explained.html"
    explanations = dict(enumerate(metric.explain(corpus, outputs, range(4)), 1))
    file.write_text(html_page(explanations, "Explained", metric.score_corpus(corpus, outputs)), encoding="utf-8")
    for screen in SCREENS:
        emulate_screen(browser, screen, dark=theme == "dark")
        browser.get(file.as_uri())
        assert faults(browser, axe) == []


def test_a_fault_is_found(browser, axe, tmp_path):
    file = tmp_path / "faulty.html"
    file.write_text(
        '<!doctype html><html lang="en"><title>x</title><main><h1>x</h1><img src="data:,"></main>', encoding="utf-8"
    )
    browser.get(file.as_uri())
    assert [name for name, _ in faults(browser, axe)] == ["image-alt"]
