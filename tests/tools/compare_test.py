#!/usr/bin/env python3
"""The statistics behind make bench-compare, on data of which the answer is known."""

import json
import pathlib
import random
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "benchmarks"), str(ROOT / "tests/support")]

import compare
import measure
from script_test import need


def critical_values():
    """Published tables of the Mann-Whitney test, two-sided 1 %."""
    for n, m, wanted in ((5, 5, 0), (6, 6, 2), (8, 8, 7), (10, 10, 16), (8, 13, 17), (20, 20, 105), (4, 4, None)):
        need(compare.rank(n, m) == wanted, f"rank({n}, {m}) is {compare.rank(n, m)}, not {wanted}")


def by_hand():
    ratio, low, high = compare.interval([2, 4, 8, 16, 32], [1, 1, 1, 1, 1])
    need((ratio, low, high) == (8, 2, 32), f"got {(ratio, low, high)}")
    need(compare.interval([1], [2])[1:] == (0, float("inf")), "one process is no evidence")
    need([compare.verdict(*ends) for ends in ((0.8, 0.9), (1.1, 1.2), (0.9, 1.1))] == ["faster", "slower", ""], "verdicts")
    rows = compare.rows_of({"a": [1] * 5, "b": [3] * 5, "new": [1]}, {"a": [1] * 5, "b": [2] * 5, "old": [1]})
    need(list(rows.items()) == [("b", (2, 3, 1.5, 1.5, 1.5)), ("a", (1, 1, 1, 1, 1))], f"rows are {rows}")


def noise(generator, time):
    """As of a shared machine: mostly a percent, now and then twice the time."""
    return time * (1 + 0.01 * generator.expovariate(1)) * (2 if generator.random() < 0.02 else 1)


def share(verdict, ratio):
    generator = random.Random(1)
    trials = 1000
    found = 0
    for _ in range(trials):
        new, old = ([noise(generator, time) for _ in range(10)] for time in (100 * ratio, 100))
        found += compare.verdict(*compare.interval(new, old)[1:]) == verdict
    return found / trials


def errors():
    wrong = share("faster", 1) + share("slower", 1)
    need(wrong <= 0.02, f"{wrong:.1%} of equal ones seem to differ")
    need(share("slower", 1.05) >= 0.9, "5 % slower is not seen")
    need(share("faster", 0.95) >= 0.9, "5 % faster is not seen")


def runs():
    """What is read of a benchmark's output."""
    rows = [
        {"run_type": "iteration", "run_name": "elu/f32/avx2/16/0/alpha=1", "cpu_time": 3.0, "cycles": 2.0},
        {"run_type": "iteration", "run_name": "elu/f32/avx2/16/0/alpha=1", "cpu_time": 2.0, "cycles": 1.0},
        {"run_type": "aggregate", "run_name": "elu/f32/avx2/16/0/alpha=1", "cpu_time": 1.0},
        {"run_type": "iteration", "run_name": "broken", "cpu_time": 1.0, "error_occurred": True},
    ]
    with tempfile.TemporaryDirectory() as folder:
        program = pathlib.Path(folder, "benchmark")
        program.write_text(
            f"#!{sys.executable}\nimport json, sys\n"
            "out = next(a for a in sys.argv if a.startswith('--benchmark_out=')).split('=')[1]\n"
            f"open(out, 'w').write({json.dumps(json.dumps({'benchmarks': rows, 'context': {}}))})\n"
        )
        program.chmod(0o755)
        found = measure.run(program, repetitions=2, min_time=0.1)
    need(found == ({rows[0]["run_name"]: [3.0, 2.0]}, {rows[0]["run_name"]: 1.0}, {}), f"read: {found}")
    names = {
        "thresholded_relu/f16/avx512/4096/64/alpha=1.7": (None, "thresholded_relu", "f16", "avx512", "4096", "64", "alpha=1.7"),
        "peer:copy_nt/copy/bf16/sse41/1/0/alpha=1": ("peer:copy_nt", "copy", "bf16", "sse41", "1", "0", "alpha=1"),
        "kernel/relu/f64/avx2/65/in_place": ("kernel", "relu", "f64", "avx2", "65", "in_place", None),
    }
    for name, parts in names.items():
        need(measure.NAME.fullmatch(name).groups() == parts, f"{name} is read as {measure.NAME.fullmatch(name).groups()}")


def main():
    for check in (critical_values, by_hand, errors, runs):
        check()


if __name__ == "__main__":
    main()
