#!/usr/bin/env python3
"""PyTorch on the sizes of cuda_benchmark, eager and compiled: GB/s as Markdown. Exit status 77 without PyTorch or a device.

    python3 torch_peer.py [--largest 28]
"""

import argparse
import datetime
import statistics
import sys

REPETITIONS = 31
BATCH_SECONDS = 300e-6


def elu(x):
    import torch

    return torch.nn.functional.elu(x)


def thresholded_relu(x):
    import torch

    return torch.nn.functional.threshold(x, 1.0, 0.0)


def measure(torch, functions):
    """Median and fastest time of each function in seconds, in turns, by events around batches."""
    begin, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)

    def time(function, calls):
        begin.record()
        for _ in range(calls):
            function()
        end.record()
        end.synchronize()
        return begin.elapsed_time(end) / 1000 / calls

    calls = []
    for function in functions:
        time(function, 3)
        calls.append(int(min(max(BATCH_SECONDS / max(time(function, 5), 1e-8), 1), 300)))
    times = [[] for _ in functions]
    for _ in range(REPETITIONS):
        for i, function in enumerate(functions):
            times[i].append(time(function, calls[i]))
    return [(statistics.median(t), min(t)) for t in times]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--largest", type=int, default=28, help="log2 of the largest size")
    arguments = parser.parse_args()
    try:
        import torch
    except ImportError as error:
        print(f"skipped: PyTorch cannot be imported: {error}")
        return 77
    if not torch.cuda.is_available():
        print(f"skipped: PyTorch {torch.__version__} finds no device")
        return 77

    print(f"{torch.cuda.get_device_name(0)}, PyTorch {torch.__version__}, {datetime.date.today()}, `{' '.join(sys.argv)}`")
    print(f"\nGB/s of PyTorch, medians of {REPETITIONS} (of the fastest):\n")
    print("| | elements | copy_ | eager | compiled |")
    print("|---|---|---|---|---|")
    for operator in (elu, thresholded_relu):
        compiled = torch.compile(operator, dynamic=False)
        for dtype in (torch.float16, torch.bfloat16, torch.float32, torch.float64):
            name = f"{operator.__name__} {str(dtype).removeprefix('torch.')}"
            # Compiling takes seconds a size: the ends of the range.
            for log2 in (20, arguments.largest):
                n = 1 << log2
                size = n * torch.empty((), dtype=dtype).element_size()
                if 3 * size + (1 << 29) > torch.cuda.mem_get_info()[0]:
                    print(f"| {name} | 2^{log2} | not enough memory |")
                    continue
                x = (2 * torch.randn(n, device="cuda", dtype=torch.float32)).to(dtype)
                y = torch.empty_like(x)
                functions = [lambda: y.copy_(x), lambda: operator(x)]
                try:
                    compiled(x)
                    functions.append(lambda: compiled(x))
                except Exception as error:  # noqa: BLE001: no compiler on the machine, say
                    print(f"(not compiled: {type(error).__name__}: {str(error).splitlines()[0][:120]})", file=sys.stderr)
                with torch.no_grad():
                    results = measure(torch, functions)
                cells = [f"{2 * size / median / 1e9:.0f} ({2 * size / best / 1e9:.0f})" for median, best in results]
                print(f"| {name} | 2^{log2} | " + " | ".join(cells + ["-"] * (3 - len(cells))) + " |", flush=True)
                del x, y, functions
                torch.cuda.empty_cache()
    return 0


if __name__ == "__main__":
    sys.exit(main())
