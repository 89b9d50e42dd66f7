"""What test scripts share: checks that fail or skip with a sentence."""

import os
import shutil
import sys

SKIPPED = 77  # for ctest


class Skip(Exception):
    pass


def need(condition, message):
    if not condition:
        sys.exit(message)


def fresh(path):
    """An empty folder."""
    shutil.rmtree(path, ignore_errors=True)
    path.mkdir(parents=True)
    return path


def choice_of_target():
    """What the caller's environment says of the target and of the emulated CPU."""
    names = ("ACTINIDE_FORCE_TARGET", "ACTINIDE_MAX_TARGET", "QEMU_CPU")
    return {name: os.environ[name] for name in names if name in os.environ}


def status_of(check):
    """The exit status after a check."""
    try:
        check()
    except Skip as reason:
        print("skipped:", reason)
        return SKIPPED
    return 0
