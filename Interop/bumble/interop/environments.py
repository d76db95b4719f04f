"""The controllers of two hosts: our air, Bumble's controllers, RootCanal. Each scenario has fresh ones."""

import asyncio
import contextlib
import os
import pathlib
import secrets
import socket
import sys
import tempfile

from bumble import hci

from .failure import ScenarioFailure


def free_ports(count):
    """Different free ports: all are held until the last one is found."""
    with contextlib.ExitStack() as stack:
        probes = [stack.enter_context(socket.socket()) for _ in range(count)]
        for probe in probes:
            probe.bind(("127.0.0.1", 0))
        return [probe.getsockname()[1] for probe in probes]


async def listening(address, process, name):
    """Waits until a server listens at a port or at a path: a socket's path is there before it listens."""
    while True:
        if process.returncode is not None:
            raise ScenarioFailure(f"{name} ended with {process.returncode} before it listened, see controllers.txt")
        try:
            if isinstance(address, int):
                _, writer = await asyncio.open_connection("127.0.0.1", address)
            else:
                _, writer = await asyncio.open_unix_connection(address)
            writer.close()
            return
        except OSError:
            await asyncio.sleep(0.01)  # The next look; the scenario's deadline bounds the wait.


class Environment:
    """The controllers of a scenario."""

    #: The number of values of a stream: emulators that move a packet per 10 ms get fewer.
    stream = 400
    #: The number of octets that an L2CAP channel carries in each direction.
    channel = 50_000
    #: The size of an extended advertisement in octets: more than one report holds.
    advertised = 240
    #: The PHYs on which an extended advertisement begins.
    advertising_phys = (hci.Phy.LE_1M, hci.Phy.LE_CODED)
    #: The scenarios that this environment cannot run, by their titles, with the reason.
    cannot = {}
    #: The procedures that its controllers do not know.
    lacks = set()
    #: Whether its controllers resolve private addresses if they claim to.
    resolves = True
    #: Whether its controllers hold back data that a receiver does not take.
    holds_back = False
    #: Whether its controllers exit at Set Controller To Host Flow Control, which they list as supported.
    stops_at_flow_control = False
    #: Why a link ends whose other host has died: in our words, and in HCI's, which is what Bumble reports.
    loss = ("CBError 6", 0x08)

    def __init__(self, folder, programs):
        self.folder = pathlib.Path(folder)
        self.programs = pathlib.Path(programs)
        self.parts = []
        self.captures = []
        #: Remarks, which are printed below the scenario's line.
        self.remarks = []
        self.process = None
        self.folder.mkdir(parents=True, exist_ok=True)
        # The path of a socket must be short, however long the folder's is.
        self.sockets = tempfile.TemporaryDirectory(prefix="interop-")

    def capture(self, name):
        """The capture of a host's packets; `None` if `captures` is none."""
        if self.captures is None:
            return pathlib.Path("/dev/null")
        path = self.folder / f"{name}.btsnoop"
        path.unlink(missing_ok=True)
        self.captures.append(path)
        return path

    @staticmethod
    def random_address():
        octets = bytearray(secrets.token_bytes(6))
        octets[0] |= 0xC0
        address = ":".join(f"{octet:02X}" for octet in octets)
        return hci.Address(address, hci.Address.RANDOM_DEVICE_ADDRESS)

    async def run(self, program, *arguments, **environment):
        log = open(self.folder / "controllers.txt", "wb")
        self.process = await asyncio.create_subprocess_exec(
            program,
            *arguments,
            stdout=log,
            stderr=log,
            env={**os.environ, **environment},
        )

    async def close(self):
        for part in reversed(self.parts):
            await part.close()
        if self.process and self.process.returncode is None:
            self.process.terminate()
            await self.process.wait()
        self.sockets.cleanup()


class OurAir(Environment):
    """Our air, served by another process."""

    name = "our air"
    holds_back = True

    async def open(self):
        path = self.path = pathlib.Path(self.sockets.name) / "air"
        await self.run(self.programs / "corebluetooth", "air", "--listen", f"unix:{path}")
        await listening(path, self.process, "the air")

    def our_adapter(self):
        return f"air:{self.path}"

    def their_transport(self):
        return f"unix-client:{self.path}"


class OurAirOverTCP(Environment):
    """Our air, served at a port."""

    name = "our air, TCP"

    async def open(self):
        [self.port] = free_ports(1)
        await self.run(self.programs / "corebluetooth", "air", "--listen", f"tcp:127.0.0.1:{self.port}")
        await listening(self.port, self.process, "the air")

    def our_adapter(self):
        return f"air:tcp:127.0.0.1:{self.port}"

    def their_transport(self):
        return f"tcp-client:127.0.0.1:{self.port}"


class BumbleControllers(Environment):
    """Two of Bumble's controllers on its own link."""

    name = "Bumble's controllers"
    #: LE Set PHY is never answered, LE Set Data Length and Read RSSI are refused.
    lacks = {"PHY", "data length", "RSSI"}
    #: They list no extended commands, whatever is advertised has one report by LE 1M, and that in extended form.
    advertised = 229
    advertising_phys = (hci.Phy.LE_1M,)
    #: The resolving list is accepted and ignored.
    resolves = False
    channel = 20_000
    cannot = {
        "8 links at once": "there are two controllers",
        "a host that dies": "the other side is never notified",
    }

    async def open(self):
        self.ports = free_ports(2)
        servers = [f"tcp-server:127.0.0.1:{port}" for port in self.ports]
        await self.run(sys.executable, "-m", "bumble.apps.controllers", *servers)
        await self.serving()

    async def serving(self):
        # A look by connecting would be taken for the one host that each port has, so the kernel's table is read until
        # both ports listen. The scenario's own time limit ends this.
        wanted = {f"{port:04X}" for port in self.ports}
        while True:
            if self.process.returncode is not None:
                raise ScenarioFailure("Bumble's controllers ended before they listened, see controllers.txt")
            with open("/proc/net/tcp") as table:
                lines = [line.split() for line in table.readlines()[1:]]
            if wanted <= {line[1].split(":")[1] for line in lines if line[3] == "0A"}:
                return
            await asyncio.sleep(0.01)

    def our_adapter(self):
        return f"h4:tcp:127.0.0.1:{self.ports.pop()}"

    def their_transport(self):
        return f"tcp-client:127.0.0.1:{self.ports.pop()}"


class RootCanal(Environment):
    """RootCanal: each connection is a new controller on one link layer."""

    name = "RootCanal"
    lacks = {"data length"}
    stops_at_flow_control = True
    _strength = "its signal strengths run from 0 down to -127 dBm and over again, the app takes -60 to -20 dBm"
    cannot = {
        "our eightball asks a ball written in Bumble": _strength,
        "our eightball asks our eightball": _strength,
    }
    #: The controller ends the link at once: Remote Device Terminated due to Power Off.
    loss = ("CBError 7", 0x15)
    stream = 60
    channel = 6_000

    async def open(self):
        import rootcanal

        program = pathlib.Path(rootcanal.__file__).parent / "bin/linux-x86_64/rootcanal"
        ports = free_ports(4)
        self.port = ports[0]
        names = ("hci_port", "test_port", "link_port", "link_ble_port")
        program.chmod(0o755)
        await self.run(
            program,
            *(argument for name, port in zip(names, ports) for argument in (f"--{name}", str(port))),
            LD_LIBRARY_PATH=str(program.parent),
        )
        await listening(self.port, self.process, "RootCanal")

    def our_adapter(self):
        return f"h4:tcp:127.0.0.1:{self.port}"

    def their_transport(self):
        return f"tcp-client:127.0.0.1:{self.port}"
