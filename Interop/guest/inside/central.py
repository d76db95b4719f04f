"""In the guest: bleak as central of a peripheral that is not BlueZ. Its command is on its command line; it prints what
it saw as lines of JSON; the other side asserts. central.py NAME JSON"""

import asyncio
import json
import sys

from bleak import BleakClient, BleakScanner
from bleak.exc import BleakGATTProtocolError


def say(event, **fields):
    print(json.dumps({"event": event, **fields}), flush=True)


async def refusal(attempt):
    try:
        await attempt
    except BleakGATTProtocolError as error:
        return int(error.args[0])
    return None


async def main():
    name, plan = sys.argv[1], json.loads(sys.argv[2])
    device = await BleakScanner.find_device_by_name(name, timeout=60)
    say("found", name=device.name if device else None, address=device.address if device else None)
    async with BleakClient(device, timeout=60) as client:
        say(
            "database",
            services={
                service.uuid.upper(): {
                    each.uuid.upper(): [sorted(each.properties), sorted(part.uuid.upper() for part in each.descriptors)]
                    for each in service.characteristics
                }
                for service in client.services
            },
        )
        for uuid in plan["reads"]:
            say("read", uuid=uuid, value=bytes(await client.read_gatt_char(uuid)).hex())
        for uuid, value in plan["writes"]:
            await client.write_gatt_char(uuid, bytes.fromhex(value), response=True)
            say("written", uuid=uuid, value=bytes(await client.read_gatt_char(uuid)).hex())
        for uuid in plan["refusals"]:
            say("refused", uuid=uuid, error=await refusal(client.read_gatt_char(uuid)))
        for uuid, count in plan["poured"]:
            for number in range(count):
                await client.write_gatt_char(uuid, number.to_bytes(4, "little"), response=False)
            say("poured", uuid=uuid, count=count)
        for uuid, count in plan["streams"]:
            values, whole = [], asyncio.Event()

            def heard(_, value, values=values, whole=whole, count=count):
                values.append(bytes(value).hex())
                if len(values) == count:
                    whole.set()

            await client.start_notify(uuid, heard)
            say("subscribed", uuid=uuid)
            await whole.wait()
            await client.stop_notify(uuid)
            say("stream", uuid=uuid, values=values)
    say("disconnected")


asyncio.run(main())
