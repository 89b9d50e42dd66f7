"""Instructions that a call of a kernel executes, compared with call_instructions.txt: exact, so any change shows. On x86-64 valgrind counts
them, on ARM qemu.

call_instructions.py --kernels LIST [--write]

LIST holds the path of a kernel object on each line, all of one architecture. --write makes its rows of the file anew: to be read before
they are committed, because a larger number is slower code. AVX-512, which valgrind does not know, is left to check_codegen.py's lengths of loops.
"""

import argparse
import pathlib
import shutil
import subprocess
import sys

HERE = pathlib.Path(__file__).parent
sys.path.insert(0, str(HERE.parents[1] / "benchmarks"))
import count_instructions  # noqa: E402

FILE = HERE / "call_instructions.txt"
SIZES = (1, 15, 16, 65, 4096)
ALPHAS = (1, 1.7)
SKIPPED = 77


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--kernels", type=pathlib.Path, required=True)
    parser.add_argument("--write", action="store_true")
    options = parser.parse_args()

    paths = [pathlib.Path(path) for path in options.kernels.read_text().split()]
    machine = count_instructions.machine_of(paths[0])
    if shutil.which(machine.tool) is None:
        print(f"skipped: no {machine.tool}")
        return SKIPPED
    flags = pathlib.Path("/proc/cpuinfo").read_text().split()
    stated = FILE.read_text().splitlines()
    failed, written = False, []
    for path in paths:
        name = path.stem.removeprefix("actinide_k_")
        if name.endswith("_avx512") or (name.endswith("_avx2") and not {"avx2", "fma", "f16c"} <= set(flags)):
            continue
        for alpha in ALPHAS:
            row = " ".join(map(str, (machine.name, name, alpha, *count_instructions.count(path, SIZES, alpha))))
            written.append(row)
            if not options.write and row not in stated:
                failed = True
                print(f"counted: {row}", *(f"stated:  {s}" for s in stated if s.split()[:3] == [machine.name, name, str(alpha)]), sep="\n")
    if not written:
        print("skipped: no kernel that valgrind can run")
        return SKIPPED
    if options.write:
        others = [line for line in stated if not line.startswith(f"{machine.name} ")]
        FILE.write_text("".join(f"{line}\n" for line in sorted(others + written, key=lambda line: line.split()[0])))
    return failed


if __name__ == "__main__":
    try:
        sys.exit(main())
    except subprocess.CalledProcessError as error:
        sys.exit(f"{error}\n{error.stderr}")
