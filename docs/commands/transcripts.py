"""Compares what a page shows with what came: line by line, and what differs from run to run by what it is."""

import re
from pathlib import Path

ANY_LINES = "…"

ANSWERS = re.findall(
    r'^ +"([A-Z][^"\\]*\.)",$', Path("Sources/eightball/Texts/Texts+English.swift").read_text(encoding="utf-8"), re.M
)
assert len(set(ANSWERS)) == 20, "the answers of the ball are not where they were"

# What differs from run to run, by the name of its kind: how a page shows it.
KINDS = {
    "identifier": r"\b[0-9A-F]{8}(?:-[0-9A-F]{4}){3}-[0-9A-F]{12}\b",
    "address": r"\b(?:[0-9A-F]{2}:){5}[0-9A-F]{2}\b",
    "code": r"(?<=: )\d{6}$",
    "process": r"(?<=process )\d+",
    "port": r"(?<=127\.0\.0\.1:)\d+",
    "date": r"\d{4}-\d\d-\d\d \d\d:\d\d",
    "stamp": r"^ *\d+\.\d{6}\b",
    "time": r" *\b\d+\.\d+ ms\b",
    "count": r"\d+(?= notifications\b)",
    "answer": "|".join(re.escape(answer) for answer in ANSWERS),
    "key": r"SLUG-ANSWER-\d\d",
}
# Where the figures differ, too, all of them are of one kind, bars included.
FIGURES = {"figure": r" *\d+(?:\.\d+)?", "bar": r" *[█▉▊▋▌▍▎▏]+"}
# How it comes, where that may be another form of it.
FORMS = KINDS | FIGURES | {"time": r" *\d+(?:\.\d+)? ms\b", "bar": r" *[█▉▊▋▌▍▎▏]*"}

# What is the same thing in a transcript has to be the same thing in what came.
NAMED = {"identifier", "address", "code", "process", "port", "answer", "key"}
# And what are two things are two.
DISTINCT = {"identifier", "address", "process"}


class Names:
    """What stands in place of the page's identifiers, addresses and so on, in one session."""

    def __init__(self, fixed):
        self.fixed = fixed
        """The texts that have identifiers of this project, which are as they are shown."""
        self.actual, self.shown = {}, {}

    def take(self, kind, shown, actual):
        """Whether the one may stand for the other."""
        if kind not in NAMED:
            return True
        if self.actual.setdefault((kind, shown), actual) != actual:
            return False
        return kind not in DISTINCT or self.shown.setdefault((kind, actual), shown) == shown

    def translated(self, text):
        """What is typed, with what stands in place of the page's; none as long as that has not come."""
        result, end = "", 0
        for kind, found in tokens(text, KINDS):
            if kind in NAMED and found[0] not in self.fixed:
                if (kind, found[0]) not in self.actual:
                    return None
                result += text[end : found.start()] + self.actual[kind, found[0]]
                end = found.end()
        return result + text[end:]


def tokens(text, kinds):
    everything = "|".join(f"(?P<{kind}>{pattern})" for kind, pattern in kinds.items())
    return ((found.lastgroup, found) for found in re.finditer(everything, text))


class Line:
    """A line that a page shows."""

    def __init__(self, shown, names, has_figures):
        self.shown = re.sub(r" {2,}← [a-z].*", "", shown)
        self.names = names
        self.kinds = []
        pattern, end = "", 0
        for kind, found in tokens(self.shown, KINDS | FIGURES if has_figures else KINDS):
            if found[0] in names.fixed:
                continue
            pattern += re.escape(self.shown[end : found.start()]) + f"({FORMS[kind]})"
            end = found.end()
            self.kinds.append((kind, found[0]))
        rest = self.shown[end:]
        pattern += re.escape(rest[:-1]) + ".*" if rest.endswith(ANY_LINES) else re.escape(rest)
        self.pattern = re.compile(pattern)

    def matches(self, actual):
        found = self.pattern.fullmatch(actual)
        return found is not None and all(
            self.names.take(kind, shown, came) for (kind, shown), came in zip(self.kinds, found.groups())
        )


class Transcript:
    """The lines that a page shows for one command, and how many of them have come."""

    def __init__(self, shown, names, has_figures=False, is_unordered=False):
        self.lines = []
        self.position = 0
        self.repeats, self.is_unordered = has_figures, is_unordered
        for text in shown:
            line = Line(text, names, has_figures)
            # Of a histogram's rows there are more or fewer.
            if not (has_figures and self.lines and self.lines[-1].pattern == line.pattern):
                self.lines.append(line)

    @property
    def next(self):
        return self.lines[self.position] if self.position < len(self.lines) else None

    @property
    def is_complete(self):
        return all(line.shown == ANY_LINES for line in self.lines[self.position :])

    def take(self, actual):
        """The line of the page that has come, if this is one of it; raises where it is not."""
        if self.is_unordered:
            line = next((line for line in self.lines if line.matches(actual)), None)
            if line is not None:
                self.lines.remove(line)
            return line and line.shown
        line = self.next
        if line is not None and line.shown == ANY_LINES:
            following = self.lines[self.position + 1] if self.position + 1 < len(self.lines) else None
            if following is None or not following.matches(actual):
                return None
            self.position += 1
            line = following
        if line is not None and line.matches(actual):
            self.position += 1
            return line.shown
        if self.repeats and self.position > 0 and self.lines[self.position - 1].matches(actual):
            return None
        raise Mismatch(f"the page has  {line.shown if line else 'no more lines'}\n    there came    {actual}")


class Mismatch(Exception):
    pass
