"""What the compiler made of the kernels and of the library: symbols, instructions, loops.

check_codegen.py (symbols|instructions|loops|lengths) --library libactinide.a --kernels LIST --objdump PROGRAM --nm PROGRAM --compiler PROGRAM
                 [--single-target] [--sanitizer NAME] [--build-type NAME]

LIST holds the path of a kernel object on each line: .../actinide_k_<operator>_<type>_<target>.o. Objdump and nm are GNU's, the compiler
assembles: all three for the architecture of the objects.
"""

import argparse
import pathlib
import re
import sys
from dataclasses import dataclass

import assembler
from disassembly import Binutils, Function

HERE = pathlib.Path(__file__).parent
SKIPPED = 77

# A level is an architecture and a target, or "none" for what runs before a target is chosen. In loops, a register of the full width:
VECTOR_REGISTER = {
    "x86-64 sse41": "%xmm",
    "x86-64 avx2": "%ymm",
    "x86-64 avx512": "%zmm",
    "arm-64 neon": r"\b(q\d+|v\d+\.(16b|8h|4s|2d))",
    "arm-64 neon_fp16": r"\b(q\d+|v\d+\.(16b|8h|4s|2d))",
    "arm-32 neon": r"\bq\d+|\{d\d+(-d\d+)?\}",  # f16 goes by four there: a d register as stored, a q register as float32
}
# By architecture. An element at a time:
SCALAR_ARITHMETIC = {
    "x86-64": r"v?(add|sub|mul|div|sqrt|min|max|mov|cmp\w*|u?comi|fn?m(add|sub)\d+)s[sd]\b",
    "arm-64": r"(f\w+|[su]cvtf) ([hsd]\d|[wx]\w+, [hsd]\d)",
    "arm-32": r"v\w+\.(f64|f\d\d s\d)|vmov\w* s\d",
}
SCALAR_ON_PURPOSE = ("arm-32", "f64")  # NEON has no float64 there
# A vector of float16 is what fills a register when it is widened: where it is only selected from, it may be half as wide.
HALVES = {"%zmm": "|%ymm", "%ymm": "|%xmm"}
# A loop that multiplies computes; one that does not chooses among values.
MULTIPLICATION = {
    "x86-64": r"v?mulp[sd]\b|vfn?m(add|sub)\d{3}p[sd]\b",
    "arm-64": r"fml[as]|fmul\b",
    "arm-32": r"v(mul|ml[as]|fm[as])\.f",
}

PACKED_FMA = r"vfn?m(add|sub)\d{3}p[sd]\b.*"
ANY_LOOP = ""
# Operator, types and level (regular expressions), in which loops, and an instruction that each of them must contain.
WANTED_IN_LOOPS = (
    ("elu", ".*", "x86-64 avx2", MULTIPLICATION["x86-64"], PACKED_FMA + "%ymm"),
    ("elu", ".*", "x86-64 avx512", MULTIPLICATION["x86-64"], PACKED_FMA + "%zmm"),
    ("elu", "f16", "x86-64 avx(2|512)", MULTIPLICATION["x86-64"], r"vcvtph2ps\b.*%[yz]mm"),
    ("elu", "f16", "x86-64 avx(2|512)", MULTIPLICATION["x86-64"], r"vcvtps2ph\b.*%[yz]mm"),
    ("elu", "f16|bf16|f32", "arm-64 .*", MULTIPLICATION["arm-64"], r"fml[as] v\d+\.4s"),
    ("elu", "f64", "arm-64 .*", MULTIPLICATION["arm-64"], r"fml[as] v\d+\.2d"),
    *(("elu", "f16", "arm-64 .*", MULTIPLICATION["arm-64"], rf"{name} v") for name in ("fcvtl", "fcvtl2", "fcvtn", "fcvtn2")),
    ("elu", "f16", "arm-64 neon_fp16", MULTIPLICATION["arm-64"], r"fcm\w\w v\d+\.8h"),
    ("thresholded_relu", "f16", "arm-64 neon_fp16", ANY_LOOP, r"fcm\w\w v\d+\.8h"),
    # NEON before VFPv4 has no fused multiply-add. vmla is no better than the two: it rounds twice as well.
    ("elu", "f16|bf16|f32", "arm-32 neon", MULTIPLICATION["arm-32"], r"vmul\.f32 q"),
    ("elu", "f16|bf16|f32", "arm-32 neon", MULTIPLICATION["arm-32"], r"v(add|mla)\.f32 q"),
)

# Instructions that the least CPU of a target does not have, beside those that their encoding gives away.
BEYOND_SSE41 = r"(popcnt|pcmpgtq|crc32|movbe|lzcnt|pcmp[ei]str[im])\b"
BEYOND_AVX512 = (
    r"v(\w+p[hd]2ph|\w+(ph|sh)x?|\w*bf16|pdp\w+|perm(b|i2b|t2b)|pmultishiftqb|psh[lr]d\w+|popcnt\w+|p(compress|expand)[bw]|pmadd52\w+)\b"
)
HALF_CONVERSION = r"vcvt(ph2ps|ps2ph)\b"  # part of F16C
# On ARM the assembler knows: the directives for a level, and an instruction just beyond it, to see that the assembler does.
INSTRUCTION_SETS = {
    "arm-64 none": (".arch armv8-a", "fcmgt v0.8h, v1.8h, v2.8h"),
    "arm-64 neon": (".arch armv8-a", "fcmgt v0.8h, v1.8h, v2.8h"),
    "arm-64 neon_fp16": (".arch armv8.2-a+fp16", "udot v0.4s, v1.16b, v2.16b"),
    "arm-32 none": (".syntax unified; .arch armv7-a; .fpu vfpv3-d16", "vadd.f32 q0, q1, q2"),
    "arm-32 neon": (".syntax unified; .arch armv7-a; .fpu neon", "vfma.f32 q0, q1, q2"),
}
# It lets through words that are no instruction, and f16 for NEON without half precision.
NO_INSTRUCTION = r"\.|.*undefined"
BEYOND_NEON = {"arm-32 neon": r"vcvt\S*\.f16"}


@dataclass
class Kernel:
    operator: str
    type: str
    target: str
    path: str
    function: Function  # itself, without the entry points for a table of arguments and for metadata

    @property
    def name(self):
        return f"{self.operator}_{self.type}_{self.target}"

    @property
    def architecture(self):
        return self.function.architecture.name

    @property
    def level(self):
        return f"{self.architecture} {self.target}"

    @property
    def is_scalar(self):
        return (self.architecture, self.type) == SCALAR_ON_PURPOSE


@dataclass
class Build:
    library: str
    kernels: list[Kernel]
    binutils: Binutils
    compiler: str
    single_target: bool


def read_kernels(path, binutils):
    kernels = []
    for line in pathlib.Path(path).read_text().split():
        symbol = pathlib.Path(line).stem
        words = re.fullmatch(r"actinide_k_(\w+)_(f16|bf16|f32|f64)_(\w+)", symbol).groups()
        kernels.append(Kernel(*words, line, next(f for f in binutils.functions(line) if f.name == symbol)))
    return kernels


def read_list(name):
    lines = (HERE / name).read_text().splitlines()
    return [line for line in lines if line and not line.startswith("#")]


def check_symbols(build):
    failures = []
    for kernel in build.kernels:
        undefined, _ = build.binutils.symbols(kernel.path)
        if undefined:
            failures.append(f"{kernel.name} needs {sorted(undefined)}")

    architecture = build.kernels[0].architecture
    undefined, defined = build.binutils.symbols(build.library)
    outside = undefined - defined
    entries = [line.split()[:3] for line in read_list("undefined_symbols.txt")]
    entries = [(name, use) for name, architectures, use in entries if architectures == "all" or architecture in architectures.split(",")]
    allowed = {name for name, use in entries if use == "compiler" or not build.single_target}
    failures += [f"the library needs {name}" for name in sorted(outside - allowed)]
    failures += [f"the library no longer needs {name}" for name, use in entries if use == "choice" and name in allowed - outside]

    words = {word: "|".join(sorted({getattr(k, word) for k in build.kernels})) for word in ("operator", "type", "target")}
    patterns = [re.sub(r"<(\w+)>", lambda m: f"({words[m[1]]})", line) for line in read_list("defined_symbols.txt")]
    failures += [f"the library defines {name}" for name in sorted(defined) if not any(re.fullmatch(p, name) for p in patterns)]
    failures += [f"the library defines nothing like {p}" for p in patterns if not any(re.fullmatch(p, name) for name in defined)]

    content = pathlib.Path(build.library).read_bytes()
    if re.search(rb"\bhost\b", content):
        failures.append("the library holds the target string 'host'")
    if content.count(f"{architecture}-linux-".encode()) < len(build.kernels):
        failures.append("the library does not hold the target string of every kernel")
    return failures


def beyond_x86(function, target):
    for instruction in function.code:
        text = instruction.text
        if target in ("none", "sse41"):
            bad = function.architecture.is_vector_extension(instruction) or re.match(BEYOND_SSE41, text)
        elif target == "avx2":
            bad = function.architecture.is_evex(instruction) or re.search(r"%zmm|%k[0-7]", text)
        else:
            bad = re.match(BEYOND_AVX512, text) and not re.match(HALF_CONVERSION, text)
        if bad:
            yield f"{function.name}, {target}: {instruction}"


def beyond_arm(functions, level, compiler):
    directives, control = INSTRUCTION_SETS[level]
    code = [(function, instruction) for function in functions for instruction in function.code]
    texts = []
    for function, instruction in code:
        state = function.architecture.assembler_state(instruction)
        texts.append(f"{state}; {instruction.text}" if state else instruction.text)
    reasons = dict(assembler.rejected(compiler, directives, texts + [control]))
    if len(code) not in reasons:
        yield f"the assembler takes '{control}' for {level}"
    for n, (function, instruction) in enumerate(code):
        bad = re.match(NO_INSTRUCTION, instruction.text) or re.match(BEYOND_NEON.get(level, "(?!)"), instruction.text)
        if bad or n in reasons:
            yield f"{function.name}, {level}: {instruction}: {reasons.get(n, 'not of this level')}"


def check_instructions(build):
    failures = []
    targets = "|".join(sorted({kernel.target for kernel in build.kernels}, key=len, reverse=True))
    levels = {}
    for function in build.binutils.functions(build.library):
        # Kernels, and the copies of runtime/src/stream_x86.cpp.
        pattern = rf"actinide_k_.*_({targets})(?:_argv|_metadata)?$|_ZN8actinide6detail\d+stream_(avx2|avx512)E"
        match = re.match(pattern, function.name)
        levels.setdefault(match[1] or match[2] if match else "none", []).append(function)
    architecture = build.kernels[0].architecture
    for target, functions in levels.items():
        if architecture == "x86-64":
            failures += [failure for function in functions for failure in beyond_x86(function, target)]
        else:
            failures += beyond_arm(functions, f"{architecture} {target}", build.compiler)

    for kernel in build.kernels:
        loops = ["\n".join(i.text for i in loop) for loop in kernel.function.innermost_loops()]
        for operator, types, levels, where, pattern in WANTED_IN_LOOPS:
            if kernel.operator == operator and re.fullmatch(types, kernel.type) and re.fullmatch(levels, kernel.level):
                concerned = [loop for loop in loops if re.search(where, loop)]
                missing = [loop for loop in concerned if not re.search(pattern, loop)]
                failures += [f"{kernel.name}: a loop that does not contain {pattern}:\n{loop}" for loop in missing]
                if not concerned:
                    failures.append(f"{kernel.name}: no loop contains {where}")
    return failures


def check_loops(build):
    failures = []
    rows = [line.split() for line in read_list("loop_spills.txt")]
    allowed = {(architecture, name): (int(loads), int(stores)) for architecture, name, loads, stores in rows}
    for kernel in build.kernels:
        function = kernel.function
        loops = function.innermost_loops()
        if not loops:
            failures.append(f"{kernel.name} has no loop")
        for loop in loops:
            registers = VECTOR_REGISTER[kernel.level]
            if (kernel.operator, kernel.type) == ("elu", "f16") and not any(re.search(MULTIPLICATION[kernel.architecture], i.text) for i in loop):
                registers += HALVES.get(registers, "")
            is_full = any(re.search(registers, i.text) for i in loop)
            scalar = any(re.match(SCALAR_ARITHMETIC[kernel.architecture], i.text) for i in loop)
            if not kernel.is_scalar and (scalar or not is_full):
                failures.append(f"{kernel.name}: a loop that is not vectorized to the full width\n" + "\n".join(map(str, loop)))
        inside = [i for loop in loops for i in loop]
        failures += [f"{kernel.name} calls in a loop: {i}" for i in inside if function.architecture.is_call(i.text)]
        accesses = [(i, access) for i in inside if (access := function.stack_access(i))]
        stores = sum(access.is_store for _, access in accesses)
        loads = len(accesses) - stores
        expected = allowed.get((kernel.architecture, kernel.name), (0, 0))
        if (loads, stores) != expected:
            stack = [id(i) for i, _ in accesses]
            spilling = [i for loop in loops for i in loop if not set(map(id, loop)).isdisjoint(stack)]
            listing = "\n".join(f"{'>' if id(i) in stack else ' '} {i}" for i in spilling)
            failures.append(f"{kernel.name}: {(loads, stores)} loads from the stack and stores to it in loops, not {expected}\n{listing}")
    return failures


def check_lengths(build):
    """How many instructions loops have: exact, so that code which grows shows."""
    failures = []
    stated = {tuple(line.split()[:2]): line.split()[2:] for line in read_list("loop_lengths.txt")}
    for kernel in build.kernels:
        found = [str(len(loop)) for loop in kernel.function.innermost_loops()]
        expected = stated.get((kernel.architecture, kernel.name))
        if found != expected:
            words = "no such row" if expected is None else " ".join(expected)
            failures.append(f"found: {kernel.architecture} {kernel.name} {' '.join(found)}; stated: {words}")
    return failures


CHECKS = {"symbols": check_symbols, "instructions": check_instructions, "loops": check_loops, "lengths": check_lengths}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("check", choices=CHECKS)
    parser.add_argument("--library", required=True)
    parser.add_argument("--kernels", required=True)
    parser.add_argument("--objdump", required=True)
    parser.add_argument("--nm", required=True)
    parser.add_argument("--compiler", required=True)
    parser.add_argument("--single-target", action="store_true", help="the library has one target and chooses nothing")
    parser.add_argument("--sanitizer", default="")
    parser.add_argument("--build-type", default="Release")
    arguments = parser.parse_args()
    if arguments.sanitizer:
        print(f"skipped: the library is built with -fsanitize={arguments.sanitizer}, which adds calls and symbols of its own")
        return SKIPPED
    if arguments.build_type.lower() in ("", "debug"):
        print(f"skipped: the library is built without optimisation (CMAKE_BUILD_TYPE={arguments.build_type}); this is about what ships")
        return SKIPPED
    binutils = Binutils(arguments.objdump, arguments.nm)
    if not binutils.is_gnu():
        print(f"skipped: {arguments.objdump} is not GNU objdump, whose text this reads")
        return SKIPPED
    kernels = read_kernels(arguments.kernels, binutils)
    if not kernels:
        print("no kernels are listed")
        return 1
    failures = CHECKS[arguments.check](Build(arguments.library, kernels, binutils, arguments.compiler, arguments.single_target))
    print("\n".join(failures) or f"{arguments.check}: {len(kernels)} kernels and {arguments.library} are as they should be")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
