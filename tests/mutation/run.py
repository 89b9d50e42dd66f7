"""Breaks the sources in one place after another, and shows that a test notices: the rows of mutants.py.

run.py [--only REGEX] [--jobs N] [--list] [--work FOLDER]

Works on a copy of the checkout, with what is not committed yet, in build/mutate/ or another folder. Exit status 0 if tests noticed every mutant, 1 if one
survived or could not be made.
"""

import argparse
import hashlib
import os
import pathlib
import re
import resource
import shutil
import subprocess
import sys
import time
from typing import NamedTuple

sys.dont_write_bytecode = True
import mutants  # noqa: E402  (the line above is for it)

HERE = pathlib.Path(__file__).parent
ROOT = HERE.parent.parent
TOOLS = ROOT / ".venv/bin"

# A sweep's inputs are the same each time, so that a mutant is noticed each time or never.
ENVIRONMENT = dict(os.environ, ACTINIDE_TEST_SEED="1", ACTINIDE_TEST_STRIDE="256")
TEST_SECONDS = 120


class Failed(Exception):
    """What keeps a run from telling anything."""


def run(*command):
    """The status and all output of a command."""
    done = subprocess.run([str(word) for word in command], cwd=ROOT, env=ENVIRONMENT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    return done.returncode, done.stdout


def must_run(what, *command):
    status, output = run(*command)
    if status != 0:
        raise Failed(f"{what}:\n" + "\n".join(output.splitlines()[-30:]))


def copy_sources(source):
    """Only what differs is written: the rest need not be built again."""
    listed = subprocess.run(["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"], cwd=ROOT, check=True, capture_output=True)
    names = {name for name in listed.stdout.decode().split("\0") if name and (ROOT / name).is_file()}
    for old in source.rglob("*"):
        if old.is_file() and str(old.relative_to(source)) not in names:
            old.unlink()
    for name in names:
        content, copy = (ROOT / name).read_bytes(), source / name
        if copy.is_file() and copy.read_bytes() == content:
            continue
        copy.parent.mkdir(parents=True, exist_ok=True)
        copy.write_bytes(content)
        shutil.copymode(ROOT / name, copy)


class Row(NamedTuple):
    mutant: mutants.Mutant
    verdict: str
    detail: str
    seconds: float
    cpu: float


def cpu_seconds():
    """What the commands so far took of the processors: the same on a busy machine."""
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


class Build:
    """A build folder of the copy."""

    def __init__(self, name, work, jobs):
        self.name, self.work, self.jobs = name, work, jobs
        self.folder, self.source = work / name, work / "source"

    def configure(self):
        halide = next((ROOT / ".venv/lib").glob("python3*/site-packages/halide"))
        common = [
            "-G", "Ninja", "-DCMAKE_BUILD_TYPE=Release", f"-DCMAKE_MAKE_PROGRAM={TOOLS / 'ninja'}", f"-DACTINIDE_HALIDE_ROOT={halide}",
            f"-DACTINIDE_PYTHON={TOOLS / 'python'}"]  # fmt: skip
        quick = f"-DCMAKE_PROJECT_INCLUDE={HERE / 'quick_generators.cmake'}"
        options = [quick]
        toolchain = mutants.TOOLCHAINS.get(self.name)
        if toolchain:
            # The generators of cross builds are of a build of their own. It finds its folder configured already.
            host = self.work / "host"
            off = [f"-DACTINIDE_{what}=OFF" for what in ("CUDA", "BUILD_TOOLS", "BUILD_TESTS")]
            must_run("host: CMake", TOOLS / "cmake", "-S", self.source, "-B", host, *common, *off, quick)
            options = [f"-DCMAKE_TOOLCHAIN_FILE={self.source / 'cmake/toolchains' / toolchain}.cmake", f"-DACTINIDE_HOST_BUILD={host}"]
        must_run(f"{self.name}: CMake", TOOLS / "cmake", "-S", self.source, "-B", self.folder, *common, *options, *mutants.BUILDS[self.name])

    def build(self, targets):
        if targets:
            must_run(f"{self.name} does not build", TOOLS / "cmake", "--build", self.folder, f"-j{self.jobs}", "--target", *targets)

    def run_tests(self, tests, *options):
        """Names of tests that fail, and of those that pass."""
        pattern = "^(" + "|".join(tests) + ")"
        status, output = run(
            TOOLS / "ctest", "--test-dir", self.folder, "-R", pattern, f"-j{self.jobs}", "--timeout", TEST_SECONDS, "--no-tests=error", *options)  # fmt: skip
        failed = re.findall(r"Test +#\d+: (\S+) [^*\n]*\*\*\*(?:Failed|Exception|Timeout)", output)
        passed = re.findall(r"Test +#\d+: (\S+) \.+ +Passed", output)
        if (status != 0) != bool(failed) or not (failed or passed):
            raise Failed(f"ctest -R '{pattern}':\n" + "\n".join(output.splitlines()[-20:]))
        return failed, passed

    def must_pass(self, tests):
        """Without a mutant all of them pass: else a failure would say nothing."""
        failed, passed = self.run_tests(tests)
        if failed:
            raise Failed(f"{self.name}: without any mutant these fail: {' '.join(failed)}")
        empty = [test for test in tests if not any(re.match(test, name) for name in passed)]
        if empty:
            raise Failed(f"{self.name}: no test begins like {' '.join(empty)}, or it was skipped")

    def kernels(self):
        """A digest of the machine code."""
        digests = {}
        for path in sorted((self.folder / "kernels").glob("*.*")):
            if path.suffix in (".o", ".ptx"):
                digests[path.name] = hashlib.sha256(path.read_bytes()).hexdigest()
        return digests


def programs_of(tests):
    """The targets that these tests need."""
    targets = set()
    for test in tests:
        found = [programs for prefix, programs in mutants.PROGRAMS.items() if test.startswith(prefix)]
        if not found:
            raise Failed(f"mutants.py does not say which program has the tests {test}")
        targets.update(found[0])
    return sorted(targets)


def try_mutant(mutant, build, kernels):
    """The test that notices it, or None and why none does."""
    path = build.source / mutant.file
    original = path.read_text()
    count = original.count(mutant.old)
    if count != 1:
        raise Failed(f"{mutant.file} has the text to replace {count} times, not once: {mutant.old!r}")
    path.write_text(original.replace(mutant.old, mutant.new))
    try:
        build.build(programs_of(mutant.tests))
        killers, _ = build.run_tests(mutant.tests, "--stop-on-failure")
        if killers:
            return killers[0], ""
        same = mutant.file.startswith("generators/") and build.kernels() == kernels
        return None, "the kernels are the same to the byte" if same else "no test notices"
    finally:
        path.write_text(original)


def select(only):
    chosen = [m for m in mutants.MUTANTS if re.search(only, m.name)]
    if not chosen:
        sys.exit(f"no mutant is called {only}")
    return chosen


def missing_tools(name):
    return [tool for tool in mutants.NEEDS.get(name, ()) if shutil.which(tool) is None]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", default="", metavar="REGEX", help="mutants with such a name")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--work", type=lambda path: pathlib.Path(path).resolve(), default=ROOT / "build/mutate")
    parser.add_argument("--list", action="store_true", help="print the table and end")
    arguments = parser.parse_args()
    chosen = select(arguments.only)
    if arguments.list:
        for m in chosen:
            print(f"{m.name}: {m.file}\n  - {m.old}\n  + {m.new}\n  {m.why}\n  {' '.join(m.tests)}")
        return 0

    begin = time.monotonic()
    copy_sources(arguments.work / "source")
    rows = []
    for name in mutants.BUILDS:
        of_build = [m for m in chosen if m.build == name]
        if not of_build:
            continue
        missing = missing_tools(name)
        if missing:
            rows += [Row(m, "not run", "needs " + " ".join(missing), 0, 0) for m in of_build]
            continue
        build = Build(name, arguments.work, arguments.jobs)
        start = time.monotonic()
        tests = sorted({test for m in of_build for test in m.tests})
        build.configure()
        build.build(programs_of(tests))
        build.must_pass(tests)
        kernels = build.kernels()
        print(f"{name}: built, and {len(tests)} selections pass without a mutant, {time.monotonic() - start:.0f} s", flush=True)
        for m in of_build:
            start, cpu_start = time.monotonic(), cpu_seconds()
            try:
                killer, why = try_mutant(m, build, kernels)
                verdict, detail = ("killed", killer) if killer else ("SURVIVED", why)
            except Failed as error:
                verdict, detail = "ERROR", str(error)
            row = Row(m, verdict, detail, time.monotonic() - start, cpu_seconds() - cpu_start)
            rows.append(row)
            print(f"{row.verdict:8} {row.seconds:4.0f} s  {m.name}: {detail}", flush=True)

    print(f"\n{'mutant':36} {'':8} {'s':>4} {'CPU':>4}  by")
    for row in rows:
        print(f"{row.mutant.name:36} {row.verdict:8} {row.seconds:4.0f} {row.cpu:4.0f}  {row.detail.splitlines()[0]}")
    count = {verdict: sum(row.verdict == verdict for row in rows) for verdict in ("killed", "SURVIVED", "ERROR", "not run")}
    print(", ".join(f"{n} {verdict}" for verdict, n in count.items()) + f" of {len(rows)} mutants")
    print(f"{time.monotonic() - begin:.0f} s, {cpu_seconds():.0f} s of the processors")
    return 1 if count["SURVIVED"] or count["ERROR"] else 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except Failed as error:
        sys.exit(f"mutate: {error}")
