"""Small programs that tests run as commands, and the command line itself."""

import os
import shlex
import subprocess
import sys
import textwrap

from gecbench.cli import main


def script(folder, body, name="model.py"):
    """Return a command that runs a Python program, for this system's shell."""
    start = "import os, sys, time\nsys.stdin.reconfigure(encoding='utf-8', newline='\\n')\n"
    start += "sys.stdout.reconfigure(encoding='utf-8', newline='\\n')\n"
    path = folder / name
    path.write_text(start + textwrap.dedent(body), encoding="utf-8")
    words = [sys.executable, str(path)]
    return "cmd:" + (shlex.join(words) if os.name == "posix" else subprocess.list2cmdline(words))


def run(capsys, *arguments):
    """Return what a command prints that succeeds."""
    assert main([str(argument) for argument in arguments]) == 0
    return capsys.readouterr().out


def refused(capsys, *arguments):
    """Return the one line of a command that fails, and prints nothing else."""
    assert main([str(argument) for argument in arguments]) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.count("\n") == 1
    return captured.err
