"""Measure how fast the leaderboard opens, and how the server copes with readers: 500 systems on each of 3 corpora.

    python benchmarks/leaderboard.py            the whole table (a minute or two)
    python benchmarks/leaderboard.py --quick    50 systems, 10 readers
    python benchmarks/leaderboard.py --limits   100 systems on 1,312 sentences, with real scores and tests

Opening is measured in headless Chromium (found by tests/support/chromium.py), from the start of the navigation to the
first frame that shows the whole table. Readers are threads of another process on the same machine. While one system is
uploaded and scored, each reader loads the page repeatedly, as a browser does: all its files over one connection.
"""

from __future__ import annotations

import argparse
import gzip
import http.client
import json
import os
import random
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from dataclasses import replace
from pathlib import Path
from urllib.parse import urlsplit

import gecbench
from gecbench.leaderboard import page as building
from gecbench.leaderboard.ranking import Significance
from gecbench.leaderboard.records import Details, Figure, Record, digest, figure
from gecbench.leaderboard.seeds import public_submissions
from gecbench.leaderboard.store import FolderStore
from gecbench.leaderboard.submission import Submission, score_submission

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "tests" / "support"))
import boards
import chromium

METRICS = tuple(gecbench.METRICS)
OPENINGS = 7
SECONDS = 10.0


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--quick", action="store_true", help="50 systems and 10 readers")
    options.add_argument("--limits", action="store_true", help="100 systems on 1,312 sentences, with all tests")
    options.add_argument("--read", nargs=3, metavar=("ADDRESS", "READERS", "SECONDS"), help=argparse.SUPPRESS)
    chosen = options.parse_args()
    if chosen.read:
        print(json.dumps(read(chosen.read[0], int(chosen.read[1]), float(chosen.read[2]))))
        return
    if chosen.limits:
        limits()
        return
    systems, readers = (50, 10) if chosen.quick else (500, 50)
    with tempfile.TemporaryDirectory() as folder:
        store = FolderStore(Path(folder) / "board")
        fill(store, systems)
        page = build(store, Path(folder) / "site", systems)
        opening(page)
        serving(Path(folder) / "board", readers)


def limits(systems: int = 100, sentences: int = 1312) -> None:
    """Measure a page of many systems: building it with all tests, its first table, and each interaction."""
    corpus, outputs = large_corpus(sentences)
    chance = random.Random(1)
    with tempfile.TemporaryDirectory() as folder:
        store = FolderStore(Path(folder) / "board")
        lines = [texts[-1] for texts in outputs]
        first = score_submission(Submission("System 0", lines, aligned=True, tokenized=True), corpus)
        store.add(first.record, first.details)
        for k in range(1, systems):  # the build scores and tests them; their figures and groups are those of the first
            share = (k + 1) / systems
            lines = [chance.choice(texts[1:]) if chance.random() < share else texts[0] for texts in outputs]
            details = replace(first.details, predictions=lines)
            names = {"outputs": details.outputs, "details": digest(details.to_json())}
            store.add(replace(first.record, system=f"System {k}", **names), details)
        begin = time.process_time()
        shown = {"publish_references": True, "restricted_texts": True, "seeds": False}
        building.build_site(store, Path(folder) / "site", building.PagePlan([corpus], **shown))
        seconds = time.process_time() - begin
        print(
            f"build of {systems} systems × {sentences:,} sentences of {corpus.name}: {seconds:.1f} s of processor time"
        )
        site = Path(folder) / "site"
        table = next((site / "data").glob("table-*.js"))
        page = [site / "index.html", site / "style.css", site / "data/board.js", *(site / "js").iterdir(), table]
        print(f"first table: {table.stat().st_size / 1000:.0f} kB, with the page {_kilobytes(page)}")
        interactions((site / "index.html").as_uri())


def large_corpus(sentences: int) -> tuple[gecbench.Corpus, list[tuple[str, ...]]]:
    """Return CoNLL-14 from the mirror, or the repeated demo corpus, and the source and outputs of each sentence."""
    if os.environ.get("GECBENCH_MIRROR"):
        corpus = gecbench.load_corpus("conll14_fluency:nucle")
        return corpus, list(zip(*(each.predictions for each in public_submissions(corpus)), strict=True))
    demo, outputs = gecbench.load_demo(), gecbench.load_demo_systems().values()
    places = [k % len(demo) for k in range(sentences)]
    texts = {"sources": demo.sources, "references": demo.references or ()}
    corpus = gecbench.Corpus(**{name: [lines[k] for k in places] for name, lines in texts.items()}, name="large")
    return corpus, [(demo.sources[k], *(lines[k] for lines in outputs)) for k in places]


def _kilobytes(files: list[Path]) -> str:
    contents = [path.read_bytes() for path in files]
    plain, packed = sum(map(len, contents)), sum(len(gzip.compress(content, 6)) for content in contents)
    return f"{plain / 1000:.0f} kB ({packed / 1000:.0f} kB as served)"


def interactions(page: str) -> None:
    """Print the processor time from each interaction to its first frame, without waiting for a free processor.

    What the page puts off until after that frame, such as the rows below the screen, is held back and measured apart.
    """
    height = "document.body.offsetHeight"
    hold = "window.later = []; window.setTimeout = (task) => later.push(task)"
    box = "const box = document.querySelector('#filter'); box.value = 7; box.dispatchEvent(new Event('input'))"
    steps = {
        "sort": ("#table", "document.querySelector('[data-sort=bleu]').click()"),
        "filter": ("#table", box),
        "tick a column": ("#table", "document.querySelector('#columns input[value=unchanged]').click()"),
        "plot": ("#table", "location.hash = '#plot'"),
        "significance": ("#table", "location.hash = '#matrix'"),
        "compare": ("#table", "location.hash = '#compare'"),
        "groups": ("#table", "location.hash = '#groups'"),
        "edits": ("#table", "location.hash = '#sentences'"),
        "next sentence": (
            "#sentences",
            "document.body.dispatchEvent(new KeyboardEvent('keydown', { key: 'j', bubbles: true }))",
        ),
    }
    with chromium.chromium() as driver:
        driver.execute_cdp_cmd("Performance.enable", {"timeDomain": "threadTicks"})
        chromium.open_page(driver, f"{page}#table")
        for name, (view, step) in steps.items():
            times, rest = [], []
            for _ in range(3):
                chromium.go(driver, view)
                driver.execute_script(f"(window.later || []).forEach((task) => task()); {hold}; return {height}")
                begin = busy(driver)
                if name in ("filter", "next sentence"):
                    driver.execute_script(f"{step}; return {height}")
                else:
                    chromium.change(driver, step)
                    driver.execute_script(f"return {height}")
                times.append(busy(driver) - begin)
                driver.execute_script(f"later.splice(0).forEach((task) => task()); return {height}")
                rest.append(busy(driver) - begin - times[-1])
            after = f", after its frame {min(rest):.0f} ms" if min(rest) > 5 else ""
            print(f"{name}: first {times[0]:.0f} ms, then {min(times[1:]):.0f} ms of processor time{after}")


def busy(driver: object) -> float:
    """Return the processor time of the page's main thread so far, in milliseconds."""
    found = driver.execute_cdp_cmd("Performance.getMetrics", {})["metrics"]  # type: ignore[attr-defined]
    return 1000 * next(each["value"] for each in found if each["name"] == "TaskDuration")


def fill(store: FolderStore, systems: int) -> None:
    """Add made-up records of systems on the demo corpus and on two others."""
    chance = random.Random(1)
    details = Details(list(gecbench.load_demo_systems()["good-corrector"]))
    for corpus in ("demo", "second:test", "third:test"):
        for k in range(systems):
            store.add(record(corpus, k, chance, details), details)


def record(corpus: str, k: int, chance: random.Random, details: Details) -> Record:
    def made_up(metric: str) -> Figure:
        value = chance.uniform(0.3, 0.7)
        signature = f"{metric}|refs:4|order:4|draws:500:py2|data:1e073570|resamples:1000:12345|version:0.1.0"
        people = {"human": 0.62, "against_others": value, "ratio": value / 0.62}
        return figure(value, low=value - 0.02, high=value + 0.02, signature=signature, **people)

    return Record(
        system=f"system {k:03d}, {chance.choice(('a tagger', 'a sequence-to-sequence model', 'a chat model'))}",
        corpus=corpus,
        scores={metric: made_up(metric) for metric in METRICS},
        date=f"2026-{chance.randint(1, 12):02d}-{chance.randint(1, 28):02d}",
        fingerprint=gecbench.load_demo().fingerprint(),
        submitter=f"group {k % 40}",
        links=[{"title": "", "url": f"https://example.org/{k}"}],
        outputs=details.outputs,
        details=digest(details.to_json()),
        unchanged=chance.random(),
    )


class MadeUp(Significance):
    """A stand-in for significance tests that costs no time, because all outputs are the same."""

    def p_value(self, record: Record, other: Record, metric: str) -> float | None:
        """Return a p-value of 1e-6 for scores more than two points apart."""
        apart = abs(record.scores[metric]["value"] - other.scores[metric]["value"]) > 0.02
        return 1e-6 if apart else 0.5


def build(store: FolderStore, folder: Path, systems: int) -> str:
    corpora = [
        gecbench.Corpus(sources=demo.sources, references=demo.references, name=name)
        for demo, name in (
            (gecbench.load_demo(), name) for name in ("demo", "second:default:test", "third:default:test")
        )
    ]
    building.Significance = MadeUp  # type: ignore[misc]
    begin = time.perf_counter()
    building.build_site(store, folder, building.PagePlan(corpora, publish_references=True))
    seconds = time.perf_counter() - begin
    print(f"build of {systems} systems × 3 corpora × {len(METRICS)} metrics, tests known: {seconds:.1f} s")
    table = max(path.stat().st_size for path in (folder / "data").glob("table-*.js"))
    print(f"data of one table: {table / 1000:.0f} kB")
    return (folder / "index.html").as_uri()


def opening(page: str) -> None:
    if (reason := chromium.missing()) is not None:
        print(f"opening in Chromium: not measured, {reason}")
        return
    with chromium.chromium() as driver:
        times = []
        for _ in range(OPENINGS):
            driver.get("about:blank")
            driver.get(page)
            times.append(drawn(driver, 1))
        rows = driver.execute_script("return document.querySelectorAll('table.ranking tbody tr').length")
        print(f"opening from disk, {rows} rows: median {_ms(times)}, slowest {max(times):.0f} ms")
        sorting = []
        for k in range(OPENINGS):
            begin = driver.execute_script("return performance.now()")
            driver.execute_script(
                "document.querySelector('[data-sort=' + arguments[0] + ']').click()", ("system", "date")[k % 2]
            )
            sorting.append(drawn(driver, k + 2) - begin)
        print(f"sorting: median {_ms(sorting)}")
        script = (
            "const box = document.querySelector('#filter'); box.value = arguments[0]; const begin = performance.now();"
        )
        script += "box.dispatchEvent(new Event('input')); return performance.now() - begin"
        print(f"filtering: median {_ms([driver.execute_script(script, str(k)) for k in range(OPENINGS)])}")


def drawn(driver: object, times: int) -> float:
    """Return when the page was drawn for the n-th time, in milliseconds after the navigation began."""
    for _ in range(2000):
        marks = driver.execute_script("return performance.getEntriesByName('drawn').map((mark) => mark.startTime)")  # type: ignore[attr-defined]
        if len(marks) >= times:
            return float(marks[times - 1])
        time.sleep(0.005)
    raise SystemExit("the page is never drawn")


def serving(board: Path, readers: int) -> None:
    with boards.server(board, "--per-minute", "1000") as (address, _):
        alone = reading(address, 1, 3.0)
        print(f"one reader: {_latency(alone)}")
        print(f"{readers} readers: {_latency(reading(address, readers, SECONDS))}")
        outputs = [*gecbench.load_demo_systems()["rule-based"][:-1], "Uploaded while others read ."]
        scored: list[float] = []
        uploader = threading.Thread(target=lambda: scored.append(upload_time(address, outputs)))
        uploader.start()
        print(f"{readers} readers during an upload: {_latency(reading(address, readers, SECONDS))}")
        uploader.join()
        print(f"that upload, until ranked: {scored[0]:.1f} s")


def reading(address: str, readers: int, seconds: float) -> dict[str, list[float]]:
    command = [sys.executable, __file__, "--read", address, str(readers), str(seconds)]
    found: dict[str, list[float]] = json.loads(
        subprocess.run(command, capture_output=True, check=True, text=True).stdout
    )
    return found


def read(address: str, readers: int, seconds: float) -> dict[str, list[float]]:
    """Return the seconds that each request and each whole page took."""
    files = page_files(address)
    requests: list[float] = []
    pages: list[float] = []
    deadline = time.perf_counter() + seconds

    def run() -> None:
        parts = urlsplit(address)
        connection = http.client.HTTPConnection(parts.hostname or "", parts.port, timeout=30)
        while time.perf_counter() < deadline:
            opened = time.perf_counter()
            for file in files:
                begin = time.perf_counter()
                connection.request("GET", f"/{file}", headers={"Accept-Encoding": "gzip"})
                if not connection.getresponse().read():
                    raise SystemExit(f"{file} is empty")
                requests.append(time.perf_counter() - begin)
            pages.append(time.perf_counter() - opened)

    threads = [threading.Thread(target=run) for _ in range(readers)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return {"requests": requests, "pages": pages, "seconds": [seconds]}


def page_files(address: str) -> list[str]:
    """Return the paths that a browser requests to show the first table."""
    import re

    html = boards.call(address)[1].decode()
    board = boards.call(f"{address}data/board.js")[1].decode()
    first = json.loads(board.partition(", ")[2].rstrip(");\n"))["tables"][0]["key"]
    return ["", *re.findall(r'(?:src|href)="([\w/.]+)"', html), f"data/table-{first}.js"]


def upload_time(address: str, outputs: list[str]) -> float:
    """Return the seconds from an upload until it is ranked."""
    begin = time.perf_counter()
    report = boards.finished(address, boards.upload(address, boards.text(outputs), name="Uploaded")[1])
    if report["state"] != "done":
        raise SystemExit(report["error"])
    return time.perf_counter() - begin


def _latency(found: dict[str, list[float]]) -> str:
    requests, pages = sorted(found["requests"]), found["pages"]
    rate = len(requests) / found["seconds"][0]
    late = requests[int(0.99 * (len(requests) - 1))]
    whole = f"whole page median {_ms([1000 * page for page in pages])}"
    return (
        f"{rate:.0f} requests/s, median {_ms([1000 * t for t in requests])}, 99% within {1000 * late:.0f} ms; {whole}"
    )


def _ms(times: list[float]) -> str:
    return f"{statistics.median(times):.0f} ms"


if __name__ == "__main__":
    main()
