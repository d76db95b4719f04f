"""Pairing on the adapter that bluetoothd has: BlueZ asks the agent of our program, which runs as a user who is not
root."""

import json
import re

from interop import database, ours
from interop.scenarios import equal

from . import guests
from .scenarios import NAME
from .shared import linked, peripheral_in_guest, peripheral_on_air, powered_on


async def enters(peer, tool):
    """The device shows a code, and our tool's user enters it."""
    code = await peer.prompt("showCode")
    await tool.asks(re.compile("Six digits that .* shows"))
    await tool.type(code)


async def shows(peer, tool):
    """Our tool shows a code, and the device's user enters it."""
    await peer.prompt("enterCode")
    await peer.enter(await tool.asks(re.compile(r"Enter (\d{6}) at")))


async def compares(peer, tool):
    """Both show the same number."""
    code = await peer.prompt("compareCode")
    equal(await tool.asks(re.compile(r"show (\d{6}), too")), code, "the number that both sides show")
    await peer.confirm(True)
    await tool.type("y")


async def bonds(environment, number):
    """The names of the devices with which the guest's system has paired."""
    words = ("bonds", "--adapter", "bluez", "--json")
    tool = await guests.Program(environment, f"bonds{number}", "corebluetooth", *words).start()
    return [json.loads(line)["name"] for line in (await tool.ended()).splitlines()]


async def tool_pairs(environment):
    """Our tool pairs, by itself and because of a read; lists and removes the bonds."""
    await environment.open()
    number = 0

    async def tool(*arguments):
        nonlocal number
        number += 1
        return await guests.Program(environment, f"tool{number}", "corebluetooth", *arguments).start()

    for capabilities, users in (("display", enters), ("keyboard", shows), ("displayAndConfirm", compares)):
        name = f"Safe {capabilities}"[:15]
        read = ("read", name, database.SECRET, "--json")
        peer = await peripheral_on_air(environment, name, database.secrets(), capabilities=capabilities)
        pairing = await tool("pair", name, "--code")
        await users(peer, pairing)
        equal(await peer.pairing_ended(), None, "how the pairing ended")
        assert "is paired: the connection is encrypted, paired by a code" in (said := await pairing.ended()), said
        equal(await bonds(environment, capabilities), [name], "the system's bonds")
        # The bond encrypts the next link.
        said = json.loads(await (await tool(*read)).ended())
        equal(said["hex"].replace(" ", "").lower(), database.SECRET_VALUE.hex(), "the secret")
        equal([each for each in peer.events if each["event"] == "prompt"], [], "what the device's user was asked again")
        await (await tool("bonds", "remove", name, "--adapter", "bluez")).ended()
        equal(await bonds(environment, f"{capabilities}-removed"), [], "the bonds after one was removed")
        await peer.close()
    # A device without a display and keys.
    peer = await peripheral_on_air(environment, "Open")
    pairing = await tool("pair", "Open", "--code")
    await pairing.ended(status=6)
    assert "a code is needed" in pairing.words.errors, pairing.words.errors
    # BlueZ keeps the bond.
    await (await tool("bonds", "remove", "Open", "--adapter", "bluez")).ended()
    await peer.close()
    # A read for which the device demands an encrypted link.
    peer = await peripheral_on_air(environment, description=database.secrets(), capabilities="display")
    reading = await tool("read", NAME, database.SECRET, "--json")
    await enters(peer, reading)
    equal(await peer.pairing_ended(), None, "how the pairing for a read ended")
    said = json.loads((await reading.ended()).splitlines()[0])
    equal(said["hex"].replace(" ", "").lower(), database.SECRET_VALUE.hex(), "the secret of a device that pairs for it")
    equal(await bonds(environment, "read"), [NAME], "the bond that a read has made")


tool_pairs.title = "BlueZ's adapter: our tool pairs, lists and removes bonds, reads a secret"


async def centrals_pair(environment):
    """A central pairs with our peripheral, when it reads a secret."""
    await environment.open()

    async def codes(central, guest):
        code = await guest.prompt("showCode")
        await central.prompt("enterCode")
        await central.enter(code)

    async def entered(central, guest):
        code = await central.prompt("showCode")
        await guest.prompt("enterCode")
        await guest.enter(code)

    async def compared(central, guest):
        code = await central.prompt("compareCode")
        equal(await guest.prompt("compareCode"), code, "the number that both sides show")
        await central.confirm(True)
        await guest.confirm(True)

    for capabilities, users in (("display", codes), ("keyboard", entered), ("displayAndConfirm", compared)):
        guest = await peripheral_in_guest(environment, f"guest-{capabilities}", database.secrets(), capabilities=capabilities)
        central = await powered_on(ours.Central, environment, f"our-{capabilities}", capabilities="keyboardAndDisplay")
        link = await linked(central)
        value = environment.task(link.read(database.SECRET))
        await users(central, guest)
        for each in (central, guest):
            equal(await each.pairing_ended(), None, "how the pairing ended")
        equal(await value, database.SECRET_VALUE, "the secret")
        await link.disconnect()
        await guest.quit()
        # BlueZ keeps the keys: they are those of each program that publishes there.
        guest = await peripheral_in_guest(environment, f"next-{capabilities}", database.secrets(), capabilities=capabilities)
        link = await linked(central)
        equal(await link.read(database.SECRET), database.SECRET_VALUE, "the secret by the bond")
        for each in (central, guest):
            equal([said for said in each.events if said["event"] == "prompt"], [], "what a user was asked again")
        await link.disconnect()
        await guest.quit()
        await central.close()


centrals_pair.title = "BlueZ's adapter: centrals pair with our peripheral"

SCENARIOS = (tool_pairs, centrals_pair)
