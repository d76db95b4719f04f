"""Our side: the program InteropPeer, controlled by lines on its standard input, and the programs that people use."""

import asyncio
import collections
import json
import os

from .failure import AttributeFailure, LinkFailure, ScenarioFailure


class Process:
    """A program of ours on an adapter, with its packets in a capture."""

    def __init__(self, environment, name, program, *arguments, adapter=None, flow_control=None):
        self.name = name
        self.program = program
        self.arguments = arguments
        self.state = environment.folder / "state" / name
        self.environment = {
            **os.environ,
            "COREBLUETOOTH_ADAPTER": adapter or environment.our_adapter(),
            "COREBLUETOOTH_IDENTITY": name,
            # Identities are locked: each scenario has its own. So has each device, whose bonds are checked.
            "XDG_STATE_HOME": str(self.state),
        }
        if flow_control is not None:
            self.environment["COREBLUETOOTH_FLOW_CONTROL"] = "on" if flow_control else "off"
        if environment.captures is not None:
            self.environment["COREBLUETOOTH_CAPTURE"] = str(environment.capture(name))
        self.errors = environment.folder / f"{name}.txt"
        self.process = None
        environment.parts.append(self)

    async def start(self):
        with open(self.errors, "wb") as errors:
            self.process = await asyncio.create_subprocess_exec(
                self.program,
                *map(str, self.arguments),
                stdin=asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.PIPE,
                stderr=errors,
                env=self.environment,
                limit=1 << 20,
            )
        return self

    async def line(self):
        line = (await self.process.stdout.readline()).decode().rstrip("\n")
        if not line:
            raise ScenarioFailure(f"{self.name} ended: {self.errors.read_text().strip() or 'without a word'}")
        return line

    async def close(self):
        if self.process is None or self.process.returncode is not None:
            return
        self.process.terminate()
        try:
            async with asyncio.timeout(5):
                await self.process.wait()
        except TimeoutError:
            self.process.kill()
            await self.process.wait()


class Peer(Process):
    """InteropPeer: commands go in, events come out; a wait for an event gets the first that fits."""

    def __init__(self, environment, name, mtu=517, flow_control=None, capabilities=None):
        arguments = (mtu, capabilities) if capabilities else (mtu,)
        program = environment.programs / "InteropPeer"
        super().__init__(environment, name, program, *arguments, flow_control=flow_control)
        self.events = collections.deque()
        self.waiting = []
        self.reader = None
        self.fault = None

    async def start(self):
        await super().start()
        self.reader = asyncio.create_task(self.read())
        return self

    async def read(self):
        try:
            while True:
                event = json.loads(await self.line())
                if event["event"] == "fault":
                    raise ScenarioFailure(f"{self.name}: {event['reason']}")
                for wanted in self.waiting:
                    if not wanted[2].done() and self.fits(event, wanted[0], wanted[1]):
                        wanted[2].set_result(event)
                        break
                else:
                    self.events.append(event)
        except ScenarioFailure as failure:
            self.fault = failure
            for _, _, future in self.waiting:
                if not future.done():
                    future.set_exception(failure)

    @staticmethod
    def fits(event, name, fields):
        return event["event"] == name and all(event.get(key) == value for key, value in fields.items())

    def command(self, what, **fields):
        self.process.stdin.write((json.dumps({"do": what, **fields}) + "\n").encode())

    async def event(self, name, **fields):
        for event in self.events:
            if self.fits(event, name, fields):
                self.events.remove(event)
                return event
        if self.fault:
            raise self.fault
        wanted = (name, fields, asyncio.get_running_loop().create_future())
        self.waiting.append(wanted)
        try:
            return await wanted[2]
        finally:
            self.waiting.remove(wanted)

    async def close(self):
        if self.reader:
            self.reader.cancel()
        await super().close()

    async def restart(self, forgets=False):
        """Ends the process and starts another one of the same device; with its bonds or without."""
        await self.close()
        self.events.clear()
        if forgets:
            for file in self.bond_files():
                file.unlink()
        await self.power_on()

    # The pairing agent's user

    async def prompt(self, kind):
        """Waits for a prompt; returns its code, if it has one."""
        return (await self.event("prompt", kind=kind))["code"]

    async def enter(self, code):
        self.command("enter", code=code)

    async def confirm(self, answer):
        self.command("confirm", yes=answer)

    async def pairing_ended(self):
        """Waits for the end of a pairing; returns the reason of a failure."""
        return (await self.event("pairingEnded"))["error"]

    def bond_files(self):
        return list(self.state.glob("**/bond-*.json"))

    def bond(self):
        """The one bond that this device keeps on disk; `None` if there is none."""
        files = self.bond_files()
        assert len(files) < 2, files
        for file in files:
            assert file.stat().st_mode & 0o777 == 0o600, oct(file.stat().st_mode)
            document = json.loads(file.read_text())
            return document.get("content", document)


class Program(Process):
    """A program of ours that people use: eightball."""

    def __init__(self, environment, name, *arguments):
        super().__init__(environment, name, environment.programs / "eightball", *arguments)

    async def event(self, name):
        """The next event of a program that was given --json."""
        while True:
            event = json.loads(await self.line())
            if event["event"] == name:
                return event

    async def output(self):
        """What the program prints until it ends, and its status."""
        output, _ = await self.process.communicate()
        return output.decode(), self.process.returncode


class Central(Peer):
    """Our central role."""

    async def power_on(self):
        await self.start()
        self.command("central")
        await self.event("central", state="poweredOn")

    async def find(self, service, name=None):
        """The advertisement of the device that offers a service, with the peer's identifier."""
        self.command("scan", services=[service], duplicates=True)
        while True:
            found = await self.event("discovered")
            if name is None or found["name"] == name:
                break
        self.command("stopScan")
        return found

    async def connect(self, found):
        self.command("connect", peer=found["peer"])
        await self.event("connected", peer=found["peer"])
        return Link(self, found["peer"])


class Channel:
    """An L2CAP channel of ours."""

    def __init__(self, peer, number):
        self.peer = peer
        self.number = number

    async def send(self, octets):
        self.peer.command("channelSend", channel=self.number, octets=octets)
        await self.peer.event("channelSent", channel=self.number)

    async def received(self, octets):
        self.peer.command("channelExpect", channel=self.number, octets=octets)
        got = await self.peer.event("channelReceived", channel=self.number)
        return got["octets"], got["fault"]

    async def pause(self):
        """Leaves received octets unread."""
        self.peer.command("channelPause", channel=self.number)
        await self.peer.event("channelPaused", channel=self.number)

    async def resume(self):
        self.peer.command("channelResume", channel=self.number)

    async def close(self):
        self.peer.command("channelClose", channel=self.number)

    async def ended(self):
        await self.peer.event("channelEnded", channel=self.number)


class Link:
    """A link of our central."""

    def __init__(self, central, peer):
        self.central = central
        self.peer = peer
        self.attributes = {}

    async def discover(self):
        """The database of the peer: {service: (included, {characteristic: (properties, descriptors)})}."""
        self.central.command("discover", peer=self.peer)
        database = await self.central.event("database", peer=self.peer)
        if database.get("error"):
            raise LinkFailure(database["error"])
        found = {}
        for service in database["services"]:
            characteristics = {}
            for characteristic in service["characteristics"]:
                self.attributes[characteristic["uuid"]] = characteristic["attribute"]
                for descriptor in characteristic["descriptors"]:
                    self.attributes[characteristic["uuid"], descriptor["uuid"]] = descriptor["attribute"]
                descriptors = frozenset(descriptor["uuid"] for descriptor in characteristic["descriptors"])
                characteristics[characteristic["uuid"]] = (characteristic["properties"], descriptors)
            found[service["uuid"]] = (frozenset(service["includes"]), characteristics)
        return found

    async def done(self, event, attribute):
        answer = await self.central.event(event, attribute=self.attributes[attribute])
        error = answer.get("error")
        if error and error.startswith("CBATTError "):
            raise AttributeFailure(int(error.split()[1]))
        if error:
            raise LinkFailure(error)
        return answer

    async def read(self, attribute):
        """The value of a characteristic, or of a descriptor, given as a pair."""
        self.central.command("read", attribute=self.attributes[attribute])
        return bytes.fromhex((await self.done("value", attribute))["value"])

    async def write(self, attribute, value, response=True):
        self.central.command("write", attribute=self.attributes[attribute], value=value.hex(), response=response)
        if response:
            await self.done("written", attribute)

    async def subscribe(self, attribute, on=True):
        self.central.command("subscribe", attribute=self.attributes[attribute], on=on)
        answer = await self.done("subscription", attribute)
        assert answer["on"] is on, answer

    async def count(self, attribute, count, length):
        """Counts notifications from now on; returns the future of the outcome."""
        number = self.attributes[attribute]
        self.central.command("count", attribute=number, count=count, length=length)
        await self.central.event("counting", attribute=number)

        async def outcome():
            counted = await self.central.event("counted", attribute=number)
            return counted["count"], counted["fault"]

        return asyncio.create_task(outcome())

    async def pour(self, attribute, count, length):
        await self.repeat("pour", attribute, count, length)

    async def write_many(self, attribute, count, length):
        await self.repeat("writeMany", attribute, count, length)

    async def read_many(self, attribute, count):
        await self.repeat("readMany", attribute, count, 0)

    async def repeat(self, what, attribute, count, length):
        self.central.command(what, attribute=self.attributes[attribute], count=count, length=length)
        answer = await self.done("repeated", attribute)
        assert (answer["count"], answer["fault"]) == (count, None), answer
        return answer["ms"]

    async def open_channel(self, psm):
        self.central.command("openChannel", peer=self.peer, psm=psm)
        opened = await self.central.event("channel")
        if opened["error"]:
            raise LinkFailure(opened["error"])
        assert opened["psm"] == psm, opened
        return Channel(self.central, opened["channel"])

    async def write_limit(self):
        """The longest value that fits into one write without response."""
        self.central.command("lengths", peer=self.peer)
        return (await self.central.event("lengths", peer=self.peer))["withoutResponse"]

    async def rssi(self):
        self.central.command("rssi", peer=self.peer)
        return (await self.central.event("rssi", peer=self.peer))["rssi"]

    async def disconnect(self):
        self.central.command("disconnect", peer=self.peer)
        ended = await self.ended()
        assert ended is None, f"a link that we end has no error, this one has {ended}"

    async def ended(self):
        """The reason why the link ended, once it has; `None` if we ended it."""
        return (await self.central.event("disconnected", peer=self.peer))["error"]


class Peripheral(Peer):
    """Our peripheral role."""

    async def power_on(self):
        await self.start()
        self.command("peripheral")
        await self.event("peripheral", state="poweredOn")

    async def publish(self, description):
        self.command("publish", services=description)
        published = await self.event("published")
        assert published["error"] is None, published

    async def advertise(self, name, services):
        self.command("advertise", name=name, services=services)
        advertising = await self.event("advertising")
        assert advertising["error"] is None, advertising

    async def publish_channel(self):
        self.command("publishChannel")
        published = await self.event("channelPublished")
        assert published["error"] is None, published
        return published["psm"]

    async def accepted_channel(self):
        opened = await self.event("channel")
        assert opened["error"] is None, opened
        return Channel(self, opened["channel"])

    async def set_value(self, attribute, value):
        self.command("setValue", uuid=attribute, value=value.hex())
        await self.event("set", uuid=attribute)

    async def written(self, attribute):
        return bytes.fromhex((await self.event("wrote", uuid=attribute))["value"])

    async def subscribed(self, attribute):
        """Waits for a subscriber; returns the size of the longest update that it takes."""
        return (await self.event("subscribed", uuid=attribute))["length"]

    async def unsubscribed(self, attribute):
        await self.event("unsubscribed", uuid=attribute)

    async def count_writes(self, attribute, count, length):
        self.command("countWrites", uuid=attribute, count=count, length=length)
        await self.event("counting", uuid=attribute)

        async def outcome():
            counted = await self.event("counted", uuid=attribute)
            return counted["count"], counted["fault"]

        return asyncio.create_task(outcome())

    async def notify_many(self, attribute, count, length):
        """Sends updates as fast as they are taken."""
        self.command("notifyMany", uuid=attribute, count=count, length=length)
        notified = await self.event("notified", uuid=attribute)
        assert notified["count"] == count, notified
