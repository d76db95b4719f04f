"""What is done with Linux and BlueZ. Each scenario gets the place of the programs, the guest's image and a folder."""

import asyncio
import json
import pathlib
import re
import shlex
import sys

from interop import database, ours, theirs
from interop.balls import ANSWER, QUESTION, QUESTIONS, SERVICE, UNLIKELY_ERROR
from interop.environments import OurAir
from interop.scenarios import equal, refused

from .machine import Machine

INSIDE = pathlib.Path(__file__).resolve().parents[1] / "inside"
STREAM = 60
NAME = "Interop"
REMOTE_USER_TERMINATED = 0x13


class GuestOnOurAir(OurAir):
    """Our air, and a guest whose kernel has one of its controllers."""

    def __init__(self, image, folder, programs):
        super().__init__(folder, programs)
        self.image = image
        self.machine = None

    async def open(self):
        await super().open()
        self.machine = Machine(self.image, self.folder, serial=self.path)
        await self.machine.start()
        await self.machine.attach()
        await self.machine.start_bluez()
        await self.machine.powered()

    async def close(self):
        if self.machine:
            await self.machine.close()
        await super().close()

    @staticmethod
    def task(work):
        """Begins what is awaited later."""
        return asyncio.create_task(work)

    def python(self, script, *arguments):
        """A command line for a script in the guest."""
        return f"PYTHONDONTWRITEBYTECODE=1 {sys.executable} {INSIDE}/{script} {shlex.join(arguments)}"

    def program(self, name):
        """The beginning of a command line for a program of ours in the guest."""
        return f"HOME=/mnt XDG_STATE_HOME=/mnt/state XDG_RUNTIME_DIR=/mnt {self.programs}/{name}"

    def expect_captures(self, *names):
        """Captures that programs in the guest write, as /mnt/NAME.btsnoop."""
        return {name: self.capture(name) for name in names}

    def fetch(self, captures):
        """Puts captures of the guest where all are read."""
        for name, capture in captures.items():
            capture.write_bytes((self.machine.share / f"{name}.btsnoop").read_bytes())


async def event(words, name):
    said = json.loads(await words.line())
    assert said["event"] == name, f"{said} where {name} was expected"
    return said


async def bluez_asks_us(environment):
    """BlueZ as central of our peripheral, through bleak and D-Bus: the kernel's host on our air."""
    await environment.open()
    await bluez_asks(environment, ours.Peripheral(environment, "our-peripheral"))


bluez_asks_us.title = "BlueZ is the central of our peripheral, on our air"


async def bluez_asks_bumble(environment):
    """Two hosts of others on our air: BlueZ as central of a peripheral of Bumble's."""
    await environment.open()
    await bluez_asks(environment, theirs.Peripheral(environment, "bumble-peripheral", 247))


bluez_asks_bumble.title = "BlueZ is the central of Bumble's peripheral, on our air"


async def bluez_asks(environment, peripheral):
    """Everything that BlueZ's central does with a peripheral."""
    await peripheral.power_on()
    description = database.values()
    await peripheral.publish(description)
    await peripheral.advertise(NAME, [database.SERVICE])
    written = database.numbered(9, 512)
    plan = {
        "reads": [database.LONG, database.STATIC],
        "writes": [(database.LONG, written.hex()), (database.WRITTEN, b"short".hex())],
        "refusals": [database.REFUSED],
        "poured": [(database.POURED, STREAM)],
        "streams": [(database.NOTIFYING, STREAM), (database.INDICATING, STREAM // 4)],
    }
    counted = await peripheral.count_writes(database.POURED, STREAM, 4)
    words = await environment.machine.begin("central", environment.python("central.py", NAME, json.dumps(plan)))
    equal((await event(words, "found"))["name"], NAME, "the name that BlueZ found")
    services = (await event(words, "database"))["services"]
    names = {"write-without-response": "writeWithoutResponse"}
    for service in description[1:]:
        found = services[service["uuid"]]
        for each in service["characteristics"]:
            properties, descriptors = found[each["uuid"]]
            equal(sorted(names.get(name, name) for name in properties), sorted(each["properties"]), each["uuid"])
            long = [f"0000{part['uuid']}-0000-1000-8000-00805F9B34FB" for part in each["descriptors"]]
            # BlueZ keeps the configuration of subscriptions to itself.
            equal([part for part in descriptors if not part.startswith("00002902")], long, each["uuid"])
    for uuid, value in ((database.LONG, database.LONG_VALUE), (database.STATIC, database.STATIC_VALUE)):
        said = await event(words, "read")
        equal((said["uuid"], said["value"]), (uuid, value.hex()), "what BlueZ read")
    for uuid, value in plan["writes"]:
        equal((await peripheral.written(uuid)).hex(), value, "what BlueZ wrote")
        said = await event(words, "written")
        equal((said["uuid"], said["value"]), (uuid, value), "what BlueZ read back")
    equal((await event(words, "refused"))["error"], database.REFUSAL, "the ATT error that BlueZ was given")
    await event(words, "poured")
    equal(await counted, (STREAM, None), "writes without response")
    for uuid, count in plan["streams"]:
        await event(words, "subscribed")
        await peripheral.subscribed(uuid)
        await peripheral.notify_many(uuid, count, 20)
        said = await event(words, "stream")
        equal(said["values"], [database.numbered(number, 20).hex() for number in range(count)], "the updates")
        await peripheral.unsubscribed(uuid)
    await event(words, "disconnected")


async def we_ask_bluez(environment):
    """Our central against a GATT server on BlueZ's D-Bus."""
    await environment.open()
    flags = {"writeWithoutResponse": "write-without-response"}
    plan = {
        "uuid": database.SERVICE.lower(),
        "characteristics": [
            {
                "uuid": each["uuid"].lower(),
                "flags": [flags.get(name, name) for name in each["properties"]],
                "value": each["value"],
                "refuses": "org.bluez.Error.NotAuthorized" if each["refuses"] else "",
                "stream": STREAM if "notify" in each["properties"] else 0,
            }
            for each in database.values()[1]["characteristics"]
        ],
    }
    words = await environment.machine.begin("server", environment.python("server.py", "hci0", NAME, json.dumps(plan)))
    await event(words, "advertising")
    # A smaller MTU makes long reads and writes.
    central = ours.Central(environment, "our-central", mtu=185)
    await central.power_on()
    link = await central.connect(await central.find(database.SERVICE, NAME))
    found = (await link.discover())[database.SERVICE][1]
    for uuid, (properties, _) in database.shape(database.values())[database.SERVICE][1].items():
        equal(found[uuid][0], properties, f"the properties of {uuid}")
    equal(await link.read(database.LONG), database.LONG_VALUE, "the long value")
    equal(await link.read(database.STATIC), database.STATIC_VALUE, "a value")
    equal(await link.read(database.EMPTY), b"", "the empty value")
    await refused(link.read(database.REFUSED), database.REFUSAL)
    # BlueZ 5.66 counts the handle and the offset of a prepared write as a part of the value: it takes 508 octets.
    for length in (1, 182, 183, 508):
        value = database.numbered(length, length)
        await link.write(database.LONG, value)
        equal(await link.read(database.LONG), value, f"a written value of {length} octets")
    outcome = []
    for number in range(STREAM):
        outcome.append((number.to_bytes(4, "little") + bytes(16)).hex())
    await link.subscribe(database.NOTIFYING)
    attribute = link.attributes[database.NOTIFYING]
    got = [(await central.event("value", attribute=attribute))["value"] for _ in range(STREAM)]
    equal(got, outcome, "the notifications")
    await link.subscribe(database.NOTIFYING, on=False)
    await link.disconnect()


we_ask_bluez.title = "our central asks a GATT server on BlueZ's D-Bus, on our air"


async def user_channel(environment):
    """Our program in the guest on the user channel of a btvirt adapter, bluetoothd on the other: an 8-ball on BlueZ's D-Bus
    is asked there; then each reason why an adapter cannot be had, with the line that says what to do."""
    machine = environment.machine = Machine(environment.image, environment.folder)
    await machine.start()
    await machine.make_adapters()
    await machine.start_bluez()
    await machine.powered(0)
    await machine.powered(1)
    plan = {
        "uuid": SERVICE.lower(),
        "characteristics": [
            {"uuid": QUESTION.lower(), "flags": ["write"], "value": ""},
            {
                "uuid": ANSWER.lower(),
                "flags": ["notify"],
                "value": "",
                "answers": QUESTION.lower(),
                "answer": b"SLUG-ANSWER-07".hex(),
            },
        ],
    }
    server = await machine.begin("server", environment.python("server.py", "hci0", "Crystal", json.dumps(plan)))
    await event(server, "advertising")
    eightball = environment.program("eightball")
    tool = environment.program("corebluetooth")

    # What is in the way of an adapter, and the commands that take it away.
    async def asked(command, *parts):
        # Such a program goes on looking for its adapter, as long as its user does.
        said = await machine.run(f"{command} ask '{QUESTIONS[0]}' --timeout 5", status=1)
        for part in parts:
            assert part in said, f"{part!r} is not in {said!r}"

    await asked(f"COREBLUETOOTH_ADAPTER=hci7 {eightball}", "no adapter hci7")
    await asked(
        f"COREBLUETOOTH_ADAPTER=hci1 setpriv --reuid 65534 --regid 65534 --clear-groups env {eightball}",
        "hci1",
        "setcap cap_net_admin,cap_net_raw+eip",
    )
    ball = await machine.begin("ball", f"{eightball} peripheral --name Held --adapter hci1")
    await ball.until("Held")
    await asked(f"COREBLUETOOTH_ADAPTER=hci1 {eightball}", "hci1", "eightball")
    # Each adapter has its own holder: the program has hci1, and bluetoothd the other one.
    listing = await machine.run(f"{tool} adapters --json")
    said = {each["adapter"]: each for each in map(json.loads, listing.splitlines())}
    holders = {name: (said[name]["holder"] or {}).get("name") for name in ("hci0", "hci1")}
    equal(holders, {"hci0": "bluetoothd", "hci1": "eightball"}, "the holders")
    equal(str(said["hci1"]["holder"]["process"]), (machine.share / "ball.pid").read_text().strip(), "the program")
    equal(said["hci0"]["obstacles"][0]["commands"][0], "bluetoothctl power off", "what frees hci0")
    equal(said["hci1"]["obstacles"][0]["commands"], [f"kill {said['hci1']['holder']['process']}"], "what frees hci1")
    # A user who may not look at the sockets of others gets the same about the adapters.
    nobody = "setpriv --reuid 65534 --regid 65534 --clear-groups env"
    listing = await machine.run(f"{nobody} {tool} adapters")
    for part in ("hci0 is in use by bluetoothd (process", "another program has hci1 for itself; to see which one"):
        assert part in listing, f"{part!r} is not in {listing!r}"
    await machine.signal("ball", "INT")
    await machine.ended("ball")

    # bluetoothd has powered hci1 up; our program takes it down and over.
    captures = environment.expect_captures("eightball")
    answer = await machine.run(
        f"{eightball} ask '{QUESTIONS[0]}' --device Crystal --adapter hci1 --timeout 60 --capture /mnt/eightball.btsnoop"
        " 2>/mnt/ask.errors"
    )
    equal(answer, "Outlook good.", "the answer")
    environment.fetch(captures)
    await event(server, "subscribed")
    written = await event(server, "written")
    equal(bytes.fromhex(written["value"]).decode(), QUESTIONS[0], "the question at BlueZ")

    await machine.run("for s in /sys/class/rfkill/*; do echo 1 > $s/soft; done")
    await asked(f"COREBLUETOOTH_ADAPTER=hci1 {eightball}", "rfkill unblock bluetooth")
    listing = await machine.run(f"{tool} adapters")
    assert "rfkill unblock bluetooth" in listing, listing


user_channel.title = "eightball on the user channel of btvirt's adapter, and what is in the way of one"


async def two_of_ours(environment):
    """Two of our programs in the guest, each on the user channel of one of btvirt's adapters: our host in both roles on
    controllers that are neither ours nor Bumble's."""
    machine = environment.machine = Machine(environment.image, environment.folder)
    await machine.start()
    await machine.make_adapters()
    eightball = environment.program("eightball")
    captures = environment.expect_captures("ball", "asker")
    ball = await machine.begin(
        "ball", f"{eightball} peripheral --name Crystal --adapter hci1 --capture /mnt/ball.btsnoop"
    )
    await ball.until("Crystal")
    # The second time the asker is a new process, and its adapter comes from another one's hands.
    for question in QUESTIONS[:2]:
        answer = await machine.run(
            f"{eightball} ask '{question}' --device Crystal --adapter hci0 --timeout 60 --capture /mnt/asker.btsnoop"
        )
        equal(await ball.until("->"), f"{question} -> {answer}", "what the ball has answered")
    await machine.signal("ball", "INT")
    equal(await machine.ended("ball"), 130, "how the ball ended")
    environment.fetch(captures)


two_of_ours.title = "eightball asks eightball, each on the user channel of one of btvirt's adapters"


async def ours_and_bumble(environment):
    """Our host and Bumble's on the controllers that btvirt serves at a socket, in both roles."""
    machine = environment.machine = Machine(environment.image, environment.folder)
    await machine.start()
    socket = await machine.serve_controllers()
    eightball = environment.program("eightball")
    captures = environment.expect_captures("our-ball", "bumble-central", "bumble-ball", "our-central")

    # Bumble's central asks our ball.
    ball = await machine.begin(
        "ball",
        f"{eightball} peripheral --name Crystal --json --adapter h4:unix:{socket} --capture /mnt/our-ball.btsnoop",
    )
    await event(ball, "advertising")
    asker = await machine.begin(
        "asker", environment.python("bumble_ball.py", "ask", socket, "Crystal", *QUESTIONS, "This is no question.")
    )
    found = await event(asker, "found")
    equal((found["name"], found["services"], found["connectable"]), ("Crystal", [SERVICE], True), "what Bumble found")
    properties = {QUESTION: database.WRITE, ANSWER: database.READ | database.NOTIFY}
    equal((await event(asker, "database"))["properties"], properties, "what Bumble discovered")
    for question in QUESTIONS:
        said = await event(asker, "answer")
        equal(said["uuid"], ANSWER, "the attribute of the answer")
        key = bytes.fromhex(said["value"]).decode()
        assert re.fullmatch(r"SLUG-ANSWER-(0\d|1\d)", key), key
        equal((await event(ball, "question"))["question"], question, "the question at our ball")
        sent = await event(ball, "answer")
        equal((sent["key"], sent["question"]), (key, question), "what the ball says it answered")
    said = await event(asker, "refused")
    equal((said["error"], said["unasked"]), (UNLIKELY_ERROR, 0), "the end of what is no question")
    await event(asker, "disconnected")
    await machine.signal("ball", "INT")
    for name, status in (("ball", 130), ("asker", 0)):
        equal(await machine.ended(name), status, f"how the {name} ended")

    # Our central asks Bumble's ball.
    ball = await machine.begin("bumble", environment.python("bumble_ball.py", "answer", socket, "Crystal", "SLUG-ANSWER-07"))
    await event(ball, "advertising")
    answer = await machine.run(
        f"{eightball} ask '{QUESTIONS[0]}' --device Crystal --adapter h4:unix:{socket} --timeout 60"
        " --capture /mnt/our-central.btsnoop"
    )
    equal(answer, "Outlook good.", "the answer")
    # The longest value that an update of Bumble's may have: the MTU was exchanged.
    equal((await event(ball, "subscribed"))["length"], 512, "the limit for the answer")
    question = bytes.fromhex((await event(ball, "question"))["value"]).decode()
    equal(question, QUESTIONS[0], "the question at Bumble's ball")
    # btvirt never reports a host that has gone: our program has ended its link before it ended.
    equal((await event(ball, "disconnected"))["reason"], REMOTE_USER_TERMINATED, "why the link ended")
    equal(await machine.ended("bumble"), 0, "how Bumble's ball ended")
    environment.fetch(captures)


ours_and_bumble.title = "our host and Bumble's ask each other, on btvirt's controllers"
