"""In the guest: Bumble's host on a controller behind a socket, as who asks an 8-ball or as an 8-ball. It says what it saw
as lines of JSON; the other side asserts.

    bumble_ball.py ask SOCKET NAME QUESTION... asks the ball of that name; the last text is one that it refuses
    bumble_ball.py answer SOCKET NAME ANSWER   is a ball of that name, and answers one question
"""

import asyncio
import json
import pathlib
import sys

# The folder of this script leaves the search path: what Bumble's host does is written beside its other scenarios.
sys.path[0] = str(pathlib.Path(__file__).resolve().parents[2] / "bumble")

from interop import theirs
from interop.balls import ANSWER, BALL, QUESTION, SERVICE
from interop.failure import AttributeFailure
from interop.environments import Environment


def say(event, **fields):
    print(json.dumps({"event": event, **fields}), flush=True)


class Controller:
    """A controller that is there already."""

    random_address = staticmethod(Environment.random_address)
    # The folder of the captures.
    captures = pathlib.Path("/mnt")

    def __init__(self, socket):
        self.socket = socket
        self.parts = []

    def their_transport(self):
        return f"unix-client:{self.socket}"

    def capture(self, name):
        return self.captures / f"{name}.btsnoop"


async def ask(controller, name, *questions):
    central = theirs.Central(controller, "bumble-central")
    await central.power_on()
    found = await central.find(SERVICE, name)
    say("found", name=found["name"], services=found["services"], connectable=found["connectable"])
    link = await central.connect(found)
    _, characteristics = (await link.discover())[SERVICE]
    say("database", properties={uuid: properties for uuid, (properties, _) in characteristics.items()})
    answers = asyncio.Queue()
    link.heard = lambda attribute, value: answers.put_nowait((attribute, value))
    await link.subscribe(ANSWER)
    for question in questions[:-1]:
        await link.write(QUESTION, question.encode())
        attribute, value = await answers.get()
        say("answer", uuid=attribute, value=value.hex())
    try:
        await link.write(QUESTION, questions[-1].encode())
        say("taken")
    except AttributeFailure as failure:
        say("refused", error=failure.code, unasked=answers.qsize())
    await link.disconnect()
    say("disconnected", reason=await link.ended())


async def answer(controller, name, text):
    ball = theirs.Peripheral(controller, "bumble-ball")
    await ball.power_on()
    await ball.publish(BALL)
    await ball.advertise(name, [SERVICE])
    say("advertising")
    say("subscribed", length=await ball.subscribed(ANSWER))
    say("question", value=(await ball.written(QUESTION)).hex())
    # The host may still hold the answer back when it has taken it, and loses it where the script ends then.
    ended = asyncio.get_running_loop().create_future()
    ball.connection.on("disconnection", lambda reason: ended.done() or ended.set_result(reason))
    await ball.device.notify_subscriber(ball.connection, ball.characteristics[ANSWER], text.encode())
    say("disconnected", reason=await ended)


async def main():
    role, socket, *words = sys.argv[1:]
    controller = Controller(socket)
    await {"ask": ask, "answer": answer}[role](controller, *words)
    for part in controller.parts:
        await part.close()


asyncio.run(main())
