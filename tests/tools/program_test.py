"""The program as a user runs it: program_test.py PROGRAM VERSION --sanitizer=NAME

Needs the standard library only; .npy files are written by hand.
"""

import math
import os
import re
import resource
import shutil
import stat
import struct
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

PROGRAM, VERSION, SANITIZER = Path(sys.argv[1]).resolve(), sys.argv[2], sys.argv[3].removeprefix("--sanitizer=")
FORMATS = {"<f2": "e", "<f4": "f", "<f8": "d", "<u2": "H"}


def header_text(descr, shape, fortran=False):
    return f"{{'descr': {descr!r}, 'fortran_order': {fortran}, 'shape': {shape!r}, }}"


def npy(text, data, version=(1, 0)):
    """A file from the text of its header and the bytes of its data."""
    width = 2 if version[0] == 1 else 4
    padding = -(8 + width + len(text) + 1) % 64
    encoded = (text + " " * padding + "\n").encode("utf-8" if version[0] == 3 else "latin1")
    return b"\x93NUMPY" + bytes(version) + len(encoded).to_bytes(width, "little") + encoded + data


def pack(descr, values):
    return struct.pack(f"<{len(values)}{FORMATS[descr]}", *values)


def array(descr, values, shape=None, fortran=False, version=(1, 0)):
    return npy(header_text(descr, (len(values),) if shape is None else shape, fortran), pack(descr, values), version)


def parse(content):
    """(header, values): what NumPy would read."""
    assert content[:6] == b"\x93NUMPY" and content[6:8] == b"\1\0", content[:8]
    length = int.from_bytes(content[8:10], "little")
    assert (10 + length) % 64 == 0 and content[9 + length : 10 + length] == b"\n"
    header = eval(content[10 : 10 + length], {"__builtins__": {}})  # written by the program under test
    data = content[10 + length :]
    return header, struct.unpack(f"<{len(data) // struct.calcsize(FORMATS[header['descr']])}{FORMATS[header['descr']]}", data)


def elu(x, alpha=1.0):
    return alpha * math.expm1(x) if x < 0 else x


def usable_target():
    """The first target that is built in and that the machine supports, as the program tells."""
    out = subprocess.run([PROGRAM, "list"], capture_output=True, text=True, timeout=120).stdout
    names = re.findall(r"^(\w+) +supported\b", out, re.MULTILINE)
    if not names:
        raise unittest.SkipTest("this machine supports no target that is built in")
    return names[0]


def limit_memory(size):
    """To be called in the child. A sanitizer maps more than any limit that means something."""
    if not SANITIZER:
        resource.setrlimit(resource.RLIMIT_AS, (size, size))


class ProgramTest(unittest.TestCase):
    def setUp(self):
        holder = tempfile.TemporaryDirectory()
        self.addCleanup(holder.cleanup)
        self.folder = Path(holder.name)

    def write(self, name, content):
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
        return path

    def call(self, *arguments, environment=None, **options):
        clean = {k: v for k, v in os.environ.items() if not k.startswith("ACTINIDE_")}
        options = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True, **options}
        return subprocess.run([PROGRAM, *map(str, arguments)], env={**clean, **(environment or {})}, timeout=120, **options)

    def assert_success(self, result):
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        return result.stdout

    def assert_bad_input(self, result, text):
        """Exit code 2 and one line on standard error, which contains `text`."""
        self.assertEqual(result.returncode, 2, result)
        self.assertRegex(result.stderr, r"\Aactinide: [^\n]+\n\Z")
        self.assertIn(text, result.stderr)
        self.assertFalse(result.stdout, result)


class General(ProgramTest):
    def test_version(self):
        self.assertEqual(self.assert_success(self.call("--version")), f"actinide {VERSION}\n")

    def test_help(self):
        for arguments in ("--help",), ("list", "--help"), ("run", "--help"), ("verify", "--help"):
            self.assertIn("Usage: actinide", self.assert_success(self.call(*arguments)))

    def test_bad_command_lines(self):
        for arguments, text in (
            ((), "a command is needed"),
            (("paint",), "there is no command 'paint'"),
            (("--colour",), "unexpected argument '--colour'"),
            (("list", "--colour"), "--colour"),
            (("run",), "OPERATOR"),
            (("run", "elu"), "IN.npy"),
            (("run", "elu", "x.npy"), "OUT.npy"),
            (("run", "elu", "x.npy", "y.npy", "z.npy"), "z.npy"),
            (("run", "elu", "x.npy", "y.npy", "--alpha"), "--alpha needs a number"),
            (("run", "elu", "x.npy", "y.npy", "--no-such-option", "1"), "unexpected arguments '--no-such-option' '1'"),
            (("run", "elu", "x.npy", "y.npy", "d", "c"), "unexpected arguments 'd' 'c'"),
            (("run", "elu", "", "y.npy"), "IN.npy: '' is no path"),
            (("verify",), "DIR"),
            (("verify", ""), "'': No such file or directory"),
        ):
            with self.subTest(arguments):
                self.assert_bad_input(self.call(*arguments), text)

    def test_list(self):
        lines = [line.split() for line in self.assert_success(self.call("list")).splitlines()]
        for operator in "elu", "thresholded_relu":
            self.assertIn([operator, "f16", "bf16", "f32", "f64", "alpha", "=", "1"], lines)

    def test_list_tells_the_target_and_why(self):
        target = usable_target()
        out = self.assert_success(self.call("list", environment={"ACTINIDE_FORCE_TARGET": target}))
        rows = [line.split() for line in out.splitlines()]
        self.assertIn([target, "supported", "active"], rows)
        self.assertEqual([row[-1] for row in rows if row].count("active"), 1)
        for environment, end in (
            ({"ACTINIDE_FORCE_TARGET": target}, f"active target: {target} (ACTINIDE_FORCE_TARGET)\n"),
            ({"ACTINIDE_FORCE_TARGET": "nonsense"}, "active target: none (ACTINIDE_FORCE_TARGET names no target that is built in)\n"),
        ):
            self.assertTrue(self.assert_success(self.call("list", environment=environment)).endswith(end))

    def test_standard_output_that_takes_nothing(self):
        x = self.write("x.npy", array("<f4", [1.0]))
        case = self.folder / "case"
        make_case(self, "case")
        for arguments in ("list",), ("--version",), ("--help",), ("run", "elu", x, self.folder / "y.npy"), ("verify", case):
            with self.subTest(arguments), open("/dev/full", "w") as full:
                result = self.call(*arguments, stdout=full)
                self.assert_bad_input(result, "cannot write to standard output: No space left on device")
            with self.subTest(arguments):
                reader, writer = os.pipe()
                os.close(reader)
                result = self.call(*arguments, stdout=writer)
                os.close(writer)
                self.assert_bad_input(result, "cannot write to standard output: Broken pipe")
        self.assertEqual(sorted(p.name for p in self.folder.iterdir()), ["case", "x.npy"])

    def test_closed_standard_streams(self):
        x, y = self.write("x.npy", array("<f4", [-1.0, 1.0])), self.write("y.npy", b"old")
        for stream in 1, 0, 2:
            closing = ["sh", "-c", f'exec "$0" "$@" {stream}>&-', PROGRAM]
            result = subprocess.run([*closing, "run", "elu", x, y], capture_output=True, timeout=120)
            self.assertEqual(result.returncode, 2 if stream == 1 else 0)
            if stream == 1:
                self.assertEqual(y.read_bytes(), b"old")
        self.assertEqual(parse(y.read_bytes())[1][1], 1.0)


class Run(ProgramTest):
    def run_operator(self, operator, content, *options):
        x = self.write("x.npy", content)
        y = self.folder / "y.npy"
        out = self.assert_success(self.call("run", operator, *options, x, y))
        return out, parse(y.read_bytes())

    def test_types(self):
        values = [-3.0, -1.0, -0.5, 0.0, 0.5, 2.0, -0.25, 100.0, -100.0]
        for descr, name, tolerance in ("<f2", "f16", 2**-11), ("<f4", "f32", 2**-22), ("<f8", "f64", 2**-51):
            with self.subTest(descr):
                out, (header, y) = self.run_operator("elu", array(descr, values))
                self.assertEqual(header, {"descr": descr, "fortran_order": False, "shape": (9,)})
                for got, x in zip(y, values, strict=True):
                    self.assertAlmostEqual(got, elu(x), delta=tolerance * abs(elu(x)))
                self.assertIn(f"elu {name}, alpha = 1, shape (9,), target ", out)
                for text in "plain copy", "elements/s", "GB/s":
                    self.assertIn(text, out)

    def test_speed_beside_a_copy(self):
        for count in 4095, 4096:
            out, _ = self.run_operator("elu", array("<f4", [-1.0] * count))
            self.assertEqual(re.search(r"\nA plain copy .*; elu reached \d+ % of its speed\.\n", out) is not None, count == 4096, out)

    def test_negative_zero_and_nan(self):
        _, (_, y) = self.run_operator("elu", array("<f4", [-0.0, math.nan]))
        self.assertEqual(math.copysign(1, y[0]), -1)
        self.assertTrue(math.isnan(y[1]))

    def test_shapes(self):
        for shape, fortran in ((), False), ((1,), False), ((0,), False), ((0, 3), False), ((3, 0, 1 << 40), False), ((2, 3), False), \
                ((2, 3), True), ((2, 1, 3, 1, 2), True):
            with self.subTest(shape=shape, fortran=fortran):
                count = math.prod(shape)
                values = [i - 1.0 for i in range(count)]
                _, (header, y) = self.run_operator("thresholded_relu", array("<f8", values, shape, fortran), "--alpha", "0")
                self.assertEqual(header, {"descr": "<f8", "fortran_order": fortran, "shape": shape})
                self.assertEqual(list(y), [max(v, 0.0) for v in values])

    def test_many_dimensions(self):
        shape = (1,) * 30000  # a header beyond 65535 bytes: version 2.0 in and out
        content = array("<f4", [-1.0], shape, version=(2, 0))
        x, y = self.write("x.npy", content), self.folder / "y.npy"
        self.assert_success(self.call("run", "thresholded_relu", x, y))
        self.assertEqual(y.read_bytes(), content[:-4] + pack("<f4", [0.0]))

    def test_versions(self):
        for version in (1, 0), (2, 0), (3, 0):
            _, (_, y) = self.run_operator("elu", array("<f4", [2.0, 3.0], version=version))
            self.assertEqual(y, (2.0, 3.0))

    def test_other_spellings_of_the_header(self):
        data = pack("<f4", [2.0, 3.0])
        for text in (
            "{'shape': (2,), 'descr': '<f4', 'fortran_order': False}",
            '{"descr": "<f4", "fortran_order": False, "shape": (2L,), }',
            "{'descr':'<f4','fortran_order':False,'shape':(2,1)}",
        ):
            _, (_, y) = self.run_operator("elu", npy(text, data))
            self.assertEqual(y, (2.0, 3.0))

    def test_large(self):
        count = 1 << 20
        values = [-(i % 1000) / 100 for i in range(count)]
        _, (header, y) = self.run_operator("elu", array("<f4", values, (1024, 1024)))
        self.assertEqual(header["shape"], (1024, 1024))
        for i in 0, 1, 999, count // 2, count - 2, count - 1:
            self.assertAlmostEqual(y[i], elu(values[i]), delta=2**-21 * abs(elu(values[i])))

    def test_alpha(self):
        for text, alpha in ("2.5", 2.5), ("0x1.8p-1", 0.75), ("-1", -1.0), ("-.5", -0.5), ("1e-3", 1e-3):
            for option in (["--alpha", text], [f"--alpha={text}"]):
                _, (_, y) = self.run_operator("elu", array("<f4", [-1.0, 1.0]), *option)
                self.assertAlmostEqual(y[0], elu(-1.0, alpha), delta=2**-21 * abs(alpha))
                self.assertEqual(y[1], 1.0)

    def test_alpha_zero_is_not_the_default(self):
        x = array("<f4", [0.5, -0.5])
        self.assertEqual(self.run_operator("thresholded_relu", x, "--alpha", "0")[1][1], (0.5, 0.0))
        self.assertEqual(self.run_operator("thresholded_relu", x)[1][1], (0.0, 0.0))
        y = self.run_operator("elu", x, "--alpha", "0")[1][1]
        self.assertEqual((y, math.copysign(1, y[1])), ((0.5, 0.0), -1))

    def test_special_alphas(self):
        x = array("<f4", [-1.0, 3.0])
        self.assertEqual(self.run_operator("elu", x, "--alpha", "inf")[1][1], (-math.inf, 3.0))
        self.assertEqual(self.run_operator("elu", x, "--alpha", "-inf")[1][1], (math.inf, 3.0))
        self.assertTrue(math.isnan(self.run_operator("elu", x, "--alpha", "nan")[1][1][0]))

    def test_in_place(self):
        x = self.write("x.npy", array("<f4", [2.0, -1.0]))
        self.assert_success(self.call("run", "thresholded_relu", x, x))
        self.assertEqual(parse(x.read_bytes())[1], (2.0, 0.0))
        self.assertEqual([p.name for p in self.folder.iterdir()], ["x.npy"])

    def test_relative_output(self):
        self.write("x.npy", array("<f4", [2.0]))
        self.assert_success(self.call("run", "elu", "x.npy", "y.npy", cwd=self.folder))
        self.assertEqual(parse((self.folder / "y.npy").read_bytes())[1], (2.0,))

    def test_mode_of_the_output(self):
        x = self.write("x.npy", array("<f4", [2.0]))
        kept = self.write("kept.npy", b"old")
        kept.chmod(0o604)
        for y, mode in (kept, 0o604), (self.folder / "new.npy", 0o640):
            self.assert_success(self.call("run", "elu", x, y, umask=0o027))
            self.assertEqual(stat.S_IMODE(y.stat().st_mode), mode)

    def test_symbolic_link_stays(self):
        x, y = self.write("x.npy", array("<f4", [2.0])), self.write("real/y.npy", b"old")
        link = self.folder / "link.npy"
        link.symlink_to(y)
        self.assert_success(self.call("run", "elu", x, link))
        self.assertTrue(link.is_symlink())
        self.assertEqual(parse(y.read_bytes())[1], (2.0,))


UNSUPPORTED = "is not supported; supported are float16, float32 and float64"
GOOD = array("<f4", [1.0, -1.0])
MALFORMED = {
    "empty": (b"", "not an .npy file"),
    "text": (b"1.0 2.0 3.0\n", "not an .npy file"),
    "zip": (b"PK\3\4" + bytes(100), "not an .npy file"),
    "magic only": (GOOD[:6], "truncated .npy header"),
    "no length": (GOOD[:8], "truncated .npy header"),
    "half a length": (GOOD[:9], "truncated .npy header"),
    "half a header": (GOOD[:40], "truncated .npy header"),
    "header length of 4 GB": (b"\x93NUMPY\2\0\xff\xff\xff\xff{}", "truncated .npy header"),
    "version 0": (b"\x93NUMPY\0\0" + GOOD[8:], ".npy version 0.0 is not supported"),
    "version 4": (b"\x93NUMPY\4\0" + GOOD[8:], ".npy version 4.0 is not supported"),
    "version 1.1": (b"\x93NUMPY\1\1" + GOOD[8:], ".npy version 1.1 is not supported"),
    "no data": (GOOD[:-8], "truncated data: shape (2,) needs 8 bytes, the file has 0"),
    "short data": (GOOD[:-1], "truncated data: shape (2,) needs 8 bytes, the file has 7"),
    "trailing byte": (GOOD + b"\0", "trailing bytes: 1 after the data"),
    "empty shape with data": (npy(header_text("<f4", (0,)), bytes(4)), "trailing bytes: 4"),
    "16 GB of data claimed": (npy(header_text("<f4", (1 << 32,)), bytes(8)), "truncated data"),
    "overflow of the product": (npy(header_text("<f4", (1 << 40, 1 << 40)), bytes(8)), "absurd shape"),
    "overflow of the size": (npy(header_text("<f8", (1 << 61,)), b""), "absurd shape"),
    "overflow of an extent": (npy(header_text("<f4", (1 << 64,)), bytes(8)), "absurd shape"),
    "negative extent": (npy(header_text("<f4", (-1,)), bytes(8)), "malformed .npy header"),
    "extent of text": (npy(header_text("<f4", ("2",)), bytes(8)), "malformed .npy header"),
    "shape is a number": (npy("{'descr': '<f4', 'fortran_order': False, 'shape': (2), }", bytes(8)), "malformed .npy header"),
    "int64": (npy(header_text("<i8", (1,)), bytes(8)), "element type '<i8' is not supported"),
    "bool": (npy(header_text("|b1", (1,)), bytes(1)), "element type '|b1' is not supported"),
    "complex": (npy(header_text("<c8", (1,)), bytes(8)), "element type '<c8' is not supported"),
    "long double": (npy(header_text("<f16", (1,)), bytes(16)), "element type '<f16' is not supported"),
    "object": (npy(header_text("|O", (1,)), bytes(8)), "element type '|O' is not supported"),
    "structured": (npy(header_text([("a", "<f4")], (1,)), bytes(4)), "structured elements are not supported"),
    "big-endian f32": (npy(header_text(">f4", (1,)), bytes(4)), "big-endian elements ('>f4') are not supported"),
    "big-endian f64": (npy(header_text(">f8", (1,)), bytes(8)), "big-endian elements ('>f8') are not supported"),
    "patterns": (npy(header_text("<u2", (1,)), bytes(2)), f"element type '<u2' {UNSUPPORTED}"),
    "bfloat16 of ml_dtypes": (npy(header_text("<V2", (1,)), bytes(2)), f"element type '<V2' {UNSUPPORTED}"),
    "control characters": (npy(header_text("x", (1,)).replace("x", "\n\r\x1b"), bytes(4)), "is not supported"),
    "header is no dictionary": (npy("[1, 2]", bytes(8)), "malformed .npy header"),
    "header is empty": (npy("", bytes(8)), "malformed .npy header"),
    "open dictionary": (npy("{'descr': '<f4', ", bytes(8)), "malformed .npy header"),
    "open string": (npy("{'descr': '<f4", bytes(8)), "malformed .npy header"),
    "missing key": (npy("{'descr': '<f4', 'shape': (2,), }", bytes(8)), "malformed .npy header"),
    "unknown key": (npy("{'descr': '<f4', 'fortran_order': False, 'shape': (2,), 'x': 1}", bytes(8)), "malformed .npy header"),
    "key twice": (npy("{'descr': '<f4', 'fortran_order': False, 'shape': (2,), 'shape': (2,)}", bytes(8)), "malformed .npy header"),
    "text after the dictionary": (npy(header_text("<f4", (2,)) + "x", bytes(8)), "malformed .npy header"),
    "order is a number": (npy("{'descr': '<f4', 'fortran_order': 0, 'shape': (2,), }", bytes(8)), "malformed .npy header"),
}


class BadRun(ProgramTest):
    """Whatever is wrong, an existing output stays as it is, and nothing is left beside it."""

    def setUp(self):
        super().setUp()
        self.x = self.write("x.npy", GOOD)
        self.y = self.write("y.npy", b"old content")
        os.utime(self.y, ns=(10**18, 10**18))

    def assert_untouched(self):
        self.assertEqual(self.y.read_bytes(), b"old content")
        self.assertEqual(self.y.stat().st_mtime_ns, 10**18)
        self.assertEqual([p for p in self.folder.rglob("*") if p.name.startswith(".")], [])

    def assert_refused(self, text, *arguments, **options):
        self.assert_bad_input(self.call("run", *arguments, **options), text)
        self.assert_untouched()

    def test_malformed_input(self):
        for name, (content, text) in MALFORMED.items():
            with self.subTest(name):
                self.x.write_bytes(content)
                self.assert_refused(text, "elu", self.x, self.y, preexec_fn=lambda: limit_memory(1 << 28))

    def test_every_truncation(self):
        for length in range(len(GOOD)):
            with self.subTest(length):
                self.x.write_bytes(GOOD[:length])
                self.assert_refused(str(self.x), "elu", self.x, self.y)

    def test_unknown_operator(self):
        self.assert_refused("there is no operator 'no-such-one'; operators: ", "no-such-one", self.x, self.y)

    def test_bad_alpha(self):
        for text in " 1", "one", "1x", "1,5", "1 2", "0x", "--", "1\n2", "inf1":
            with self.subTest(text):
                printed = text.replace("\n", "?")
                self.assert_refused(f"--alpha: '{printed}' is not a number", "elu", f"--alpha={text}", self.x, self.y)
        for text in "1e400", "1e50", "-1e50", "1e-60":
            with self.subTest(text):
                self.assert_refused(f"--alpha: '{text}' is out of float32's range", "elu", f"--alpha={text}", self.x, self.y)
        self.assert_refused("--alpha is given more than once", "elu", "--alpha", "1", "--alpha", "2", self.x, self.y)
        self.assert_refused("--alpha", "elu", "--alpha", "", self.x, self.y)

    def test_missing_input(self):
        self.assert_refused("missing.npy: No such file or directory", "elu", self.folder / "missing.npy", self.y)
        self.assert_refused("missing?.npy: No such file or directory", "elu", self.folder / "missing\n.npy", self.y)

    def test_input_is_a_directory(self):
        self.assert_refused("is a directory", "elu", self.folder, self.y)

    def test_input_is_not_a_file(self):
        self.assert_refused("not a regular file", "elu", "/dev/zero", self.y)
        fifo = self.folder / "fifo"
        os.mkfifo(fifo)
        self.assert_refused("not a regular file", "elu", fifo, self.y)

    def test_output_without_a_name(self):
        self.assert_refused("OUT.npy: '' is no path", "elu", self.x, "", cwd=self.folder)

    def test_output_is_a_directory(self):
        self.assert_refused("is a directory", "elu", self.x, self.folder)

    def test_output_in_no_directory(self):
        self.assert_refused("No such file or directory", "elu", self.x, self.folder / "missing" / "y.npy")
        self.assert_refused("Not a directory", "elu", self.x, self.y / "z.npy")

    def test_output_is_not_a_file(self):
        fifo = self.folder / "fifo"  # not a real device: a program that is wrong would replace it
        os.mkfifo(fifo)
        self.assert_refused("not a regular file", "elu", self.x, fifo)
        self.assertTrue(fifo.is_fifo())

    def test_output_is_a_dangling_link(self):
        link = self.folder / "link.npy"
        link.symlink_to(self.folder / "nothing.npy")
        self.assert_refused("cannot write", "elu", self.x, link)

    def test_output_without_permission(self):
        # Root may write everywhere, so the program runs as somebody else, who must be able to read it.
        program = shutil.copy(PROGRAM, self.folder / "program")
        read_only = self.write("open/y.npy", b"old content")  # the folder would let it be replaced
        read_only.parent.chmod(0o777)
        read_only.chmod(0o444)
        self.folder.chmod(0o555)
        self.addCleanup(self.folder.chmod, 0o755)
        options = {"user": 65534, "extra_groups": []} if os.getuid() == 0 else {}
        for y in read_only, self.folder / "new.npy":
            result = subprocess.run([program, "run", "elu", self.x, y], capture_output=True, text=True, timeout=120, **options)
            self.assert_bad_input(result, f"{y}: cannot write: Permission denied")
        self.assertEqual(read_only.read_bytes(), b"old content")
        self.assert_untouched()

    def test_output_in_a_full_file_system(self):
        # A limit of the file's size stands for it: write() fails half-way.
        self.x.write_bytes(array("<f4", [0.5] * 100000))

        def limit():
            resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))

        self.assert_refused("File too large", "elu", self.x, self.y, preexec_fn=limit)

    @unittest.skipIf(SANITIZER, "a sanitizer ends the program where memory does")
    def test_not_enough_memory(self):
        self.x.unlink()
        with open(self.x, "wb") as file:  # sparse, 8 GB
            file.write(npy(header_text("<f4", (1 << 31,)), b""))
            file.truncate(file.tell() + (1 << 33))

        self.assert_refused("not enough memory", "elu", self.x, self.y, preexec_fn=lambda: limit_memory(1 << 31))

    def test_no_usable_target(self):
        for environment in {"ACTINIDE_FORCE_TARGET": "nonsense"}, {"ACTINIDE_MAX_TARGET": "nonsense"}:
            variable = next(iter(environment))
            self.assert_refused(f"{variable} names no target that is built in", "elu", self.x, self.y, environment=environment)


def make_case(test, name, case_text="", x=GOOD, y=None, **lines):
    """A case that passes, unless the arguments say otherwise; a value of None leaves the line out."""
    lines = {"operator": "thresholded_relu", "type": "f32", "alpha": "0", "source": "ours", "origin": "here", "max_ulp": "0", **lines}
    text = "".join(f"{key}: {value}\n" for key, value in lines.items() if value is not None)
    test.write(f"{name}/case.txt", (text + case_text).encode())
    test.write(f"{name}/x.npy", x)
    test.write(f"{name}/y.npy", array("<f4", [1.0, 0.0]) if y is None else y)
    return test.folder / name


class Verify(ProgramTest):
    def assert_results(self, result, passed, failed):
        self.assertEqual((result.returncode, result.stderr), (1 if failed else 0, ""))
        self.assertTrue(result.stdout.endswith(f"\n{passed + failed} cases: {passed} passed, {failed} failed\n"), result.stdout)
        rows = [line.split() for line in result.stdout.splitlines()]
        self.assertEqual(sum(row[-1:] == ["pass"] for row in rows), passed)
        self.assertEqual(sum(row[-1:] == ["FAIL"] for row in rows), failed)
        return rows

    def test_one_case(self):
        target = usable_target()
        rows = self.assert_results(self.call("verify", make_case(self, "one"), environment={"ACTINIDE_FORCE_TARGET": target}), 1, 0)
        self.assertIn(["one", "ours", "thresholded_relu", "f32", "(2,)", target, "0", "0", "pass"], rows)

    def test_folders_are_searched_and_sorted(self):
        for name in "b/2", "b/1", "a/x/deep", "c":
            make_case(self, name, source="published")
        (self.folder / "empty").mkdir()
        rows = self.assert_results(self.call("verify", self.folder), 4, 0)
        self.assertEqual([row[0] for row in rows if row[-1:] == ["pass"]], ["a/x/deep", "b/1", "b/2", "c"])
        self.assertIn("published", rows[2])
        self.assert_results(self.call("verify", self.folder / "b", self.folder / "c"), 3, 0)

    def test_comments_and_empty_lines(self):
        self.assert_results(self.call("verify", make_case(self, "one", "\n# a comment\n  \n")), 1, 0)

    def test_types(self):
        make_case(self, "f16", type="f16", x=array("<f2", [1.0, -1.0]), y=array("<f2", [1.0, 0.0]))
        make_case(self, "bf16", type="bf16", x=array("<u2", [0x3F80, 0xBF80]), y=array("<u2", [0x3F80, 0]))
        make_case(self, "f64", type="f64", x=array("<f8", [1.0, -1.0]), y=array("<f8", [1.0, 0.0]))
        make_case(self, "scalar", x=array("<f4", [-1.0], ()), y=array("<f4", [0.0], ()))
        make_case(self, "empty", x=array("<f4", [], (0, 2)), y=array("<f4", [], (0, 2)))
        make_case(self, "fortran", x=array("<f4", [-1.0, 1.0], (2, 1), True), y=array("<f4", [0.0, 1.0], (2, 1), True))
        self.assert_results(self.call("verify", self.folder), 6, 0)

    def test_absent_attribute_has_its_default(self):
        self.assert_results(self.call("verify", make_case(self, "one", alpha=None, y=array("<f4", [0.0, 0.0]))), 1, 0)

    def test_attribute_notations(self):
        for i, alpha in enumerate(("0x0p+0", "-0", "1e-40")):
            make_case(self, f"c{i}", alpha=alpha)
        make_case(self, "inf", alpha="inf", y=array("<f4", [0.0, 0.0]))
        make_case(self, "nan", alpha="nan", y=array("<f4", [0.0, 0.0]))
        self.assert_results(self.call("verify", self.folder), 5, 0)

    def test_wrong_result(self):
        make_case(self, "right")
        make_case(self, "wrong", y=array("<f4", [1.0, 0.5]))
        rows = self.assert_results(self.call("verify", self.folder), 1, 1)
        self.assertIn(["wrong", "ours", "thresholded_relu", "f32", "(2,)", rows[2][5], "0.5", str(0x3F000000), "FAIL"], rows)
        self.assertIn("FAIL wrong: element 1: x = -1, y = 0, expected 0.5".split(), rows)

    def test_what_fails(self):
        next_to_1 = 1 + 2**-23
        inf, nan = math.inf, math.nan
        for name, expected, options in (
            ("one ULP", [next_to_1, 0.0], {}),
            ("sign of zero", [1.0, -0.0], {}),
            ("nan for a number", [nan, 0.0], {}),
            ("beyond rtol", [1.01, 0.0], {"max_ulp": None, "rtol": "1e-3", "atol": "0"}),
            ("beyond atol", [1.0, 2e-3], {"max_ulp": None, "rtol": "0", "atol": "1e-3"}),
            ("inf by rtol", [inf, 0.0], {"max_ulp": None, "rtol": "1", "atol": "1"}),
            ("nan by rtol", [nan, 0.0], {"max_ulp": None, "rtol": "1", "atol": "1"}),
            ("nan by any ULP", [nan, 0.0], {"max_ulp": str(2**64 - 1)}),
            ("number for a nan", [5.0, 0.0], {"operator": "elu", "x": array("<f4", [nan, 1.0])}),
        ):
            with self.subTest(name):
                self.assert_results(self.call("verify", make_case(self, "c", y=array("<f4", expected), **options)), 0, 1)

    def test_what_passes(self):
        inf, nan = math.inf, math.nan
        for name, x, y, options in (
            ("one ULP allowed", [1.0, -1.0], [1 + 2**-23, 0.0], {"max_ulp": "1"}),
            ("zeros are one apart", [1.0, -1.0], [1.0, -0.0], {"max_ulp": "1"}),
            ("within rtol", [1.0, -1.0], [1.001, 0.0], {"max_ulp": None, "rtol": "1e-2", "atol": "0"}),
            ("within atol", [1.0, -1.0], [1.0, 1e-4], {"max_ulp": None, "rtol": "0", "atol": "1e-3"}),
            ("nan and nan", [nan, inf], [nan, inf], {"operator": "elu"}),
            ("inf and inf by rtol", [nan, inf], [nan, inf], {"operator": "elu", "max_ulp": None, "rtol": "0", "atol": "0"}),
        ):
            with self.subTest(name):
                case = make_case(self, "c", x=array("<f4", x), y=array("<f4", y), **options)
                self.assert_results(self.call("verify", case), 1, 0)

    def test_bad_input(self):
        self.assert_bad_input(self.call("verify", self.folder / "missing"), "No such file or directory")
        self.assert_bad_input(self.call("verify", self.write("file", b"")), "not a directory")
        self.assert_bad_input(self.call("verify", self.folder), "no case in it")
        good = make_case(self, "good")
        self.assert_bad_input(self.call("verify", good, self.folder / "missing"), "No such file or directory")

    def test_malformed_case(self):
        for name, text, options in (
            ("no operator", "there is no 'operator'", {"operator": None}),
            ("no type", "there is no 'type'", {"type": None}),
            ("no source", "there is no 'source'", {"source": None}),
            ("no origin", "there is no 'origin'", {"origin": None}),
            ("no tolerance", "there is no 'rtol'", {"max_ulp": None}),
            ("half a tolerance", "there is no 'atol'", {"max_ulp": None, "rtol": "1"}),
            ("two tolerances", "unknown key 'atol'", {"atol": "1"}),
            ("unknown operator", "there is no operator of this type: 'no-such-one f32'", {"operator": "no-such-one"}),
            ("unknown type", "there is no operator of this type: 'thresholded_relu i8'", {"type": "i8"}),
            ("bad attribute", "alpha: '1x' is not a number", {"alpha": "1x"}),
            ("huge attribute", "alpha: '1e400' is out of float32's range", {"alpha": "1e400"}),
            ("unknown attribute", "unknown key 'no-such-key'", {"no-such-key": "1"}),
            ("unknown source", "not 'hearsay'", {"source": "hearsay"}),
            ("bad ULP", "bad tolerance '-1'", {"max_ulp": "-1"}),
            ("bad rtol", "bad tolerance 'nan'", {"max_ulp": None, "rtol": "nan", "atol": "0"}),
            ("line without a colon", "'alpha 1' is not a line", {"case_text": "alpha 1\n"}),
            ("key twice", "'type' stands there twice", {"case_text": "type: f32\n"}),
            ("other type of x", "x.npy: the elements are not f32", {"x": array("<f8", [1.0, -1.0])}),
            ("other type of y", "y.npy: the elements are not f32", {"y": array("<f8", [1.0, 0.0])}),
            ("other shape", "differ in shape or order", {"y": array("<f4", [1.0])}),
            ("other order", "differ in shape or order", {"x": array("<f4", [1.0] * 4, (2, 2)), "y": array("<f4", [1.0] * 4, (2, 2), True)}),
            ("broken x", "x.npy: truncated", {"x": GOOD[:-1]}),
            ("broken y", "y.npy: not an .npy file", {"y": b"?"}),
        ):
            with self.subTest(name):
                self.assert_bad_input(self.call("verify", make_case(self, "c", **options)), text)

    def test_missing_file_of_a_case(self):
        for name in "x.npy", "y.npy":
            case = make_case(self, "c")
            (case / name).unlink()
            self.assert_bad_input(self.call("verify", case), f"{name}: No such file or directory")

    def test_file_of_a_case_is_none(self):
        for name in "case.txt", "x.npy", "y.npy":
            case = make_case(self, name)
            (case / name).unlink()
            os.mkfifo(case / name)
            self.assert_bad_input(self.call("verify", case), f"{name}: not a regular file")
            case = make_case(self, f"link/no_{name}")
            (case / name).unlink()
            (case / name).symlink_to(case / "nothing")
            self.assert_bad_input(self.call("verify", self.folder / "link"), f"{name}: No such file or directory")
            shutil.rmtree(self.folder / "link")

    def test_no_usable_target(self):
        result = self.call("verify", make_case(self, "c"), environment={"ACTINIDE_FORCE_TARGET": "nonsense"})
        self.assert_bad_input(result, "ACTINIDE_FORCE_TARGET names no target that is built in")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
