"""The table of what is special about a command: see the head of `table`, which this reads."""

from dataclasses import dataclass, field


@dataclass
class Entry:
    page: str
    line: int
    command: str
    directives: list[tuple[str, str]] = field(default_factory=list)
    isUsed: bool = False

    def all(self, name):
        return [value for directive, value in self.directives if directive == name]

    def first(self, name):
        return next(iter(self.all(name)), None)


class Table:
    NAMES = {"by", "not", "run", "form", "shows", "before", "file", "at", "terminal", "figures", "unordered", "status", "with"}
    EVERY_PAGE = "every page"

    def __init__(self, path):
        self.entries = []
        page = None
        with open(path, encoding="utf-8") as file:
            for number, line in enumerate(file.read().splitlines(), 1):
                text = line.strip()
                indent = len(line) - len(line.lstrip())
                if not text or text.startswith("#"):
                    continue
                if indent == 0:
                    page = text
                elif indent == 4:
                    self.entries.append(Entry(page, number, text))
                else:
                    name, _, value = text.partition(" ")
                    if name not in self.NAMES:
                        raise SystemExit(f"{path}:{number}: {name} is not known")
                    self.entries[-1].directives.append((name, value.strip()))

    def entry(self, command):
        """What the table has of a command: the first entry of its page that no other one has had, else the last one, else
        that of every page."""

        def fits(entry):
            return entry.command == command.text or (
                entry.command.endswith(" *") and (command.text + " ").startswith(entry.command[:-1])
            )

        own = [entry for entry in self.entries if entry.page == command.page and fits(entry)]
        everywhere = [entry for entry in self.entries if entry.page == self.EVERY_PAGE and fits(entry)]
        found = next((entry for entry in own if not entry.isUsed), None) or next(reversed(own + everywhere), None)
        if own and found not in own:
            found = own[-1]
        if found is not None:
            found.isUsed = True
        return found
