"""Writes the special values of one operator: inputs where a formula, a threshold or a format ends, with the results that ONNX defines.

    write_special.py OPERATOR FOLDER        writes FOLDER/OPERATOR_TYPE.txt for every element type

A line of a file is a record, all patterns in hexadecimal:

    ALPHA X KIND Y [UNIT FRACTION]

ALPHA is a float32 pattern, X and Y are patterns of the element type. KIND says what the result may be:

    =   Y to the bit
    n   any NaN
    1   within the limit for an alpha that is 1 in the element type       } Y is the true value, rounded right. The true value itself is
    ~   within the limit for another alpha                                 } Y + FRACTION * 2^UNIT, and 2^UNIT one ULP there.

Records of one alpha follow each other. Semantics: alpha is rounded to the element type; Elu is alpha * (e^x - 1) for x < 0 and x itself
otherwise; ThresholdedRelu is x for x > alpha and +0 otherwise.
"""

import struct
import sys
from pathlib import Path

import mpmath
from mpmath import mpf

from exact import FORMATS, convert, decode, encode, is_nan, neighbour, unit_exponent

F32 = FORMATS["f32"]

# The algorithm's own ends, by the width that it computes in: where the result saturates, and how many octaves there are before.
SATURATION = {"f16": "-17.328680", "bf16": "-17.328680", "f32": "-17.328680", "f64": "-37.5"}
OCTAVES = {"f16": 26, "bf16": 26, "f32": 26, "f64": 55}


def f32(text):
    """The float32 pattern of a decimal number."""
    return encode(F32, mpf(text), text.startswith("-"))


def f32_power(exponent):
    return encode(F32, mpmath.ldexp(1, exponent))


ALPHAS = [
    *(f32(text) for text in (
        "1", "2", "4", "0.5", "0.25", "1024", "-1", "-2", "-0.5", "0", "-0", "1.6732632", "-1.6732632", "1.0507009", "0.1", "0.01", "1e-3",
        "3.3", "-3.3", "100", "1e4",
        "0.7", "2.3", "0.2", "1.1", "-1.1", "-0.7",               # rounded by f16 and bf16
        "65504", "65519", "65520", "-65520", "1e6", "-1e6",       # 65520 is the first that becomes infinity in f16
        "6e-5", "3e-5", "1e-6", "-1e-6", "1e-8", "-1e-8",         # subnormal in f16, then zero
        "1e-40", "-1e-40", "3e-39", "3e38", "-3e38",              # subnormal, and next to the end of the range
    )),
    *(f32_power(e) for e in (
        -149, -148, -135, -134, -133, -127, -126, -125,           # -134 is half of bf16's smallest
        -62, -25, -24, -15, -14, -11, 10, 15, 16, 64, 126, 127)),  # -25 is half of f16's smallest
    0x3F800001, 0x3F7FFFFF, 0x3F800002, 0x3F7FFFFE,               # next to 1: 1 itself in the 16-bit types
    0x3F808000, 0x3F808001, 0x3F7F8000, 0x3F7F7FFF,               # to 1 by a tie of bf16, and just not
    0x3F801000, 0x3F801001, 0x3F7FF000, 0x3F7FEFFF,               # the same for f16
    0xBF818000, 0xBF803000,                                       # away from zero by a tie of bf16, and of f16
    0x33000001, 0x00008001,                                       # just beyond the ties at half of the smallest
    0x7F7FFFFF, 0xFF7FFFFF, 0x7F7F7FFF, 0x7F7F8000,               # largest finite ones of f32 and, rounded, of bf16
    0x7F800000, 0xFF800000,                                       # infinite
    0x7FC00000, 0xFFC00000, 0x7F800001, 0xFF800001, 0x7FC12345, 0x7FFFFFFF, 0x7F80FFFF, 0xFFBFFFFF,  # NaN, quiet and signalling
]  # fmt: skip


def both_signs(fmt, patterns):
    return [p ^ s for p in patterns for s in (0, fmt.sign)]


def around(fmt, value, steps=1):
    """The pattern nearest to a value and its neighbours."""
    middle = encode(fmt, value)
    return [p for s in range(-steps, steps + 1) if (p := neighbour(fmt, middle, s)) is not None]


def nans(fmt):
    payloads = [fmt.quiet, fmt.quiet + 1, 2 * fmt.quiet - 1, 1, fmt.quiet - 1, fmt.quiet // 2, fmt.quiet | fmt.quiet // 2]
    return both_signs(fmt, [fmt.infinity | p for p in payloads])


def edges(fmt):
    """What the format itself has: NaN, infinities, zeros, both ends of the subnormals and of the normal numbers, 1."""
    one = encode(fmt, mpf(1))
    magnitudes = [0, 1, 2, 3, fmt.smallest_normal // 2, fmt.smallest_normal - 2, fmt.smallest_normal - 1, fmt.smallest_normal,
                  fmt.smallest_normal + 1, one - 1, one, one + 1, fmt.infinity - 2, fmt.infinity - 1, fmt.infinity]  # fmt: skip
    return nans(fmt) + both_signs(fmt, magnitudes)


def ordinary(fmt):
    texts = ("0.5", "2", "3", "5", "10", "0.1", "0.25", "0.01", "0.001", "1e-10", "1e-40", "1.5", "20", "88.8", "100", "710", "1000", "3e38")
    return both_signs(fmt, [encode(fmt, mpf(text)) for text in texts])


def elu_inputs(fmt):
    ln2 = mpmath.ln2
    patterns = edges(fmt) + ordinary(fmt)
    for k in range(OCTAVES[fmt.name] + 1):
        patterns += around(fmt, -(k + mpf(1) / 2) * ln2)
    for k in (1, 2, 3, 9, 10, 11, 12, 13, 24, 25, 26, 53, 54):
        patterns += around(fmt, -k * ln2)
    patterns += around(fmt, mpf(SATURATION[fmt.name]), 2)
    # Near zero the square of x leaves the result, first one bit, then all.
    patterns += [encode(fmt, -mpmath.ldexp(1, -k)) for k in (*range(3, 28), 30, 52, 53, 54, 55, 100, 133, 140, 600, 1050)]
    # Where float32 is worst, with FMA and without.
    patterns += [p for x in ("-0x1.268238p-2", "-0x1.26132p-2") for p in around(fmt, mpf(float.fromhex(x)), 2)]
    # Far below saturation, to where e^x itself underflows.
    patterns += [encode(fmt, mpf(text)) for text in ("-17.4", "-18", "-30", "-38", "-87.4", "-88", "-104", "-105", "-708.4", "-745.2", "-746")]
    return patterns


def elu(fmt, alpha, x, memo):
    """(kind, y, unit, fraction)"""
    rounded = convert(F32, alpha, fmt)
    value = decode(fmt, x)
    if is_nan(fmt, x) or value >= 0:
        return "=", x, None, None
    limit = rounded ^ fmt.sign
    if is_nan(fmt, rounded):
        return "n", limit, None, None
    scale = decode(fmt, rounded)
    # Within a quarter of an ULP of -alpha the algorithm saturates.
    if scale == 0 or mpmath.isinf(scale) or value < (-38 if fmt.name == "f64" else mpf("-17.35")):
        if fmt.bits >= 32 or scale == 0 or mpmath.isinf(scale):
            return "=", limit, None, None
    if x not in memo:
        memo[x] = mpmath.expm1(value)
    true = scale * memo[x]
    y = encode(fmt, true)
    if scale == 1 and fmt.bits == 16:
        return "=", y, None, None
    unit = unit_exponent(fmt, true)
    fraction = float(mpmath.ldexp(true - decode(fmt, y), -unit))
    return ("1" if scale == 1 else "~"), y, unit, fraction


def thresholded_relu_inputs(fmt):
    return edges(fmt) + ordinary(fmt)


def thresholded_relu(fmt, alpha, x, memo):
    value, threshold = decode(fmt, x), decode(fmt, convert(F32, alpha, fmt))
    return "=", x if value > threshold else 0, None, None


def near_alpha(fmt, alpha):
    """The threshold as the element type has it, its neighbours, and all of them with the other sign."""
    rounded = convert(F32, alpha, fmt)
    patterns = [rounded]
    if not is_nan(fmt, rounded):
        patterns += [p for s in (-2, -1, 1, 2) if (p := neighbour(fmt, rounded, s)) is not None]
    return both_signs(fmt, patterns)


OPERATORS = {"elu": (elu, elu_inputs), "thresholded_relu": (thresholded_relu, thresholded_relu_inputs)}

NAN, INF = float("nan"), float("inf")


def number(fmt, value):
    """A pattern from a pattern, given as int, or from a number, given as float or decimal text."""
    if isinstance(value, int):
        return value
    if isinstance(value, str):
        return encode(fmt, mpf(value), value.startswith("-"))
    return encode(fmt, mpf(value), struct.pack(">d", value)[0] & 0x80 != 0)


# Inputs on which other software failed, from public reports: operator, type, alpha, x, y. An int is a pattern.
REPORTED = [
    ("elu", "f32", 0.0, [-INF, -1.0, -0.0, 2.0, NAN], [-0.0, -0.0, -0.0, 2.0, NAN]),
    ("elu", "f32", INF, ["-1e-10", -1.0, -INF, 0.0, 3.0], [-INF, -INF, -INF, 0.0, 3.0]),
    ("elu", "f32", "3e38", [-5.0], [0xFF602C98]),
    ("elu", "f32", "1e-40", [-5.0], [0x800114E1]),
    ("elu", "f32", 2.0**-149, [-5.0], [0x80000001]),
    ("elu", "f16", 1.0, [0.5, 1.0, 10.0, 65504.0, INF], [0.5, 1.0, 10.0, 65504.0, INF]),
    ("elu", "f32", 1.0, [100.0, -100.0, "3e38", -INF, NAN, "-1e-40"], [100.0, -1.0, "3e38", -1.0, NAN, 0x800116C2]),
    ("elu", "f32", 1.0, [-(2.0**-149), "-1e-40", -(2.0**-126)], [0x80000001, 0x800116C2, 0x80800000]),
    ("elu", "f16", 1.0, [-(2.0**-24)], [0x8001]),
    ("elu", "f16", 1.0, ["-0.0001220703125", "-0.000244140625", "-0.01", -1.0], [0x8800, 0x8C00, 0xA118, 0xB90F]),
    ("elu", "bf16", 1.0, ["-0.0009765625", "-0.01", "-0.1"], [0xBA80, 0xBC23, 0xBDC3]),
    ("elu", "f64", 1.0, [-1.0], ["-0.63212055882855767"]),
    ("elu", "f64", "0.1", [-1.0], ["-0.063212056824788795"]),
    ("thresholded_relu", "f32", 1.0, [1.0, "1.0000001", "0.99999994"], [0.0, "1.0000001", 0.0]),
    ("thresholded_relu", "f32", 0.0, [0.0, -0.0, 0.5, -0.5], [0.0, 0.0, 0.5, 0.0]),
    ("thresholded_relu", "f32", 1.0, [0.5, -0.5], [0.0, 0.0]),
    ("thresholded_relu", "f32", INF, [INF], [0.0]),
    ("thresholded_relu", "f32", -INF, [-INF, -3.0], [0.0, -3.0]),
    ("thresholded_relu", "f16", -1.0, [-0.5, -1.5, 0.25], [-0.5, 0.0, 0.25]),
    ("thresholded_relu", "f16", "0.7", [0x399A, 0x399B], [0, 0x399B]),
    ("thresholded_relu", "f16", "2.3", [0x409A, 0x409B], [0, 0x409B]),
    ("thresholded_relu", "bf16", "0.2", [0x3E4D, 0x3E4E], [0, 0x3E4E]),
    ("thresholded_relu", "bf16", "1.1", [0x3F8D, 0x3F8E], [0, 0x3F8E]),
]


def reported(operator, fmt):
    """(alpha, x) of the reported cases; their given results must agree with ours."""
    evaluate = OPERATORS[operator][0]
    for name, type_name, alpha, inputs, results in REPORTED:
        if (name, type_name) != (operator, fmt.name):
            continue
        alpha = number(F32, alpha)
        for x, y in zip(inputs, results, strict=True):
            x, y = number(fmt, x), number(fmt, y)
            ours = evaluate(fmt, alpha, x, {})[1]
            if ours != y:
                raise SystemExit(f"{operator} {fmt.name}, alpha {F32.digits(alpha)}, x {fmt.digits(x)}: reported {fmt.digits(y)}, here {fmt.digits(ours)}")
            yield alpha, x


def records(operator, fmt):
    evaluate, inputs = OPERATORS[operator]
    memo = {}
    cases = {alpha: list(inputs(fmt)) + near_alpha(fmt, alpha) for alpha in ALPHAS}
    for alpha, x in reported(operator, fmt):
        cases.setdefault(alpha, []).append(x)
    for alpha, patterns in cases.items():
        for x in dict.fromkeys(patterns):
            yield alpha, x, *evaluate(fmt, alpha, x, memo)


def main():
    operator, folder = sys.argv[1], Path(sys.argv[2])
    if operator not in OPERATORS:
        raise SystemExit(f"{sys.argv[0]}: the operator {operator} has no special values yet: add them to OPERATORS")
    folder.mkdir(parents=True, exist_ok=True)
    for fmt in FORMATS.values():
        with open(folder / f"{operator}_{fmt.name}.txt", "w", encoding="ascii") as out:
            for alpha, x, kind, y, unit, fraction in records(operator, fmt):
                where = "" if unit is None else f" {unit} {fraction:.9f}"
                print(F32.digits(alpha), fmt.digits(x), kind, fmt.digits(y) + where, file=out)


if __name__ == "__main__":
    main()
