#!/usr/bin/env python3
"""Instructions that one call of kernels executes for small tensors, as a table in Markdown: counted in emulation on ARM, and by valgrind's
callgrind on x86-64, which knows no AVX-512.

    apt-get install valgrind qemu-user g++-aarch64-linux-gnu g++-arm-linux-gnueabihf
    python3 benchmarks/count_instructions.py build/aarch64-linux-gnu/kernels/actinide_k_elu_f32_neon.o [--n 1 2 17] [--alpha 1]

An object has the name of its kernel, whose arguments are x, one attribute and y.
"""

import argparse
import pathlib
import re
import subprocess
import tempfile
from typing import NamedTuple

ROOT = pathlib.Path(__file__).parent.parent


class Machine(NamedTuple):
    name: str
    compiler: str
    tool: str


# By ELF's e_machine.
MACHINES = {
    183: Machine("arm-64", "aarch64-linux-gnu-gcc", "qemu-aarch64"),
    40: Machine("arm-32", "arm-linux-gnueabihf-gcc", "qemu-arm"),
    62: Machine("x86-64", "gcc", "valgrind"),
}
CALLER = """
#include <HalideRuntime.h>
#include <stdlib.h>
int KERNEL(halide_buffer_t* x, float attribute, halide_buffer_t* y);
int main(int count, char** arguments) {
  static uint64_t input[LARGEST], output[LARGEST];
  int failed = 0;
  for (int i = 2; i < count; ++i) {
    halide_dimension_t dimension = {0, atoi(arguments[i]), 1, 0};
    halide_buffer_t x = {.host = (uint8_t*)input, .dimensions = 1, .dim = &dimension};
    halide_buffer_t y = {.host = (uint8_t*)output, .dimensions = 1, .dim = &dimension};
    failed |= KERNEL(&x, atof(arguments[1]), &y);
  }
  return failed;
}
"""


def run(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def machine_of(path):
    return MACHINES[int.from_bytes(path.read_bytes()[18:20], "little")]


def count(path, sizes, alpha):
    """One number a size."""
    _, compiler, tool = machine_of(path)
    includes = next(ROOT.glob(".venv/lib/python3*/site-packages/halide/include"))
    with tempfile.TemporaryDirectory() as folder:
        source, program = f"{folder}/caller.c", f"{folder}/caller"
        pathlib.Path(source).write_text(CALLER)
        run(compiler, "-static", f"-DKERNEL={path.stem}", f"-DLARGEST={max(sizes)}", "-isystem", includes, source, path, "-o", program)
        counters = {"valgrind": count_in_valgrind}
        yield from counters.get(tool, count_in_qemu)(tool, program, path.stem, sizes, str(alpha), folder)


def count_in_valgrind(tool, program, kernel, sizes, alpha, folder):
    """What is collected between a kernel's call and its return, dumped after each."""
    out = f"{folder}/counts"
    options = ("--tool=callgrind", f"--callgrind-out-file={out}", f"--toggle-collect={kernel}", f"--dump-after={kernel}")
    run(tool, *options, program, alpha, *map(str, sizes))
    for n in range(len(sizes)):
        dump = pathlib.Path(f"{out}.{n + 1}").read_text()
        yield int(re.search(r"^totals: (\d+)$", dump, re.MULTILINE)[1])


def count_in_qemu(tool, program, kernel, sizes, alpha, folder):
    """Translated blocks of one instruction each, in the range of the kernel's addresses."""
    log = f"{folder}/log"
    symbols = (line.split() for line in run("nm", "-S", program).splitlines())
    start, size = next((int(s[0], 16), int(s[1], 16)) for s in symbols if s[-1] == kernel and len(s) == 4)
    for n in sizes:
        run(tool, "-singlestep", "-d", "exec,nochain", "-dfilter", f"{start:#x}+{size:#x}", "-D", log, program, alpha, str(n))
        yield sum(line.startswith("Trace") for line in pathlib.Path(log).read_text().splitlines())


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("objects", nargs="+", type=pathlib.Path)
    parser.add_argument("--n", nargs="+", type=int, default=[*range(1, 18), 31])
    parser.add_argument("--alpha", type=float, default=1.0)
    options = parser.parse_args()

    print("| n |", *(f"{n} |" for n in options.n))
    print("|---|" + "---|" * len(options.n))
    for path in options.objects:
        numbers = count(path, options.n, options.alpha)
        print(f"| {path.stem.removeprefix('actinide_k_')} |", *(f"{number} |" for number in numbers), flush=True)


if __name__ == "__main__":
    main()
