"""Measure how a board's server replies to 200 readers while it scores hostile uploads.

    python benchmarks/serve_load.py                 60 seconds, as in docs/reliability.md
    python benchmarks/serve_load.py --seconds 10

Each reader requests the page's data once a second. The readers use ten loopback addresses, because the server limits
the connections of one address. Twenty uploads have a line with 100,000 blanks, or lines three times as long as their
sources. Ten good uploads are sent among them. Linux only: the memory is read from /proc.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path
from urllib.parse import urlencode

import gecbench

READERS, HOSTILE, GOOD = 200, 20, 10


async def request(address: str, port: int, head: str, body: bytes = b"") -> tuple[int, bytes]:
    """Return the status and body of a reply."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port, local_addr=(address, 0))
    try:
        fields = f"Host: 127.0.0.1\r\nConnection: close\r\nContent-Length: {len(body)}\r\n\r\n"
        writer.write(f"{head} HTTP/1.1\r\n{fields}".encode() + body)
        await writer.drain()
        answer = await reader.read(-1)
    finally:
        writer.close()
    start, _, content = answer.partition(b"\r\n\r\n")
    return int(start.split()[1]), content


async def read(number: int, port: int, until: float, seconds: list[float]) -> None:
    """Request the page's data once a second, and record the times."""
    await asyncio.sleep(number / READERS)
    while time.monotonic() < until:
        started = time.monotonic()
        status, _ = await request(f"127.0.0.{2 + number % 10}", port, "GET /data/board.json")
        assert status == 200, status
        seconds.append(time.monotonic() - started)
        await asyncio.sleep(max(0, 1 - seconds[-1]))


async def send(port: int, until: float) -> list[str]:
    """Send the uploads, and return the ids of the accepted uploads."""
    demo, outputs = gecbench.load_demo(), gecbench.load_demo_systems()["rule-based"]
    accepted = []
    for k in range(HOSTILE + GOOD):
        lines = [*outputs[:-1], f"w{k} ."]
        if k % 3 == 0:
            lines[0] += " " * 100_000 + f"x{k}"
        elif k % 3 == 1:
            lines = [f"{source} {source} {source}" for source in demo.sources[:-1]] + [f"w{k} ."]
        query = urlencode({"name": f"s{k}", "corpus": "demo", "file": "out.txt"})
        body = "".join(f"{line}\n" for line in lines).encode()
        while time.monotonic() < until:
            status, answer = await request("127.0.0.1", port, f"POST /api/submissions?{query}", body)
            if status == 202:
                accepted.append(json.loads(answer)["id"])
                break
            await asyncio.sleep(1)  # too many wait
    return accepted


def memory(process: int) -> float:
    """Return the memory of a process in MB."""
    lines = Path(f"/proc/{process}/status").read_text(encoding="ascii").splitlines()
    return next(int(line.split()[1]) / 1024 for line in lines if line.startswith("VmRSS"))


async def measure(port: int, server: int, seconds: float) -> None:
    """Print the figures."""
    until, times = time.monotonic() + seconds, list[float]()
    before = memory(server)
    readers = asyncio.gather(*(read(k, port, until, times) for k in range(READERS)))
    accepted = await send(port, until)
    await readers
    times.sort()
    while True:
        reports = [await request("127.0.0.1", port, f"GET /api/submissions/{job}") for job in accepted]
        found = [json.loads(body) for _, body in reports]
        states = Counter(report["state"] for report in found)
        if not {"waiting", "running"} & states.keys():
            break
        await asyncio.sleep(1)
    p50, p99 = (1000 * times[int(len(times) * share)] for share in (0.5, 0.99))
    print(f"load of the machine, last minute: {os.getloadavg()[0]:.1f} on {os.cpu_count()} processors")
    print(f"{len(times)} answers: median {p50:.0f} ms, p99 {p99:.0f} ms, longest {1000 * times[-1]:.0f} ms")
    print(f"{len(accepted)} submissions accepted: {dict(states)}")
    for message, count in Counter(report["error"] for report in found if report["state"] == "failed").items():
        print(f"  {count} failed: {message}")
    print(f"memory of the server: {before:.0f} MB before, {memory(server):.0f} MB after")


def main() -> None:
    """Start a server, and measure it."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--port", type=int, default=18765)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="gecbench-load-") as board:
        words = ["--board", board, "-c", "demo", "--port", options.port, "--per-minute", 1000, "--scoring-seconds", 5]
        command = [sys.executable, "-m", "gecbench", "leaderboard", "serve", *map(str, words)]
        server = subprocess.Popen(command, stdout=subprocess.PIPE)
        try:
            assert server.stdout is not None
            server.stdout.readline()
            time.sleep(1)
            asyncio.run(measure(options.port, server.pid, options.seconds))
        finally:
            server.kill()
            server.wait()


if __name__ == "__main__":
    main()
