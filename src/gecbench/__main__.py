"""Run the command line: as `gecbench`, or with `python -m gecbench`."""

import signal
import sys

_stopped = False


def main() -> int:
    """Run the command line. Ctrl-C prints one line and exits with status 130, even during imports.

    A library interrupted while it is imported raises its own error (numpy: ImportError). `_stopped` records that
    Ctrl-C came first.
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
