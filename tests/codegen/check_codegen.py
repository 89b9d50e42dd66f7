"""What the compiler made of the kernels and of the library: symbols, instructions, loops.

check_codegen.py (symbols|instructions|loops) --library libactinide.a --kernels LIST [--sanitizer NAME] [--build-type NAME]

LIST holds the path of a kernel object on each line: .../actinide_k_<operator>_<type>_<target>.o
"""

import argparse
import pathlib
import re
import sys
from dataclasses import dataclass

import disassembly

HERE = pathlib.Path(__file__).parent
SKIPPED = 77

PACKED_FMA = r"vfn?m(add|sub)\d{3}p[sd]\b.*"
# Operator, types and target (regular expressions), an instruction that some loop of the kernel must contain.
WANTED_IN_LOOPS = (
    ("elu", ".*", "avx2", PACKED_FMA + "%ymm"),
    ("elu", ".*", "avx512", PACKED_FMA + "%zmm"),
    ("elu", "f16", "avx2|avx512", r"vcvtph2ps\b.*%[yz]mm"),
    ("elu", "f16", "avx2|avx512", r"vcvtps2ph\b.*%[yz]mm"),
)
# Instructions that the least CPU of a target does not have, beside those that their encoding gives away.
BEYOND_SSE41 = r"(popcnt|pcmpgtq|crc32|movbe|lzcnt|pcmp[ei]str[im])\b"
BEYOND_AVX512 = (
    r"v(\w+p[hd]2ph|\w+(ph|sh)x?|\w*bf16|pdp\w+|perm(b|i2b|t2b)|pmultishiftqb|psh[lr]d\w+|popcnt\w+|p(compress|expand)[bw]|pmadd52\w+)\b"
)
VECTOR_REGISTER = {"sse41": "%xmm", "avx2": "%ymm", "avx512": "%zmm"}
SCALAR_ARITHMETIC = r"v?(add|sub|mul|div|sqrt|min|max|mov|cmp\w*|u?comi|fn?m(add|sub)\d+)s[sd]\b"
HALF_CONVERSION = r"vcvt(ph2ps|ps2ph)\b"  # part of F16C


@dataclass
class Kernel:
    path: str
    operator: str
    type: str
    target: str

    @property
    def name(self):
        return f"{self.operator}_{self.type}_{self.target}"

    def function(self):
        """The kernel itself, without the entry points for a table of arguments and for metadata."""
        return next(f for f in disassembly.functions(self.path) if f.name == f"actinide_k_{self.name}")


def read_kernels(path):
    kernels = []
    for line in pathlib.Path(path).read_text().split():
        match = re.fullmatch(r"actinide_k_(\w+)_(f16|bf16|f32|f64)_(\w+)\.o", pathlib.Path(line).name)
        kernels.append(Kernel(line, *match.groups()))
    return kernels


def read_list(name):
    lines = (HERE / name).read_text().splitlines()
    return [line for line in lines if line and not line.startswith("#")]


def check_symbols(library, kernels):
    failures = []
    for kernel in kernels:
        undefined, _ = disassembly.symbols(kernel.path)
        if undefined:
            failures.append(f"{kernel.name} needs {sorted(undefined)}")

    undefined, defined = disassembly.symbols(library)
    outside = undefined - defined
    entries = [line.split() for line in read_list("undefined_symbols.txt")]
    failures += [f"the library needs {name}" for name in sorted(outside - {entry[0] for entry in entries})]
    failures += [f"the library no longer needs {entry[0]}" for entry in entries if entry[0] not in outside and "optional" not in entry]

    words = {word: "|".join(sorted({getattr(k, word) for k in kernels})) for word in ("operator", "type", "target")}
    patterns = [re.sub(r"<(\w+)>", lambda m: f"({words[m[1]]})", line) for line in read_list("defined_symbols.txt")]
    failures += [f"the library defines {name}" for name in sorted(defined) if not any(re.fullmatch(p, name) for p in patterns)]
    failures += [f"the library defines nothing like {p}" for p in patterns if not any(re.fullmatch(p, name) for name in defined)]

    content = pathlib.Path(library).read_bytes()
    if re.search(rb"\bhost\b", content):
        failures.append("the library holds the target string 'host'")
    if content.count(b"x86-64-linux-") < len(kernels):
        failures.append("the library does not hold the target string of every kernel")
    return failures


def check_instructions(library, kernels):
    failures = []
    for function in disassembly.functions(library):
        match = re.match(r"actinide_k_.*_(sse41|avx2|avx512)(_argv|_metadata)?$", function.name)
        target = match[1] if match else "none"
        for instruction in function.code:
            text = instruction.text
            if target in ("none", "sse41"):
                bad = instruction.is_vector_extension or re.match(BEYOND_SSE41, text)
            elif target == "avx2":
                bad = instruction.is_evex or re.search(r"%zmm|%k[0-7]", text)
            else:
                bad = re.match(BEYOND_AVX512, text) and not re.match(HALF_CONVERSION, text)
            if bad:
                failures.append(f"{function.name}, {target}: {instruction}")

    for kernel in kernels:
        loops = "\n".join(i.text for loop in kernel.function().innermost_loops() for i in loop)
        for operator, types, targets, pattern in WANTED_IN_LOOPS:
            applies = kernel.operator == operator and re.fullmatch(types, kernel.type) and re.fullmatch(targets, kernel.target)
            if applies and not re.search(pattern, loops):
                failures.append(f"{kernel.name}: no loop contains {pattern}")
    return failures


def check_loops(_, kernels):
    failures = []
    allowed = {name: int(count) for name, count in (line.split() for line in read_list("loop_reloads.txt"))}
    for kernel in kernels:
        function = kernel.function()
        loops = function.innermost_loops()
        if not loops:
            failures.append(f"{kernel.name} has no loop")
        for loop in loops:
            scalar = [i for i in loop if re.match(SCALAR_ARITHMETIC, i.text)]
            if scalar or not any(VECTOR_REGISTER[kernel.target] in i.text for i in loop):
                failures.append(f"{kernel.name}: a loop that is not vectorized to the full width\n" + "\n".join(map(str, loop)))
        inside = [i for loop in loops for i in loop]
        failures += [f"{kernel.name} calls in a loop: {i}" for i in inside if i.text.startswith("call")]
        stack = [i for i in inside if function.touches_stack(i)]
        stores = [i for i in stack if function.stores_to_stack(i)]
        failures += [f"{kernel.name} stores to the stack in a loop: {i}" for i in stores]
        if len(stack) - len(stores) != allowed.get(kernel.name, 0):
            spilling = [i for loop in loops for i in loop if not set(map(id, loop)).isdisjoint(map(id, stack))]
            listing = "\n".join(f"{'>' if i in stack else ' '} {i}" for i in spilling)
            counts = f"{len(stack) - len(stores)} times from the stack in loops, not {allowed.get(kernel.name, 0)}"
            failures.append(f"{kernel.name} reloads {counts}\n{listing}")
    return failures


CHECKS = {"symbols": check_symbols, "instructions": check_instructions, "loops": check_loops}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("check", choices=CHECKS)
    parser.add_argument("--library", required=True)
    parser.add_argument("--kernels", required=True)
    parser.add_argument("--sanitizer", default="")
    parser.add_argument("--build-type", default="Release")
    arguments = parser.parse_args()
    if arguments.sanitizer:
        print(f"skipped: the library is built with -fsanitize={arguments.sanitizer}, which adds calls and symbols of its own")
        return SKIPPED
    if arguments.build_type.lower() in ("", "debug"):
        print(f"skipped: the library is built without optimisation (CMAKE_BUILD_TYPE={arguments.build_type}); this is about what ships")
        return SKIPPED
    kernels = read_kernels(arguments.kernels)
    if not kernels:
        print("no kernels are listed")
        return 1
    failures = CHECKS[arguments.check](arguments.library, kernels)
    print("\n".join(failures) or f"{arguments.check}: {len(kernels)} kernels and {arguments.library} are as they should be")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
