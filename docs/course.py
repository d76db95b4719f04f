"""Makes the course's pages of a DocC catalogue from what its program prints: the lessons, their code and their runs.

    course.py PROGRAMS FOLDER   PROGRAMS has corebluetooth and corebluetooth-learn; FOLDER is the catalogue
"""

import json
import os
import pathlib
import subprocess
import sys
import tempfile
import textwrap

#: The name, summary, picture and last lesson of each chapter.
CHAPTERS = (
    ("The Magic 8-Ball", "One side asks, the other one answers.", "question", 6),
    ("Messages, life and trust", "What a long-running app needs.", "lock", 11),
)

#: The lesson of each picture, and the first and the last line of its run that it shows.
PICTURES = {
    "question": ("delivery", "writeValue(", "answer: "),
    "lock": ("lock", "updateValue(", "the door is open"),
}

CONTENTS = """\
@Tutorials(name: "Core Bluetooth, packet by packet") {
    @Intro(title: "Core Bluetooth, packet by packet") {
        Build the SDK of a Magic 8-Ball, then a messenger and a lock. Every lesson is code that the tests of this package compile and run, every trace comes from its run, and you answer every question by running something.

        In a clone of the package, `swift run corebluetooth-learn` lists the lessons in a terminal, and `swift run corebluetooth-learn 1` runs the first one.
    }

%s
}
"""

PAGE = """\
@Tutorial(time: 10) {
    @Intro(title: "%(title)s") {
        %(summary)s
    }

    @Section(title: "The code") {
        @ContentAndMedia {
%(introduction)s
        }

        @Steps {
%(code)s
        }
    }

    @Section(title: "The run") {
        @ContentAndMedia {
            What the devices do, in order: calls of Core Bluetooth and of its delegates, and the packets below them. An arrow to the right is a packet that the device sends, an arrow to the left one that it receives.
        }

        @Steps {
%(run)s
        }
    }

    @Assessments {
        @MultipleChoice {
            %(question)s Find out with `%(command)s`.

%(choices)s
        }
    }
}
"""

STEP = """\
            @Step {
%s

                @Code(name: "%s", file: "%s", reset: true)
            }"""

CHOICE = """\
            @Choice(isCorrect: %s) {
                `%s`

                @Justification(reaction: "%s") {
                    %s
                }
            }"""


def in_clone(command):
    """The command in a clone of the package."""
    return "swift run " + command.replace("corebluetooth learn", "corebluetooth-learn")


class Course:
    def __init__(self, programs, catalogue, state):
        self.programs, self.catalogue, self.state = programs, catalogue, state
        lessons = self.events()
        for lesson in lessons:
            lesson["page"] = f"Lesson{lesson['number']:02}-{lesson['name']}"
            self.write(lesson["page"] + ".tutorial", self.page(lesson))
        for picture, part in PICTURES.items():
            self.draw(picture, *part)
        chapters = []
        for name, summary, picture, last in CHAPTERS:
            pages = [lessons.pop(0)["page"] for lesson in list(lessons) if lesson["number"] <= last]
            references = "\n".join(f'        @TutorialReference(tutorial: "doc:{page}")' for page in pages)
            chapters.append(
                f'    @Chapter(name: "{name}") {{\n        {summary}\n\n        @Image(source: "{picture}.svg", '
                f'alt: "The calls and packets of a run, as a diagram")\n\n{references}\n    }}')
        assert not lessons, "a lesson is in no chapter"
        self.write("TheCourse.tutorial", CONTENTS % "\n\n".join(chapters))

    def write(self, name, text):
        (self.catalogue / name).write_text(text, encoding="utf-8")

    def output(self, program, *arguments):
        """The output of a program; empty if it fails."""
        environment = {**os.environ, "XDG_STATE_HOME": str(self.state), "LC_ALL": "C.UTF-8"}
        done = subprocess.run([self.programs / program, *arguments], env=environment, text=True,
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
        return done.stdout if done.returncode == 0 else ""

    def events(self, *arguments):
        return [json.loads(line) for line in self.output("corebluetooth-learn", "--json", *arguments).splitlines()]

    def page(self, lesson):
        name, number = lesson["name"], str(lesson["number"])
        events = {}
        for event in self.events(number):
            events.setdefault(event["event"], []).append(event)
        introduction, *texts = events["text"]
        code = []
        for place, (text, part) in enumerate(zip(texts, events["code"], strict=True), 1):
            file = f"{name}-{place}.swift"
            self.write(file, part["code"] + "\n")
            code.append(self.step(f"**{part['part']}.** {text['text']}", part["file"], file))

        command = f"corebluetooth learn {number}"
        printed = self.output("corebluetooth-learn", number)
        trace = printed.split("\nThe run\n\n")[1].split("\n\nWhat to look for\n")[0].strip("\n")
        lines = trace.split("\n")
        self.write(f"{name}-trace.txt", trace + "\n")
        run = [self.step(f"Run it with `{in_clone(command)}`. Each line is printed as it happens; the times are those "
                         "of the lesson.", command, f"{name}-trace.txt")]
        start = 0
        for place, seen in enumerate(events["observation"], 1):
            file = f"{name}-trace-{place}.txt"
            text, start = self.excerpt(lines, seen["line"], start)
            self.write(file, text)
            run.append(self.step(f"`{seen['line']}`: {seen['text']}", command, file))

        question, = events["question"]
        answers = {choice: self.events(number, "--answer", choice) for choice in question["choices"]}
        assert sum(map(bool, answers.values())) == 1, f"lesson {number} has not one right answer"
        look = in_clone(question["command"])
        choices = [CHOICE % (("true", choice, "Yes.", right[0]["text"]) if right else
                             ("false", choice, "No.", f"Run `{look}` and look.")) for choice, right in answers.items()]
        return PAGE % {
            "title": lesson["title"], "summary": lesson["summary"], "command": look, "question": question["text"],
            "introduction": textwrap.indent(introduction["text"], " " * 12), "code": "\n\n".join(code),
            "run": "\n\n".join(run), "choices": "\n\n".join(choices),
        }

    @staticmethod
    def step(text, name, file):
        return STEP % (textwrap.indent(text, " " * 16), name, file)

    @staticmethod
    def excerpt(lines, text, start):
        """The lines around the next one that contains a text, and where to continue the search. Empty lines, which
        surround headings, do not count."""
        entries = [number for number, line in enumerate(lines) if line]
        place = next(place for place in range(start, len(entries)) if text in lines[entries[place]])
        first, last = max(0, place - 2), min(len(entries), place + 5) - 1
        part = lines[entries[first] : entries[last] + 1]
        return "\n".join(["…"] * (first > 0) + part + ["…"] * (last < len(entries) - 1)) + "\n", place + 1

    def draw(self, picture, lesson, first, last):
        trace = self.state / f"{lesson}.jsonl"
        title = self.events(lesson, "--trace", str(trace))[0]["title"]
        self.output("corebluetooth", "trace", str(trace), "--from", first, "--to", last, "--title", title,
                    "--output", str(self.catalogue / f"{picture}.svg"))


with tempfile.TemporaryDirectory() as folder:
    Course(pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]), pathlib.Path(folder))
