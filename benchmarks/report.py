#!/usr/bin/env python3
"""Measures this library beside its peers and writes docs/benchmarks/README.md.

    make bench
    .venv/bin/python benchmarks/report.py build/bench [--filter REGEX] [--processes N] [--python FILE] [--out FOLDER]
    .venv/bin/python benchmarks/report.py build/bench --again      the document from the last measurement

All benchmarks run in several processes, with their repetitions interleaved. Times are the least of a process's repetitions. Ratios are
taken within a process and at one placement of y relative to x; the worst of all processes and placements is given beside the median.
"""

import argparse
import datetime
import json
import pathlib
import re
import statistics
import subprocess
import sys
import time

import measure
import sizes

ROOT = pathlib.Path(__file__).resolve().parents[1]
TYPES = ("f16", "bf16", "f32", "f64")
PLACEMENTS = ("0", "16", "64", "128", "2048")
IN_CACHE = 4096
# Pass: numbers of elements, are all targets measured, processes, repetitions, seconds of each.
PASSES = (("1-1048576", True, 6, 5, 0.001), ("4194304-67108864", False, 3, 2, 0.02))


def measure_all(build, options):
    binary = build / "benchmarks/actinide_benchmark"
    times, cycles, context, passes = {}, {}, {}, []
    names = names_of(binary, options.filter)
    best = next(measure.NAME.fullmatch(name)["target"] for name in reversed(names))
    for elements, is_for_all, processes, repetitions, seconds in PASSES:
        processes = options.processes or processes
        start = time.time()
        for process in range(processes):
            print(f"{elements} elements: process {process + 1} of {processes} ...", flush=True)
            some = [f"--sizes={elements}", f"--benchmark_filter={options.filter}"] + ([] if is_for_all else [f"--targets={best}"])
            found, counted, described = measure.run(binary, *some, repetitions=repetitions, min_time=seconds)
            for name, repeated in found.items():
                times.setdefault(name, []).append(repeated)
            for name, value in counted.items():
                cycles[name] = min(cycles.get(name, float("inf")), value)
            context.update(described)
        passes.append({"elements": elements, "processes": processes, "repetitions": repetitions, "seconds": round(time.time() - start)})
    return {
        "cpu": measure.cpu(),
        "date": str(datetime.date.today()),
        "best": best,
        "passes": passes,
        "peers": {key.removeprefix("peer:"): value for key, value in context.items() if key.startswith("peer:")},
        "missing": {key.removeprefix("missing: "): value for key, value in context.items() if key.startswith("missing: ")},
        "caches": [f"L{c['level']} {c['size'] // 1024} KiB" for c in context.get("caches", []) if c["type"] != "Instruction"],
        "times": {name: times[name] for name in names if name in times},
        "cycles": cycles,
        "sizes": sizes.collect(build),
    }


def names_of(binary, pattern):
    """All benchmarks, in the order of the list, targets last that demand most."""
    command = [binary, "--benchmark_list_tests", f"--benchmark_filter={pattern}"]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout.split()


def python_peers(build, python, *arguments):
    """What python_peers.py measures, with the Python that has the packages; None if it failed."""
    script = pathlib.Path(__file__).with_name("python_peers.py")
    command = [python, "-B", script, build / "benchmarks/libactinide_for_python.so", *arguments]
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True)
    return json.loads(done.stdout) if done.returncode == 0 and done.stdout else None


class Results:
    def __init__(self, data):
        self.data, self.times = data, data["times"]
        rows = [measure.NAME.fullmatch(name) for name in self.times]
        self.rows = [row.groupdict() for row in rows if row]
        self.kinds = list(dict.fromkeys((r["op"], r["type"], r["target"]) for r in self.rows if r["by"] is None))
        self.values = {}  # operator -> its attribute's values, the default first
        for row in self.rows:
            if row["by"] is None:
                self.values.setdefault(row["op"], {})[row["attribute"]] = None

    def name(self, by, op, kind, target, n, placement="0", attribute=None):
        attribute = attribute or next(iter(self.values.get("elu" if op == "copy" else op, {})), None)
        return "/".join(str(part) for part in (by, op, kind, target, n, placement, attribute) if part is not None)

    def least(self, *where, **more):
        """Nanoseconds a call, None if it was not measured."""
        found = self.times.get(self.name(*where, **more))
        return min(map(min, found)) if found else None

    def median(self, *where, **more):
        found = self.times.get(self.name(*where, **more))
        return statistics.median(t for process in found for t in process) if found else None

    def worst(self, by, op, kind, target, n):
        """Over placements and processes."""
        found = [self.times.get(self.name(by, op, kind, target, n, placement)) for placement in PLACEMENTS]
        return max((min(process) for times in found if times for process in times), default=None)

    def cycles(self, *where):
        return self.data["cycles"].get(self.name(*where))

    def peers(self, op, kind, target):
        return list(dict.fromkeys(r["by"] for r in self.rows if (r["op"], r["type"], r["target"]) == (op, kind, target) and (r["by"] or "").startswith("peer:")))

    def ratios(self, peer, op, kind, target, n, placements=PLACEMENTS, attribute=None):
        """The peer's time by ours: one number for every process and placement."""
        found = []
        for placement in placements:
            names = (self.name(by, op, kind, target, n, placement, attribute) for by in (peer, None))
            theirs, ours = (self.times.get(name, []) for name in names)
            found += [min(a) / min(b) for a, b in zip(theirs, ours)]
        return found

    def best_peer(self, op, kind, target, n, **more):
        """(name, ratios) of the peer against which this library does worst."""
        all_ratios = {peer: self.ratios(peer, op, kind, target, n, **more) for peer in self.peers(op, kind, target)}
        known = {peer: found for peer, found in all_ratios.items() if found}
        return min(known.items(), key=lambda item: statistics.median(item[1]), default=(None, []))


def cell(value, form="{:.3f}"):
    return "" if value is None else form.format(value)


def per(time, n):
    return None if time is None else time / n


def by(a, b):
    return None if a is None or b is None else a / b


def short(peer):
    return (peer or "").removeprefix("peer:")


def table(head, rows):
    rows = [row for row in rows if row]
    return "\n".join(["| " + " | ".join(line) + " |" for line in (head, ["---"] * len(head), *rows)]) + "\n" if rows else "Not measured.\n"


def number(n):
    return f"2^{n.bit_length() - 1}" if n > 1 << 12 and n & (n - 1) == 0 else str(n)


def in_cache_table(results):
    """4096 elements: the call by itself, against copies and against the best peer."""
    has_cycles = bool(results.data["cycles"])
    head = ["", "alpha", "ns an element", "median", "worst placement", *(["cycles an element"] if has_cycles else []), "share of copy's speed",
            "best peer", "its ns", "ratio", "worst ratio"]
    rows = []
    for op, kind, target in results.kinds:
        for attribute in results.values[op]:
            where = (None, op, kind, target, IN_CACHE)
            ours = results.least(*where, attribute=attribute)
            if ours is None:
                continue
            is_default = attribute == next(iter(results.values[op]))
            placements = PLACEMENTS if is_default else PLACEMENTS[:1]
            peer, ratios = results.best_peer(op, kind, target, IN_CACHE, placements=placements, attribute=attribute)
            copy = results.least("peer:copy", "copy", kind, target, IN_CACHE)
            rows.append([
                f"{op} {kind} {target}", (attribute or "").partition("=")[2], cell(per(ours, IN_CACHE)),
                cell(per(results.median(*where, attribute=attribute), IN_CACHE)),
                cell(per(results.worst(*where), IN_CACHE)) if is_default else "",
                *([cell(results.cycles(*where), "{:.2f}")] if has_cycles else []),
                cell(by(copy, ours), "{:.0%}"), short(peer),
                cell(per(results.least(peer, op, kind, target, IN_CACHE, attribute=attribute), IN_CACHE)) if peer else "",
                cell(statistics.median(ratios) if ratios else None, "{:.2f}"), cell(min(ratios, default=None), "{:.2f}"),
            ])
    return table(head, rows)


def peers_table(results, op):
    """Every peer at 4096 elements."""
    columns = [(kind, target) for o, kind, target in results.kinds if o == op]
    names = dict.fromkeys(p for kind, target in columns for p in results.peers(op, kind, target))
    rows = [["**this library**", *(cell(per(results.least(None, op, *c, IN_CACHE), IN_CACHE)) for c in columns)]]
    for peer in names:
        cells = []
        for kind, target in columns:
            found = results.ratios(peer, op, kind, target, IN_CACHE)
            time = results.least(peer, op, kind, target, IN_CACHE)
            cells.append(f"{time / IN_CACHE:.3f} ({statistics.median(found):.2f})" if found and time else "")
        if any(cells):
            rows.append([results.data["peers"].get(short(peer), short(peer)), *cells])
    return table(["", *(f"{kind} {target}" for kind, target in columns)], rows)


def sizes_table(results, op, kind):
    """Sizes, on the best target."""
    target = results.data["best"]
    rows = []
    for n in sorted({int(r["n"]) for r in results.rows}):
        ours = results.least(None, op, kind, target, n)
        if ours is None:
            continue
        placements = PLACEMENTS[:1]
        peer, ratios = results.best_peer(op, kind, target, n, placements=placements)
        copies = [results.least(f"peer:{copy}", "copy", kind, target, n) for copy in ("copy", "copy_nt", "memcpy")]
        in_place = results.least(None, op, kind, target, n, "in_place")
        size = {"f16": 2, "bf16": 2, "f32": 4, "f64": 8}[kind]
        rows.append([
            number(n), cell(ours, "{:.1f}"), cell(ours / n), cell(2 * size * n / ours, "{:.1f}"),
            *(cell(by(copy, ours), "{:.0%}") for copy in copies), cell(per(in_place, n)),
            short(peer), cell(statistics.median(ratios) if ratios else None, "{:.2f}"), cell(min(ratios, default=None), "{:.2f}"),
        ])
    return table(["n", "ns a call", "ns an element", "GB/s", "share of copy's speed", "of non-temporal copy's", "of memcpy's", "in place, ns an element",
                  "best peer", "ratio", "worst ratio"], rows)


def small_table(results):
    counts = (1, 4, 16, 64, 65)
    rows = []
    for op, kind, target in results.kinds:
        cells = []
        for n in counts:
            ours = results.least(None, op, kind, target, n)
            peer, ratios = results.best_peer(op, kind, target, n, placements=("0",))
            theirs = results.least(peer, op, kind, target, n) if peer else None
            kernel = results.least("kernel", op, kind, target, n)
            cells.append("" if ours is None else f"{ours:.1f}; kernel {cell(kernel, '{:.1f}')}; {short(peer)} {cell(theirs, '{:.1f}')}")
        rows.append([f"{op} {kind} {target}", *cells] if any(cells) else None)
    return table(["", *(f"n = {n}" for n in counts)], rows)


def placement_table(results):
    rows = []
    for op, kind, target in results.kinds:
        cells = []
        for placement in PLACEMENTS:
            ours = results.least(None, op, kind, target, IN_CACHE, placement)
            peer, ratios = results.best_peer(op, kind, target, IN_CACHE, placements=(placement,))
            cells.append("" if ours is None else f"{ours / IN_CACHE:.3f}" + (f" ({statistics.median(ratios):.2f}, {min(ratios):.2f} {short(peer)})" if ratios else ""))
        rows.append([f"{op} {kind} {target}", *cells] if any(cells) else None)
    return table(["", *PLACEMENTS], rows)


def arithmetic_table(results):
    rows = []
    for target in dict.fromkeys(target for _, _, target in results.kinds):
        ratios = [by(results.least(None, "elu", "f32", target, IN_CACHE, p), results.least("arithmetic", "elu", "f32", target, IN_CACHE, p)) for p in PLACEMENTS]
        if any(ratios):
            rows.append([target, *(cell(r, "{:.2f}") for r in ratios)])
    return table(["", *PLACEMENTS], rows)


def goals_table(results):
    """What was aimed at, and what was reached on each target; the worst ratio counts. Bold: not met."""
    targets = list(dict.fromkeys(target for _, _, target in results.kinds))

    def against_peers(op, kind, n, attribute=None, peer=None):
        def worst(target):
            where = (op, kind, target, n)
            found = results.ratios(peer, *where, attribute=attribute) if peer else results.best_peer(*where, attribute=attribute)[1]
            return min(found, default=None)
        return worst

    def by_float32(kind):
        return lambda target: by(results.least(None, "elu", "f32", target, IN_CACHE), results.least(None, "elu", kind, target, IN_CACHE))

    def share_of_copy(kind):
        return lambda target: by(results.least("peer:copy", "copy", kind, target, IN_CACHE), results.least(None, "thresholded_relu", kind, target, IN_CACHE))

    rows = []

    def row(what, goal, reached):
        found = [reached(target) for target in targets]
        rows.append([what, f"{goal:.2f}", *(cell(v, "{:.2f}" if v is not None and round(v, 2) >= goal else "**{:.2f}**") for v in found)])

    for kind, goal in (("f32", 1.1), ("f64", 1.5), ("f16", 1), ("bf16", 1)):
        for alpha in results.values.get("elu", {}):
            row(f"elu {kind}, {alpha.replace('=', ' ')}, n = {IN_CACHE}: by the fastest peer's", goal, against_peers("elu", kind, IN_CACHE, alpha))
    row(f"elu f64, n = {IN_CACHE}: by SLEEF's", 4, against_peers("elu", "f64", IN_CACHE, peer="peer:sleef"))
    for kind in ("f16", "bf16"):
        row(f"elu {kind}, n = {IN_CACHE}: by f32's", 1, by_float32(kind))
    for kind in TYPES:
        row(f"thresholded_relu {kind}, n = {IN_CACHE}: by a copy's", 0.95, share_of_copy(kind))
    for n in (1, 16, 64):
        row(f"elu f32, n = {n}: by the fastest peer's", 1 / 1.1, against_peers("elu", "f32", n))
    for n in (1, 16, 64):
        row(f"thresholded_relu f32, n = {n}: by the fastest peer's", 1 / 1.5, against_peers("thresholded_relu", "f32", n))
    return table(["", "goal", *targets], rows)


def readme_tables(results):
    """What README.md shows of it."""
    names = {"elu": "Elu", "thresholded_relu": "ThresholdedRelu"}
    rows = {}
    of_rows = ((op, attribute, kind, target) for op, kind, target in results.kinds for attribute in results.values[op])
    for op, attribute, kind, target in sorted(of_rows, key=lambda row: row[:2]):
        label = f"{names.get(op, op)}, {(attribute or '').replace('=', ' ')}, {target}"
        rows.setdefault(label, {})[kind] = cell(per(results.least(None, op, kind, target, IN_CACHE, attribute=attribute), IN_CACHE))
    memcpy = {kind: cell(per(results.least("peer:memcpy", "copy", kind, results.data["best"], IN_CACHE), IN_CACHE)) for kind in TYPES}
    cells = [[label, *(found.get(kind, "") for kind in TYPES)] for label, found in {**rows, "memcpy": memcpy}.items()]
    small = [[f"{names.get(op, op)} {kind}, {target}", *(cell(results.least(None, op, kind, target, n), "{:.1f}") for n in (1, 16, 65))]
             for op, kind, target in results.kinds if kind == "f32"]
    return ("Nanoseconds an element, 4096 elements in cache:\n\n" + table(["", *TYPES], cells) + "\nNanoseconds a call, of small tensors:\n\n"
            + table(["", "n = 1", "n = 16", "n = 65"], small))


def python_table(data):
    rows = []
    for row in data.get("times", []):
        ours = row["seconds"].get("Actinide")
        for peer, seconds in row["seconds"].items():
            if peer != "Actinide" and ours:
                rows.append([f"{row['op']} {row['type']}", number(row["n"]), peer, f"{seconds * 1e6:.2f}", f"{ours * 1e6:.2f}", f"{seconds / ours:.2f}"])
    return table(["", "n", "package", "its µs a call", "ours", "ratio"], rows)


def threads_table(rows):
    """Of each package: µs with one thread and two, and how much faster that is; and the last of them by ours with two."""
    if not rows:
        return "Not measured here.\n"
    packages = list(rows[0]["seconds"])
    cells = []
    for row in rows:
        ours = row["seconds"]["Actinide"][1]
        line = [f"{row['op']} f32", number(row["n"])]
        for package in packages:
            one, two = row["seconds"][package]
            line += [f"{one * 1e6:.1f}, {two * 1e6:.1f}", f"{one / two:.2f}"]
            if package != "Actinide":
                line.append(f"{two / ours:.2f}")
        cells.append(line)
    heads = [h for p in packages for h in ([p, "gain"] if p == "Actinide" else [p, "gain", "ratio of two threads"])]
    return table(["", "n", *heads], cells)


def sizes_of_code(data):
    kernels, library = data["kernels"], data["library"]
    targets = list(dict.fromkeys(k["target"] for k in kernels))
    rows = []
    for op, kind in dict.fromkeys((k["op"], k["type"]) for k in sorted(kernels, key=lambda k: (k["op"], TYPES.index(k["type"])))):
        cells = [f"{op} {kind}"]
        for target in targets:
            for k in kernels:
                if (k["op"], k["type"], k["target"]) == (op, kind, target):
                    cells.append(f"{k['code']} + {k['constants']}; {cell(k['seconds'], '{:.1f}')} s")
        rows.append(cells)
    seconds = sum(k["seconds"] or 0 for k in kernels)
    return (table(["", *targets], rows) + f"\nThe library: {library['code']} bytes of code, {library['constants']} of constants (the archive has "
            f"{library['file']}); {seconds:.0f} s of generators' time in all.\n")


def document(data):
    results = Results(data)
    spent = "; ".join(f"{p['elements'].replace('-', ' to ')} elements: {p['processes']} processes x {p['repetitions']} repetitions" for p in data["passes"])
    python = data.get("python", {})
    missing = {**data["missing"], **python.get("missing", {})}
    ops = list(dict.fromkeys(op for op, _, _ in results.kinds))
    parts = [
        "# Benchmarks\n",
        f"Written by `make bench` (`{data['command']}`) on {data['date']}: {data['cpu']}, {', '.join(data['caches'])}, one thread. {spent}; "
        "all interleaved. A time is CPU time, the least of all, unless it says otherwise. A ratio is a peer's time by ours in one process at one "
        "placement: above 1 this library is faster; \"ratio\" is the median, \"worst ratio\" the least of them.\n",
        "Peers are compiled for, or limited to, the same instruction set. Missing here: "
        + ("; ".join(f"{name} ({why})" for name, why in missing.items()) or "none") + ". "
        "oneDNN and XNNPACK have no ThresholdedRelu: oneDNN's relu has no threshold but zero. oneDNN has no f16 on the CPU and bf16 with AVX-512 only. XNNPACK's microkernel is called through its "
        "operator's own task, because Debian's library does not export it.\n"
        + ("" if data["cycles"] else "Cycles are not given: this system does not let a program count them.\n"),
        "## In short\n", readme_tables(results),
        "## Goals, and those that are not met\n", "How many times as fast; the least of all placements and processes. Bold where it is below the goal.\n", goals_table(results),
        f"## In cache: {IN_CACHE} elements\n", in_cache_table(results),
    ]
    for op in ops:
        parts += [f"### Peers of {op}\n", "Nanoseconds an element (ratio).\n", peers_table(results, op)]
    parts += [
        "### Placement\n", "Nanoseconds an element by y - x modulo 4096 (ratio and worst ratio against the best peer there).\n", placement_table(results),
        "### Elu against its arithmetic\n",
        "The time of elu f32 by that of a loop of the 9 multiplications and 3 additions a vector that it cannot do without, by placement.\n",
        arithmetic_table(results),
        "## Small tensors\n", "Nanoseconds a call; of the bare kernel; of the fastest peer.\n", small_table(results),
        "## By size\n", f"On {data['best']}.\n",
    ]
    parts += [f"![{title}]({file})\n" for file, title in data.get("plots", {}).items()]
    for op in ops:
        for kind in TYPES:
            parts += [f"### {op} {kind}\n", sizes_table(results, op, kind)]
    parts += [
        "## Beside Python packages\n",
        "One thread; this library is called through ctypes, ONNX Runtime with bound tensors, the others as a user calls them: for short tensors "
        "that is what is measured, and for long ones that JAX and PyTorch allocate their results. NumPy has no bf16.\n",
        python_table(python),
        "## Two threads\n",
        "Microseconds a call with one thread and with two, called from Python as above: this library on OpenMP's, which takes the second one "
        "only where a call is long enough (`min_task_ns`); ONNX Runtime with two intra-op threads.\n",
        threads_table(data.get("threads", [])),
        "## Size and build time\n", "Bytes of code + constants of a kernel; seconds of its generator, two running at a time.\n", sizes_of_code(data["sizes"]),
    ]
    return "\n".join(parts)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("--filter", default=".", help="names of benchmarks, see benchmarks/benchmark.cpp")
    parser.add_argument("--processes", type=int)
    parser.add_argument("--python", default=sys.executable, help="Python that has the packages to compare with")
    parser.add_argument("--again", action="store_true", help="measure nothing")
    parser.add_argument("--out", type=pathlib.Path, default=ROOT / "docs/benchmarks")
    options = parser.parse_args()

    record = options.build / "benchmarks.json"
    if options.again:
        data = json.loads(record.read_text())
    else:
        data = measure_all(options.build, options)
        failed = {"missing": {f"peers of {options.python}": "it failed"}, "times": []}
        data["python"] = python_peers(options.build, options.python) or failed
        data["threads"] = python_peers(options.build, options.python, "2") or []
        data["command"] = "benchmarks/report.py " + " ".join(re.sub(r"^/.*/", "", a) for a in sys.argv[1:])
        record.write_text(json.dumps(data))
    data["plots"] = {"elu.png": "Elu: time an element by size", "thresholded_relu.png": "ThresholdedRelu: time an element by size",
                     "roofline.png": "Bytes a second by size, beside copies"}
    options.out.mkdir(parents=True, exist_ok=True)
    (options.out / "README.md").write_text(document(data))
    print(f"{options.out}/README.md written")


if __name__ == "__main__":
    main()
