"""Prints one line per check, and counts them."""

import time


class Failed(Exception):
    """An awaited event did not happen; the following checks would make no sense."""


class Checks:
    """Counts and prints checks."""

    def __init__(self):
        self.passed = 0
        self.failed = 0

    def check(self, what, is_true, found=""):
        """Notes whether `what` holds; `found` is shown if it does not."""
        if is_true:
            self.passed += 1
            print(f"  ok      {what}", flush=True)
        else:
            self.failed += 1
            print(f"  FAILED  {what}", flush=True)
            for line in str(found).splitlines()[:60]:
                print(f"          | {line}", flush=True)

    def equal(self, what, found, expected):
        """Notes whether what was found is what was expected."""
        self.check(what, found == expected, f"found    {found!r}\nexpected {expected!r}")

    def holds(self, what, text, *parts):
        """Notes whether all parts stand in the text."""
        missing = [part for part in parts if part not in text]
        self.check(what, not missing, f"missing {missing!r} in:\n{text}")


def await_true(what, condition, seconds=20):
    """The first true value of `condition`, which is asked again and again.

    Raises Failed after `seconds`; `what` is a text, or a function that makes it.
    """
    until = time.monotonic() + seconds
    while True:
        value = condition()
        if value:
            return value
        if time.monotonic() > until:
            text = what() if callable(what) else what
            raise Failed(f"not within {seconds} seconds: {text}")
        time.sleep(0.05)
