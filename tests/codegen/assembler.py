"""What instruction set a code needs, by asking the assembler: it rejects what is beyond the one that it is told."""

import re
import subprocess

# A jump's target is in another function or another place, as the text alone has it.
TARGET = re.compile(r"[0-9a-f]+ <[^>]*>")
# Disassembled, a floating-point constant of 32-bit ARM is its encoding.
ENCODED_CONSTANT = re.compile(r"(vmov\w*\.f\d\d \w+, )#-?\d+$")


def rejected(compiler, directives, instructions):
    """The (index, reason) of the instructions, given as text, that are beyond the instruction set that the directives name."""
    lines = directives.split("; ")
    for text in instructions:
        lines.append(ENCODED_CONSTANT.sub(r"\1#1.0", TARGET.sub(". + 8", text)))
    process = subprocess.run(
        [compiler, "-c", "-x", "assembler", "-o", "/dev/null", "-"], input="\n".join(lines) + "\n", capture_output=True, text=True
    )
    errors = re.findall(r"^[^:\n]*:(\d+):(?:\d+:)? [Ee]rror: (.*)", process.stderr, re.MULTILINE)
    if (process.returncode != 0) != bool(errors):
        raise RuntimeError(f"{compiler} exits with status {process.returncode} and says: {process.stderr}")
    first = len(directives.split("; ")) + 1
    return [(int(line) - first, reason) for line, reason in errors]
