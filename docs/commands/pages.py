"""The commands of the pages: those of shell blocks, with what a page shows after them, and those within a text."""

import re
import subprocess
from dataclasses import dataclass

PROGRAMS = ("corebluetooth-learn", "corebluetooth", "eightball", "blueear")

# The first words of a command. A path of a script of this repository is one, too.
FIRST_WORDS = set(PROGRAMS) | set(
    "apt apt-get bash bluetoothctl btmon cd cp curl docker export git grep mkdir printf python3 rfkill rm scp ssh sudo"
    " sudoedit swift systemctl tar tshark".split()
)


@dataclass
class Command:
    """A command that a reader is asked to type."""

    page: str
    line: int
    text: str
    heading: int
    """The line of the heading above it."""
    is_inline: bool
    shown: list[str] | None = None
    """The lines that the page shows after it; none if it shows no output."""

    @property
    def place(self):
        return f"{self.page}:{self.line}"


@dataclass
class Block:
    """A block of lines that is not Swift and has no command."""

    line: int
    lines: list[str]


def names():
    """All pages, without those of the tests' samples, which are by others."""
    listed = subprocess.run(["git", "ls-files", "*.md"], check=True, capture_output=True, text=True)
    return [name for name in listed.stdout.split() if not name.startswith("Tests/")]


def scripts():
    """The scripts of this repository: executable files in its index."""
    listed = subprocess.run(["git", "ls-files", "--stage"], check=True, capture_output=True, text=True)
    return {line.split("\t")[1] for line in listed.stdout.splitlines() if line.startswith("100755")}


def read(page, scripts):
    """The commands of a page in their order, and its other blocks."""
    commands, blocks = [], []
    heading, fence, paragraph = 0, None, []

    def is_command(text, is_inline):
        words = re.sub(r"^([A-Z_]+=\S+ )+", "", text).split()
        if not words:
            return False
        first = words[0].removeprefix("./")
        return first in scripts or first in FIRST_WORDS and (len(words) > 1 or not is_inline)

    def end_paragraph():
        text = "\n".join(line for _, line in paragraph)
        for found in re.finditer(r"(?<!`)`([^`]+)`(?!`)", text):
            inline = " ".join(found[1].split())
            if is_command(inline, True):
                line = paragraph[text[: found.start()].count("\n")][0]
                commands.append(Command(page, line, inline, heading, True))
        paragraph.clear()

    def end_block(language, first, lines):
        shell = language in ("", "sh", "shell", "bash", "console")
        prompted = any(line.startswith("$ ") for line in lines)
        if shell and not prompted and is_command(lines[0], False):
            for number, line in enumerate(lines, first):
                # Text after a command in a block explains it.
                text = re.sub(r"( +#| {4,}(?=[a-z])).*", "", line)
                commands.append(Command(page, number, " ".join(text.split()), heading, False))
        elif shell and prompted:
            for number, line in enumerate(lines, first):
                if line.startswith("$ "):
                    commands.append(Command(page, number, line[2:], heading, False, []))
                else:
                    commands[-1].shown.append(line)
            if len(lines) == 1:
                commands[-1].shown = None
        else:
            blocks.append(Block(first, lines))

    with open(page, encoding="utf-8") as file:
        for number, line in enumerate(file.read().splitlines(), 1):
            opening = re.match(r"( *)```(\w*)", line)
            if fence is not None:
                indent, language, first, lines = fence
                if opening:
                    end_block(language, first, lines)
                    fence = None
                else:
                    lines.append(line[indent:].rstrip())
            elif opening:
                end_paragraph()
                fence = (len(opening[1]), opening[2], number + 1, [])
            elif not line.strip() or line.lstrip().startswith(("|", "- ", "#", "@")):
                end_paragraph()
                if line.startswith("#"):
                    heading = number
                elif line.strip():
                    paragraph.append((number, line))
            else:
                paragraph.append((number, line))
    end_paragraph()
    return commands, blocks
