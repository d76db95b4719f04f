"""In the guest: a GATT server and an advertisement on BlueZ's D-Bus. server.py ADAPTER NAME JSON, where the JSON says what
the service is: its UUID and its characteristics with their flags and values. What is asked of it, it says as lines of
JSON. A characteristic with an "answer" notifies that answer after each write to the one named in it; one with a "stream"
notifies as many numbered values to whom subscribes."""

import asyncio
import json
import sys

from dbus_fast import BusType, DBusError, PropertyAccess
from dbus_fast.aio import MessageBus
from dbus_fast.service import ServiceInterface, dbus_property, method

READ = PropertyAccess.READ
ROOT = "/scenario"


def say(event, **fields):
    print(json.dumps({"event": event, **fields}), flush=True)


class Service(ServiceInterface):
    def __init__(self, uuid):
        super().__init__("org.bluez.GattService1")
        self.uuid = uuid

    @dbus_property(access=READ)
    def UUID(self) -> "s":
        return self.uuid

    @dbus_property(access=READ)
    def Primary(self) -> "b":
        return True


class Characteristic(ServiceInterface):
    def __init__(self, plan):
        super().__init__("org.bluez.GattCharacteristic1")
        self.plan = plan
        self.value = bytes.fromhex(plan["value"])
        self.notifies = False
        self.whenWritten = None

    @dbus_property(access=READ)
    def UUID(self) -> "s":
        return self.plan["uuid"]

    @dbus_property(access=READ)
    def Service(self) -> "o":
        return f"{ROOT}/service"

    @dbus_property(access=READ)
    def Flags(self) -> "as":
        return self.plan["flags"]

    @dbus_property(access=READ)
    def Value(self) -> "ay":
        return self.value

    @method()
    def ReadValue(self, options: "a{sv}") -> "ay":
        if self.plan.get("refuses"):
            raise DBusError(self.plan["refuses"], "refused")
        offset = options["offset"].value if "offset" in options else 0
        return self.value[offset:]

    @method()
    def WriteValue(self, value: "ay", options: "a{sv}"):
        offset = options["offset"].value if "offset" in options else 0
        self.value = self.value[:offset] + bytes(value)
        say("written", uuid=self.plan["uuid"], value=bytes(value).hex(), offset=offset)
        if self.whenWritten:
            self.whenWritten()

    @method()
    def StartNotify(self):
        self.notifies = True
        say("subscribed", uuid=self.plan["uuid"])
        for number in range(self.plan.get("stream", 0)):
            self.notify(number.to_bytes(4, "little") + bytes(16))

    @method()
    def StopNotify(self):
        self.notifies = False
        say("unsubscribed", uuid=self.plan["uuid"])

    def notify(self, value):
        self.value = value
        self.emit_properties_changed({"Value": value})


class Advertisement(ServiceInterface):
    def __init__(self, name, service):
        super().__init__("org.bluez.LEAdvertisement1")
        self.localName, self.service = name, service

    @dbus_property(access=READ)
    def Type(self) -> "s":
        return "peripheral"

    @dbus_property(access=READ)
    def LocalName(self) -> "s":
        return self.localName

    @dbus_property(access=READ)
    def ServiceUUIDs(self) -> "as":
        return [self.service]

    @method()
    def Release(self):
        pass


class Root(ServiceInterface):
    """So that the root of the application is there, with its object manager."""

    def __init__(self):
        super().__init__("org.opencorebluetooth.Root")


async def main():
    adapter, name, plan = f"/org/bluez/{sys.argv[1]}", sys.argv[2], json.loads(sys.argv[3])
    bus = await MessageBus(bus_type=BusType.SYSTEM).connect()
    bus.export(f"{ROOT}/service", Service(plan["uuid"]))
    characteristics = {}
    for number, each in enumerate(plan["characteristics"]):
        characteristic = characteristics[each["uuid"]] = Characteristic(each)
        bus.export(f"{ROOT}/service/c{number:02}", characteristic)
    for each in characteristics.values():
        if source := each.plan.get("answers"):
            answer = bytes.fromhex(each.plan["answer"])
            characteristics[source].whenWritten = lambda each=each, answer=answer: each.notify(answer)
    bus.export(f"{ROOT}/advertisement", Advertisement(name, plan["uuid"]))
    bus.export(ROOT, Root())
    while True:
        try:
            proxy = bus.get_proxy_object("org.bluez", adapter, await bus.introspect("org.bluez", adapter))
            await proxy.get_interface("org.bluez.GattManager1").call_register_application(ROOT, {})
            await proxy.get_interface("org.bluez.LEAdvertisingManager1").call_register_advertisement(
                f"{ROOT}/advertisement", {}
            )
            break
        except Exception as error:
            # The daemon or the adapter is not there yet; the scenario's time limit ends this.
            if "InterfaceNotFound" not in type(error).__name__ and "not" not in str(error).lower():
                raise
            await asyncio.sleep(0.1)
    say("advertising")
    await asyncio.get_running_loop().create_future()


asyncio.run(main())
