"""What the page's views show: columns, reported results, plots, groups, comparisons; on any screen."""

import json
import xml.etree.ElementTree as ET
from pathlib import Path
from urllib.parse import urlsplit
from urllib.request import url2pathname

import pytest
from boards import DEMO
from chromium import change, click, emulate, go, open_page, systems, texts, wait
from page_views import OVERLAPS, show, system
from screenshots import SCREENS, addresses, emulate_screen
from waiting import eventually

import gecbench
from gecbench.cli.main import main
from gecbench.display import percent

pytestmark = pytest.mark.usefixtures("calm")


def column_heads(browser):
    return [text.rstrip("▲▼") for text in texts(browser, "table.ranking thead th")]


def test_columns_by_link(browser, page):
    open_page(browser, f"{page}#table?sort=m2")
    usual = column_heads(browser)
    assert [head for head in usual if head.startswith("M2") and "%" not in head] == ["M2", "M2 P", "M2 R"]
    change(browser, "document.querySelector('#columns input[value=unchanged]').click()")
    assert set(column_heads(browser)) == {*usual, "unchanged"}
    address = browser.current_url
    assert "unchanged" in address
    open_page(browser, address)
    assert set(column_heads(browser)) == {*usual, "unchanged"}
    open_page(browser, f"{page}#table?cols=date,bleu")
    assert column_heads(browser) == ["#", "System", "GLEU", "BLEU", "Submitted"]


def test_precision_and_recall_are_those_of_the_score(browser, page):
    open_page(browser, f"{page}#table?cols=m2.precision,m2.recall&sort=m2")
    expected = gecbench.M2().score_corpus(DEMO, gecbench.load_demo_systems()["rule-based"])
    found = browser.execute_script(
        """const row = [...document.querySelectorAll("table.ranking tbody tr")]
             .find((each) => each.querySelector("th").textContent.startsWith("rule-based"));
           return [...row.querySelectorAll("td.number")].map((cell) => cell.firstChild.textContent);"""
    )
    values = (expected.value, expected.parts["precision"], expected.parts["recall"])
    assert found == [f"{100 * value:.2f}" for value in values]


def test_over_correction_has_a_column_by_any_ranking(browser, page):
    """Only CLEME has the rate, and it is shown with its long name and its direction."""
    rows = [system("one", 0.4), system("two", 0.3)]
    for row, rate in zip(rows, (0.51, 0.35), strict=True):
        row["scores"]["cleme"] = {"value": 0.25, "parts": {"precision": 0.2, "recall": 0.1, "ove": rate}}
    open_page(browser, f"{page}#submit")
    tables = browser.execute_script("return GECBENCH.board().tables")
    tables = [{**table, "metrics": ["gleu", "cleme"]} for table in tables]
    show(browser, page, "table?sort=gleu", rows, tables=tables)
    assert [head for head in column_heads(browser) if head != "CLEME"][-1] == "Over-correction"
    assert "CLEME P" not in column_heads(browser)
    head = browser.find_element("xpath", "//th[contains(., 'Over-correction')]")
    assert "CLEME: over-correction rate, lower is better" in head.get_attribute("outerHTML")
    assert {"51.00", "35.00"} <= set(texts(browser, "tbody td.number"))


def test_numbers_below_zero(browser, page):
    rows = [system("one", -0.0453, low=-0.0509, high=-0.0401), system("two", 0.01, low=0, high=0.02)]
    show(browser, page, "table", rows)
    assert texts(browser, "tbody td.main") == ["1.000.00–2.00", "−4.53−5.09 to −4.01"]
    assert browser.execute_script("return GECBENCH.use('dom').points(-0.00001)") == "0.00"


def test_nothing_is_explained_that_is_not_there(browser, page):
    notes = {"cluster": "CLUSTER", "p": "CHANCE", "p_adjusted": "HOLM", "human": "PEOPLE", "capped": "BOUND"}
    notes["reported"] = "REPORTED"
    show(browser, page, "table", [system("one", 0.5)], notes=notes)
    assert texts(browser, ".notes li")[0] == "Ranked by GLEU."
    assert not any(note in " ".join(texts(browser, ".note")) for note in notes.values())
    figure = {"low": 0.4, "high": 0.6, "cluster": 1, "rank": 1, "p_value": 0.01, "p_text": "0.010", "capped": 3}
    figure |= {"p_adjusted": 0.03, "p_adjusted_text": "0.030", "human": 0.4, "against_others": 0.45, "ratio": 1.125}
    show(browser, page, "table?cols=interval,p,p_adjusted,ratio", [system("one", 0.5, **figure)], notes=notes)
    shown = " ".join(texts(browser, ".note"))
    assert all(word in shown for word in ("CLUSTER", "CHANCE", "HOLM", "PEOPLE", "† BOUND"))
    assert "REPORTED" not in shown
    assert "With fewer than 300 sentences, the interval is too narrow." in shown, "the demo has 42"
    cells = texts(browser, "tbody td")
    assert "50.00†40.00–60.00" in cells
    assert "0.010" in cells
    assert "0.030*" in cells
    assert any(cell.endswith("%45.00 / 40.00") for cell in cells)


def test_reported_results_stand_apart_and_say_what_differs(browser, page):
    source = {"title": "A paper", "url": "https://example.org/paper"}
    other = system("other", 0.9, source=source, differs="scored on other sentences") | {"kind": "reported"}
    show(browser, page, "table", [system("mine", 0.5, rank=1), system("shifted", 0.4, differs="OTHER DATA")], [other])
    assert systems(browser) == ["mine", "shifted"]
    assert texts(browser, "tbody td.rank") == ["1", ""]
    assert texts(browser, ".badge") == ["not ranked"]
    assert texts(browser, "#reported tbody tr") == ["otherGLEU 90.001"]
    assert texts(browser, "#reported ol li") == ["A paper: scored on other sentences"]
    assert not browser.execute_script("return document.querySelector('#reported').open")


def test_sealed_board_has_no_view_of_sentences(browser, page):
    rows = [system("mine", 0.5, rank=1), system("yours", 0.4, rank=2)]
    show(browser, page, "table", rows, sealed=True)
    assert texts(browser, "nav a") == ["Ranking", "Plot", "Compare", "Submit"]
    assert "not published" in texts(browser, ".notes")[0]
    change(browser, "document.querySelector('table.ranking a').click()")
    assert browser.execute_script("return document.querySelector('#alignment, svg.chart')") is None


def test_rows_with_badges_are_as_high_as_others(browser, page):
    rows = [system("one", 0.5, low=0.4, high=0.6), system("two", 0.4, low=0.3, high=0.5) | {"role": "source"}]
    show(browser, page, "table", rows)
    heights = browser.execute_script(
        "return [...document.querySelectorAll('table.ranking tbody tr')].map((row) => row.offsetHeight)"
    )
    assert max(heights) - min(heights) <= 2


@pytest.mark.parametrize("screen", SCREENS)
def test_every_point_is_named_and_no_name_is_overprinted(browser, page, screen):
    emulate_screen(browser, screen)
    rows = [system(f"System {k}", 0.5 + 0.01 * (k * 7 % 13) + 0.001 * k) for k in range(14)]
    for k, row in enumerate(rows):
        row["scores"]["bleu"] = {"value": 0.6 + 0.01 * (k * 5 % 11)}
    for name, gleu, bleu in (("Low", 0.545, 0.585), ("Right", 0.66, 0.66)):
        rows.append(system(name, gleu))
        rows[-1]["scores"]["bleu"] = {"value": bleu}
    human = system("A rewrite", 0.55) | {"role": "human"}
    human["scores"]["bleu"] = {"value": 0.65}
    show(browser, page, "plot?x=gleu&y=bleu", [*rows, human])
    named = sorted(row["system"] for row in rows) if screen != "phone" else []
    assert sorted(texts(browser, "svg.chart .point text")) == named
    assert texts(browser, "svg.chart .people") == ["human", "human"]
    assert browser.execute_script(OVERLAPS) == []


def test_a_tap_names_a_point_on_a_phone(browser, page):
    emulate_screen(browser, "phone")
    rows = [system(f"System {k}", 0.5 + 0.05 * k) for k in range(4)]
    for row in rows:
        row["scores"]["bleu"] = {"value": row["scores"]["gleu"]["value"] / 2}
    show(browser, page, "plot?x=gleu&y=bleu", rows)
    assert "Tap a point for its name." in texts(browser, "figcaption")[0]
    browser.execute_script("document.querySelector('.point').dispatchEvent(new Event('click', {cancelable: true}))")
    assert texts(browser, ".tapped") == ["System 3 – GLEU, BLEU: 65.00, 32.50"]
    assert "#plot" in browser.current_url, "the first tap stays on the plot"


@pytest.mark.parametrize("screen", SCREENS)
def test_the_whole_chart_is_above_the_fold(browser, page, screen):
    emulate_screen(browser, screen)
    open_page(browser, f"{page}#plot?corpus=demo")
    wait(browser, "document.querySelector('svg.chart')")
    boxes = browser.execute_script(
        """const box = (name) => document.querySelector(name).getBoundingClientRect().toJSON();
           return [box("svg.chart"), ...[...document.querySelectorAll("svg.chart .axis")]
             .map((node) => node.getBoundingClientRect().toJSON())];"""
    )
    assert all(box["top"] >= 0 and box["bottom"] <= SCREENS[screen][1] for box in boxes)
    assert all(boxes[0]["left"] <= box["left"] and box["right"] <= boxes[0]["right"] for box in boxes[1:])


def test_equal_scores_have_no_correlation(browser, page):
    rows = [system(f"System {k}", 0.5 + 0.01 * k) for k in range(4)]
    for row in rows:
        row["scores"]["bleu"] = {"value": 1.0}
    show(browser, page, "plot?x=gleu&y=bleu", rows)
    assert texts(browser, "figcaption") == ["No correlation: all 4 systems have the same BLEU."]


def test_small_groups_are_hidden_and_sizes_shown(browser, page):
    groups = [{"label": str(k), "sentences": 18 + k, "value": 0.1 * k} for k in range(5)]
    open_page(browser, page)
    lines, note, labels = browser.execute_script(
        """const row = { system: "s", id: "0".repeat(64), corpus: "demo", reference_set: "default" };
           const figure = GECBENCH.use("charts").groupFigure([[row, { by_source_distance: { gleu: arguments[0] } }]],
             "distance", "gleu");
           return [[...figure.querySelectorAll("polyline")].map((line) => line.getAttribute("points")),
             figure.querySelector("figcaption").textContent,
             [...figure.querySelectorAll(".tick")].map((tick) => tick.textContent)
               .slice(-6)];""",
        groups,
    )
    assert [len(line.split()) for line in lines] == [3]
    assert "Left out: 2 groups of fewer than 20 sentences." in note
    assert labels == ["2", "n=20", "3", "n=21", "4", "n=22"]


def test_scores_by_error_type(browser, page):
    open_page(browser, f"{page}#groups?by=type&metric=m2")
    wait(browser, "document.querySelector('table.types')")
    outputs = gecbench.load_demo_systems()
    expected = {each.type: each for each in gecbench.M2().breakdown("error-type", DEMO, outputs["rule-based"])}
    names = texts(browser, "table.types thead th")
    place = names.index("rule-based") + 1
    cells = dict(
        zip(
            texts(browser, "table.types tbody th bdi"),
            texts(browser, f"table.types tbody td:nth-child({place})"),
            strict=True,
        )
    )
    assert cells == {
        name: f"{100 * each.recall:.2f}{each.correct} of {each.gold}" if each.gold else "–"
        for name, each in expected.items()
    }


def test_two_systems_by_link(browser, page):
    open_page(browser, f"{page}#compare")
    chosen = [texts(browser, "table.figures thead a")[k] for k in (0, 1)]
    change(browser, "[...document.querySelectorAll('a.button')].find((a) => a.textContent === 'Swap').click()")
    address = browser.current_url
    open_page(browser, address)
    assert texts(browser, "table.figures thead a")[:2] == chosen[::-1]
    outputs = gecbench.load_demo_systems()
    scores = [gecbench.GLEU().score_corpus(DEMO, outputs[name]).value for name in chosen[::-1]]
    first = texts(browser, "table.figures tbody tr:first-child td")
    assert [float(text.partition(".")[0]) for text in first[:2]] == [int(100 * score) for score in scores]
    assert first[2].replace("−", "-").startswith(f"{100 * (scores[0] - scores[1]):+.2f}")


@pytest.mark.parametrize("screen", SCREENS)
def test_no_view_is_wider_than_the_screen(browser, page, screen):
    emulate(browser, width=1280)
    views = addresses(browser, page, "demo")
    emulate_screen(browser, screen)
    for view, address in views.items():
        go(browser, address)
        wide = browser.execute_script("return document.documentElement.scrollWidth - innerWidth")
        assert wide <= 0, view
        if view in ("table", "system", "compare"):
            inner = "[...document.querySelectorAll('.scroll')].map((node) => node.scrollWidth - node.clientWidth)"
            assert max(browser.execute_script(f"return {inner}"), default=0) <= 0, view


def test_charts_are_saved_as_svg(browser, page, downloads):
    open_page(browser, f"{page}#plot")
    click(browser, "button.svg")
    file = downloads / "plot-demo-m2.recall-m2.precision.svg"
    eventually(file.exists, "nothing is downloaded")
    tree = ET.parse(file)
    shown = [node.text for node in tree.iter("{http://www.w3.org/2000/svg}text")]
    assert {"M2 recall", "M2 precision", "good-corrector", "rule-based", "spell-checker"} <= set(shown)
    circles = list(tree.iter("{http://www.w3.org/2000/svg}circle"))
    assert all(circle.get("fill", "").startswith("rgb(") for circle in circles)


def test_every_view_links_its_data_as_json(browser, page):
    folder = Path(url2pathname(urlsplit(page).path)).parent
    for view, address in addresses(browser, page, "demo").items():
        open_page(browser, address)
        files = browser.execute_script(
            "return [...document.querySelectorAll('p.data a')].map((link) => link.getAttribute('href'))"
        )
        assert files or view in ("submit", "agreement"), view
        for file in files:
            name = file.removeprefix("data/").removesuffix(".json")
            loaded = browser.execute_async_script("GECBENCH.load(arguments[0]).then(arguments[1])", name)
            stored = json.loads((folder / file).read_text(encoding="utf-8"))
            assert set(stored) == set(loaded)
            if not name.startswith("table-"):
                assert stored == loaded


def test_an_organisers_board_bears_its_own_name(browser, tmp_path):
    logo = tmp_path / "mine.svg"
    logo.write_text('<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 9 9"><circle r="4"/></svg>', encoding="utf-8")
    task = tmp_path / "task"
    about = ["--title", "Our <b>task</b>", "--description", "A line", "--licence", "CC BY 4.0", "--metric", "m2"]
    links = ["--link", "https://example.org/task", "--logo", str(logo)]
    assert main(["leaderboard", "init", str(task), "-c", "demo", *about, *links]) == 0
    assert main(["leaderboard", "build", "--board", str(task), "-o", str(tmp_path / "site")]) == 0
    open_page(browser, (tmp_path / "site" / "index.html").as_uri())
    assert texts(browser, "h1") == ["Our <b>task</b>"]
    assert texts(browser, "header p") == ["A line"]
    assert browser.title == "Ranking – Our <b>task</b>"
    assert "License: CC BY 4.0." in texts(browser, "footer")[0]
    assert browser.execute_script("return document.querySelector('footer a').href") == "https://example.org/task"
    assert browser.execute_script("return document.querySelector('.brand img').naturalWidth") > 0


EVERY = "m2,m2.precision,m2.recall,imeasure,bleu,interval,ratio,p,unchanged,date"
WIDER = "return [...document.querySelectorAll('html, .scroll')].map((node) => node.scrollWidth - node.clientWidth)"


def test_every_column_chosen_on_a_phone_needs_no_scrolling_sideways(browser, page):
    emulate_screen(browser, "phone")
    open_page(browser, f"{page}#table?corpus=demo&cols={EVERY}")
    assert max(browser.execute_script(WIDER)) <= 0
    script = "return [...document.querySelectorAll('table.ranking tbody tr:first-child td')].map((cell) => "
    labels = browser.execute_script(f"{script} getComputedStyle(cell, '::before').content)")
    assert {'"GLEU "', '"M2 R "', '"Submitted "'} <= set(labels), "a cell says what it is where it stands alone"


@pytest.mark.parametrize("screen", SCREENS)
def test_hundreds_of_systems_in_a_plot(browser, page, screen):
    emulate_screen(browser, screen)
    rows = [system(f"System {i}", 0.2 + (i * 37 % 300) / 600) for i in range(300)]
    for i, row in enumerate(rows):
        row["scores"]["m2"] = {"value": row["scores"]["gleu"]["value"] + (i * 53 % 97) / 970}
    show(browser, page, "plot?x=gleu&y=m2", rows)
    assert browser.execute_script(OVERLAPS) == []
    assert len(texts(browser, ".point title")) == 300
    assert 5 < len(texts(browser, ".point text")) < 100 or screen == "phone"
    assert texts(browser, ".chart .leader") == [], "lines to far names would cover the points"
    hint = "Point at a dot without a name to see its name." if screen != "phone" else "Tap a point for its name."
    assert hint in texts(browser, "figcaption")[0]


def test_every_system_of_a_long_table_is_drawn_in_order(browser, page):
    rows = [system(f"System {i}", (i * 37 % 100) / 100) for i in range(100)]
    show(browser, page, "table", rows)
    wait(browser, "document.querySelectorAll('table.ranking tbody tr').length === 100")
    expected = [row["system"] for row in sorted(rows, key=lambda row: -row["scores"]["gleu"]["value"])]
    assert systems(browser) == expected
    browser.execute_script("document.querySelector('[data-sort=gleu]').click()")
    wait(browser, f"document.querySelector('table.ranking tbody tr th').textContent.startsWith('{expected[-1]}')")
    wait(browser, "document.querySelectorAll('table.ranking tbody tr').length === 100")
    assert systems(browser) == expected[::-1]


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


def test_the_matrix_has_a_cell_for_every_pair_and_leads_to_the_comparison(browser, page):
    open_page(browser, f"{page}#matrix?corpus=demo&metric=gleu")
    names = texts(browser, "table.matrix tbody th")
    assert names == ["good-corrector", "rule-based", "spell-checker"]
    cells = texts(browser, "table.matrix td.cell")
    assert len(cells) == 9
    assert [cells[0], cells[4], cells[8]] == ["", "", ""]
    label = browser.execute_script("return document.querySelector('table.matrix td.cell a').getAttribute('aria-label')")
    outputs = gecbench.load_demo_systems()
    values = [gecbench.GLEU().score_corpus(DEMO, outputs[name]).value for name in names]
    assert label.startswith(f"good-corrector against rule-based: +{100 * (values[0] - values[1]):.2f} (")
    change(browser, "document.querySelector('table.matrix td.cell a').click()")
    assert texts(browser, "table.figures thead a")[:2] == names[:2]
    browser.back()
    wait(browser, "document.querySelector('table.matrix')")


def test_a_row_is_cited(browser, page):
    open_page(browser, f"{page}#table?corpus=demo")
    change(browser, "document.querySelector('table.ranking a').click()")
    change(browser, "[...document.querySelectorAll('a.button')].find((a) => a.textContent === 'Cite').click()")
    bibtex, latex, signatures = texts(browser, "#cite pre")
    assert browser.execute_script("return document.querySelector('#cite').open")
    assert bibtex.startswith("@misc{gecbench-goodcorrector,")
    score = gecbench.GLEU().score_corpus(DEMO, gecbench.load_demo_systems()["good-corrector"])
    assert f"good-corrector & {100 * score.value:.2f}" in latex
    assert latex.endswith("\\\\")
    assert signatures.startswith("gleu|variant:2017")
    go(browser, "#table?corpus=demo")
    found = browser.execute_script("return GECBENCH.use('systems').tex(arguments[0])", "a_b & 50% {x} \\ ~^")
    assert found == r"a\_b \& 50\% \{x\} \textbackslash{} \textasciitilde{}\textasciicircum{}"


def edits_shown(browser):
    return browser.execute_script(
        "return [...document.querySelectorAll('.edits p:first-child > span')].map((node) => "
        "[node.classList[0], node.dataset.type, node.classList.contains('chosen')])"
    )


def test_edits_are_those_of_m2_and_are_filtered(browser, page):
    open_page(browser, f"{page}#sentences?corpus=demo")
    wait(browser, "document.querySelector('.edits')")
    assert edits_shown(browser), "it opens where something happens"
    outputs = gecbench.load_demo_systems()
    names = [text.partition(": ")[2] for text in texts(browser, "table.tally tbody th")]
    cells = texts(browser, "table.tally tbody td")
    for k, name in enumerate(names):
        parts = gecbench.M2().score_corpus(DEMO, outputs[name]).parts
        expected = [parts["correct"], parts["proposed"] - parts["correct"], parts["gold"] - parts["correct"]]
        assert [int(cell) for cell in cells[3 * k : 3 * k + 3]] == expected
    go(browser, "#sentences?corpus=demo&outcome=missed&type=Prep")
    shown = edits_shown(browser)
    assert ["miss", "Prep", True] in shown
    address = browser.current_url
    press = "document.body.dispatchEvent(new KeyboardEvent('keydown', {key: arguments[0], bubbles: true}))"
    first = texts(browser, ".status")[0]
    browser.execute_script(press, "j")
    assert texts(browser, ".status")[0] != first
    assert browser.current_url != address, "a link to each sentence"
    browser.execute_script(press, "k")
    assert texts(browser, ".status")[0] == first
    browser.execute_script(press, "/")
    assert browser.execute_script("return document.activeElement.name") == "words"
    search = "const box = document.activeElement; box.value = arguments[0]; box.dispatchEvent(new Event('change', "
    change(browser, search + "{bubbles: true}))", "7")
    assert texts(browser, ".status") == ["Sentence 7 (1 of 1)"], "a number finds its sentence with any filters"
    assert browser.execute_script("return document.activeElement.name") == "words", "the focus stays"
    change(browser, "history.back()")
    assert texts(browser, ".status")[0] == first
    open_page(browser, f"{page}#sentences?corpus=demo&words=no-such-word")
    assert texts(browser, ".status") == ["No sentence matches these filters."]
    open_page(browser, f"{page}#sentences?corpus=demo&show=a")
    made = edits_shown(browser)
    assert any(mark == "match" and chosen for mark, _, chosen in made)


def test_the_column_picker_leaves_no_trace(browser, page):
    from selenium.webdriver.common.keys import Keys

    open_page(browser, f"{page}#table?corpus=demo")
    before = browser.execute_script("return history.length")
    browser.find_element("css selector", "#columns summary").click()
    assert browser.execute_script("return document.querySelector('#columns').open")
    change(browser, "const box = document.querySelector('#columns input[value=unchanged]'); box.focus(); box.click()")
    assert browser.execute_script("return [document.querySelector('#columns').open, document.activeElement.value]") == [
        True,
        "unchanged",
    ]
    assert browser.execute_script("return history.length") == before
    assert "open" not in browser.current_url.partition("#")[2]
    browser.switch_to.active_element.send_keys(Keys.ESCAPE)
    assert not browser.execute_script("return document.querySelector('#columns').open")
    browser.find_element("css selector", "#columns summary").click()
    browser.execute_script("document.querySelector('.status').click()")
    assert not browser.execute_script("return document.querySelector('#columns').open")


def test_human_entries_are_a_line_or_rows(browser, page):
    rows = [system("one", 0.5, rank=1), *(system(f"Expert {k}", 0.4 + k / 10) | {"role": "human"} for k in (0, 2))]
    show(browser, page, "table", rows)
    assert systems(browser) == ["one", "Human rewrites, mean of 2"]
    assert [text[:5] for text in texts(browser, "td.main")] == ["50.00", "50.00"]
    assert texts(browser, ".status") == ["1 of 1 system"]
    change(browser, "document.querySelector('#people').click()")
    assert systems(browser) == ["Expert 2", "one", "Expert 0"]
    browser.back()
    wait(browser, "document.querySelectorAll('table.ranking tbody tr').length === 2")


def test_systems_are_filtered_by_what_is_known_of_them(browser, page):
    rows = [
        system("old", 0.3) | {"year": 2014, "approach": "rules", "open_weights": False},
        system("new", 0.5) | {"year": 2023, "approach": "LLM", "open_weights": True},
    ]
    show(browser, page, "table", rows)
    assert systems(browser) == ["new", "old"]
    for query, expected in (("approach=rules", ["old"]), ("since=2023", ["new"]), ("weights=open", ["new"])):
        go(browser, f"#table?corpus=demo&{query}")
        assert systems(browser) == expected


def test_metrics_are_correlated_with_a_human_ranking(browser, page):
    """Three systems, ranked 1, 2, 3 by people; GLEU turns the last two around, BLEU everything."""
    scores = {"one": (0.9, 0.1), "two": (0.3, 0.2), "three": (0.5, 0.3)}
    rows = [system(name, gleu) for name, (gleu, _) in scores.items()]
    for row, (_, bleu) in zip(rows, scores.values(), strict=True):
        row["scores"]["bleu"] = {"value": bleu}
    show(browser, page, "submit", rows)
    assert "Metrics" not in texts(browser, "nav a")
    browser.execute_script(
        """
        const board = GECBENCH.board();
        const tables = board.tables.map((table) => ({ ...table, agreement: table.corpus === "demo",
          metrics: ["gleu", "bleu"] }));
        GECBENCH.add("board", { ...board, tables });
        const { key } = tables.find(({ corpus }) => corpus === "demo");
        GECBENCH.add(`agreement-${key}`, { ids: arguments[0], judgments: [
          { title: "edits", scores: [1, 0.5, -1] }, { title: "sentences", scores: [-1, 0.5, 1] }] });
        """,
        [row["id"] for row in rows],
    )
    go(browser, "#agreement?corpus=demo")
    assert "Metrics" in texts(browser, "nav a")
    assert texts(browser, "#coefficients tbody th") == ["GLEU", "BLEU"], "the best agreement first"
    cells = texts(browser, "#coefficients td.number")
    assert [cells[0], cells[2]] == ["0.500", "−1.000"]
    assert texts(browser, "#ranks tbody th") == ["one", "two", "three"]
    assert texts(browser, "#ranks tbody td") == ["1", "1", "3", "2", "3", "2", "3", "2", "1"]
    go(browser, "#agreement?corpus=demo&judged=sentences")
    assert texts(browser, "#ranks tbody th") == ["three", "two", "one"]


def test_contours_join_points_of_equal_f(browser, page):
    open_page(browser, f"{page}#plot?corpus=demo")
    points = browser.execute_script("return GECBENCH.use('charts').contour(0.6, [0, 100], [0, 100])")
    assert len(points) > 50
    for recall, precision in points:
        assert 1.25 * precision * recall / (0.25 * precision + recall) == pytest.approx(60)
