"""GLEU's n-grams explained, and explanations as a page: its totals, its filters and its keys."""

import pytest
from chromium import click, texts, wait
from hypothesis import given
from hypothesis import strategies as st

import gecbench
from gecbench import GLEU, Corpus
from gecbench.cli.explain import html_page
from gecbench.metrics.gleu import ngram_credits

DEMO = gecbench.load_demo()
OUTPUTS = gecbench.load_demo_systems()["rule-based"]
LINES = st.lists(st.sampled_from("abc"), min_size=1, max_size=9).map(" ".join)


@pytest.mark.parametrize("variant", ["2017", "equation1", "multiset"])
@given(source=LINES, prediction=LINES, references=st.lists(LINES, min_size=1, max_size=3))
def test_credits_sum_up_to_the_counts(variant, source, prediction, references):
    metric = GLEU(variant=variant)
    counts = metric.count(Corpus(sources=[source], references=[references]), [prediction]).counts
    for row, reference in zip(counts.tolist(), references, strict=True):
        for n in range(1, 5):
            words = [text.split() for text in (source, prediction, reference)]
            found = ngram_credits(*words, n, variant != "2017")
            gained = sum(each.matched - each.penalized for each in found)
            assert row[2 * n] == (max(gained, 0) if variant == "2017" else gained)
            assert row[2 * n + 1] == sum(each.matched + each.penalized + each.neither for each in found)


def test_gleu_tells_what_counts_and_what_is_penalized():
    corpus = Corpus(sources=["the cat sat on mat"], references=[["the cat sat on the mat", "a cat sat"]])
    [explained] = GLEU(order=2).explain(corpus, ["the the cat sat on mat"], [0])
    lines = [line.split(maxsplit=1) for line in explained.to_text().splitlines()[1:]]
    orders = [rest for label, rest in lines if label.endswith("-grams")]
    assert orders == [
        "6 of 6  +the ×2  +cat  +sat  +on  +mat",
        "3 − 1 = 2 of 5  the the  +the cat  +cat sat  +sat on  !on mat",
        "2 − 3 → 0 of 6  !the  the  +cat  +sat  !on  !mat",
        "1 − 3 → 0 of 5  the the  !the cat  +cat sat  !sat on  !on mat",
    ]
    assert explained.counts == {"matched": 12, "penalized": 7, "neither": 3}


def test_command_line_takes_gleu(run, tmp_path):
    (tmp_path / "out.txt").write_text("\n".join(OUTPUTS) + "\n", encoding="utf-8")
    shown = run("explain", "-c", "demo", "-p", str(tmp_path / "out.txt"), "-m", "gleu", "--sentences", "2")
    mean = 100 * GLEU().score_corpus(DEMO, OUTPUTS).sentence_scores()[1]
    assert shown.partition("\n\n")[2].startswith(f"Sentence 2: GLEU {mean:.2f}, mean over 4 references\n")


@pytest.fixture
def explained(browser, calm, tmp_path):
    """The demo's edits of one system, explained by M2."""
    explanations = gecbench.M2().explain(DEMO, OUTPUTS, range(len(DEMO)))
    score = gecbench.M2().score_corpus(DEMO, OUTPUTS)
    file = tmp_path / "explained.html"
    file.write_text(html_page(dict(enumerate(explanations, 1)), "rule-based", score), encoding="utf-8")
    browser.get(file.as_uri())
    return explanations, score


def marked(explanation):
    return any(cell.mark in ("match", "miss", "wrong") for row in explanation.rows for cell in row.cells)


def shown(browser):
    return browser.execute_script(
        "return [...document.querySelectorAll('section:not([hidden]) h2')].map((node) => node.textContent)"
    )


def choose(browser, name, value):
    script = "const box = document.forms[0].elements[arguments[0]]; box.value = arguments[1];"
    browser.execute_script(f"{script} box.dispatchEvent(new Event('input', {{bubbles: true}}))", name, value)


def test_page_has_heading_totals_and_legend(browser, explained):
    _, score = explained
    assert texts(browser, "h1") == ["rule-based"]
    totals = dict(zip(texts(browser, "dt"), texts(browser, "dd"), strict=True))
    wanted = {name: str(score.parts[name]) for name in ("correct", "proposed", "gold")}
    assert totals == {"sentences": str(len(DEMO)), **wanted}
    assert [text[:2] for text in texts(browser, "header ul span")] == ["+a", "-a", "!a"]
    assert str(score.signature) in texts(browser, "header code")


def test_page_filters(browser, explained):
    explanations, _ = explained
    titles = [each.title for each in explanations]
    happening = [each.title for each in explanations if marked(each)]
    assert shown(browser) == happening != titles, "it opens where something happens"
    quiet = next(k for k, each in enumerate(explanations, 1) if not marked(each))
    choose(browser, "words", str(quiet))
    assert shown(browser) == [titles[quiet - 1]], "a number is enough"
    choose(browser, "words", "")
    choose(browser, "show", "all")
    assert shown(browser) == titles
    choose(browser, "words", "2")
    assert shown(browser) == [titles[1]]
    choose(browser, "words", DEMO.sources[3].split()[0])
    assert titles[3] in shown(browser)
    choose(browser, "words", "")

    def having(**wanted):
        cells = [[cell for row in each.rows for cell in row.cells] for each in explanations]
        fits = [any(all(getattr(cell, k) == v for k, v in wanted.items()) for cell in found) for found in cells]
        return [title for title, fit in zip(titles, fits, strict=True) if fit]

    choose(browser, "outcome", "miss")
    assert shown(browser) == having(mark="miss") != titles
    kinds = [value for value in texts(browser, "[name=type] option") if value != "any"]
    assert "Vform: verb form" in kinds
    cells = [cell for each in explanations for row in each.rows for cell in row.cells]
    for kind in (words.partition(":")[0] for words in kinds):
        choose(browser, "type", kind)
        assert shown(browser) == having(mark="miss", type=kind)
        outlined = sum(cell.mark == "miss" and cell.type == kind for cell in cells)
        assert browser.execute_script("return document.querySelectorAll('.miss.chosen').length") == outlined
        assert browser.execute_script("return document.querySelectorAll('.chosen').length") == outlined
    choose(browser, "type", "Prep")
    assert texts(browser, "output")[0].endswith(f"(1 of {len(shown(browser))})")


def test_page_is_walked_by_keys(browser, explained):
    from selenium.webdriver.common.keys import Keys

    def focused():
        return browser.execute_script("return document.activeElement.querySelector('h2')?.textContent")

    titles = shown(browser)
    assert texts(browser, "output") == [f"Sentence 1 (1 of {len(titles)})"]
    for key, place in (("j", 1), ("j", 2), ("k", 1)):
        browser.switch_to.active_element.send_keys(key)
        assert focused() == titles[place]
    assert browser.current_url.endswith("#s2")
    click(browser, "button[aria-keyshortcuts=j]")
    assert focused() == titles[2]
    browser.switch_to.active_element.send_keys("/")
    wait(browser, "document.activeElement.name === 'words'")
    browser.switch_to.active_element.send_keys("jjj", Keys.TAB)
    assert shown(browser) == []
    assert texts(browser, "output") == ["No sentence matches these filters."]


def test_page_is_linked_by_sentence(browser, explained):
    explanations, _ = explained
    page = browser.current_url.partition("#")[0]
    quiet = next(k for k, each in enumerate(explanations, 1) if not marked(each))
    for number, opens in ((len(DEMO), True), (quiet, True), (len(DEMO), False)):
        if opens:
            browser.get("about:blank")
        browser.get(f"{page}#s{number}")
        wait(browser, "document.querySelector('output').textContent.startsWith(`Sentence ${arguments[0]} (`)", number)
        wait(
            browser,
            """(({ top, bottom }) => top >= 0 && bottom <= innerHeight)(
                 document.getElementById(`s${arguments[0]}`).getBoundingClientRect())""",
            number,
        )


def test_page_needs_no_script(browser, explained):
    explanations, _ = explained
    browser.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": True})
    try:
        browser.refresh()
        seen = [node.text for node in browser.find_elements("css selector", "section h2") if node.is_displayed()]
        hidden = [browser.find_element("css selector", name).is_displayed() for name in ("form", "#theme")]
    finally:
        browser.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": False})
    assert seen == [each.title for each in explanations]
    assert hidden == [False, False]
