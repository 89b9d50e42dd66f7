"""The kernels' PTX, executed on the CPU with the launches that the kernel objects make (ptx_machine.py).

ptx_test.py (memory|large|special|same_bits|accuracy|mutants) --kernels LIST --cpu-kernels FOLDER --special FOLDER --limits limits.def
            --compiler PROGRAM --include FOLDER --work FOLDER

LIST holds the path of a kernel object on each line: .../actinide_k_<operator>_<type>_cuda[_any].o, beside it its PTX.
"""

import argparse
import functools
import mmap
import pathlib
import re
import sys
from collections import defaultdict

import mpmath
import numpy as np

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "support"))
import ptx_machine
from exact import FORMATS, convert, decode, is_nan, unit_exponent
from script_test import Skip, need, status_of

F32 = FORMATS["f32"]
LARGEST_CALL = 1 << 30  # elements that a kernel is given at once
SEED = 5
MAP_NORESERVE = 0x4000  # mmap has it from Python 3.13 on


def float_of(pattern):
    return float(np.uint32(pattern).view(np.float32))


@functools.cache
def read_ptx(path):
    return pathlib.Path(path).with_suffix(".ptx").read_text()


def simulated(arguments, pattern=".*"):
    """The kernels whose names the pattern matches."""
    paths = [path for path in pathlib.Path(arguments.kernels).read_text().split() if re.fullmatch(pattern, pathlib.Path(path).stem)]
    need(paths, f"no kernel is called {pattern}")
    for path in paths:
        yield ptx_machine.Kernel(path, read_ptx(path), arguments.work, arguments.compiler, arguments.include)


def chunk_of(kernel):
    """The elements of a whole block: 16 bytes a thread."""
    return 256 * 16 // np.dtype(kernel.dtype).itemsize


def both_paths(kernel, patterns):
    """The patterns in whole blocks, then again in what is left after them."""
    chunk = chunk_of(kernel)
    whole = np.resize(patterns, -(-len(patterns) // chunk) * chunk)
    return np.concatenate([whole, np.resize(patterns, min(len(patterns), chunk - 1))])


def negative_inputs(dtype, count, rng):
    """Half of them where the result is not saturated, half of any magnitude."""
    bits = np.dtype(dtype).itemsize * 8
    floats = np.dtype(f"f{bits // 8}")
    lowest = {32: -18, 64: -38}[bits]
    near = rng.uniform(lowest, 0, count // 2).astype(floats).view(dtype)
    infinity = {32: 0x7F800000, 64: 0x7FF0000000000000}[bits]
    return np.concatenate([near, rng.integers(0, infinity, count - count // 2, dtype).astype(dtype) | dtype(1 << (bits - 1))])


def test_memory(arguments):
    """Every size up to two whole blocks, every place: all elements, once, and nothing else. In place gives the same."""
    rng = np.random.default_rng(SEED)
    for kernel in simulated(arguments):
        chunk = chunk_of(kernel)
        x = rng.integers(0, np.iinfo(kernel.dtype).max, 2 * chunk + 600, kernel.dtype, endpoint=True)
        one_by_one = np.concatenate([kernel(x[n : n + 1], 1.5) for n in range(600)])
        offsets = [0] if kernel.is_aligned else range(16 // x.itemsize)
        whole = {}
        for attribute in (1.0, 1.5, float("inf"), -1.5):
            whole[attribute] = kernel(x, attribute)
        for n in range(1, len(x) + 1):
            same = (kernel(x[:n], 1.5, x_offset=n % len(offsets)) == whole[1.5][:n]).all()
            need(same, f"{kernel.name}: the first {n} elements are other ones without the rest")
        need((one_by_one == whole[1.5][:600]).all(), f"{kernel.name}: elements are other ones alone")
        near_edges = [n + d for n in (0, 256, chunk, chunk + 256, 2 * chunk) for d in (-1, 0, 1) if n + d > 0]
        for attribute, result in whole.items():
            for n in near_edges:
                for x_offset in offsets:
                    in_place = kernel(x[:n], attribute, x_offset=x_offset, in_place=True)
                    need((in_place == result[:n]).all(), f"{kernel.name}: {n} elements at {x_offset} are other ones in place")
                    for y_offset in offsets:
                        apart = kernel(x[:n], attribute, x_offset=x_offset, y_offset=y_offset)
                        need((apart == result[:n]).all(), f"{kernel.name}: {n} elements are other ones from {x_offset} to {y_offset}")
        brought = kernel.device_code.decode().replace("ld.global.nc.", "ld.global.").strip("\0\n")
        need(brought == read_ptx(arguments.path_of[kernel.name]).strip("\n"), f"{kernel.name}: the object brings another PTX")


def test_large(arguments):
    """The ends of the longest tensors: no index overflows."""
    for kernel in simulated(arguments):
        size = np.dtype(kernel.dtype).itemsize
        for n in (LARGEST_CALL, LARGEST_CALL - 1):
            # Pages that nobody touches take no memory.
            areas = [mmap.mmap(-1, n * width, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | MAP_NORESERVE) for width in (size, 8, 1)]
            x, owner, stores = (np.frombuffer(a, t) for a, t in zip(areas, (kernel.dtype, np.int64, np.uint8), strict=True))
            kernel.launch(x, x, owner, stores, [1.5], ends_only=3)
            need(stores[: chunk_of(kernel)].all() and stores[-256:].all(), f"{kernel.name}: {n} elements are not all written")


def read_records(folder, kernel):
    """By alpha: (x, kind, y, unit, fraction) of support/write_special.py, which documents them."""
    path = pathlib.Path(folder) / f"{kernel.operator}_{kernel.type}.txt"
    need(path.exists(), f"no {path}: it is built with the tests of the kind special")
    groups = defaultdict(list)
    for line in path.read_text().splitlines():
        alpha, x, kind, y, *rest = line.split()
        groups[int(alpha, 16)].append((int(x, 16), kind, int(y, 16), *rest))
    return groups


def read_limits(path):
    """{(operator, type, attributes): (limit, attribute, x, returned)} of the targets with FMA."""
    row = re.compile(r"^LIMIT\((\w+), (\w+), fma, (\w+), ([\d.]+), [\d.]+, ([-\w.]+)f, (0x\w+), (0x\w+), ", re.MULTILINE)
    limits = {m[:3]: (float(m[3]), float(m[4]), int(m[5], 16), int(m[6], 16)) for m in row.findall(pathlib.Path(path).read_text())}
    need(limits, f"{path}: no limits")
    return limits


def is_right(fmt, record, got, limit):
    x, kind, y, *true = record
    if kind == "=":
        return got == y
    if kind == "n":
        return is_nan(fmt, got)
    if is_nan(fmt, got) or (got ^ y) & fmt.sign:
        return False
    if kind == "1" and (x & ~fmt.sign) < fmt.smallest_normal:
        limit = 0  # there e^x - 1 is x
    unit, fraction = int(true[0]), float(true[1])
    return abs(mpmath.ldexp(decode(fmt, got) - decode(fmt, y), -unit) - fraction) <= limit


def test_special(arguments):
    limits = read_limits(arguments.limits)
    for kernel in simulated(arguments):
        fmt = FORMATS[kernel.type]
        failures = []
        for alpha, records in read_records(arguments.special, kernel).items():
            x = both_paths(kernel, np.array([record[0] for record in records], kernel.dtype))
            y = kernel(x, float_of(alpha))
            record_of = {record[0]: record for record in records}
            for x_bits, got in set(zip(x.tolist(), y.tolist(), strict=True)):
                record = record_of[x_bits]
                limit = limits.get((kernel.operator, kernel.type, "one" if record[1] == "1" else "any"), [0])[0]
                if not is_right(fmt, record, got, limit):
                    failures.append(f"alpha {alpha:08x}, x {fmt.digits(x_bits)}: {fmt.digits(got)} for {record[1:]}")
        need(not failures, "\n".join([f"{kernel.name}: {len(failures)} results are wrong", *failures[:20]]))


def cpu_kernel(arguments, kernel):
    """The same operator's kernel for AVX2, as a function of patterns and attributes."""
    flags = re.search(r"^flags\s*:(.*)$", pathlib.Path("/proc/cpuinfo").read_text(), re.MULTILINE)
    if flags is None or not {"avx2", "fma", "f16c"} <= set(flags[1].split()):
        raise Skip("this machine has no AVX2 to compare with")
    symbol = f"actinide_k_{kernel.operator}_{kernel.type}_avx2"
    path = pathlib.Path(arguments.cpu_kernels) / f"{symbol}.o"
    if not path.exists():
        raise Skip(f"{path} is not built")
    function = ptx_machine.compile_shared(arguments.compiler, pathlib.Path(arguments.work) / f"{symbol}.so", path)[symbol]
    return functools.partial(ptx_machine.call_on_host, function)


def test_same_bits(arguments):
    """FMA by FMA, the bits of the CPU's targets that have it, on which accuracy and consistency are tested."""
    rng = np.random.default_rng(SEED)
    for kernel in simulated(arguments):
        on_cpu = cpu_kernel(arguments, kernel)
        few = 1 << (18 if kernel.type == "f32" else 14)
        every = np.arange(1 << 16, dtype=np.uint16)
        x = both_paths(kernel, every if kernel.dtype == np.uint16 else negative_inputs(kernel.dtype, few, rng))
        # Not with a subnormal alpha of float32: here alpha - alpha 2^k is fused, there alpha 2^k may be half-way and is rounded before.
        for alpha in (1.0, 1.6732632, 1.5125711, -2.0, 0.1, -1e-3, 1e-25, 3e38, 0.0, float("inf"), float("nan")):
            device, cpu = kernel(x, alpha), on_cpu(x, alpha)
            different = np.flatnonzero(device != cpu)
            first = different[0] if len(different) else 0
            need(len(different) == 0, f"{kernel.name}, alpha {alpha}: {len(different)} of {len(x)} differ from the CPU's, first "
                 f"{hex(x[first])}: {hex(device[first])} for {hex(cpu[first])}")  # fmt: skip


def test_accuracy(arguments):
    """The worst that is known is what comes out, and a sample is within the limits."""
    limits = read_limits(arguments.limits)
    rng = np.random.default_rng()
    for kernel in simulated(arguments, r".*_elu_\w+"):
        fmt = FORMATS[kernel.type]
        for (operator, type_, attributes), (limit, attribute, worst_x, worst_y) in limits.items():
            if (operator, type_) != (kernel.operator, kernel.type):
                continue
            got = kernel(both_paths(kernel, np.array([worst_x], kernel.dtype)), attribute)
            need((got == worst_y).all(), f"{kernel.name}, alpha {attribute}: {worst_x:x} gives {got[0]:x}, on the CPU {worst_y:x}")
            for alpha in [1.0] if attributes == "one" else [attribute, *rng.uniform(1, 2, 3).astype(np.float32).tolist()]:
                x = sample(kernel, rng)
                y = kernel(x, alpha)
                scale = decode(fmt, convert(F32, int(np.float32(alpha).view(np.uint32)), fmt))
                for x_bits, got in zip(x.tolist(), y.tolist(), strict=True):
                    with mpmath.workprec(160):
                        true = scale * mpmath.expm1(decode(fmt, x_bits))
                        error = abs(mpmath.ldexp(decode(fmt, got) - true, -unit_exponent(fmt, true)))
                    need(error <= limit, f"{kernel.name}, alpha {alpha}: {x_bits:x} gives {got:x}, off by {mpmath.nstr(error)}")


def sample(kernel, rng):
    """Inputs where the result is not saturated."""
    floats = rng.uniform(-17, 0, 400).astype(np.float32)
    if kernel.type == "f64":
        return rng.uniform(-37, 0, 400).view(np.uint64)
    if kernel.type == "f16":
        return floats.astype(np.float16).view(np.uint16)
    return floats.view(np.uint32) if kernel.type == "f32" else (floats.view(np.uint32) >> 16).astype(np.uint16)


# What the simulated device must notice: kernel, text and what is put in its place, size, the words of the complaint.
MUTANTS = (
    ("elu_f32_cuda", r"setp\.ge\.s32", "setp.gt.s32", 100, "a load of 4 bytes at byte 400 of 400"),
    ("elu_f32_cuda", r"setp\.lt\.s32", "setp.ge.s32", 100, "a load of 16 bytes at byte 400 of 400"),
    ("elu_f32_cuda", r"shl\.b32( \t%r\d+, %r\d+), 8", r"shl.b32\1, 7", 2048, "is accessed by two threads"),
    ("elu_f32_cuda", r"st\.global\.b32.*", "", 100, "element 0 is not written"),
    ("elu_f32_cuda", r"(st\.global\.b32.*)", r"\1 \1", 100, "element 0 is accessed after it was written"),
    ("elu_f32_cuda", r"(st\.global\.b32 \t\[%rd\d+)", r"\1+4", 1, "a store of 4 bytes at byte 4 of 4"),
    ("elu_f32_cuda_any", r"\+1024\]", "+1026]", 1024, "a load of 4 bytes at byte 1026"),
    ("elu_f32_cuda", r"\.entry \w+_z_block_id_x\(", ".entry other(", 100, "there is no entry"),
)


def test_mutants(arguments):
    for name, text, replacement, n, words in MUTANTS:
        path = arguments.path_of[f"actinide_k_{name}"]
        mutant = re.sub(text, replacement, read_ptx(path))
        need(mutant != read_ptx(path), f"{name} has no {text}")
        kernel = ptx_machine.Kernel(path, mutant, arguments.work, arguments.compiler, arguments.include)
        try:
            kernel(np.zeros(n, kernel.dtype), 1.0)
        except ptx_machine.Violation as violation:
            need(words in str(violation), f"{name} with {replacement!r} for {text!r}: {violation}")
        else:
            sys.exit(f"{name} with {replacement!r} for {text!r}: nothing was noticed")
    # A tensor that is not aligned in the object for those that are.
    kernel = next(simulated(arguments, "actinide_k_elu_f32_cuda"))
    try:
        kernel(np.zeros(1024, kernel.dtype), 1.0, x_offset=1)
    except ptx_machine.Violation as violation:
        need("that is not aligned" in str(violation), str(violation))
    else:
        sys.exit("a tensor that is not aligned was not noticed")


TESTS = {"memory": test_memory, "large": test_large, "special": test_special, "same_bits": test_same_bits, "accuracy": test_accuracy,
         "mutants": test_mutants}  # fmt: skip


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("test", choices=TESTS)
    for name in ("kernels", "cpu-kernels", "special", "limits", "compiler", "include", "work"):
        parser.add_argument(f"--{name}", required=True)
    arguments = parser.parse_args()
    pathlib.Path(arguments.work).mkdir(parents=True, exist_ok=True)
    arguments.path_of = {pathlib.Path(path).stem: path for path in pathlib.Path(arguments.kernels).read_text().split()}
    return status_of(lambda: TESTS[arguments.test](arguments))


if __name__ == "__main__":
    sys.exit(main())
