"""Holds README.md, CONTRIBUTING.md and the limits in the formulas' headers to what the sources are and do.

docs_test.py CHECK [--build DIR] [--work DIR] [--cmake PATH] [--sanitizer NAME] [--write]

--write, with the check `limits`, copies tests/accuracy/limits.def to where its numbers are quoted; with `operators` it writes the operators'
pages anew.
"""

import argparse
import ast
import decimal
import json
import os
import pathlib
import re
import shutil
import struct
import subprocess
import sys

import markdown
import operator_pages  # and its path to tests/support
from notation import hexadecimal, value_of
from script_test import fresh

ROOT = pathlib.Path(__file__).resolve().parents[2]
DOCUMENTS = ("README.md", "CONTRIBUTING.md", "CHANGELOG.md", "docs/accuracy.md", "docs/arm.md", "docs/cuda.md", "docs/own_activation.md", "examples/README.md")
DOCUMENTS += tuple(sorted(path.relative_to(ROOT).as_posix() for path in ROOT.glob("docs/operators/*.md")))
TYPES = ("f16", "bf16", "f32", "f64")
SKIPPED = 77
PAGE_MARKERS = ("<!-- operator:begin -->", "<!-- operator:end -->")
LIMITS_PLACE = r"^// LIMITS.*?\n(?=//\n|(?!//))"  # in a formula's header, with re.MULTILINE and re.DOTALL
COMPILERS = {
    "c": ["gcc", "-std=c99", "-Wall", "-Wextra", "-Werror", "-pedantic"],
    "cpp": ["g++", "-std=c++20", "-Wall", "-Wextra", "-Werror", "-pedantic"],
}


def read(name):
    return (ROOT / name).read_text()


def run(*command, folder=None, home=None):
    """Output of a command that must succeed."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("PKG_CONFIG", "CMAKE_", "MAKE"))}
    environment["HOME"] = str(home or environment.get("HOME", "/"))
    command = [str(word) for word in command]
    result = subprocess.run(command, cwd=folder, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    print("+", " ".join(command), result.stdout.rstrip()[-8000:], sep="\n", flush=True)
    if result.returncode != 0:
        sys.exit(f"exit status {result.returncode}: {' '.join(command)}")
    return result.stdout


def the_list():
    """Operators and their types, from generators/CMakeLists.txt."""
    calls = re.findall(r"^actinide_add_activation\((\w+)\s(.*?)\)$", read("generators/CMakeLists.txt"), re.MULTILINE | re.DOTALL)
    return {operator: [word for word in rest.split() if word in TYPES] for operator, rest in calls}


def the_targets():
    """Of the source, for all architectures, and cuda; a build has those of one, or fewer."""
    return [*dict.fromkeys(re.findall(r"^actinide_target\((\w+)", read("cmake/targets.cmake"), re.MULTILINE)), "cuda"]


def built_in_targets(build):
    return re.findall(r"ACTINIDE_TARGET\((\w+)\)", (build / "generated/src/targets.inc").read_text())


def links(_):
    """Links and paths in the documents lead somewhere."""
    failures = []
    folders = "|".join(p.name for p in ROOT.iterdir() if p.is_dir() and not p.name.startswith(".") and p.name != "build")
    for document in DOCUMENTS:
        text = read(document)
        for link in markdown.links(text):
            path, _, anchor = link.partition("#")
            if re.match(r"https?:", link):
                continue
            if path and not (ROOT / document).parent.joinpath(path).exists():
                failures.append(f"{document}: the link to {path} leads nowhere")
            elif anchor and anchor not in markdown.anchors((ROOT / document).parent.joinpath(path or pathlib.Path(document).name).read_text()):
                failures.append(f"{document}: there is no heading #{anchor}")
        for name in markdown.names(text):
            if re.fullmatch(rf"(?:{folders})/[\w./-]*", name) and not (ROOT / name).exists():
                failures.append(f"{document}: there is no {name}")
    return failures


def support_table(_):
    """The README's table says what the list and the target table say."""
    table = next(t for t in markdown.tables(read("README.md")) if t[0] == ["operator", "types", "targets"])
    stated = {re.match(r"`(\w+)`", row[0])[1]: (row[1].split(), row[2].split()) for row in table[1:]}
    real = {operator: (types, the_targets()) for operator, types in the_list().items()}
    differing = [operator for operator in sorted({*stated, *real}) if stated.get(operator) != real.get(operator)]
    return [f"{operator}: README.md says {stated.get(operator)}, the sources {real.get(operator)}" for operator in differing]


def shell_lines(document):
    text = read(document)
    lines = [line for block in markdown.blocks(text) if block.language == "sh" for line in block.text.splitlines()]
    return lines + markdown.names(text)


def commands(_):
    """Targets of make, presets and labels that the documents name exist; .ci/run uses make as documented."""
    failures = []
    presets = json.loads(read("CMakePresets.json"))
    preset_names = {preset["name"] for kind in ("configurePresets", "testPresets", "workflowPresets") for preset in presets[kind]}
    labels = {path.parent.name for path in (ROOT / "tests").glob("*/CMakeLists.txt")}
    documented = set()
    for document in DOCUMENTS:
        for line in shell_lines(document):
            if match := re.match(r"make ([\w-]+(?: [A-Z]+=\S+)*)$", line):
                documented.add(match[1])
            failures += [f"{document}: no preset {name}" for name in re.findall(r"--preset ([\w-]+)", line) if name not in preset_names]
            failures += [f"{document}: no tests have the label {name}" for name in set(re.findall(r"ctest .*-L (\w+)", line)) - labels]
    if not {"demo", "test"} <= documented:
        failures.append("README.md names make demo and make test no more")
    in_ci = set()
    if (ROOT / ".ci/run").exists():
        in_ci = set(re.findall(r"\bmake ([\w-]+)", read(".ci/run")))
        failures += [f".ci/run uses make {target}, which no document names" for target in sorted(in_ci - documented)]
    for target in sorted(documented | in_ci):
        dry = subprocess.run(["make", "--dry-run", "-C", ROOT, *target.split()], capture_output=True, text=True)
        if dry.returncode != 0 or "Nothing to be done" in dry.stdout:
            failures.append(f"make {target} does nothing")
    stated = {row[0].strip("`") for table in markdown.tables(read("CONTRIBUTING.md")) if table[0][0] == "label" for row in table[1:]}
    if stated != labels:
        failures.append(f"CONTRIBUTING.md lists the labels {sorted(stated)}; tests/ has {sorted(labels)}")
    return failures


def cached_variables(build):
    return dict(re.findall(r"^(\w+):[A-Z]+=(.*)$", (build / "CMakeCache.txt").read_text(), re.MULTILINE))


def needs_other_target(line, built_in):
    """Does the line of shell choose a target that this build does not have?"""
    named = re.search(r"ACTINIDE_(?:MAX|FORCE)_TARGET=(\w+)", line)
    if named and named[1] not in built_in:
        print(f"skipped: {line}: {named[1]} is not built in; built in: {' '.join(built_in)}")
        return True
    return False


def write_npy(path, values):
    header = f"{{'descr': '<f4', 'fortran_order': False, 'shape': ({len(values)},), }}"
    header = header.ljust(117) + "\n"  # with the 10 bytes before it, a multiple of 64
    path.write_bytes(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode() + struct.pack(f"<{len(values)}f", *values))


def source_folder(arguments):
    """A folder that looks like that of the source, in which commands may write."""
    folder = arguments.work / "source"
    if not folder.exists():
        (folder / "build").mkdir(parents=True)
        for path in ROOT.iterdir():
            if path.name != "build":
                (folder / path.name).symlink_to(path)
    return folder


def arm_machine(arguments):
    """On an ARM Linux machine set-up and configuration end with one sentence that names the way."""
    work = fresh(arguments.work / "arm_machine")
    copy = work / "source"
    for name in ("cmake", "generators", "runtime"):
        shutil.copytree(ROOT / name, copy / name)
    for name in ("CMakeLists.txt", "requirements.txt"):
        shutil.copy(ROOT / name, copy)
    uname = work / "bin/uname"
    uname.parent.mkdir()
    uname.write_text('#!/bin/sh\ncase "$1" in -s) echo Linux;; -r) echo 6.1.0;; *) echo aarch64;; esac\n')
    uname.chmod(0o755)
    environment = os.environ | {"PATH": f"{uname.parent}:{os.environ['PATH']}"}
    failures = []
    for command in (["sh", copy / "cmake/setup.sh"], [arguments.cmake, "-S", copy, "-B", work / "build"]):
        result = subprocess.run(command, env=environment, capture_output=True, text=True)
        told = " ".join(result.stderr.split())
        print("+", *command, told, sep="\n")
        if result.returncode == 0 or "Halide is not distributed for ARM Linux: build on an x86-64 machine, with `make cross TARGET=" not in told:
            failures.append(f"{command[0]}: exit status {result.returncode}: {told}")
    return failures


REFUSED = (
    ("-DCMAKE_SYSTEM_NAME=Linux -DCMAKE_SYSTEM_PROCESSOR=riscv64", "Actinide has no kernels for the processor 'riscv64'."),
    ("-DCMAKE_SYSTEM_NAME=Windows -DCMAKE_SYSTEM_PROCESSOR=x86_64", "Actinide is not built for Windows."),
    ("-DCMAKE_SYSTEM_NAME=Generic -DCMAKE_SYSTEM_PROCESSOR=x86_64", "name one target with -DACTINIDE_TARGETS."),
    ("-DCMAKE_SYSTEM_NAME=Linux -DCMAKE_SYSTEM_PROCESSOR=aarch64", "CMAKE_SYSTEM_PROCESSOR is 'aarch64', but "),
    ("-DCMAKE_SYSTEM_NAME=Linux -DCMAKE_SYSTEM_PROCESSOR=armv7l -DACTINIDE_CUDA=ON", "CUDA is for 64-bit Linux, not for arm-32 and Linux."),
    ("-DACTINIDE_CUDA=ON -DACTINIDE_CUDA_ARCHITECTURES=8.0", "ACTINIDE_CUDA_ARCHITECTURES: '8.0' is no compute capability of 75 or more"),
    ("-DACTINIDE_TARGETS=neon", "ACTINIDE_TARGETS: 'neon' is not a target of x86-64."),
)


def refused(arguments):
    """Configurations that cannot work end with a sentence; the compiler is that of this x86-64 machine."""
    halide = cached_variables(arguments.build)["ACTINIDE_HALIDE_ROOT"]
    compilers = ["-DCMAKE_C_COMPILER=gcc", "-DCMAKE_CXX_COMPILER=g++", "-DCMAKE_TRY_COMPILE_TARGET_TYPE=STATIC_LIBRARY"]
    failures = []
    for options, sentence in REFUSED:
        build = fresh(arguments.work / "refused")
        command = [arguments.cmake, "-S", ROOT, "-B", build, f"-DACTINIDE_HALIDE_ROOT={halide}", *compilers, *options.split()]
        result = subprocess.run(command, capture_output=True, text=True)
        told = " ".join(result.stderr.split())
        print("+", options, told, sep="\n")
        if result.returncode == 0 or sentence not in told:
            failures.append(f"{options}: exit status {result.returncode}: {told}")
    return failures


def readme(arguments):
    """Follows README.md from top to bottom, in a folder where build/release is this build: its programs, their output, its commands."""
    work = fresh(arguments.work / "readme")
    shutil.rmtree(arguments.work / "source", ignore_errors=True)
    (work / "build").mkdir()
    (work / "build/release").symlink_to(arguments.build)
    (work / ".venv").symlink_to(ROOT / ".venv")
    write_npy(work / "in.npy", [-1.0, 0.0, 2.0])
    includes = [f"-I{ROOT}/runtime/include", f"-I{arguments.build}/generated/include"]
    libraries = [arguments.build / "runtime" / name for name in ("libactinide_cuda.a", "libactinide.a")] + ["-ldl"]
    built_in = built_in_targets(arguments.build)
    failures = []
    for block in markdown.blocks(read("README.md")):
        if block.language in COMPILERS:
            source = work / f"app.{block.language}"
            source.write_text(block.text)
            run(*COMPILERS[block.language], *includes, source, *libraries, "-o", work / "program")
            output = run(work / "program")
            if output != (block.output or ""):
                failures.append(f"README.md:{block.line}: prints {output!r}, not {block.output!r}")
        elif block.language == "cmake":
            named = re.match(r"# (\S+\.cmake)\n", block.text)
            (source_folder(arguments) / named[1] if named else work / "CMakeLists.txt").write_text(block.text)
        elif block.language == "sh" and "-S . -B build/" in block.text:
            compiler = "aarch64-linux-gnu-g++"
            if shutil.which(compiler):
                run("bash", "-euc", block.text, folder=source_folder(arguments))
            else:
                print(f"skipped: lines {block.line} and following need {compiler}")
        elif block.language == "sh":
            lines = [line for line in block.text.splitlines() if not line.startswith("make ")]  # the check `commands` has those
            lines = [line for line in lines if not needs_other_target(line, built_in)]
            if lines:
                run("bash", "-euc", "\n".join(lines), folder=work, home=work / "home")
        else:
            failures.append(f"README.md:{block.line}: nothing checks a block of '{block.language}'")
    return failures + examples(work)


def examples(work):
    """Follows examples/README.md, with what README.md installed."""
    folder = work / "examples"
    shutil.copytree(ROOT / "examples", folder)
    printed = ""
    for block in markdown.blocks(read("examples/README.md")):
        if "$STAGE" in block.text or "$HALIDE" in block.text:
            print(f"skipped: lines {block.line} and following need a cross build or Halide; tests/package follows them there")
        else:
            printed += run("bash", "-euc", block.text, folder=folder, home=work / "home")
    wanted = {name: read(f"examples/{name}/output.txt") for name in ("cpp_cmake", "c_pkg_config")}
    return [f"examples/{name} does not print its output.txt" for name, text in wanted.items() if text not in printed]


def contributing(arguments):
    """Adds the example of CONTRIBUTING.md to a copy of the sources as it says, builds it, and calls it."""
    copy = fresh(arguments.work / "contributing") / "source"
    copy.mkdir()
    for name in ("CMakeLists.txt", "LICENSE"):
        shutil.copy(ROOT / name, copy)
    for name in ("cmake", "generators", "runtime"):
        shutil.copytree(ROOT / name, copy / name)

    failures = []
    written = []
    for block in markdown.blocks(read("CONTRIBUTING.md")):
        if block.language == "sh":
            continue
        marked = re.match(r"(?://|#) (\S+/\S+)\n", block.text)
        if not marked:
            failures.append(f"CONTRIBUTING.md:{block.line}: nothing checks this block: its first line names no file")
            continue
        path = copy / marked[1]
        content = block.text[marked.end() :]
        if path.exists():  # the list
            text = path.read_text()
            path.write_text(text.replace("actinide_finish_list()", content + "actinide_finish_list()"))
        else:
            path.write_text(content)
            if path.suffix == ".h" and not re.search(LIMITS_PLACE, content, re.MULTILINE | re.DOTALL):
                failures.append(f"CONTRIBUTING.md:{block.line}: {marked[1]} has no place for limits")
        written.append(marked[1])
    if not any(name.endswith(".h") for name in written) or not any(name.endswith("CMakeLists.txt") for name in written):
        failures.append(f"CONTRIBUTING.md shows no complete example: {written}")

    # By make, which CMake takes where nobody asks for Ninja.
    options = ["-G", "Unix Makefiles", f"-DACTINIDE_HALIDE_ROOT={cached_variables(arguments.build)['ACTINIDE_HALIDE_ROOT']}"]
    options += ["-DCMAKE_BUILD_TYPE=Release", "-DACTINIDE_WARNINGS_AS_ERRORS=ON"]
    options += ["-DACTINIDE_BUILD_TESTS=OFF", "-DACTINIDE_BUILD_TOOLS=OFF"]
    build = copy.parent / "build"
    run(arguments.cmake, "-S", copy, "-B", build, *options)
    run(arguments.cmake, "--build", build, "--parallel", "2")
    program = copy.parent / "leaky_relu_test"
    includes = [f"-I{copy}/runtime/include", f"-I{build}/generated/include"]
    run(*COMPILERS["cpp"], *includes, ROOT / "tests/docs/leaky_relu_test.cpp", build / "runtime/libactinide.a", "-o", program)
    run(program)
    return failures


# What is changed in the tutorial's files, and the sentence that the build or the test must say then. codegen.generator_fits_the_list has
# attributes that differ.
MISTAKES = (
    ("mish.cpp", "select(is_nan(x) || !(is_finite(x) || is_below), x.stored, x.store(factor * (sum / rest)))", "factor * (sum / rest)", "build",
     "the formula returns float32 where a tensor of this type stores uint16"),
    ("mish.cpp", "x.store(factor * (sum / rest))", "factor * (sum / rest)", "build", "the formula joins values of types that do not match"),
    ("mish.cpp", "exp_of_negative(strict::multiply(minus_v, 0.5f), x.traits)", "Halide::tanh(minus_v)", "build", "calls a function of the C library for each element: tanhf"),
    ("swish.cpp", "root * root + 1.0f", "root * root + 1.001f", "test", "the error of swish f32 on "),
    ("CMakeLists.txt", "f32=7 f64=7", "f23=7", "configure", "the limit 'f23=7' is not <type>=<ULP> with one of the TYPES"),
    ("CMakeLists.txt", "PREFIX mine", "PREFIX actinide", "configure", "the PREFIX actinide is that of libactinide.a"),
)


def tutorial(arguments):
    """Follows docs/own_activation.md to the letter, and makes the mistakes that it names."""
    name = "docs/own_activation.md"
    work = fresh(arguments.work / "tutorial")
    (work / "build").mkdir()
    (work / "build/release").symlink_to(arguments.build)
    (work / ".venv").symlink_to(ROOT / ".venv")
    project = work / "home/activations"
    project.mkdir(parents=True)
    lines = []
    wanted = None
    for block in markdown.blocks(read(name)):
        if block.language == "sh":
            lines.append(block.text)
        elif named := re.match(r"(?://|#) (\S+)\n", block.text):
            (project / named[1]).write_text(block.text)
            wanted = block.output or wanted
        else:
            return [f"{name}:{block.line}: nothing checks a block of '{block.language}'"]
    output = run("bash", "-euc", "\n".join(lines), folder=work, home=work / "home")
    failures = [] if wanted and wanted in output else [f"{name}: app does not print {wanted!r}"]
    if "swish f32 on" not in output:
        failures.append(f"{name}: no report of errors")

    build = project / "build"
    options = [f"-DCMAKE_PREFIX_PATH={work}/home/actinide;{cached_variables(arguments.build)['ACTINIDE_HALIDE_ROOT']}", "-DCMAKE_BUILD_TYPE=Release"]
    steps = {
        "configure": [arguments.cmake, "-S", project, "-B", build, *options],
        "build": [arguments.cmake, "--build", build, "--parallel", "2", "--target"],
        "test": [build / "mine_swish_test", "--gtest_filter=Own.*"],
    }
    for file, right, wrong, fails, sentence in MISTAKES:
        text = (project / file).read_text()
        (project / file).write_text(text.replace(right, wrong))
        if right not in text:
            failures.append(f"{name}: {file} has no '{right}'")
        for step, command in steps.items():
            if step == "build":
                command = [*command, "mine_kernels_mish_f16" if file == "mish.cpp" else "mine_swish_test"]
            result = subprocess.run([str(word) for word in command], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
            if result.returncode != 0 or step == fails:
                told = " ".join(result.stdout.split())
                if step != fails or result.returncode == 0 or sentence not in told:
                    failures.append(f"{wrong}: {step} ended with {result.returncode} and does not say '{sentence}':\n{told[-2000:]}")
                break
        (project / file).write_text(text)
    return failures


def the_limits():
    """Rows of tests/accuracy/limits.def, as written there."""
    rows = re.findall(r"^LIMIT\((.*)\)$", read("tests/accuracy/limits.def"), re.MULTILINE)
    names = ("operator", "type", "arithmetic", "attributes", "limit", "worst", "alpha", "x", "returned", "exact")
    return [dict(zip(names, (field.strip() for field in row.split(",")), strict=True)) for row in rows]


ALPHAS = {"one": "1", "any": "any"}
ARITHMETIC = {"no_fma": "sse41, 32-bit neon", "fma": "avx2 avx512, 64-bit neon neon_fp16, cuda"}


def limits_table(rows):
    lines = ["| operator | type | targets | alpha | limit | worst | at x | returned | exact |", "|---|---|---|---|---|---|---|---|---|"]
    for row in rows:
        alpha = ALPHAS[row["attributes"]]
        x, returned = (hexadecimal(value_of(row["type"], ast.literal_eval(row[name]))) for name in ("x", "returned"))
        place = x if row["attributes"] == "one" else f"{x}, alpha {row['alpha'].rstrip('f')}"
        cells = (row["operator"], row["type"], ARITHMETIC[row["arithmetic"]], alpha, row["limit"], row["worst"], place, returned, row["exact"])
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines) + "\n"


def limits_for_header(operator):
    rows = [row for row in the_limits() if row["operator"] == operator]
    if not rows:
        return "// LIMITS: none; every result is exact.\n"
    lines = [
        "// LIMITS in ULP, where a result is rounded, and the worst that is known: at x, returned for exact. Alpha is 1 or any finite one but 0.",
        "// From tests/accuracy/limits.def, which names the alpha too. Targets with FMA, and those without: sse41 and 32-bit ARM's neon.",
    ]
    for row in rows:
        x, returned = (hexadecimal(value_of(row["type"], ast.literal_eval(row[name]))) for name in ("x", "returned"))
        digits = 20 if row["type"] == "f64" else 12
        exact = f"{decimal.Decimal(row['exact']):.{digits}g}"
        lines.append(
            f"//   {row['type']:<4} {row['arithmetic']:<6} {row['attributes']:<3}  {row['limit']:<4}  {row['worst']} at {x}, {returned} for {exact}"
        )
    return "\n".join(lines) + "\n"


def update(quotes, source, arguments):
    """Failures where a document does not have what it should at its place: (document, place, content). With --write it then has."""
    failures = []
    for name, place, wanted in quotes:
        text = read(name) if (ROOT / name).exists() else ""
        found = re.search(place, text, re.MULTILINE | re.DOTALL)
        if not found:
            failures.append(f"{name} has no place for {arguments.check}")
        elif found[0] != wanted and arguments.write:
            (ROOT / name).write_text(text[: found.start()] + wanted + text[found.end() :])
            print(f"written: {name}")
        elif found[0] != wanted:
            repair = f"to repair: .venv/bin/python tests/docs/docs_test.py {arguments.check} --write"
            failures.append(f"{name} does not say what {source} says; {repair}\nwanted:\n{wanted}")
    return failures


def limits(arguments):
    """README.md and the formulas' headers quote tests/accuracy/limits.def."""
    quotes = [("README.md", r"(?<=<!-- accuracy:begin -->\n).*?(?=<!-- accuracy:end -->)", limits_table(the_limits()))]
    for operator in the_list():
        quotes.append((f"generators/activations/{operator}.h", LIMITS_PLACE, limits_for_header(operator)))
    return update(quotes, "tests/accuracy/limits.def", arguments)


def operators(arguments):
    """docs/operators has a page of every operator, and it is what the sources and the last `make bench` give."""
    benchmarks = ROOT / "docs/benchmarks/README.md"
    report = benchmarks.read_text() if benchmarks.exists() else ""
    pages = []
    for operator, types in the_list().items():
        call = re.search(rf"^actinide_add_activation\({operator}\s(.*?)\)$", read("generators/CMakeLists.txt"), re.MULTILINE | re.DOTALL)[1]
        declaration = (types, re.findall(r"(\w+)=([\d.-]+)", call), re.search(r"\bONNX (\w+)", call)[1])
        rows = [row for row in the_limits() if row["operator"] == operator]
        header = read(f"generators/activations/{operator}.h")
        text = operator_pages.page(operator, declaration, the_targets(), header, limits_table(rows) if rows else "", report)
        name = f"docs/operators/{operator}.md"
        if arguments.write and not (ROOT / name).exists():
            (ROOT / name).parent.mkdir(exist_ok=True)
            (ROOT / name).write_text(PAGE_MARKERS[0] + "\n" + PAGE_MARKERS[1] + "\n")
        pages.append((name, rf"(?<={PAGE_MARKERS[0]}\n).*?(?={PAGE_MARKERS[1]})", text))
    failures = update(pages, "the list, the formula's header, the limits or the benchmarks", arguments)
    surplus = {path.relative_to(ROOT).as_posix() for path in ROOT.glob("docs/operators/*.md")} - {name for name, _, _ in pages}
    return failures + [f"{name} is of no operator" for name in sorted(surplus)]


CHECKS = {check.__name__: check for check in (links, support_table, commands, arm_machine, refused, readme, contributing, tutorial, limits, operators)}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("check", choices=CHECKS)
    parser.add_argument("--build", type=pathlib.Path)
    parser.add_argument("--work", type=pathlib.Path)
    parser.add_argument("--cmake")
    parser.add_argument("--sanitizer", default="")
    parser.add_argument("--write", action="store_true")
    arguments = parser.parse_args()
    if arguments.sanitizer and arguments.check in ("readme", "contributing", "tutorial"):
        print(f"skipped: the documents are about builds without sanitizers; this one has -fsanitize={arguments.sanitizer}")
        return SKIPPED
    failures = CHECKS[arguments.check](arguments)
    print("\n".join(failures) if failures else f"{arguments.check}: as documented")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
