"""A headless Chromium driven through ChromeDriver, both as the system has them."""

from __future__ import annotations

import contextlib
import importlib.util
import os
import shutil
import tempfile

from waiting import eventually

VIEWS = ("table", "plot", "matrix", "groups", "compare", "agreement", "sentences", "submit")
FLAGS = (
    *("--headless=new", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-dev-shm-usage"),
    *("--disable-background-networking", "--disable-component-update", "--disable-sync", "--disable-extensions"),
)


def missing() -> str | None:
    """Return why no browser can be driven here, None where one can."""
    if importlib.util.find_spec("selenium") is None:
        return "selenium is not installed"
    if browser_path() is None or driver_path() is None:
        return "no Chromium with ChromeDriver here (Debian: apt-get install chromium chromium-driver)"
    return None


def browser_path() -> str | None:
    names = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
    return os.environ.get("GECBENCH_CHROMIUM") or next(filter(None, map(shutil.which, names)), None)


def driver_path() -> str | None:
    return os.environ.get("GECBENCH_CHROMEDRIVER") or shutil.which("chromedriver")


@contextlib.contextmanager
def chromium(downloads: str | None = None):
    """Start a browser with an empty profile, and end it."""
    from selenium import webdriver
    from selenium.webdriver.chrome.service import Service

    with tempfile.TemporaryDirectory(prefix="gecbench-profile-", ignore_cleanup_errors=True) as profile:
        options = webdriver.ChromeOptions()
        options.binary_location = browser_path()
        for flag in (*FLAGS, "--window-size=1280,900", f"--user-data-dir={profile}"):
            options.add_argument(flag)
        options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
        driver = webdriver.Chrome(options=options, service=Service(driver_path()))
        driver.set_script_timeout(120)
        try:
            if downloads:
                allow = {"behavior": "allow", "downloadPath": downloads}
                driver.execute_cdp_cmd("Browser.setDownloadBehavior", allow)
            yield driver
        finally:
            driver.quit()


def emulate(driver, *, width: int = 1280, height: int = 900, dark: bool = False) -> None:
    """Set the size of the screen and the theme that the system prefers."""
    theme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
    driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [theme]})
    screen = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 600}
    driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", screen)


def wait(browser, script, *arguments):
    """Wait until a script returns something true, and return it."""
    return eventually(lambda: browser.execute_script(f"return ({script});", *arguments), f"never true: {script}")


def open_page(browser, address):
    """Load a page again, even if only the part after # differs from the current address."""
    if browser.current_url.partition("#")[0] == address.partition("#")[0]:
        browser.execute_script("history.replaceState(null, '', arguments[0])", address)
        browser.refresh()
    else:
        browser.get(address)
    wait(browser, "document.documentElement.dataset.drawn")


def change(browser, script, *arguments):
    """Run a script that redraws the page, and wait for it."""
    before = browser.execute_script("return document.documentElement.dataset.drawn")
    browser.execute_script(script, *arguments)
    wait(browser, "document.documentElement.dataset.drawn !== arguments[0]", before)


def go(browser, address):
    """Show another view of the page that is open, or the same one again."""
    turn = "location.hash === hash ? dispatchEvent(new Event('hashchange')) : location.hash = hash"
    change(browser, f"const {{ hash }} = new URL(arguments[0], location); {turn}", address)


def texts(browser, selector):
    script = "return [...document.querySelectorAll(arguments[0])].map((node) => node.textContent)"
    return browser.execute_script(script, selector)


def click(browser, selector):
    browser.execute_script("document.querySelector(arguments[0]).click()", selector)


def systems(browser):
    """Return the entries of the ranking; the row of annotators against each other is none."""
    row = "table.ranking tbody tr:not(.apart) th"
    return texts(browser, f"{row} bdi:first-of-type, {row} > a > bdi")
