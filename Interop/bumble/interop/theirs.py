"""Their side: a Bumble host in either role, with the interface of our side in ours.py."""

import asyncio
import collections
import secrets

from bumble import att, core, gatt, hci
from bumble.l2cap import L2CAP_LE_Flow_Control_Credit
from bumble.l2cap import LeCreditBasedChannelSpec as CHANNEL
from bumble.device import (
    AdvertisingEventProperties,
    AdvertisingParameters,
    ConnectionParametersPreferences,
    Device,
    DeviceConfiguration,
    Peer,
)
from bumble.snoop import BtSnooper
from bumble.transport import open_transport

from .database import INDICATE, NOTIFY, PROPERTIES, Counter, numbered, row
from .failure import AttributeFailure, LinkFailure
from .host_buffers import HostBuffers


def text(uuid):
    """A UUID as Core Bluetooth prints it."""
    octets = uuid.to_bytes()[::-1]
    digits = octets.hex().upper()
    if len(octets) == 2:
        return digits
    return "-".join((digits[:8], digits[8:12], digits[12:16], digits[16:20], digits[20:]))


class BumbleDevice:
    """A Bumble host on a controller, with its packets in a capture."""

    host_buffers = None

    def __init__(self, environment, name, mtu=517, limits_received_data=False, is_private=False):
        self.environment = environment
        self.is_private = is_private
        self.name = name
        self.mtu = mtu
        self.limits_received_data = limits_received_data
        self.capture = environment.capture(name)
        self.file = None
        self.transport = None
        self.device = None
        environment.parts.append(self)

    async def power_on(self):
        self.transport = await open_transport(self.environment.their_transport())
        configuration = DeviceConfiguration(
            name=self.name,
            address=self.environment.random_address(),
            le_privacy_enabled=self.is_private,
            # A key of zeros, Bumble's default, means none.
            irk=secrets.token_bytes(16) if self.is_private else bytes(16),
        )
        self.device = Device.from_config_with_hci(configuration, self.transport.source, self.transport.sink)
        if self.environment.captures is not None:
            self.file = open(self.capture, "wb")
            self.device.host.snooper = BtSnooper(self.file)
        self.device.gatt_server.max_mtu = self.mtu
        self.prepare()
        await self.device.power_on()
        if self.limits_received_data:
            # A controller takes it only before the first connection (7.3.38).
            self.host_buffers = HostBuffers(self.device.host)
            await self.host_buffers.limit()

    def prepare(self):
        """The setup before the host starts."""

    async def close(self):
        if self.transport is None:
            return
        await self.transport.close()
        if self.file:
            self.device.host.snooper = None
            self.file.close()


class Central(BumbleDevice):
    """Bumble's central role."""

    async def find(self, service, name=None):
        wanted = core.UUID(service)
        found = asyncio.get_running_loop().create_future()
        kinds_of_name = (core.AdvertisingData.COMPLETE_LOCAL_NAME, core.AdvertisingData.SHORTENED_LOCAL_NAME)
        lists = (
            core.AdvertisingData.COMPLETE_LIST_OF_128_BIT_SERVICE_CLASS_UUIDS,
            core.AdvertisingData.INCOMPLETE_LIST_OF_128_BIT_SERVICE_CLASS_UUIDS,
            core.AdvertisingData.COMPLETE_LIST_OF_16_BIT_SERVICE_CLASS_UUIDS,
            core.AdvertisingData.INCOMPLETE_LIST_OF_16_BIT_SERVICE_CLASS_UUIDS,
        )

        def heard(advertisement):
            services = [uuid for kind in lists for part in advertisement.data.get_all(kind) for uuid in part]
            names = [part for kind in kinds_of_name for part in advertisement.data.get_all(kind)]
            if found.done() or wanted not in services or (name is not None and name not in names):
                return
            found.set_result(
                {
                    "address": advertisement.address,
                    "name": names[0] if names else None,
                    "rssi": advertisement.rssi,
                    "services": [text(uuid) for uuid in services],
                    "manufacturer": next(
                        (
                            octets.hex()
                            for kind, octets in advertisement.data.ad_structures
                            if kind == core.AdvertisingData.MANUFACTURER_SPECIFIC_DATA
                        ),
                        None,
                    ),
                    "connectable": advertisement.is_connectable,
                    "phy": advertisement.primary_phy,
                }
            )

        self.device.on("advertisement", heard)
        await self.device.start_scanning(filter_duplicates=False)
        try:
            return await found
        finally:
            self.device.remove_listener("advertisement", heard)
            await self.device.stop_scanning()

    async def connect(self, found):
        # Bumble initiates on LE 1M alone unless told otherwise.
        phys = {hci.Phy.LE_1M, found.get("phy", hci.Phy.LE_1M)}
        connection = await self.device.connect(
            found["address"],
            transport=core.PhysicalTransport.LE,
            connection_parameters_preferences={phy: ConnectionParametersPreferences.default for phy in phys},
        )
        link = Link(connection)
        # Without an exchange, the MTU is 23.
        if self.mtu > 23:
            await link.peer.request_mtu(self.mtu)
        return link


class Channel:
    """An L2CAP channel of Bumble's."""

    def __init__(self, channel):
        self.channel = channel
        self.sent = 0
        self.data = bytearray()
        self.news = asyncio.Event()
        self.end = asyncio.Event()
        channel.sink = self.heard
        channel.on("close", self.end.set)

    def heard(self, data):
        self.data += data
        self.news.set()

    async def send(self, octets):
        data = row(self.sent + octets)
        for offset in range(self.sent, self.sent + octets, 2048):
            self.channel.write(data[offset : offset + 2048])
            await self.channel.drain()
        self.sent += octets

    async def received(self, octets):
        while len(self.data) < octets:
            self.news.clear()
            await self.news.wait()
        return len(self.data), None if self.data == row(len(self.data)) else "octets differ"

    async def pause(self):
        """Gives no more credits."""
        self.threshold, self.channel.peer_credits_threshold = self.channel.peer_credits_threshold, -1

    async def resume(self):
        channel = self.channel
        channel.peer_credits_threshold = self.threshold
        credits = channel.peer_max_credits - channel.peer_credits
        identifier = channel.manager.next_identifier(channel.connection)
        channel.peer_credits = channel.peer_max_credits
        channel.send_control_frame(L2CAP_LE_Flow_Control_Credit(identifier, channel.source_cid, credits))

    async def close(self):
        await self.channel.disconnect()

    async def ended(self):
        await self.end.wait()


class Link:
    """A link of Bumble's central."""

    def __init__(self, connection):
        self.connection = connection
        self.peer = Peer(connection)
        self.attributes = {}
        self.counters = {}
        self.reason = asyncio.get_running_loop().create_future()
        connection.on("disconnection", lambda reason: self.reason.done() or self.reason.set_result(reason))

    async def discover(self):
        # Bumble keeps removed services, which should be gone.
        self.peer.gatt_client.services = []
        self.attributes = {}
        await self.peer.discover_services()
        found = {}
        for service in self.peer.services:
            included = await self.peer.discover_included_services(service)
            await self.peer.discover_characteristics(service=service)
            characteristics = {}
            for characteristic in service.characteristics:
                await self.peer.discover_descriptors(characteristic)
                identifier = text(characteristic.uuid)
                self.attributes[identifier] = characteristic
                for descriptor in characteristic.descriptors:
                    self.attributes[identifier, text(descriptor.type)] = descriptor
                descriptors = frozenset(text(descriptor.type) for descriptor in characteristic.descriptors)
                characteristics[identifier] = (int(characteristic.properties), descriptors)
            found[text(service.uuid)] = (frozenset(text(each.uuid) for each in included), characteristics)
        return found

    async def read(self, attribute):
        try:
            return await self.peer.read_value(self.attributes[attribute])
        except att.ATT_Error as error:
            raise AttributeFailure(error.error_code) from error

    async def write(self, attribute, value, response=True):
        try:
            await self.peer.write_value(self.attributes[attribute], value, with_response=response)
        except att.ATT_Error as error:
            raise AttributeFailure(error.error_code) from error

    async def subscribe(self, attribute, on=True):
        characteristic = self.attributes[attribute]
        if on:
            await self.peer.subscribe(characteristic, lambda value: self.heard(attribute, value))
        else:
            await self.peer.unsubscribe(characteristic)

    def heard(self, attribute, value):
        self.counters[attribute].take(value)

    async def count(self, attribute, count, length):
        done = asyncio.get_running_loop().create_future()
        self.counters[attribute] = Counter(count, length, done)
        return done

    async def pour(self, attribute, count, length):
        for number in range(count):
            await self.write(attribute, numbered(number, length), response=False)
            if number % 16 == 15:
                await self.connection.drain()

    async def write_many(self, attribute, count, length):
        for number in range(count):
            await self.write(attribute, numbered(number, length))

    async def read_many(self, attribute, count):
        for _ in range(count):
            await self.read(attribute)

    async def open_channel(self, psm):
        try:
            return Channel(await self.connection.create_l2cap_channel(CHANNEL(psm=psm)))
        except core.ProtocolError as error:
            raise LinkFailure(str(error)) from error

    async def write_limit(self):
        return min(self.connection.att_mtu - 3, 512)

    async def rssi(self):
        return await self.connection.get_rssi()

    async def disconnect(self):
        await self.connection.disconnect()

    async def ended(self):
        return await self.reason


class Peripheral(BumbleDevice):
    """Bumble's peripheral role."""

    def prepare(self):
        self.characteristics = {}
        self.stored = {}
        self.counters = {}
        self.writes = collections.defaultdict(asyncio.Queue)
        self.subscriptions = collections.defaultdict(asyncio.Queue)
        self.ends = collections.defaultdict(asyncio.Queue)
        self.connection = None
        self.connections = asyncio.Queue()
        self.device.on("connection", self.connected)

    def connected(self, connection):
        self.connection = connection
        self.connections.put_nowait(connection)

    async def publish(self, description):
        services = []
        for service in description:
            services.append(
                gatt.Service(
                    core.UUID(service["uuid"]),
                    [self.characteristic(each) for each in service["characteristics"]],
                    primary=not service["secondary"],
                    included_services=[services[number] for number in service["includes"]],
                )
            )
        for service in services:
            if service not in self.device.gatt_server.services:
                self.device.add_service(service)

    def characteristic(self, description):
        identifier = description["uuid"]
        properties = sum(PROPERTIES[name] for name in description["properties"])
        refusal = description["refuses"]
        self.stored[identifier] = bytes.fromhex(description["value"])

        def read(_connection):
            if refusal:
                raise att.ATT_Error(att.ErrorCode(refusal))
            # Bumble itself does not check the properties.
            if not properties & PROPERTIES["read"]:
                raise att.ATT_Error(att.ErrorCode.READ_NOT_PERMITTED)
            return self.stored[identifier]

        def write(_connection, value):
            if refusal:
                raise att.ATT_Error(att.ErrorCode(refusal))
            if not properties & (PROPERTIES["write"] | PROPERTIES["writeWithoutResponse"]):
                raise att.ATT_Error(att.ErrorCode.WRITE_NOT_PERMITTED)
            if counter := self.counters.get(identifier):
                counter.take(value)
                return
            self.stored[identifier] = value
            self.writes[identifier].put_nowait(value)

        permissions = gatt.Characteristic.Permissions.READABLE | gatt.Characteristic.Permissions.WRITEABLE
        if "readEncrypted" in description["properties"]:
            permissions |= gatt.Characteristic.Permissions.READ_REQUIRES_ENCRYPTION
        if "writeEncrypted" in description["properties"]:
            permissions |= gatt.Characteristic.Permissions.WRITE_REQUIRES_ENCRYPTION
        characteristic = gatt.Characteristic(
            core.UUID(identifier),
            gatt.Characteristic.Properties(properties),
            permissions,
            gatt.CharacteristicValue(read=read, write=write),
            [
                gatt.Descriptor(core.UUID(each["uuid"]), gatt.Descriptor.READABLE, bytes.fromhex(each["value"]))
                for each in description["descriptors"]
            ],
        )
        characteristic.on(
            "subscription",
            lambda bearer, notifies, indicates: self.subscription(identifier, bearer, notifies or indicates),
        )
        self.characteristics[identifier] = characteristic
        return characteristic

    def subscription(self, identifier, bearer, is_on):
        (self.subscriptions if is_on else self.ends)[identifier].put_nowait(min(bearer.att_mtu - 3, 512))

    async def advertise(self, name, services):
        data = core.AdvertisingData(
            [
                (core.AdvertisingData.FLAGS, bytes([0x06])),
                # In the advertising data, since Bumble's controllers repeat it in place of the scan response.
                (core.AdvertisingData.COMPLETE_LOCAL_NAME, name.encode()),
                *(
                    (
                        core.AdvertisingData.COMPLETE_LIST_OF_16_BIT_SERVICE_CLASS_UUIDS
                        if len(service) == 4
                        else core.AdvertisingData.COMPLETE_LIST_OF_128_BIT_SERVICE_CLASS_UUIDS,
                        core.UUID(service).to_bytes(),
                    )
                    for service in services
                ),
            ]
        )
        await self.device.start_advertising(
            advertising_data=bytes(data),
            scan_response_data=b"",
            advertising_interval_min=30,
            advertising_interval_max=50,
        )

    async def advertise_extended(self, name, service, length, phy):
        """Advertises in extended PDUs until a central connects; returns the manufacturer data, which fills a length."""
        data = [
            (core.AdvertisingData.COMPLETE_LOCAL_NAME, name.encode()),
            (core.AdvertisingData.COMPLETE_LIST_OF_128_BIT_SERVICE_CLASS_UUIDS, core.UUID(service).to_bytes()),
        ]
        manufacturer = numbered(7, length - len(bytes(core.AdvertisingData(data))) - 2)
        data.append((core.AdvertisingData.MANUFACTURER_SPECIFIC_DATA, manufacturer))
        await self.device.create_advertising_set(
            advertising_parameters=AdvertisingParameters(
                advertising_event_properties=AdvertisingEventProperties(is_connectable=True),
                primary_advertising_interval_min=30,
                primary_advertising_interval_max=50,
                primary_advertising_phy=phy,
                secondary_advertising_phy=phy,
            ),
            advertising_data=bytes(core.AdvertisingData(data)),
        )
        return manufacturer

    async def publish_channel(self):
        self.accepted = asyncio.Queue()
        return self.device.create_l2cap_server(CHANNEL(), lambda channel: self.accepted.put_nowait(Channel(channel))).psm

    async def accepted_channel(self):
        return await self.accepted.get()

    async def set_value(self, attribute, value):
        self.stored[attribute] = value

    async def written(self, attribute):
        return await self.writes[attribute].get()

    async def subscribed(self, attribute):
        return await self.subscriptions[attribute].get()

    async def unsubscribed(self, attribute):
        await self.ends[attribute].get()

    async def count_writes(self, attribute, count, length):
        done = asyncio.get_running_loop().create_future()
        self.counters[attribute] = Counter(count, length, done)
        return done

    async def notify_many(self, attribute, count, length):
        characteristic = self.characteristics[attribute]
        for number in range(count):
            value = numbered(number, length)
            if characteristic.properties & NOTIFY:
                await self.device.notify_subscriber(self.connection, characteristic, value)
                if number % 16 == 15:
                    await self.connection.drain()
            elif characteristic.properties & INDICATE:
                await self.device.indicate_subscriber(self.connection, characteristic, value)
