"""A headless Chromium driven through ChromeDriver, both as the system has them."""

from __future__ import annotations

import contextlib
import os
import shutil
import tempfile

FLAGS = (
    *("--headless=new", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-dev-shm-usage"),
    *("--disable-background-networking", "--disable-component-update", "--disable-sync", "--disable-extensions"),
)


def missing() -> str | None:
    """Return why no browser can be driven here, None where one can."""
    try:
        import selenium  # noqa: F401
    except ImportError:
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
        try:
            if downloads:
                allow = {"behavior": "allow", "downloadPath": downloads}
                driver.execute_cdp_cmd("Browser.setDownloadBehavior", allow)
            yield driver
        finally:
            driver.quit()


def emulate(driver, *, width: int = 1280, dark: bool = False) -> None:
    """Set the width of the screen and the theme that the system prefers."""
    theme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
    driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [theme]})
    screen = {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": width < 600}
    driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", screen)
