#!/usr/bin/env python3
"""Writes the tables of docs/accuracy.md, between its markers, from what accuracy_exhaustive and accuracy_peers printed.

    .venv/bin/python benchmarks/accuracy/report.py --exhaustive FILE --peers FILE --peers-csv FILE

Each option is optional; a table whose data are not given stays as it is. Incomplete or failed runs are refused.
"""

import argparse
import csv
import math
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests/support"))
from notation import hexadecimal, value_of  # noqa: E402

DOCUMENT = ROOT / "docs/accuracy.md"
LIMITS = ROOT / "tests/accuracy/limits.def"
TYPES = ("f16", "bf16", "f32", "f64")
LINE = re.compile(
    r"(?P<op>\w+) +(?P<type>f16|bf16|f32|f64) +(?P<target>\w+) +(?P<alpha>\S+) +(?P<alphas>\d+) +(?P<inputs>\d+) +(?P<rest>.*)"
)
ERRORS = re.compile(
    r"(?P<worst>[\d.]+) +(?P<x>\S+) +0x(?P<y>[0-9a-f]+) +(?P<exact>\S+) +(?P<subnormal>[\d.]+) +"
    r"(?P<breaks>\d+) +(?P<wrong>\d+) \((?P<normal>\d+)\)(?P<notes>.*)"
)
NEAR = -1 / 64  # below it, e^x - 1 loses few digits


def class_of(alpha):
    if not re.match(r"-?[\d.]", alpha):
        return alpha  # a class already
    if float(alpha) == 1:
        return "1"
    return "+-2^k" if abs(math.frexp(float(alpha))[0]) == 0.5 else "others"


def short(number):
    """Of 2^20 and more: a power of two, or three digits."""
    if number < 1 << 20:
        return str(number)
    if number == 1 << (int(number).bit_length() - 1):
        return f"2^{int(number).bit_length() - 1}"
    return re.sub(r"e\+0*", "e", f"{number:.2e}")


def exhaustive(path):
    """(operator, type, class of alpha) -> target -> the worst line with the counts of all; and the alphas and inputs of exact functions."""
    text = path.read_text()
    if "all within limits.def" not in text or "1 of 1 shards" not in text:
        sys.exit(f"{path} is not the output of a complete run without complaints")
    classes, exact = {}, {}
    for line in map(LINE.fullmatch, text.splitlines()):
        if not line:
            continue
        found = line.groupdict()
        if found["rest"] == "exact":
            counted = exact.setdefault((found["op"], found["type"]), {}).setdefault(found["target"], [0, 0])
            counted[0] += int(found["alphas"])
            counted[1] += int(found["inputs"])
            continue
        errors = ERRORS.fullmatch(found["rest"])
        if not errors:
            sys.exit(f"{path}: what is {line[0]!r}?")
        row = {**found, **errors.groupdict()}
        named = re.search(r"worst at alpha ([^\s;]+)", row["notes"])
        row["at_alpha"] = named[1] if named else row["alpha"]
        for name in ("alphas", "inputs", "breaks", "wrong", "normal"):
            row[name] = int(row[name])
        targets = classes.setdefault((row["op"], row["type"], class_of(row["alpha"])), {})
        known = targets.get(row["target"])
        if known is None:
            targets[row["target"]] = row
            continue
        worse = row if float(row["worst"]) > float(known["worst"]) else known
        sums = {name: known[name] + row[name] for name in ("alphas", "inputs", "breaks", "wrong", "normal")}
        targets[row["target"]] = {**worse, **sums, "subnormal": max(known["subnormal"], row["subnormal"], key=float)}

    return classes, exact


def exhaustive_table(classes, exact):
    lines = [
        "| operator | type | targets | alpha | alphas | inputs of each | worst ULP | at x, alpha | returned | exact "
        "| subnormal results, ULP | monotonicity breaks | wrong roundings (of normal results) |",
        "|---|---|---|---|---|---|---|---|---|---|---|---|---|",
    ]
    for (op, type_name, alpha), targets in classes.items():
        rows = {}
        for target, row in targets.items():
            place = f"{hexadecimal(float.fromhex(row['x']))}, {row['at_alpha']}"
            returned = hexadecimal(value_of(type_name, int(row["y"], 16)))
            rounded = type_name in ("f16", "bf16")
            loose = not rounded and alpha != "1"
            cells = (alpha, row["alphas"], short(row["inputs"] // row["alphas"]), row["worst"], place, returned, row["exact"],
                     row["subnormal"] if loose else "", row["breaks"], f"{row['wrong']} ({row['normal']})" if rounded else "")
            rows.setdefault(cells, []).append(target)
        for cells, names in rows.items():
            lines.append("| " + " | ".join(map(str, (op, type_name, " ".join(names), *cells))) + " |")
    for (op, type_name), targets in exact.items():
        for counted in sorted({tuple(c) for c in targets.values()}):
            names = " ".join(name for name, c in targets.items() if tuple(c) == counted)
            alphas, inputs = counted
            lines.append(f"| {op} | {type_name} | {names} | all | {alphas} | {short(inputs // alphas)} | 0 | | | | | | |")
    return "\n".join(lines) + "\n"


# What was aimed at: type, classes of alpha, targets, what is counted, goal.
ANY = ("1", "+-2^k", "others")
GOALS = (
    ("f16", ("1", "+-2^k"), "all", "wrong roundings of normal results", 0),
    ("f16", ("others",), "all", "wrong roundings of normal results", 0),
    ("bf16", ("1", "+-2^k"), "all", "wrong roundings of normal results", 0),
    ("bf16", ("others",), "all", "wrong roundings of normal results", 0),
    ("f32", ("1",), "fma", "ULP", 1.0),
    ("f32", ("1",), "no_fma", "ULP", 1.1),
    ("f32", ANY, "fma", "ULP", 1.5),
    ("f32", ANY, "no_fma", "ULP", 1.5),
    ("f32", ("1",), "all", "monotonicity breaks", 0),
    ("f64", ("1", "+-2^k"), "all", "ULP", 1.0),
    ("f64", ANY, "all", "ULP", 2.0),
)
TARGETS = {"all": ("no_fma", "fma"), "fma": ("fma",), "no_fma": ("no_fma",)}
NAMES = {"all": "all", "fma": "with FMA", "no_fma": "without FMA"}
COLUMNS = {"wrong roundings of normal results": "normal", "ULP": "worst", "monotonicity breaks": "breaks"}


def searched(type_name, arithmetic, alphas):
    """The worst in limits.def, some of which a search beyond the usual alphas found."""
    rows = re.findall(r"^LIMIT\(elu, (\w+), (\w+), (\w+), [^,]+, ([^,]+),", LIMITS.read_text(), re.MULTILINE)
    classes = {"one": ("1",), "any": ANY}
    return [float(worst) for t, a, c, worst in rows if t == type_name and a in arithmetic and set(classes[c]) <= set(alphas)]


def goals_table(classes):
    lines = ["| Elu | alpha | targets | goal | reached | met |", "|---|---|---|---|---|---|"]
    for type_name, alphas, targets, what, goal in GOALS:
        arithmetic = TARGETS[targets]
        found = [
            float(row[COLUMNS[what]])
            for alpha in alphas
            for target, row in classes[("elu", type_name, alpha)].items()
            if ("no_fma" if target == "sse41" else "fma") in arithmetic
        ]
        if what == "ULP":
            found += searched(type_name, arithmetic, alphas)
        reached, form = max(found), "{:.6f}" if what == "ULP" else "{:.0f}"
        alpha = "any" if alphas == ANY else ", ".join(alphas)
        met = "yes" if reached <= goal else "**no**"
        lines.append(f"| {type_name} | {alpha} | {NAMES[targets]} | {goal} {what} | {form.format(reached)} | {met} |")
    return "\n".join(lines) + "\n"


def peers(path, bins):
    text = path.read_text()
    if "\ncomplete\n" not in text:
        sys.exit(f"{path} is not the output of a complete run")
    far = {}
    if bins:
        for row in csv.DictReader(bins.open()):
            if float(row["x_near"]) <= NEAR:
                key = (row["target"], row["type"])
                far[key] = max(far.get(key, 0.0), float(row["ulp"]))
    rows = [re.split(r"  +", line.strip()) for line in text.splitlines()]
    lines = [
        "| by | type | inputs x < 0 | worst ULP | at x | returned | exact | worst for -20 < x < -1/64 | monotonicity breaks |",
        "|---|---|---|---|---|---|---|---|---|",
    ]
    for row in rows:
        if len(row) != 9 or row[1] not in TYPES:
            continue
        name, type_name, inputs, worst, x, returned, exact, breaks, _ = row
        if float(worst) >= 1 << 20:
            worst = short(float(worst))
        near = far.get((name, type_name))
        cells = (name, type_name, short(int(inputs)), worst, *(hexadecimal(float.fromhex(v)) for v in (x, returned)), exact,
                 "" if near is None else f"{near:.6f}", breaks)
        lines.append("| " + " | ".join(cells) + " |")
    missing = [line[0] for line in rows if line[0].startswith("missing: ")]
    if missing:
        lines += ["", "Missing on this machine: " + "; ".join(line.removeprefix("missing: ") for line in missing) + "."]
    return "\n".join(lines) + "\n"


def write(marker, table):
    text = DOCUMENT.read_text()
    begin, end = f"<!-- {marker}:begin -->\n", f"<!-- {marker}:end -->"
    if begin not in text or end not in text:
        sys.exit(f"{DOCUMENT} has no markers {marker}:begin and {marker}:end")
    head, rest = text.split(begin, 1)
    DOCUMENT.write_text(head + begin + table + end + rest.split(end, 1)[1])
    print(f"{DOCUMENT.name}: {marker} written")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for option in ("--exhaustive", "--peers", "--peers-csv"):
        parser.add_argument(option, type=pathlib.Path)
    options = parser.parse_args()
    if options.exhaustive:
        classes, exact = exhaustive(options.exhaustive)
        write("exhaustive", exhaustive_table(classes, exact))
        write("goals", goals_table(classes))
    if options.peers:
        write("peers", peers(options.peers, options.peers_csv))


if __name__ == "__main__":
    main()
