"""Runs all scenarios in the guest: python -m linux PROGRAMS IMAGE FOLDER [PATTERN]"""

import argparse
import asyncio
import pathlib
import sys
import time
import traceback

from interop import captures

from . import pairing, scenarios, shared, shared_adapters, shared_outages, shared_pairing

SCENARIOS = (
    scenarios.bluez_asks_us,
    scenarios.bluez_asks_bumble,
    scenarios.we_ask_bluez,
    pairing.bluez_pairs_with_us,
    pairing.we_pair_with_bluez,
    pairing.bluez_knows_us,
    pairing.we_know_bluez,
    scenarios.user_channel,
    scenarios.two_of_ours,
    scenarios.ours_and_bumble,
    *shared_adapters.SCENARIOS,
    *shared_pairing.SCENARIOS,
    *shared.SCENARIOS,
    *shared_outages.SCENARIOS,
)

#: A scenario that has not ended by then has failed, in seconds, unless it has a `limit` of its own; the guest is
#: emulated.
TIME_LIMIT = 240


async def run(scenario, number, options):
    start = time.monotonic()
    folder = options.folder.resolve() / f"{number}"
    environment = scenarios.GuestOnOurAir(options.image.resolve(), folder, options.programs)
    failure, packets = None, 0
    try:
        async with asyncio.timeout(getattr(scenario, "limit", TIME_LIMIT)):
            try:
                await scenario(environment)
            finally:
                await environment.close()
        packets = sum([await captures.check(capture) for capture in environment.captures])
    except Exception as error:  # Whatever it is, the other scenarios are run.
        failure = error
        with open(environment.folder / "failure.txt", "w") as report:
            traceback.print_exception(error, file=report)
    mark = "ok  " if failure is None else "FAIL"
    print(f"{mark} {time.monotonic() - start:6.1f} s {packets:7} packets  {scenario.title}", flush=True)
    for remark in environment.remarks:
        print(f"     {remark}", flush=True)
    if failure is not None:
        print(f"     {type(failure).__name__}: {failure} ({environment.folder})", flush=True)
    return failure is None


async def main():
    parser = argparse.ArgumentParser(prog="linux")
    parser.add_argument("programs", type=pathlib.Path)
    parser.add_argument("image", type=pathlib.Path)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("pattern", nargs="?", default="")
    options = parser.parse_args()
    options.programs = options.programs.resolve()
    wanted = [(number, scenario) for number, scenario in enumerate(SCENARIOS) if options.pattern in scenario.title]
    passed = [await run(scenario, number, options) for number, scenario in wanted]
    for package in ("linux-image", "bluez_"):
        for file in (options.image / "debs").glob(f"{package}*.deb"):
            print(f"{file.name}")
    print(f"{sum(passed)} of {len(passed)} scenarios passed")
    return 0 if passed and all(passed) else 1


sys.exit(asyncio.run(main()))
