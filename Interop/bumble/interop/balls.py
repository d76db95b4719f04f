"""The 8-ball: asked by Bumble, written in Bumble, and ours on both sides; in a terminal and on its page."""

import asyncio
import re

from . import ours, theirs
from .page import Page
from .database import shape
from .scenarios import equal, refused

SERVICE = "8E38140A-27BE-4090-8955-4FC4B5698D1E"
QUESTION = "BDD37D7A-F66A-47B9-A49C-FE29FD235A77"
ANSWER = "349A0D7B-6215-4E2C-A095-AF078D737445"
BALL = [
    {
        "uuid": SERVICE,
        "secondary": False,
        "includes": [],
        "characteristics": [
            {"uuid": QUESTION, "properties": ["write"], "value": "", "static": False, "refuses": 0, "descriptors": []},
            {"uuid": ANSWER, "properties": ["notify"], "value": "", "static": False, "refuses": 0, "descriptors": []},
        ],
    }
]
QUESTIONS = ("Will it rain today?", "Wird es heute regnen, „ja“ oder „nein“?")
UNLIKELY_ERROR = 0x0E


async def our_ball_asked_by_bumble(environment, *_):
    """Bumble's central finds our ball and asks; text that is no question is refused."""
    ball = await ours.Program(environment, "our-ball", "peripheral", "--name", "Crystal", "--json").start()
    await ball.event("advertising")
    central = theirs.Central(environment, "bumble-central")
    await central.power_on()
    link = await central.connect(await central.find(SERVICE, "Crystal"))
    found = await link.discover()
    characteristics = found[SERVICE][1]
    assert QUESTION in characteristics and ANSWER in characteristics, found
    answers = asyncio.Queue()
    link.heard = lambda attribute, value: answers.put_nowait((attribute, value))
    await link.subscribe(ANSWER)
    for question in QUESTIONS:
        await link.write(QUESTION, question.encode())
        equal((await ball.event("question"))["question"], question, "the question at the ball")
        attribute, value = await answers.get()
        equal(attribute, ANSWER, "the attribute of the answer")
        assert re.fullmatch(r"SLUG-ANSWER-(0\d|1\d)", value.decode()), value
        sent = await ball.event("answer")
        equal((sent["key"], sent["question"]), (value.decode(), question), "what the ball says it answered")
    await refused(link.write(QUESTION, b"This is no question."), UNLIKELY_ERROR)
    assert answers.empty(), "an answer to no question"
    await link.disconnect()


our_ball_asked_by_bumble.title = "Bumble's central asks our eightball"


async def bumbles_ball_asked_by_ours(environment, *_):
    """`eightball ask` finds a ball written in Bumble and prints its answer."""
    ball = theirs.Peripheral(environment, "bumble-ball")
    await ball.power_on()
    await ball.publish(BALL)
    assert shape(BALL)
    await ball.advertise("Crystal", [SERVICE])
    program = ours.Program(environment, "our-central", "ask", QUESTIONS[0], "--device", "Crystal", "--timeout", "20")
    await program.start()

    async def answer():
        await ball.subscribed(ANSWER)
        question = await ball.written(QUESTION)
        equal(question.decode(), QUESTIONS[0], "the question at the ball")
        await ball.device.notify_subscriber(ball.connection, ball.characteristics[ANSWER], b"SLUG-ANSWER-07")

    (printed, status), _ = await asyncio.gather(program.output(), answer())
    equal((printed, status), ("Outlook good.\n", 0), "what eightball printed")


bumbles_ball_asked_by_ours.title = "our eightball asks a ball written in Bumble"


async def our_page_asked_by_bumble(environment, *_):
    """Bumble's central asks the ball that a page in a browser is, and its user answers by hand."""
    page = await Page(environment, "our-page", "--name", "Crystal").open()
    await page.do("role", role="peripheral")
    await page.shown(lambda document: "Crystal" in document.get("peripheral", {"state": ""})["state"])
    await page.do("byHand", isOn=True)
    central = theirs.Central(environment, "bumble-central")
    await central.power_on()
    link = await central.connect(await central.find(SERVICE, "Crystal"))
    await link.discover()
    answers = asyncio.Queue()
    link.heard = lambda attribute, value: answers.put_nowait(value)
    await link.subscribe(ANSWER)
    for number, question in enumerate(QUESTIONS):
        await link.write(QUESTION, question.encode())
        entry = await page.shown(lambda document: _entry(document, question, "open"))
        await page.do("answer", entry=entry["number"], answer=number)
        equal((await answers.get()).decode(), f"SLUG-ANSWER-{number:02}", "the answer")
        await page.shown(lambda document: _entry(document, question, "answered"))
    await refused(link.write(QUESTION, b"This is no question."), UNLIKELY_ERROR)
    await page.shown(lambda document: _entry(document, "This is no question.", "refused"))
    await link.disconnect()


our_page_asked_by_bumble.title = "Bumble's central asks the page of our eightball"


def _entry(document, question, stage):
    entries = document["peripheral"]["entries"]
    return next((entry for entry in entries if (entry["question"], entry["stage"]) == (question, stage)), None)


async def bumbles_ball_asked_by_our_page(environment, *_):
    """The page shows a ball written in Bumble, asks it, and shows its answer."""
    ball = theirs.Peripheral(environment, "bumble-ball")
    await ball.power_on()
    await ball.publish(BALL)
    await ball.advertise("Crystal", [SERVICE])
    page = await Page(environment, "our-page").open()
    await page.do("role", role="central")

    def crystal(document):
        balls = (document.get("central") or {"balls": []})["balls"]
        return next((ball for ball in balls if ball["name"] == "Crystal"), None)

    found = await page.shown(crystal)
    await page.do("ask", ball=found["id"], question=QUESTIONS[1])
    await ball.subscribed(ANSWER)
    equal((await ball.written(QUESTION)).decode(), QUESTIONS[1], "the question at the ball")
    await ball.device.notify_subscriber(ball.connection, ball.characteristics[ANSWER], b"SLUG-ANSWER-07")
    answered = await page.shown(lambda document: (shown := crystal(document))["stage"] == "answered" and shown)
    equal((answered["question"], answered["words"]), (QUESTIONS[1], "Outlook good."), "what the page shows")


bumbles_ball_asked_by_our_page.title = "the page of our eightball asks a ball written in Bumble"


async def our_ball_asked_by_ours(environment, *_):
    """Both are ours, in two processes on two controllers."""
    ball = await ours.Program(environment, "our-ball", "peripheral", "--name", "Crystal", "--json").start()
    await ball.event("advertising")
    program = ours.Program(
        environment, "our-central", "ask", QUESTIONS[0], "--device", "Crystal", "--timeout", "20", "--json"
    )
    await program.start()
    printed, status = await program.output()
    question, sent = await ball.event("question"), await ball.event("answer")
    equal(question["question"], QUESTIONS[0], "the question at the ball")
    equal(status, 0, "the status of eightball ask")
    assert f'"key":"{sent["key"]}"' in printed.replace(": ", ":"), (printed, sent)


our_ball_asked_by_ours.title = "our eightball asks our eightball"
