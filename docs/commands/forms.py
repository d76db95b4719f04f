"""Whether a command has a form that its program accepts, also with a placeholder: `--name N`."""

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
        """`programs` is their folder."""
        self.commands = {}
        for program in PROGRAMS:
            # The manual pages are made from the same data.
            answer = subprocess.check_output([f"{programs}/{program}", "--experimental-dump-help"])
            self.commands[program] = json.loads(answer)["command"]
        # A command that is a separate program.
        tool = self.commands["corebluetooth"]
        tool["subcommands"] = [
            {**self.commands.get(f"corebluetooth-{one['commandName']}", one), "commandName": one["commandName"]}
            for one in tool["subcommands"]
        ]

    def check(self, text):
        """Compares subcommands and options with the program's. Returns whether there is more than subcommands."""
        first, *words = text.split()
        command = self.commands[first]
        while words and (below := [one for one in command.get("subcommands", []) if one["commandName"] == words[0]]):
            command = below[0]
            words.pop(0)
        # `…` stands for any command.
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
    """Compares the options with the text of the script, or of the program that it starts."""
    folder = Path(script).parent
    sources = [Path(script), *folder.glob(f"**/{Path(script).name.capitalize()}/*.swift")]
    everything = "\n".join(source.read_text(encoding="utf-8") for source in sources)
    for option in re.findall(r"(?<!\S)--([a-z][a-z-]*)", text):
        if option not in everything:
            raise WrongForm(f"{script} has no option --{option}")
