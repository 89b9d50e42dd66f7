"""The mutants: one text in one file replaced by another, and the tests of which one must fail.

Left out are changes that change no result, found when tests did not notice them:
- a comparison with <= where equality cannot be; TailStrategy GuardWithIf for Predicate (Halide refuses RoundUp); `<=` for the first normal f16
- a last bit of 1 / ln2: at most, another multiple of ln2 that is as near
- `scale - alpha` not strict: alpha 2^k is exact, and fused the same difference is rounded once
- `1 - 2^k` not strict: on x86-64 the same to the byte
- `r * r` not strict: the kernels differ, and no result does
- one operation of Dekker's product not strict: LLVM reorders only two that may be, so the kernels of x86-64 stay the same to the byte
  (scale_hi r_hi: not the same, but the product is exact). All of a kind at once are noticed
- the comparison of `less_than` not strict: on x86-64 the same to the byte
"""

from typing import NamedTuple

# What is built, in this order; mutants that share a file follow each other, for each change compiles again.
BUILDS = {
    "x86-64": [
        "-DACTINIDE_CUDA=OFF", "-DACTINIDE_TARGETS=sse41;avx2", "-DACTINIDE_TEST_KINDS=runtime;special;memory;consistency;accuracy"],
    "arm-64": ["-DACTINIDE_BUILD_TESTS=ON", "-DACTINIDE_TARGETS=neon", "-DACTINIDE_TEST_KINDS=memory"],
    "arm-32": ["-DACTINIDE_BUILD_TESTS=ON", "-DACTINIDE_TARGETS=neon", "-DACTINIDE_TEST_KINDS=special"],
    "cuda": ["-DACTINIDE_CUDA_ARCHITECTURES=", "-DACTINIDE_TARGETS=avx2", "-DACTINIDE_TEST_KINDS=special;cuda"],
}  # fmt: skip
TOOLCHAINS = {"arm-64": "aarch64-linux-gnu", "arm-32": "arm-linux-gnueabihf"}
NEEDS = {"arm-64": ["aarch64-linux-gnu-g++", "qemu-aarch64"], "arm-32": ["arm-linux-gnueabihf-g++", "qemu-arm"]}

# Targets to build, by how the names of tests begin.
PROGRAMS = {
    "accuracy.derive": [],
    "Accuracy": ["accuracy_test"],
    "Witness": ["accuracy_test"],
    "SpecialValues": ["special_test"],
    "AcrossArchitectures": ["consistency_test"],
    "Memory": ["memory_test"],
    "Contract": ["runtime_test"],
    "LargeTensors": ["runtime_test"],
    "ChooseTarget": ["runtime_test"],
    "CpuFeatures": ["runtime_test"],
    "cuda.": ["actinide", "actinide_cuda"],
}


class Mutant(NamedTuple):
    name: str
    file: str
    old: str  # occurs once
    new: str
    tests: tuple  # how their names begin, as regular expressions
    why: str  # what is wrong with the mutant
    build: str = "x86-64"


EXPM1 = "generators/numerics/expm1.h"
STRICT_H = "generators/numerics/strict.h"
TYPES = "generators/numerics/element_types.h"
ACTIVATION = "generators/activation.h"
ELU = "generators/activations/elu.h"
THRESHOLDED_RELU = "generators/activations/thresholded_relu.h"
SCHEDULE = "generators/schedule.cpp"
X86 = "generators/schedules/x86.cpp"
ARM = "generators/schedules/arm.cpp"
CUDA = "generators/schedules/cuda.cpp"
CALL = "runtime/src/call.h"
CPU_X86 = "runtime/src/cpu_features_x86.cpp"
CPU_ARM = "runtime/src/cpu_features_arm.cpp"
LIMITS = "tests/accuracy/limits.def"
HASHES = "tests/consistency/hashes.def"


def sweep(kind):
    return (f"Accuracy.Sweep/elu_{kind}", f"Witness.GivesWhatIsStated/elu_{kind}")


def bits(kind):
    return (f"AcrossArchitectures.SameBits/elu_{kind}",)


def special(operator, kind=""):
    return (f"SpecialValues.Alone/{operator}_{kind}",)


STRICT = "LLVM folds, distributes or fuses what has to be rounded by itself"

MUTANTS = [
    # The polynomials and what they are of.
    Mutant("coefficient text f16", EXPM1,
           "0x1.0e6ad20000000p-7",
           "0x1.0e6ad20000001p-7",
           ("accuracy.derive",),
           "the last bit of float64: none in float32, only the derivation tells"),
    Mutant("coefficient bf16", EXPM1,
           "0x1.5721b40000000p-3",
           "0x1.5761b40000000p-3",
           sweep("bf16"),
           "2^-10 off: some results are wrongly rounded"),
    Mutant("coefficient f16", EXPM1,
           "0x1.555b3c0000000p-3",
           "0x1.55633c0000000p-3",
           sweep("f16"),
           "2^-15 off: some results are wrongly rounded"),
    Mutant("coefficient f32", EXPM1,
           "0x1.fffff40000000p-2",
           "0x1.fffff00000000p-2",
           sweep("f32"),
           "two units in the last place of float32"),
    Mutant("coefficient f64", EXPM1,
           "0x1.55555555556f0p-3",
           "0x1.55555555556e0p-3",
           sweep("f64") + bits("f64"),
           "16 units in the last place"),
    Mutant("ln2", EXPM1,
           "0x1.62e42fefa39efp-1",
           "0x1.62e42fefa39eep-1",
           sweep("f64"),
           "the last bit"),
    Mutant("ln2 f32", EXPM1,
           "0x1.62e42fefa39efp-1",
           "0x1.62e42dp-1",
           sweep("f32"),
           "two units in the last place of float32"),
    Mutant("nearest k f64", EXPM1,
           "shift + 0.6875",
           "shift + 0.5",
           sweep("f64"),
           "the first k below 0 begins too early"),
    Mutant("1/ln2", EXPM1,
           "0x1.71547652b82fep+0",
           "0x1.81547652b82fep+0",
           sweep("f32"),
           "r leaves the range of the polynomial"),
    Mutant("saturation f16", EXPM1,
           "return 0xcc55",
           "return 0xc800",
           special("elu", "f16"),
           "from -8 on: e^-8 is more than half a unit of -1"),
    Mutant("saturation bf16", EXPM1,
           "return 0xc18b",
           "return 0xc0a0",
           special("elu", "bf16"),
           "from -5 on"),
    Mutant("saturation f32", EXPM1,
           "return 0xc18aa123",
           "return 0xc1840000",
           special("elu", "f32"),
           "from -16.5 on"),
    Mutant("saturation f64", EXPM1,
           "return 0xc042c00000000000",
           "return 0xc042000000000000",
           special("elu", "f64"),
           "from -36 on"),
    # Strict operations, one by one.
    Mutant("strict k", EXPM1,
           "strict::subtract(t, constant(shift))",
           "t - constant(shift)",
           sweep("f32"),
           STRICT),
    Mutant("strict 2^k - 1", EXPM1,
           "strict::subtract(d.power, Halide::Internal::make_one(x.type()))",
           "(d.power - Halide::Internal::make_one(x.type()))",
           sweep("f32") + bits(""),
           STRICT),
    Mutant("strict r^2 q", EXPM1,
           "detail::product(d.r2, detail::polynomial(c, d.r, d.r2, traits), alpha, traits)",
           "d.r2 * detail::polynomial(c, d.r, d.r2, traits)",
           sweep("f32") + bits("f(32|64)"),
           STRICT),
    Mutant("strict 2^k alpha p", EXPM1,
           "detail::product(d.power, p, alpha, traits)",
           "d.power * p",
           sweep("f32") + bits("f(32|64)"),
           STRICT),
    Mutant("strict sum - (alpha - scale)", EXPM1,
           "return strict::subtract(strict::subtract(sum, strict::subtract(alpha_lo, scale_lo)), strict::subtract(alpha_hi, scale_hi));",
           "return sum - strict::subtract(alpha_lo, scale_lo) - strict::subtract(alpha_hi, scale_hi);",
           sweep("f32") + bits("f(32|64)") + special("elu", "f32"),
           STRICT),
    Mutant("no strict add", STRICT_H,
           "return operation(Halide::Internal::Call::strict_add, a.type(), a, b);",
           "return a + b;",
           sweep("") + bits(""),
           STRICT),
    Mutant("no strict sub", STRICT_H,
           "return operation(Halide::Internal::Call::strict_sub, a.type(), a, b);",
           "return a - b;",
           sweep("") + bits(""),
           STRICT),
    Mutant("no strict mul", STRICT_H,
           "return operation(Halide::Internal::Call::strict_mul, a.type(), a, b);",
           "return a * b;",
           sweep("") + bits(""),
           STRICT),
    # Storage.
    Mutant("bf16 ties", TYPES,
           "bits + u32(0x7fff) + ((bits",
           "bits + u32(0x8000) + ((bits",
           special("elu", "bf16"),
           "rounds up what lies on the tie"),
    Mutant("f16 subnormals", TYPES,
           "magnitude < u32(0x0400), subnormal",
           "magnitude < u32(0x0200), subnormal",
           sweep("f16"),
           "half of the subnormals take the way of the normal numbers"),
    Mutant("f16 NaN", TYPES,
           "u32(0x7e00) | ((magnitude",
           "u32(0x7c00) | ((magnitude",
           special(".*", "f16"),
           "a signalling NaN alpha becomes infinity or stays signalling"),
    Mutant("-0.0 negative", TYPES,
           "rotate(x.type, pattern ^ sign) > rotate",
           "rotate(x.type, pattern ^ sign) >= rotate",
           special("elu", "b?f16"),
           "-0.0 is taken for a negative number"),
    Mutant("less_than or equal", TYPES,
           "return strict::less(Halide::reinterpret(type, a), Halide::reinterpret(type, b));",
           "return !strict::less(Halide::reinterpret(type, b), Halide::reinterpret(type, a));",
           special(".*", "f(32|64)"),
           "true where equal, or NaN"),
    Mutant("attribute not rounded", ACTIVATION,
           "return widen(type, traits, narrow(type, traits, value));",
           "return value;",
           special("elu", "b?f16") + special("thresholded_relu", "b?f16"),
           "alpha keeps digits that the element type has not"),
    # Elu.
    Mutant("alpha 1 by value", ELU,
           "alpha_bits == pattern.one",
           "alpha == Halide::Internal::make_one(type)",
           special("elu"),
           "LLVM takes NaN for 1"),
    Mutant("infinite alpha computed", ELU,
           "alpha_magnitude < pattern.infinity",
           "alpha_magnitude <= pattern.infinity",
           special("elu"),
           "0 times infinity is NaN"),
    Mutant("sign without FMA", ELU,
           "!x.traits.has_fma ||",
           "",
           special("elu"),
           "a result that underflows to zero loses the sign"),
    Mutant("bf16 ties toward zero", TYPES,
           "if (range == Range::inside) return bits + u32(0x7fff);",
           "if (range == Range::inside) return bits + u32(0x8000);",
           bits("bf16"),
           "results computed as half-way are nearer to zero than that"),
    # ThresholdedRelu.
    Mutant("not above alpha by value", THRESHOLDED_RELU,
           "less_than(stored_alpha, x.stored), x.stored, zero",
           "!less_than(x.stored, stored_alpha), x.stored, zero",
           special("thresholded_relu"),
           "x equal to alpha, or NaN, passes"),
    Mutant("not above alpha by pattern", THRESHOLDED_RELU,
           "rotated > threshold",
           "rotated >= threshold",
           special("thresholded_relu", "b?f16"),
           "x equal to alpha passes"),
    Mutant("not above negative alpha", THRESHOLDED_RELU,
           "Halide::reinterpret(integer, x.stored) < Halide::reinterpret(integer, pattern)",
           "Halide::reinterpret(integer, x.stored) <= Halide::reinterpret(integer, pattern)",
           special("thresholded_relu", "b?f16"),
           "x equal to a negative alpha passes"),
    Mutant("alpha NaN", THRESHOLDED_RELU,
           "(uint64_t{1} << (bits.bits() - 1)) - 1)",
           "(uint64_t{1} << (bits.bits() - 1)) - 2)",
           special("thresholded_relu", "b?f16"),
           "infinity passes where alpha is NaN"),
    Mutant("alpha -0.0", THRESHOLDED_RELU,
           "select(pattern == sign, Halide::Internal::make_zero(bits), pattern)",
           "pattern",
           special("thresholded_relu", "b?f16"),
           "-0.0 is another threshold than 0.0"),
    # Schedules.
    Mutant("whole vectors one too few", SCHEDULE,
           "define_loop(lanes * unroll, 0, blocks)",
           "define_loop(lanes * unroll, 0, blocks - 1)",
           ("Memory.StaysBetweenGuardPages/elu_f32",),
           "a block is left out"),
    Mutant("single vectors one too many", SCHEDULE,
           "vectors - blocks * unroll)",
           "vectors - blocks * unroll + 1)",
           ("Memory.StaysBetweenGuardPages/thresholded_relu_f32",),
           "a vector past the end"),
    Mutant("tail one too long", X86,
           "kernel.extent - vectors * lanes)",
           "kernel.extent - vectors * lanes + 1)",
           ("Memory.StaysBetweenGuardPages/elu_f32",),
           "an element past the end"),
    Mutant("tail one too short", X86,
           "kernel.extent - vectors * lanes)",
           "kernel.extent - vectors * lanes - 1)",
           ("Memory.StaysBetweenGuardPages/elu_f32",),
           "the last element is left out"),
    # What stands before the kernels.
    Mutant("neighbours refused", CALL,
           "(from > to ? from - to : to - from) < n * sizeof(T)",
           "(from > to ? from - to : to - from) <= n * sizeof(T)",
           ("Contract.AdjacentAndInPlace/",),
           "tensors side by side do not overlap"),
    Mutant("in place refused", CALL,
           "if (from != to && (from",
           "if ((from",
           ("Contract.AdjacentAndInPlace/",),
           "in place is allowed"),
    Mutant("null y", CALL,
           "x == nullptr || y == nullptr",
           "x == nullptr",
           ("Contract.NullPointers/",),
           "y is not looked at"),
    Mutant("size that fits refused", CALL,
           "n > (UINTPTR_MAX -",
           "n >= (UINTPTR_MAX -",
           ("Contract.SizesBeyondTheAddressSpace/",),
           "the last size that fits"),
    Mutant("second piece", CALL,
           "x += piece;",
           "x += piece - 1;",
           ("LargeTensors.EveryPiece/thresholded_relu_f16",),
           "pieces after the first begin an element early"),
    Mutant("OSXSAVE", CPU_X86,
           "popcnt | osxsave | avx",
           "popcnt | avx",
           ("CpuFeaturesX86.",),
           "what the operating system saves counts only with it"),
    Mutant("BMI2", CPU_X86,
           "bmi2 = bit(8)",
           "bmi2 = bit(7)",
           ("CpuFeaturesX86.",),
           "another bit"),
    Mutant("ZMM state", CPU_X86,
           "opmask_zmm = 0xe0",
           "opmask_zmm = 0xc0",
           ("CpuFeaturesX86.",),
           "without the mask registers"),
    Mutant("ASIMDHP", CPU_ARM,
           "fphp | asimdhp | crc32",
           "fphp | crc32",
           ("CpuFeaturesArm.",),
           "half precision of scalars alone"),
    # What the tests state.
    Mutant("limit below the worst", LIMITS,
           "LIMIT(elu, f32, fma, one, 1.0,",
           "LIMIT(elu, f32, fma, one, 0.94,",
           ("Witness.GivesWhatIsStated/elu_f32",),
           "the witness is beyond it"),
    Mutant("worst below the worst", LIMITS,
           "LIMIT(elu, f16, fma, one, 0.5, 0.499934,",
           "LIMIT(elu, f16, fma, one, 0.5, 0.499834,",
           ("Accuracy.Sweep/elu_f16",),
           "something worse is found"),
    Mutant("hash", HASHES,
           "HASHES(elu, f64, fma, 0xc30006d4f31a9d72",
           "HASHES(elu, f64, fma, 0xc30006d4f31a9d73",
           ("AcrossArchitectures.SameBits/elu_f64",),
           "not what any machine gives"),
    # Where only other machines would notice.
    Mutant("NEON tail one too short", ARM,
           ">= Halide::cast(lane, lanes - rest)",
           "> Halide::cast(lane, lanes - rest)",
           ("Memory.(StaysBetweenGuardPages|InPlace)/elu_f32",),
           "the first element of the tail is left out", "arm-64"),
    Mutant("NEON few elements", ARM,
           "Halide::min(few.x, kernel.extent - 1)",
           "Halide::min(few.x, kernel.extent)",
           ("Memory.(StaysBetweenGuardPages|InPlace)/elu_f32",),
           "an element past the end", "arm-64"),
    Mutant("NEON tail computed twice", ARM,
           "kernel.define(kernel.extent - lanes + last.x, Halide::cast(lane, last.x) >= Halide::cast(lane, lanes - rest))",
           "kernel.define(kernel.extent - lanes + last.x)",
           ("Memory.(StaysBetweenGuardPages|InPlace)/elu_f32",),
           "in place, results are taken for inputs", "arm-64"),
    Mutant("flushed parts", ELU,
           "if (x.traits.flushes_subnormals && (x.type",
           "if (x.traits.wide_lanes && (x.type",
           special("elu", "(f32|bf16)"),
           "small results lose the parts that are flushed", "arm-32"),
    Mutant("flushed bf16", ELU,
           "is_below_minus(x, 0x7f)",
           "negative",
           special("elu", "bf16"),
           "a subnormal x becomes zero", "arm-32"),
    Mutant("larger of x and v not strict", ELU,
           "select(strict::less(x.stored, v), v, x.stored)",
           "select(x.stored < v, v, x.stored)",
           special("elu", "f32"),
           "assumes that no NaN exists", "arm-32"),
    Mutant("CUDA rest one too long", CUDA,
           "RDom rest(0, kernel.extent - chunks * chunk)",
           "RDom rest(0, kernel.extent - chunks * chunk + 1)",
           ("cuda.ptx_memory",),
           "an element past the end", "cuda"),
    Mutant("CUDA blocks after the whole ones", CUDA,
           "substitute(second.name, block - first.extent, others->body)",
           "substitute(second.name, block, others->body)",
           ("cuda.ptx_memory",),
           "the fused kernel's further blocks do not count from 0", "cuda"),
    Mutant("CUDA accesses of a thread", CUDA,
           "kernel.is_aligned ? whole.y * elements + whole.x : whole.x * threads + whole.y",
           "whole.y * elements + whole.x",
           ("cuda.check_ptx_accesses",),
           "where tensors may not be aligned, threads access every fourth element", "cuda"),
]
