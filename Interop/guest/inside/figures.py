"""In the guest: bleak as central of our peripheral, for figures. figures.py read|notified|pour NAME UUID [COUNT
[LENGTH]]; it prints a line of JSON when it begins and one when it is done."""

import asyncio
import json
import sys

from bleak import BleakClient, BleakScanner


def say(event, **fields):
    print(json.dumps({"event": event, **fields}), flush=True)


async def main():
    what, name, uuid = sys.argv[1:4]
    count, length = (int(each) for each in (*sys.argv[4:], 0, 0)[:2])
    device = await BleakScanner.find_device_by_name(name, timeout=60)
    async with BleakClient(device, timeout=60) as client:
        if what == "read":
            say("value", value=bytes(await client.read_gatt_char(uuid)).hex())
        elif what == "pour":
            say("ready")
            for number in range(count):
                value = number.to_bytes(4, "little") + bytes((number + index) & 0xFF for index in range(4, length))
                await client.write_gatt_char(uuid, value, response=False)
            say("done")
            # The last ones may still be on their way: an answer comes after them.
            await asyncio.get_running_loop().run_in_executor(None, sys.stdin.readline)
        else:
            got, whole = 0, asyncio.Event()

            def heard(_, value):
                nonlocal got
                got += 1
                if got == count:
                    whole.set()

            await client.start_notify(uuid, heard)
            say("ready")
            await whole.wait()
            say("done", count=got)


asyncio.run(main())
