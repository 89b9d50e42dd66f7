#!/usr/bin/env python3
"""Derives the coefficients of numerics/expm1.h:  expm1(r) = r + r^2 q(r),  |r| <= ln2 / 2.

q is the polynomial that minimises the largest |r + r^2 q(r) - expm1(r)| / |expm1(r)|: the Remez exchange on q - f with
f(r) = (expm1(r) - r) / r^2 and the weight r^2 / |expm1(r)|, in 60-digit arithmetic. Prints the coefficients as hex floats, rounded to
float64 (float32 kernels round them once more), and the error that is left with the coefficients as the kernel has them.

    .venv/bin/python generators/numerics/derive/expm1.py                    prints
    .venv/bin/python generators/numerics/derive/expm1.py --check FILE       and fails if FILE lacks one of the coefficients
"""

import struct
import sys

from mpmath import mp, mpf, expm1, log, matrix, lu_solve, cos, pi

mp.dps = 60
HALF_LN2 = log(2) / 2


def target(r):
    """(expm1(r) - r) / r^2, by its series where the difference cancels."""
    if abs(r) < mpf("1e-8"):
        return mpf(1) / 2 + r / 6 + r**2 / 24 + r**3 / 120
    return (expm1(r) - r) / r**2


def weight(r):
    return r**2 / abs(expm1(r)) if r != 0 else mpf(0)


def evaluate(coefficients, r):
    result = mpf(0)
    for c in reversed(coefficients):
        result = result * r + c
    return result


def extrema(error, samples):
    """Local maxima of |error| with alternating signs, refined by a parabola through three samples."""
    step = 2 * HALF_LN2 / samples
    points = [-HALF_LN2 + step * i for i in range(samples + 1)]
    values = [error(p) for p in points]
    found = []
    for i, value in enumerate(values):
        left = abs(values[i - 1]) if i > 0 else mpf(0)
        right = abs(values[i + 1]) if i < samples else mpf(0)
        if abs(value) < left or abs(value) < right or value == 0:
            continue
        point = points[i]
        if 0 < i < samples:
            bend = values[i - 1] - 2 * value + values[i + 1]
            point += step * (values[i - 1] - values[i + 1]) / (2 * bend)
        value = error(point)
        if found and (found[-1][1] > 0) == (value > 0):
            if abs(value) > abs(found[-1][1]):
                found[-1] = (point, value)
        else:
            found.append((point, value))
    return found


def remez(degree):
    count = degree + 2
    nodes = [HALF_LN2 * cos(pi * (2 * i + 1) / (2 * count)) for i in reversed(range(count))]
    for _ in range(30):
        # q(r_i) + (-1)^i E / weight(r_i) = f(r_i)
        system = matrix(count, count)
        right = matrix(count, 1)
        for i, r in enumerate(nodes):
            for j in range(degree + 1):
                system[i, j] = r**j
            system[i, degree + 1] = (-1) ** i / weight(r)
            right[i] = target(r)
        solution = lu_solve(system, right)
        coefficients = [solution[j] for j in range(degree + 1)]
        found = extrema(lambda r: (evaluate(coefficients, r) - target(r)) * weight(r), 400 * count)
        while len(found) > count:
            found.pop(0 if abs(found[0][1]) < abs(found[-1][1]) else -1)
        sizes = [abs(value) for _, value in found]
        nodes = [point for point, _ in found]
        if len(nodes) != count:
            raise ArithmeticError(f"{len(nodes)} extrema, {count} wanted")
        if max(sizes) < min(sizes) * (1 + mpf("1e-9")):
            break
    return coefficients


def round_to(value, form):
    return mpf(struct.unpack(form, struct.pack(form, value))[0])


def main():
    checked = open(sys.argv[2]).read() if sys.argv[1:2] == ["--check"] else None
    for name, degree, form in (("bf16", 2, "<f"), ("f16", 3, "<f"), ("f32", 4, "<f"), ("f64", 10, "<d")):
        doubles = [float(c) for c in remez(degree)]
        used = [round_to(c, form) for c in doubles]
        left = max(abs((evaluate(used, r) - target(r)) * weight(r)) for r in (HALF_LN2 * i / 2000 for i in range(-2000, 2001)))
        print(f"{name}: degree {degree}, relative error 2^{float(log(left, 2)):.2f}")
        print("  " + ", ".join(c.hex() for c in doubles))
        missing = [c.hex() for c in doubles if checked is not None and c.hex() not in checked]
        if missing:
            sys.exit(f"{sys.argv[2]} has not: {', '.join(missing)}")


if __name__ == "__main__":
    main()
