"""Receivers that are slow or stopped: what is sent to them waits at the sender, arrives whole and in order afterwards, and
costs other links nothing. Time passes here only as long as a receiver is held: other hosts read meanwhile."""

import asyncio
import contextlib
import signal
import time

from . import database, ours, theirs
from .remote import Remote
from .scenarios import connect, discover, equal

#: The time for which a receiver takes nothing, in seconds; a process is stopped for twice as long.
HELD = 0.5
MTU, LENGTH = 247, 244
#: More than the windows and buffers of both sides hold, and less than would end a link that cannot be held back.
VALUES = 2500
OCTETS = 1_000_000
#: The most resident memory of our programs at any time, in MB. The programs here are built without optimization.
MEMORY = 100
#: The longest time for which another host may wait for a value meanwhile, in seconds.
READ_LIMIT = 5


class OtherLink:
    """Bumble's central that reads from our peripheral on the same air, and goes on whatever the others do."""

    async def open(self, environment):
        central = theirs.Central(environment, "other-central")
        peripheral = ours.Peripheral(environment, "other-peripheral")
        await asyncio.gather(central.power_on(), peripheral.power_on())
        await peripheral.publish(database.values())
        await peripheral.advertise("Other", [database.SERVICE])
        self.link = await central.connect(await central.find(database.SERVICE, "Other"))
        await self.link.discover()
        # Nobody else is to find it.
        peripheral.command("stopAdvertising")
        return self

    async def read(self, seconds):
        """Reads for a while, one value after the other."""
        start = time.monotonic()
        while time.monotonic() - start < seconds:
            async with asyncio.timeout(READ_LIMIT):
                value = await self.link.read(database.STATIC)
            equal(value, database.STATIC_VALUE, "what another host reads meanwhile")


class NoLink:
    """Where there are two controllers, there is no other link."""

    async def read(self, seconds):
        await asyncio.sleep(seconds)


# MARK: Ways to take nothing


@contextlib.asynccontextmanager
async def blocked(peer, _):
    """The queue of our app's delegates does nothing."""
    peer.command("block")
    await peer.event("blocked")
    yield HELD
    peer.command("unblock")


@contextlib.asynccontextmanager
async def stopped(peer, _):
    """The process is stopped."""
    peer.process.send_signal(signal.SIGSTOP)
    try:
        yield 2 * HELD
    finally:
        peer.process.send_signal(signal.SIGCONT)


@contextlib.asynccontextmanager
async def unread(_, channel):
    """Nobody reads the channel: ours is not read, and Bumble's gives no credits."""
    await channel.pause()
    yield HELD
    await channel.resume()


@contextlib.asynccontextmanager
async def socket_unread(device, _):
    """Bumble's host does not read what its controller sends to it."""
    device.transport.sink.transport.pause_reading()
    try:
        yield HELD
    finally:
        device.transport.sink.transport.resume_reading()


@contextlib.asynccontextmanager
async def unreported(device, _):
    """Bumble's host takes packets and reports none of them as finished."""
    device.host_buffers.hold()
    yield HELD
    device.host_buffers.release()


def ways(receiver, sender, channel):
    """A way in which a receiver takes nothing of a stream."""
    if isinstance(receiver, ours.Peer) and getattr(sender, "host_buffers", None):
        return  # That Bumble's host has flow control makes no difference to what it sends.
    if isinstance(receiver, ours.Peer):
        yield unread if channel else blocked
        yield stopped
    elif isinstance(receiver, Remote):
        yield stopped
    else:
        yield socket_unread
        if channel:
            yield unread
        if receiver.host_buffers:
            yield unreported


# MARK: Scenarios


async def hold(way, receiver, channel, send, outcome, others, is_held_back):
    """Sends to a receiver that takes nothing for a while; afterwards everything arrives."""
    async with way(receiver, channel) as seconds:
        sending = asyncio.create_task(send())
        await others.read(seconds)
        if is_held_back:
            assert not sending.done(), f"all was sent although the receiver is held ({way.__name__})"
        elif channel is None:
            # Bumble's controllers report everything as sent, and keep it or hand it to the receiver's socket.
            await sending
    await sending
    return await outcome


async def streams(environment, link, central, peripheral, others):
    """Notifications, writes without response and a channel in both directions, each with its receiver held."""
    back = environment.holds_back
    count = VALUES if back else VALUES // 5
    await link.subscribe(database.NOTIFYING)
    await peripheral.subscribed(database.NOTIFYING)

    for way in ways(central, peripheral, None):
        outcome = await link.count(database.NOTIFYING, count, LENGTH)
        send = lambda: peripheral.notify_many(database.NOTIFYING, count, LENGTH)
        found = await hold(way, central, None, send, outcome, others, back)
        equal(tuple(found), (count, None), f"notifications ({way.__name__})")
    for way in ways(peripheral, central, None):
        outcome = await peripheral.count_writes(database.POURED, count, LENGTH)
        send = lambda: link.pour(database.POURED, count, LENGTH)
        found = await hold(way, peripheral, None, send, outcome, others, back)
        equal(tuple(found), (count, None), f"writes without response ({way.__name__})")

    if isinstance(peripheral, Remote):
        return
    octets = OCTETS if back else OCTETS // 2
    psm = await peripheral.publish_channel()
    opened, accepted = await asyncio.gather(link.open_channel(psm), peripheral.accepted_channel())
    directions = (opened, accepted, peripheral, central), (accepted, opened, central, peripheral)
    for sender, channel, receiver, other in directions:
        total = 0
        for way in ways(receiver, other, channel):
            total += octets
            send = lambda: sender.send(octets)
            outcome = asyncio.create_task(channel.received(total))
            # Our unread channel is held back by its credits, whatever the controllers can do. Bumble gives more credits
            # than are needed if controllers do not hold back.
            is_held_back = back or way is unread and isinstance(receiver, ours.Peer)
            found = await hold(way, receiver, channel, send, outcome, others, is_held_back)
            equal(found, (total, None), f"what a channel carried ({way.__name__})")


def check_memory(environment):
    """Our programs never had more resident memory than they may."""
    programs = [part for part in environment.parts if isinstance(part, ours.Process)]
    for process in [program.process for program in programs] + [environment.process] * environment.holds_back:
        with open(f"/proc/{process.pid}/status") as status:
            peak = next(int(line.split()[1]) // 1024 for line in status if line.startswith("VmHWM"))
        assert peak < MEMORY, f"process {process.pid} had {peak} MB"


def slow(title, limits_received_data=False, make_receiver=None):
    """Each receiver takes nothing for a while, in each way that it has, while another link is used."""

    async def slow_receivers(environment, make_central, make_peripheral):
        others = await OtherLink().open(environment) if environment.holds_back else NoLink()
        options = {"limits_received_data": True} if limits_received_data else {}
        central = make_central(environment, mtu=MTU, **({} if make_central.is_ours else options))
        make = make_receiver or make_peripheral
        peripheral = make(environment, mtu=MTU, **({} if make_peripheral.is_ours else options))
        link = await connect(central, peripheral, database.values(), database.SERVICE)
        await discover(link, database.values())
        await streams(environment, link, central, peripheral, others)
        equal(await link.read(database.STATIC), database.STATIC_VALUE, "the static value afterwards")
        await link.disconnect()
        check_memory(environment)

    slow_receivers.title = title
    # The packets are those of other scenarios, only many more.
    slow_receivers.is_captured = False
    return slow_receivers


def remote(environment, mtu):
    return Remote(environment, "bumble-peripheral", mtu)


slow_receivers = slow("slow receivers")
slow_receivers_with_flow_control = slow("slow receivers, Bumble with flow control", limits_received_data=True)
stopped_process = slow("Bumble's process is stopped", make_receiver=remote)


async def asked_for_flow_control(environment, make_central, make_peripheral):
    """Our host asks a controller outside an air for flow control, which it does only if a setting says so."""
    central = make_central(environment, mtu=MTU, flow_control=True)
    if environment.stops_at_flow_control:
        await central.start()
        central.command("central")
        equal(await environment.process.wait() != 0, True, "whether the controllers ended with an error")
        return
    peripheral = make_peripheral(environment, mtu=MTU)
    link = await connect(central, peripheral, database.values(), database.SERVICE)
    await discover(link, database.values())
    outcome = await link.count(database.NOTIFYING, VALUES // 5, LENGTH)
    await link.subscribe(database.NOTIFYING)
    await peripheral.subscribed(database.NOTIFYING)
    await peripheral.notify_many(database.NOTIFYING, VALUES // 5, LENGTH)
    equal(await outcome, (VALUES // 5, None), "notifications")
    await link.disconnect()


asked_for_flow_control.title = "a controller is asked for flow control"
asked_for_flow_control.is_captured = False


def amounts(mebibytes):
    """A number of MiB of notifications, of writes without response and in a channel, in each possible direction."""

    async def transfer(environment, make_central, make_peripheral):
        central, peripheral = make_central(environment, mtu=MTU), make_peripheral(environment, mtu=MTU)
        link = await connect(central, peripheral, database.values(), database.SERVICE)
        await discover(link, database.values())
        octets = int(mebibytes * 1024 * 1024)
        count = -(-octets // LENGTH)
        await link.subscribe(database.NOTIFYING)
        await peripheral.subscribed(database.NOTIFYING)
        psm = await peripheral.publish_channel()
        opened, accepted = await asyncio.gather(link.open_channel(psm), peripheral.accepted_channel())

        async def timed(what, sending, outcome, expected):
            start = time.monotonic()
            found, _ = await asyncio.gather(outcome, sending)
            equal(tuple(found), (expected, None), what)
            seconds = time.monotonic() - start
            environment.remarks.append(f"{what}: {mebibytes:g} MiB in {seconds:.1f} s")

        outcome = await link.count(database.NOTIFYING, count, LENGTH)
        sending = peripheral.notify_many(database.NOTIFYING, count, LENGTH)
        await timed("notifications", sending, outcome, count)
        outcome = await peripheral.count_writes(database.POURED, count, LENGTH)
        await timed("writes without response", link.pour(database.POURED, count, LENGTH), outcome, count)
        await timed("channel to the peripheral", opened.send(octets), accepted.received(octets), octets)
        await timed("channel to the central", accepted.send(octets), opened.received(octets), octets)
        await link.disconnect()
        check_memory(environment)

    transfer.title = f"{mebibytes:g} MiB of each kind"
    transfer.is_captured = False
    #: Large amounts take longer than other scenarios; in seconds.
    transfer.time_limit = 120 + 30 * mebibytes
    return transfer
