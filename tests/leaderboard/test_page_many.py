"""Many columns on a phone, many systems in a plot, and scores of as many digits as the board tells."""

import pytest
from chromium import emulate, open_page, texts
from page_views import OVERLAPS, show, system
from screenshots import SCREENS

from gecbench.display import percent

pytestmark = pytest.mark.usefixtures("calm")
EVERY = "m2,m2.precision,m2.recall,imeasure,bleu,interval,ratio,p,unchanged,date"
WIDER = "return [...document.querySelectorAll('html, .scroll')].map((node) => node.scrollWidth - node.clientWidth)"


def test_every_column_chosen_on_a_phone_needs_no_scrolling_sideways(browser, page):
    width, height = SCREENS["phone"]
    emulate(browser, width=width, height=height)
    open_page(browser, f"{page}#table?corpus=demo&cols={EVERY}")
    assert max(browser.execute_script(WIDER)) <= 0
    script = "return [...document.querySelectorAll('table.ranking tbody tr:first-child td')].map((cell) => "
    labels = browser.execute_script(f"{script} getComputedStyle(cell, '::before').content)")
    assert {'"GLEU "', '"M2 R "', '"Date "'} <= set(labels), "a cell says what it is where it stands alone"


@pytest.mark.parametrize("screen", SCREENS)
def test_hundreds_of_systems_in_a_plot(browser, page, screen):
    width, height = SCREENS[screen]
    emulate(browser, width=width, height=height)
    rows = [system(f"System {i}", 0.2 + (i * 37 % 300) / 600) for i in range(300)]
    for i, row in enumerate(rows):
        row["scores"]["m2"] = {"value": row["scores"]["gleu"]["value"] + (i * 53 % 97) / 970}
    show(browser, page, "plot?x=gleu&y=m2", rows)
    assert browser.execute_script(OVERLAPS) == []
    assert len(texts(browser, ".point title")) == 300
    assert 5 < len(texts(browser, ".point text")) < 100
    assert texts(browser, ".chart .leader") == [], "lines to far names would cover the points"
    assert "Points without room for a name" in texts(browser, "figcaption")[0]


@pytest.mark.parametrize(("digits", "expected"), [(1, "59.3"), (2, "59.26")])
def test_scores_have_the_digits_of_the_board(browser, page, digits, expected):
    rows = [system("one", 0.5926, low=0.5, high=0.6), system("two", 0.4)]
    show(browser, page, "table", rows, digits=digits)
    assert texts(browser, "table.ranking td.main")[0].startswith(expected)
    assert texts(browser, "table.ranking td.main small")[0] == f"{50:.{digits}f}–{60:.{digits}f}"
    show(browser, page, "compare", rows, digits=digits)
    assert texts(browser, "table.figures tbody tr:first-child td")[2] == f"+{19.26:.{digits}f}"


def test_numbers_are_rounded_as_the_terminal_rounds_them(browser, page):
    """Half-way cases (1/32 is 3.125 points) go to the even digit, all others to the nearest."""
    open_page(browser, page)
    values = [k / 32 for k in range(-40, 41)] + [k / 800 for k in range(200)] + [0.1519495412844037, 2 / 3, 1e-7]
    for digits in (0, 1, 2):
        script = "return arguments[0].map((value) => GECBENCH.use('dom').points(value, arguments[1]))"
        shown = [text.replace("−", "-") for text in browser.execute_script(script, values, digits)]
        assert shown == [percent(value, digits).replace("-0.00", "0.00") for value in values]
