"""The page in a real, headless Chromium: from a disk and from the server, with friendly and hostile data."""

import json
import time

import chromium
import pytest
from boards import HOSTILE_NAME, HOSTILE_SENTENCE, LONG_NAME, RIGHT_TO_LEFT, demo_board, hostile_board, server, site

import gecbench

pytestmark = pytest.mark.skipif(chromium.missing() is not None, reason=chromium.missing() or "")
DEMO = gecbench.load_demo()
VIEWS = ("table", "plot", "distance", "sentences", "submit")


@pytest.fixture(scope="module")
def downloads(tmp_path_factory):
    return tmp_path_factory.mktemp("downloads")


@pytest.fixture(scope="module")
def browser(downloads):
    with chromium.chromium(str(downloads)) as driver:
        yield driver


@pytest.fixture(scope="module")
def page(tmp_path_factory):
    folder = tmp_path_factory.mktemp("friendly")
    return site(demo_board(folder / "board"), folder / "site")


@pytest.fixture(scope="module")
def hostile(tmp_path_factory):
    folder = tmp_path_factory.mktemp("hostile")
    return site(hostile_board(folder / "board"), folder / "site")


@pytest.fixture(autouse=True)
def calm(browser):
    chromium.emulate(browser)
    browser.get("about:blank")
    browser.get_log("browser")
    yield
    problems = [entry["message"] for entry in browser.get_log("browser") if entry["level"] == "SEVERE"]
    assert not problems, "the page complains"


def wait(browser, script, *arguments):
    """Wait until a script returns something true, and return it."""
    deadline = time.monotonic() + 20
    while time.monotonic() < deadline:
        found = browser.execute_script(f"return ({script});", *arguments)
        if found:
            return found
        time.sleep(0.02)
    raise AssertionError(f"never true: {script}")


def open_page(browser, address):
    browser.get("about:blank")
    browser.get(address)
    wait(browser, "document.documentElement.dataset.drawn")


def change(browser, script, *arguments):
    """Do something that draws the page anew."""
    before = browser.execute_script("return document.documentElement.dataset.drawn")
    browser.execute_script(script, *arguments)
    wait(browser, "document.documentElement.dataset.drawn !== arguments[0]", before)


def go(browser, address):
    change(browser, "location.hash = arguments[0]", address)


def texts(browser, selector):
    script = "return [...document.querySelectorAll(arguments[0])].map((node) => node.textContent)"
    return browser.execute_script(script, selector)


def click(browser, selector):
    browser.execute_script("document.querySelector(arguments[0]).click()", selector)


def systems(browser):
    return texts(browser, "table.ranking tbody th bdi:first-of-type, table.ranking tbody th > a > bdi")


def test_opens_from_a_disk_and_ranks(browser, page):
    open_page(browser, page)
    expected = gecbench.compare(gecbench.load_demo_systems(), DEMO, resamples=1, test=None)
    assert [name for name in systems(browser) if name != "Human"] == expected.ranked()
    shown = texts(browser, "tr[data-id] td.main")
    best = f"{100 * expected['good-corrector']['gleu'].value:.2f}"
    assert any(text.startswith(best) for text in shown)
    assert "Human" in systems(browser)
    assert (
        texts(browser, "thead th.number button")[:2]
        == [f"{m.title}{'▼' * (m.name == 'gleu')}" for m in gecbench.METRICS.values()][:2]
    )


def test_sorts_by_any_column_and_back(browser, page):
    open_page(browser, page)
    change(browser, "document.querySelector('[data-sort=system]').click()")
    names = systems(browser)
    assert names == sorted(names, key=str.lower, reverse=True)
    change(browser, "document.querySelector('[data-sort=system]').click()")
    assert systems(browser) == sorted(names, key=str.lower)
    change(browser, "document.querySelector('[data-sort=bleu]').click()")
    values = [float(text.partition(".")[0]) for text in texts(browser, "tr.system td.main, tr.source td.main")]
    assert values == sorted(values, reverse=True)
    assert "sort=bleu" in browser.current_url
    assert texts(browser, "th[aria-sort=descending] button") == ["BLEU▼"]


def test_keyboard_alone_sorts_and_opens(browser, page):
    from selenium.webdriver.common.keys import Keys

    open_page(browser, page)
    browser.execute_script("document.querySelector('[data-sort=date]').focus()")
    browser.switch_to.active_element.send_keys(Keys.ENTER)
    wait(browser, "location.hash.includes('sort=date')")
    browser.execute_script("document.querySelector('table.ranking tbody a').focus()")
    browser.switch_to.active_element.send_keys(Keys.ENTER)
    wait(browser, "document.querySelector('h2.name')")


def test_filters_while_typing(browser, page):
    open_page(browser, page)
    box = browser.find_element("id", "filter")
    box.send_keys("SPELL")
    assert systems(browser) == ["spell-checker"]
    assert texts(browser, ".status") == ["1 of 3 systems"]
    assert "q=SPELL" in browser.current_url
    open_page(browser, browser.current_url)
    assert systems(browser) == ["spell-checker"], "the address carries the filter"


def test_published_tables(browser, page):
    open_page(browser, f"{page}#table?corpus=jfleg%3Atest&set=default")
    names = systems(browser)
    assert names[0] == "Ge et al. (2018)"
    assert set(texts(browser, "tr.reported.system .badge")) == {"as reported"}
    choose = "const box = document.querySelector('select'); box.value = arguments[0]; "
    change(browser, f"{choose} box.dispatchEvent(new Event('change'))", "conll14_fluency:test")
    sets = texts(browser, "label:nth-child(2) option")
    assert "expert fluency" in sets
    assert len(sets) == 7


def test_system_then_alignment(browser, page):
    open_page(browser, page)
    change(
        browser, "[...document.querySelectorAll('table.ranking a')].find((a) => a.textContent === 'rule-based').click()"
    )
    assert texts(browser, "h2.name bdi") == ["rule-based"]
    assert any("gleu|variant:2017" in text for text in texts(browser, ".origins code"))
    permalink = browser.current_url
    change(browser, "document.querySelector('#alignment').click()")
    wait(browser, "document.querySelector('table.alignment')")
    first = texts(browser, "table.alignment tr:first-child td")
    source = DEMO.sources[0].split()
    assert [token for token in first if token and token != "∅"] == source
    assert texts(browser, "table.alignment th")[:3] == ["Source", "A", "B"]
    assert "has" in texts(browser, "table.alignment tr:nth-child(2) td.good")
    change_url = browser.current_url
    browser.execute_script("document.querySelectorAll('.actions button')[1].click()")
    wait(browser, "document.querySelector('.status').textContent.startsWith('Sentence 2 ')")
    assert browser.current_url != change_url
    open_page(browser, browser.current_url)
    wait(browser, "document.querySelector('.status').textContent.startsWith('Sentence 2 ')")
    open_page(browser, permalink)
    assert texts(browser, "h2.name bdi") == ["rule-based"]


def test_alignment_gives_every_text_back(browser, page):
    open_page(browser, page)
    outputs = list(gecbench.load_demo_systems().values())
    for i, source in enumerate(DEMO.sources):
        rows = [*(lines[i] for lines in outputs), *DEMO.references[i], "", "entirely other words here"]
        columns = browser.execute_script("return alignTexts(arguments[0], arguments[1])", source, rows)
        assert " ".join(column["source"] for column in columns if column["source"]) == source
        for k, row in enumerate(rows):
            assert " ".join(column["cells"][k] for column in columns if column["cells"][k]) == " ".join(row.split())


JUDGED = [("goes", "go", ["goes", "went"], "good"), ("gone", "go", ["goes"], "other"), ("go", "go", ["goes"], "missed")]
JUDGED += [("go", "go", ["goes", "go"], "same"), ("", "the", [""], "good"), ("a", "the", [], "changed")]


@pytest.mark.parametrize(("cell", "source", "references", "verdict"), JUDGED)
def test_judgement_of_a_cell(browser, page, cell, source, references, verdict):
    open_page(browser, page)
    assert browser.execute_script("return judge(...arguments)", cell, source, references) == verdict


def test_correlations(browser, page):
    open_page(browser, page)
    xs, ys = [1, 2, 2, 4, 9], [3, 1, 4, 1, 5]
    import numpy

    assert browser.execute_script("return pearson(...arguments)", xs, ys) == pytest.approx(numpy.corrcoef(xs, ys)[0, 1])
    assert browser.execute_script("return ranksOf(arguments[0])", xs) == [1, 2.5, 2.5, 4, 5]


def test_plots(browser, page):
    open_page(browser, f"{page}#plot")
    assert len(texts(browser, "svg.chart .point circle")) == 4
    assert "Pearson r" in texts(browser, "figcaption")[0]
    go(browser, "#distance")
    wait(browser, "document.querySelectorAll('svg.chart .line').length === 4")
    titles = texts(browser, "svg.chart .line title")
    assert any(title.startswith("good-corrector, 1-5 characters") for title in titles)


def test_downloads(browser, page, downloads):
    open_page(browser, page)
    for kind in ("csv", "json"):
        click(browser, f"#{kind}")
    found = {}
    for _ in range(200):
        found = {path.suffix: path for path in downloads.glob("leaderboard-demo-default.*")}
        if {".csv", ".json"} <= set(found):
            break
        time.sleep(0.05)
    rows = json.loads(found[".json"].read_text(encoding="utf-8"))
    assert {row["system"] for row in rows} == {*gecbench.load_demo_systems(), "Human"}
    lines = found[".csv"].read_text(encoding="utf-8").splitlines()
    assert lines[0].startswith("corpus,reference_set,system,")
    assert any(line.startswith("demo,default,good-corrector,scored,") for line in lines)


def test_hostile_data_is_text(browser, hostile):
    open_page(browser, hostile)
    names = systems(browser)
    assert {HOSTILE_NAME, RIGHT_TO_LEFT, LONG_NAME} <= set(names)
    for view in VIEWS:
        go(browser, f"#{view}?x=1")
    open_page(browser, hostile)
    change(
        browser,
        "[...document.querySelectorAll('table.ranking a')].find((a) => a.textContent === arguments[0]).click()",
        HOSTILE_NAME,
    )
    assert texts(browser, "h2.name bdi") == [HOSTILE_NAME]
    assert "</script><script>window.hacked=5</script>" in " ".join(texts(browser, "main p bdi"))
    change(browser, "document.querySelector('#alignment').click()")
    wait(browser, "document.querySelector('table.alignment')")
    cells = " ".join(texts(browser, "table.alignment tr:nth-child(2) td bdi"))
    assert "<script>window.hacked=2</script>" in cells
    assert "**bold**" in cells
    assert HOSTILE_SENTENCE.split()[-2] in cells
    assert browser.execute_script("return window.hacked") is None
    inside = "#main script, #main img, #main iframe, #main [onclick], #main [onerror], #main b"
    assert browser.execute_script("return document.querySelectorAll(arguments[0]).length", inside) == 0


LINKS = [
    "javascript:alert(1)",
    "JaVaScRiPt:alert(1)",
    " data:text/html,x",
    "vbscript:x",
    "file:///etc/passwd",
    "//x",
    "nonsense",
]


@pytest.mark.parametrize("url", LINKS)
def test_other_links_stay_text(browser, page, url):
    open_page(browser, page)
    node = browser.execute_script(
        "const node = outside(arguments[0], 'x'); return [node.tagName, node.textContent]", url
    )
    assert node == ["BDI", "x"]
    good = browser.execute_script(
        "const node = outside('https://example.org/a', ''); return [node.tagName, node.href, node.rel]"
    )
    assert good == ["A", "https://example.org/a", "noopener noreferrer nofollow"]


def test_hostile_addresses_change_nothing(browser, page):
    for address in (
        "#<img src=x onerror=alert(1)>",
        "#table?corpus=__proto__&sort=constructor&q=<b>",
        "#system?id=",
        "#sentences?a=zz&n=zz",
        "#plot?x=__proto__",
    ):
        open_page(browser, page + address)
        assert browser.execute_script("return document.querySelectorAll('#main b, #main img').length") == 0


def test_inline_script_is_forbidden(browser, page):
    open_page(browser, page)
    browser.execute_script(
        "const s = document.createElement('script'); s.textContent = 'window.hacked = 9'; document.body.append(s)"
    )
    assert browser.execute_script("return window.hacked") is None
    blocked = [entry for entry in browser.get_log("browser") if "Content Security Policy" in entry["message"]]
    assert blocked


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
@pytest.mark.parametrize("width", [1280, 390])
def test_fits_phones_and_has_contrast_in_both_themes(browser, hostile, width, dark, tmp_path):
    chromium.emulate(browser, width=width, dark=dark)
    for view in VIEWS:
        open_page(browser, f"{hostile}#{view}")
        sizes = browser.execute_script("return [document.documentElement.scrollWidth, innerWidth]")
        assert sizes[0] <= sizes[1], f"{view} is wider than the screen"
    colours = browser.execute_script(
        "const style = getComputedStyle(document.body); return [style.color, style.backgroundColor]"
    )
    assert contrast(*colours) > 7


def contrast(first, second):
    def luminance(colour):
        parts = [int(part) / 255 for part in colour[colour.index("(") + 1 : -1].split(",")[:3]]
        linear = [part / 12.92 if part <= 0.03928 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
        return sum(weight * part for weight, part in zip((0.2126, 0.7152, 0.0722), linear, strict=True))

    light, dark = sorted((luminance(first), luminance(second)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


def test_theme_button_is_remembered(browser, page):
    open_page(browser, page)
    click(browser, "#theme")
    click(browser, "#theme")
    assert browser.execute_script("return document.documentElement.dataset.theme") == "dark"
    open_page(browser, page)
    assert browser.execute_script("return document.documentElement.dataset.theme") == "dark"
    click(browser, "#theme")


def test_upload_is_ranked_on_the_page(browser, tmp_path):
    pytest.importorskip("starlette")
    demo_board(tmp_path / "board")
    outputs = [*gecbench.load_demo_systems()["good-corrector"][:-1], "Uploaded ."]
    file = tmp_path / "out.txt"
    file.write_text("".join(f"{line}\n" for line in outputs), encoding="utf-8")
    with server(tmp_path / "board") as (address, _):
        open_page(browser, address)
        for view in VIEWS:
            go(browser, f"#{view}?corpus=demo")
        asked = browser.execute_script("return performance.getEntriesByType('resource').map((entry) => entry.name)")
        assert len(asked) > len(VIEWS)
        assert all(name.startswith(address) for name in asked), "nothing is asked of other hosts"
        browser.find_element("name", "name").send_keys("<i>Uploaded</i> system")
        browser.find_element("name", "file").send_keys(str(file))
        browser.find_element("css selector", "form button[type=submit]").click()
        wait(browser, "document.querySelector('#added')")
        assert "Added: rank 2 of 5 by gleu" in texts(browser, "#message")[0]
        change(browser, "document.querySelector('#added').click()")
        assert texts(browser, "h2.name bdi") == ["<i>Uploaded</i> system"]
        change(browser, "document.querySelector('main p a').click()")
        names = [name for name in systems(browser) if name != "Human"]
        assert names.index("<i>Uploaded</i> system") == 1
        file.write_bytes(b"\x1f\x8b" + b"0" * 100)
        go(browser, "#submit")
        browser.find_element("name", "name").send_keys("bomb")
        browser.find_element("name", "file").send_keys(str(file))
        browser.find_element("css selector", "form button[type=submit]").click()
        wait(browser, "document.querySelector('.message.error')")
        assert "is compressed (gzip)" in texts(browser, "#message")[0]
        refused = [entry for entry in browser.get_log("browser") if entry["level"] == "SEVERE"]
        assert all("400" in entry["message"] for entry in refused)


def test_unbuilt_page_says_so(browser, repository):
    browser.get((repository / "spaces/leaderboard/index.html").as_uri())
    assert "gecbench leaderboard build" in texts(browser, "main")[0]
    browser.get_log("browser")
