"""Our programs in the guest, on the adapter that bluetoothd has, as a user who is not root: InteropPeer with the
commands and events that it has on this machine, and the tool `corebluetooth`."""

import asyncio
import collections
import json
import shlex

from interop import ours
from interop.failure import ScenarioFailure

#: A user without any right, in no group.
NOBODY = "setpriv --reuid 65534 --regid 65534 --clear-groups env"
ADAPTER = "bluez:hci0"


async def command(environment, name, program, *arguments):
    """A command line for a program of ours as that user, with a state of its own."""
    home = f"/run/nobody-{name}"
    await environment.machine.run(f"mkdir -p {home} && chown 65534:65534 {home}")
    folders = f"HOME={home} XDG_STATE_HOME={home} XDG_RUNTIME_DIR={home}"
    return f"{NOBODY} {folders} COREBLUETOOTH_ADAPTER={ADAPTER} {environment.programs}/{program} {shlex.join(arguments)}"


class Program:
    """A program of ours in the guest, with a pipe as its standard input."""

    def __init__(self, environment, name, program, *arguments):
        self.machine = environment.machine
        self.environment = environment
        self.name = name
        self.program = (program, *map(str, arguments))
        self.words = None

    async def start(self):
        self.pipe = f"/run/{self.name}.input"
        line = await command(self.environment, self.name, *self.program)
        await self.machine.run(f"rm -f {self.pipe} /mnt/{self.name}.* && mkfifo {self.pipe}")
        # Its standard input never ends: it holds both ends.
        self.words = await self.machine.begin(self.name, f"sh -c {shlex.quote(f'exec {line} <>{self.pipe}')}")
        return self

    async def type(self, line):
        await self.machine.run(f"echo {shlex.quote(line)} >{self.pipe}")

    async def event(self, name):
        """The next event of this name, of a program that was given --json."""
        while True:
            said = json.loads(await self.words.line())
            if said["event"] == name:
                return said

    async def asks(self, pattern):
        """Waits until its standard error has a text, and gives what the first group has found."""
        while not (found := pattern.search(self.words.errors)):
            if self.words.has_ended:
                raise ScenarioFailure(f"{self.name} ended without asking: {self.words.errors}")
            await asyncio.sleep(0.02)  # The next look; the scenario's deadline bounds the wait.
        return found[found.re.groups and 1]

    async def ended(self, status=0):
        """Waits for its end; gives what it has printed."""
        got = await self.machine.ended(self.name)
        if got != status:
            raise ScenarioFailure(f"{self.name} in the guest ended with {got}: {self.words.errors.strip()[-500:]}")
        return self.words.path.read_text()

    async def interrupt(self):
        await self.machine.signal(self.name, "INT")
        return await self.ended(status=130)


class Peer(Program):
    """What `ours.Peer` is on this machine, in the guest."""

    def __init__(self, environment, name, mtu=517, capabilities=None):
        super().__init__(environment, name, "InteropPeer", mtu, *([capabilities] if capabilities else []))
        self.events = collections.deque()
        self.waiting = []
        self.fault = self.reader = self.writer = None
        environment.parts.append(self)

    async def start(self):
        await super().start()
        self.commands = asyncio.Queue()
        self.reader = asyncio.create_task(self.read())
        self.writer = asyncio.create_task(self.write())
        return self

    async def line(self):
        return await self.words.line()

    async def write(self):
        while True:
            await self.type(await self.commands.get())

    def command(self, what, **fields):
        self.commands.put_nowait(json.dumps({"do": what, **fields}))

    # `ours.Peer.event` looks for events by their fields.
    event = ours.Peer.event

    async def close(self):
        for task in (self.reader, self.writer):
            if task:
                task.cancel()

    async def quit(self):
        self.command("quit")
        await self.ended()
        await self.close()


class Central(Peer, ours.Central):
    """Our central role in the guest."""


class Peripheral(Peer, ours.Peripheral):
    """Our peripheral role in the guest."""
