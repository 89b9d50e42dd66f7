"""What report.py and compare.py share: running the benchmark, and names of benchmarks."""

import json
import pathlib
import platform
import re
import subprocess
import sys
import tempfile

NAME = re.compile(
    r"(?:(?P<by>[^/]+)/)?(?P<op>copy|[a-z_]+)/(?P<type>f16|bf16|f32|f64)/(?P<target>\w+)/(?P<n>\d+)/(?P<placement>\w+)(?:/(?P<attribute>\S+))?"
)


def run(binary, *options, repetitions, min_time):
    """One process: (name -> nanoseconds of CPU time a call of each repetition, name -> cycles an element where they are counted, the context)."""
    with tempfile.NamedTemporaryFile(suffix=".json") as out:
        done = subprocess.run(
            [
                binary,
                f"--benchmark_repetitions={repetitions}",
                "--benchmark_enable_random_interleaving=true",
                f"--benchmark_min_time={min_time}",
                f"--benchmark_out={out.name}",
                "--benchmark_out_format=json",
                *options,
            ],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,  # long, and of interest only if it fails
            text=True,
        )
        if done.returncode != 0:
            sys.exit(f"{binary} failed:\n{done.stderr}")
        text = pathlib.Path(out.name).read_text()
    if not text:
        return {}, {}, {}  # nothing of that name
    document = json.loads(text)
    times, cycles = {}, {}
    for row in document["benchmarks"]:
        if row["run_type"] == "iteration" and "error_occurred" not in row:
            times.setdefault(row["run_name"], []).append(row["cpu_time"])  # of the thread: others may be running
            if "cycles" in row:
                cycles[row["run_name"]] = min(cycles.get(row["run_name"], float("inf")), row["cycles"])
    return times, cycles, document["context"]


def cpu():
    """Its name and its best instructions: a virtual machine may hide the model."""
    text = pathlib.Path("/proc/cpuinfo").read_text()

    def field(name):
        found = re.search(rf"^{name}\s*: (.*)$", text, re.MULTILINE)
        return found[1] if found else "?"

    if not re.search(r"^model name", text, re.MULTILINE):
        return platform.machine()
    return f"{field('model name')} (family {field('cpu family')}, model {field('model')})"
