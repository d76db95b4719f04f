"""The table of what is special about a command: see the head of `table`, which this reads."""

from dataclasses import dataclass, field


@dataclass
class Entry:
    page: str
    line: int
    command: str
    directives: list[tuple[str, str]] = field(default_factory=list)
    is_used: bool = False

    def all(self, name):
        return [value for directive, value in self.directives if directive == name]

    def first(self, name):
        return next(iter(self.all(name)), None)


class Table:
    DIRECTIVES = set("by not run form shows before file at terminal figures unordered with".split())
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
                    if name not in self.DIRECTIVES:
                        raise SystemExit(f"{path}:{number}: {name} is not known")
                    self.entries[-1].directives.append((name, value.strip()))

    def entry(self, command):
        """What the table has of a command: of those of its page the next one, where it is there several times, else the
        last one; else that of every page."""

        def fits(entry):
            begin = entry.command.removesuffix("*")
            return entry.command == command.text or begin != entry.command and f"{command.text} ".startswith(begin)

        for page in (command.page, self.EVERY_PAGE):
            if entries := [entry for entry in self.entries if entry.page == page and fits(entry)]:
                found = next((entry for entry in entries if not entry.is_used), entries[-1])
                found.is_used = True
                return found
        return None
