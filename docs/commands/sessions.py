"""Runs the commands of one section of a page as one session, as a reader does: commands that do not end run in the
background, until the section ends."""

import fcntl
import os
import pty
import re
import select
import signal
import struct
import subprocess
import termios
import time

from transcripts import Mismatch, Transcript

# These run until they are interrupted.
SERVING = re.compile(
    r"(?:[A-Z_]+=\S+ |cd \S+ && )*(?:eightball (?:peripheral|web)|blueear (?:peripheral|lock|key)"
    r"|corebluetooth (?:advertise|air|bridge|scan(?! .*--timeout))|sensor|sensorlog|heartrate)\b"
)
LIMIT = 60.0
"""The time limit of every wait in seconds, which is reached only in a failure."""


class Failure(Exception):
    pass


class Run:
    """One command, run by bash, and what it prints; on a terminal if it asks its user."""

    def __init__(self, text, environment, folder, shown=None, on_terminal=False, actions=()):
        self.text = text
        self.transcript = shown
        self.actions = list(actions)
        self.lines, self.waiting, self.pending = [], [], b""
        self.typed = -1
        self.is_killed = False
        self.input = None
        if on_terminal:
            self.output, terminal = pty.openpty()
            self.input = self.output
            fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 100, 0, 0))
        else:
            self.output, terminal = os.pipe()
        with open(os.devnull, "rb") as nothing:
            self.process = subprocess.Popen(
                ["bash", "-c", text],
                cwd=folder,
                env=environment,
                stdin=terminal if on_terminal else nothing,
                stdout=terminal,
                stderr=terminal,
                start_new_session=True,
            )
        os.close(terminal)
        self.is_open = True

    @property
    def is_serving(self):
        return SERVING.match(self.text) is not None

    @property
    def status(self):
        """The status as in a shell; none while the command runs."""
        status = self.process.poll()
        return 128 - status if status is not None and status < 0 else status

    def read(self):
        try:
            octets = os.read(self.output, 65536)
        except OSError:  # A terminal that all have closed.
            octets = b""
        self.is_open = bool(octets)
        self.pending += octets
        *lines, self.pending = self.pending.split(b"\n")
        if not self.is_open and self.pending:
            lines.append(self.pending)
        self.waiting += [visible(line.rstrip(b"\r")) for line in lines]

    def take_lines(self):
        """Takes the output line by line: an action may read more output meanwhile."""
        while self.waiting:
            self.lines.append(self.waiting.pop(0))
            if self.transcript is None:
                continue
            try:
                shown = self.transcript.take(self.lines[-1])
            except Mismatch as mismatch:
                raise Failure(f"{self.text}: {mismatch}") from None
            for action in [action for action in self.actions if shown is not None and action[0] in shown]:
                self.actions.remove(action)
                action[1](self)

    def type_answer(self, names, code):
        """If the program has begun the line that the page shows next, the user completes it. `code` is the number that
        another program shows."""
        line = self.transcript and self.transcript.next
        if self.input is None or not line or self.typed == self.transcript.position:
            return
        prompt = visible(self.pending)
        if prompt.endswith((": ", "> ")) and line.shown.startswith(prompt):
            if code is not None:
                names.actual.setdefault(("code", line.shown[-6:]), code)
            answer = names.translated(line.shown)
            if answer is not None:
                os.write(self.input, answer[len(prompt) :].encode() + b"\r")
                self.typed = self.transcript.position

    def kill(self):
        """Ends it with SIGKILL, which the shell reports."""
        self.is_killed = True
        self.end(signal.SIGKILL)
        self.waiting.append("Killed")

    def end(self, number):
        if self.status is None:
            os.killpg(self.process.pid, number)


def visible(octets):
    """The visible text of a line that was overwritten."""
    text = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]|\x1b\][^\x07]*\x07", "", octets.decode(errors="replace"))
    return next((part for part in reversed(text.split("\r")) if part), "")


class Session:
    def __init__(self, names, environment, folder):
        self.names, self.environment, self.folder = names, environment, folder
        self.runs = []

    def start(self, text, shown=None, on_terminal=False, actions=(), **options):
        transcript = None if shown is None else Transcript(shown, self.names, **options)
        run = Run(text, self.environment, self.folder, transcript, on_terminal, actions)
        self.runs.append(run)
        return run

    def wait(self, condition, what):
        """Reads what all programs print, until the condition holds."""
        deadline = time.monotonic() + LIMIT
        while not condition():
            open_runs = {run.output: run for run in self.runs if run.is_open}
            ready, _, _ = select.select(list(open_runs), [], [], 0.02)
            for output in ready:
                open_runs[output].read()
            for run in list(self.runs):
                run.take_lines()
                run.type_answer(self.names, self.code(run))
            if time.monotonic() > deadline:
                raise Failure(f"{what} within {LIMIT:.0f} s\n{self.report()}")

    def code(self, asked):
        """The six digits that another program has shown last."""
        lines = [line for run in self.runs if run is not asked for line in run.lines]
        return next((found[0] for line in reversed(lines) if (found := re.search(r"(?<=: )\d{6}$", line))), None)

    def report(self):
        """The last lines of all running programs."""
        return "\n        ".join(text for run in self.runs for text in (f"{run.text}:", *run.lines[-12:]))

    def running(self, text):
        found = next((run for run in self.runs if text in run.text), None)
        if found is None:
            raise Failure(f"{text} does not run")
        return found

    def begin(self, run):
        """Waits until a program that goes on has printed its first line."""
        self.wait(lambda: run.lines or not run.is_open, f"{run.text}: nothing was printed")
        if not run.is_open:
            run.process.wait()
            self.check_running(run)

    def finish(self, run, status=0):
        """Waits until a command has ended, with that status."""
        self.wait(lambda: not run.is_open and run.status is not None, f"{run.text}: it has not ended")
        if run.status != status:
            raise Failure(f"{run.text}: ended with {run.status}, not with {status}\n{self.report()}")
        self.check(run)
        self.runs.remove(run)
        os.close(run.output)

    def complete(self, run):
        """Waits for all output of a program that the page shows."""
        done = lambda: run.transcript is None or run.transcript.is_complete  # noqa: E731
        self.wait(lambda: done() or not run.is_open, f"{run.text}: not all came that the page shows")
        self.check(run)

    def check(self, run):
        if run.transcript is not None and not run.transcript.is_complete:
            raise Failure(f"{run.text}: there is no line  {run.transcript.next.shown}\n{self.report()}")

    def interrupt(self, run):
        """Ends a program that goes on as its user does: with 130."""
        run.transcript = None
        self.check_running(run)
        run.end(signal.SIGINT)
        self.finish(run, 130)

    def check_running(self, run):
        if run.status is not None:
            raise Failure(f"{run.text}: it has ended with {run.status}\n{self.report()}")

    def end(self):
        """Ends the running programs, the last one first, once they have printed all that the page shows."""
        for run in self.runs:
            self.complete(run)
        for run in self.runs:
            run.transcript = None
        for run in list(reversed(self.runs)):
            self.interrupt(run)

    def abandon(self):
        """Ends the remaining programs of a failed session."""
        for run in self.runs:
            run.end(signal.SIGKILL)
            run.process.wait()
            os.close(run.output)
        self.runs = []
