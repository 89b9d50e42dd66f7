"""What a thread of a whole block executes on a device, counted in the machine code of the CUDA kernels.

sass.py BUILD [--architecture 90] [--multiprocessors 132] [--clock 1.755] [--bandwidth 4250]

Needs ptxas and cuobjdump of the CUDA toolkit. The defaults describe an H200: multiprocessors, GHz, and GB/s that a copy reaches, read and
written. By issue: a multiprocessor issues 128 lanes of instructions a clock. By integer unit: it completes 64 lanes of integer operations,
comparisons, selections and conversions (CUDA programming guide, throughput of arithmetic instructions). Both columns say which share of that
is used while memory moves at the speed of the copy: below 100 %, memory is the limit, if enough threads wait for it at once.
"""

import argparse
import pathlib
import re
import shutil
import subprocess

FLOATING = ("FFMA", "FADD", "FMUL", "HADD2", "HFMA2", "HMUL2", "IMAD", "DFMA", "DADD", "DMUL")
MEMORY = ("LDG", "STG", "LDC", "ULDC", "BRA", "EXIT", "NOP", "S2R", "S2UR")
UNIFORM = re.compile(r"U[A-Z]")  # once a warp, in a unit of its own
BYTES = {"f16": 2, "bf16": 2, "f32": 4, "f64": 8}


def run(*command):
    return subprocess.run([str(word) for word in command], capture_output=True, text=True, check=True)


def registers_of(log):
    """By entry, from what ptxas -v says."""
    return {name: int(count) for name, count in re.findall(r"function '(\w+)'.*?Used (\d+) registers", log, re.DOTALL)}


def whole_blocks(code):
    """By entry, the operations from the load of 16 bytes to the end of the thread, and those before that compute addresses."""
    for name, body in re.findall(r"Function : (\w+)\n(.*?)(?=\n\s+Function : |\Z)", code, re.DOTALL):
        operations = re.findall(r"^\s+/\*[0-9a-f]{4}\*/\s+(?:@!?U?P\w+ )?([\w.]+)", body, re.MULTILINE)
        load = next(i for i, operation in enumerate(operations) if operation.startswith("LDG") and ".128" in operation)
        end = next(i for i in range(load, len(operations)) if operations[i].startswith("EXIT"))
        yield name, [operation.split(".")[0] for operation in operations[load - 6 : end + 1]]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("--architecture", default="90")
    parser.add_argument("--multiprocessors", type=int, default=132)
    parser.add_argument("--clock", type=float, default=1.755)
    parser.add_argument("--bandwidth", type=float, default=4250)
    arguments = parser.parse_args()
    tools = {name: shutil.which(name) or shutil.which(name, path="/usr/local/cuda/bin") for name in ("ptxas", "cuobjdump")}
    missing = [name for name, path in tools.items() if path is None]
    if missing:
        raise SystemExit(f"sass.py needs {' and '.join(missing)}, of the CUDA toolkit")

    print("| kernel | case | registers | operations an element | of them integer | issue | integer unit |\n|---|---|---|---|---|---|---|")
    for ptx in sorted((arguments.build / "kernels").glob("actinide_k_*_cuda.ptx")):
        operator, kind = re.fullmatch(r"actinide_k_(\w+)_([a-z]+\d+)_cuda", ptx.stem).groups()
        cubin = ptx.with_suffix(".sass.cubin")
        log = run(tools["ptxas"], "-v", f"-arch=sm_{arguments.architecture}", "-o", cubin, ptx).stderr
        code = run(tools["cuobjdump"], "-sass", cubin).stdout
        cubin.unlink()
        elements = 16 // BYTES[kind]
        # Lanes of one multiprocessor and clock, per element that passes in that time at the speed of the copy.
        clocks = arguments.multiprocessors * arguments.clock * 2 * BYTES[kind] / arguments.bandwidth
        for case, (name, operations) in enumerate(sorted(whole_blocks(code), key=lambda item: re.sub(r"\D", "", item[0][-3:]))):
            issued = [operation for operation in operations if not UNIFORM.match(operation)]
            integer = [operation for operation in issued if operation not in FLOATING + MEMORY]
            total, part = len(issued) / elements, len(integer) / elements
            print(f"| {operator} {kind} | {case + 1} | {registers_of(log)[name]} | {total:.1f} | {part:.1f} "
                  f"| {total / (128 * clocks):.0%} | {part / (64 * clocks):.0%} |")


main()
