"""Small programs that tests run as commands."""

import os
import shlex
import subprocess
import sys
import textwrap


def script(folder, body, name="model.py"):
    """Return a command that runs a Python program, for this system's shell."""
    start = "import os, sys, time\nsys.stdin.reconfigure(encoding='utf-8', newline='\\n')\n"
    start += "sys.stdout.reconfigure(encoding='utf-8', newline='\\n')\n"
    path = folder / name
    path.write_text(start + textwrap.dedent(body), encoding="utf-8")
    words = [sys.executable, str(path)]
    return "cmd:" + (shlex.join(words) if os.name == "posix" else subprocess.list2cmdline(words))


def modules_imported_by(*arguments):
    """Return the modules that Python imports to run these arguments, besides those of every start here."""

    def imported(*words):
        done = subprocess.run([sys.executable, "-X", "importtime", *words], capture_output=True, text=True, check=True)
        lines = done.stderr.splitlines()
        return {line.rpartition("|")[2].strip() for line in lines if line.startswith("import time:")}

    return imported(*map(str, arguments)) - imported("-c", "pass")
