"""The scenarios of two hosts. A scenario gets the environment, a maker of the central and one of the peripheral;
either may be ours or Bumble's. Each asserts every value that it sees."""

import asyncio

from . import database
from .failure import AttributeFailure

NAME = "Interop"

READ_NOT_PERMITTED = 0x02
WRITE_NOT_PERMITTED = 0x03


async def refused(attempt, code):
    """Asserts that a request ends with an ATT error."""
    try:
        await attempt
    except AttributeFailure as failure:
        assert failure.code == code, f"refused with {failure.code:#04x}, expected {code:#04x}"
    else:
        raise AssertionError(f"not refused with {code:#04x}")


def equal(found, expected, what):
    assert found == expected, f"{what}: {found!r} instead of {expected!r}"


async def connect(central, peripheral, description, service):
    """Both power on, the peripheral advertises, the central finds it and connects."""
    await asyncio.gather(central.power_on(), peripheral.power_on())
    await peripheral.publish(description)
    await peripheral.advertise(NAME, [service])
    found = await central.find(service, NAME)
    assert service in found["services"], found
    assert found["connectable"], found
    return await central.connect(found)


async def discover(link, description):
    """Discovers the database and compares all of it with its description."""
    found = await link.discover()
    for service, expected in database.shape(description).items():
        assert service in found, f"service {service} was not found"
        equal(found[service], expected, f"service {service}")
    return found


# MARK: Scenarios


def values_at(mtu):
    """Reads, writes, streams of updates and writes, all at one MTU."""

    async def values(environment, make_central, make_peripheral):
        central, peripheral = make_central(environment, mtu=mtu), make_peripheral(environment, mtu=mtu)
        description = database.values()
        link = await connect(central, peripheral, description, database.SERVICE)
        await discover(link, description)
        # No attribute is longer than 512 octets, whatever the MTU.
        limit = min(mtu - 3, 512)
        equal(await link.write_limit(), limit, "the longest write without response")

        # Reads, short and long ones.
        equal(await link.read(database.LONG), database.LONG_VALUE, "the long value")
        equal(await link.read(database.STATIC), database.STATIC_VALUE, "the static value")
        equal(await link.read(database.EMPTY), b"", "the empty value")
        equal(await link.read((database.STATIC, database.USER_DESCRIPTION)), database.DESCRIPTION.encode(), "description")
        for length in (1, mtu - 2, mtu - 1, mtu, 2 * (mtu - 1), 511):
            if length <= 512:
                value = database.numbered(length, length)
                await peripheral.set_value(database.LONG, value)
                equal(await link.read(database.LONG), value, f"a value of {length} octets")

        # Writes, short and long ones.
        for length in (0, 1, mtu - 3, mtu - 2, mtu, 512):
            if length <= 512:
                value = database.numbered(length, length)
                await link.write(database.LONG, value)
                equal(await peripheral.written(database.LONG), value, f"a written value of {length} octets")
                equal(await link.read(database.LONG), value, f"a value of {length} octets, read back")

        # Refusals.
        await refused(link.read(database.REFUSED), database.REFUSAL)
        await refused(link.write(database.REFUSED, b"no"), database.REFUSAL)
        await refused(link.read(database.WRITE_ONLY), READ_NOT_PERMITTED)
        await refused(link.write(database.READ_ONLY, b"no"), WRITE_NOT_PERMITTED)

        # Streams: none lost, none twice, none out of order.
        count = environment.stream
        for length in {20, limit}:
            for attribute in (database.NOTIFYING, database.INDICATING):
                total = count if attribute == database.NOTIFYING else count // 4
                outcome = await link.count(attribute, total, length)
                await link.subscribe(attribute)
                equal(await peripheral.subscribed(attribute), limit, "the longest update")
                await peripheral.notify_many(attribute, total, length)
                equal(await outcome, (total, None), f"updates of {length} octets")
                await link.subscribe(attribute, on=False)
                await peripheral.unsubscribed(attribute)
            outcome = await peripheral.count_writes(database.POURED, count, length)
            await link.pour(database.POURED, count, length)
            equal(await outcome, (count, None), f"writes without response of {length} octets")
            outcome = await peripheral.count_writes(database.WRITTEN, count // 4, length)
            await link.write_many(database.WRITTEN, count // 4, length)
            equal(await outcome, (count // 4, None), f"writes with response of {length} octets")

        await link.disconnect()

    values.title = f"values and streams, MTU {mtu}"
    return values


async def large_database(environment, make_central, make_peripheral):
    """The discovery of 20 services with 80 characteristics, and a read of each that can be read."""
    central, peripheral = make_central(environment), make_peripheral(environment)
    description = database.large()
    link = await connect(central, peripheral, description, description[0]["uuid"])
    await discover(link, description)
    for service in description:
        for characteristic in service["characteristics"]:
            if "read" in characteristic["properties"]:
                value = bytes.fromhex(characteristic["value"])
                equal(await link.read(characteristic["uuid"]), value, f"the value of {characteristic['uuid']}")
            for descriptor in characteristic["descriptors"]:
                value = bytes.fromhex(descriptor["value"])
                equal(await link.read((characteristic["uuid"], descriptor["uuid"])), value, "a description")
    await link.disconnect()


large_database.title = "20 services, 80 characteristics"
