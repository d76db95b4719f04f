"""Whether a command has the form that its program takes, also where a page has a placeholder in it: `--name N`."""

import json
import re
import subprocess
from pathlib import Path

from pages import PROGRAMS

PLACEHOLDER = re.compile(r"[\[…]|(?:^|[ :=])[A-Z]+(?:[ :=.,]|$)|:$")


class WrongForm(Exception):
    pass


class Forms:
    def __init__(self, programs):
        """`programs` is the folder that has them."""
        self.commands = {}
        for program in PROGRAMS:
            # What the programs' manual pages are made of, too.
            answer = subprocess.check_output([f"{programs}/{program}", "--experimental-dump-help"])
            self.commands[program] = json.loads(answer)["command"]
        # A command that is a program of its own.
        tool = self.commands["corebluetooth"]
        tool["subcommands"] = [
            {**self.commands.get(f"corebluetooth-{one['commandName']}", one), "commandName": one["commandName"]}
            for one in tool["subcommands"]
        ]

    def check(self, text):
        """Compares subcommands and options with those that the program has. Whether there is more than subcommands."""
        first, *words = text.split()
        command = self.commands[first]
        while words and (below := [one for one in command.get("subcommands", []) if one["commandName"] == words[0]]):
            command = below[0]
            words.pop(0)
        # `…` in place of a command is each of them.
        several = command["subcommands"] if words[:1] == ["…"] else [command]
        arguments = [argument for one in several for argument in one.get("arguments", [])]
        positional = [argument for argument in arguments if argument["kind"] == "positional"]
        options = {
            ("--" if name["kind"] == "long" else "-") + name["name"]
            for argument in arguments
            for name in argument.get("names", [])
        }
        if words and re.match(r"[a-z]", words[0]) and not positional:
            raise WrongForm(f"there is no command {words[0]}")
        for option in re.findall(r"(?<!\S)\[?(--?[a-z][a-z-]*)", " ".join(words).split(" -- ")[0]):
            if option not in options:
                raise WrongForm(f"there is no option {option}")
        return bool(words)


def check_script(script, text):
    """Compares the options with what the script, or the program that it starts, has in its text."""
    folder = Path(script).parent
    sources = [Path(script), *folder.glob(f"**/{Path(script).name.capitalize()}/*.swift")]
    everything = "\n".join(source.read_text(encoding="utf-8") for source in sources)
    for option in re.findall(r"(?<!\S)--([a-z][a-z-]*)", text):
        if option not in everything:
            raise WrongForm(f"{script} has no option --{option}")
