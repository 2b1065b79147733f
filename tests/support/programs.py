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
