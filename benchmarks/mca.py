#!/usr/bin/env python3
"""Cycles an element of the innermost loops of ARM kernels, estimated with llvm-mca, as a table in Markdown.

    apt-get install llvm-19
    python3 benchmarks/mca.py build/aarch64-linux-gnu/kernels [--all] [--cpu cortex-a53]

Takes objects, or folders of them, with the element type in their names. Of each kernel the loops of several vectors are shown, in the order
of the code: for Elu first alpha 1, then any other alpha; --all also shows those that follow them one vector at a time. An object with the
same loops as the one before it is left out. llvm-mca assumes that loads hit the first-level cache and that branches are predicted. "+": the
model lacks an instruction, which is left out; "?": llvm-mca fails.
"""

import argparse
import pathlib
import re
import subprocess

CPUS = {
    "aarch64": ("cortex-a53", "cortex-a55", "cortex-a510", "cortex-a76", "neoverse-n1", "neoverse-v1"),
    "arm": ("cortex-a9", "cortex-a57", "swift"),  # the other 32-bit cores have no model, or one without vectors (cortex-r52)
}
TRIPLES = {"aarch64": ("aarch64-linux-gnu", "+fullfp16"), "arm": ("armv7-linux-gnueabihf", "+neon,+d32")}
SIZES = {"f16": 2, "bf16": 2, "f32": 4, "f64": 8}
ITERATIONS = 200
INSTRUCTION = re.compile(r"^\s*([0-9a-f]+):\s+(\S.*)$")
BRANCH = re.compile(r"^(b(?:\.?\w\w)?|cbn?z\s+\w+,|tbn?z\s+\w+, #\w+,)\s+(0x[0-9a-f]+)")
REGISTER_SIZES = {"q": 16, "v": 16, "d": 8, "x": 8, "s": 4, "w": 4, "r": 4}


def innermost_loops(tools, path):
    """Of the first function, the kernel: lists of instructions from a jump's target to that jump, between which lies no other such pair."""
    code = {}
    for line in subprocess.run(
        [f"{tools}/llvm-objdump", "-d", "--no-show-raw-insn", path], check=True, capture_output=True, text=True
    ).stdout.splitlines():
        match = None if ".word" in line else INSTRUCTION.match(line)
        if match and int(match[1], 16) in code:
            break
        if match:
            code[int(match[1], 16)] = re.split(r"\s+(?://|@|<\w+[+>])", match[2])[0].replace("\t", " ")
    spans = []
    for address, text in code.items():
        branch = BRANCH.match(text)
        if branch and int(branch[2], 16) <= address:
            spans.append((int(branch[2], 16), address))
    spans = [s for s in spans if not any(o != s and s[0] <= o[0] and o[1] <= s[1] for o in spans)]
    bodies = [[BRANCH.sub(r"\1 loop", text) for address, text in code.items() if first <= address <= last] for first, last in spans]
    # What returns is no loop, but a block that was put behind the end.
    return [body for body in bodies if not any(re.match(r"ret|bx|pop", text) for text in body)]


def stored_bytes(loop):
    """Of whole registers. Not the stack's: on 32-bit machines those are aligned, or a vstmia that leaves the address as it is."""
    total = 0
    for text in loop:
        match = re.match(r"v?st\S+ (?:(.*), \[(?!sp|\w+:)|\w+!, (.*))", text)
        if match:
            total += sum(REGISTER_SIZES[kind] for kind in re.findall(r"\b([qvdxswr])\d+", match[1] or match[2]))
    return total


def cycles(tools, loop, architecture, cpu):
    """Of one iteration, in the steady state, and the sign that goes with it; or None."""
    triple, features = TRIPLES[architecture]
    # The model of cortex-a9 knows the second form of the same thing alone.
    source = "\n".join(re.sub(r"^v(ld|st)mia (\w+)(!?), (.*)", r"v\g<1>1.64 \4, [\2]\3", text) for text in ["loop:", *loop])
    totals = []
    for iterations in (ITERATIONS, 2 * ITERATIONS):
        result = subprocess.run(
            [f"{tools}/llvm-mca", f"-mtriple={triple}", f"-mcpu={cpu}", f"-mattr={features}", f"-iterations={iterations}"]
            + ["-skip-unsupported-instructions=lack-sched"],
            input=source,
            capture_output=True,
            text=True,
        )
        match = re.search(r"^Total Cycles:\s+(\d+)", result.stdout, re.MULTILINE)
        if not match:
            return None
        totals.append(int(match[1]))
    return (totals[1] - totals[0]) / ITERATIONS, "+" if "unsupported instruction" in result.stderr else ""


def cell(estimate, elements):
    return f"{estimate[0] / elements:.2f}{estimate[1]} |" if estimate else "? |"


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("paths", nargs="+", type=pathlib.Path)
    parser.add_argument("--cpu", action="append", help="LLVM's name of one, instead of the usual ones; may be repeated")
    parser.add_argument("--all", action="store_true", help="also the loops of single vectors")
    parser.add_argument("--llvm", default="/usr/lib/llvm-19/bin", help="folder of llvm-objdump and llvm-mca")
    options = parser.parse_args()

    paths = [p for path in options.paths for p in (sorted(path.glob("*.o")) if path.is_dir() else [path])]
    header = shown = None
    for path in paths:
        headers = subprocess.run([f"{options.llvm}/llvm-objdump", "-f", path], check=True, capture_output=True, text=True).stdout
        architecture = "aarch64" if "aarch64" in headers else "arm"
        cpus = options.cpu or CPUS[architecture]
        if header != cpus:
            header = cpus
            print("| kernel | elements | instructions |", *(f"{cpu} |" for cpu in cpus))
            print("|---|---|---|" + "---|" * len(cpus))
        name = path.stem.removeprefix("actinide_k_")
        size = SIZES[re.search(r"(?<![a-z])b?f(16|32|64)", name)[0]]
        loops = [(loop, stored_bytes(loop) // size) for loop in innermost_loops(options.llvm, path)]
        loops = [(loop, elements) for loop, elements in loops if elements]
        if loops == shown:
            continue
        shown = loops
        largest = max((elements for _, elements in loops), default=0)
        for loop, elements in loops:
            if elements == largest or options.all:
                estimates = (cycles(options.llvm, loop, architecture, cpu) for cpu in cpus)
                print(f"| {name} | {elements} | {len(loop)} |", *(cell(estimate, elements) for estimate in estimates), flush=True)


if __name__ == "__main__":
    main()
