"""Runs all scenarios and prints what passed: python -m interop PROGRAMS FOLDER [PATTERN]"""

import argparse
import asyncio
import importlib.metadata
import os
import pathlib
import shutil
import subprocess
import sys
import time
import traceback

from . import balls, captures, links, ours, pairing, receivers, scenarios, theirs
from .environments import BumbleControllers, OurAir, OurAirOverTCP, RootCanal

#: A scenario that has not ended by then has failed, in seconds.
TIME_LIMIT = 120

OURS, THEIRS = "ours", "Bumble"


def maker(kind, name, is_ours):
    """Makes the hosts of one kind; a scenario with several numbers them."""

    def make(environment, number=None, **options):
        return kind(environment, name if number is None else f"{name}-{number}", **options)

    make.is_ours = is_ours
    return make


CENTRALS = {
    OURS: maker(ours.Central, "our-central", True),
    THEIRS: maker(theirs.Central, "bumble-central", False),
}
PERIPHERALS = {
    OURS: maker(ours.Peripheral, "our-peripheral", True),
    THEIRS: maker(theirs.Peripheral, "bumble-peripheral", False),
}
PAIRS = [(OURS, THEIRS), (THEIRS, OURS), (OURS, OURS)]


def runs():
    """All runs: (environment, central, peripheral, scenario)."""
    eight = links.many(8)
    values = {mtu: scenarios.values_at(mtu) for mtu in (23, 185, 247, 517)}
    asked = {
        (THEIRS, OURS): balls.our_ball_asked_by_bumble,
        (OURS, THEIRS): balls.bumbles_ball_asked_by_ours,
        (OURS, OURS): balls.our_ball_asked_by_ours,
    }
    for environment in (OurAir, BumbleControllers):
        yield environment, THEIRS, OURS, balls.our_page_asked_by_bumble
        yield environment, OURS, THEIRS, balls.bumbles_ball_asked_by_our_page
    for environment in (OurAir, BumbleControllers, RootCanal):
        for pair, scenario in asked.items():
            yield environment, *pair, scenario
        yield environment, OURS, THEIRS, links.extended_advertising
        for pair in PAIRS:
            for mtu in (23, 517):
                yield environment, *pair, values[mtu]
            yield environment, *pair, scenarios.large_database
            yield environment, *pair, links.ends
            yield environment, *pair, links.vanishing
            yield environment, *pair, links.channels
            if THEIRS in pair:
                yield environment, *pair, links.parameters
                yield environment, *pair, links.changes
                yield environment, *pair, eight
    for pair in PAIRS:
        for mtu in (185, 247):
            yield OurAir, *pair, values[mtu]
    # Two hosts of others on our air.
    # Bumble refuses itself a new channel after one has closed ("source CID already in use"), so none here.
    theirs_alone = (links.pairing_on_air, links.extended_advertising)
    for scenario in (values[23], values[517], scenarios.large_database, *theirs_alone):
        yield OurAir, THEIRS, THEIRS, scenario
    yield from pairing.runs((OurAir, BumbleControllers), (OURS, THEIRS), (THEIRS, OURS))
    transfer = receivers.amounts(float(os.environ.get("INTEROP_MIB") or 0.5))
    for pair in ((THEIRS, OURS), (OURS, THEIRS)):
        yield OurAirOverTCP, *pair, values[247]
        for environment in (OurAir, BumbleControllers):
            yield environment, *pair, receivers.slow_receivers
        yield OurAir, *pair, receivers.slow_receivers_with_flow_control
        yield OurAir, *pair, transfer
    yield OurAir, OURS, THEIRS, receivers.stopped_process
    for environment in (BumbleControllers, RootCanal):
        yield environment, OURS, THEIRS, receivers.asked_for_flow_control


class Outcome:
    """The outcome of a scenario."""

    def __init__(self, environment, central, peripheral, scenario):
        self.environment, self.central, self.peripheral, self.scenario = environment, central, peripheral, scenario
        self.seconds = 0
        self.packets = 0
        self.remarks = []
        self.failure = None

    @property
    def reason(self):
        """The reason why the environment cannot run the scenario, if there is one."""
        return self.environment.cannot.get(self.scenario.title)

    @property
    def title(self):
        return f"{self.environment.name}: {self.central} → {self.peripheral}: {self.scenario.title}"


async def run(outcome, number, programs, folder):
    """Runs a scenario and reads its captures."""
    start = time.monotonic()
    environment = outcome.environment(folder / f"{number:03}", programs)
    try:
        if not getattr(outcome.scenario, "is_captured", True):
            environment.captures = None
        async with asyncio.timeout(getattr(outcome.scenario, "time_limit", TIME_LIMIT)):
            try:
                await environment.open()
                await outcome.scenario(environment, CENTRALS[outcome.central], PERIPHERALS[outcome.peripheral])
            finally:
                await environment.close()
        outcome.packets = sum([await captures.check(capture) for capture in environment.captures or ()])
        outcome.remarks = environment.remarks
    except Exception as failure:  # Whatever it is, the other scenarios are run.
        outcome.failure = failure
        with open(environment.folder / "failure.txt", "w") as report:
            traceback.print_exception(failure, file=report)
    outcome.seconds = time.monotonic() - start


def versions():
    def first(*command):
        try:
            return subprocess.run(command, capture_output=True, text=True).stdout.splitlines()[0]
        except (OSError, IndexError):
            return "not here"

    yield "Bumble", importlib.metadata.version("bumble")
    yield "RootCanal", importlib.metadata.version("rootcanal")
    yield "tshark", first("tshark", "--version") if shutil.which("tshark") else "not here: no capture was read"
    yield "Swift", first("swift", "--version")
    yield "Python", sys.version.split()[0]


async def main():
    parser = argparse.ArgumentParser(prog="interop")
    parser.add_argument("programs", type=pathlib.Path)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("pattern", nargs="?", default="")
    parser.add_argument("--jobs", type=int, default=2 * (os.cpu_count() or 1))
    options = parser.parse_args()
    outcomes = [Outcome(*each) for each in runs()]
    skipped = [outcome for outcome in outcomes if outcome.reason]
    outcomes = [outcome for outcome in outcomes if not outcome.reason]
    outcomes = [outcome for outcome in outcomes if options.pattern in outcome.title]
    turns = asyncio.Semaphore(options.jobs)

    async def turn(number, outcome):
        async with turns:
            await run(outcome, number, options.programs.resolve(), options.folder.resolve())
        mark = "ok  " if outcome.failure is None else "FAIL"
        print(f"{mark} {outcome.seconds:6.1f} s {outcome.packets:7} packets  {outcome.title}", flush=True)
        for remark in outcome.remarks:
            print(f"     {remark}")
        if outcome.failure is not None:
            print(f"     {type(outcome.failure).__name__}: {outcome.failure} ({options.folder / f'{number:03}'})")

    await asyncio.gather(*(turn(number, outcome) for number, outcome in enumerate(outcomes)))
    print()
    for reason in sorted({f"{outcome.environment.name} cannot run \"{outcome.scenario.title}\": {outcome.reason}" for outcome in skipped}):
        print(reason)
    for name, version in versions():
        print(f"{name}: {version}")
    failed = sum(outcome.failure is not None for outcome in outcomes)
    print(f"{len(outcomes) - failed} of {len(outcomes)} scenarios passed")
    return 1 if failed or not outcomes else 0


sys.exit(asyncio.run(main()))
