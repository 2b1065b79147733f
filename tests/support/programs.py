"""Programs that tests run in a process of their own: models as commands, and the command line."""

import os
import shlex
import subprocess
import sys
import textwrap
from pathlib import Path


def script(folder, body, name="model.py"):
    """Return a command that runs a Python program, for this system's shell."""
    start = "import os, sys, time\nsys.stdin.reconfigure(encoding='utf-8', newline='\\n')\n"
    start += "sys.stdout.reconfigure(encoding='utf-8', newline='\\n')\n"
    path = folder / name
    path.write_text(start + textwrap.dedent(body), encoding="utf-8")
    words = [sys.executable, str(path)]
    return "cmd:" + (shlex.join(words) if os.name == "posix" else subprocess.list2cmdline(words))


def modules_imported_by(*words):
    """Return the modules that the command line imports to run these words, in a process of its own."""
    code = """
    import sys
    started = set(sys.modules)
    from gecbench.cli import main
    try:
        main()
    except SystemExit:
        pass
    print("", *set(sys.modules) - started, file=sys.stderr)
    """
    command = [sys.executable, "-c", textwrap.dedent(code), *map(str, words)]
    return set(subprocess.run(command, capture_output=True, text=True, check=True).stderr.split())


def start(*words, environment=None):
    """Start the command line in a process of its own, for tests that stop it, kill it or need another environment."""
    command = [sys.executable, "-X", "utf8", "-m", "gecbench", *map(str, words)]
    streams = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "encoding": "utf-8"}
    return subprocess.Popen(command, env=environment, **streams)


def gecbench(*words, environment=None):
    """Run the command line in a process of its own; return its status and what it prints."""
    with start(*words, environment=environment) as process:
        output, errors = process.communicate(timeout=120)
    return subprocess.CompletedProcess(words, process.returncode, output, errors)


def is_running(process: int) -> bool:
    """Return whether a process runs (Linux)."""
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def children(process: int) -> list[int]:
    """Return the child processes of a process (Linux)."""
    found = []
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            parent = path.read_text().rpartition(")")[2].split()[1]
        except OSError:
            continue
        if int(parent) == process:
            found.append(int(path.parent.name))
    return found
