"""Runs every command of every page, or finds the script that does: see `run`."""

import argparse
import os
import re
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from itertools import groupby
from pathlib import Path

import pages
from forms import PLACEHOLDER, Forms, WrongForm, check_script
from sessions import Failure, Session
from table import Entry, Table
from transcripts import KINDS, Names

OWN = re.compile(rf"(?:[A-Z_]+=\S+ |printf '[^']*' \| |swift run |\./)*(?P<program>{'|'.join(pages.PROGRAMS)})\b")
GATE = Path(".ci/run")


class Page:
    """One page: its commands and blocks, and the results of its commands."""

    def __init__(self, name, check):
        self.name, self.check = name, check
        self.commands, self.blocks = pages.read(name, check.scripts)
        self.entries = [check.table.entry(command) or Entry(name, 0, command.text) for command in self.commands]
        self.failures, self.reasons = [], []
        self.counts = dict.fromkeys(("run", "form", "by", "not"), 0)

    def run(self):
        ours = []
        for command, entry in zip(self.commands, self.entries):
            try:
                how = self.how(command, entry)
            except (Failure, WrongForm) as failure:
                self.failures.append(f"{command.place}: {failure}")
                continue
            self.counts[how] += 1
            # A repeated command is not run again.
            if how == "run" and not (command.is_inline and any(command.text == other.text for other, _ in ours)):
                ours.append((command, entry))
        with tempfile.TemporaryDirectory(prefix="page") as folder:
            self.folder = Path(folder)
            environment = self.environment()
            for _, section in groupby(ours, key=lambda one: one[0].heading):
                session = Session(Names(self.check.fixed), environment, folder)
                try:
                    for command, entry in section:
                        self.execute(command, entry, session)
                    session.end()
                except Failure as failure:
                    # The rest of this section would fail for the same reason.
                    self.failures.append(f"{command.place}: {failure}")
                finally:
                    session.abandon()

    def environment(self):
        """The environment of a new user: an air and storage in this folder."""
        programs = [str(place) for place in (self.check.programs, self.check.examples) if place]
        environment = {name: value for name, value in os.environ.items() if not name.startswith("COREBLUETOOTH_")}
        environment |= {"PATH": ":".join([*programs, environment["PATH"]]), "HOME": str(self.folder)}
        environment |= {"LANG": "C.UTF-8", "TERM": "xterm"}
        for name, place in (("XDG_RUNTIME_DIR", "run"), ("XDG_STATE_HOME", "state")):
            (self.folder / place).mkdir(mode=0o700)
            environment[name] = str(self.folder / place)
        # The files of the repository that pages name.
        for name in ("Examples", "Tests"):
            (self.folder / name).symlink_to(Path(name).absolute())
        return environment

    def how(self, command, entry):
        """Runs a command as its entry in the table says."""
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
        if own := OWN.match(command.text):
            text = own["program"] + command.text[own.end() :]
            is_name = not self.check.forms.check(text) and command.is_inline
            return "form" if is_name or entry.first("form") is not None or PLACEHOLDER.search(text) else "run"
        script = next((word for word in command.text.split() if word.removeprefix("./") in self.check.scripts), None)
        if script is not None:
            check_script(script, command.text)
            if f"bash {script}" in GATE.read_text(encoding="utf-8"):
                return "by"
        raise Failure(f"nobody runs {command.text}: it lacks a line in docs/commands/table")

    def execute(self, command, entry, session):
        replaced = [value.split(" = ") for value in entry.all("with")]

        def translated(text):
            for old, new in replaced:
                text = text.replace(old, new)
            return text

        def own(text):
            return re.sub(r"(?<!\S)(?:swift run |\./)(?=[a-z])", "", translated(text))

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
            None if shown is None else [translated(line) for line in shown],
            has_figures=entry.first("figures") is not None,
            is_unordered=entry.first("unordered") is not None,
            on_terminal=entry.first("terminal") is not None,
            actions=[self.action(session, own(value)) for value in entry.all("at")],
        )
        if run.is_serving:
            session.begin(run)
            if run.actions or run.is_killed:
                session.complete(run)
        else:
            session.finish(run)
        if run.is_killed:
            session.finish(run, 137)

    def start(self, session, text):
        """Prepares what the page assumes: starts a command that ends, or one that goes on, or ends one."""
        if text.startswith("end "):
            return session.interrupt(session.running(text[4:]))
        run = session.start(session.names.translated(text.removeprefix("& ")))
        if text.startswith("& "):
            return None
        return session.begin(run) if run.is_serving else session.finish(run)

    def action(self, session, value):
        """The action after a line, as in `"Opened it" kill`."""
        text, what = re.fullmatch(r'"([^"]*)" (.*)', value).groups()
        return text, lambda run: run.kill() if what == "kill" else self.start(session, what)

    def block(self, begin):
        """The page's block that has this text in its first line."""
        found = next((block for block in self.blocks if begin in block.lines[0]), None)
        if found is None:
            raise Failure(f"the page has no block that begins with {begin}")
        return "\n".join(found.lines) + "\n"


class Check:
    """The programs and the table with which all pages are compared."""

    def __init__(self, programs, examples):
        self.here = Path(__file__).parent
        self.programs = Path(programs).absolute()
        self.examples = examples and Path(examples).absolute()
        self.scripts = pages.scripts()
        self.table = Table(self.here / "table")
        self.forms = Forms(self.programs)
        sources = "\n".join(path.read_text(encoding="utf-8") for path in Path("Sources").rglob("*.swift"))
        # UUIDs of services and characteristics must match the page, those of devices need not.
        self.fixed = {found.upper() for found in re.findall(KINDS["identifier"], sources, re.IGNORECASE)}

    def has_example(self, text):
        """Whether it is a command of an example's program that was built."""
        found = re.search(r"swift run (\w+)", text)
        return bool(self.examples and found and (self.examples / found[1]).is_file())


def main():
    parser = argparse.ArgumentParser(prog="docs/commands/run", description=__doc__)
    parser.add_argument("--programs", required=True, help="the folder that has the programs")
    parser.add_argument("--examples", help="the folder that has the examples' programs")
    parser.add_argument("pages", nargs="*", help="only these pages (default: all)")
    options = parser.parse_args()
    begin = time.monotonic()
    check = Check(options.programs, options.examples)
    # The table is compared with all pages, even if only some are run.
    everything = {name: Page(name, check) for name in pages.names()}
    if unknown := set(options.pages) - set(everything):
        parser.error(f"there is no page {unknown.pop()}")
    chosen = [everything[name] for name in options.pages or everything]
    with ThreadPoolExecutor(4) as pool:
        list(pool.map(Page.run, chosen))

    reasons = {}
    for command, reason in (one for page in chosen for one in page.reasons):
        reasons.setdefault(reason, {})[command] = None
    for reason, commands in reasons.items():
        print("\n    ".join([f"not run, {reason}:", *commands]))
    failures = [failure for page in chosen for failure in page.failures]
    failures += [
        f"docs/commands/table:{entry.line}: no page has {entry.command}"
        for entry in check.table.entries
        if not entry.is_used
    ]
    for failure in failures:
        print(f"FAILED {failure}", file=sys.stderr)
    counts = {how: sum(page.counts[how] for page in chosen) for how in ("run", "form", "by", "not")}
    print(
        f"commands of {sum(bool(page.commands) for page in chosen)} pages: {counts['run']} run, {counts['form']} names"
        f" and forms, {counts['by']} run by other scripts, {counts['not']} not run; {len(failures)} failures,"
        f" {time.monotonic() - begin:.0f} s"
    )
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
