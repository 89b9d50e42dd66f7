"""What an instruction does, for each architecture, by the text that GNU objdump writes."""

import re
from typing import NamedTuple


class Jump(NamedTuple):
    target: int
    is_conditional: bool


class Access(NamedTuple):
    """Of memory, at an address in a register."""

    base: str
    is_store: bool


class X86:
    name = "x86-64"
    comment = re.compile("#")
    prefixes = {"26", "2e", "36", "3e", "64", "65", "67"}

    def jump(self, text):
        match = re.match(r"(?:notrack |bnd )?j(\w+)\s+([0-9a-f]+)\b", text)
        return Jump(int(match[2], 16), match[1] != "mp") if match else None

    def is_end(self, text):
        """The next instruction is never the next to run."""
        return re.match(r"(?:notrack |bnd )?jmp|(repz )?ret|ud2", text) is not None

    def is_call(self, text):
        return text.startswith("call")

    def access(self, text):
        """The last operand is the destination, but in comparisons."""
        mnemonic = text.split()[0]
        if mnemonic.startswith(("push", "pop")):
            return Access("%rsp", mnemonic.startswith("push"))
        operand = re.search(r"\(([^)]*)\)", text)
        if not operand or mnemonic.startswith(("nop", "lea")):
            return None
        return Access(operand[1].split(",")[0], text.endswith(")") and not mnemonic.startswith(("cmp", "test")))

    def points_to_stack(self, function, _, register):
        """%rbp does only where it is set up as a frame pointer; elsewhere it is one register among others."""
        framed = any(re.match(r"mov\s+%rsp,%rbp\b", i.text) for i in function.code)
        return register == "%rsp" or (framed and register == "%rbp")

    def is_vector_extension(self, instruction):
        """VEX or EVEX encoded: in 64-bit mode the bytes c4, c5 and 62 begin nothing else."""
        return self._first_byte(instruction) in ("c4", "c5", "62")

    def is_evex(self, instruction):
        return self._first_byte(instruction) == "62"

    def _first_byte(self, instruction):
        return next((byte for byte in instruction.encoding if byte not in self.prefixes), "")


class _Arm:
    """What both have in common: loads and stores, and addresses of the stack in any register."""

    no_result = re.compile(r"cmp|cmn|tst|teq|ccm[pn]|cbn?z|tbn?z")
    copy = re.compile(r"(?:add|sub|mov)\w*(?:\.[nw])?\s+\w+, ([a-z]\w*)")
    copy_in_place = re.compile(r"(?:add|sub)\w*(?:\.[nw])?\s+(\w+), #")

    def access(self, text):
        mnemonic = text.split()[0]
        if re.match("v?(push|pop)", mnemonic):
            return Access("sp", "push" in mnemonic)
        kind = re.match("v?(st|ld)", mnemonic)
        base = re.search(r"\[([a-z]\w*)", text) or re.match(r"\S+\s(\w+)!?, \{", text)
        return Access(base[1], kind[1] == "st") if kind and base else None

    def assembler_state(self, _):
        """The directive that the assembler needs in front of the instruction."""
        return ""

    def points_to_stack(self, function, position, register):
        """Whether on some way through the function the register was made from the stack pointer, and not again from anything else."""
        ways = [(position, register)]
        seen = set()
        while ways:
            n, wanted = ways.pop()
            if wanted == "sp":
                return True
            for before in function.predecessors[n]:
                if (before, wanted) not in seen:
                    seen.add((before, wanted))
                    source = self._source(function.code[before].text, wanted)
                    ways += [(before, source)] if source else []
        return False

    def _source(self, text, register):
        """Where the instruction takes the address in the register from: another, this one, or None. Increments keep it."""
        if register not in self._results(text):
            return register
        match = self.copy.match(text) or self.copy_in_place.match(text)
        return match[1] if match else None

    def _results(self, text):
        mnemonic, _, operands = text.partition(" ")
        access = self.access(text)
        if self.no_result.match(mnemonic) or (access and access.is_store):
            return ()
        if access:
            operands = operands.split("[")[0] if "[" in operands else operands.split("{")[1]
            return [self._whole(name) for name in re.findall(r"[a-z]\w*", operands)]
        return [self._whole(operands.split(",")[0])]

    def _whole(self, register):
        return register


class Aarch64(_Arm):
    name = "arm-64"
    comment = re.compile("//")

    def jump(self, text):
        match = re.match(r"(b|bc?\.\w+|cbn?z|tbn?z)\s(?:.*, )?([0-9a-f]+) <", text)
        return Jump(int(match[2], 16), match[1] != "b") if match else None

    def is_end(self, text):
        return re.match(r"(b|br|ret|udf|brk)(\s|$)", text) is not None

    def is_call(self, text):
        return re.match(r"blr?\s", text) is not None

    def _whole(self, register):
        """w9 is the lower half of x9."""
        return re.sub(r"^w(\d+)$", r"x\1", register)


class Arm(_Arm):
    name = "arm-32"
    comment = re.compile("[@;]")
    condition = "eq|ne|cs|hs|cc|lo|mi|pl|vs|vc|hi|ls|ge|lt|gt|le"

    def assembler_state(self, instruction):
        """Thumb code is made of halfwords."""
        return ".arm" if len(instruction.encoding[0]) == 8 else ".thumb"

    def jump(self, text):
        match = re.match(rf"(?:b({self.condition})?|(cbn?z))(?:\.[nw])?\s(?:\w+, )?([0-9a-f]+) <", text)
        return Jump(int(match[3], 16), bool(match[1] or match[2])) if match else None

    def is_end(self, text):
        return re.match(r"(b|bx|udf)(\.[nw])?\s|tb[bh]\s|(pop|ldm(?:ia|fd)?|ldr|mov)(\.w)?\s(.*\{.*)?pc\b", text) is not None

    def is_call(self, text):
        return re.match(rf"blx?({self.condition})?\s", text) is not None


BY_FILE_FORMAT = {"elf64-x86-64": X86(), "elf64-littleaarch64": Aarch64(), "elf32-littlearm": Arm()}
