"""Pairing of our host with Linux and BlueZ on our air, in both roles. The user of BlueZ is bluetoothctl's agent, which has a
display and keys: with our display it enters our code, with our display and buttons it compares, with our keys it shows its
own. The bond encrypts the next links after a restart of our process, and of bluetoothd. As peripheral BlueZ also pairs in
the legacy way, whose keys Bumble's peripheral mixes up."""

import json

from interop import database, ours
from interop.scenarios import equal

from .machine import Shell
from .scenarios import NAME, event

SECRET = [each for each in database.secrets()[0]["characteristics"] if each["uuid"] == database.SECRET]


async def enters_our_code(peer, shell):
    """We show a code, and BlueZ's user enters it."""
    code = await peer.prompt("showCode")
    await shell.until("Enter passkey")
    await shell.type(code)


async def shows_its_code(peer, shell):
    """BlueZ shows a code, and our user enters it."""
    await peer.prompt("enterCode")
    await peer.enter(await shell.until(r"Passkey: (\d{6})"))


async def compares(peer, shell):
    """Both show the same number, and both users say so."""
    code = await peer.prompt("compareCode")
    equal(await shell.until(r"Confirm passkey (\d{6})"), code, "the number that both sides show")
    await peer.confirm(True)
    await shell.type("yes")


#: What our user can do, and what both do.
MODELS = (("display", enters_our_code), ("keyboard", shows_its_code), ("displayAndConfirm", compares))


def check(bond, peer, is_secure=True):
    """What our side keeps of BlueZ."""
    assert bond is not None, "nothing is kept"
    equal((bond["isSecureConnections"], bond["isAuthenticated"], bond["keySize"]), (is_secure, True, 16), "the bond")
    unasked = [said for said in peer.events if said["event"] in ("prompt", "pairingEnded")]
    equal(unasked, [], "what our user was asked beside")


async def bluez_pairs_with_us(environment):
    """BlueZ is the central: bluetoothctl pairs, and then its links are encrypted with the bond."""
    await environment.open()
    machine = environment.machine
    shell = await Shell(machine, "KeyboardDisplay").start()
    plan = json.dumps({"reads": [database.SECRET], "writes": [], "refusals": [], "poured": [], "streams": []})

    async def reads(number):
        words = await machine.begin(f"central{number}", environment.python("central.py", NAME, plan))
        await event(words, "found")
        await event(words, "database")
        equal((await event(words, "read"))["value"], database.SECRET_VALUE.hex(), "what BlueZ read")
        await event(words, "disconnected")

    for number, (capabilities, users) in enumerate(MODELS):
        peer = ours.Peripheral(environment, f"our-{capabilities}", capabilities=capabilities)
        await peer.power_on()
        await peer.publish(database.secrets())
        await peer.advertise(NAME, [database.SERVICE])
        await shell.type("scan le")
        address = await shell.until(rf"Device ([0-9A-F:]{{17}}) {NAME}")
        await shell.type("scan off")
        await shell.type(f"pair {address}")
        await users(peer, shell)
        equal(await peer.pairing_ended(), None, "how the pairing ended")
        await shell.until("Pairing successful")
        await shell.type(f"disconnect {address}")
        await shell.until("Successful disconnected")
        check(peer.bond(), peer)
        bond = peer.bond()
        if number == len(MODELS) - 1:
            # Once is enough: what is kept does not know how it was agreed on.
            await peer.restart()
            await peer.publish(database.secrets())
            await peer.advertise(NAME, [database.SERVICE])
            await reads(f"{number}-ours")
            await machine.restart_bluez()
            await machine.powered()
            await reads(f"{number}-theirs")
            check(peer.bond(), peer)
            equal(peer.bond(), bond, "the bond after two restarts")
        await peer.close()
        await shell.type(f"remove {address}")


bluez_pairs_with_us.title = "pairing: BlueZ pairs with our peripheral, on our air"


async def we_pair_with_bluez(environment):
    """Our central reads what BlueZ's server gives to authenticated links alone: the devices pair."""
    await environment.open()
    machine = environment.machine
    shell = await Shell(machine, "KeyboardDisplay").start()
    plan = {
        "uuid": database.SERVICE.lower(),
        "characteristics": [
            {
                "uuid": each["uuid"].lower(),
                "flags": ["encrypt-authenticated-read", "encrypt-authenticated-write"],
                "value": each["value"],
            }
            for each in SECRET
        ],
    }

    async def serve(number):
        script = environment.python("server.py", "hci0", NAME, json.dumps(plan))
        await event(await machine.begin(f"server{number}", script), "advertising")

    async def reads(peer):
        link = await peer.connect(await peer.find(database.SERVICE, NAME))
        await link.discover()
        return link, link.read(database.SECRET)

    async def pairs(capabilities, users, is_secure=True):
        peer = ours.Central(environment, f"our-{capabilities}-{is_secure}", capabilities=capabilities)
        await peer.power_on()
        link, read = await reads(peer)
        value = environment.task(read)
        await users(peer, shell)
        equal(await peer.pairing_ended(), None, "how the pairing ended")
        equal(await value, database.SECRET_VALUE, "the secret")
        await link.disconnect()
        check(peer.bond(), peer, is_secure)
        return peer

    async def restarts(peer):
        """The secret in a new process, without a question."""
        await peer.restart()
        link, read = await reads(peer)
        equal(await read, database.SECRET_VALUE, "the secret after our restart")
        await link.disconnect()

    await serve(0)
    for capabilities, users in MODELS:
        peer = await pairs(capabilities, users)
        if users is not MODELS[-1][1]:
            await peer.close()
    # The last one goes on: what is kept does not know how it was agreed on.
    bond = peer.bond()
    await restarts(peer)
    await machine.signal("server0", "TERM")
    await machine.ended("server0")
    await machine.restart_bluez()
    await machine.powered()
    await serve(1)
    link, read = await reads(peer)
    equal(await read, database.SECRET_VALUE, "the secret after bluetoothd's restart")
    await link.disconnect()
    check(peer.bond(), peer)
    equal(peer.bond(), bond, "the bond after two restarts")
    await peer.close()
    # Legacy pairing: the peripheral's long term key, with what names it.
    await machine.run(f"{machine.binaries['btmgmt']} sc off", status=None)
    peer = await pairs("keyboard", shows_its_code, is_secure=False)
    await restarts(peer)
    check(peer.bond(), peer, is_secure=False)
    await peer.close()


we_pair_with_bluez.title = "pairing: our central pairs with BlueZ, on our air"
