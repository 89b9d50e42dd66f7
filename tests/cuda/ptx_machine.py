"""A device that is simulated: PTX, executed on the CPU.

A program is translated to C, an entry to a function that one thread runs, and linked with the kernel object's host half, which then chooses
entry, grid and parameters as in a real call. ptx_machine.h has the instructions and checks every access to memory.
"""

import ctypes
import itertools
import pathlib
import re
import subprocess

import numpy as np

import ptx

NUMBERS = itertools.count()  # a library that is loaded again must be called otherwise
HERE = pathlib.Path(__file__).parent
C_TYPES = {"pred": "Predicate", "b16": "uint16_t", "b32": "uint32_t", "b64": "uint64_t"}
STORED = {"f16": np.uint16, "bf16": np.uint16, "f32": np.uint32, "f64": np.uint64}


def c_name(word):
    return word.lstrip("%$")


def c_value(word, width):
    """An operand in C: a register, a number, or a special register."""
    if word in ("%ctaid.x", "%tid.x"):
        return "thread->block" if word == "%ctaid.x" else "thread->index"
    if number := re.fullmatch(r"0[fd]([0-9A-F]+)", word):
        return f"UINT64_C(0x{number[1]})"
    if re.fullmatch(r"-?\d+|0x[0-9a-fA-F]+", word):
        return f"UINT64_C({int(word, 0) & ((1 << width) - 1)})"
    return c_name(word)


def c_address(word):
    base, offset = re.fullmatch(r"\[(%\w+)(?:\+(-?\d+))?\]", word).groups()
    return f"{c_name(base)} + {offset or 0}"


def c_statement(entry, s):
    vector = [word for o in s.operands if o.startswith("{") for word in ptx.read_operands(o[1:-1])]
    if s.name == "ret":
        text = "return;"
    elif s.name in ("bra", "bra.uni"):
        text = f"goto {c_name(s.operands[0])};"
    elif s.name.startswith("ld.param."):
        index = [name for name, _ in entry.parameters].index(s.operands[1].strip("[]"))
        text = f"memcpy(&{c_name(s.operands[0])}, thread->parameters[{index}], {s.bytes});"
    elif s.name.startswith("ld.global."):
        results = [c_name(word) for word in vector or s.operands[:1]]
        size = s.width // 8
        copies = " ".join(f"memcpy(&{r}, from + {n * size}, {size});" for n, r in enumerate(results))
        text = f"{{ const char* from = loaded(thread, {c_address(s.operands[1])}, {s.bytes}); {copies} }}"
    elif s.name.startswith("st.global."):
        values = ", ".join(c_value(word, s.width) for word in vector or s.operands[1:])
        array = f"const {C_TYPES[f'b{s.width}']} values[] = {{{values}}};"
        text = f"{{ {array} store(thread, {c_address(s.operands[0])}, {s.bytes}, values); }}"
    elif s.name.startswith("mov.b") and vector:
        part = s.width // len(vector)
        if s.operands[0].startswith("{"):
            source = c_name(s.operands[1])
            text = " ".join(f"{c_name(word)} = ({C_TYPES[f'b{part}']})({source} >> {n * part});" for n, word in enumerate(vector))
        else:
            whole = C_TYPES[f"b{s.width}"]
            parts = " | ".join(f"({whole})(({whole}){c_value(word, part)} << {n * part})" for n, word in enumerate(vector))
            text = f"{c_name(s.operands[0])} = {parts};"
    else:
        values = ", ".join(c_value(word, s.width) for word in s.operands[1:])
        text = f"{c_name(s.operands[0])} = {s.name.replace('.', '_')}({values});"
    if s.guard:
        negation = "!" if s.guard.startswith("!") else ""
        text = f"if ({negation}{c_name(s.guard.lstrip('!'))}) {{ {text} }}"
    return text


def translate(program):
    """C for the entries, to be compiled with ptx_machine.h. An instruction that it lacks is an error of the compiler."""
    lines = ['#include "ptx_machine.h"', ""]
    for entry in program.entries:
        lines.append(f"static void {entry.name}(const struct Thread* thread) {{")
        for prefix, (type_, count) in entry.registers.items():
            names = ", ".join(f"{c_name(prefix)}{n} = 0" for n in range(count))
            lines.append(f"  {C_TYPES[type_]} {names};")
        for s in entry.body:
            if isinstance(s, ptx.Brace):
                lines.append(s.text)
            elif isinstance(s, ptx.Label):
                lines.append(f"{c_name(s.name)}:;")
            elif isinstance(s, ptx.Register):
                lines.append(f"  {C_TYPES[s.type]} {s.name} = 0;")
            else:
                lines.append("  " + c_statement(entry, s))
        lines += ["}", ""]
    lines.append("static const struct Entry* find_entry(const char* name) {")
    for e in program.entries:
        lines.append(f'  static const struct Entry {e.name}_entry = {{"{e.name}", {e.name}, {len(e.parameters)}}};')
        lines.append(f"  if (strcmp(name, {e.name}_entry.name) == 0) return &{e.name}_entry;")
    lines += ["  return NULL;", "}"]
    return "\n".join(lines) + "\n"


class Dimension(ctypes.Structure):
    """halide_dimension_t"""

    _fields_ = [("min", ctypes.c_int32), ("extent", ctypes.c_int32), ("stride", ctypes.c_int32), ("flags", ctypes.c_uint32)]


class Buffer(ctypes.Structure):
    """halide_buffer_t"""

    _fields_ = [
        ("device", ctypes.c_uint64), ("interface", ctypes.c_void_p), ("host", ctypes.c_void_p), ("flags", ctypes.c_uint64),
        ("type", ctypes.c_uint32), ("dimensions", ctypes.c_int32), ("dim", ctypes.POINTER(Dimension)), ("padding", ctypes.c_void_p),
    ]  # fmt: skip


class Call(ctypes.Structure):
    """As in ptx_machine.h."""

    _fields_ = [
        ("x", ctypes.c_uint64), ("y", ctypes.c_uint64), ("bytes", ctypes.c_uint64), ("element_size", ctypes.c_uint32),
        ("owner", ctypes.c_void_p), ("stores", ctypes.c_void_p), ("source", ctypes.c_void_p), ("source_size", ctypes.c_int32),
        ("ends_only", ctypes.c_int32), ("launches", ctypes.c_int32), ("blocks", ctypes.c_int32), ("error", ctypes.c_char * 200),
    ]  # fmt: skip


class Violation(Exception):
    """A launch or an access that must not be."""


def compile_shared(compiler, library, *arguments):
    subprocess.run([compiler, "-fPIC", "-shared", "-o", library, *arguments, "-lm"], check=True)
    return ctypes.CDLL(library)


class Kernel:
    """A kernel object on the simulated device."""

    def __init__(self, object_path, text, work, compiler, include):
        """`text` is its PTX, `include` the folder of HalideRuntime.h."""
        path = pathlib.Path(object_path)
        self.name = path.stem
        self.operator, self.type, variant = re.fullmatch(r"actinide_k_(\w+)_(b?f\d+)_cuda(_any)?", self.name).groups()
        self.is_aligned = variant is None
        self.dtype = STORED[self.type]
        self.device_code = b""
        stem = pathlib.Path(work) / f"{self.name}_{next(NUMBERS)}"
        source = stem.with_suffix(".c")
        source.write_text(translate(ptx.read(text)))
        options = ("-std=gnu11", "-O1", "-ffp-contract=off", "-Werror=implicit-function-declaration", f"-I{HERE}", "-isystem", include)
        library = compile_shared(compiler, stem.with_suffix(".so"), *options, source, path)
        self.function = library[self.name]

    def launch(self, x, y, owner, stores, attributes, ends_only=0):
        """One call on memory that the caller has; x and y may be one array. The call as it came back."""
        n = len(x)
        call = Call(x.ctypes.data, y.ctypes.data, x.nbytes, x.itemsize, owner.ctypes.data, stores.ctypes.data, ends_only=ends_only)
        dimension = Dimension(extent=n)
        # No host memory: the host half has to do without.
        buffers = [Buffer(device=a.ctypes.data, dim=ctypes.pointer(dimension), dimensions=1) for a in (x, y)]
        self.function(ctypes.byref(call), ctypes.byref(buffers[0]), *map(ctypes.c_float, attributes), ctypes.byref(buffers[1]))
        where = f"{self.name}, {n} elements at {hex(x.ctypes.data % 16)} and {'the same' if y is x else hex(y.ctypes.data % 16)}"
        if call.error:
            raise Violation(f"{where}: {call.error.decode()}")
        if call.launches != 1:
            raise Violation(f"{where}: {call.launches} launches")
        self.device_code = ctypes.string_at(call.source, call.source_size)
        return call

    def __call__(self, patterns, *attributes, x_offset=0, y_offset=0, in_place=False):
        """The results, as patterns. The tensors begin so many elements after a multiple of 16 bytes."""
        n = len(patterns)
        x = aligned_array(self.dtype, n, x_offset)
        x[:] = patterns
        y = x if in_place else aligned_array(self.dtype, n, y_offset)
        stores = np.zeros(n, np.uint8)
        call = self.launch(x, y, np.zeros(n, np.int64), stores, attributes)
        if not stores.all():
            raise Violation(f"{self.name}, {n} elements: element {np.argmin(stores)} is not written")
        chunk = 256 * 16 // x.itemsize
        blocks = n // chunk + -(-(n % chunk) // 256)
        if call.blocks != blocks:
            raise Violation(f"{self.name}, {n} elements: {call.blocks} blocks, {blocks} are enough")
        return y


def call_on_host(function, x, *attributes):
    """The results of a kernel for the CPU."""
    y = np.zeros_like(x)
    dimension = Dimension(extent=len(x))
    buffers = [Buffer(host=a.ctypes.data, dim=ctypes.pointer(dimension), dimensions=1) for a in (x, y)]
    function(ctypes.byref(buffers[0]), *map(ctypes.c_float, attributes), ctypes.byref(buffers[1]))
    return y


def aligned_array(dtype, n, offset):
    """n elements that begin `offset` elements after a multiple of 16 bytes."""
    size = np.dtype(dtype).itemsize
    memory = np.zeros((n + offset) * size + 16, np.uint8)
    start = -memory.ctypes.data % 16 + offset * size
    return memory[start : start + n * size].view(dtype)
