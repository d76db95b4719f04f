"""Runs all scenarios and prints what passed: python -m page PROGRAMS PICTURES [PATTERN]"""

import sys
import time
import traceback

from . import scenarios
from .browser import DESK, Browser
from .programs import Air


class Stage:
    """A scenario's environment: an air of its own, and browsers."""

    def __init__(self, programs, pictures):
        self.air = Air(programs)
        self.pictures = pictures
        self.browsers = []

    def eightball(self, *arguments):
        """Starts an `eightball`."""
        return self.air.eightball(*arguments)

    def browser(self, size=DESK, **options):
        """Starts a browser."""
        browser = Browser(self.pictures, size, **options)
        self.browsers.append(browser)
        return browser

    def end(self):
        """Ends the remaining processes."""
        for browser in self.browsers:
            browser.close()
        self.air.end()


def main(programs, pictures, pattern=""):
    """Runs the scenarios whose name or description has a pattern in it."""
    failures = 0
    start = time.monotonic()
    chosen = [each for each in scenarios.ALL if pattern in each.__name__ or pattern in each.__doc__]
    for scenario in chosen:
        stage = Stage(programs, pictures)
        began = time.monotonic()
        try:
            scenario(stage)
            print(f"passed  {time.monotonic() - began:5.1f} s  {scenario.__doc__}", flush=True)
        except Exception:
            failures += 1
            print(f"FAILED  {time.monotonic() - began:5.1f} s  {scenario.__doc__}", flush=True)
            traceback.print_exc()
            for number, browser in enumerate(stage.browsers):
                try:
                    browser.picture(f"failed-{scenario.__name__}-{number}")
                except Exception as error:
                    print(f"no picture: {error}")
        finally:
            stage.end()
    print(f"{len(chosen) - failures} of {len(chosen)} scenarios passed in {time.monotonic() - start:.0f} s; "
          f"pictures in {pictures}")
    return 1 if failures or not chosen else 0


sys.exit(main(*sys.argv[1:]))
