"""Finds in a Swift file the places at which one mutation can be made, and says how to make it.

A mutation is a piece of one file with a replacement in which `isActive(N)` chooses between what stood there and what
it becomes, so that one build holds all mutants, and the environment says which of them are active. Nothing here parses
Swift: it looks at the text without comments and strings, and what does not compile is taken out by the build.
"""

import dataclasses
import re
import zlib

OPENING, CLOSING = "([{", ")]}"
BOUNDARIES = {"<": "<=", "<=": "<", ">": ">=", ">=": ">", "==": "!=", "!=": "=="}
DECLARATIONS = "init|func|var|subscript|deinit|struct|enum|class|extension"
# Messages to developers and log lines are not behaviour that a test must check.
SILENT = re.compile(r"\b(precondition|preconditionFailure|assert|assertionFailure|fatalError|logger|log|misuse)\b")


@dataclasses.dataclass
class Mutation:
    """One change: in the file at `path`, from `start` to `end`."""

    path: str
    line: int
    start: int
    end: int
    kind: str
    before: str
    after: str
    # The replacement, with {n} for the mutant's number.
    replacement: str

    @property
    def is_held_out(self):
        """Whether the mutation is one of the fifth that is held out for a trial. That depends on the changed text,
        not on its place."""
        return zlib.crc32(f"{self.path} {self.kind} {self.before} {self.after}".encode()) % 5 == 0

    def is_near(self, other):
        """Whether both change the same text of a file, or begin on one line."""
        return self.line == other.line or self.start < other.end and other.start < self.end


def written(text, path, before, after, form, occurrence=1, why=""):
    """A written change: an expression in the file's text is replaced by another one, or statements are."""
    start = -1
    for _ in range(occurrence):
        start = text.find(before, start + 1)
        if start < 0:
            raise SystemExit(f"{path} does not have this text, or not this often:\n{before}")
    if form == "statement" and before.startswith("defer"):
        raise SystemExit(f"{path}: a defer ends with its scope; change a statement in it:\n{before}")
    old, new = (part.replace("{", "{{").replace("}", "}}") for part in (before, after))
    replacement = {"expression": f"(isActive({{n}}) ? ({new}) : ({old}))",
                   "statement": f"if isActive({{n}}) {{{{ {new} }}}} else {{{{ {old} }}}}"}[form]
    return Mutation(path, text.count("\n", 0, start) + 1, start, start + len(before), form, " ".join(before.split()),
                    " ".join(after.split()) or "(left out)", replacement)


def masked(text):
    """The text with comments and the contents of strings replaced by spaces, at the same length."""
    out = list(text)
    i, end = 0, len(text)

    def blank(start, stop):
        for k in range(start, stop):
            if out[k] != "\n":
                out[k] = " "

    while i < end:
        if text.startswith("//", i):
            stop = text.find("\n", i)
            stop = end if stop < 0 else stop
            blank(i, stop)
            i = stop
        elif text.startswith("/*", i):
            stop = text.find("*/", i)
            stop = end if stop < 0 else stop + 2
            blank(i, stop)
            i = stop
        elif text[i] == '"' or (text[i] == "#" and re.match(r'#+"', text[i:i + 4])):
            hashes = re.match(r"#*", text[i:]).group()
            quote = '"""' if text.startswith('"""', i + len(hashes)) else '"'
            stop = string_end(text, i + len(hashes) + len(quote), quote + hashes, "\\" + hashes)
            blank(i + 1, stop - 1)
            out[i], out[stop - 1] = '"', '"'
            i = stop
        else:
            i += 1
    return "".join(out)


def string_end(text, i, quote, escape):
    """The end of the string whose contents begin at `i`."""
    while i < len(text):
        if text.startswith(quote, i):
            return i + len(quote)
        if text.startswith(escape + "(", i):
            i = closing(text, i + len(escape)) + 1
        elif text.startswith(escape, i):
            i += len(escape) + 1
        else:
            i += 1
    return i


def closing(text, i):
    """The end of the bracket that opens at `i`; strings within count as text."""
    depth = 0
    while i < len(text):
        if text[i] in OPENING:
            depth += 1
        elif text[i] in CLOSING:
            depth -= 1
            if depth == 0:
                return i
        i += 1
    return len(text) - 1


def split(code, start, end, separator):
    """The pieces of code between separators outside of brackets, as (start, end) without spaces around them."""
    pieces, depth, begin, i = [], 0, start, start
    while i < end:
        if code[i] in OPENING:
            depth += 1
        elif code[i] in CLOSING:
            depth -= 1
        elif depth == 0 and code.startswith(separator, i):
            pieces.append((begin, i))
            i += len(separator)
            begin = i
            continue
        i += 1
    pieces.append((begin, end))
    return [trimmed(code, a, b) for a, b in pieces]


def trimmed(code, start, end):
    while start < end and code[start].isspace():
        start += 1
    while end > start and code[end - 1].isspace():
        end -= 1
    return start, end


class Finder:
    """Finds the mutations of one file."""

    def __init__(self, path, text):
        self.path, self.text, self.code = path, text, masked(text)
        self.mutations = []

    def add(self, start, end, kind, after, replacement):
        if start >= end:
            return
        line_start = self.code.rfind("\n", 0, start) + 1
        if SILENT.search(self.code[line_start:end]):
            return
        before = " ".join(self.text[start:end].split())
        after = after.replace("{0}", before)
        line = self.text.count("\n", 0, start) + 1
        whole = self.text[start:end].replace("{", "{{").replace("}", "}}")
        self.mutations.append(
            Mutation(self.path, line, start, end, kind, before, after, replacement.replace("{0}", whole)))

    def find(self):
        self.conditions()
        self.values()
        self.ternaries()
        self.statements()
        self.literals()
        return self.mutations

    # A condition is one operand or several; each is taken out alone, and each comparison is moved by one.

    def boolean(self, start, end, alone):
        """`alone`: the replacement of a condition with one operand: "true", "false" or its negation, "not"."""
        code = self.code
        if re.search(r"\b(try|await|is)\b", code[start:end]) or start >= end:
            return
        alternatives = split(code, start, end, " || ")
        for a, b in alternatives:
            operands = split(code, a, b, " && ")
            if len(operands) > 1:
                for c, d in operands:
                    self.add(c, d, "operand", "true", "(isActive({n}) || ({0}))")
                    self.comparison(c, d)
            else:
                if len(alternatives) > 1:
                    self.add(a, b, "operand", "false", "(!isActive({n}) && ({0}))")
                self.comparison(a, b)
        if len(alternatives) == 1 and len(split(code, start, end, " && ")) == 1:
            if alone == "not":
                self.add(start, end, "condition", "!({0})", "(isActive({n}) != ({0}))")
            elif alone == "true":
                self.add(start, end, "condition", "true", "(isActive({n}) || ({0}))")
            else:
                self.add(start, end, "condition", "false", "(!isActive({n}) && ({0}))")

    def comparison(self, start, end):
        code = self.code
        if " ? " in code[start:end]:
            return
        found = []
        for operator in BOUNDARIES:
            pieces = split(code, start, end, f" {operator} ")
            if len(pieces) == 2:
                found.append((operator, pieces))
            elif len(pieces) > 2:
                return
        if len(found) != 1:
            return
        operator, ((a, b), (c, d)) = found[0]
        left, right = self.text[a:b], self.text[c:d]
        if "\n" in left + right or left in (".nil",):
            return
        other = BOUNDARIES[operator]
        escaped = [part.replace("{", "{{").replace("}", "}}") for part in (left, right)]
        self.add(start, end, "boundary", f"{left} {other} {right}",
                 f"(isActive({{n}}) ? {escaped[0]} {other} {escaped[1]} : {escaped[0]} {operator} {escaped[1]})")

    def conditions(self):
        code = self.code
        for match in re.finditer(r"(?<![\w.`])(guard|if|while) ", code):
            keyword, start = match.group(1), match.end()
            end = self.block(start)
            if end is None:
                continue
            if keyword == "guard":
                if not re.search(r"\selse\s*$", code[start:end]):
                    continue
                end = code.rfind("else", start, end)
            clauses = split(code, *trimmed(code, start, end), ",")
            for a, b in clauses:
                if re.match(r"(let|var|case|#\w+|_ =)\b", code[a:b]) or re.search(r"[^=!<>]=[^=]", code[a:b]):
                    continue
                alone = "true" if keyword == "guard" or len(clauses) > 1 else "not"
                self.boolean(a, b, alone)
        for match in re.finditer(r"\bwhere ([^\n{:]+?)(?= \{|:\n|: )", code):
            if re.search(r"==\s*[A-Z]|:", match.group(1)):
                continue
            self.boolean(match.start(1), match.end(1), "not")

    def block(self, start):
        """The start of the block after a condition."""
        depth = 0
        for i in range(start, min(len(self.code), start + 1500)):
            character = self.code[i]
            if character == "{" and depth == 0:
                return i
            if character in OPENING:
                depth += 1
            elif character in CLOSING:
                depth -= 1
                if depth < 0:
                    return None
        return None

    def values(self):
        """Results that are a comparison or a combination."""
        code = self.code
        patterns = (r"^[ \t]*return (.+)$", r"\bBool \{ (.+) \}$", r"\{ (\$0[^{}\n]*) \}",
                    r"^[ \t]*(?:let|var) \w+ = (.+)$")
        for pattern in patterns:
            for match in re.finditer(pattern, code, re.M):
                start, end = match.span(1)
                value = code[start:end]
                if value.count("(") != value.count(")") or value.count("{") != value.count("}") or " ? " in value:
                    continue
                if code[end:end + 40].lstrip()[:2] in ("&&", "||", "==", "+ ", "- ", "? ", "??"):
                    continue
                if re.search(r" (&&|\|\||<|<=|>|>=|==|!=) ", value):
                    before = len(self.mutations)
                    self.boolean(start, end, "not")
                    # Negating the whole tests no more than moving its edge.
                    self.mutations[before:] = [m for m in self.mutations[before:] if m.kind != "condition"]

    def ternaries(self):
        code = self.code
        for match in re.finditer(r" \? ", code):
            depth, i = 0, match.start() - 1
            while i >= 0:
                character = code[i]
                if character in CLOSING:
                    depth += 1
                elif character in OPENING:
                    depth -= 1
                    if depth < 0:
                        break
                elif depth == 0 and (character in ",\n" or code.startswith(("= ", ": ", "return ", "in "), i)):
                    if code.startswith("return ", i):
                        i += 6
                    elif code.startswith("in ", i) and not code[i - 1].isspace():
                        i -= 1
                        continue
                    elif code.startswith("= ", i) and code[i - 1] in "=!<>":
                        i -= 1
                        continue
                    break
                i -= 1
            start, end = trimmed(code, i + 1, match.start())
            if "\n" not in code[start:end]:
                self.boolean(start, end, "not")

    def statements(self):
        """A line that is one call or one assignment, left out."""
        lines = self.code.split("\n")
        offset = 0
        for number, line in enumerate(lines):
            start, end = trimmed(self.code, offset, offset + len(line))
            offset += len(line) + 1
            code = self.code[start:end]
            above = next((l.rstrip() for l in reversed(lines[:number]) if l.strip()), "")
            below = next((l.strip() for l in lines[number + 1:] if l.strip()), "")
            if not above or above[-1] not in "{};)]:\"'" and not re.search(r"[\w?!]$", above):
                continue
            if re.search(r"(^|\s)(return|in|else|case|where|=)$", above) and not above.endswith(" in"):
                continue
            if below[:1] in ".?+-*/|&=<>,:" or below.startswith(("??", "{", "else {")) and not below.startswith("}"):
                continue
            if any(code.count(a) != code.count(b) for a, b in zip(OPENING, CLOSING)):
                continue
            call = re.match(r"(?:try )?[a-z_][\w.\[\]?!]*\(.*\)$", code)
            assignment = re.match(r"[a-z_][\w.\[\]?!()]* (=|\+=|-=|\|=|&=) .+$", code)
            if not call and not assignment:
                continue
            if re.match(r"(let|var|case|return|if|guard|for|while|switch|super|self\.init|init|func|static|throw|defer"
                        r"|public|private|internal|package|package|fileprivate|indirect|withExtendedLifetime)\b", code):
                continue
            if assignment and self.is_in_initializer(lines, number):
                continue
            self.add(start, end, "statement", "(left out)", "if !isActive({n}) {{ {0} }}")

    def is_in_initializer(self, lines, number):
        """Whether a line stands in an initializer, where a property may get its first value."""
        indent = len(lines[number]) - len(lines[number].lstrip())
        for line in reversed(lines[:number]):
            own = len(line) - len(line.lstrip())
            if line.strip() and own < indent:
                # Where the parameters stand on lines of their own, the declaration begins at the same column.
                indent = own + 1 if line.strip().startswith(")") else own
                found = re.match(rf"\s*(?:[\w@()]+ )*?({DECLARATIONS})\b", line)
                if found:
                    return found.group(1) == "init"
        return False

    def literals(self):
        code = self.code
        for match in re.finditer(r"(?<![\w.$'\"-])(0x[0-9A-Fa-f_]+|[0-9][0-9_]*)(?![\w.'\"])", code):
            line_start = code.rfind("\n", 0, match.start()) + 1
            head = code[line_start:match.start()]
            value = int(match.group().replace("_", ""), 0)
            if value < 2 or re.search(r"\bcase\b[^:]*$|@|#|\[$", head) and not head.rstrip().endswith("= ["):
                continue
            if re.match(r"\s*$", head) or "let package" in head:
                continue
            changed = hex(value + 1) if match.group().startswith("0x") else str(value + 1)
            self.add(*match.span(), "constant", changed, f"(isActive({{n}}) ? {changed} : {{0}})")
        for match in re.finditer(r"(?<![\w.])(true|false)(?!\w)", code):
            line_start = code.rfind("\n", 0, match.start()) + 1
            if re.search(r"\bcase\b[^:]*$|@|#", code[line_start:match.start()]):
                continue
            changed, choice = ("false", "!isActive({n})") if match.group() == "true" else ("true", "isActive({n})")
            self.add(*match.span(), "truth", changed, choice)
        for match in re.finditer(r"(?<![\w.])(Swift\.)?(min|max)\(", code):
            end = closing(code, match.end() - 1) + 1
            if len(split(code, match.end(), end - 1, ",")) != 2 or "\n" in code[match.start():end]:
                continue
            other = {"min": "max", "max": "min"}[match.group(2)]
            arguments = self.text[match.end():end].replace("{", "{{").replace("}", "}}")
            self.add(match.start(), end, "minimum", f"{other}({self.text[match.end():end]}",
                     f"(isActive({{n}}) ? {other}({arguments} : {{0}})")
