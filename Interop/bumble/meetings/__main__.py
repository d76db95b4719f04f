"""Runs all meetings and prints what passed: python -m meetings PROGRAMS FOLDER [PATTERN]"""

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

from . import balls, captures, links, ours, scenes, theirs
from .grounds import BumbleControllers, OurAir, OurAirOverTCP, RootCanal

#: A meeting that has not ended by then has failed, in seconds.
PATIENCE = 120

OURS, THEIRS = "ours", "Bumble"


def maker(kind, name, is_ours):
    """Makes the hosts of one kind; a meeting with several numbers them."""

    def make(ground, number=None, **options):
        return kind(ground, name if number is None else f"{name}-{number}", **options)

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


def meetings():
    """All meetings: (ground, central, peripheral, scene)."""
    eight = links.many(8)
    values = {mtu: scenes.values_at(mtu) for mtu in (23, 185, 247, 517)}
    asked = {
        (THEIRS, OURS): balls.our_ball_asked_by_bumble,
        (OURS, THEIRS): balls.bumbles_ball_asked_by_ours,
        (OURS, OURS): balls.our_ball_asked_by_ours,
    }
    for ground in (OurAir, BumbleControllers, RootCanal):
        for pair, scene in asked.items():
            yield ground, *pair, scene
        for pair in PAIRS:
            for mtu in (23, 517):
                yield ground, *pair, values[mtu]
            yield ground, *pair, scenes.large_database
            yield ground, *pair, links.ends
            yield ground, *pair, links.vanishing
            yield ground, *pair, links.channels
            if THEIRS in pair:
                yield ground, *pair, links.parameters
                yield ground, *pair, links.changes
                yield ground, *pair, eight
    for pair in PAIRS:
        for mtu in (185, 247):
            yield OurAir, *pair, values[mtu]
    # Hosts of others among themselves on our air.
    # Bumble refuses itself a new channel after one has closed ("source CID already in use"), so none here.
    theirs_alone = (links.pairing_on_air, links.extended_advertising)
    for scene in (values[23], values[517], scenes.large_database, *theirs_alone):
        yield OurAir, THEIRS, THEIRS, scene
    for pair in ((THEIRS, OURS), (OURS, THEIRS)):
        yield OurAirOverTCP, *pair, values[247]


class Outcome:
    """How a meeting went."""

    def __init__(self, ground, central, peripheral, scene):
        self.ground, self.central, self.peripheral, self.scene = ground, central, peripheral, scene
        self.seconds = 0
        self.packets = 0
        self.failure = None

    @property
    def reason(self):
        """Why the ground cannot hold the meeting, if so."""
        return self.ground.cannot.get(self.scene.title)

    @property
    def title(self):
        return f"{self.ground.name}: {self.central} → {self.peripheral}: {self.scene.title}"


async def hold(outcome, number, programs, folder):
    """Holds a meeting and reads its captures."""
    start = time.monotonic()
    ground = outcome.ground(folder / f"{number:03}", programs)
    try:
        async with asyncio.timeout(PATIENCE):
            try:
                await ground.open()
                await outcome.scene(ground, CENTRALS[outcome.central], PERIPHERALS[outcome.peripheral])
            finally:
                await ground.close()
        outcome.packets = sum([await captures.check(capture) for capture in ground.captures])
    except Exception as failure:  # Whatever it is, the other meetings are held.
        outcome.failure = failure
        with open(ground.folder / "failure.txt", "w") as report:
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
    parser = argparse.ArgumentParser(prog="meetings")
    parser.add_argument("programs", type=pathlib.Path)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("pattern", nargs="?", default="")
    parser.add_argument("--jobs", type=int, default=2 * (os.cpu_count() or 1))
    options = parser.parse_args()
    outcomes = [Outcome(*meeting) for meeting in meetings()]
    skipped = [outcome for outcome in outcomes if outcome.reason]
    outcomes = [outcome for outcome in outcomes if not outcome.reason]
    outcomes = [outcome for outcome in outcomes if options.pattern in outcome.title]
    turns = asyncio.Semaphore(options.jobs)

    async def turn(number, outcome):
        async with turns:
            await hold(outcome, number, options.programs.resolve(), options.folder.resolve())
        mark = "ok  " if outcome.failure is None else "FAIL"
        print(f"{mark} {outcome.seconds:6.1f} s {outcome.packets:7} packets  {outcome.title}", flush=True)
        if outcome.failure is not None:
            print(f"     {type(outcome.failure).__name__}: {outcome.failure} ({options.folder / f'{number:03}'})")

    await asyncio.gather(*(turn(number, outcome) for number, outcome in enumerate(outcomes)))
    print()
    for reason in sorted({f"{outcome.ground.name} cannot hold \"{outcome.scene.title}\": {outcome.reason}" for outcome in skipped}):
        print(reason)
    for name, version in versions():
        print(f"{name}: {version}")
    failed = sum(outcome.failure is not None for outcome in outcomes)
    print(f"{len(outcomes) - failed} of {len(outcomes)} meetings passed")
    return 1 if failed or not outcomes else 0


sys.exit(asyncio.run(main()))
