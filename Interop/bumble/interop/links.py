"""What happens to links: their parameters, their ends, many of them at once, a database that changes."""

import asyncio

from bumble import core, hci, pairing

from . import database, theirs
from .failure import LinkFailure
from .scenarios import NAME, connect, discover, equal, refused

INVALID_HANDLE = 0x01


async def parameters(environment, make_central, make_peripheral):
    """Connection parameters, PHY and data length change at Bumble's request, and data goes on flowing."""
    central, peripheral = make_central(environment), make_peripheral(environment)
    description = database.values()
    link = await connect(central, peripheral, description, database.SERVICE)
    await discover(link, description)
    if "RSSI" not in environment.lacks:
        rssi = await link.rssi()
        assert -100 <= rssi <= 20 or rssi == 127, rssi
    is_central = isinstance(central, theirs.Central)
    connection = link.connection if is_central else peripheral.connection

    async def until(name, action, what, wanted, found):
        """Waits after an action until an event of that name has the wanted value: our host may have a
        procedure of its own under way."""
        heard = asyncio.Queue()
        listener = connection.on(name, lambda *values: heard.put_nowait(values))
        seen = []
        try:
            async with asyncio.timeout(10):
                await action
                while not seen or seen[-1] != wanted:
                    seen.append(found(*await heard.get()))
        except TimeoutError:
            raise AssertionError(f"{what}: {seen} instead of {wanted}") from None
        finally:
            connection.remove_listener(name, listener)

    async def flows():
        equal(await link.read(database.LONG), database.LONG_VALUE, "the long value")

    def current():
        got = connection.parameters
        return got.connection_interval, got.peripheral_latency, got.supervision_timeout

    # A central updates; a peripheral asks its central to, in L2CAP.
    for interval, latency, timeout in ((50, 0, 4000), (100, 4, 6000), (30, 0, 2000)):
        update = connection.update_parameters(interval, interval, latency, timeout, use_l2cap=not is_central)
        wanted = (interval, latency, timeout)
        await until("connection_parameters_update", update, "the parameters of the link", wanted, current)
        await flows()
    if "PHY" not in environment.lacks:
        for phy in (hci.Phy.LE_1M, hci.Phy.LE_2M):
            action = connection.set_phy([phy], [phy])
            await until("connection_phy_update", action, "the PHYs", (phy, phy), lambda got: (got.tx_phy, got.rx_phy))
            got = await connection.get_phy()
            equal((got.tx_phy, got.rx_phy), (phy, phy), "the PHYs that the controller reports")
            await flows()
    if "data length" not in environment.lacks:
        for octets in (100, 251):
            action = connection.set_data_length(octets, (octets + 14) * 8)
            length = lambda: connection.data_length.max_tx_octets  # noqa: E731
            await until("connection_data_length_change", action, "the data length", octets, length)
            await flows()
    if is_central:
        # Our peripheral asks its central for what suits it.
        await link.subscribe(database.NOTIFYING)
        await peripheral.subscribed(database.NOTIFYING)

        async def ask():
            peripheral.command("latency", latency="high")

        # 240 to 480 ms; the controller chooses.
        def fits():
            interval, latency, timeout = current()
            return 240 <= interval <= 480 and (latency, timeout) == (2, 6000)

        await until("connection_parameters_update", ask(), "the latency that our peripheral asks for", True, fits)
        await flows()
    await link.disconnect()


parameters.title = "parameters, PHY, data length"


async def ends(environment, make_central, make_peripheral):
    """A link ends from either side and is opened again; the database is unchanged."""
    central, peripheral = make_central(environment), make_peripheral(environment)
    description = database.values()
    link = await connect(central, peripheral, description, database.SERVICE)
    await discover(link, description)
    await link.subscribe(database.NOTIFYING)
    await peripheral.subscribed(database.NOTIFYING)
    await link.disconnect()
    if isinstance(central, theirs.Central):
        # Our peripheral gets the end of the subscription, and advertises again by itself.
        await peripheral.unsubscribed(database.NOTIFYING)
    if isinstance(peripheral, theirs.Peripheral):
        await peripheral.advertise(NAME, [database.SERVICE])
    link = await central.connect(await central.find(database.SERVICE, NAME))
    await discover(link, description)
    equal(await link.read(database.STATIC), database.STATIC_VALUE, "the static value after a reconnection")
    if isinstance(peripheral, theirs.Peripheral):
        await peripheral.connection.disconnect()
        equal(await link.ended(), "CBError 7", "the error of a link that the peripheral ended")
    else:
        await link.disconnect()


ends.title = "ends and reconnections"


async def vanishing(environment, make_central, make_peripheral):
    """A host dies: the other side notices after the supervision timeout, or as its controller reports."""
    central, peripheral = make_central(environment), make_peripheral(environment)
    link = await connect(central, peripheral, database.values(), database.SERVICE)
    await peripheral.close()
    equal(await link.ended(), environment.loss[isinstance(central, theirs.Central)], "why the link ended")


vanishing.title = "a host that dies"


async def changes(environment, make_central, make_peripheral):
    """Services come and go under a link."""
    central, peripheral = make_central(environment), make_peripheral(environment)
    description = database.values()
    link = await connect(central, peripheral, description, database.SERVICE)
    await discover(link, description)
    if isinstance(central, theirs.Central):
        changed = asyncio.Queue()
        link.heard = lambda attribute, value: changed.put_nowait((attribute, value))
        await link.subscribe("2A05")
        peripheral.command("withdraw", service=1)
        attribute, value = await changed.get()
        equal((attribute, len(value)), ("2A05", 4), "the indication of Service Changed")
        await refused(link.read(database.STATIC), INVALID_HANDLE)
        found = await link.discover()
        assert database.SERVICE not in found, found
        further = database.large(2, 4)
        await peripheral.publish(further)
        await changed.get()
        await discover(link, further)
    else:
        changed = peripheral.device.gatt_server.get_characteristic_attributes(core.UUID("1801"), core.UUID("2A05"))[1]
        await peripheral.publish(database.large(2, 4))
        await peripheral.device.indicate_subscribers(changed, bytes([0x01, 0x00, 0xFF, 0xFF]))
        await central.event("modified")
        await discover(link, description + database.large(2, 4))
    await link.disconnect()


changes.title = "services that come and go"


def many(count):
    """One of ours with many of Bumble's at once; every stream arrives whole."""

    async def links(environment, make_central, make_peripheral):
        description = database.values()
        total, length = environment.stream // 4, 20
        if make_central.is_ours:
            central = make_central(environment)
            peripherals = [make_peripheral(environment, number=number) for number in range(count)]
            await asyncio.gather(central.power_on(), *(each.power_on() for each in peripherals))
            held = []
            for number, peripheral in enumerate(peripherals):
                await peripheral.publish(description)
                await peripheral.advertise(f"M{number}", [database.SERVICE])
                held.append(await central.connect(await central.find(database.SERVICE, f"M{number}")))
            await asyncio.gather(*(discover(link, description) for link in held))
            outcomes = [await link.count(database.NOTIFYING, total, length) for link in held]
            await asyncio.gather(*(link.subscribe(database.NOTIFYING) for link in held))
            await asyncio.gather(*(each.subscribed(database.NOTIFYING) for each in peripherals))
            await asyncio.gather(*(each.notify_many(database.NOTIFYING, total, length) for each in peripherals))
        else:
            peripheral = make_peripheral(environment)
            centrals = [make_central(environment, number=number) for number in range(count)]
            await asyncio.gather(peripheral.power_on(), *(each.power_on() for each in centrals))
            await peripheral.publish(description)
            await peripheral.advertise(NAME, [database.SERVICE])
            held = []
            for central in centrals:
                # The peripheral goes on advertising while it has links.
                held.append(await central.connect(await central.find(database.SERVICE, NAME)))
            await asyncio.gather(*(discover(link, description) for link in held))
            outcomes = [await link.count(database.NOTIFYING, total, length) for link in held]
            await asyncio.gather(*(link.subscribe(database.NOTIFYING) for link in held))
            for _ in held:
                await peripheral.subscribed(database.NOTIFYING)
            await peripheral.notify_many(database.NOTIFYING, total, length)
        for outcome in outcomes:
            equal(await outcome, (total, None), "the updates of a link")
        await asyncio.gather(*(link.disconnect() for link in held))

    links.title = f"{count} links at once"
    return links


async def channels(environment, make_central, make_peripheral):
    """L2CAP channels with credits: both directions at once, three at a time, ends from both sides, refusals."""
    central, peripheral = make_central(environment), make_peripheral(environment)
    link = await connect(central, peripheral, database.values(), database.SERVICE)
    psm = await peripheral.publish_channel()
    assert 0x80 <= psm <= 0xFF, psm
    held = []
    for _ in range(3):
        opened, accepted = await asyncio.gather(link.open_channel(psm), peripheral.accepted_channel())
        held.append((opened, accepted))
    octets = environment.channel
    work = []
    for pair in held:
        for sender, receiver in (pair, pair[::-1]):
            work += [sender.send(octets), receiver.received(octets)]
    for got in (await asyncio.gather(*work))[1::2]:
        equal(got, (octets, None), "what a channel carried")
    for closing, other in (held[0], held[1][::-1]):
        await closing.close()
        await other.ended()
    # The third goes on undisturbed.
    again, _ = await asyncio.gather(link.open_channel(psm), peripheral.accepted_channel())
    assert again is not None
    try:
        await link.open_channel(0xFE if psm != 0xFE else 0xFD)
    except LinkFailure as failure:
        assert str(failure), failure
    else:
        raise AssertionError("a channel to a PSM that nobody serves was opened")
    await link.disconnect()


channels.title = "L2CAP channels"


async def pairing_on_air(environment, make_central, make_peripheral):
    """Two Bumble hosts pair on our air, in Secure Connections and in the legacy way: its controllers check the keys."""
    for secure in (True, False):
        central, peripheral = make_central(environment), make_peripheral(environment)
        await asyncio.gather(central.power_on(), peripheral.power_on())
        for each in (central, peripheral):
            each.device.pairing_config_factory = lambda _, sc=secure: pairing.PairingConfig(sc=sc, mitm=False)
        await peripheral.publish(database.values())
        await peripheral.advertise(NAME, [database.SERVICE])
        link = await central.connect(await central.find(database.SERVICE, NAME))
        assert not link.connection.is_encrypted
        await link.connection.pair()
        assert link.connection.is_encrypted
        await discover(link, database.values())
        equal(await link.read(database.LONG), database.LONG_VALUE, "the long value over an encrypted link")
        await link.disconnect()
        await central.close()
        await peripheral.close()


pairing_on_air.title = "pairing and encryption"


async def extended_advertising(environment, make_central, make_peripheral):
    """A central hears whole what Bumble's peripheral advertises in extended PDUs, on each PHY, and connects."""
    central, peripheral = make_central(environment), make_peripheral(environment)
    await asyncio.gather(central.power_on(), peripheral.power_on())
    await peripheral.publish(database.values())
    # Bumble's host reports fragments one by one.
    length = environment.advertised if make_central.is_ours else 229
    for number, phy in enumerate(environment.advertising_phys):
        name = f"{NAME} {number}"
        manufacturer = await peripheral.advertise_extended(name, database.SERVICE, length, phy)
        found = await central.find(database.SERVICE, name)
        equal(found["manufacturer"], manufacturer.hex(), f"the manufacturer data on {phy.name}")
        link = await central.connect(found)
        await discover(link, database.values())
        await link.disconnect()


extended_advertising.title = "extended advertising"
