"""What a person does with the page, and what the page must show then."""

import http.server
import os
import signal
import subprocess
import threading
import time
import urllib.parse

from selenium.webdriver.common.keys import Keys

from .browser import DESK, PHONE
from .programs import Failure, eventually


def check(condition, what):
    """Fails unless a condition holds."""
    if not condition:
        raise Failure(what)


def choose(browser, role):
    """Chooses a role with the keyboard alone."""
    browser.sees("#roles")
    browser.tab_to(role)
    browser.keys(Keys.ENTER)
    browser.misses("#roles")


def fits(browser):
    """The page is not wider than the window, and the controls are large enough for a finger."""
    for selector in ("html", "body", "main"):
        check(browser.script("return document.querySelector(arguments[0]).scrollWidth <= innerWidth", selector),
              f"{selector} is wider than the window")
    small = browser.script("""
        return [...document.querySelectorAll("button, .item, .switch, input:not([type])")].filter(each => {
            const box = each.getBoundingClientRect()
            return box.width && (box.height < 44 || box.left < 0 || box.right > innerWidth)
        }).map(each => each.outerHTML)""")
    check(not small, f"too small, or outside: {small}")


def is_named(browser):
    """Everything that takes the keyboard has a name and a role for a screen reader."""
    nodes = browser.driver.execute_cdp_cmd("Accessibility.getFullAXTree", {})["nodes"]
    focusable = [node for node in nodes if not node.get("ignored") and any(
        each["name"] == "focusable" and each["value"].get("value") for each in node.get("properties", []))]
    roles = set()
    for node in focusable:
        role = node["role"]["value"]
        roles.add(role)
        check(role == "RootWebArea" or node.get("name", {}).get("value"), f"a {role} has no name")
    return roles


def question(stage):
    """Two processes on one air, both used by keys alone: the answer is on both pages."""
    ball = stage.eightball("web", "--name", "Crystal", "--identity", "ball")
    asker = stage.eightball("web", "--identity", "asker")
    ball_page, page = stage.browser(), stage.browser(PHONE)
    page.open(asker.address)
    page.listen()
    page.sees("#roles")
    fits(page)
    check(is_named(page) >= {"button"}, "the choice has no buttons")
    page.picture("choice-phone")
    ball_page.open(ball.address)
    choose(ball_page, "Peripheral")
    ball_page.reads("#being-name", "“Crystal” is a Magic 8-Ball now")
    ball_page.listen()
    choose(page, "Central")
    check(page.focus == "question", f"{page.focus} has the focus, not the question")
    page.reads("#list", "Crystal")
    page.reads("#list", "-45 dBm")
    page.reads("#status", "1 ball")
    roles = is_named(page)
    check(roles >= {"radio", "textbox", "button"}, f"a screen reader finds {roles}")
    fits(page)
    page.keys("Will it rain", Keys.ENTER)
    page.reads("#hint", "a question ends with")
    check(page.element("#question").get_attribute("aria-invalid") == "true", "the question is not marked as wrong")
    page.keys("?", Keys.ENTER)
    answer = page.reads("#words[data-stage=answered]", ".")
    eventually("the answer on the die", lambda: " ".join(page.script(
        "return [...document.querySelectorAll('#answer text')].map(each => each.textContent)")) == answer)
    page.heard(f"Crystal: {answer}")
    ball_page.reads("#entries", "Will it rain?")
    ball_page.reads("#entries", answer)
    ball_page.heard("asks: Will it rain?")
    eventually("the end of the movement", lambda: page.script(
        "return getComputedStyle(document.querySelector('#answer')).opacity === '1'"))
    for browser, name in ((page, "answer-phone"), (ball_page, "answered")):
        browser.picture(name)
    page.resize(DESK, dark=True)
    page.picture("answer-dark")
    check(page.script("return getComputedStyle(document.body).backgroundColor") == "rgb(14, 16, 24)", "it is not dark")
    page.resize((320, 640))
    fits(page)
    page.picture("answer-narrow")
    page.resize((844, 390))
    fits(page)
    page.picture("answer-sideways")
    check(page.script("return document.querySelector('#ask').getBoundingClientRect().bottom <= innerHeight"),
          "the form is below the fold of a phone held sideways")
    # The last question is an arrow away.
    page.keys(Keys.ARROW_UP)
    check(page.element("#question").get_property("value") == "Will it rain?", "the earlier question does not come back")
    # The role is left and taken again, by the keyboard alone.
    page.tab_to("leave")
    page.keys(Keys.ENTER)
    choose(page, "Central")
    page.reads("#list", "Crystal")
    # The ball goes, first as lost, then altogether.
    check(ball.end() == 0, "SIGTERM does not end with 0")
    page.reads("#list", "went offline")
    page.reads("#notice", "Looking for 8-balls")
    page.heard("no ball")
    check(asker.end(signal.SIGINT) == 130, "an interrupt does not end with 130")
    for browser in (page, ball_page):
        check(not browser.problems(), f"the browser complains: {browser.problems()}")


def by_hand(stage):
    """A person chooses one of the twenty answers; another question is refused as busy meanwhile; one page is German."""
    ball = stage.eightball("web", "--name", "Crystal", "--identity", "ball")
    asker = stage.eightball("web", "--identity", "asker")
    other = stage.eightball("web", "--identity", "other")
    ball_page, page = stage.browser(PHONE), stage.browser()
    german = stage.browser(PHONE, language="de-DE")
    ball_page.open(ball.address)
    choose(ball_page, "Peripheral")
    check(ball_page.focus == "by-hand", "the switch has no focus")
    ball_page.keys(Keys.SPACE)
    ball_page.sees("#by-hand:checked + .track")
    check(is_named(ball_page) >= {"switch"}, "there is no switch")
    page.open(asker.address)
    choose(page, "Central")
    page.reads("#list", "Crystal")
    german.open(other.address)
    choose(german, "Central")
    german.reads("#list", "Crystal")
    page.keys("Shall I go?", Keys.ENTER)
    page.reads("#words", "The ball has the question")
    page.sees("#ball[data-face=turning]")
    moving = "return document.querySelector('#die polygon:not([visibility=hidden])').getAttribute('points')"
    first = page.script(moving)
    eventually("the die turning", lambda: page.script(moving) != first)
    page.picture("turning")
    ball_page.reads("#open-question", "Shall I go?")
    ball_page.reads("#status", "1 listener")
    fits(ball_page)
    ball_page.picture("open-phone")
    german.keys("Und ich?", Keys.ENTER)
    german.reads("#words[data-stage=failed]", "ist mit einer anderen Frage beschäftigt; frag später noch einmal")
    german.picture("refused-german")
    ball_page.reads("#entries", "refused: the ball is busy")
    ball_page.tab_to("Any answer")
    ball_page.keys(*[Keys.ARROW_DOWN] * 4)
    check(ball_page.focus == "Yes definitely.", f"the arrows lead to {ball_page.focus}")
    ball_page.keys(Keys.ENTER)
    page.reads("#words[data-stage=answered]", "Yes definitely.")
    ball_page.misses("#open")
    check(ball_page.focus == "by-hand", "the focus is lost")
    ball_page.reads("#entries", "Yes definitely.")
    # Any answer, by a click this time.
    german.keys("Und jetzt?", Keys.ENTER)
    ball_page.reads("#open-question", "Und jetzt?")
    ball_page.click("#answers .primary")
    german.reads("#words[data-stage=answered]", ".")
    for browser in (page, ball_page, german):
        check(not browser.problems(), f"the browser complains: {browser.problems()}")


def balls(stage):
    """Several balls, each with a conversation of its own; they are chosen by arrows, and come and go."""
    for name in ("Attic", "Barn", "Cellar"):
        stage.eightball("peripheral", "--name", name, "--identity", name, "--distance", "2.2")
    page = stage.browser(PHONE)
    asker = stage.eightball("web", "--identity", "asker")
    page.open(asker.address)
    choose(page, "Central")
    for name in ("Attic", "Barn", "Cellar"):
        page.reads("#list", name)
    page.reads("#status", "3 balls")
    page.keys("First?", Keys.ENTER)
    first = page.reads("#words[data-stage=answered]", ".")
    name = page.text("#name")
    page.script("document.querySelector('#list :checked').focus()")
    page.keys(Keys.ARROW_DOWN)
    eventually("the next ball", lambda: page.text("#name") not in ("", name))
    check(page.text("#words") == "", "another ball has that answer, too")
    second = page.text("#name")
    page.tab_to("question")
    page.keys("Second?", Keys.ENTER)
    page.reads("#words[data-stage=answered]", ".")
    page.reads("#list", first)
    # Another tab shows the same.
    page.driver.switch_to.new_window("tab")
    page.resize(PHONE)
    page.open(asker.address)
    page.reads("#name", second)
    page.reads("#asked", "Second?")
    page.script("document.querySelector('#list :not(:checked)').focus()")
    fits(page)
    page.picture("several-phone")
    for program in stage.air.running[:3]:
        program.kill()
    page.reads("#notice", "Looking for 8-balls")
    # The ball that had the focus is gone: the focus stays in the page.
    check(page.focus == "question", f"{page.focus!r} has the focus")
    check(not page.problems(), f"the browser complains: {page.problems()}")


def crowd(stage):
    """A hundred balls come, one of them answers, and half of them go at once."""
    balls = [
        stage.eightball("peripheral", "--name", f"Ball {number}", "--identity", f"ball-{number}", "--distance", "2.2")
        for number in range(100)]
    page = stage.browser(PHONE)
    asker = stage.eightball("web", "--identity", "asker")
    page.open(asker.address)
    choose(page, "Central")
    page.reads("#status", "100 balls")
    fits(page)
    page.keys("Is it crowded?", Keys.ENTER)
    page.reads("#words[data-stage=answered]", ".")
    page.picture("crowd-phone")
    for ball in balls[:50]:
        ball.kill()
    page.reads("#status", "50 balls")
    check(not page.problems(), f"the browser complains: {page.problems()}")


def pairing(stage):
    """The code of a pairing is asked for: a wrong one is refused, the right one leads to the answer."""
    ball = stage.eightball("peripheral", "--name", "Crystal", "--identity", "ball", "--require-pairing", "passkey")
    asker = stage.eightball("web", "--identity", "asker")
    page = stage.browser(PHONE, dark=True)
    page.open(asker.address)
    choose(page, "Central")
    page.reads("#list", "Crystal")

    def codes():
        return [line.rsplit(" ", 1)[1] for line in ball.lines if line.startswith("Code for ")]

    page.keys("Is it open?", Keys.ENTER)
    page.reads("#pairing-text", "Crystal shows a code. Enter it here")
    check(page.focus == "code", f"{page.focus} has the focus, not the code")
    page.picture("pairing-phone-dark")
    eventually("a code", codes)
    # Only digits are accepted.
    page.keys("x", "000001" if codes()[0] == "000000" else "000000", Keys.ENTER)
    page.misses("#pairing")
    page.reads("#words[data-stage=failed]", "Authentication is insufficient")
    page.reads("#notice", "Pairing with Crystal failed")
    # Pairing again is refused for a while after a failure.
    for number in range(2, 1000):
        question = f"Is it open, the {number}. time?"
        page.click("#question")
        page.keys(question, Keys.ENTER)
        page.reads("#asked", question)
        eventually("what becomes of the question", lambda: page.script(
            "return document.querySelector('#pairing').open "
            "|| document.querySelector('#words').dataset.stage === 'failed'"))
        if page.script("return document.querySelector('#pairing').open"):
            break
    eventually("another code", lambda: len(codes()) > 1)
    page.keys(codes()[-1], Keys.ENTER)
    answer = page.reads("#words[data-stage=answered]", ".")
    ball.line(f"-> {answer}")
    check(not page.problems(), f"the browser complains: {page.problems()}")


def comparing(stage):
    """Two pages pair by comparing six digits: both show the same, and both people agree."""
    ball = stage.eightball("web", "--name", "Crystal", "--identity", "ball", "--require-pairing", "compare")
    asker = stage.eightball("web", "--identity", "asker")
    ball_page, page = stage.browser(PHONE), stage.browser()
    ball_page.open(ball.address)
    choose(ball_page, "Peripheral")
    ball_page.reads("#being-name", "Crystal")
    page.open(asker.address)
    choose(page, "Central")
    page.reads("#list", "Crystal")
    page.keys("Is it open?", Keys.ENTER)
    page.reads("#pairing-text", "Does Crystal show")
    ball_page.reads("#pairing-text", page.text("#pairing-code").replace(" ", ""))
    is_named(page)
    page.picture("comparing")
    ball_page.picture("comparing-phone")
    for browser in (page, ball_page):
        browser.tab_to("Yes")
        browser.keys(Keys.ENTER)
        browser.misses("#pairing")
    answer = page.reads("#words[data-stage=answered]", ".")
    ball_page.reads("#entries", answer)


def gone(stage):
    """The program is killed while the page is open: the page says so, and comes back with the program, by itself."""
    token = "a-token-of-my-own"
    stage.eightball("peripheral", "--name", "Crystal", "--identity", "ball")
    asker = stage.eightball("web", "--identity", "asker", "--token", token)
    page = stage.browser(PHONE)
    page.open(asker.address)
    choose(page, "Central")
    page.reads("#list", "Crystal")
    page.keys("Half a ques")
    asker.kill()
    page.reads("#gone", "The program does not answer.")
    port = urllib.parse.urlsplit(asker.address).port
    page.reads("#gone", f"eightball web --port {port} --token {token}")
    fits(page)
    page.picture("gone-phone")
    check(page.element("#question").get_property("value") == "Half a ques", "what was written is lost")
    again = stage.eightball("web", "--identity", "asker", "--port", str(port), "--token", token)
    check(again.address == asker.address, "the address is another one")
    page.misses("#gone")
    choose(page, "Central")
    page.reads("#list", "Crystal")
    page.tab_to("question")
    page.keys("tion?", Keys.ENTER)
    page.reads("#words[data-stage=answered]", ".")


def sleep(stage):
    """The browser is suspended while a ball goes, and hidden while another comes: the page shows the present state."""
    first = stage.eightball("peripheral", "--name", "Attic", "--identity", "attic")
    asker = stage.eightball("web", "--identity", "asker")
    page = stage.browser()
    page.open(asker.address)
    choose(page, "Central")
    page.reads("#list", "Attic")
    processes = family(page.driver.service.process.pid)
    for process in processes:
        os.kill(process, signal.SIGSTOP)
    first.kill()
    stage.eightball("peripheral", "--name", "Barn", "--identity", "barn").line("is a Magic 8-Ball now")
    # Longer than the page shows a ball that went.
    time.sleep(7)
    for process in processes:
        os.kill(process, signal.SIGCONT)
    page.reads("#list", "Barn")
    check("Attic" not in page.text("#list"), "a ball that went is still there")
    # Another tab is shown meanwhile: the page gives up its connection.
    page.script("document.addEventListener('visibilitychange', () => window.wasHidden = true, {once: true})")
    tab = page.driver.current_window_handle
    page.driver.switch_to.new_window("tab")
    stage.eightball("peripheral", "--name", "Cellar", "--identity", "cellar").line("is a Magic 8-Ball now")
    page.driver.close()
    page.driver.switch_to.window(tab)
    page.reads("#list", "Cellar")
    check(page.script("return window.wasHidden"), "the page was seen all the time")
    page.reads("#status", "2 balls")
    check(not page.problems(), f"the browser complains: {page.problems()}")


def family(process):
    """A process and those that it started."""
    lines = subprocess.run(["ps", "-eo", "pid=,ppid="], capture_output=True, text=True, check=True).stdout.splitlines()
    pairs = [tuple(map(int, line.split())) for line in lines]
    result, found = [], [process]
    while found:
        result += found
        found = [child for child, parent in pairs if parent in found]
    return [each for each in result if each != process]


def stillness(stage):
    """With reduced motion, the die stands still while the ball has the question."""
    ball = stage.eightball("web", "--name", "Crystal", "--identity", "ball")
    asker = stage.eightball("web", "--identity", "asker")
    ball_page, page = stage.browser(), stage.browser(still=True)
    ball_page.open(ball.address)
    choose(ball_page, "Peripheral")
    ball_page.keys(Keys.SPACE)
    page.open(asker.address)
    choose(page, "Central")
    page.reads("#list", "Crystal")
    page.script("""
        window.moves = 0
        new MutationObserver(() => window.moves++).observe(document.querySelector("#die"), {attributes: true, subtree: true})
        """)
    page.keys("Is it still?", Keys.ENTER)
    page.reads("#words", "The ball has the question")
    ball_page.reads("#open-question", "Is it still?")
    # One picture has up to three changes for each of twenty faces.
    check(page.script("return new Promise(done => setTimeout(() => done(window.moves), 700))") <= 60, "the die moves")
    check(page.script("return document.getAnimations().length") == 0, "there are animations")
    page.picture("still")


def other_origins(stage):
    """A page of another origin that knows the address changes and reads nothing, and cannot frame the page."""
    asker = stage.eightball("web", "--identity", "asker")

    class OtherOrigin(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            self.send_response(200)
            self.send_header("Content-Type", "text/html")
            self.end_headers()
            self.wfile.write(b"<!doctype html><title>Other origin</title><p>")

        def log_message(self, *_):
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), OtherOrigin)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    page, own = stage.browser(), stage.browser()
    own.open(asker.address)
    own.sees("#roles")
    page.open(f"http://127.0.0.1:{server.server_port}/")
    page.driver.set_script_timeout(30)
    results = page.driver.execute_async_script("""
        const [address, done] = arguments
        const body = JSON.stringify({do: "role", role: "central"})
        const attempt = async (path, options) => {
            try {
                const response = await fetch(address + path, options)
                return response.type === "opaque" ? "opaque" : String(response.status)
            } catch (error) { return "refused" }
        }
        const framed = () => new Promise(resolve => {
            const frame = document.createElement("iframe")
            frame.src = address
            frame.onload = () => { try { resolve(String(frame.contentDocument?.title)) } catch { resolve("refused") } }
            document.body.append(frame)
        })
        const stream = () => new Promise(resolve => {
            const source = new EventSource(address + "events/en")
            source.addEventListener("state", () => resolve("read"))
            source.onerror = () => resolve("refused")
        })
        const script = () => new Promise(resolve => {
            const element = document.createElement("script")
            element.src = address + "page.js"
            element.onload = () => resolve("read")
            element.onerror = () => resolve("refused")
            document.body.append(element)
        })
        Promise.all([
            attempt("", {}), attempt("", {mode: "no-cors"}),
            attempt("do/en", {method: "POST", body, headers: {"Content-Type": "application/json"}}),
            attempt("do/en", {method: "POST", body, mode: "no-cors", headers: {"Content-Type": "text/plain"}}),
            framed(), stream(), script(),
        ]).then(done)""", asker.address)
    check(results[0] == "refused" and results[2] == "refused", f"another origin got {results}")
    check(results[1] in ("refused", "opaque") and results[3] in ("refused", "opaque"), f"another origin got {results}")
    check(results[4] not in ("Magic 8-Ball",) and results[5:] == ["refused", "refused"], f"another origin got {results}")
    check(own.text("#roles") != "" and own.script("return document.body.dataset.role") == "none", "the other origin was obeyed")
    # The address is not sent to the target of a link.
    server.shutdown()


ALL = [question, by_hand, balls, crowd, pairing, comparing, gone, sleep, stillness, other_origins]
