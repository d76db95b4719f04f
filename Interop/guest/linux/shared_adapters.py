"""Two adapters of one machine against each other: our programs on the one that bluetoothd has, as a user who is not
root, and our own host on the user channel of the other."""

import json

from interop.balls import QUESTIONS
from interop.scenarios import equal

from . import guests
from .machine import Machine

#: A user's message of several pieces, and the answer.
MESSAGES = {"Hello": "Darkness " * 100}, {"Yo": "Lo " * 100}


async def two_adapters(environment):
    machine = environment.machine = Machine(environment.image, environment.folder)
    await machine.start()
    await machine.make_adapters()
    await machine.start_bluez()
    for index in (0, 1):
        await machine.powered(index)
    return machine


def on_user_channel(environment, program):
    """The beginning of a command line for a program of ours on hci1."""
    # btvirt connects two controllers only if both use the same commands for advertising, and BlueZ uses the extended
    # ones.
    return f"COREBLUETOOTH_EXTENDED_ADVERTISING=on COREBLUETOOTH_ADAPTER=hci1 {environment.program(program)}"


async def balls(environment):
    """The 8-ball in both roles. Then bluetoothd ends and starts again."""
    machine = await two_adapters(environment)
    captures = environment.expect_captures("ball", "asker")
    eightball = on_user_channel(environment, "eightball")
    shared = await guests.command(environment, "shared", "eightball")
    ball = await machine.begin("ball", f"{eightball} peripheral --name Crystal --capture /mnt/ball.btsnoop")
    await ball.until("Crystal")
    for question in QUESTIONS[:2]:
        answer = await machine.run(f"{shared} ask '{question}' --device Crystal --timeout 90")
        equal(await ball.until("->"), f"{question} -> {answer}", "what the ball has answered")
    await machine.signal("ball", "INT")
    equal(await machine.ended("ball"), 130, "how the ball ended")

    ball = await machine.begin("shared", f"env {shared} peripheral --name Slug")
    await ball.until("Slug")
    ask = f"{eightball} ask '{QUESTIONS[0]}' --device Slug --timeout 90 --capture /mnt/asker.btsnoop"
    answer = await machine.run(ask)
    equal(await ball.until("->"), f"{QUESTIONS[0]} -> {answer}", "what the ball on BlueZ has answered")
    # The ball is there again with bluetoothd.
    await machine.restart_bluez()
    await machine.powered(0)
    answer = await machine.run(ask)
    equal(await ball.until("->"), f"{QUESTIONS[0]} -> {answer}", "the ball's answer after a restart of bluetoothd")
    await machine.signal("shared", "INT")
    equal(await machine.ended("shared"), 130, "how the ball on BlueZ ended")
    environment.fetch(captures)


balls.title = "eightball asks eightball, one of them on the adapter that bluetoothd has, without root"


async def ears(environment):
    """The messenger in both roles: each side gets the other's message."""
    machine = await two_adapters(environment)
    captures = environment.expect_captures("ear0", "ear1")
    own, shared = on_user_channel(environment, "blueear"), await guests.command(environment, "shared", "blueear")
    for number, (listening, speaking) in enumerate(((own, shared), (shared, own))):
        down, up = MESSAGES
        capture = f"--capture /mnt/ear{number}.btsnoop"
        options = [capture if each is own else "" for each in (listening, speaking)]
        pairs = [f"'{key}={value}'" for message in MESSAGES for key, value in message.items()]
        line = f"peripheral --name Ear{number} --message {pairs[0]} --json {options[0]}"
        peripheral = await machine.begin(f"peripheral{number}", f"env {listening} {line}")
        await peripheral.until("didStartAdvertising")
        line = f"central --device Ear{number} --message {pairs[1]} --timeout 90 --json {options[1]}"
        central = await machine.begin(f"central{number}", f"env {speaking} {line}")
        for words, message in ((central, down), (peripheral, up)):
            equal(json.loads(await words.until('"received"'))["message"], message, "the other side's message")
        equal(await machine.ended(f"central{number}"), 0, "how the central ended")
        await machine.signal(f"peripheral{number}", "INT")
        equal(await machine.ended(f"peripheral{number}"), 130, "how the peripheral ended")
    environment.fetch(captures)


ears.title = "blueear writes to blueear, one of them on the adapter that bluetoothd has, without root"

SCENARIOS = (balls, ears)
