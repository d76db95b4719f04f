"""Pairing of our host with Linux and BlueZ on our air, in both roles. The user of BlueZ is bluetoothctl's agent, which has a
display and keys: with our display it enters our code, with our display and buttons it compares, with our keys it shows its
own. The bond encrypts the next links after a restart of our process, and of bluetoothd. As peripheral BlueZ also pairs in
the legacy way, whose keys Bumble's peripheral mixes up."""

import json
import pathlib

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


async def bluez_knows_us(environment):
    """Our peripheral hides: BlueZ pairs with it under one private address, and finds it under the next ones by its identity
    address, encrypted and without a question. Our side keeps what BlueZ says of its own privacy: nothing."""
    await environment.open()
    machine = environment.machine
    shell = await Shell(machine, "KeyboardDisplay").start()
    plan = json.dumps({"reads": [database.SECRET], "writes": [], "refusals": [], "poured": [], "streams": []})
    peer = ours.Peripheral(environment, "our-private", capabilities="display")
    # An address is used for longer than a connection takes; each process begins with another one.
    peer.environment["COREBLUETOOTH_PRIVACY"] = "900"
    await peer.power_on()
    await peer.publish(database.secrets())
    await peer.advertise(NAME, [database.SERVICE])
    await shell.type("scan le")
    address = await shell.until(rf"Device ([0-9A-F:]{{17}}) {NAME}")
    assert is_resolvable(address), address
    await shell.type("scan off")
    await shell.type(f"pair {address}")
    await enters_our_code(peer, shell)
    equal(await peer.pairing_ended(), None, "how the pairing ended")
    await shell.until("Pairing successful")
    bond = peer.bond()
    identity = bond["local"]["identityAddress"]["address"]
    assert not is_resolvable(identity), identity
    await shell.type(f"disconnect {identity}")
    await shell.until("Successful disconnected")
    used = random_addresses(peer)
    for number in range(2):
        await peer.restart()
        await peer.publish(database.secrets())
        await peer.advertise(NAME, [database.SERVICE])
        if number == 1:
            await machine.restart_bluez()
            await machine.powered()
        words = await machine.begin(f"central{number}", environment.python("central.py", NAME, plan))
        equal((await event(words, "found"))["address"], identity, "as whom BlueZ knows us")
        await event(words, "database")
        equal((await event(words, "read"))["value"], database.SECRET_VALUE.hex(), "what BlueZ read")
        await event(words, "disconnected")
        check(peer.bond(), peer)
        equal(peer.bond(), bond, "the bond under another address")
        used += random_addresses(peer)
    await peer.close()
    assert len(set(used)) >= 3 and all(is_resolvable(each) for each in used), used


bluez_knows_us.title = "privacy: BlueZ knows our peripheral under its next address, on our air"


async def we_know_bluez(environment):
    """BlueZ hides: our central pairs with it under one private address, and knows it under the next one, encrypted and
    without a question."""
    await environment.open()
    machine = environment.machine
    btmgmt = machine.binaries["btmgmt"]
    for command in ("power off", "privacy on", "power on"):
        await machine.run(f"{btmgmt} {command}", status=None)
    await machine.powered()
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

    await serve(0)
    peer = ours.Central(environment, "our-keyboard", capabilities="keyboard")
    await peer.power_on()
    found = await peer.find(database.SERVICE, NAME)
    link = await peer.connect(found)
    await link.discover()
    value = environment.task(link.read(database.SECRET))
    await shows_its_code(peer, shell)
    equal(await peer.pairing_ended(), None, "how the pairing ended")
    equal(await value, database.SECRET_VALUE, "the secret")
    await link.disconnect()
    check(peer.bond(), peer)
    bond = peer.bond()
    assert bond["peer"].get("identityResolvingKey", "0" * 32).strip("0"), bond["peer"]
    assert is_resolvable(bond["peerAddress"]["address"]), bond["peerAddress"]
    # The kernel draws another address when it is switched on.
    await machine.signal("server0", "TERM")
    await machine.ended("server0")
    for command in ("power off", "power on"):
        await machine.run(f"{btmgmt} {command}", status=None)
    await machine.powered()
    await serve(1)
    addresses = []
    for _ in range(2):
        again = await peer.find(database.SERVICE, NAME)
        equal(again["peer"], found["peer"], "as whom our app knows BlueZ")
        link = await peer.connect(again)
        await link.discover()
        equal(await link.read(database.SECRET), database.SECRET_VALUE, "the secret under another address")
        await link.disconnect()
        check(peer.bond(), peer)
        equal(peer.bond(), bond, "the bond under another address")
        addresses += connected_addresses(peer)
        await peer.restart()
    await peer.close()
    assert len(addresses) >= 3 and len(set(addresses)) >= 2, addresses
    assert all(is_resolvable(each) for each in addresses), addresses


we_know_bluez.title = "privacy: our central knows BlueZ under its next address, on our air"


def is_resolvable(address):
    """Whether the two upper bits of an address are those of a resolvable private one."""
    return int(address[:2], 16) >> 6 == 0b01


def packets(peer):
    """The H4 packets of a peer's present process, from its capture."""
    octets = pathlib.Path(peer.environment["COREBLUETOOTH_CAPTURE"]).read_bytes()
    offset = 16
    while offset + 24 <= len(octets):
        length = int.from_bytes(octets[offset + 4 : offset + 8], "big")
        yield octets[offset + 24 : offset + 24 + length]
        offset += 24 + length


def text(octets):
    """An address of HCI as text."""
    return ":".join(f"{octet:02X}" for octet in reversed(octets))


def random_addresses(peer):
    """The addresses that a process has given its controller: LE Set Random Address."""
    return [text(packet[4:10]) for packet in packets(peer) if packet[:4] == bytes((0x01, 0x05, 0x20, 0x06))]


def connected_addresses(peer):
    """The addresses under which others were on the air when a link was made: of LE Enhanced Connection Complete the peer's
    resolvable address where there is one, else the peer's address, as of LE Connection Complete."""
    found = []
    for packet in packets(peer):
        if packet[:2] != bytes((0x04, 0x3E)) or packet[3] not in (0x01, 0x0A) or packet[4] != 0:
            continue
        resolvable = text(packet[21:27]) if packet[3] == 0x0A else "00:00:00:00:00:00"
        found.append(text(packet[9:15]) if resolvable == "00:00:00:00:00:00" else resolvable)
    return found
