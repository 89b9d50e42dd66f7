"""What Halide made of the CUDA kernels: accesses to memory, instructions, arithmetic; and what the assembler makes of them.

check_ptx.py (accesses|instructions|arithmetic|assembler|mutants) --kernels LIST --capability NUMBER [--ptxas PROGRAM]

LIST holds the path of a kernel object on each line: .../actinide_k_<operator>_<type>_cuda[_any].o, beside it its PTX. The capability is
that of the oldest device.
"""

import argparse
import pathlib
import re
import subprocess
import sys
import tempfile
from collections import Counter
from dataclasses import dataclass

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "support"))
import ptx
from script_test import Skip, need, status_of

BYTES = {"f16": 2, "bf16": 2, "f32": 4, "f64": 8}

# What no kernel may contain.
FORBIDDEN = {
    r"ld\.global\.nc": "says that nobody writes what it reads, but in place the kernel does",
    r"\w+\..*\b(ftz|sat|approx)\b": "is not what the formula says",
    r"call|bar|atom|red|membar": "is not for an element on its own",
    r"(ld|st)\.(?!param\.|global\.)": "accesses other memory than the tensors",
    r"tex|tld4|suld|sust|surf": "accesses a texture",
    r"setp\.\w+u\.": "holds for NaN",
    r"setp\.(eq|ne|le|ge|num|nan)\.f": "is a comparison that no formula has",
}
# Nor one of another type than f64. That one limits the polynomial's argument by a minimum and a maximum: what they make of NaN is not
# selected.
FORBIDDEN_BUT_FOR_F64 = {
    r".*\.f64\b": "computes in f64",
    r"(min|max)\.f": "loses NaN",
}

# Fused operations, products and sums of an element, by hand from generators/numerics/expm1.h and activations/elu.h.
#   alpha 1     fused: t, r, q's degree, p, 2^k p + (2^k - 1)                  product: r^2         sums: k, 2^k - 1
#   any other   fused: t, r, q's degree, p, alpha 2^k - alpha, scale p + that  products: r^2, scale  sum: k
# q has degree 3, 2, 4 and 9, for other alphas 4, 3, 4 and 9. f64 takes it in pairs, which needs as many operations. Else alpha decides,
# without arithmetic.
ARITHMETIC = {
    ("elu", "f16"): [(7, 1, 2), (9, 2, 1), (0, 0, 0)],
    ("elu", "bf16"): [(6, 1, 2), (8, 2, 1), (0, 0, 0)],
    ("elu", "f32"): [(8, 1, 2), (9, 2, 1), (0, 0, 0)],
    ("elu", "f64"): [(13, 1, 2), (14, 2, 1), (0, 0, 0)],
}

# Threads of a multiprocessor at a time, and 65536 registers for them: as many as a thread may have, in steps of 8, for all to be there.
RESIDENT_THREADS = {75: 1024, 80: 2048, 86: 1536, 90: 2048, 100: 2048, 120: 1536}
REGISTERS = 65536


@dataclass(frozen=True)
class Kernel:
    name: str
    operator: str
    type: str
    is_aligned: bool
    text: str

    @property
    def program(self):
        return ptx.read(self.text)

    @property
    def elements(self):
        """Of a thread in a whole block."""
        return 16 // BYTES[self.type]

    def whole_path(self, entry):
        """The path of whole blocks: the one that moves most."""
        return max(entry.paths(), key=lambda path: sum(s.bytes for s in accesses(path)))


def accesses(path):
    return [s for s in path if re.match(r"(ld|st)\.(?!param\.)", s.name)]


def read_kernel(path):
    path = pathlib.Path(path)
    operator, type_, variant = re.fullmatch(r"actinide_k_(\w+)_(b?f\d+)_cuda(_any)?", path.stem).groups()
    return Kernel(path.stem, operator, type_, variant is None, path.with_suffix(".ptx").read_text())


def check_accesses(kernel, options):
    """A thread of a whole block loads its elements, then stores them: in one access each where the tensors are aligned. Another thread has
    one element, or none."""
    one, several = BYTES[kernel.type], kernel.elements
    whole = [16, -16] if kernel.is_aligned else [one] * several + [-one] * several
    wanted = sorted(map(tuple, (whole, [one, -one], [])))
    for entry in kernel.program.entries:
        found = sorted({tuple(-s.bytes if s.name.startswith("st.") else s.bytes for s in accesses(path)) for path in entry.paths()})
        if found != wanted:
            yield f"{entry.name}: threads load and store (negative) {found} bytes, not {wanted}"


def check_instructions(kernel, options):
    program = kernel.program
    directives = {"version": "6.3", "target": f"sm_{options.capability}", "address_size": "64"}
    if program.directives != directives:
        yield f"is for {program.directives}, not {directives}"
    rules = FORBIDDEN if kernel.type == "f64" else FORBIDDEN | FORBIDDEN_BUT_FOR_F64
    for entry in program.entries:
        for s in entry.instructions:
            yield from (f"{entry.name}: {s}: {reason}" for pattern, reason in rules.items() if re.match(pattern, s.name))
        # What is multiplied and then added without .rn may be fused by the assembler, or not, as it likes.
        products = {s.operands[0] for s in entry.instructions if re.match(r"mul\.f", s.name)}
        for s in entry.instructions:
            if re.match(r"(add|sub)\.f", s.name) and not products.isdisjoint(s.operands[1:]):
                yield f"{entry.name}: {s}: the assembler may fuse a product with it"


def check_arithmetic(kernel, options):
    """No operation too many, and all fused that can be. Those on alpha alone do not count: they are not for an element."""
    wanted = ARITHMETIC.get((kernel.operator, kernel.type), [(0, 0, 0)])
    entries = kernel.program.entries
    if len(entries) != len(wanted):
        yield f"has {len(entries)} entries, not {len(wanted)}"
        return
    for entry, numbers in zip(entries, wanted, strict=True):
        path = depending_on_elements(kernel.whole_path(entry))
        count = Counter(match[1] for s in path if (match := re.fullmatch(r"(fma|mul|add|sub)\.(rn\.)?f\d\d", s.name)))
        found = (count["fma"], count["mul"], count["add"] + count["sub"])
        expected = tuple(kernel.elements * n for n in numbers)
        if found != expected:
            yield f"{entry.name}: {found} fused operations, products and sums for {kernel.elements} elements, not {expected}"


def depending_on_elements(path):
    """The instructions that need what was loaded from x."""
    known, dependent = set(), []
    for s in path:
        result, *sources = (set(re.findall(r"%\w+", operand)) for operand in s.operands or ("",))
        if s.name.startswith("ld.global") or any(not known.isdisjoint(source) for source in sources):
            known |= result
            dependent.append(s)
    return dependent


def check_assembler(kernel, options):
    """No register is spilled, and as many threads fit on a multiprocessor as it can have."""
    need(options.architectures, "the assembler knows none of the devices")
    for architecture in options.architectures:
        limit = REGISTERS // RESIDENT_THREADS[architecture] // 8 * 8
        with tempfile.TemporaryDirectory() as folder:
            source = pathlib.Path(folder) / "kernel.ptx"
            source.write_text(kernel.text)
            command = [options.ptxas, "-v", f"-arch=sm_{architecture}", "-o", source.with_suffix(".cubin"), source]
            process = subprocess.run(command, capture_output=True, text=True)
        said = process.stdout + process.stderr
        if process.returncode != 0:
            yield f"sm_{architecture}: {said}"
            continue
        names = re.findall(r"Compiling entry function '(\w+)'", said)
        registers = [int(n) for n in re.findall(r"Used (\d+) registers", said)]
        memory = re.findall(r"(\d+) bytes stack frame, (\d+) bytes spill stores, (\d+) bytes spill loads", said)
        if not len(names) == len(registers) == len(memory) == kernel.text.count(".visible .entry"):
            yield f"sm_{architecture}: not understood: {said}"
        for name, used, bytes_ in zip(names, registers, memory, strict=False):
            if options.verbose:
                print(f"{kernel.name} {name} sm_{architecture}: {used} registers of {limit}")
            if used > limit:
                yield f"sm_{architecture}, {name}: {used} registers, more than {limit}"
            if any(map(int, bytes_)):
                yield f"sm_{architecture}, {name}: {bytes_} bytes of stack, spilled and reloaded"


CHECKS = {"accesses": check_accesses, "instructions": check_instructions, "arithmetic": check_arithmetic, "assembler": check_assembler}

# What the checks must notice: a check, a kernel, text and what is put in its place, words of the complaint.
MUTANTS = (
    ("accesses", "elu_f32_cuda", r"ld\.global\.v4\.b32 \t\{(%r\d+), (%r\d+), .*\}, \[(%rd\d+)\]",
     r"ld.global.v2.b32 \t{\1, \2}, [\3]", "threads load"),
    ("accesses", "elu_f16_cuda_any", r"ld\.global\.b16 .*\+512\]", "mov.b16 \t%rs1, 0", "threads load"),
    ("accesses", "elu_f32_cuda_any", r"(ld\.global\.b32 .*\+2048\];)((?:.|\n)*?)(st\.global\.b32 .*;)", r"\2\3\1", "threads load"),
    ("accesses", "elu_f64_cuda", r"@%p2 bra", "bra", "threads load"),
    ("instructions", "elu_f32_cuda", r"ld\.global\.", "ld.global.nc.", "in place"),
    ("instructions", "elu_f32_cuda", r"fma\.rn\.f32", "fma.rn.ftz.f32", "not what the formula says"),
    ("instructions", "elu_f32_cuda", r"ret;", "call f; ret;", "for an element on its own"),
    ("instructions", "elu_f32_cuda", r"ld\.global\.b32", "ld.local.b32", "other memory"),
    ("instructions", "elu_f32_cuda", r"ld\.global\.b32", "tex.1d.v4.f32.s32", "texture"),
    ("instructions", "elu_f32_cuda", r"add\.f32", "add.f64", "computes in f64"),
    ("instructions", "elu_f32_cuda", r"selp\.f32 (.*), %p\d+;", r"max.f32 \1;", "loses NaN"),
    ("instructions", "elu_f32_cuda", r"setp\.lt\.f32", "setp.ltu.f32", "holds for NaN"),
    ("instructions", "elu_f64_cuda", r"setp\.lt\.f64", "setp.ge.f64", "no formula has"),
    ("instructions", "elu_f32_cuda", r"fma\.rn\.f32 (\t%r\d+, )(%r\d+, %r\d+), (%r\d+)",
     r"mul.f32 \t%r0, \2; add.f32 \1%r0, \3", "may fuse"),
    ("instructions", "elu_f32_cuda", r"\.target sm_75", ".target sm_90", "is for"),
    ("arithmetic", "elu_f32_cuda", r"add\.f32 .*", "", "fused operations, products and sums"),
    ("arithmetic", "elu_f16_cuda_any", r"fma\.rn\.f32 .*", "", "fused operations, products and sums"),
    ("arithmetic", "thresholded_relu_f32_cuda", r"(setp\.lt\.f32 \t%p\d+, %r\d+, (%r\d+))",
     r"mul.f32 \2, \2, \2; \1", "fused operations, products and sums"),
    ("assembler", "elu_f32_cuda", r"(mov\.u32 \t(%r\d+), %ctaid\.x;)",
     r"\1 { .local .b32 a[64]; .reg .b64 at, i; mov.b64 at, a; mul.wide.u32 i, \2, 4;"
     r" add.s64 at, at, i; st.local.b32 [at], \2; add.s64 at, at, i; ld.local.b32 \2, [at]; }", "of stack"),
    ("assembler", "elu_f32_cuda", r"fma\.rn\.f32", "fma.f32", "sm_"),
)  # fmt: skip


def check_mutants(kernels, options):
    for check, name, text, replacement, words in MUTANTS:
        if check == "assembler" and options.ptxas is None:
            continue
        kernel = next(k for k in kernels if k.name == f"actinide_k_{name}")
        changed = re.sub(text, replacement, kernel.text)
        need(changed != kernel.text, f"{name} has no {text}")
        mutant = Kernel(kernel.name, kernel.operator, kernel.type, kernel.is_aligned, changed)
        if not any(words in failure for failure in CHECKS[check](mutant, options)):
            yield f"{check} does not notice {replacement!r} for {text!r} in {name}"
    if options.ptxas is not None:
        demanding = next(k for k in kernels if k.name == "actinide_k_elu_f32_cuda")
        crowded = {architecture: 8 * threads for architecture, threads in RESIDENT_THREADS.items()}
        RESIDENT_THREADS.update(crowded)
        if not any("more than" in failure for failure in check_assembler(demanding, options)):
            yield "assembler does not notice too many registers"


def known_architectures(ptxas):
    said = subprocess.run([ptxas, "--help"], capture_output=True, text=True).stdout
    return [architecture for architecture in RESIDENT_THREADS if re.search(rf"\bsm_{architecture}\b", said)]


def run(options):
    kernels = [read_kernel(path) for path in pathlib.Path(options.kernels).read_text().split()]
    need(kernels, "no kernels are listed")
    if options.check == "mutants":
        failures = list(check_mutants(kernels, options))
    else:
        if options.check == "assembler" and options.ptxas is None:
            raise Skip("there is no ptxas, of the CUDA toolkit")
        failures = [f"{kernel.name}: {failure}" for kernel in kernels for failure in CHECKS[options.check](kernel, options)]
    need(not failures, "\n".join(failures))
    print(f"{options.check}: {len(kernels)} kernels are as they should be")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("check", choices=[*CHECKS, "mutants"])
    parser.add_argument("--kernels", required=True)
    parser.add_argument("--capability", type=int, required=True)
    parser.add_argument("--ptxas")
    parser.add_argument("--verbose", action="store_true", help="print the registers of every entry")
    options = parser.parse_args()
    options.architectures = known_architectures(options.ptxas) if options.ptxas else []
    return status_of(lambda: run(options))


if __name__ == "__main__":
    sys.exit(main())
