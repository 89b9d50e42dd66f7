#!/usr/bin/env python3
"""Draws docs/accuracy.png: the largest error by x, of this library by type and target, and beside it of others.

    python3 benchmarks/accuracy/plot.py --ours FILE.csv --peers FILE.csv [--out docs/accuracy.png]

The files are those of accuracy_exhaustive --csv and accuracy_peers --csv. Needs matplotlib, which requirements.txt does not have.
"""

import argparse
import collections
import csv
import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]


def read(path):
    """type -> name -> (bins' edges farther from zero, errors)."""
    curves = collections.defaultdict(lambda: collections.defaultdict(lambda: ([], [])))
    for row in csv.DictReader(path.open()):
        if row["op"] == "elu":
            x, errors = curves[row["type"]][row["target"]]
            x.append(-float(row["x_far"]))
            errors.append(float(row["ulp"]))
    return curves


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--ours", type=pathlib.Path, required=True)
    parser.add_argument("--peers", type=pathlib.Path, required=True)
    parser.add_argument("--out", type=pathlib.Path, default=ROOT / "docs/accuracy.png")
    options = parser.parse_args()
    try:
        import matplotlib
        from matplotlib import pyplot
    except ImportError:
        sys.exit("plot.py needs matplotlib: Debian's python3-matplotlib, or pip install matplotlib in an environment of your own")
    matplotlib.use("Agg")

    ours, peers = read(options.ours), read(options.peers)
    figure, panels = pyplot.subplots(2, 3, figsize=(15, 8), layout="constrained")
    places = {"f16": panels[0][0], "bf16": panels[0][1], "f32": panels[1][0], "f64": panels[1][1]}
    for type_name, panel in places.items():
        together = {}  # targets of the same errors
        for target, (x, errors) in ours[type_name].items():
            together.setdefault((tuple(x), tuple(errors)), []).append(target)
        for (x, errors), targets in together.items():
            panel.step(x, errors, where="pre", linewidth=0.9, label=", ".join(targets))
        panel.set_title(f"Elu {type_name}, alpha 1, by target")
        panel.set_ylim(0, 1.25 if type_name in ("f32", "f64") else 0.625)
    for type_name, panel in (("f32", panels[0][2]), ("f64", panels[1][2])):
        for index, (name, (x, errors)) in enumerate(peers[type_name].items()):
            if name.startswith("Actinide") and name != "Actinide avx2":
                continue
            style = {"linewidth": 0.9, "color": f"C{index % 10}"}
            if name.startswith("Actinide"):
                style = {"linewidth": 1.8, "color": "black", "zorder": 5}
            panel.step(x, errors, where="pre", label=name, **style)
        panel.set_title(f"{type_name}, alpha 1, others (logarithmic)")
        panel.set_yscale("log")
        panel.set_ylim(0.3, 3e7 if type_name == "f32" else 1e9)
    for panel in panels.flat:
        panel.set_xscale("log", base=2)
        panel.set_xlim(20, 2**-30)  # x grows to the right
        panel.set_xlabel("-x")
        panel.set_ylabel("largest error, ULP")
        panel.grid(True, linewidth=0.3)
        panel.legend(fontsize=7)
    figure.savefig(options.out, dpi=80, metadata={"Software": None}, pil_kwargs={"optimize": True})
    print(f"{options.out}: {options.out.stat().st_size} bytes")


if __name__ == "__main__":
    main()
