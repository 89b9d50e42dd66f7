"""Tests of accuracy_exhaustive: exhaustive_test.py (sample|seed|spoiled|refusals|csv) --program FILE [--emulator=COMMAND] --work FOLDER

What it finds is spoiled on purpose, one result at a time, and it must say so.
"""

import argparse
import csv
import pathlib
import re
import shlex
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
from script_test import need, status_of

# Option --spoil for elu and thresholded_relu, and what must be said. Values from exact arithmetic, alpha 1.
SPOILED = (
    ("elu f32", "0xbf800000=0xbf21d2a5", "ULP at x 0xbf800000: the limit is"),  # 1 - 1/e is 0x3f21d2a7, to 0.2 ULP
    ("elu f32", "0xbf800000=0x3f21d2a7", "results have the wrong sign"),
    ("elu f32", "0xc2000000=0xbf800001", "results are NaN or beyond -alpha"),
    ("elu f32", "0xbf800000=0xffc00000", "results are NaN or beyond -alpha"),
    ("elu f32", "0x3f800000=0x3f800001", "exact results are others"),
    ("elu f32", "0x80000000=0x00000000", "exact results are others"),
    ("elu f16", "0xbc00=0xb90e", "results are wrongly rounded"),  # 0xb90f is right
    ("elu f16", "0xbc00=0xb90e", "ULP at x 0xbc00: the limit is"),
    ("elu bf16", "0xbf80=0xbf21", "results are wrongly rounded"),  # 0xbf22 is right
    ("elu f64", "0xbff0000000000000=0xbfe43a54e4e98860", "ULP at x 0xbff0000000000000: the limit is"),  # ...8864 is right
    ("elu f64", "0xbff0000000000000=0x3fe43a54e4e98864", "results have the wrong sign"),
    ("thresholded_relu f32", "0x3f800000=0x3f800000", "exact results are others"),
    ("thresholded_relu f32", "0x3f800001=0x00000000", "exact results are others"),
    ("thresholded_relu bf16", "0x7fc0=0x7fc0", "exact results are others"),
    ("thresholded_relu f64", "0x3ff0000000000000=0x8000000000000000", "exact results are others"),
)
# e^-16 - 1 is -1 and 1.89 units: a result of -1 and 1 unit is within the limit, but the next one's is 2 units.
BREAK = "0xc1800000=0xbf7fffff"


class Program:
    def __init__(self, arguments):
        self.command = [*shlex.split(arguments.emulator), arguments.program]

    def run(self, *options, status):
        done = subprocess.run([*self.command, *options], capture_output=True, text=True, check=False)
        need(done.returncode == status, f"{' '.join(options)}: status {done.returncode}, not {status}\n{done.stdout}{done.stderr}")
        return done.stdout + done.stderr


def of_function(name):
    op, element_type = name.split()
    return ["--op", op, "--type", element_type, "--alpha", "1"]


def test_sample(program, _):
    """A small part of everything is within the limits."""
    text = program.run("--shards", "16384", status=0)
    need("all within limits.def" in text, text)
    for name in ("elu", "thresholded_relu"):
        for element_type in ("f16", "bf16", "f32", "f64"):
            need(re.search(rf"^{name} +{element_type} ", text, re.MULTILINE), f"no line of {name} {element_type}:\n{text}")


def breaks(text):
    """How many breaks of monotonicity the lines of the table count."""
    return [int(match) for match in re.findall(r" (\d+) +\d+ \(\d+\)", text)]


def table(text):
    return [line for line in text.splitlines() if re.match(r"(elu|thresholded_relu) +f32 ", line)]


def test_seed(program, _):
    """The same seed gives the same inputs, whatever the threads; another gives others."""
    options = ["--op", "elu", "--type", "f32", "--alpha", "1", "--shards", "16384"]
    first, again, other = (table(program.run(*options, "--seed", seed, status=0)) for seed in ("1", "1", "2"))
    need(first == again, f"{first} and then {again}")
    need(first != other, f"seeds 1 and 2 give {first}")


def test_spoiled(program, _):
    for name, spoiled, said in SPOILED:
        # The neighbourhoods of 0, of 1 and of powers of two are in every shard.
        text = program.run(*of_function(name), "--shards", "16384", "--spoil", spoiled, status=1)
        need(said in text, f"{name}, {spoiled}: not said: {said}\n{text}")
    options = [*of_function("elu f32"), "--shards", "16384", "--seed", "1"]
    before, after = breaks(program.run(*options, status=0)), breaks(program.run(*options, "--spoil", BREAK, status=0))
    need(before and all(b < a for b, a in zip(before, after)), f"{before} breaks of monotonicity, and {after} after one more was made")


def test_refusals(program, _):
    for options in (["--type"], ["--type", "f8"], ["--shards", "0"], ["--alpha", "x"], ["--spoil", "1"], ["--what", "1"],
                    ["--target", "z80"], ["--type", "f32", "--op", "elu", "--alpha", "nan"], ["--csv", "/nowhere/x.csv"]):
        program.run(*options, status=2)


def test_csv(program, work):
    path = work / "errors.csv"
    program.run("--op", "elu", "--shards", "16384", "--alpha", "1", "--csv", str(path), status=0)
    rows = list(csv.DictReader(path.open()))
    for element_type in ("f16", "bf16", "f32", "f64"):
        errors = [float(row["ulp"]) for row in rows if row["type"] == element_type]
        need(len(errors) > 300, f"{element_type}: {len(errors)} bins")
        need(0.49 < max(errors) < 1.5, f"{element_type}: {max(errors)} ULP")
    need(all(float(row["x_far"]) < float(row["x_near"]) <= 0 for row in rows), "bins are no intervals")


TESTS = {"sample": test_sample, "seed": test_seed, "spoiled": test_spoiled, "refusals": test_refusals, "csv": test_csv}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("test", choices=TESTS)
    parser.add_argument("--program", required=True)
    parser.add_argument("--emulator", default="")
    parser.add_argument("--work", type=pathlib.Path, required=True)
    arguments = parser.parse_args()
    arguments.work.mkdir(parents=True, exist_ok=True)
    return status_of(lambda: TESTS[arguments.test](Program(arguments), arguments.work))


if __name__ == "__main__":
    sys.exit(main())
