"""Run the command line: as `gecbench`, or with `python -m gecbench`."""

import signal
import sys

_stopped = False


def main() -> int:
    """Run the command line; Ctrl-C gives one line and status 130 from the first import on.

    Libraries that are interrupted while they are imported raise errors of their own (numpy: ImportError), hence the
    note of what came first.
    """
    signal.signal(signal.SIGINT, _stop)
    try:
        from gecbench.cli import main as run

        return run()
    except BaseException:
        if not _stopped:
            raise
        print("gecbench: stopped", file=sys.stderr)
        return 130
    finally:
        signal.signal(signal.SIGINT, signal.SIG_DFL)


def _stop(*_: object) -> None:
    global _stopped  # noqa: PLW0603
    _stopped = True
    raise KeyboardInterrupt


if __name__ == "__main__":
    sys.exit(main())
