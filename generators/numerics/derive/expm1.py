#!/usr/bin/env python3
"""Derives the coefficients of numerics/expm1.h:  expm1(r) = r + r^2 q(r),  ln2 wide.

q minimises the largest error of e^x - 1 = 2^k (r + r^2 q(r)) + (2^k - 1), relative to e^x - 1: with f(r) = (expm1(r) - r) / r^2 that is
|q - f| r^2 / |expm1(r)| for r < 0, where k = 0 is the worst case, and |q - f| r^2 / (2 - e^r) for r > 0, which k = 0 never has and k = -1
has worst. One after the other from the lowest, each coefficient is rounded to the type that the kernel computes in and those above it are
derived again, so that they make up for it. 45-digit arithmetic; the exchange of single points on a grid. Prints the coefficients as hex
floats and the error that is left.

    .venv/bin/python generators/numerics/derive/expm1.py                    prints
    .venv/bin/python generators/numerics/derive/expm1.py --check FILE       and fails if FILE lacks one of the coefficients
"""

import struct
import sys

from mpmath import mp, mpf, cos, exp, expm1, log, lu_solve, matrix, pi

mp.dps = 45
LN2 = log(2)


def target(r):
    """f: (expm1(r) - r) / r^2."""
    return (expm1(r) - r) / r**2


def weight(r):
    return r**2 / (2 - exp(r) if r > 0 else -expm1(r))


def evaluate(coefficients, r):
    result = mpf(0)
    for c in reversed(coefficients):
        result = result * r + c
    return result


def grid(low, high, count):
    """Dense towards the ends; without zero, where every error counts nothing."""
    points = [(low + high) / 2 - (high - low) / 2 * cos(pi * i / count) for i in range(count + 1)]
    return [r for r in points if abs(r) > mpf("1e-4")]


def exchange(reference, signs, new, sign):
    """The reference with a point of the largest error in place of its neighbour of the same sign; signs alternate, and still do."""
    below = sum(1 for i in reference if i < new)
    if below == 0:
        return [new] + (reference[1:] if signs[0] == sign else reference[:-1])
    if below == len(reference):
        return (reference[:-1] if signs[-1] == sign else reference[1:]) + [new]
    replaced = below - 1 if signs[below - 1] == sign else below
    return reference[:replaced] + [new] + reference[replaced + 1 :]


def minimax(degree, points, given):
    """The coefficients of degree `degree` that begin with `given`, and their error."""
    lowest = len(given)
    free = degree + 1 - lowest
    wanted = [(target(r) - evaluate(given, r)) / r**lowest for r in points]
    weights = [weight(r) * abs(r) ** lowest for r in points]
    reference = [round((len(points) - 1) * (1 - float(cos(pi * i / free))) / 2) for i in range(free + 1)]
    for _ in range(300):
        # q(r_i) + (-1)^i E / weight(r_i) = f(r_i)
        system = matrix(free + 1, free + 1)
        right = matrix(free + 1, 1)
        for row, i in enumerate(reference):
            for j in range(free):
                system[row, j] = points[i] ** j
            system[row, free] = (-1) ** row / weights[i]
            right[row] = wanted[i]
        solution = lu_solve(system, right)
        errors = [(f - evaluate(solution[:free], r)) * w for f, r, w in zip(wanted, points, weights)]
        worst = max(range(len(points)), key=lambda i: abs(errors[i]))
        if abs(errors[worst]) < abs(solution[free]) * (1 + mpf("1e-3")):
            return list(given) + list(solution[:free])
        signs = [(solution[free] > 0) == (row % 2 == 0) for row in range(free + 1)]
        reference = exchange(reference, signs, worst, errors[worst] > 0)
    raise ArithmeticError("the exchange does not end")


def round_to(value, form):
    return mpf(struct.unpack(form, struct.pack(form, value))[0])


def derive(degree, form, high):
    points = grid(high - LN2, high, 240)
    coefficients = []
    while len(coefficients) <= degree:
        coefficients.append(round_to(minimax(degree, points, coefficients)[len(coefficients)], form))
    return coefficients


def main():
    checked = open(sys.argv[2]).read() if sys.argv[1:2] == ["--check"] else None
    # The largest r: half of ln2, or what is left of it when float64 adds 11/16 and rounds down.
    half, less = LN2 / 2, LN2 * 5 / 16
    for name, degree, form, high in (("bf16", 2, "<f", half), ("f16", 3, "<f", half), ("f32", 4, "<f", half), ("f64", 9, "<d", less)):
        coefficients = derive(degree, form, high)
        left = max(abs((evaluate(coefficients, r) - target(r)) * weight(r)) for r in grid(high - LN2, high, 2000))
        print(f"{name}: degree {degree}, relative error 2^{float(log(left, 2)):.2f}")
        words = [float(c).hex() for c in coefficients]
        print("  " + ", ".join(words))
        missing = [word for word in words if checked is not None and word not in checked]
        if missing:
            sys.exit(f"{sys.argv[2]} has not: {', '.join(missing)}")


if __name__ == "__main__":
    main()
