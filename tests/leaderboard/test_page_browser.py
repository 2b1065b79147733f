"""The page in a real, headless Chromium, from a disk and from the server; hostile data stays text."""

import re
import shutil
from pathlib import Path
from urllib.parse import urlsplit
from urllib.request import url2pathname

import pytest
from boards import (
    DEMO,
    GOOD,
    HOSTILE_NAME,
    HOSTILE_SENTENCE,
    LONG_NAME,
    RIGHT_TO_LEFT,
    call,
    demo_board,
    server,
    text,
)
from chromium import VIEWS, change, click, emulate, go, open_page, systems, texts, wait
from waiting import eventually

import gecbench
from gecbench.leaderboard.records import Settings
from gecbench.leaderboard.store import FolderStore, init_board

pytestmark = pytest.mark.usefixtures("calm")


def test_opens_from_a_disk_and_ranks(browser, opened):
    expected = gecbench.compare(gecbench.load_demo_systems(), DEMO, resamples=1, test=None)
    assert systems(browser) == expected.ranked()
    shown = texts(browser, "tr[data-id] td.main")
    best = f"{100 * expected['good-corrector']['gleu'].value:.2f}"
    assert any(text.startswith(best) for text in shown)
    assert "The mean GLEU of one annotator against the others is" in " ".join(texts(browser, ".notes li"))
    assert (
        texts(browser, "thead th.number button")[:2]
        == [f"{m.title}{'▼' * (m.name == 'gleu')}" for m in gecbench.METRICS.values()][:2]
    )


def test_sorts_by_any_column_and_back(browser, opened):
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


def test_keyboard_alone_sorts_and_opens(browser, opened):
    from selenium.webdriver.common.keys import Keys

    browser.execute_script("document.querySelector('[data-sort=bleu]').focus()")
    browser.switch_to.active_element.send_keys(Keys.ENTER)
    wait(browser, "location.hash.includes('sort=bleu')")
    wait(browser, "document.activeElement.dataset.sort === 'bleu'")
    browser.execute_script("document.querySelector('table.ranking tbody a').focus()")
    first = browser.switch_to.active_element.text
    browser.switch_to.active_element.send_keys(Keys.ENTER)
    wait(browser, "document.querySelector('h2.name')")
    assert texts(browser, "h2.name")[0].startswith(first)


def test_filters_while_typing(browser, opened):
    box = browser.find_element("id", "filter")
    box.send_keys("SPELL")
    assert systems(browser) == ["spell-checker"]
    assert texts(browser, ".status") == ["1 of 3 systems"]
    assert "q=SPELL" in browser.current_url
    open_page(browser, browser.current_url)
    assert systems(browser) == ["spell-checker"], "the address carries the filter"


def test_published_tables(browser, page):
    open_page(browser, f"{page}#table?corpus=jfleg%3Atest&set=default")
    assert systems(browser) == []
    assert "Ge et al. (2018)" in texts(browser, "#reported tbody th")
    assert browser.execute_script("return document.querySelector('#reported').open"), "there is nothing else"
    choose = "const box = document.querySelector('select'); box.value = arguments[0]; "
    change(browser, f"{choose} box.dispatchEvent(new Event('change'))", "conll14_fluency:test")
    sets = texts(browser, "label:nth-child(2) option")
    assert "two fluency rewrites by experts (expert_fluency)" in sets
    assert len(sets) >= 7


def test_system_then_alignment(browser, opened):
    change(
        browser, "[...document.querySelectorAll('table.ranking a')].find((a) => a.textContent === 'rule-based').click()"
    )
    assert texts(browser, "h2.name bdi") == ["rule-based"]
    assert "null" not in texts(browser, "main")[0]
    assert any("gleu|variant:2017" in text for text in texts(browser, ".origins code"))
    permalink = browser.current_url
    change(browser, "document.querySelector('#alignment').click()")
    wait(browser, "document.querySelector('table.alignment')")
    first = texts(browser, "table.alignment tr:first-child td")
    source = DEMO.sources[0].split()
    assert [token for token in first if token and token != "∅"] == source
    assert texts(browser, "table.alignment th")[:3] == ["Source", "A", "B"]
    assert "has" in texts(browser, "table.alignment tr:nth-child(2) td.match")
    change_url = browser.current_url
    browser.execute_script("document.querySelectorAll('.actions button')[1].click()")
    wait(browser, "document.querySelector('.status').textContent.startsWith('Sentence 2 ')")
    assert browser.current_url != change_url
    open_page(browser, browser.current_url)
    wait(browser, "document.querySelector('.status').textContent.startsWith('Sentence 2 ')")
    open_page(browser, permalink)
    assert texts(browser, "h2.name bdi") == ["rule-based"]


def test_alignment_gives_every_text_back(browser, opened):
    outputs = list(gecbench.load_demo_systems().values())
    for i, source in enumerate(DEMO.sources):
        rows = [*(lines[i] for lines in outputs), *DEMO.references[i], "", "entirely other words here"]
        columns = browser.execute_script("return GECBENCH.use('sentences').alignTexts(...arguments)", source, rows)
        assert " ".join(column["source"] for column in columns if column["source"]) == source
        for k, row in enumerate(rows):
            assert " ".join(column["cells"][k] for column in columns if column["cells"][k]) == " ".join(row.split())


JUDGED = [("goes", "go", ["goes", "went"], "match"), ("gone", "go", ["goes"], "wrong"), ("go", "go", ["goes"], "miss")]
JUDGED += [("go", "go", ["goes", "go"], "same"), ("", "the", [""], "match"), ("a", "the", [], "changed")]


def test_judgement_of_a_cell(browser, opened):
    script = "return arguments[0].map((judged) => GECBENCH.use('sentences').judge(...judged))"
    assert browser.execute_script(script, [judged[:3] for judged in JUDGED]) == [verdict for *_, verdict in JUDGED]


def test_correlations(browser, opened):
    xs, ys = [1, 2, 2, 4, 9], [3, 1, 4, 1, 5]
    import numpy

    found = browser.execute_script("return GECBENCH.use('charts').pearson(...arguments)", xs, ys)
    assert found == pytest.approx(numpy.corrcoef(xs, ys)[0, 1])
    assert browser.execute_script("return GECBENCH.use('charts').ranksOf(arguments[0])", xs) == [1, 2.5, 2.5, 4, 5]


def test_plots(browser, page):
    open_page(browser, f"{page}#plot")
    assert len(texts(browser, "svg.chart .point circle")) == 3, "the source has no precision"
    assert "F 50" in texts(browser, "svg.chart text.contour")
    go(browser, "#plot?x=gleu&y=bleu")
    assert len(texts(browser, "svg.chart .point circle")) == 4
    assert "Pearson r" in texts(browser, "figcaption")[0]


def test_downloads(browser, opened, downloads):
    click(browser, "#csv")
    table = downloads / "leaderboard-demo-default.csv"
    eventually(table.exists, "nothing is downloaded")
    lines = table.read_text(encoding="utf-8").splitlines()
    assert lines[0].startswith("corpus,reference_set,system,")
    for start in ("good-corrector,scored,2026-01-02,,gleu,0.", "Human,scored,,,gleu,0."):
        assert any(line.startswith(f"demo,default,{start}") for line in lines)


def submit(browser, name, file, add=True):
    browser.find_element("name", "name").send_keys(name)
    browser.find_element("name", "file").send_keys(str(file))
    browser.find_element("css selector", f"form button[value={'yes' if add else 'no'}]").click()


def test_upload_is_ranked_on_the_page(browser, tmp_path):
    pytest.importorskip("starlette")
    demo_board(tmp_path / "board")
    file = tmp_path / "out.txt"
    file.write_bytes(text([*GOOD[:-1], "Uploaded ."]))
    with server(tmp_path / "board") as (address, _):
        open_page(browser, address)
        for view in VIEWS:
            go(browser, f"#{view}?corpus=demo")
        asked = browser.execute_script("return performance.getEntriesByType('resource').map((entry) => entry.name)")
        assert len(asked) > len(VIEWS)
        assert all(name.startswith(address) for name in asked), "nothing is asked of other hosts"
        submit(browser, "<i>Uploaded</i> system", file)
        wait(browser, "document.querySelector('#added')")
        assert "Added: rank 2 of 4 by GLEU" in texts(browser, "#message")[0]
        change(browser, "document.querySelector('#added').click()")
        assert texts(browser, "h2.name bdi") == ["<i>Uploaded</i> system"]
        change(browser, "document.querySelector('main p a').click()")
        names = [name for name in systems(browser) if name != "Human"]
        assert names.index("<i>Uploaded</i> system") == 1
        file.write_bytes(b"\x1f\x8b" + b"0" * 100)
        go(browser, "#submit")
        submit(browser, "bomb", file)
        wait(browser, "document.querySelector('.message.error')")
        assert "is compressed (gzip)" in texts(browser, "#message")[0]
        refused = [entry for entry in browser.get_log("browser") if entry["level"] == "SEVERE"]
        assert all("400" in entry["message"] for entry in refused)


def test_score_only_shows_the_place_and_adds_nothing(browser, tmp_path):
    pytest.importorskip("starlette")
    store = demo_board(tmp_path / "board")
    file = tmp_path / "out.txt"
    wrapped = [f"Corrected: {line}" for line in [*GOOD[:-1], "Uploaded ."]]
    file.write_bytes(text(wrapped))
    with server(tmp_path / "board") as (address, _):
        open_page(browser, f"{address}#submit?corpus=demo")
        assert browser.execute_script("return document.querySelector('[name=corpus]').value") == "demo"
        submit(browser, "Mine", file, add=False)
        wait(browser, "document.querySelector('.message.error')")
        refused = texts(browser, "#message")[0]
        assert 'Tick "Remove labels and quotes"' in refused
        assert "--" not in refused
        click(browser, "[name=clean]")
        browser.find_element("css selector", "form button[value=no]").click()
        wait(browser, "document.querySelector('#scored')")
        assert "If you add this system: rank 2 of 4 by GLEU. Nothing was added." in texts(browser, "#scored")[0]
        assert texts(browser, "#neighbors tbody th")[0] == "good-corrector"
        preview = "42 lines cleaned or tokenized before scoring (shown: the first 5)"
        assert texts(browser, ".preview summary") == [preview]
        expected = gecbench.score([*GOOD[:-1], "Uploaded ."], DEMO, ["gleu"])["gleu"].value
        assert f"{100 * expected:.2f}" in texts(browser, "#message td.main")
        assert len(store.load().records) == 4, "nothing is stored"
        browser.find_element("css selector", "form button[value=yes]").click()
        wait(browser, "document.querySelector('#added')")
        assert len(store.load().records) == 5
        browser.get_log("browser")


def test_a_private_board_scores_only_within_its_limit(browser, tmp_path):
    pytest.importorskip("starlette")
    init_board(tmp_path / "task", ["demo"], Settings(title="Task", per_day=1))
    file = tmp_path / "out.txt"
    file.write_bytes(text(GOOD))
    with server(tmp_path / "task") as (address, _):
        open_page(browser, f"{address}#submit")
        assert texts(browser, "nav a") == ["Ranking", "Plot", "Compare", "Submit"], "no edit browser"
        assert "At most 1 submission per submitter and day, including “Score only”" in texts(browser, "form small")
        browser.find_element("name", "submitter").send_keys("Me")
        submit(browser, "Mine", file, add=False)
        wait(browser, "document.querySelector('#scored')")
        assert "Nothing was added." in texts(browser, "#scored")[0]
        browser.find_element("css selector", "form button[value=no]").click()
        wait(browser, "document.querySelector('.message.error')")
        assert texts(browser, "#message") == [
            "You have reached the limit of 1 submission per day. Try again after midnight UTC."
        ]
        assert FolderStore(tmp_path / "task").load().records == ()
        browser.get_log("browser")


def test_a_page_that_does_not_exist_is_a_page(browser, tmp_path):
    pytest.importorskip("starlette")
    demo_board(tmp_path / "board")
    with server(tmp_path / "board") as (address, _):
        browser.get(f"{address}no/such/page")
        assert texts(browser, "h1") == ["Page not found"]
        assert call(f"{address}no/such/page")[0] == 404
        browser.get_log("browser")


def test_order_of_the_scripts_does_not_matter(browser, page, tmp_path):
    site = shutil.copytree(Path(url2pathname(urlsplit(page).path)).parent, tmp_path / "site")
    html = (site / "index.html").read_text(encoding="utf-8")
    scripts = re.findall(r"<script .* defer></script>\n", html)
    assert len(scripts) > 5
    turned = html.replace("".join(scripts), "".join(reversed(scripts)))
    assert turned != html
    (site / "index.html").write_text(turned, encoding="utf-8")
    open_page(browser, (site / "index.html").as_uri())
    assert len(systems(browser)) == 4


def test_unbuilt_page_says_so(browser, repository):
    browser.get((repository / "spaces/leaderboard/index.html").as_uri())
    assert "gecbench leaderboard build" in texts(browser, "main")[0]
    browser.get_log("browser")


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


def test_other_links_stay_text(browser, opened):
    for url in LINKS:
        node = browser.execute_script(
            "const node = GECBENCH.use('dom').outside(arguments[0], 'x'); return [node.tagName, node.textContent]", url
        )
        assert node == ["BDI", "x"], url
    good = browser.execute_script(
        "const node = GECBENCH.use('dom').outside('https://example.org/a', '');"
        "return [node.tagName, node.href, node.rel]"
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


def test_inline_script_is_forbidden(browser, opened):
    browser.execute_script(
        "const s = document.createElement('script'); s.textContent = 'window.hacked = 9'; document.body.append(s)"
    )
    assert browser.execute_script("return window.hacked") is None
    blocked = [entry for entry in browser.get_log("browser") if "Content Security Policy" in entry["message"]]
    assert blocked


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
@pytest.mark.parametrize("width", [1280, 390])
def test_fits_phones_and_has_contrast_in_both_themes(browser, hostile, width, dark, tmp_path):
    emulate(browser, width=width, dark=dark)
    open_page(browser, hostile)
    for view in VIEWS:
        go(browser, f"#{view}")
        sizes = browser.execute_script("return [document.documentElement.scrollWidth, innerWidth]")
        assert sizes[0] <= sizes[1], f"{view} is wider than the screen"
    colors = browser.execute_script(
        "const style = getComputedStyle(document.body); return [style.color, style.backgroundColor]"
    )
    assert contrast(*colors) > 7


def contrast(first, second):
    def luminance(color):
        parts = [int(part) / 255 for part in color[color.index("(") + 1 : -1].split(",")[:3]]
        linear = [part / 12.92 if part <= 0.03928 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
        return sum(weight * part for weight, part in zip((0.2126, 0.7152, 0.0722), linear, strict=True))

    light, dark = sorted((luminance(first), luminance(second)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


def test_theme_button_is_remembered(browser, page, opened):
    click(browser, "#theme")
    click(browser, "#theme")
    assert browser.execute_script("return document.documentElement.dataset.theme") == "dark"
    open_page(browser, page)
    assert browser.execute_script("return document.documentElement.dataset.theme") == "dark"
    click(browser, "#theme")
