"""Input of the demo, and a check of its output against NumPy in float64.

    demo.py write X.npy           2^24 float32 numbers of a normal distribution, unless the file is there
    demo.py check X.npy Y.npy     is Y Elu of X, with alpha 1?
"""

import sys
from pathlib import Path

import numpy as np

COUNT = 1 << 24
LARGEST_ULP = 2  # beyond what the library promises, plus what rounding the reference adds


def write(path):
    if not path.exists():
        values = np.random.default_rng(1).standard_normal(COUNT, np.float32)
        temporary = path.with_suffix(".part.npy")
        np.save(temporary, values)
        temporary.rename(path)
        print(f"wrote {path}: {COUNT} numbers of a normal distribution\n", flush=True)


def check(x_path, y_path):
    x, y = np.load(x_path), np.load(y_path)
    if y.shape != x.shape or y.dtype != np.float32:
        raise SystemExit(f"demo: {y_path} is {y.dtype} {y.shape}, expected {x.dtype} {x.shape}")
    worst = 0.0
    for part_x, part_y in zip(np.array_split(x, 64), np.array_split(y, 64)):  # float64 of everything at once would be large
        wide = part_x.astype(np.float64)
        exact = np.where(wide < 0, np.expm1(np.minimum(wide, 0)), wide)
        unit = np.spacing(np.abs(exact).astype(np.float32))
        worst = max(worst, float(np.max(np.abs(part_y - exact) / unit)))

    print(f"{'x':>14}  {'elu(x)':>14}  {'exact':>14}")
    for value, result in zip(x[:6], y[:6]):
        exact = np.expm1(np.float64(value)) if value < 0 else value
        print(f"{value:>14.7f}  {result:>14.9f}  {exact:>14.9f}")
    print(f"\nlargest error of {x.size} elements: {worst:.3f} ULP")
    if not worst <= LARGEST_ULP:
        raise SystemExit(f"demo: that is more than {LARGEST_ULP} ULP")


def main():
    command, *paths = sys.argv[1:]
    {"write": write, "check": check}[command](*map(Path, paths))


if __name__ == "__main__":
    main()
