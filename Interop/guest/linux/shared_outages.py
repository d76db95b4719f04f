"""What ends in the middle on the adapter that bluetoothd has: the daemon, the adapter, the radio, a device, or a link
that another program ends."""

import asyncio

from interop import database, ours
from interop.scenarios import equal

from . import guests
from .pairing import packets
from .scenarios import NAME
from .shared import linked, peripheral_in_guest, peripheral_on_air, powered_on

#: ATT's opcodes of a request to read and of a write without response.
READ_REQUEST, WRITE_COMMAND = 0x0A, 0x52


async def sent(peer, opcode, count):
    """Waits until a peer's host has received so many ATT PDUs of a kind, as its capture says."""
    while True:
        # ACL data: the handle, two lengths, the channel, then the opcode.
        octets = [each for each in packets(peer) if each[0] == 0x02 and each[7:9] == b"\x04\x00" and each[9] == opcode]
        if len(octets) >= count:
            return
        await asyncio.sleep(0.05)  # The next look; the scenario's deadline bounds the wait.


def outage(cause, title, ends):
    async def scenario(environment):
        """Something ends while our central reads, streams and is subscribed: the app gets what `ends` lists, no late
        answer, and all of it works afterwards."""
        await environment.open()
        peripheral = await peripheral_on_air(environment)
        guest = await powered_on(guests.Central, environment, "guest")
        link = await linked(guest)
        await link.subscribe(database.NOTIFYING)
        await peripheral.subscribed(database.NOTIFYING)
        # The device answers nothing from here on.
        peripheral.command("block")
        await peripheral.event("blocked")
        guest.command("pour", attribute=link.attributes[database.POURED], count=1 << 30, length=20)
        await sent(peripheral, WRITE_COMMAND, 30)
        guest.command("read", attribute=link.attributes[database.LONG])
        await sent(peripheral, READ_REQUEST, 1)
        peripheral = await cause(environment, peripheral)
        for name, fields in ends:
            said = await guest.event(name)
            equal({key: said[key] for key in fields}, fields, "what the app gets")
        link = await linked(guest)
        await link.subscribe(database.NOTIFYING)
        await peripheral.subscribed(database.NOTIFYING)
        counted = await link.count(database.NOTIFYING, 20, 20)
        await peripheral.notify_many(database.NOTIFYING, 20, 20)
        equal(await counted, (20, None), "the notifications afterwards")
        equal(await link.read(database.LONG), database.LONG_VALUE, "the value afterwards")
        await link.disconnect()
        equal([said for said in guest.events if said["event"] == "value"], [], "values of the link that has ended")

    scenario.title = f"BlueZ's adapter: {title}"
    return scenario


async def restarted(environment, peripheral):
    await environment.machine.restart_bluez()
    peripheral.command("unblock")
    return peripheral


async def killed(environment, peripheral):
    await environment.machine.restart_bluez("KILL")
    peripheral.command("unblock")
    return peripheral


async def switched(environment, peripheral):
    """Another program switches the adapter off, and on again."""
    bluetoothctl = environment.machine.binaries["bluetoothctl"]
    await environment.machine.run(f"{bluetoothctl} power off")
    peripheral.command("unblock")
    await environment.machine.run(f"{bluetoothctl} power on")
    return peripheral


async def lost(environment, peripheral):
    """The device's process dies, and the device comes back."""
    peripheral.process.kill()
    await peripheral.process.wait()
    return await peripheral_on_air(environment)


RESETTING, OFF, ON = (("central", {"state": state}) for state in ("resetting", "poweredOff", "poweredOn"))
BUSY = "while our central reads, streams and is subscribed"
OUTAGES = (
    outage(restarted, f"bluetoothd is restarted {BUSY}", (RESETTING, ON)),
    outage(killed, f"bluetoothd is killed {BUSY}", (RESETTING, ON)),
    outage(switched, f"it is switched off {BUSY}", (RESETTING, OFF, ON)),
    outage(lost, f"a device is lost {BUSY}", (("disconnected", {"error": "CBError 7"}),)),
)


# The peripheral role.


def database_alone():
    """The database without its included service, which BlueZ does not publish."""
    return [{**database.values()[1], "includes": []}]


def peripheral_outage(cause, title, states, isAsked=True):
    async def scenario(environment):
        """Something ends while one central is subscribed to our peripheral and another one reads: the app gets
        `states` and the end of the subscription, both centrals lose their links, and all of it works afterwards."""
        await environment.open()
        guest = await peripheral_in_guest(environment, description=database_alone())
        centrals = [await powered_on(ours.Central, environment, name) for name in ("subscriber", "reader")]
        links = [await linked(each) for each in centrals]
        await links[0].subscribe(database.NOTIFYING)
        await guest.subscribed(database.NOTIFYING)
        # The app answers nothing from here on.
        guest.command("block")
        await guest.event("blocked")
        if isAsked:
            centrals[1].command("read", attribute=links[1].attributes[database.LONG])
        await cause(environment, guest)
        seen = []
        while seen[-1:] != ["poweredOn"]:
            seen.append((await guest.event("peripheral"))["state"])
        # An adapter that bluetoothd has switched off when it ended is off for a moment.
        equal([each for each in seen if each in states], list(states), "the states of the app's manager")
        await guest.unsubscribed(database.NOTIFYING)
        for link in links:
            await link.ended()
        # What an app does when its manager is on again.
        await guest.publish(database_alone())
        await guest.advertise(NAME, [database.SERVICE])
        links = [await linked(each) for each in centrals]
        await links[0].subscribe(database.NOTIFYING)
        await guest.subscribed(database.NOTIFYING)
        counted = await links[0].count(database.NOTIFYING, 20, 20)
        await guest.notify_many(database.NOTIFYING, 20, 20)
        equal(await counted, (20, None), "the notifications afterwards")
        equal(await links[1].read(database.LONG), database.LONG_VALUE, "the value afterwards")
        for link in links:
            await link.disconnect()
        values = [said for each in centrals for said in each.events if said["event"] == "value" and not said["error"]]
        equal(values, [], "values of the links that have ended")

    scenario.title = f"BlueZ's adapter: {title}"
    return scenario


SERVING = "while centrals are subscribed to our peripheral and read"
PERIPHERAL_OUTAGES = (
    peripheral_outage(restarted, f"bluetoothd is restarted {SERVING}", ("resetting", "poweredOn")),
    peripheral_outage(killed, f"bluetoothd is killed {SERVING}", ("resetting", "poweredOn")),
    # bluetoothd 5.66 crashes if a central waits for an answer then.
    peripheral_outage(
        switched,
        "it is switched off while centrals are connected to our peripheral",
        ("resetting", "poweredOff", "poweredOn"),
        isAsked=False,
    ),
)


# The radio, and the links of others.


async def blocked_radio(environment):
    """rfkill blocks the radio: programs see an adapter that is off, those that start then, too."""
    await environment.open()

    async def block(isBlocked):
        await environment.machine.run(f"for s in /sys/class/rfkill/*; do echo {int(isBlocked)} > $s/soft; done")

    peripheral = await peripheral_on_air(environment)
    guest = await powered_on(guests.Central, environment, "guest")
    link = await linked(guest)
    await link.subscribe(database.NOTIFYING)
    await peripheral.subscribed(database.NOTIFYING)
    await block(True)
    for state in ("resetting", "poweredOff"):
        equal((await guest.event("central"))["state"], state, "the state of the app's manager")
    late = guests.Central(environment, "late")
    await late.start()
    late.command("central")
    equal((await late.event("central"))["state"], "poweredOff", "the state of a program that starts then")
    assert "rfkill unblock bluetooth" in late.words.errors, late.words.errors
    await block(False)
    for each in (guest, late):
        equal((await each.event("central"))["state"], "poweredOn", "the state when the radio is unblocked")
    link = await linked(late)
    equal(await link.read(database.LONG), database.LONG_VALUE, "the value afterwards")
    await link.disconnect()


blocked_radio.title = "BlueZ's adapter: rfkill blocks the radio"


async def next_program(environment):
    """A program connects while BlueZ still ends the link of another one, for 2 s: its subscription waits for the end
    of that link, of which the app is told, and the next link works."""
    await environment.open()
    peripheral = await peripheral_on_air(environment)
    one, two = [await powered_on(guests.Central, environment, name) for name in ("one", "two")]
    found = [await each.find(database.SERVICE, NAME) for each in (one, two)]
    link = await one.connect(found[0])
    await link.discover()
    # The second program knows the device's services when it is to be fast.
    before = await two.connect(found[1])
    await before.discover()
    await before.disconnect()
    await link.disconnect()
    doomed = await two.connect(found[1])
    await doomed.discover()
    two.command("subscribe", attribute=doomed.attributes[database.NOTIFYING], on=True)
    equal(await doomed.ended(), "CBError 7", "why the link of the second program ended")
    equal([said for said in two.events if said["event"] == "subscription"], [], "the answer to the subscription")
    link = await two.connect(found[1])
    await link.discover()
    await link.subscribe(database.NOTIFYING)
    await peripheral.subscribed(database.NOTIFYING)
    counted = await link.count(database.NOTIFYING, 20, 20)
    await peripheral.notify_many(database.NOTIFYING, 20, 20)
    equal(await counted, (20, None), "the notifications afterwards")
    await link.disconnect()


next_program.title = "BlueZ's adapter: a program connects while BlueZ ends the link of another one"

SCENARIOS = (*OUTAGES, *PERIPHERAL_OUTAGES, blocked_radio, next_program)
