"""Runs all meetings in the guest: python -m linux PROGRAMS IMAGE FOLDER [PATTERN]"""

import argparse
import asyncio
import pathlib
import sys
import time
import traceback

from meetings import captures

from . import scenes

SCENES = (
    scenes.bluez_asks_us,
    scenes.bluez_asks_bumble,
    scenes.we_ask_bluez,
    scenes.user_channel,
    scenes.two_of_ours,
    scenes.ours_and_bumble,
)

#: A meeting that has not ended by then has failed, in seconds; the guest is emulated.
PATIENCE = 240


async def hold(scene, number, options):
    start = time.monotonic()
    ground = scenes.GuestOnOurAir(options.image.resolve(), options.folder.resolve() / f"{number}", options.programs)
    failure, packets = None, 0
    try:
        async with asyncio.timeout(PATIENCE):
            try:
                await scene(ground)
            finally:
                await ground.close()
        packets = sum([await captures.check(capture) for capture in ground.captures])
    except Exception as error:  # Whatever it is, the other meetings are held.
        failure = error
        with open(ground.folder / "failure.txt", "w") as report:
            traceback.print_exception(error, file=report)
    mark = "ok  " if failure is None else "FAIL"
    print(f"{mark} {time.monotonic() - start:6.1f} s {packets:7} packets  {scene.title}", flush=True)
    if failure is not None:
        print(f"     {type(failure).__name__}: {failure} ({ground.folder})", flush=True)
    return failure is None


async def main():
    parser = argparse.ArgumentParser(prog="linux")
    parser.add_argument("programs", type=pathlib.Path)
    parser.add_argument("image", type=pathlib.Path)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("pattern", nargs="?", default="")
    options = parser.parse_args()
    options.programs = options.programs.resolve()
    wanted = [(number, scene) for number, scene in enumerate(SCENES) if options.pattern in scene.title]
    passed = [await hold(scene, number, options) for number, scene in wanted]
    for package in ("linux-image", "bluez_"):
        for file in (options.image / "debs").glob(f"{package}*.deb"):
            print(f"{file.name}")
    print(f"{sum(passed)} of {len(passed)} meetings passed")
    return 0 if passed and all(passed) else 1


sys.exit(asyncio.run(main()))
