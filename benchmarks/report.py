#!/usr/bin/env python3
"""Runs the benchmark with interleaved repetitions, in several processes, and prints tables of minima and ratios in Markdown.

    .venv/bin/python benchmarks/report.py build/bench/benchmarks/actinide_benchmark [--processes 3] [--repetitions 5]

Of each process the fastest repetition counts. "Best" is the fastest process and placement, "worst" the slowest ones: where the operating
system puts the pages decides over the speed of some placements.
"""

import argparse
import datetime
import json
import pathlib
import platform
import subprocess
import tempfile

PLACEMENTS = (0, 16, 64, 128, 2048)


def run(binary, repetitions, pattern):
    with tempfile.NamedTemporaryFile(suffix=".json") as out:
        subprocess.run(
            [
                binary,
                f"--benchmark_filter={pattern}",
                f"--benchmark_repetitions={repetitions}",
                "--benchmark_enable_random_interleaving=true",
                "--benchmark_min_time=0.01",
                f"--benchmark_out={out.name}",
                "--benchmark_out_format=json",
            ],
            check=True,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        rows = json.loads(pathlib.Path(out.name).read_text())["benchmarks"]
    fastest = {}
    for row in rows:
        if row["run_type"] == "iteration":
            name = row["run_name"]
            fastest[name] = min(fastest.get(name, float("inf")), row["real_time"])
    return fastest


def cpu():
    for line in pathlib.Path("/proc/cpuinfo").read_text().splitlines():
        if line.startswith("model name"):
            return line.split(":")[1].strip()
    return platform.machine()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("binary")
    parser.add_argument("--processes", type=int, default=3)
    parser.add_argument("--repetitions", type=int, default=5)
    parser.add_argument("--filter", default=".*")
    options = parser.parse_args()

    times = {}  # name -> one number a process, in nanoseconds
    for i in range(options.processes):
        print(f"process {i + 1} of {options.processes} ...", flush=True)
        for name, time in run(options.binary, options.repetitions, options.filter).items():
            times.setdefault(name, []).append(time)
    names = sorted({name.rsplit("/", 2)[0] for name in times if not name.startswith(("kernel/", "arithmetic/", "copy/", "memcpy/"))})

    def worst(name, n, placements=PLACEMENTS):
        found = [max(times[f"{name}/{n}/{p}"]) for p in placements if f"{name}/{n}/{p}" in times]
        return max(found) if found else None

    def best(name, n, placements=PLACEMENTS):
        found = [min(times[f"{name}/{n}/{p}"]) for p in placements if f"{name}/{n}/{p}" in times]
        return min(found) if found else None

    def cell(value, form="{:.3f}"):
        return form.format(value) if value is not None else ""

    print(f"\n{cpu()}, {datetime.date.today()}, {options.processes} processes, {options.repetitions} repetitions\n")
    print("| | 4096 elements, ns an element: best | worst placement | 2^20, ns an element | n = 1, ns a call | n = 16 | n = 65 |")
    print("|---|---|---|---|---|---|---|")
    for name in names + sorted(n for n in {t.rsplit("/", 2)[0] for t in times} if n.startswith(("arithmetic/", "copy/", "memcpy/"))):
        in_cache, in_cache_worst, large = best(name, 4096), worst(name, 4096), best(name, 1 << 20)
        print(
            f"| {name} | {cell(in_cache / 4096 if in_cache else None)} | {cell(in_cache_worst / 4096 if in_cache_worst else None)} "
            f"| {cell(large / (1 << 20) if large else None)} | {cell(best(name, 1), '{:.1f}')} | {cell(best(name, 16), '{:.1f}')} "
            f"| {cell(best(name, 65), '{:.1f}')} |"
        )

    print("\nThe call against the bare kernel, ns more: " + ", ".join(
        f"{name} {best(name, 1) - best('kernel/' + name, 1):.1f} (n = 1), {best(name, 16) - best('kernel/' + name, 16):.1f} (n = 16)"
        for name in names if best("kernel/" + name, 1) is not None))
    for target in ("avx2", "avx512"):
        ours, bound = f"elu/f32/{target}", f"arithmetic/f32/{target}"
        if best(ours, 4096) is None or best(bound, 4096) is None:
            continue
        ratios = [
            (min(times[f"{ours}/4096/{p}"]) / min(times[f"{bound}/4096/{p}"]), max(times[f"{ours}/4096/{p}"]) / max(times[f"{bound}/4096/{p}"]), p)
            for p in PLACEMENTS
        ]
        print(f"\n{ours} at 4096 against 9 multiplications and 3 additions a vector, time ratio by placement (best, worst process): "
              + ", ".join(f"{p}: {a:.2f}, {b:.2f}" for a, b, p in ratios))


if __name__ == "__main__":
    main()
