"""Tasks for a child process that scores: a module that the child can import."""

import os
import time

from gecbench.errors import InputError, UnwritableError


def answer(*, progress):
    progress("halfway", 0.5)
    print("not an answer")
    return {"process": os.getpid()}


def sleep(*, progress):
    progress("sleeping", 0.0)
    time.sleep(60)


def spin(*, progress):
    progress("spinning", 0.0)
    while True:
        pass


def fill(*, progress):
    progress("filling", 0.0)
    return {"bytes": len(bytearray(2**30))}


def refuse(*, progress):
    raise InputError("no good", file="out.txt", line=3, fix="Do better")


def run_into_a_full_disk(*, progress):
    raise UnwritableError("cannot write: No space left on device", file="/srv/board/records")


def break_down(*, progress):
    raise ZeroDivisionError


def end(*, progress):
    os._exit(3)
