"""What ends in the middle on the adapter that bluetoothd has: the daemon, the adapter, or a device."""

import asyncio

from interop import database
from interop.scenarios import equal

from . import guests
from .pairing import packets
from .shared import linked, peripheral_on_air, powered_on

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

SCENARIOS = OUTAGES
