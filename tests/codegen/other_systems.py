"""Kernels for systems that nothing is linked for here: made by the generators, read with LLVM's tools. No NDK or SDK is needed.

other_systems.py --generators FOLDER --table operator_table.inc --targets LIST --work FOLDER

LIST holds on each line a target, an element type and Halide's target for Android. For macOS only Halide's word for the system is another.
"""

import argparse
import pathlib
import re
import shutil
import subprocess
import sys

SKIPPED = 77
FILE_FORMAT = {"android": "elf64-littleaarch64", "osx": "mach-o arm64"}
TIME_LIMIT = 120
# Operator, element type (regular expression), what its kernels contain. LLVM writes fmla.4s for one system, fmla v0.4s for another.
WANTED = (
    ("elu", ".*", r"\bfml[as](\.\w+)?\s+v"),
    ("elu", "f16", r"\bfcvtl2?(\.\w+)?\s+v"),
    ("elu", "f16", r"\bfcvtn2?(\.\w+)?\s+v"),
)


def find_llvm(name):
    """The program without a version if there is one, else the newest."""
    folders = [pathlib.Path(folder) for folder in ("/usr/bin", "/usr/local/bin")]
    versions = [path for folder in folders for path in folder.glob(f"{name}-*") if re.fullmatch(rf"{name}-\d+", path.name)]
    newest = max(versions, key=lambda path: int(path.name.rsplit("-", 1)[1]), default=None)
    return shutil.which(name) or (str(newest) if newest else None)


def run(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True, timeout=TIME_LIMIT).stdout


def read_table(path):
    """(operator, type, names of the kernel's arguments) of every row."""
    for row in pathlib.Path(path).read_text().splitlines():
        operator, element_type, attributes = re.match(r"ACTINIDE_ROW\((\w+), (\w+),.*ATTRIBUTES\((.*)\)\)$", row).groups()
        yield operator, element_type, ",".join(["x", *re.findall(r'"(\w+)"', attributes), "y"])


def faults(path, system, operator, element_type, objdump, nm):
    listing = run(objdump, "-d", path)
    if f"file format {FILE_FORMAT[system]}" not in listing:
        yield f"is not {FILE_FORMAT[system]}: {listing.strip().splitlines()[0]}"
    if undefined := run(nm, "-u", path).split():
        yield f"needs {undefined}"
    if platform_register := re.search(r".*\b[wx]18\b.*", listing):
        yield f"uses x18, which belongs to the system: {platform_register[0].strip()}"
    for wanted_operator, types, pattern in WANTED:
        if operator == wanted_operator and re.fullmatch(types, element_type) and not re.search(pattern, listing):
            yield f"does not contain {pattern}"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--generators", type=pathlib.Path, required=True)
    parser.add_argument("--table", required=True)
    parser.add_argument("--targets", type=pathlib.Path, required=True)
    parser.add_argument("--work", type=pathlib.Path, required=True)
    arguments = parser.parse_args()
    objdump, nm = find_llvm("llvm-objdump"), find_llvm("llvm-nm")
    if not objdump or not nm:
        print("skipped: needs llvm-objdump and llvm-nm (apt-get install llvm)")
        return SKIPPED

    rows = list(read_table(arguments.table))
    targets = [line.split() for line in arguments.targets.read_text().splitlines()]
    failures = []
    count = 0
    for system in FILE_FORMAT:
        folder = arguments.work / system
        folder.mkdir(parents=True, exist_ok=True)
        for operator, element_type, kernel_arguments in rows:
            for target, _, halide_target in [t for t in targets if t[1] == element_type]:
                if system == "osx":
                    halide_target = re.sub(r"^arm-64-[a-z]+", "arm-64-osx", halide_target)
                symbol = f"actinide_k_{operator}_{element_type}_{target}"
                path = folder / f"{symbol}.o"
                path.unlink(missing_ok=True)
                generator = arguments.generators / f"actinide_generate_{operator}"
                parameters = (f"type={element_type}", f"arguments={kernel_arguments}", f"target={halide_target}")
                run(generator, "-g", operator, "-f", symbol, "-n", symbol, "-e", "object", "-o", folder, *parameters)
                failures += [f"{path}: {fault}" for fault in faults(path, system, operator, element_type, objdump, nm)]
                count += 1
    if count == 0:
        failures.append("there is no kernel to make")
    print("\n".join(failures) or f"{count} objects for {' and '.join(FILE_FORMAT)} are as they should be, says {objdump}")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
