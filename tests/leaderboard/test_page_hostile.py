"""The page in Chromium again: hostile data stays text, and it fits phones and both themes."""

import pytest
from boards import HOSTILE_NAME, HOSTILE_SENTENCE, LONG_NAME, RIGHT_TO_LEFT
from chromium import VIEWS, change, click, emulate, go, open_page, systems, texts, wait

pytestmark = pytest.mark.usefixtures("calm")


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


def test_theme_button_is_remembered(browser, page, opened):
    click(browser, "#theme")
    click(browser, "#theme")
    assert browser.execute_script("return document.documentElement.dataset.theme") == "dark"
    open_page(browser, page)
    assert browser.execute_script("return document.documentElement.dataset.theme") == "dark"
    click(browser, "#theme")
