"""The guest: starts it, runs commands in it, stops it. It sees this machine's files at the same paths, read-only, and one
shared folder as /mnt. A command runs in the one shell that the port "control" leads to; what is to go on behind it writes
into the shared folder, where this side reads it."""

import asyncio
import pathlib
import re
import shlex
import tempfile

from interop.failure import ScenarioFailure

CONTROL = "READY"


class Machine:
    """A guest with Linux and BlueZ."""

    def __init__(self, image, folder, serial=None):
        self.image = pathlib.Path(image)
        self.share = pathlib.Path(folder) / "share"
        self.share.mkdir(parents=True)
        #: The Unix socket of a controller that is behind the guest's second serial port.
        self.serial = serial
        self.console = pathlib.Path(folder) / "console.txt"
        self.sockets = tempfile.TemporaryDirectory(prefix="guest-")
        self.process = None
        self.number = 0
        self.turn = asyncio.Lock()

    async def start(self):
        control = f"{self.sockets.name}/control"
        devices = [
            *("-chardev", f"file,id=console,path={self.console}", "-serial", "chardev:console"),
            *("-chardev", f"socket,id=control,path={control},server=on,wait=off"),
            *("-device", "virtio-serial-pci", "-device", "virtserialport,chardev=control,name=control"),
            *("-virtfs", "local,path=/,mount_tag=root,security_model=none,readonly=on,multidevs=remap"),
            *("-virtfs", f"local,path={self.share},mount_tag=share,security_model=none"),
        ]
        if self.serial:
            devices += ["-chardev", f"socket,id=serial,path={self.serial}", "-serial", "chardev:serial"]
        with open(self.console.with_name("qemu.txt"), "wb") as log:
            self.process = await asyncio.create_subprocess_exec(
                "qemu-system-x86_64",
                *("-M", "q35", "-accel", "tcg", "-cpu", "max", "-m", "768", "-nodefaults", "-display", "none"),
                *("-no-reboot", "-kernel", str(self.image / "vmlinuz"), "-initrd", str(self.image / "initramfs.gz")),
                *("-append", "console=ttyS0 quiet loglevel=4 panic=-1 tsc=unstable"),
                *devices,
                stdin=asyncio.subprocess.DEVNULL,
                stdout=log,
                stderr=log,
            )
        while True:
            try:
                self.reader, self.writer = await asyncio.open_unix_connection(control, limit=1 << 24)
                break
            except OSError:
                if self.process.returncode is not None:
                    raise ScenarioFailure("QEMU ended, see qemu.txt") from None
                await asyncio.sleep(0.02)  # The next look; the scenario's deadline bounds the wait.
        await self.reader.readuntil(f"{CONTROL}\n".encode())
        libraries = ":".join(str(self.image / "programs" / each) for each in ("usr/lib/x86_64-linux-gnu", "lib/x86_64-linux-gnu"))
        self.binaries = {
            name: f"LD_LIBRARY_PATH={libraries} {self.image}/programs/usr/{place}/{name}"
            for name, place in {
                "bluetoothd": "libexec/bluetooth",
                "dbus-daemon": "bin",
                "btattach": "bin",
                "btvirt": "bin",
                "btmgmt": "bin",
                "bluetoothctl": "bin",
            }.items()
        }

    async def run(self, command, status=0):
        """Runs a shell command in the guest and gives its output; its status is asserted unless it is `None`."""
        async with self.turn:
            self.number += 1
            mark = f"@@{self.number}@"
            self.writer.write(f"{{ {command}\n}} </dev/null 2>&1; status=$?; echo; echo \"{mark}$status@\"\n".encode())
            pattern = re.compile(re.escape(mark) + r"(\d+)@")
            lines = []
            while True:
                line = await self.reader.readline()
                if not line:
                    raise ScenarioFailure("the guest's shell has ended, see console.txt")
                text = line.decode(errors="replace").rstrip("\r\n")
                if found := pattern.fullmatch(text):
                    break
                lines.append(text)
        output, got = "\n".join(lines).strip("\n"), int(found[1])
        if status is not None and got != status:
            raise ScenarioFailure(f"{command!r} in the guest ended with {got}: {output}")
        return output

    async def begin(self, name, command, **environment):
        """Starts a command that goes on in the guest; its words are in the shared folder, where the result reads them."""
        settings = " ".join(f"{key}={shlex.quote(str(value))}" for key, value in environment.items())
        files = f">/mnt/{name}.txt 2>/mnt/{name}.errors </dev/null"
        started = f"env {settings} {command} {files} & echo $! >/mnt/{name}.pid"
        await self.run(f"({started}; wait $!; echo $? >/mnt/{name}.status) >/dev/null 2>&1 &")
        # The number of the process is there before anybody asks for it.
        await self.until(f"[ -s /mnt/{name}.pid ]")
        return Words(self, name)

    async def signal(self, name, signal):
        """Sends a signal to what was begun."""
        await self.run(f"kill -{signal} $(cat /mnt/{name}.pid)")

    async def ended(self, name):
        """Waits for the end of what was begun, and gives its status; the guest's shell is free meanwhile."""
        path = self.share / f"{name}.status"
        while not (path.exists() and path.read_text().endswith("\n")):
            await asyncio.sleep(0.02)  # The next look; the scenario's deadline bounds the wait.
        return int(path.read_text())

    async def until(self, command):
        """Waits until a command succeeds, looking again and again; the scenario's time limit ends this."""
        await self.run(f"until {command}; do sleep 0.05; done")

    async def start_bluez(self):
        """Starts the bus and bluetoothd."""
        here = pathlib.Path(__file__).resolve().parents[1]
        rules = self.image / "programs/etc/dbus-1/system.d"
        await self.run(f"sed 's,SYSTEM_D,{rules},' {here}/bus.conf >/run/bus.conf")
        await self.run(f"{self.binaries['dbus-daemon']} --config-file=/run/bus.conf --fork --nopidfile")
        await self.start_bluetoothd()

    async def start_bluetoothd(self):
        here = pathlib.Path(__file__).resolve().parents[1]
        await self.begin("bluetoothd", f"{self.binaries['bluetoothd']} -n -f {here}/bluetooth.conf")

    async def end_bluetoothd(self, signal="TERM"):
        await self.signal("bluetoothd", signal)
        await self.ended("bluetoothd")
        await self.run("rm /mnt/bluetoothd.*")

    async def restart_bluez(self, signal="TERM"):
        """Ends bluetoothd, and starts another one, which has what the first has stored."""
        await self.end_bluetoothd(signal)
        await self.start_bluetoothd()

    async def attach(self):
        """Gives the kernel the controller behind the serial port, as hci0."""
        await self.begin("btattach", f"{self.binaries['btattach']} -B /dev/ttyS1 -P h4 -S 115200 -N")
        await self.until("[ -e /sys/class/bluetooth/hci0 ]")

    async def make_adapters(self):
        """Gives the kernel two adapters of btvirt's, hci0 and hci1."""
        await self.begin("btvirt", f"{self.binaries['btvirt']} -l2 -L")
        await self.until("[ -e /sys/class/bluetooth/hci1 ]")

    async def serve_controllers(self):
        """Starts btvirt's server of controllers that are Bluetooth LE alone; each connection to its socket is one."""
        # Its socket is made in /tmp, which is this machine's: it gets one of its own, with the image beside it.
        place = "/run/image"
        command = self.binaries["btvirt"].replace(str(self.image), place)
        own = f"mkdir -p {place} && mount --bind {self.image} {place} && mount -t tmpfs own /tmp && exec env {command} -s"
        await self.begin("btvirt", f"unshare -m sh -c '{own}'")
        number = (self.share / "btvirt.pid").read_text().strip()
        socket = f"/proc/{number}/root/tmp/bt-server-le"
        await self.until(f"[ -S {socket} ]")
        return socket

    async def powered(self, index=0):
        """Waits until an adapter is up: bit 0 of its flags, as the kernel reports them."""
        here = pathlib.Path(__file__).resolve().parents[1]
        await self.run(f"python3 {here}/inside/adapter.py up {index}")

    async def close(self):
        if self.process is None:
            return
        if self.process.returncode is None:
            self.process.kill()
            await self.process.wait()
        self.sockets.cleanup()


class Shell:
    """bluetoothctl with its agent, which takes its commands from a pipe: the user of the guest's BlueZ."""

    COLOURS = re.compile(r"\x1b\[[0-9;]*[A-Za-z]|[\x00-\x08\x0e-\x1f]")

    def __init__(self, machine, capability):
        self.machine = machine
        self.capability = capability
        self.path = machine.share / "bluetoothctl.txt"
        self.seen = 0

    async def start(self):
        binary = self.machine.binaries["bluetoothctl"]
        await self.machine.run("mkfifo /run/bluetoothctl")
        command = f"env {binary} --agent {self.capability} <>/run/bluetoothctl"
        await self.machine.begin("bluetoothctl", f"sh -c '{command}'")
        await self.until("Agent registered")
        await self.type("default-agent")
        await self.until("Default agent request successful")
        await self.type("pairable on")
        return self

    async def type(self, line):
        await self.machine.run(f"echo '{line}' >/run/bluetoothctl")

    async def until(self, pattern):
        """Waits for a text from here on, and gives what its first group has found, or all."""
        pattern = re.compile(pattern)
        while True:
            # A question has no end of line, so this looks at all that there is.
            content = self.path.read_text(errors="replace") if self.path.exists() else ""
            text = self.COLOURS.sub("", content[self.seen :])
            if found := pattern.search(text):
                self.seen = len(content)
                return found[found.re.groups and 1]
            if self.path.with_suffix(".status").exists():
                raise ScenarioFailure(f"bluetoothctl has ended: {text[-500:]}")
            await asyncio.sleep(0.02)  # The next look; the scenario's deadline bounds the wait.


class Words:
    """What a program in the guest says, line by line."""

    def __init__(self, machine, name):
        self.machine = machine
        self.name = name
        self.path = machine.share / f"{name}.txt"
        self.offset = 0

    async def line(self):
        """The next line, once it is there."""
        while True:
            content = self.path.read_bytes()[self.offset :] if self.path.exists() else b""
            if b"\n" in content:
                line = content.split(b"\n", 1)[0]
                self.offset += len(line) + 1
                return line.decode()
            if self.has_ended:
                status = self.path.with_suffix(".status").read_text().strip()
                raise ScenarioFailure(f"{self.name} in the guest ended with {status}: {self.errors.strip()[-500:]}")
            await asyncio.sleep(0.02)  # The next look; the scenario's deadline bounds the wait.

    async def until(self, part):
        """The first line from here on that holds a text."""
        while True:
            line = await self.line()
            if part in line:
                return line

    @property
    def errors(self):
        path = self.path.with_suffix(".errors")
        return path.read_text(errors="replace") if path.exists() else ""

    @property
    def has_ended(self):
        return self.path.with_suffix(".status").exists()
