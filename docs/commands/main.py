"""Runs every command of every page, or looks for who runs it: see `run`."""

import argparse
import os
import re
import shutil
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pages
from forms import PLACEHOLDER, Forms, WrongForm, check_script
from sessions import Failure, Session
from table import Entry, Table
from transcripts import Names

OWN = re.compile(rf"(?:[A-Z_]+=\S+ |printf '[^']*' \| |swift run |\./)*(?:{'|'.join(pages.PROGRAMS)})\b")
GATE = Path(".ci/run")


class Page:
    """One page: what it is made of, and what comes of its commands."""

    def __init__(self, name, check):
        self.name, self.check = name, check
        self.commands, self.blocks = pages.read(name, check.scripts)
        self.entries = [check.table.entry(command) for command in self.commands]
        self.failures, self.reasons = [], []
        self.counts = {"run": 0, "form": 0, "by": 0, "not": 0}
        self.folder = None

    def run(self):
        session, heading, ran = None, None, set()
        with tempfile.TemporaryDirectory(prefix="page") as folder:
            self.folder = Path(folder)
            self.prepare()
            for command, entry in zip(self.commands, self.entries):
                entry = entry or Entry(self.name, 0, command.text)
                if session is not None and heading != command.heading:
                    self.attempt(command, session.end, session)
                    session = None
                heading = command.heading
                how = self.attempt(command, lambda: self.how(command, entry))  # noqa: B023
                self.counts[how or "run"] += 1
                if how == "run" and not (command.isInline and command.text in ran):
                    session = session or Session(Names(self.check.fixed), self.environment, folder)
                    self.attempt(command, lambda: self.execute(command, entry, session), session)  # noqa: B023
                    ran.add(command.text)
            if session is not None:
                self.attempt(self.commands[-1], session.end, session)
        return self

    def prepare(self):
        """A folder of its own, with an air and storage of its own."""
        self.environment = {
            **{name: value for name, value in os.environ.items() if not name.startswith("COREBLUETOOTH_")},
            "PATH": ":".join(str(place) for place in (self.check.programs, self.check.examples, os.environ["PATH"]) if place),
            "HOME": str(self.folder),
            "LANG": "C.UTF-8",
            "TERM": "xterm",
        }
        for name in ("XDG_RUNTIME_DIR", "XDG_STATE_HOME"):
            place = self.folder / name.split("_")[1].lower()
            place.mkdir(mode=0o700)
            self.environment[name] = str(place)
        for name in ("Examples", "Tests"):
            (self.folder / name).symlink_to(Path(name).absolute())

    def attempt(self, command, action, session=None):
        """Notes a failure. What follows in that session would fail for the same reason, and is not tried."""
        if session is not None and session.hasFailed:
            return None
        try:
            return action()
        except (Failure, WrongForm) as failure:
            self.failures.append(f"{command.place}: {failure}")
            if session is not None:
                session.abandon()
        return None

    def how(self, command, entry):
        """How a command is run. What is said of it is held here."""
        if reason := entry.first("not"):
            self.reasons.append((command.text, reason))
            return "not"
        if (by := entry.first("by")) and not self.check.has_example(command.text):
            file, _, text = by.partition(" ")
            if (text or command.text) not in Path(file).read_text(encoding="utf-8"):
                raise Failure(f"{file} does not run {text or command.text}")
            return "by"
        if entry.first("run") is not None or self.check.has_example(command.text):
            return "run"
        if OWN.match(command.text):
            own = OWN.match(command.text)[0].split()[-1] + command.text[OWN.match(command.text).end() :]
            has_arguments = self.check.forms.check(own.removeprefix("./"))
            is_form = entry.first("form") is not None or PLACEHOLDER.search(own) or command.isInline and not has_arguments
            return "form" if is_form else "run"
        script = next((word for word in command.text.split() if word.removeprefix("./") in self.check.scripts), None)
        if script is not None:
            check_script(script, command.text)
            if f"bash {script}" in GATE.read_text(encoding="utf-8"):
                return "by"
        raise Failure(f"nobody runs {command.text}: it lacks a line in docs/commands/table")

    def execute(self, command, entry, session):
        replaced = [value.split(" = ") for value in entry.all("with")]

        def own(text):
            for old, new in replaced:
                text = text.replace(old, new)
            return re.sub(r"(?<!\S)(?:swift run |\./)(?=[a-z])", "", text)

        for value in entry.all("file"):
            name, _, begin = value.partition(" ")
            (self.folder / name).write_text(self.block(begin) if begin else (self.check.here / name).read_text())
        for text in entry.all("before"):
            self.start(session, own(text))
        shown = command.shown
        if begin := entry.first("shows"):
            shown = self.block(begin).splitlines()
        run = session.start(
            own(command.text),
            None if shown is None else [own(line) for line in shown],
            has_figures=entry.first("figures") is not None,
            is_unordered=entry.first("unordered") is not None,
            on_terminal=entry.first("terminal") is not None,
            actions=[self.action(session, own(value)) for value in entry.all("at")],
        )
        if run.isServing:
            session.begin(run)
            if run.actions or run.isKilled:
                session.complete(run)
        else:
            session.finish(run, int(entry.first("status") or 0))
        if run.isKilled:
            session.finish(run, 137)

    def start(self, session, text):
        """Does what the page takes for granted: starts a command that ends, or one that goes on, or ends one."""
        if text.startswith("end "):
            return session.interrupt(next(run for run in session.runs if text[4:] in run.text))
        run = session.start(session.names.translated(text.removeprefix("& ")))
        if text.startswith("& "):
            return None
        return session.begin(run) if run.isServing else session.finish(run)

    def action(self, session, value):
        """What is done after a line, as in `"Opened it" kill`."""
        text, what = re.fullmatch(r'"([^"]*)" (.*)', value).groups()
        return text, lambda run: run.kill() if what == "kill" else self.start(session, what)

    def block(self, begin):
        """The page's block that has this text in its first line."""
        found = next((block for block in self.blocks if begin in block.lines[0]), None)
        if found is None:
            raise Failure(f"the page has no block that begins with {begin}")
        return "\n".join(found.lines) + "\n"


class Check:
    """What all pages are held against."""

    def __init__(self, programs, examples):
        self.here = Path(__file__).parent
        self.programs = Path(programs).absolute()
        self.examples = examples and Path(examples).absolute()
        self.scripts = pages.scripts()
        self.table = Table(self.here / "table")
        self.forms = Forms(self.programs)
        sources = "\n".join(path.read_text(encoding="utf-8") for path in Path("Sources").rglob("*.swift"))
        self.fixed = {found.upper() for found in re.findall(r"[0-9A-Fa-f]{8}(?:-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}", sources)}

    def has_example(self, text):
        """Whether it is a command of an example's program, and that is there."""
        found = re.search(r"swift run (\w+)", text)
        return bool(self.examples and found and (self.examples / found[1]).is_file())


def main():
    parser = argparse.ArgumentParser(prog="docs/commands/run", description=__doc__)
    parser.add_argument("--programs", required=True, help="the folder that has the three programs")
    parser.add_argument("--examples", help="the folder that has the examples' programs")
    parser.add_argument("pages", nargs="*", help="these pages alone (default: all)")
    options = parser.parse_args()
    begin = time.monotonic()
    check = Check(options.programs, options.examples)
    # What the table has is compared with all pages, also where some alone are run.
    everything = [Page(name, check) for name in pages.names()]
    chosen = [page for page in everything if not options.pages or page.name in options.pages]
    with ThreadPoolExecutor(4) as pool:
        list(pool.map(Page.run, chosen))
    failures = [failure for page in chosen for failure in page.failures]
    for entry in check.table.entries:
        if not entry.isUsed:
            failures.append(f"docs/commands/table:{entry.line}: no page has {entry.command}")
    reasons = {}
    for page in chosen:
        for command, reason in page.reasons:
            reasons.setdefault(reason, []).append(command)
    for reason, commands in reasons.items():
        print(f"not run, {reason}:")
        for command in dict.fromkeys(commands):
            print(f"    {command}")
    counts = {name: sum(page.counts[name] for page in chosen) for name in ("run", "form", "by", "not")}
    for failure in failures:
        print(f"FAILED {failure}", file=sys.stderr)
    print(
        f"commands: {sum(counts.values())} of {sum(bool(page.commands) for page in chosen)} pages: {counts['run']} run here,"
        f" {counts['form']} are forms of commands, {counts['by']} run by another script, {counts['not']} not run;"
        f" {len(failures)} failures, {time.monotonic() - begin:.0f} s"
    )
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
