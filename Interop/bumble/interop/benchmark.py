"""Our host and Bumble's on our air, served by another process over a Unix socket: what a round trip and a stream cost, as a
table with ratios. Each host is a process of its own: python -m interop.benchmark PROGRAMS FOLDER"""

import argparse
import asyncio
import json
import pathlib
import statistics
import sys
import time

from . import database, ours, theirs
from .environments import OurAir
from .scenarios import connect, discover

MTU = 247
LENGTHS = (20, 244)
RUNS = 3


class Quiet(OurAir):
    """Our air without captures, which are for scenarios; here they would cost."""

    def __init__(self, folder, programs):
        super().__init__(folder, programs)
        self.captures = None

    def capture(self, name):
        return pathlib.Path("/dev/null")


class Remote:
    """Bumble's peripheral in a process of its own, controlled by lines on its standard input."""

    def __init__(self, environment, name, mtu):
        self.environment, self.name, self.mtu, self.process = environment, name, mtu, None
        environment.parts.append(self)

    async def ask(self, *words):
        self.process.stdin.write((json.dumps(words) + "\n").encode())
        answer = await self.process.stdout.readline()
        assert answer, f"{self.name} has ended"
        return json.loads(answer)

    async def power_on(self):
        self.process = await asyncio.create_subprocess_exec(
            sys.executable,
            *("-m", "interop.benchmark", "--peripheral", self.environment.their_transport(), str(self.mtu)),
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
        )
        await self.ask("power_on")

    async def publish(self, description):
        await self.ask("publish", description)

    async def advertise(self, name, services):
        await self.ask("advertise", name, services)

    async def subscribed(self, attribute):
        await self.ask("subscribed", attribute)

    async def count_writes(self, attribute, count, length):
        await self.ask("begin_count", attribute, count, length)
        return asyncio.create_task(self.ask("counted"))

    async def notify_many(self, attribute, count, length):
        await self.ask("notify_many", attribute, count, length)

    async def close(self):
        if self.process and self.process.returncode is None:
            self.process.kill()
            await self.process.wait()


class Served(theirs.Peripheral):
    """What answers in that process."""

    async def begin_count(self, *arguments):
        self.counting = await self.count_writes(*arguments)

    async def counted(self):
        return await self.counting


async def serve(transport, mtu):
    """The process of Bumble's peripheral."""

    class Environment(Quiet):
        def __init__(self):
            self.parts = []

        def their_transport(self):
            return transport

    peripheral = Served(Environment(), "bumble-peripheral", mtu)
    reader = asyncio.StreamReader(limit=1 << 20)
    await asyncio.get_running_loop().connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), sys.stdin)
    while line := await reader.readline():
        name, *arguments = json.loads(line)
        print(json.dumps(await getattr(peripheral, name)(*arguments)), flush=True)
        if name == "power_on":
            peripheral.device.host.snooper = None


async def measure(programs, folder, make_central, make_peripheral, scale):
    """The figures of one pair of hosts: {what: (microseconds, per second)}."""
    environment = Quiet(folder, programs)
    figures = {}
    try:
        await environment.open()
        central, peripheral = make_central(environment), make_peripheral(environment)
        link = await connect(central, peripheral, database.values(), database.SERVICE)
        if isinstance(central, theirs.Central):
            central.device.host.snooper = None
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
    if sys.argv[1] == "--peripheral":
        return asyncio.run(serve(sys.argv[2], int(sys.argv[3])))
    parser = argparse.ArgumentParser(prog="benchmark")
    parser.add_argument("programs", type=pathlib.Path)
    parser.add_argument("folder", type=pathlib.Path)
    options = parser.parse_args()
    asyncio.run(compare(options.programs.resolve(), options.folder.resolve()))


if __name__ == "__main__":
    main()
