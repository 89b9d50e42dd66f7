"""Bytes of the kernels and of the library, and how long the kernels took to generate, from a build folder."""

import pathlib
import re
import subprocess

KERNEL = re.compile(r"actinide_k_(?P<op>\w+)_(?P<type>f16|bf16|f32|f64)_(?P<target>\w+)\.o")


def sections(path):
    """Bytes of code and of constants of an object, or of all in an archive; without Halide's metadata, which no program gets."""
    listing = subprocess.run(["size", "-A", path], check=True, capture_output=True, text=True).stdout
    code = constants = 0
    is_kernel = False
    for line in listing.splitlines():
        name, *rest = line.split() or [""]
        if rest and rest[-1].endswith(":"):  # the object that follows
            is_kernel = pathlib.Path(name).name.startswith("actinide_k_")
        elif name.startswith(".text") and not name.endswith(("_argv", "_metadata")):
            code += int(rest[0])
        elif name.startswith(".rodata.") or (name.startswith((".rodata", ".data.rel.ro")) and not is_kernel):
            constants += int(rest[0])
    return code, constants


def generation_seconds(build):
    """Object -> seconds, of the latest run of its generator."""
    seconds = {}
    for line in (build / ".ninja_log").read_text().splitlines():
        words = line.split("\t")
        if len(words) >= 4 and words[3].startswith("kernels/"):
            seconds[pathlib.Path(words[3]).name] = (int(words[1]) - int(words[0])) / 1000
    return seconds


def collect(build):
    seconds = generation_seconds(build)
    kernels = []
    for path in sorted((build / "kernels").glob("actinide_k_*.o")):
        found = KERNEL.fullmatch(path.name)
        if not found or found["op"].startswith("naive_"):
            continue
        code, constants = sections(path)
        kernels.append({**found.groupdict(), "code": code, "constants": constants, "seconds": seconds.get(path.name)})
    library = next(build.glob("**/libactinide.a"))
    code, constants = sections(library)
    return {"kernels": kernels, "library": {"code": code, "constants": constants, "file": library.stat().st_size}}
