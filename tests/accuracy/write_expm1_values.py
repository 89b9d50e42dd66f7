"""Writes values of e^x - 1 for double_double_test.cpp: write_expm1_values.py FILE [--check]

Each is the double nearest to the value and the double nearest to the rest: 2^-106 of it. mpmath computes with far more.
"""

import pathlib
import random
import sys

import mpmath

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
import exact  # sets mpmath's precision

F64 = exact.FORMATS["f64"]
HEADER = """\
// e^x - 1 as the sum of two doubles: EXPM1(x, sum's first, sum's second). Written by write_expm1_values.py with mpmath.

"""


def nearest(value):
    """A double, from an mpmath number."""
    return float(exact.decode(F64, exact.encode(F64, value)))


def inputs():
    ln2 = mpmath.ln2
    tiny = (-1074, -1073, -1060, -1023, -1022, -1021, -970, -969, -700, -540, -537)
    for exponent in (*tiny, -108, -107, -106, -60, -54, -53, -52, -27, -26, -10, -3, -2, -1, 0):
        yield -mpmath.ldexp(1, exponent)
        yield -mpmath.ldexp(mpmath.mpf(4) / 3, exponent)
    # Where k changes, and where x - k ln2 is smallest.
    for k in (1, 2, 3, 4, 5, 8, 13, 21, 34, 53, 54, 57, 58):
        for middle in (k * ln2, (k - mpmath.mpf(1) / 2) * ln2):
            pattern = exact.encode(F64, -middle)
            for step in (-1, 0, 1):
                yield exact.decode(F64, pattern + step)
    # Where -1 + e^x takes over, and to where e^x underflows.
    pattern = exact.encode(F64, mpmath.mpf(-40))
    for step in (-1, 0, 1):
        yield exact.decode(F64, pattern + step)
    underflow = ("-700", "-708.4", "-720", "-740", "-745", "-745.1", "-745.2", "-746", "-1000", "-1e10", "-1.7e308")
    for text in ("-36.7", "-37.5", "-39.9", "-50", "-100", *underflow):
        yield mpmath.mpf(text)
    generator = random.Random(4)
    for _ in range(60):
        yield -mpmath.mpf(generator.random() * 2.0 ** generator.randint(-40, 6))


def row(x):
    value = mpmath.expm1(x)
    first = nearest(value)
    second = nearest(value - mpmath.mpf(first))
    return f"EXPM1({x.hex()}, {first.hex()}, {second.hex()})"


def main():
    path = pathlib.Path(sys.argv[1])
    text = HEADER + "\n".join(row(x) for x in dict.fromkeys(nearest(x) for x in inputs())) + "\n"
    if sys.argv[2:] == ["--check"]:
        return 0 if path.read_text() == text else f"{path} is not what this script writes"
    path.write_text(text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
