"""Reads objects with objdump and nm: instructions, innermost loops, symbols."""

import re
import subprocess
from dataclasses import dataclass, field

INSTRUCTION = re.compile(r"^\s*([0-9a-f]+):\t((?:[0-9a-f]{2} )+)\s*\t(\S.*)$")
FUNCTION = re.compile(r"^[0-9a-f]+ <([^>]+)>:$")
MEMBER = re.compile(r"^(\S+\.o):\s+file format")
JUMP = re.compile(r"^(?:notrack |bnd )?j(\w+)\s+([0-9a-f]+)\b")
PREFIXES = {"26", "2e", "36", "3e", "64", "65", "67"}


@dataclass
class Instruction:
    address: int
    encoding: list[str]
    text: str

    @property
    def jump(self):
        """(mnemonic after the j, target) or None."""
        match = JUMP.match(self.text)
        return (match[1], int(match[2], 16)) if match else None

    @property
    def is_vector_extension(self):
        """VEX or EVEX encoded: in 64-bit mode the bytes c4, c5 and 62 begin nothing else."""
        return self._first_byte in ("c4", "c5", "62")

    @property
    def is_evex(self):
        return self._first_byte == "62"

    @property
    def _first_byte(self):
        return next((byte for byte in self.encoding if byte not in PREFIXES), "")

    def __str__(self):
        return f"{self.address:6x}: {self.text}"


@dataclass
class Function:
    member: str
    name: str
    code: list[Instruction] = field(default_factory=list)

    @property
    def stack_registers(self):
        """%rbp is the stack's only where it is set up as a frame pointer; elsewhere it is one register among others."""
        framed = any(re.match(r"mov\s+%rsp,%rbp\b", i.text) for i in self.code)
        return ("%rsp", "%rbp") if framed else ("%rsp",)

    def touches_stack(self, instruction):
        mnemonic = instruction.text.split()[0]
        if mnemonic.startswith(("push", "pop")):
            return True
        operands = re.findall(r"\(([^)]*)\)", instruction.text)
        return not mnemonic.startswith(("nop", "lea")) and any(o.split(",")[0] in self.stack_registers for o in operands)

    def stores_to_stack(self, instruction):
        """The last operand is the destination, but in comparisons."""
        mnemonic = instruction.text.split()[0]
        if mnemonic.startswith("push"):
            return True
        last = instruction.text.rsplit("(", 1)
        is_memory = len(last) == 2 and instruction.text.endswith(")")
        return is_memory and last[1].split(",")[0].rstrip(")") in self.stack_registers and not mnemonic.startswith(("cmp", "test", "pop"))

    def innermost_loops(self):
        """Natural loops that contain no other: lists of instructions in the order of their addresses."""
        code = self.code
        position = {instruction.address: n for n, instruction in enumerate(code)}
        predecessors = [[] for _ in code]
        for n, instruction in enumerate(code):
            jump = instruction.jump
            if jump and jump[1] in position:
                predecessors[position[jump[1]]].append(n)
            falls_through = not (jump and jump[0] == "mp") and not re.match(r"(repz )?ret|ud2|jmp", instruction.text)
            if falls_through and n + 1 < len(code):
                predecessors[n + 1].append(n)

        bodies = {}
        dominators = dominator_sets(predecessors)
        for header in range(len(code)):
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
        return [[code[n] for n in sorted(body)] for body in innermost]


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


def run(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def functions(path):
    """Every function of an object or of an archive."""
    result = []
    member = path
    for line in run("objdump", "-d", "-w", path).splitlines():
        if match := MEMBER.match(line):
            member = match[1]
        elif match := FUNCTION.match(line):
            result.append(Function(member, match[1]))
        elif match := INSTRUCTION.match(line):
            result[-1].code.append(Instruction(int(match[1], 16), match[2].split(), match[3].split("#")[0].rstrip()))
    return result


def symbols(path):
    """(undefined, defined global) names of an object or of an archive."""
    undefined, defined = set(), set()
    for line in run("nm", "-g", path).splitlines():
        fields = line.split()
        if len(fields) >= 2 and fields[-2] in ("U", "w", "v"):
            undefined.add(fields[-1])
        elif len(fields) == 3:
            defined.add(fields[-1])
    return undefined, defined
