"""What libactinide_cuda.a takes from outside, and what it shows.

symbols   its undefined and defined symbols, and those of its kernel objects; the driver's functions that it looks up
exports   a shared object that contains it exports its functions, what libactinide.a has to show, and nothing else
programs  it links by a C compiler alone, and with any linker a program keeps the device code of the functions that it calls

symbols.py CHECK --library libactinide_cuda.a --cpu-library libactinide.a --kernels NAMES --include FOLDER... --work FOLDER
           [--sanitizer NAME] [--build-type NAME]
"""

import argparse
import pathlib
import re
import shutil
import subprocess
import sys

HERE = pathlib.Path(__file__).parent
sys.path += [str(HERE.parent / "codegen"), str(HERE.parent / "support")]
from disassembly import Binutils, run  # noqa: E402
from script_test import Skip, need, status_of  # noqa: E402

CALLED_BY_KERNEL_OBJECTS = {f"actinide_cuda_{name}" for name in ("initialize_kernels", "run", "finalize_kernels")}
# Words in the names of functions that no call may use.
FORBIDDEN = "Create|Destroy|Reset|SetCurrent|SetFlags|Synchronize|Alloc|Free|Mem(cpy|set)|Host|Module(Load|Unload)|Link"
SIZE_OF_MODULE = 128  # runtime/src/cuda/module.h
BINUTILS = Binutils("objdump", "nm")


def read_list(name):
    lines = [line.split() for line in (HERE / name).read_text().splitlines()]
    return [line for line in lines if line and not line[0].startswith("#")]


def patterns(arguments, kind=None):
    words = [re.fullmatch(r"actinide_k_(\w+)_(f16|bf16|f32|f64)_cuda(_any)?", name).groups() for name in arguments.kernels.split()]
    operators, types = ("|".join(sorted({word[i] for word in words})) for i in range(2))
    return [line[0].replace("<operator>", f"({operators})").replace("<type>", f"({types})") for line in read_list("defined_symbols.txt")
            if kind in (None, line[1])]


def check_symbols(arguments):
    undefined, defined = BINUTILS.symbols(arguments.library)
    _, of_cpu = BINUTILS.symbols(arguments.cpu_library)
    outside = undefined - defined - of_cpu
    entries = read_list("undefined_symbols.txt")
    failures = [f"the library needs {name}" for name in sorted(outside - {entry[0] for entry in entries})]
    failures += [f"the library no longer needs {entry[0]}" for entry in entries if entry[1] == "always" and entry[0] not in outside]
    allowed = patterns(arguments)
    failures += [f"the library defines {name}" for name in sorted(defined) if not any(re.fullmatch(p, name) for p in allowed)]
    failures += [f"the library defines nothing like {p}" for p in allowed if not any(re.fullmatch(p, name) for name in defined)]

    objects = pathlib.Path(arguments.work) / "objects"
    shutil.rmtree(objects, ignore_errors=True)
    objects.mkdir(parents=True)
    subprocess.run(["ar", "x", arguments.library], cwd=objects, check=True)
    for kernel in arguments.kernels.split():
        needs, has = BINUTILS.symbols(objects / f"{kernel}.o")
        if (needs, has) != (CALLED_BY_KERNEL_OBJECTS, {kernel}):
            failures.append(f"{kernel}.o needs {sorted(needs)} and defines {sorted(has)}")
    functions = set(re.findall(r"\bcu[A-Z]\w+", (objects / "driver.cpp.o").read_bytes().decode("latin-1")))
    if "cuLaunchKernel" not in functions:
        failures.append("driver.cpp.o does not name the driver's functions")
    failures += [f"the driver's {name} is looked up" for name in sorted(functions) if re.search(FORBIDDEN, name)]
    return failures


def compile_c(arguments, name, source, *options, compiler="gcc"):
    """Compiles and links a C source without the C++ library. Returns the path of what comes out."""
    work = pathlib.Path(arguments.work)
    work.mkdir(parents=True, exist_ok=True)
    (work / f"{name}.c").write_text(source)
    includes = [f"-I{folder}" for folder in arguments.include]
    run(compiler, work / f"{name}.c", *includes, *options, arguments.library, arguments.cpu_library, "-ldl", "-o", work / name)
    return work / name


def check_exports(arguments):
    source = "#include <actinide/cuda.h>\nint use(void) { return actinide_cuda_warm_up() + actinide_cuda_elu_f32(0, 0, 0, 1, 0); }\n"
    everything = ["-Wl,--whole-archive", arguments.library, arguments.cpu_library, "-Wl,--no-whole-archive"]
    failures = []
    for name, options in (("linked.so", []), ("whole.so", everything)):
        library = compile_c(arguments, name, source, "-shared", "-fPIC", *options)
        # GNU ld lists some hidden symbols, too, which nobody can find.
        symbols = [line.split() for line in run("readelf", "-W", "--dyn-syms", library).splitlines()]
        exported = {s[7] for s in symbols if len(s) == 8 and s[5] in ("DEFAULT", "PROTECTED") and s[6] not in ("UND", "Ndx")}
        own = exported - BINUTILS.symbols(arguments.cpu_library)[1] - {"use"}
        failures += [f"{name} exports {s}" for s in sorted(own) if not any(re.fullmatch(p, s) for p in patterns(arguments, "exported"))]
        if options:
            functions = {s for s in BINUTILS.symbols(arguments.library)[1] if any(re.fullmatch(p, s) for p in patterns(arguments, "exported"))}
            failures += [f"{name} does not export {s}" for s in sorted(functions - exported)]
    return failures


def modules(program):
    """How many kernel objects actinide_cuda_warm_up() finds in a program."""
    addresses = {fields[2]: int(fields[0], 16) for line in run("nm", program).splitlines() if len(fields := line.split()) == 3}
    ends = [addresses.get(f"__{end}_actinide_cuda_modules", 0) for end in ("start", "stop")]
    return (ends[1] - ends[0]) // SIZE_OF_MODULE


def check_programs(arguments):
    one, none = (f"#include <actinide/cuda.h>\nint main(void) {{ return actinide_cuda_warm_up() {more} > 99; }}\n"
                 for more in ("+ actinide_cuda_elu_f32(0, 0, 0, 1, 0)", ""))
    with_gc = ["-O2", "-ffunction-sections", "-Wl,--gc-sections"]
    failures, linked = [], 0
    for compiler, linker, flags in (("gcc", "bfd", []), ("gcc", "bfd", with_gc), ("gcc", "bfd", ["-static"]), ("gcc", "gold", with_gc),
                                    ("gcc", "lld", with_gc), ("clang", "lld", []), ("clang", "lld", with_gc)):
        if not shutil.which(compiler) or not shutil.which(f"ld.{linker}"):
            continue
        linked += 1
        for name, source, count in (("one", one, 2), ("none", none, 0)):
            program = compile_c(arguments, name, source, f"-fuse-ld={linker}", *flags, compiler=compiler)
            what = f"{name}.c by {' '.join([compiler, *flags])} with {linker}"
            if modules(program) != count:
                failures.append(f"{what}: warm_up finds {modules(program)} kernel objects, not {count}")
            kernels = set(re.findall(r"\bactinide_k_\w+", run("nm", program)))
            failures += [f"{what} contains {s}" for s in sorted(kernels) if count == 0 or not s.startswith("actinide_k_elu_f32_cuda")]
            if subprocess.run([program], check=False).returncode != 0:
                failures.append(f"{what} does not run")
    need(linked > 0, "no compiler and linker was found")
    return failures


CHECKS = {"symbols": check_symbols, "exports": check_exports, "programs": check_programs}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("check", choices=CHECKS)
    for name in ("library", "cpu-library", "kernels", "work"):
        parser.add_argument(f"--{name}", required=True)
    parser.add_argument("--include", action="append", required=True)
    parser.add_argument("--sanitizer", default="")
    parser.add_argument("--build-type", default="Release")
    arguments = parser.parse_args()

    def check():
        if arguments.sanitizer:
            raise Skip(f"the library is built with -fsanitize={arguments.sanitizer}, which adds symbols of its own")
        if arguments.build_type.lower() in ("", "debug"):
            raise Skip(f"the library is built without optimisation (CMAKE_BUILD_TYPE={arguments.build_type}); this is about what ships")
        failures = CHECKS[arguments.check](arguments)
        need(not failures, "\n".join(failures))
        print(f"{arguments.check}: {arguments.library} is as it should be")

    return status_of(check)


if __name__ == "__main__":
    sys.exit(main())
