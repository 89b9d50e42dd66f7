"""Reads objects with GNU objdump and nm: instructions, innermost loops, symbols."""

import re
import subprocess
from dataclasses import dataclass, field
from functools import cached_property

import architectures

INSTRUCTION = re.compile(r"^\s*([0-9a-f]+):\t((?:[0-9a-f]{2,8} )+)\s*\t(\S.*)$")
FUNCTION = re.compile(r"^[0-9a-f]+ <([^>]+)>:$")
MEMBER = re.compile(r"^(\S+\.o):\s+file format (\S+)")
DATA = re.compile(r"\.(word|short|byte)\s")  # constants between the instructions of 32-bit ARM


@dataclass
class Instruction:
    address: int
    encoding: list[str]
    text: str

    def __str__(self):
        return f"{self.address:6x}: {self.text}"


@dataclass
class Function:
    architecture: object
    member: str
    name: str
    code: list[Instruction] = field(default_factory=list)

    @cached_property
    def position(self):
        """Of the instruction at an address."""
        return {instruction.address: n for n, instruction in enumerate(self.code)}

    def jump(self, n):
        """The nth instruction's jump inside the function, or None."""
        jump = self.architecture.jump(self.code[n].text)
        return jump if jump and jump.target in self.position else None

    @cached_property
    def successors(self):
        """For every position those that may run next, inside the function."""
        result = []
        for n, instruction in enumerate(self.code):
            jump = self.jump(n)
            after = [self.position[jump.target]] if jump else []
            if not self.architecture.is_end(instruction.text) and n + 1 < len(self.code):
                after.append(n + 1)
            result.append(after)
        return result

    @cached_property
    def predecessors(self):
        result = [[] for _ in self.code]
        for n, after in enumerate(self.successors):
            for m in after:
                result[m].append(n)
        return result

    def stack_access(self, instruction):
        """The instruction's access of the stack, or None."""
        access = self.architecture.access(instruction.text)
        on_stack = access and self.architecture.points_to_stack(self, self.position[instruction.address], access.base)
        return access if on_stack else None

    def innermost_loops(self):
        """Natural loops that contain no other: lists of instructions in the order of their addresses."""
        predecessors = self.predecessors
        bodies = {}
        dominators = dominator_sets(predecessors)
        for header in range(len(self.code)):
            tails = [n for n in predecessors[header] if dominators[n] and dominators[n] >> header & 1]
            if not tails:
                continue
            body = {header}
            while tails:
                n = tails.pop()
                if n not in body:
                    body.add(n)
                    tails.extend(predecessors[n])
            bodies[header] = body
        innermost = [body for body in bodies.values() if not any(other < body for other in bodies.values())]
        return [[self.code[n] for n in sorted(body)] for body in innermost]


def dominator_sets(predecessors):
    """For every node, as the bits of an integer, the nodes that every way from node 0 to it passes; none where there is no way."""
    everything = (1 << len(predecessors)) - 1
    dominators = [everything] * len(predecessors)
    changed = True
    while changed:
        changed = False
        for n, sources in enumerate(predecessors):
            common = everything if n else 0
            for source in sources:
                common &= dominators[source]
            common |= 1 << n
            if common != dominators[n]:
                dominators[n] = common
                changed = True
    return [0 if bits == everything and n else bits for n, bits in enumerate(dominators)]


@dataclass
class Binutils:
    objdump: str
    nm: str

    def is_gnu(self):
        return "GNU objdump" in run(self.objdump, "--version")

    def functions(self, path):
        """Every function of an object or of an archive."""
        result = []
        for line in run(self.objdump, "-d", "-w", path).splitlines():
            if match := MEMBER.match(line):
                member, architecture = match[1], architectures.BY_FILE_FORMAT[match[2]]
            elif match := FUNCTION.match(line):
                result.append(Function(architecture, member, match[1]))
            elif match := INSTRUCTION.match(line):
                text = " ".join(architecture.comment.split(match[3])[0].split())
                if not DATA.match(text):
                    result[-1].code.append(Instruction(int(match[1], 16), match[2].split(), text))
        return result

    def symbols(self, path):
        """(undefined, defined global) names of an object or of an archive."""
        undefined, defined = set(), set()
        for line in run(self.nm, "-g", path).splitlines():
            fields = line.split()
            if len(fields) >= 2 and fields[-2] in ("U", "w", "v"):
                undefined.add(fields[-1])
            elif len(fields) == 3:
                defined.add(fields[-1])
        return undefined, defined


def run(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout
