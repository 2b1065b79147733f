"""Waiting for what happens in another process."""

import time


def eventually(happened, message="it never happens", *, seconds=30.0):
    """Wait until a function returns something true, and return that."""
    deadline, pause = time.monotonic() + seconds, 0.005
    while time.monotonic() < deadline:
        if found := happened():
            return found
        time.sleep(pause)
        pause = min(1.5 * pause, 0.1)
    raise AssertionError(message)
