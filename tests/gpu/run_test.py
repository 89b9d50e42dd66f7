"""The archive of tests for a GPU, and what its script makes of programs that pass, fail, crash, hang or skip.

run_test.py CHECK --archive FILE --work DIR --programs NAME...
"""

import argparse
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tarfile

sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "support"))
from script_test import Skip, need, status_of  # noqa: E402

GTEST = """#!/bin/sh
echo '[==========] Running 5 tests from 1 test suite.'
{middle}
echo '[==========] 5 tests from 1 test suite ran. (1 ms total)'
{end}
"""
PASSES = GTEST.format(middle="", end="echo '[  PASSED  ] 4 tests.'; echo '[  SKIPPED ] 1 test, listed below:'")
FAILS = GTEST.format(
    middle="echo 'x.cpp:1: Failure'; echo 'what is wrong'",
    end="echo '[  PASSED  ] 3 tests.'; echo '[  FAILED  ] 2 tests, listed below:'; echo '[  FAILED  ] A.B'; echo '[  FAILED  ] A.C'; exit 1",
)
CRASHES = "#!/bin/sh\necho '[==========] Running 5 tests from 1 test suite.'\nkill -SEGV $$\n"
ENDS_EARLY = "#!/bin/sh\necho '[==========] Running 5 tests from 1 test suite.'\nexit 0\n"
HANGS = "#!/bin/sh\nsleep 100\n"


class Archive:
    def __init__(self, arguments):
        self.arguments = arguments
        self.archive = pathlib.Path(arguments.archive)
        self.name = self.archive.name.removesuffix(".tar.gz")

    def unpacked(self):
        folder = pathlib.Path(self.arguments.work) / self.arguments.check
        shutil.rmtree(folder, ignore_errors=True)
        with tarfile.open(self.archive) as archive:
            archive.extractall(folder)
        return folder / self.name

    def run(self, folder, **variables):
        """Exit status, output, and the counts of the last line."""
        environment = {name: value for name, value in os.environ.items() if not name.startswith(("ACTINIDE_", "GTEST_"))} | variables
        result = subprocess.run(["/bin/sh", folder / "run.sh"], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, env=environment)
        print(result.stdout, f"exit status {result.returncode}", sep="\n", flush=True)
        match = re.search(r"^passed (\d+), failed (\d+), skipped (\d+)\n\Z", result.stdout, re.MULTILINE)
        need(match, "the last line has no result")
        return result.returncode, result.stdout, tuple(map(int, match.groups()))

    def contents(self):
        """All is there, and the programs need nothing but the C library."""
        folder = self.unpacked()
        data = [folder / "data/cases", *(folder / "data/special").glob("*.txt")]
        files = [folder / "README.txt", folder / "torch_peer.py", *(folder / "bin" / name for name in self.arguments.programs), *data]
        missing = [str(path) for path in files if not path.exists()]
        need(not missing and len(data) > 1, f"missing: {missing}")
        for path in (folder / "bin").iterdir():
            headers = subprocess.run(["readelf", "-dW", path], check=True, stdout=subprocess.PIPE, text=True).stdout
            needed = set(re.findall(r"NEEDED.*\[(\S+)\]", headers))
            known = {"libc.so.6", "libm.so.6", "libpthread.so.0", "libdl.so.2", "ld-linux-x86-64.so.2", "ld-linux-aarch64.so.1"}
            need(needed <= known, f"{path.name} needs {sorted(needed - known)}")

    def results(self):
        """What goes wrong is counted, and shows in the exit status; the rest runs all the same."""
        folder = self.unpacked()
        (folder / "torch_peer.py").write_text("import sys\nsys.exit(77)\n")
        tests = [name for name in self.arguments.programs if name.endswith("_test")]

        def write(program, text):
            (folder / "bin" / program).write_text(text)

        for name in self.arguments.programs:
            write(name, PASSES if name in tests else "#!/bin/sh\necho 'target met: it is'\n")
        status, output, right = self.run(folder)
        programs = len(re.findall(r"^=== gpu_\w+_test", output, re.MULTILINE))
        need(programs >= len(tests), "not every program was started")
        need(right == (4 * programs + 1, 0, programs + 1) and status == 0, "what passes is not counted")
        need("\ntarget met: it is\n" in output, "the benchmark's verdict is not shown")

        for text, passed, failed in ((FAILS, 3, 2), (CRASHES, 0, 1), (ENDS_EARLY, 0, 1), ("not a program\n", 0, 1)):
            write("gpu_device_test", text)
            status, output, counts = self.run(folder)
            need(status == 1 and counts == (right[0] - 4 + passed, failed, right[2] - 1), f"not counted: {text}")
            need(text is not FAILS or ("] A.C\n" in output and "what is wrong" in output), "a failure is not shown")

        write("gpu_device_test", HANGS)
        status, output, counts = self.run(folder, ACTINIDE_TIME_LIMIT="3")
        need(status == 1 and counts[1] > len(tests) and counts[0] <= 1, "the time limit does not hold")

        write("gpu_device_test", PASSES)
        write("cuda_benchmark", "#!/bin/sh\necho 'target MISSED: it is not'\nexit 1\n")
        status, output, counts = self.run(folder)
        need(status == 1 and counts == (right[0] - 1, 1, right[2]), "a missed target is not a failure")

    def here(self):
        """On a machine without a device everything is skipped, and says why; with one, everything passes."""
        folder = self.unpacked()
        status, output, (passed, failed, skipped) = self.run(folder)
        need(failed == 0, f"{failed} tests failed")
        if status == 77:
            need(skipped > 0 and re.search(r"skipped .*(libcuda|device|driver)", output), "nothing says why")
            raise Skip("there is no device")
        need(status == 0 and passed > 0, f"exit status {status}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("check", choices=("contents", "results", "here"))
    for name in ("archive", "work"):
        parser.add_argument(f"--{name}", required=True)
    parser.add_argument("--programs", nargs="+", required=True)
    arguments = parser.parse_args()
    return status_of(getattr(Archive(arguments), arguments.check))


if __name__ == "__main__":
    sys.exit(main())
