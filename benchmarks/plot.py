#!/usr/bin/env python3
"""Draws the measurement of report.py: time an element by size of each operator, and a roofline beside copies.

    python3 benchmarks/plot.py build/bench/benchmarks.json [--out docs/benchmarks]

Needs matplotlib (Debian's python3-matplotlib), which requirements.txt does not have.
"""

import argparse
import json
import pathlib
import sys

import measure

ROOT = pathlib.Path(__file__).resolve().parents[1]
BYTES = {"f16": 2, "bf16": 2, "f32": 4, "f64": 8}


def curves(data):
    """(op, type) -> by -> [(n, least time)], on the best target, with the default attribute, y at a page."""
    found, first = {}, {}
    for name, processes in data["times"].items():
        row = measure.NAME.fullmatch(name)
        if not row or row["target"] != data["best"] or row["placement"] != "0" or row["by"] in ("kernel", "arithmetic"):
            continue
        if first.setdefault(row["op"], row["attribute"]) != row["attribute"]:
            continue
        least = min(min(process) for process in processes)
        found.setdefault((row["op"], row["type"]), {}).setdefault(row["by"], []).append((int(row["n"]), least))
    return {key: {by: sorted(points) for by, points in lines.items()} for key, lines in found.items()}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("record", type=pathlib.Path)
    parser.add_argument("--out", type=pathlib.Path, default=ROOT / "docs/benchmarks")
    options = parser.parse_args()
    try:
        import matplotlib

        matplotlib.use("Agg")
        from matplotlib import pyplot
    except ImportError:
        sys.exit("plot.py needs matplotlib: Debian's python3-matplotlib, or pip install matplotlib in an environment of your own")

    data = json.loads(options.record.read_text())
    lines = curves(data)
    names = sorted({by for found in lines.values() for by in found if by})
    colours = {by: f"C{i % 10}" for i, by in enumerate(names)}
    dashes = {by: ("-", "--", ":")[i // 10] for i, by in enumerate(names)}

    def draw(panel, found, value):
        for by, points in found.items():
            style = {"linewidth": 2.2, "color": "black", "zorder": 5}
            if by:
                style = {"linewidth": 1, "color": colours[by], "linestyle": dashes[by]}
            panel.plot([n for n, _ in points], [value(n, time) for n, time in points], label=(by or "Actinide").removeprefix("peer:"), **style)

    def save(figure, panels, name):
        for panel in panels.flat:
            if panel.lines:  # else a logarithmic scale has nothing to go by
                panel.set_xscale("log", base=2)
                panel.set_yscale("log")
                panel.legend(fontsize=7)
            panel.grid(True, linewidth=0.3)
        figure.savefig(options.out / name, dpi=80, metadata={"Software": None}, pil_kwargs={"optimize": True})
        print(f"{options.out / name}: {(options.out / name).stat().st_size} bytes")

    operators = [op for op in dict.fromkeys(op for op, _ in lines) if op != "copy"]
    for op in operators:
        figure, panels = pyplot.subplots(2, 2, figsize=(15, 10), layout="constrained")
        for panel, kind in zip(panels.flat, BYTES):
            draw(panel, lines.get((op, kind), {}), lambda n, time: time / n)
            panel.set(title=f"{op} {kind}, {data['best']}", xlabel="elements", ylabel="ns an element")
        save(figure, panels, f"{op}.png")

    figure, panels = pyplot.subplots(2, 2, figsize=(15, 10), layout="constrained")
    for panel, kind in zip(panels.flat, BYTES):
        draw(panel, lines.get(("copy", kind), {}), lambda n, time: 2 * BYTES[kind] * n / time)
        for op, colour in zip(operators, ("black", "crimson", "darkgreen", "indigo")):
            points = lines.get((op, kind), {}).get(None)
            if points:
                panel.plot([n for n, _ in points], [2 * BYTES[kind] * n / time for n, time in points], linewidth=2.2, color=colour, label=op)
        panel.set(title=f"{kind}, {data['best']}", xlabel="elements", ylabel="GB/s, read and written")
    save(figure, panels, "roofline.png")


if __name__ == "__main__":
    main()
