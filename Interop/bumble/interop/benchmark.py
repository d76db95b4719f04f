"""Our host and Bumble's on our air, served by another process over a Unix socket: what a round trip and a stream cost, as a
table with ratios. Each host is a process of its own: python -m interop.benchmark PROGRAMS FOLDER"""

import argparse
import asyncio
import pathlib
import statistics
import time

from . import database, ours, theirs
from .environments import OurAir
from .remote import Remote
from .scenarios import connect, discover

MTU = 247
LENGTHS = (20, 244)
RUNS = 3


async def measure(programs, folder, make_central, make_peripheral, scale):
    """The figures of one pair of hosts: {what: (microseconds, per second)}."""
    environment = OurAir(folder, programs)
    environment.captures = None  # They would cost.
    figures = {}
    try:
        await environment.open()
        central, peripheral = make_central(environment), make_peripheral(environment)
        link = await connect(central, peripheral, database.values(), database.SERVICE)
        await discover(link, database.values())
        await link.subscribe(database.NOTIFYING)
        await peripheral.subscribed(database.NOTIFYING)

        async def timed(what, count, action):
            start = time.perf_counter()
            await action
            figures[what] = (time.perf_counter() - start) / count

        for length in LENGTHS:
            count = 2000 * scale
            outcome = await link.count(database.NOTIFYING, count, length)

            async def stream(count=count, length=length, outcome=outcome):
                await asyncio.gather(peripheral.notify_many(database.NOTIFYING, count, length), outcome)

            await timed(f"notification, {length} octets", count, stream())
            outcome = await peripheral.count_writes(database.POURED, count, length)

            async def pour(count=count, length=length, outcome=outcome):
                await asyncio.gather(link.pour(database.POURED, count, length), outcome)

            await timed(f"write without response, {length} octets", count, pour())
            count = 500 * scale
            outcome = await peripheral.count_writes(database.WRITTEN, count, length)

            async def write(count=count, length=length, outcome=outcome):
                await asyncio.gather(link.write_many(database.WRITTEN, count, length), outcome)

            await timed(f"write with response, {length} octets", count, write())
        await timed("read, 40 octets", count, link.read_many(database.STATIC, count))
    finally:
        await environment.close()
    return figures


async def compare(programs, folder):
    pairs = {
        "ours": (lambda environment: ours.Central(environment, "our-central", MTU), lambda environment: ours.Peripheral(environment, "our-peripheral", MTU), 5),
        "Bumble": (lambda environment: theirs.Central(environment, "bumble-central", MTU), lambda environment: Remote(environment, "bumble-peripheral", MTU), 1),
    }
    runs = {name: [] for name in pairs}
    for number in range(RUNS):
        # One after the other, so that both see the same machine.
        for name, pair in pairs.items():
            runs[name].append(await measure(programs, folder / f"{name}-{number}", *pair))
    print(f"Two hosts on our air, three processes, a Unix socket each; MTU {MTU}, median of {RUNS} runs.\n")
    print("| what | ours | Bumble's host | ratio |")
    print("|---|---|---|---|")
    for what in runs["ours"][0]:
        mine, other = (statistics.median(run[what] for run in runs[name]) for name in pairs)
        cells = [f"{1 / value:,.0f}/s ({value * 1e6:,.1f} µs)" for value in (mine, other)]
        print(f"| {what} | {cells[0]} | {cells[1]} | {other / mine:.1f} |")


def main():
    parser = argparse.ArgumentParser(prog="benchmark")
    parser.add_argument("programs", type=pathlib.Path)
    parser.add_argument("folder", type=pathlib.Path)
    options = parser.parse_args()
    asyncio.run(compare(options.programs.resolve(), options.folder.resolve()))


if __name__ == "__main__":
    main()
