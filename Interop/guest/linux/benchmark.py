"""Our central on BlueZ's adapter beside bleak, in one guest, with our peripheral on this machine: what a connection, a
notification and a write without response cost, as a table. python -m linux.benchmark PROGRAMS IMAGE FOLDER"""

import argparse
import asyncio
import pathlib
import shlex
import shutil
import statistics

from interop import database

from . import guests
from .scenarios import NAME, GuestOnOurAir, event
from .shared import linked, peripheral_on_air, powered_on

#: The number of connections of each side, one after the other; the streams of each side are measured once.
CONNECTIONS = 5
COUNT = 1000
LENGTH = 20
TICKS = 100
READ_RESPONSE = 0x0B


class Bleak:
    """bleak in the guest: a process for each figure."""

    def __init__(self, environment):
        self.environment = environment
        self.number = 0

    async def start(self, *arguments):
        self.number += 1
        command = self.environment.python("figures.py", *map(str, arguments))
        return await self.environment.machine.begin(f"bleak{self.number}", f"sh -c {shlex.quote('exec env ' + command)}")

    async def read(self):
        await self.environment.machine.ended((await self.start("read", NAME, database.STATIC)).name)

    async def notified(self, peripheral, processor):
        words = await self.start("notified", NAME, database.NOTIFYING, COUNT)
        await event(words, "ready")
        await peripheral.subscribed(database.NOTIFYING)
        async with processor(words.name) as figures:
            await peripheral.notify_many(database.NOTIFYING, COUNT, LENGTH)
            await event(words, "done")
        await self.environment.machine.ended(words.name)
        return figures

    async def poured(self, peripheral, processor):
        counted = await peripheral.count_writes(database.POURED, COUNT, LENGTH)
        words = await self.start("pour", NAME, database.POURED, COUNT, LENGTH)
        await event(words, "ready")
        async with processor(words.name) as figures:
            assert await counted == (COUNT, None)
        await self.environment.machine.ended(words.name)
        return figures


class Ours:
    """Our programs in the guest."""

    def __init__(self, environment):
        self.environment = environment
        self.number = 0

    async def central(self):
        self.number += 1
        central = await powered_on(guests.Central, self.environment, f"central{self.number}")
        return central, await linked(central)

    async def read(self):
        self.number += 1
        arguments = ("corebluetooth", "read", NAME, database.STATIC)
        await (await guests.Program(self.environment, f"read{self.number}", *arguments).start()).ended()

    async def notified(self, peripheral, processor):
        central, link = await self.central()
        await link.subscribe(database.NOTIFYING)
        await peripheral.subscribed(database.NOTIFYING)
        counted = await link.count(database.NOTIFYING, COUNT, LENGTH)
        async with processor(central.name) as figures:
            await peripheral.notify_many(database.NOTIFYING, COUNT, LENGTH)
            assert await counted == (COUNT, None)
        await link.disconnect()
        await central.quit()
        return figures

    async def poured(self, peripheral, processor):
        central, link = await self.central()
        counted = await peripheral.count_writes(database.POURED, COUNT, LENGTH)
        async with processor(central.name) as figures:
            central.command("pour", attribute=link.attributes[database.POURED], count=COUNT, length=LENGTH)
            assert await counted == (COUNT, None)
        await link.disconnect()
        await central.quit()
        return figures


def processor_time(machine):
    """A context that measures a stream: its duration, and the processor time of a program and of bluetoothd for each
    value."""

    class Context:
        def __init__(self, name):
            self.names = (name, "bluetoothd")

        async def ticks(self):
            files = " ".join(f"/proc/{(machine.share / f'{name}.pid').read_text().strip()}/stat" for name in self.names)
            output = await machine.run(f"cat /proc/uptime {files} | sed '1s/^/)/'")
            # The fields after the name of the program, which may have spaces.
            lines = [line.rsplit(")", 1)[1].split() for line in output.splitlines()]
            return float(lines[0][0]), *(int(fields[11]) + int(fields[12]) for fields in lines[1:])

        async def __aenter__(self):
            self.start = await self.ticks()
            return self

        async def __aexit__(self, *_):
            duration, program, daemon = (now - before for now, before in zip(await self.ticks(), self.start))
            self.rate = COUNT / duration
            self.program, self.daemon = (1e6 * each / TICKS / COUNT for each in (program, daemon))

    return Context


def first_value(capture):
    """The milliseconds from the last connection of a peripheral to the first value that was read on it."""
    octets, offset, connected = capture.read_bytes(), 16, 0
    found = None
    while offset + 24 <= len(octets):
        length = int.from_bytes(octets[offset + 4 : offset + 8], "big")
        time = int.from_bytes(octets[offset + 16 : offset + 24], "big")
        packet = octets[offset + 24 : offset + 24 + length]
        offset += 24 + length
        if packet[:2] == b"\x04\x3e" and packet[3] in (0x01, 0x0A) and packet[4] == 0:
            connected, found = time, None
        elif packet[0] == 0x02 and packet[7:10] == bytes((4, 0, READ_RESPONSE)) and packet[10:] == database.STATIC_VALUE:
            found = found or (time - connected) / 1000
    return found


async def main():
    parser = argparse.ArgumentParser(prog="benchmark")
    parser.add_argument("programs", type=pathlib.Path)
    parser.add_argument("image", type=pathlib.Path)
    parser.add_argument("folder", type=pathlib.Path)
    options = parser.parse_args()
    shutil.rmtree(options.folder, ignore_errors=True)
    environment = GuestOnOurAir(options.image.resolve(), options.folder.resolve(), options.programs.resolve())
    rows = {}
    try:
        await environment.open()
        peripheral = await peripheral_on_air(environment)
        capture = pathlib.Path(peripheral.environment["COREBLUETOOTH_CAPTURE"])
        programs = {"ours": Ours(environment), "bleak": Bleak(environment)}

        def add(what, name, value):
            rows.setdefault(what, {}).setdefault(name, []).append(value)

        async def idle():
            # A link lasts for 2 s longer than its last program.
            bluetoothctl = environment.machine.binaries["bluetoothctl"]
            await environment.machine.until(f"! {bluetoothctl} devices Connected | grep -q Device")

        # In turns, so that both see the same machine.
        for _ in range(CONNECTIONS):
            for name, program in programs.items():
                await idle()
                await program.read()
                add("from the link to the first value, ms", name, first_value(capture))
        for name, program in programs.items():
            kinds = (
                ("notification", "notifications", program.notified),
                ("write without response", "writes without response", program.poured),
            )
            for what, several, measure in kinds:
                await idle()
                figures = await measure(peripheral, processor_time(environment.machine))
                add(f"{several} a second", name, figures.rate)
                add(f"µs of the program's processor for a {what}", name, figures.program)
                add(f"µs of bluetoothd's processor for a {what}", name, figures.daemon)
    finally:
        await environment.close()
    print(f"{LENGTH} octets, {COUNT} values, in an emulated guest; the median of {CONNECTIONS} connections.\n")
    print("| what | ours | bleak |")
    print("|---|---|---|")
    for what, figures in rows.items():
        print(f"| {what} | {statistics.median(figures['ours']):,.0f} | {statistics.median(figures['bleak']):,.0f} |")


if __name__ == "__main__":
    asyncio.run(main())
