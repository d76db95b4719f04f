"""Pairing of our host with Bumble's, in both roles: every association model in both kinds, bonds that last over a restart of
our process, and keys that one side has lost. The users of both sides are the script.

Faults of Bumble 0.0.236 that are asserted as they are: as peripheral it answers with the wrong key after legacy pairing
(its `get_long_term_key` takes the peer's), and a user who finds two numbers different is reported as 0x04 (Confirm Value
Failed) instead of 0x0C (Numeric Comparison Failed). `Device.update_rpa` gives the controller the private address from before
and believes that the new one is in use. Out of band its nonce is the random number of its data, and zero where the peer has
none of that, which our host refuses (virtual time has this case: OutOfBandTests). What the first hides, our central's key of
legacy pairing, is shown with BlueZ (guest/linux/pairing.py)."""

import asyncio
import secrets

from bumble import att, core, hci, pairing
from bumble.device import Peer

from . import database, theirs
from .failure import AttributeFailure, LinkFailure
from .scenarios import NAME, connect, discover, equal, refused

INSUFFICIENT_AUTHENTICATION = 0x05
INSUFFICIENT_ENCRYPTION = 0x0F
PAIRING_NOT_SUPPORTED = 0x05
PIN_OR_KEY_MISSING = 0x06
IO = pairing.PairingDelegate.IoCapability


class User(pairing.PairingDelegate):
    """The user of a Bumble host."""

    def __init__(self, capability):
        super().__init__(io_capability=capability)
        self.prompts = asyncio.Queue()
        self.answers = asyncio.Queue()

    async def prompt(self, kind):
        """Waits for a prompt; returns its number, if it has one."""
        found, number = await self.prompts.get()
        equal(found, kind, "what Bumble's user is asked")
        return number

    async def generate_passkey(self):
        # Bumble takes the passkey 0 for none.
        return 1 + secrets.randbelow(999_999)

    async def display_number(self, number, digits):
        self.prompts.put_nowait(("show", number))

    async def compare_numbers(self, number, digits):
        self.prompts.put_nowait(("compare", number))
        return await self.answers.get()

    async def get_number(self):
        self.prompts.put_nowait(("enter", None))
        return await self.answers.get()


# MARK: The users


async def nothing(ours, user):
    """Just Works: nobody is asked."""


async def compare(ours, user):
    code, number = await asyncio.gather(ours.prompt("compareCode"), user.prompt("compare"))
    equal(int(code), number, "the number that both sides show")
    await ours.confirm(True)
    user.answers.put_nowait(True)


async def ours_shows(ours, user):
    code, _ = await asyncio.gather(ours.prompt("showCode"), user.prompt("enter"))
    equal(len(code), 6, "the digits of a code")
    user.answers.put_nowait(int(code))


async def theirs_shows(ours, user):
    number, _ = await asyncio.gather(user.prompt("show"), ours.prompt("enterCode"))
    await ours.enter(f"{number:06}")


async def both_type(ours, user):
    # As peripheral of a legacy pairing Bumble asks once our confirm value is there.
    await ours.prompt("enterCode")
    await ours.enter("042137")
    await user.prompt("enter")
    user.answers.put_nowait(42_137)


#: The cases: the title, the capabilities of our user and of Bumble's, what both do, the kinds (Secure Connections?).
MODELS = [
    ("Just Works", "none", IO.NO_OUTPUT_NO_INPUT, nothing, (True, False)),
    ("numeric comparison", "displayAndConfirm", IO.DISPLAY_OUTPUT_AND_YES_NO_INPUT, compare, (True,)),
    ("passkey that we show", "display", IO.KEYBOARD_INPUT_ONLY, ours_shows, (True, False)),
    ("passkey that Bumble shows", "keyboard", IO.DISPLAY_OUTPUT_ONLY, theirs_shows, (True, False)),
    ("passkey that both type", "keyboard", IO.KEYBOARD_INPUT_ONLY, both_type, (True, False)),
]


class Couple:
    """One of ours and one of Bumble's, in the roles that the makers give them."""

    def __init__(self, environment, make_central, make_peripheral, capabilities, capability=IO.NO_OUTPUT_NO_INPUT, **options):
        self.environment = environment
        self.ours_is_central = make_central.is_ours
        ours, other = (make_central, make_peripheral) if make_central.is_ours else (make_peripheral, make_central)
        self.ours = ours(environment, capabilities=capabilities)
        self.theirs = other(environment, **options)
        self.central, self.peripheral = (self.ours, self.theirs) if make_central.is_ours else (self.theirs, self.ours)
        self.user = User(capability)
        self.link = None
        #: Bumble's end of the link.
        self.connection = None

    def configure(self, is_secure, mitm, oob=None):
        """Sets how Bumble pairs from now on."""
        configuration = pairing.PairingConfig(
            sc=is_secure,
            mitm=mitm,
            delegate=self.user,
            identity_address_type=pairing.PairingConfig.AddressType.RANDOM,
            oob=oob,
        )
        self.theirs.device.pairing_config_factory = lambda _: configuration

    async def open(self):
        """Powers on, publishes and connects."""
        self.link = await connect(self.central, self.peripheral, database.secrets(), database.SERVICE)
        await self.prepare()

    async def prepare(self):
        self.connection = await self.peripheral.connections.get() if self.ours_is_central else self.link.connection
        self.ended = asyncio.get_running_loop().create_future()
        self.connection.on("disconnection", lambda reason: self.ended.done() or self.ended.set_result(reason))

    async def reconnect(self):
        """Connects once more. Our peripheral advertises by itself after a link has ended."""
        if self.ours_is_central:
            await self.peripheral.advertise(NAME, [database.SERVICE])
        self.link = await self.central.connect(await self.central.find(database.SERVICE, NAME))
        await self.prepare()

    async def restart_ours(self, forgets=False):
        await self.ours.restart(forgets=forgets)
        if not self.ours_is_central:
            await self.peripheral.publish(database.secrets())
            await self.peripheral.advertise(NAME, [database.SERVICE])

    async def close(self):
        await self.link.disconnect()
        await self.ended

    async def discover(self):
        await discover(self.link, database.secrets())

    async def read(self, what="the secret"):
        equal(await self.link.read(database.SECRET), database.SECRET_VALUE, what)

    async def pair(self, users):
        """Makes the devices pair as an app of either side does: by using a protected value."""
        await self.discover()
        assert not self.connection.is_encrypted
        paired = asyncio.get_running_loop().create_future()
        self.connection.once("pairing", lambda keys: paired.done() or paired.set_result(keys))
        if self.ours_is_central:
            asked = asyncio.create_task(self.read())
        else:
            await refused(self.link.read(database.SECRET), INSUFFICIENT_AUTHENTICATION)
            asked = asyncio.create_task(self.connection.pair())
        try:
            await users(self.ours, self.user)
            equal(await self.ours.pairing_ended(), None, "how the pairing ended")
            await asked
            await paired
        finally:
            asked.cancel()
        assert self.connection.is_encrypted
        await self.read("the secret of an encrypted link")

    async def keys(self):
        """Bumble's bond with us; `None` if it has none."""
        kept = await self.theirs.device.keystore.get_all()
        assert len(kept) < 2, kept
        return kept[0] if kept else (None, None)

    async def check_bond(self, is_secure, is_authenticated):
        """Both sides keep the same keys with the same properties."""
        bond, (name, keys) = self.ours.bond(), await self.keys()
        equal(bond["isSecureConnections"], is_secure, "the kind of the bond")
        equal(bond["isAuthenticated"], is_authenticated, "whether the bond is authenticated")
        equal(bond["keySize"], 16, "the size of the key")
        if is_secure:
            equal(bond["peer"]["longTermKey"], keys.ltk.value[::-1].hex(), "the long term key")
            equal(keys.ltk.authenticated, is_authenticated, "whether Bumble's key is authenticated")
        else:
            # Bumble files the peripheral's key as the central's, see above.
            peripherals = bond["peer" if self.ours_is_central else "local"]
            equal(keys.ltk_central.value[::-1].hex(), peripherals["longTermKey"], "the peripheral's long term key")
            equal(keys.ltk_central.ediv, peripherals["encryptedDiversifier"], "what names it")
        address = bond["peer"]["identityAddress"]
        equal(address["address"], str(self.theirs.device.static_address).split("/")[0], "Bumble's identity")
        equal(bond["peer"]["identityResolvingKey"], self.theirs.device.irk[::-1].hex(), "Bumble's IRK")

    async def encrypted_again(self):
        """The link is encrypted with the keys of the bond, and nobody is asked."""
        await self.reconnect()
        if not self.ours_is_central:
            await self.connection.encrypt()
        await self.discover()
        await self.read("the secret after a reconnection")
        assert self.connection.is_encrypted
        assert not [event for event in self.ours.events if event["event"] in ("prompt", "pairingEnded")]
        assert self.user.prompts.empty()

    async def forget(self):
        """Both sides forget the bond."""
        await self.theirs.device.keystore.delete_all()
        await self.restart_ours(forgets=True)


def model(title, capabilities, capability, users, kinds):
    """Pairs in each kind, and encrypts the next link with the bond after a restart of our process."""

    async def scenario(environment, make_central, make_peripheral):
        couple = Couple(environment, make_central, make_peripheral, capabilities, capability)
        is_authenticated = users is not nothing
        await couple.open()
        for is_secure in kinds:
            couple.configure(is_secure, is_authenticated)
            await couple.pair(users)
            await couple.check_bond(is_secure, is_authenticated)
            await couple.close()
            await couple.restart_ours()
            if not is_secure and couple.ours_is_central:
                await wrong_key(couple)
            else:
                await couple.encrypted_again()
                await couple.close()
            if is_secure is not kinds[-1]:
                await couple.forget()
                await couple.reconnect()

    scenario.title = f"pairing: {title}"
    return scenario


async def wrong_key(couple):
    """Bumble's peripheral answers with the wrong key after legacy pairing: the link ends before anything is sent on it."""
    await couple.reconnect()
    equal(await couple.link.ended(), "CBError 15", "the error of a link whose other side has another key")


async def wrong_answers(environment, make_central, make_peripheral):
    """A wrong code, a user who gives up, and two numbers that differ: no bond on either side, and the right code after."""
    couple = Couple(environment, make_central, make_peripheral, "keyboardAndDisplay", IO.DISPLAY_OUTPUT_ONLY)
    await couple.open()

    async def fails(answer, is_secure):
        couple.configure(is_secure, True)
        failed = asyncio.get_running_loop().create_future()
        couple.connection.once("pairing_failure", lambda reason: failed.done() or failed.set_result(reason))
        if couple.ours_is_central:
            attempt = asyncio.create_task(couple.link.read(database.SECRET))
        else:
            attempt = asyncio.create_task(couple.connection.pair())
        await answer()
        reason = await couple.ours.pairing_ended()
        assert reason, "the pairing has not failed"
        try:
            await attempt
        except (AttributeFailure, LinkFailure, core.ProtocolError, hci.HCI_Error) as failure:
            if isinstance(failure, AttributeFailure):
                assert failure.code in (INSUFFICIENT_AUTHENTICATION, INSUFFICIENT_ENCRYPTION), failure
        else:
            raise AssertionError("a request that needs a pairing did not fail")
        assert not couple.connection.is_encrypted
        equal(couple.ours.bond(), None, "our bond")
        equal((await couple.keys())[1], None, "Bumble's keys")
        await couple.close()
        # After a failed pairing, none is tried for a time that grows (Vol 3, Part H, 2.3.6).
        await couple.restart_ours()
        await couple.reconnect()
        await couple.discover()
        return await failed, reason

    async def wrong_code():
        number, _ = await asyncio.gather(couple.user.prompt("show"), couple.ours.prompt("enterCode"))
        # A code that differs in its first bit, which is compared first.
        await couple.ours.enter(f"{number ^ 1:06}")

    async def gives_up():
        await asyncio.gather(couple.user.prompt("show"), couple.ours.prompt("enterCode"))
        await couple.ours.enter(None)

    async def differ():
        await asyncio.gather(couple.ours.prompt("compareCode"), couple.user.prompt("compare"))
        await couple.ours.confirm(False)

    async def differ_for_bumble():
        await asyncio.gather(couple.ours.prompt("compareCode"), couple.user.prompt("compare"))
        couple.user.answers.put_nowait(False)

    await couple.discover()
    for is_secure in (True, False):
        equal((await fails(wrong_code, is_secure))[0], 0x04, "the reason of a wrong code")
        equal((await fails(gives_up, is_secure))[0], 0x01, "the reason where the user gives up")
    couple.user.io_capability = IO.DISPLAY_OUTPUT_AND_YES_NO_INPUT
    equal((await fails(differ, True))[0], 0x0C, "the reason of numbers that differ")
    equal((await fails(differ_for_bumble, True))[0], 0x04, "Bumble's reason of numbers that differ")
    couple.configure(True, True)
    await couple.pair(compare)
    await couple.close()


wrong_answers.title = "pairing: wrong answers"


async def keys_lost_by_bumble(environment, make_central, make_peripheral):
    """Bumble has forgotten the keys: our central's link ends, and our user is asked before keys are replaced."""
    couple = Couple(environment, make_central, make_peripheral, "none")
    await couple.open()
    couple.configure(True, False)
    await couple.pair(nothing)
    before = couple.ours.bond()
    await couple.close()
    await couple.theirs.device.keystore.delete_all()
    if couple.ours_is_central:
        await couple.reconnect()
        equal(await couple.link.ended(), "CBError 14", "the error of a peripheral that has forgotten us")
        equal(couple.ours.bond(), before, "our bond after that")
        # The remedy is that the user forgets the peripheral, too.
        await couple.restart_ours(forgets=True)
        await couple.reconnect()
        await couple.pair(nothing)
    else:
        for agrees in (False, True):
            # After a failed pairing, none is tried for a while; a new process does not know of it.
            await couple.restart_ours()
            await couple.reconnect()
            await couple.discover()
            await refused(couple.link.read(database.SECRET), INSUFFICIENT_ENCRYPTION)
            attempt = asyncio.create_task(couple.connection.pair())
            await couple.ours.prompt("replaceBond")
            await couple.ours.confirm(agrees)
            reason = await couple.ours.pairing_ended()
            equal(reason is None, agrees, "whether the devices have paired")
            if agrees:
                await attempt
                await couple.read()
                assert couple.ours.bond()["peer"]["longTermKey"] != before["peer"]["longTermKey"]
            else:
                try:
                    await attempt
                except core.ProtocolError as failure:
                    equal(failure.error_code, PAIRING_NOT_SUPPORTED, "the reason of the refusal")
                else:
                    raise AssertionError("Bumble has paired although our user refused")
                equal(couple.ours.bond(), before, "our bond after a refusal")
                await couple.close()
    await couple.check_bond(True, False)
    await couple.close()


keys_lost_by_bumble.title = "pairing: Bumble has lost the keys"


async def keys_lost_by_us(environment, make_central, make_peripheral):
    """We have forgotten the keys: Bumble's encryption fails with 0x06, and the devices pair anew."""
    couple = Couple(environment, make_central, make_peripheral, "none")
    await couple.open()
    couple.configure(True, False)
    await couple.pair(nothing)
    before = couple.ours.bond()
    await couple.close()
    await couple.restart_ours(forgets=True)
    await couple.reconnect()
    if not couple.ours_is_central:
        try:
            await couple.connection.encrypt()
        except hci.HCI_Error as failure:
            equal(failure.error_code, PIN_OR_KEY_MISSING, "why the link was not encrypted")
        else:
            raise AssertionError("the link was encrypted with a key that we have not")
        await couple.theirs.device.keystore.delete_all()
    await couple.pair(nothing)
    assert couple.ours.bond()["peer"]["longTermKey"] != before["peer"]["longTermKey"]
    await couple.check_bond(True, False)
    await couple.close()


keys_lost_by_us.title = "pairing: we have lost the keys"


async def private_bumble(environment, make_central, make_peripheral):
    """Bumble uses resolvable private addresses: we keep its identity, and its next address is the same device to our app."""
    couple = Couple(environment, make_central, make_peripheral, "none", is_private=True)
    await couple.open()
    device = couple.theirs.device
    couple.configure(True, False)
    first = device.random_address
    assert first.is_resolvable, first
    await couple.pair(nothing)
    await couple.check_bond(True, False)
    known = couple.link.peer if couple.ours_is_central else None
    await couple.close()
    # An error of Bumble's: the controller gets the previous address.
    given = []
    send = device.send_sync_command

    async def sent(command, **options):
        given.append(command.random_address)
        return await send(command, **options)

    device.send_sync_command = sent
    assert await device.update_rpa()
    device.send_sync_command = send
    equal(given, [first], "the address that Bumble gives its controller")
    second = device.random_address
    assert second != first and second.is_resolvable, second
    await send(hci.HCI_LE_Set_Random_Address_Command(random_address=second))
    if couple.ours_is_central and not environment.resolves:
        # Our host recognizes the device, but its controller does not, and never connects to the identity address.
        await couple.peripheral.advertise(NAME, [database.SERVICE])
        equal((await couple.central.find(database.SERVICE, NAME))["peer"], known, "as whom our app knows Bumble")
        return
    await couple.encrypted_again()
    if couple.ours_is_central:
        equal(couple.link.peer, known, "as whom our app knows Bumble under its next address")
    await couple.close()
    await couple.restart_ours()
    await couple.encrypted_again()
    if couple.ours_is_central:
        equal(couple.link.peer, known, "as whom our next process knows Bumble")
    await couple.close()


private_bumble.title = "privacy: Bumble changes its address"


async def private_ours(environment, make_central, make_peripheral):
    """We use resolvable private addresses and change them: Bumble finds us by our identity and encrypts with the bond."""
    couple = Couple(environment, make_central, make_peripheral, "none")
    # In seconds: a central changes it between two links, and a peripheral is to be found and connected to within.
    couple.ours.environment["COREBLUETOOTH_PRIVACY"] = "1" if couple.ours_is_central else "6"
    await couple.open()
    device = couple.theirs.device
    couple.configure(True, False)
    address = couple.connection.peer_address
    assert address.is_resolvable, address
    await couple.pair(nothing)
    await couple.check_bond(True, False)
    [(_, identity)] = await device.keystore.get_resolving_keys()
    assert identity.is_static, identity
    equal(couple.ours.bond()["local"]["identityAddress"]["address"], str(identity).split("/")[0], "our identity")
    await couple.close()
    await device.refresh_resolving_list()

    async def next_link():
        """Connects under our next private address; gives the address."""
        nonlocal address
        while True:
            if couple.ours_is_central:
                await couple.reconnect()
                seen = couple.connection.peer_resolvable_address
            else:
                seen = (await couple.central.find(database.SERVICE, NAME))["address"]
                if seen != address:
                    # Bumble looks for the address itself.
                    couple.link = await couple.central.connect({"address": identity})
                    await couple.prepare()
            assert seen.is_resolvable, seen
            if seen != address:
                break
            if couple.ours_is_central:
                # Nothing is asked before the link is encrypted.
                await couple.discover()
                await couple.close()
        address = seen
        equal(str(couple.connection.peer_address), str(identity), "as whom Bumble knows us")
        if not couple.ours_is_central:
            await couple.connection.encrypt()
        await couple.discover()
        await couple.read("the secret under another address")
        assert couple.connection.is_encrypted
        assert not [event for event in couple.ours.events if event["event"] in ("prompt", "pairingEnded")]
        await couple.close()

    await next_link()
    await next_link()
    await couple.restart_ours()
    await next_link()


private_ours.title = "privacy: we change our address"


def gap_privacy(is_private):
    """Our device with privacy says so in its GAP service, and one without privacy does not."""

    async def scenario(environment, make_central, make_peripheral):
        couple = Couple(environment, make_central, make_peripheral, "none")
        couple.ours.environment["COREBLUETOOTH_PRIVACY"] = "on" if is_private else "off"
        await couple.open()
        client = Peer(couple.connection)
        for number, value in ((0x2AA6, 1), (0x2AC9, 0)):
            try:
                found = await client.read_characteristics_by_uuid(core.UUID.from_16_bits(number))
            except (att.ATT_Error, core.ProtocolError):
                found = []
            equal([bytes(each) for each in found], [bytes([value])] if is_private else [], f"characteristic {number:04X}")
        await couple.close()

    scenario.title = f"privacy: our GAP service {'with' if is_private else 'without'} it"
    return scenario


async def out_of_band(environment, make_central, make_peripheral):
    """Either side, or both, has data of the other one that came another way: nobody is asked, and the bond is authenticated;
    with the data of another device the pairing fails on the side that checks it."""
    couple = Couple(environment, make_central, make_peripheral, "outOfBand")
    await couple.open()

    async def hand_over(is_secure, ours_has, theirs_has, is_right=True):
        """The data that either side gets: ours by the script, Bumble's by its configuration."""
        context, legacy = pairing.OobContext(), pairing.OobLegacyContext()
        data = context.share().to_ad() if is_secure else pairing.OobData(legacy_context=legacy).to_ad()
        if not is_right:
            data = pairing.OobContext().share().to_ad()
        kind = "secureConnections" if is_secure and theirs_has else "none"
        couple.ours.command("handOver", data=bytes(data).hex() if ours_has else "", kind=kind)
        ours = (await couple.ours.event("handedOver"))["data"]
        received = None
        if ours:
            received = pairing.OobData.from_ad(core.AdvertisingData.from_bytes(bytes.fromhex(ours))).shared_data
        # Bumble's data for legacy pairing decides which key it uses, also with LE Secure Connections.
        couple.configure(is_secure, True, oob=pairing.PairingConfig.OobConfig(context, received, None if is_secure else legacy))

    async def fails():
        await couple.discover()
        if couple.ours_is_central:
            attempt = asyncio.create_task(couple.link.read(database.SECRET))
        else:
            attempt = asyncio.create_task(couple.connection.pair())
        assert await couple.ours.pairing_ended(), "the pairing has not failed"
        try:
            await attempt
        except (AttributeFailure, LinkFailure, core.ProtocolError, hci.HCI_Error):
            pass
        else:
            raise AssertionError("a request that needs a pairing did not fail")
        equal(couple.ours.bond(), None, "our bond")
        equal((await couple.keys())[1], None, "Bumble's keys")
        await couple.close()

    for is_secure, ours_has, theirs_has in ((True, True, True), (True, True, False), (False, True, True)):
        await hand_over(is_secure, ours_has, theirs_has)
        await couple.pair(nothing)
        await couple.check_bond(is_secure, True)
        await couple.close()
        await couple.forget()
        await couple.reconnect()
    # Our side has the data of another device.
    await hand_over(True, True, False, is_right=False)
    await fails()
    await couple.forget()
    await couple.reconnect()
    # Bumble has our data, and we have none of its: its nonce is zero, see above.
    await hand_over(True, False, True)
    await fails()


out_of_band.title = "pairing: out of band"


async def security_request(environment, make_central, make_peripheral):
    """Bumble's peripheral asks for an encrypted link, and our central pairs if its user agrees, who has asked for nothing.

    On the next link it encrypts by itself.
    """
    couple = Couple(environment, make_central, make_peripheral, "none")
    await couple.open()
    couple.configure(True, False)
    await couple.discover()
    paired = asyncio.get_running_loop().create_future()
    couple.connection.once("pairing", lambda keys: paired.done() or paired.set_result(keys))
    couple.theirs.device.request_pairing(couple.connection)
    await couple.ours.prompt("pair")
    await couple.ours.confirm(True)
    equal(await couple.ours.pairing_ended(), None, "how the pairing ended")
    await paired
    await couple.read()
    await couple.check_bond(True, False)
    await couple.close()
    await couple.encrypted_again()
    await couple.close()


security_request.title = "pairing: at the peripheral's request"


def runs(environments, ours_central, theirs_central):
    """All runs of this file: (environment, central, peripheral, scenario)."""
    models = [model(*each) for each in MODELS]
    for environment in environments:
        for pair in (ours_central, theirs_central):
            for scenario in (*models, wrong_answers, keys_lost_by_bumble, keys_lost_by_us, out_of_band):
                yield environment, *pair, scenario
            for scenario in (private_bumble, private_ours, gap_privacy(True), gap_privacy(False)):
                yield environment, *pair, scenario
        yield environment, *ours_central, security_request
