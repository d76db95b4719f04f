"""The programs: processes on an air and with storage that belong to one scenario alone."""

import os
import shutil
import signal
import subprocess
import tempfile
import threading
import time

#: The time limit of each wait, in seconds, for the slowest of machines.
TIMEOUT = 60


class Failure(Exception):
    """An expected event did not come."""


def eventually(what, condition, timeout=TIMEOUT):
    """Waits for a condition that nobody announces, and returns what it gave."""
    deadline = time.monotonic() + timeout
    while True:
        result = condition()
        if result:
            return result
        if time.monotonic() > deadline:
            raise Failure(f"missing: {what}")
        time.sleep(0.02)


class Program:
    """A process, and its lines."""

    def __init__(self, arguments, environment):
        self.process = subprocess.Popen(
            arguments, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
            text=True)
        self.lines = []
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self):
        for line in self.process.stdout:
            self.lines.append(line.rstrip("\n"))

    def line(self, text):
        """Waits for a line that contains a text."""
        return eventually(f"the line {text!r} in {self.lines}", lambda: next((x for x in self.lines if text in x), None))

    @property
    def address(self):
        """The page's address, the program's first line."""
        self.line("http://")
        return self.lines[0]

    def kill(self):
        """Ends the process at once."""
        self.process.kill()
        self.process.wait()

    def end(self, number=signal.SIGTERM):
        """Ends the process as a user does, and returns its status."""
        self.process.send_signal(number)
        return self.process.wait(TIMEOUT)


class Air:
    """A scenario's air: folders that no other process uses."""

    def __init__(self, programs):
        self.programs = programs
        self.folder = tempfile.mkdtemp(prefix="page-")
        self.running = []
        for part in ("run", "state"):
            os.mkdir(os.path.join(self.folder, part), 0o700)

    def eightball(self, *arguments):
        """Starts an `eightball`."""
        environment = {name: value for name, value in os.environ.items() if not name.startswith("COREBLUETOOTH_")}
        environment |= {
            "XDG_RUNTIME_DIR": os.path.join(self.folder, "run"),
            "XDG_STATE_HOME": os.path.join(self.folder, "state"),
            "COREBLUETOOTH_ADAPTER": "air",
        }
        program = Program([os.path.join(self.programs, "eightball"), *arguments], environment)
        self.running.append(program)
        return program

    def end(self):
        """Ends the remaining processes."""
        for program in self.running:
            program.kill()
        shutil.rmtree(self.folder, ignore_errors=True)
