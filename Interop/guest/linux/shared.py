"""Our programs on the adapter that bluetoothd has (`bluez:hci0`), as a user who is not root. The guest's kernel is on
our air, and the other device is our host on this machine, on the same air."""

import asyncio
import json
import os
import signal
import time

from interop import database, ours
from interop.balls import QUESTIONS
from interop.scenarios import equal

from . import guests
from .machine import Shell
from .scenarios import NAME, event

#: The octets of a stream in each direction.
OCTETS = int(float(os.environ.get("INTEROP_MIB", "0.125")) * (1 << 20))
#: The octets of a value: BlueZ 5.66 counts a write's handle as a part of it, and loses writes without response of 511.
LENGTH = 510
#: The limit of a scenario with streams, in seconds: at least a kilobyte a second.
LIMIT = 300 + OCTETS // 1000


async def peripheral_on_air(environment, name=NAME, description=None, **options):
    """Our peripheral on this machine. Its device name is the advertised one: BlueZ uses the one that it has read
    last."""
    return await advertising(ours.Peripheral(environment, name, **options), name, description)


async def peripheral_in_guest(environment, name="guest", description=None, **options):
    """Our peripheral on BlueZ's adapter."""
    return await advertising(guests.Peripheral(environment, name, **options), NAME, description)


async def advertising(peer, name, description):
    await peer.power_on()
    await peer.publish(description or database.values())
    await peer.advertise(name, [database.SERVICE])
    return peer


async def linked(central, name=NAME):
    """A link of a central to the peripheral of this name, whose database is known."""
    link = await central.connect(await central.find(database.SERVICE, name))
    await link.discover()
    return link


async def powered_on(kind, environment, name, **options):
    peer = kind(environment, name, **options)
    await peer.power_on()
    return peer


# Streams and channels.


def timed(environment, what, octets, start):
    duration = time.monotonic() - start
    environment.remarks.append(f"{what}: {octets} octets in {duration:.1f} s, {octets / duration / 1000:.0f} kB/s")


async def streams(environment, central, peripheral, side):
    """Numbered values in both directions, and octets by a channel in both directions."""
    count = OCTETS // LENGTH
    link = await linked(central)
    counted = await peripheral.count_writes(database.POURED, count, LENGTH)
    start = time.monotonic()
    await link.pour(database.POURED, count, LENGTH)
    equal(await counted, (count, None), "writes without response")
    timed(environment, f"writes without response {side}", count * LENGTH, start)
    await link.subscribe(database.NOTIFYING)
    await peripheral.subscribed(database.NOTIFYING)
    counted = await link.count(database.NOTIFYING, count, LENGTH)
    start = time.monotonic()
    await peripheral.notify_many(database.NOTIFYING, count, LENGTH)
    equal(await counted, (count, None), "notifications")
    timed(environment, f"notifications {side}", count * LENGTH, start)
    await link.subscribe(database.NOTIFYING, on=False)
    await peripheral.unsubscribed(database.NOTIFYING)
    await link.disconnect()


async def streams_of_central(environment):
    await environment.open()
    peripheral = await peripheral_on_air(environment)
    await streams(environment, await powered_on(guests.Central, environment, "guest"), peripheral, "of our central")


streams_of_central.title = "BlueZ's adapter: streams of our central arrive whole"
streams_of_central.limit = LIMIT


async def streams_of_peripheral(environment):
    await environment.open()
    peripheral = await peripheral_in_guest(environment)
    await streams(environment, await powered_on(ours.Central, environment, "ours"), peripheral, "of our peripheral")


streams_of_peripheral.title = "BlueZ's adapter: streams of our peripheral arrive whole"
streams_of_peripheral.limit = LIMIT


async def channels(environment):
    """L2CAP channels, which are sockets of the kernel beside BlueZ, opened from either side, used in both
    directions."""
    await environment.open()

    async def used(central, peripheral, side):
        psm = await peripheral.publish_channel()
        link = await linked(central)
        ends = [await link.open_channel(psm), await peripheral.accepted_channel()]
        start = time.monotonic()
        received = [asyncio.create_task(each.received(OCTETS)) for each in ends]
        await asyncio.gather(*(each.send(OCTETS) for each in ends))
        equal(await asyncio.gather(*received), [(OCTETS, None), (OCTETS, None)], f"the octets of a channel {side}")
        timed(environment, f"a channel {side}, both directions", 2 * OCTETS, start)
        await ends[0].close()
        await ends[1].ended()
        # The next one ends from the other side.
        ends = [await link.open_channel(psm), await peripheral.accepted_channel()]
        await ends[1].close()
        await ends[0].ended()
        await link.disconnect()

    guest = await powered_on(guests.Central, environment, "central")
    peripheral = await peripheral_on_air(environment)
    await used(guest, peripheral, "that our central opens")
    await peripheral.close()
    await guest.quit()
    guest = await peripheral_in_guest(environment)
    await used(await powered_on(ours.Central, environment, "our-central"), guest, "that our peripheral accepts")


channels.title = "BlueZ's adapter: L2CAP channels in both directions"
channels.limit = LIMIT


# Beside others.


async def beside_others(environment):
    """A scan of bluetoothctl, a program with bleak and two of ours, all at once on one adapter."""
    await environment.open()
    machine = environment.machine
    first = await peripheral_on_air(environment)
    second = await peripheral_on_air(environment, "Other")
    shell = await Shell(machine, "NoInputNoOutput").start()
    await shell.type("scan le")
    await shell.until(rf"Device ([0-9A-F:]{{17}}) {NAME}")
    one = await powered_on(guests.Central, environment, "one")
    two = await powered_on(guests.Central, environment, "two")
    # BlueZ 5.66 repeats a value for each program that is subscribed to it, so each has a characteristic of its own.
    links = [await linked(each) for each in (one, two)]
    characteristics = (database.NOTIFYING, database.INDICATING)
    for link, characteristic in zip(links, characteristics):
        await link.subscribe(characteristic)
        await first.subscribed(characteristic)
    # bleak uses the other device meanwhile.
    plan = {"reads": [database.STATIC], "writes": [], "refusals": [], "poured": []}
    plan["streams"] = [(database.NOTIFYING, 60)]
    words = await machine.begin("bleak", environment.python("central.py", "Other", json.dumps(plan)))
    for name in ("found", "database"):
        await event(words, name)
    equal((await event(words, "read"))["value"], database.STATIC_VALUE.hex(), "what bleak read")
    await event(words, "subscribed")
    await second.subscribed(database.NOTIFYING)
    counted = [await link.count(each, 60, 20) for link, each in zip(links, characteristics)]
    for each in characteristics:
        await first.notify_many(each, 60, 20)
    await second.notify_many(database.NOTIFYING, 60, 20)
    for each in counted:
        equal(await each, (60, None), "the notifications that each of our programs got")
    values = (await event(words, "stream"))["values"]
    equal(values, [database.numbered(number, 20).hex() for number in range(60)], "the notifications that bleak got")
    await event(words, "disconnected")
    # The second program leaves the device to the first.
    await links[1].disconnect()
    counted = await links[0].count(database.NOTIFYING, 60, 20)
    await first.notify_many(database.NOTIFYING, 60, 20)
    equal(await counted, (60, None), "the notifications after the other program has left")
    equal(await links[0].read(database.LONG), database.LONG_VALUE, "the value after the other program has left")
    await shell.type("scan off")
    await links[0].disconnect()


beside_others.title = "BlueZ's adapter: two of our programs, bleak and a scan of bluetoothctl at once"


async def two_subscribers(environment):
    """Two of our programs are subscribed to one characteristic: each gets every value, in order; BlueZ 5.66 reports it
    once for each of them."""
    await environment.open()
    peripheral = await peripheral_on_air(environment)
    links = [await linked(await powered_on(guests.Central, environment, name)) for name in ("one", "two")]
    for link in links:
        await link.subscribe(database.NOTIFYING)
    await peripheral.subscribed(database.NOTIFYING)

    async def values(link, count):
        attribute = link.attributes[database.NOTIFYING]
        return [(await link.central.event("value", attribute=attribute))["value"] for _ in range(count)]

    sent = [database.numbered(number, 20).hex() for number in range(30)]
    await peripheral.notify_many(database.NOTIFYING, len(sent), 20)
    for link in links:
        equal(await values(link, 2 * len(sent)), [value for value in sent for _ in links], "the values of two programs")
    await links[1].subscribe(database.NOTIFYING, on=False)
    await peripheral.notify_many(database.NOTIFYING, len(sent), 20)
    equal(await values(links[0], len(sent)), sent, "the values when one program is subscribed")
    await links[1].disconnect()
    await links[0].disconnect()
    for link in links:
        equal([said for said in link.central.events if said["event"] == "value"], [], "further values")


two_subscribers.title = "BlueZ's adapter: two of our programs are subscribed to one characteristic"


# Our apps.


class Native(ours.Process):
    """A program of ours on this machine, with the methods of `guests.Program`."""

    def __init__(self, environment, name, program, *arguments):
        super().__init__(environment, name, environment.programs / program, *arguments)

    async def event(self, name):
        while (said := json.loads(await self.line()))["event"] != name:
            pass
        return said

    async def ended(self, status=0):
        equal(await self.process.wait(), status, f"how {self.name} ended")

    async def interrupt(self):
        self.process.send_signal(signal.SIGINT)
        await self.ended(status=130)


async def apps(environment):
    """The 8-ball and the messenger, in both roles."""
    await environment.open()
    # A message of many pieces; the other has one, since BlueZ 5.66 loses pieces of 512 octets on their way to our
    # peripheral.
    down, up = {"Hello": "Darkness " * 500}, {"Yo": "Lo " * 100}
    for number, (listening, speaking) in enumerate(((guests.Program, Native), (Native, guests.Program))):
        options = ("--name", f"Ball {number}", "--json")
        ball = await speaking(environment, f"ball{number}", "eightball", "peripheral", *options).start()
        await ball.event("advertising")
        options = ("--device", f"Ball {number}", "--timeout", "90", "--json")
        asker = await listening(environment, f"asker{number}", "eightball", "ask", QUESTIONS[0], *options).start()
        equal((await ball.event("question"))["question"], QUESTIONS[0], "the question")
        answer = await ball.event("answer")
        equal((await asker.event("answer"))["key"], answer["key"], "the answer")
        await asker.ended()
        await ball.interrupt()
        pairs = [f"{key}={value}" for message in (down, up) for key, value in message.items()]
        options = ("--name", f"Ear {number}", "--message", pairs[0], "--json")
        peripheral = await speaking(environment, f"peripheral{number}", "blueear", "peripheral", *options).start()
        await peripheral.event("didStartAdvertising")
        options = ("--device", f"Ear {number}", "--message", pairs[1], "--timeout", "90", "--json")
        central = await listening(environment, f"central{number}", "blueear", "central", *options).start()
        equal((await central.event("received"))["message"], down, "the message of the peripheral")
        equal((await peripheral.event("received"))["message"], up, "the message of the central")
        await central.ended()
        await peripheral.interrupt()


apps.title = "BlueZ's adapter: eightball and blueear in both roles"

SCENARIOS = (streams_of_central, streams_of_peripheral, channels, beside_others, two_subscribers, apps)
