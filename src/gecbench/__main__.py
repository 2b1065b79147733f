"""Entry point of `gecbench` and `python -m gecbench`."""

import signal
import sys

_stopped = False


def main() -> int:
    """Run the command line and return its exit status, which is 130 after Ctrl-C.

    Ctrl-C prints one line, even during imports. A library interrupted while it is imported raises its own error (numpy:
    ImportError), so `_stopped` records that Ctrl-C was the cause.
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
