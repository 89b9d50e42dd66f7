#!/usr/bin/env python3
"""Compares this working tree's speed with another revision's: ratios of times, new by old, with confidence intervals.

    make bench-compare BASE=origin/main [FILTER='^elu/f32'] [PROCESSES=10]

The other revision's library is built in a worktree of its own under build/, with this tree's benchmark, so that both are measured by the same
code. Their processes run in turns, each pair in random order. A process counts with the least time of its repetitions. The ratio is the
median over all pairs of a new and an old process, with the 99 % interval of the Mann-Whitney test: below 1 the new one is faster, and if 1
is inside nothing is shown. Of many benchmarks a few differ by chance: the last line tells how many to expect.
"""

import argparse
import itertools
import math
import pathlib
import random
import re
import shutil
import statistics
import subprocess
import sys

import measure

ROOT = pathlib.Path(__file__).resolve().parents[1]
CONFIDENCE = 0.99


def rank(n, m, confidence=CONFIDENCE):
    """Which of the n * m sorted ratios, counted from 0, begins the interval; None if so few have none.

    The Mann-Whitney test: of all orders of n + m samples of one distribution, those with at most `rank` pairs the wrong way round are as
    rare as the confidence wants.
    """
    orders = {}  # (i, j) -> how many orders of i new and j old ones have 0, 1, 2, ... pairs the wrong way round
    for i, j in itertools.product(range(n + 1), range(m + 1)):
        if i == 0 or j == 0:
            orders[i, j] = [1]
            continue
        new_is_last, old_is_last = [0] * j + orders[i - 1, j], orders[i, j - 1]
        orders[i, j] = [a + b for a, b in itertools.zip_longest(new_is_last, old_is_last, fillvalue=0)]
    allowed = (1 - confidence) / 2 * math.comb(n + m, n)
    rare = sum(1 for total in itertools.accumulate(orders[n, m]) if total <= allowed)
    return rare - 1 if rare else None


def interval(new, old, confidence=CONFIDENCE):
    """(ratio, lowest, highest): the median of all pairs' ratios, and their Hodges-Lehmann interval. No distribution is assumed."""
    ratios = sorted(a / b for a in new for b in old)
    first = rank(len(new), len(old), confidence)
    low, high = (0, math.inf) if first is None else (ratios[first], ratios[-1 - first])
    return statistics.median(ratios), low, high


def verdict(low, high):
    return "faster" if high < 1 else "slower" if low > 1 else ""


def rows_of(new, old):
    """Name -> (old time, new time, ratio, lowest, highest) of the benchmarks that both have; slowest first."""
    rows = {}
    for name in new:
        if name in old:
            rows[name] = (statistics.median(old[name]), statistics.median(new[name]), *interval(new[name], old[name]))
    return dict(sorted(rows.items(), key=lambda item: -item[1][2]))


def run(*command, **more):
    return subprocess.run([str(part) for part in command], check=True, **more)


def checkout(revision):
    """A worktree of the revision with this tree's benchmarks."""
    tree = ROOT / "build/compare" / re.sub(r"\W+", "_", revision) / "tree"
    found = subprocess.run(["git", "-C", ROOT, "rev-parse", "--verify", "--quiet", f"{revision}^{{commit}}"], capture_output=True, text=True)
    if found.returncode != 0:
        sys.exit(f"no such revision: {revision!r}; write make bench-compare BASE=<revision>")
    if tree.exists():
        run("git", "-C", ROOT, "worktree", "remove", "--force", tree)
    run("git", "-C", ROOT, "worktree", "add", "--quiet", "--force", "--detach", tree, found.stdout.strip())
    shutil.rmtree(tree / "benchmarks")
    shutil.copytree(ROOT / "benchmarks", tree / "benchmarks", ignore=shutil.ignore_patterns("__pycache__"))
    return tree


def build(source, folder):
    halide = next(ROOT.glob(".venv/lib/python3*/site-packages/halide"))
    switches = {
        "CMAKE_BUILD_TYPE": "Release", "CMAKE_MAKE_PROGRAM": ROOT / ".venv/bin/ninja", "ACTINIDE_HALIDE_ROOT": halide, "ACTINIDE_CUDA": "OFF",
        "ACTINIDE_BUILD_BENCHMARKS": "ON", "ACTINIDE_BUILD_TESTS": "OFF", "ACTINIDE_BUILD_TOOLS": "ON", "ACTINIDE_BENCHMARK_PEERS": "OFF",
    }
    cmake = ROOT / ".venv/bin/cmake"
    run(cmake, "-S", source, "-B", folder, "-G", "Ninja", *(f"-D{name}={value}" for name, value in switches.items()), stdout=subprocess.DEVNULL)
    run(cmake, "--build", folder, "--target", "actinide_benchmark", stdout=subprocess.DEVNULL)
    return folder / "benchmarks/actinide_benchmark"


def sample(binaries, options):
    """For each binary: name -> the least time of each process."""
    samples = [{} for _ in binaries]
    for process in range(options.processes):
        print(f"processes {process + 1} of {options.processes} ...", file=sys.stderr, flush=True)
        for index in random.sample(range(len(binaries)), len(binaries)):
            some = (f"--sizes={options.sizes}", f"--benchmark_filter={options.filter}")
            times, _, _ = measure.run(binaries[index], *some, repetitions=options.repetitions, min_time=0.002)
            for name, repeated in times.items():
                samples[index].setdefault(name, []).append(min(repeated))
    return samples


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("base")
    parser.add_argument("--filter", default="^[^/:]*/(f16|bf16|f32|f64)/", help="names of benchmarks; the library's functions if not given")
    parser.add_argument("--sizes", default="1-1048576")
    parser.add_argument("--processes", type=int, default=10)
    parser.add_argument("--repetitions", type=int, default=3)
    options = parser.parse_args()
    if rank(options.processes, options.processes) is None:
        parser.error(f"{options.processes} processes are too few for a 99 % interval")

    tree = checkout(options.base)
    try:
        old_binary = build(tree, tree.parent / "build")
        new_binary = build(ROOT, ROOT / "build/compare/this")
        new, old = sample((new_binary, old_binary), options)
    finally:
        run("git", "-C", ROOT, "worktree", "remove", "--force", tree)
    rows = rows_of(new, old)
    if not rows:
        sys.exit(f"no benchmark of both is named {options.filter!r}")
    print(f"\n{measure.cpu()}: this tree by {options.base}, {options.processes} processes of each in turns\n")
    print("| | old ns | new ns | new by old | 99 % interval | |\n|---|---|---|---|---|---|")
    for name, (before, after, ratio, low, high) in rows.items():
        print(f"| {name} | {before:.4g} | {after:.4g} | {ratio:.3f} | {low:.3f} to {high:.3f} | {verdict(low, high)} |")
    found = [verdict(low, high) for *_, low, high in rows.values()]
    mean = statistics.geometric_mean(row[2] for row in rows.values())
    print(f"\n{len(rows)} benchmarks, geometric mean {mean:.3f}: {found.count('faster')} faster, {found.count('slower')} slower; "
          f"by chance about {len(rows) * (1 - CONFIDENCE):.0f} would seem so.")


if __name__ == "__main__":
    main()
