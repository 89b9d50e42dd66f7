"""The tests for a board, run where there is nothing else: a root folder with a shell and an emulator.

board_test.py CHECK --archive FILE --work DIR [--programs NAME...] [--emulator WORDS] [--filter PATTERN]
"""

import argparse
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys
import tarfile

sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "support"))
from script_test import Skip, choice_of_target, need, status_of  # noqa: E402

# Every program, and tests that are quick in emulation.
QUICK = "*Conformance*:Memory.*:State.*:Api.*:Environment.*:Process.*:SpecialValues.Alone/thresholded_relu_*:"
QUICK += "Consistency.*/thresholded_relu_*:Accuracy.*/thresholded_relu_f16_*"
TIME = 946684800  # of every file: 2000-01-01


def need_program(*names):
    for name in names:
        path = shutil.which(name, path=f"{os.environ['PATH']}:/usr/sbin:/sbin")
        if path is not None:
            return pathlib.Path(path)
    raise Skip(f"{' or '.join(names)} is not installed")


class EmptyMachine:
    """A folder that becomes the root folder of those who run in it."""

    def __init__(self, root, emulator):
        shutil.rmtree(root, ignore_errors=True)
        (root / "bin").mkdir(parents=True)
        (root / "tmp").mkdir()
        self.root = root
        self.environment = {"PATH": "/bin"}
        shell = need_program("busybox", "dash")
        self.add(shell, "bin/sh")
        self.add(shell if shell.name == "busybox" else need_program("uname"), "bin/uname")
        if not emulator:
            raise Skip("the build has no emulator")
        words = shlex.split(emulator)
        # Options as -L are about dynamic programs.
        self.add(need_program(f"{words[0]}-static", words[0]), "bin/emulator")
        self.environment["ACTINIDE_TEST_EMULATOR"] = "/bin/emulator"
        self.environment |= choice_of_target()
        self.enter = [str(need_program("chroot")), str(root)]
        if os.geteuid() != 0:
            self.enter = [str(need_program("unshare")), "--user", "--map-root-user", *self.enter]
        probe = subprocess.run([*self.enter, "/bin/sh", "-c", "exit 0"], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        if probe.returncode != 0:
            raise Skip(f"this user may not change the root folder: {probe.stdout.strip()}")

    def add(self, program, name):
        """A copy of a program of the build machine, with the libraries that it needs."""
        shutil.copy(program, self.root / name)
        libraries = subprocess.run(["ldd", program], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True).stdout
        for path in re.findall(r"(/\S+) \(0x", libraries):
            target = self.root / path[1:]
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(path, target)

    def run(self, *words):
        """Exit status and output."""
        command = [*self.enter, *map(str, words)]
        result = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, env=self.environment, cwd="/")
        print("+", shlex.join(command), result.stdout.rstrip(), f"exit status {result.returncode}", sep="\n", flush=True)
        return result.returncode, result.stdout


def counts(output):
    """Passed, failed, skipped."""
    match = re.search(r"^passed (\d+), failed (\d+), skipped (\d+)\n\Z", output, re.MULTILINE)
    need(match, "the last line has no result")
    return tuple(map(int, match.groups()))


class Board:
    def __init__(self, arguments):
        self.arguments = arguments
        self.archive = pathlib.Path(arguments.archive)
        self.name = self.archive.name.removesuffix(".tar.gz")

    def unpacked(self):
        machine = EmptyMachine(pathlib.Path(self.arguments.work) / self.arguments.check, self.arguments.emulator)
        with tarfile.open(self.archive) as archive:
            archive.extractall(machine.root)
        return machine, machine.root / self.name

    def contents(self):
        """One folder, in an order and with times and owners that do not depend on who packs it; programs that need no other file."""
        need(self.archive.read_bytes()[3:8] == bytes([0]) + TIME.to_bytes(4, "little"), "gzip's header has a name or another time")
        with tarfile.open(self.archive) as archive:
            members = archive.getmembers()
            names = [member.name for member in members]
            need(names == sorted(names), "the names are not sorted")
            need(all(n == self.name or n.startswith(f"{self.name}/") for n in names), "something lies outside the one folder")
            owners_and_times = {(m.uid, m.gid, m.uname, m.gname, m.mtime) for m in members}
            need(owners_and_times == {(0, 0, "", "", TIME)}, f"owners and times are not fixed: {owners_and_times}")
            need(not any(n.endswith(".stamp") for n in names), "files of the build are packed")
            for member in members:
                is_program = member.name.startswith(f"{self.name}/bin/") or member.name.endswith(".sh")
                need(member.mode == (0o755 if member.isdir() or is_program else 0o644), f"{member.name} has mode {member.mode:o}")
                if member.isfile() and member.name.startswith(f"{self.name}/bin/"):
                    program = pathlib.Path(self.arguments.work) / "program"
                    program.parent.mkdir(parents=True, exist_ok=True)
                    program.write_bytes(archive.extractfile(member).read())
                    headers = subprocess.run(["readelf", "-lSW", program], check=True, stdout=subprocess.PIPE, text=True).stdout
                    need("INTERP" not in headers, f"{member.name} is not static")
                    need(".symtab" not in headers and ".debug_" not in headers, f"{member.name} is not stripped")
        wanted = {"README.txt", "run.sh", *(f"bin/{program}" for program in self.arguments.programs)}
        missing = [name for name in sorted(wanted) if f"{self.name}/{name}" not in names]
        need(not missing, f"missing: {missing}")

    def empty_machine(self):
        """Quick tests of every program."""
        machine, folder = self.unpacked()
        programs = sorted(path.name for path in (folder / "bin").glob("*_test"))
        status, output = machine.run(f"/{self.name}/run.sh", f"--gtest_filter={self.arguments.filter}")
        need(re.search(r"^machine: Linux .+\n.*active target: \w+ \(.+\)$", output, re.MULTILINE), "the machine is not shown")
        passed, failed, _ = counts(output)
        need(status == 0 and failed == 0, f"{failed} tests failed, exit status {status}")
        need(re.findall(r"^=== (\w+_test)$", output, re.MULTILINE) == programs, "not every program was started")
        finished = re.findall(r"^\[  PASSED  \] (\d+) test", output, re.MULTILINE)
        need(len(finished) == len(programs) and "0" not in finished, "a program ran no test")
        need(passed == sum(map(int, finished)), f"{passed} is not the sum of what passed")

    def failures(self):
        """What goes wrong is counted, and shows in the exit status."""
        machine, folder = self.unpacked()
        shell = ["/bin/sh", f"{self.name}/run.sh", "--gtest_filter=*Conformance*"]
        status, output = machine.run(*shell)
        need(status == 0, "a test failed")
        right = counts(output)

        status, output = machine.run(*shell[:2], "--gtest_filter=NoSuchTest.*")
        need(status != 0 and counts(output) == (0, 0, 0) and "no test ran" in output, "a filter that matches nothing counts as success")

        (folder / "bin/memory_test").write_text("not a program\n")
        status, output = machine.run(*shell)
        need(status != 0 and counts(output) == (right[0], 1, right[2]), "a program that does not start is not one failure")

        for end in ("exit 139", "exit 0"):
            crash = f"case $1 in */memory_test) printf 'last words'; {end} ;; esac\nexec /bin/emulator \"$@\"\n"
            (machine.root / "bin/crash").write_text(crash)
            machine.environment["ACTINIDE_TEST_EMULATOR"] = "/bin/sh /bin/crash"
            status, output = machine.run(*shell)
            need(status != 0 and counts(output) == (right[0], 1, right[2]), "a program that ends early is not one failure")

        shutil.rmtree(folder / "data/cases")
        status, output = machine.run(*shell)
        passed, failed, skipped = counts(output)
        need(status != 0 and failed > 1 and passed + failed - 1 + skipped <= sum(right), "failed tests are not counted")

        (folder / "bin/active_target").write_text("not a program\n")
        status, output = machine.run(*shell)
        need(status != 0 and output.endswith("README.txt says what they are for.\n"), "programs for another machine are not noticed")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("check", choices=[name for name in vars(Board) if not name.startswith("_") and name != "unpacked"])
    for name in ("archive", "work"):
        parser.add_argument(f"--{name}", required=True)
    parser.add_argument("--programs", nargs="*", default=[])
    parser.add_argument("--emulator", default="")
    parser.add_argument("--filter", default=QUICK)
    arguments = parser.parse_args()
    return status_of(lambda: getattr(Board(arguments), arguments.check)())


if __name__ == "__main__":
    sys.exit(main())
