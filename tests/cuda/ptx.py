"""PTX as LLVM writes it: a program, its entries and their instructions."""

import re
from dataclasses import dataclass


@dataclass(frozen=True)
class Instruction:
    name: str  # with all its modifiers
    operands: tuple[str, ...]  # as written; a vector keeps its braces
    guard: str  # the predicate, with ! where it is negated; or nothing

    def __str__(self):
        return f"{f'@{self.guard} ' if self.guard else ''}{self.name} {', '.join(self.operands)}"

    @property
    def width(self):
        """Bits of the last type in the name."""
        return int(re.search(r"\.[busf](\d+)$", self.name)[1])

    @property
    def bytes(self):
        """What a load or store moves."""
        vector = re.search(r"\.v(\d)\.", self.name)
        return self.width // 8 * (int(vector[1]) if vector else 1)


@dataclass(frozen=True)
class Label:
    name: str


@dataclass(frozen=True)
class Brace:
    """Where a block begins or ends."""

    text: str


@dataclass(frozen=True)
class Register:
    """Declared within a block."""

    name: str
    type: str


@dataclass(frozen=True)
class Entry:
    name: str
    parameters: list[tuple[str, str]]  # name and type
    registers: dict[str, tuple[str, int]]  # prefix: type and how many
    body: list  # of Instruction, Label, Brace and Register

    @property
    def instructions(self):
        return [s for s in self.body if isinstance(s, Instruction)]

    def paths(self):
        """The instructions of every way through. There are no loops."""
        labels = {s.name: n for n, s in enumerate(self.body) if isinstance(s, Label)}

        def ways(n, taken):
            while n < len(self.body):
                s = self.body[n]
                n += 1
                if not isinstance(s, Instruction):
                    continue
                taken = [*taken, s]
                if s.name == "ret":
                    yield taken
                    return
                if re.match(r"bra\b", s.name):
                    if labels[s.operands[0]] < n:
                        raise ValueError(f"{self.name} jumps backwards: {s}")
                    yield from ways(labels[s.operands[0]], taken)
                    if not s.guard:
                        return

        return list(ways(0, []))


@dataclass(frozen=True)
class Program:
    directives: dict[str, str]
    entries: list[Entry]


DIRECTIVE = re.compile(r"^\.(version|target|address_size)\s+(.*)$", re.MULTILINE)
ENTRY = re.compile(r"^\.visible \.entry (\w+)\(([^)]*)\)\s*^\{(.*?)^\}", re.DOTALL | re.MULTILINE)
STATEMENT = re.compile(r"\s*(?:([{}])|(\$\w+):|([^;]+);)")
INSTRUCTION = re.compile(r"(?:@(!?%\w+)\s+)?([a-z][\w.]*)\s*(.*)", re.DOTALL)
OPERAND = re.compile(r"\{[^}]*\}|\[[^\]]*\]|[^,\s]+")


def read_operands(text):
    return tuple(OPERAND.findall(text))


def read_body(text):
    registers, body = {}, []
    position = 0
    while match := STATEMENT.match(text, position):
        position = match.end()
        brace, label, statement = match.groups()
        if brace:
            body.append(Brace(brace))
        elif label:
            body.append(Label(label))
        elif block := re.fullmatch(r"\.reg\s+\.(\w+)\s+(%\w+)<(\d+)>", statement):
            registers[block[2]] = (block[1], int(block[3]))
        elif single := re.fullmatch(r"\.reg\s+\.(\w+)\s+(\w+)", statement):
            body.append(Register(single[2], single[1]))
        elif instruction := INSTRUCTION.fullmatch(statement):
            body.append(Instruction(instruction[2], read_operands(instruction[3]), instruction[1] or ""))
        else:
            raise ValueError(f"not understood: {statement}")
    if text[position:].strip():
        raise ValueError(f"not understood: {text[position:][:80]}")
    return registers, body


def read(text):
    text = re.sub(r"//.*", "", text)
    entries = []
    for name, parameters, body in ENTRY.findall(text):
        words = [line.split() for line in parameters.split(",")]
        entries.append(Entry(name, [(w[-1], w[1].lstrip(".")) for w in words if w], *read_body(body)))
    rest = DIRECTIVE.sub("", ENTRY.sub("", text)).strip()
    if rest:
        raise ValueError(f"not understood: {rest[:80]}")
    return Program(dict(DIRECTIVE.findall(text)), entries)
