"""Installs the library and uses the installed tree as strangers would: CMake, pkg-config, gcc, clang, shared objects, Debian's dpkg.

package_test.py CHECK --build DIR --source DIR --work DIR --cmake PATH --version X.Y.Z --architecture NAME --target NAME
    [--sanitizer NAME] [--build-type NAME] [--cuda] [--shared]

For a cross build also its compilers and tools (--triple, --processor, --cc, --cxx, --nm, --readelf, --strip), and --emulator, the beginning
of the command line that runs a program.
"""

import argparse
import json
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "support"))
from script_test import Skip, choice_of_target, fresh, need, status_of  # noqa: E402

HERE = pathlib.Path(__file__).parent
OLD_CMAKE = pathlib.Path("/usr/bin/cmake")
# Headers over other libraries: what the compiler is told, and what must be there, for them.
EXECUTORS = {"parallel": ([], "thread"), "openmp": (["-fopenmp"], "omp.h"), "onetbb": ([], "oneapi/tbb/parallel_for.h")}
STRICT_C = ["-std=c99", "-Wall", "-Wextra", "-Werror", "-pedantic"]
# Bytes of ours in a program that calls one kernel.
SIZE_LIMITS = {"arm-32": 8192}


def run(*command, expect_failure=False, folder=None, **variables):
    """Output of a command that must succeed, or fail; nothing of the caller's environment leads to another library."""
    command = [str(word) for word in command]
    environment = {"PATH": "/usr/bin:/bin", "HOME": os.environ.get("HOME", "/"), "LC_ALL": "C", **variables, **choice_of_target()}
    result = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, env=environment, cwd=folder)
    print("+", " ".join(command), result.stdout.rstrip(), sep="\n", flush=True)
    if (result.returncode != 0) != expect_failure:
        sys.exit(f"exit status {result.returncode}: {' '.join(command)}")
    return result.stdout


def need_program(name):
    path = shutil.which(name, path="/usr/bin:/bin")
    if path is None:
        raise Skip(f"{name} is not installed")
    return path


def carried(map_file, archive):
    """Bytes of the program that come from the archive, by member and section, as the linker's map tells."""
    placed = map_file.read_text().partition("\nLinker script and memory map\n")[2]
    sizes = {}
    is_loaded = False
    for indent, section, address, size, origin in re.findall(r"^( ?)([.\w]\S*)\s+0x(\w+)\s+0x(\w+)(?: (\S+))?$", placed, re.MULTILINE):
        if not indent:  # a section of the program; those that are not loaded, as debug information, have no address
            is_loaded = int(address, 16) != 0
        elif is_loaded and origin.startswith(f"{archive}(") and int(size, 16):
            key = f"{origin[len(str(archive)):]} {section}"
            sizes[key] = sizes.get(key, 0) + int(size, 16)
    return sizes


def operators(build):
    """Names of the list, from the table that the build made of it."""
    table = (pathlib.Path(build) / "generated/src/operator_table.inc").read_text()
    names = dict.fromkeys(re.findall(r"^ACTINIDE_ROW\((\w+),", table, re.MULTILINE))
    need(names, "the build's operator table has no row")
    return list(names)


def functions(include):
    """What the installed C headers declare, without and with those of CUDA."""
    names = [set(), set()]
    for header in include.rglob("*.h"):
        text = re.sub(r"/\*.*?\*/", "", header.read_text(), flags=re.DOTALL)
        of_cuda = header.relative_to(include).as_posix().startswith("actinide/cuda")
        names[of_cuda].update(re.findall(r"\b(actinide_\w+)\([^;{]*\) ACTINIDE_NOEXCEPT;", text))
    return names


class Package:
    def __init__(self, arguments):
        self.arguments = arguments
        self.work = pathlib.Path(arguments.work)
        self.prefix = self.work / "prefix"
        self.library = self.prefix / "lib/libactinide.a"
        self.libraries = [self.library, *([self.prefix / "lib/libactinide_cuda.a"] if arguments.cuda else [])]
        self.shared_libraries = [path.with_suffix(".so") for path in self.libraries] if arguments.shared else []
        self.is_cross = bool(arguments.triple)

    def run_program(self, program, *words, **variables):
        """The program's output, in emulation if it is for another machine."""
        emulator = shlex.split(self.arguments.emulator)
        if self.is_cross:
            if not emulator:
                raise Skip("built, but not run: the build has no emulator")
            path = shutil.which(emulator[0])
            if path is None:
                raise Skip(f"built, but not run: {emulator[0]} is not installed")
            emulator[0] = path
        return run(*emulator, program, *words, **variables)

    def run_consumer(self, program, *words, **variables):
        need("active target:" in self.run_program(program, *words, **variables), "the consumer printed no target")

    def need_shared(self):
        if not self.arguments.shared:
            raise Skip("the build has no shared libraries")

    def old_cmake(self):
        return OLD_CMAKE if OLD_CMAKE.exists() else self.arguments.cmake

    def need_only_libc(self, program, *and_these):
        needed = re.findall(r"NEEDED.*\[(.*)\]", run(self.arguments.readelf, "-d", program))
        need(sorted(needed) == sorted(["libc.so.6", *and_these]), f"{program} needs {needed}")

    def toolchain(self, name, *more):
        """What CMake is told of the compilers: nothing for this machine, else a toolchain file that has nothing of ours."""
        if not self.is_cross:
            return []
        variables = {"SYSTEM_NAME": "Linux", "SYSTEM_PROCESSOR": self.arguments.processor}
        variables |= {"C_COMPILER": self.arguments.cc, "CXX_COMPILER": self.arguments.cxx}
        file = self.folder(f"toolchain_of_{name}") / "board.cmake"
        file.write_text("\n".join([*(f"set(CMAKE_{name} {value})" for name, value in variables.items()), *more, ""]))
        return [f"-DCMAKE_TOOLCHAIN_FILE={file}"]

    def cached(self, variable):
        return re.search(rf"^{variable}:\w+=(.*)$", self.cache_text(), re.MULTILINE)[1]

    def cache_text(self):
        return (pathlib.Path(self.arguments.build) / "CMakeCache.txt").read_text()

    def folder(self, name):
        return fresh(self.work / name)

    def options_of_another_build(self, name):
        """With the generators and tools of this one."""
        options = ["-G", self.cached("CMAKE_GENERATOR"), *self.toolchain(name)]
        kept = ["CMAKE_MAKE_PROGRAM", "ACTINIDE_HALIDE_ROOT", "ACTINIDE_DLPACK_ROOT"]
        if self.is_cross:
            kept += ["ACTINIDE_HOST_BUILD", "ACTINIDE_HOST_CC", "ACTINIDE_HOST_CXX"]
        return options + [f"-D{name}={self.cached(name)}" for name in kept]

    def moved_prefix(self, name):
        """A copy of the installed tree elsewhere; the installed tree stays, so its paths must not be in the copy."""
        target = self.folder(name) / "tree"
        shutil.copytree(self.prefix, target)
        return target

    # Fixture: everything else uses its result.
    def install(self):
        fresh(self.prefix)
        run(self.arguments.cmake, "--install", self.arguments.build, "--prefix", self.prefix)

    def headers(self):
        """All but those over Halide, which tests/halide compiles."""
        include = self.prefix / "include"
        return sorted(header for header in include.rglob("*.h*") if include / "actinide/halide" not in header.parents and header.is_file())

    def layout(self):
        headers = ("actinide", "core", "dlpack_tensor", "operators", *operators(self.arguments.build))
        wanted = [
            *(f"include/actinide/{name}.{extension}" for name in headers for extension in ("h", "hpp")),
            *(f"include/actinide/{name}.hpp" for name in EXECUTORS),
            *(f"include/actinide/halide/{name}.h" for name in ("fusion", "traits")),
            *(f"include/actinide/halide/activations/{name}.h" for name in ("cases", *operators(self.arguments.build))),
            *(f"include/actinide/halide/numerics/{name}.h" for name in ("element_types", "expm1", "strict")),
            "lib/libactinide.a",
            "lib/cmake/Actinide/ActinideConfig.cmake",
            "lib/cmake/Actinide/ActinideConfigVersion.cmake",
            "lib/cmake/Actinide/ActinideHalideTargets.cmake",
            "lib/cmake/Actinide/ActinideTargets.cmake",
            "lib/pkgconfig/actinide.pc",
            "share/doc/actinide/LICENSE",
            "share/doc/actinide/LICENSE.dlpack",
            "include/dlpack/dlpack.h",
        ]
        if self.arguments.cuda:
            of_cuda = ("cuda", *(f"cuda/{name}" for name in headers if name != "actinide"))
            wanted += [f"include/actinide/{name}.{extension}" for name in of_cuda for extension in ("h", "hpp")]
            wanted += ["lib/libactinide_cuda.a", "lib/pkgconfig/actinide-cuda.pc"]
        minor_version = self.arguments.version.rpartition(".")[0]
        for library in self.shared_libraries:
            wanted += [f"lib/{library.name}{suffix}" for suffix in ("", f".{minor_version}", f".{self.arguments.version}")]
        files = sorted(p.relative_to(self.prefix).as_posix() for p in self.prefix.rglob("*") if p.is_file())
        allowed = r"bin/actinide|share/actinide/source/.+|lib/cmake/Actinide/ActinideTargets-\w+\.cmake|" + "|".join(map(re.escape, wanted))
        problems = [f"unexpected: {name}" for name in files if not re.fullmatch(allowed, name)]
        problems += [f"missing: {name}" for name in sorted(set(wanted) - set(files))]
        print(*problems, "installed:", *files, sep="\n")
        need(not problems, f"{len(problems)} installed files are not as they should be, see above")

    def no_trace_of_the_build(self):
        """No installed file leads back to the folders of the build or, but for the components halide and generators, to Halide. Debug information may."""
        if self.arguments.build_type.lower() in ("", "debug"):
            raise Skip(f"a build without optimisation (CMAKE_BUILD_TYPE={self.arguments.build_type}) keeps names that others drop")
        folder = self.folder("stripped")
        libraries = [*self.libraries, *self.prefix.glob("lib/*.so*")]
        for library in libraries:
            run(self.arguments.strip, "--strip-debug", "-o", folder / library.name, library)
        programs = self.prefix / "bin"
        files = [p for p in self.prefix.rglob("*") if p.is_file() and p not in libraries and p.parent != programs]
        for path in [*files, *folder.iterdir()]:
            content = path.read_bytes()
            of_component = path.name.startswith(("ActinideHalide", "ActinideConfig")) or any(
                self.prefix / folder in path.parents for folder in ("include/actinide/halide", "share/actinide/source")
            )
            need(of_component or b"halide" not in content.lower(), f"{path} names Halide")
            for folder in (self.arguments.build, self.arguments.source):
                need(folder.encode() not in content, f"{path} names {folder}")

    def cmake_cpp(self):
        """C++20 by the distribution's CMake and make."""
        if not OLD_CMAKE.exists() or ".venv" in str(OLD_CMAKE.resolve()):
            raise Skip(f"{OLD_CMAKE} is not installed")
        need_program("make")
        run(OLD_CMAKE, "--version")
        ways = {"cmake_cpp": [f"-DCMAKE_PREFIX_PATH={self.prefix}", *self.toolchain("cmake_cpp")]}
        if self.is_cross:
            # A toolchain file that keeps to its sysroot, with the package installed there.
            root = self.folder("sysroot")
            shutil.copytree(self.prefix, root / "usr")
            only = [f"set(CMAKE_FIND_ROOT_PATH_MODE_{kind} ONLY)" for kind in ("LIBRARY", "INCLUDE", "PACKAGE")]
            ways["cmake_cpp_sysroot"] = self.toolchain("cmake_cpp_sysroot", f"set(CMAKE_FIND_ROOT_PATH {root})", *only)
        for name, options in ways.items():
            for target in ("actinide::actinide", "actinide::shared") if self.arguments.shared else ("actinide::actinide",):
                build = self.folder(name)
                run(OLD_CMAKE, "-S", HERE / "cpp", "-B", build, "-G", "Unix Makefiles", f"-DCONSUMER_LIBRARY={target}", *options)
                need("halide" not in (build / "CMakeCache.txt").read_text().lower(), "configuring the consumer searched for Halide")
                run(OLD_CMAKE, "--build", build)
                needs_shared = "[libactinide.so." in run(self.arguments.readelf, "-d", build / "consumer")
                need(needs_shared == (target == "actinide::shared"), f"{target} gave the other form of the library")
                self.run_consumer(build / "consumer")

    def cmake_c(self):
        """A C program, in a project with and without C++; the prefix was moved to a path with a space."""
        prefix = self.moved_prefix("moved for cmake")
        cmake = self.old_cmake()
        for languages in ("C", "C;CXX"):
            build = self.folder("cmake_c")
            options = [f"-DCMAKE_PREFIX_PATH={prefix}", f"-DCONSUMER_LANGUAGES={languages}", *self.toolchain("cmake_c")]
            options.append("-DCMAKE_EXE_LINKER_FLAGS=-Wl,--no-as-needed")  # or an unused C++ library would not show
            run(cmake, "-S", HERE / "c", "-B", build, "-G", "Unix Makefiles", *options)
            run(cmake, "--build", build)
            self.need_only_libc(build / "consumer")
            self.run_consumer(build / "consumer")

    def cmake_requests(self):
        """Components and versions that find_package may be asked for."""
        major, minor, patch = map(int, self.arguments.version.split("."))
        accepted = ["CONFIG REQUIRED", f"{major}.{minor} CONFIG REQUIRED", f"{major}.{minor}.{patch} EXACT CONFIG REQUIRED"]
        accepted += [f"{major}.{minor} CONFIG REQUIRED COMPONENTS cpu", "CONFIG REQUIRED OPTIONAL_COMPONENTS teleport"]
        present = {"cpu": True, "cuda": self.arguments.cuda, "static": True, "shared": self.arguments.shared}
        components = " ".join(name for name, is_there in present.items() if is_there)
        accepted.append(f"CONFIG REQUIRED COMPONENTS {components}")
        unsuitable = "compatible with requested version"
        versions = [f"{major}.{minor + 1}", f"{major}.{minor}.{patch + 1}", f"{major + 1}.0"]
        if minor > 0:
            versions.append(f"{major}.{minor - 1}")
        refused = {f"{version} CONFIG REQUIRED": unsuitable for version in versions}
        for name in ("teleport", *(name for name, is_there in present.items() if not is_there)):
            refused[f"CONFIG REQUIRED COMPONENTS cpu {name}"] = f"Actinide has no component '{name}'. Components: {components} halide generators."
        for name in ("halide", "generators"):
            refused[f"CONFIG REQUIRED COMPONENTS cpu {name}"] = f"Its component '{name}' needs the package Halide"
        project = self.folder("cmake_requests")
        for number, (request, error) in enumerate([*((r, None) for r in accepted), *refused.items()]):
            text = f"cmake_minimum_required(VERSION 3.16)\nproject(ask LANGUAGES NONE)\nfind_package(Actinide {request})\n"
            (project / "CMakeLists.txt").write_text(text)
            options = ["-G", "Unix Makefiles", f"-DCMAKE_PREFIX_PATH={self.prefix}"]
            output = run(self.arguments.cmake, "-S", project, "-B", project / str(number), *options, expect_failure=error is not None)
            need(error is None or error in " ".join(output.split()), f"find_package(Actinide {request}) failed with another message")

    def library_folder(self):
        """lib for the prefix /usr too, where Debian's default is lib/x86_64-linux-gnu, unless another is asked for."""
        common = [f"-DACTINIDE_HALIDE_ROOT={self.cached('ACTINIDE_HALIDE_ROOT')}", "-DCMAKE_INSTALL_PREFIX=/usr"]
        common += ["-DACTINIDE_BUILD_TESTS=OFF", "-DACTINIDE_BUILD_TOOLS=OFF"]
        for options, wanted in (([], "lib"), (["-DCMAKE_INSTALL_LIBDIR=lib64"], "lib64")):
            build = self.folder("library_folder")
            run(self.arguments.cmake, "-S", self.arguments.source, "-B", build, "-G", "Unix Makefiles", *common, *options)
            install = "".join(p.read_text() for p in build.rglob("cmake_install.cmake"))
            need(f'"${{CMAKE_INSTALL_PREFIX}}/{wanted}" TYPE STATIC_LIBRARY' in install, f"the archive would not go to {wanted}")
            need(f"libdir=${{prefix}}/{wanted}\n" in (build / "actinide.pc").read_text(), f"actinide.pc does not say {wanted}")

    def pkg_config(self):
        need_program("pkg-config")
        moved = self.moved_prefix("moved_for_pkg_config")
        sysroot = self.folder("sysroot_for_pkg_config")
        shutil.copytree(self.prefix, sysroot / "usr")
        cases = [("here", self.prefix, [], {}), ("moved", moved, [], {}), ("defined_prefix", moved, ["--define-prefix"], {})]
        cases.append(("sysroot", sysroot / "usr", [], {"PKG_CONFIG_SYSROOT_DIR": str(sysroot)}))
        for name, prefix, options, variables in cases:
            variables["PKG_CONFIG_LIBDIR"] = str(prefix / "lib/pkgconfig")
            version = run("pkg-config", *options, "--modversion", "actinide", **variables).strip()
            need(version == self.arguments.version, f"pkg-config knows version {version}")
            flags = run("pkg-config", *options, "--cflags", "--libs", "actinide", **variables).split()
            need(prefix == self.prefix or str(self.prefix) not in " ".join(flags), "the moved actinide.pc still points to the old place")
            program = self.folder(f"pkg_config_{name}") / "consumer"
            run(self.arguments.cc, *STRICT_C, HERE / "c/main.c", *flags, "-o", program)
            self.run_consumer(program, **self.loader_path(prefix))
            flags = run("pkg-config", "--static", *options, "--cflags", "--libs", "actinide", **variables).split()
            run(self.arguments.cc, "-static", *STRICT_C, HERE / "c/main.c", *flags, "-o", program)
            self.run_consumer(program)

    def loader_path(self, prefix):
        """For a program that links the shared library in a prefix that the loader does not know."""
        path = f"{prefix}/lib"
        return {"LD_LIBRARY_PATH": path, "QEMU_SET_ENV": f"LD_LIBRARY_PATH={path}"} if self.arguments.shared else {}

    def plain(self, name, *compiler):
        """One compiler command, no library but C's."""
        folder = self.folder(f"plain_{name}")
        program = folder / "consumer"
        run(*compiler, *STRICT_C, f"-I{self.prefix}/include", HERE / "c/main.c", self.library, "-Wl,--no-undefined", "-o", program)
        tensors = folder / "tensors"
        run(*compiler, *STRICT_C, f"-I{self.prefix}/include", HERE / "tensors.c", self.library, "-Wl,--no-undefined", "-o", tensors)
        self.need_only_libc(tensors)
        need("the CPU" in self.run_program(tensors), "the consumer of tensors does not say who computes")
        include = self.prefix / "include"
        for header in (header for header in self.headers() if header.suffix == ".h"):
            alone = folder / "alone.c"
            alone.write_text(f"#include <{header.relative_to(include)}>\n" * 2 + "int main(void) { return 0; }\n")
            run(*compiler, *STRICT_C, "-fsyntax-only", f"-I{self.prefix}/include", alone)
        cpp = [*compiler, "-x", "c++", "-std=c++20", *STRICT_C[1:], "-fsyntax-only", f"-I{self.prefix}/include"]
        for header in self.headers():
            options, library = EXECUTORS.get(header.stem, ([], None))
            probe = subprocess.run([*cpp, *options, "-"], input=f"#include <{library}>\n", capture_output=True, text=True) if library else None
            if probe and probe.returncode != 0:
                print(f"left out: <{library}>, which {header.name} needs, is not there for {compiler[0]}")
                continue
            alone = folder / "alone.cpp"
            alone.write_text(f"#include <{header.relative_to(include)}>\n" * 2 + "int main() {}\n")
            run(*cpp, *options, alone)
        older = ["-x", "c++", "-std=c++17", "-fsyntax-only", f"-I{self.prefix}/include", alone]
        alone.write_text("#include <actinide/actinide.h>\n")
        run(*compiler, *older)
        alone.write_text("#include <actinide/actinide.hpp>\n")
        need("C++ interface needs C++20" in run(*compiler, *older, expect_failure=True), "C++17 was refused without the reason")
        self.need_only_libc(program)
        self.run_consumer(program)

    def plain_gcc(self):
        self.plain("gcc", self.arguments.cc)

    def plain_clang(self):
        self.plain("clang", need_program("clang"), *([f"--target={self.arguments.triple}"] if self.is_cross else []))

    def shared_object(self):
        """Position-independent: no relocation in text. Exports no kernel, or nothing of ours. Loaded, called, unloaded, twice."""
        folder = self.folder("shared_object")
        plugin = folder / "plugin.so"
        own = ["plugin_elu", "plugin_target"]
        options = ["-shared", "-fPIC", "-Wl,-z,text", "-Wl,-z,defs", "-Wl,--fatal-warnings"]
        for more, allowed in (([], own + [r"actinide_(?!k_)\w+", r"_ZN8actinide6detail\w+"]), (["-Wl,--exclude-libs,libactinide.a"], own)):
            run(self.arguments.cc, *STRICT_C, *options, *more, f"-I{self.prefix}/include", HERE / "plugin.c", self.library, "-o", plugin)
            need("TEXTREL" not in run(self.arguments.readelf, "-d", plugin), "the plugin has relocations in its text")
            exported = [line.split()[-1] for line in run(self.arguments.nm, "-D", "--defined-only", plugin).splitlines()]
            need(set(own) <= set(exported), f"the plugin exports {exported}")
            surplus = [name for name in exported if not re.fullmatch("|".join(allowed), name)]
            need(not surplus, f"the plugin also exports {surplus}")
        loader = folder / "load_plugin"
        run(self.arguments.cc, *STRICT_C, HERE / "load_plugin.c", "-o", loader, "-ldl")
        self.run_program(loader, plugin)

    def cuda(self):
        """The CUDA library from CMake, pkg-config and the compiler alone: it needs libc, and a driver only to work."""
        if not self.arguments.cuda:
            raise Skip("the build has no CUDA library")
        cmake = self.old_cmake()
        programs, takers_of_tensors = [], []
        for languages in ("C", "C;CXX"):
            build = self.folder(f"cuda_{len(programs)}")
            options = [f"-DCMAKE_PREFIX_PATH={self.prefix}", f"-DCONSUMER_LANGUAGES={languages}", *self.toolchain("cuda")]
            run(cmake, "-S", HERE / "cuda", "-B", build, "-G", "Unix Makefiles", *options)
            run(cmake, "--build", build)
            programs.append(build / "consumer")
            takers_of_tensors.append(build / "tensors")
        folder = self.folder("cuda")
        flags = run("pkg-config", "--cflags", "--libs", "actinide-cuda", PKG_CONFIG_LIBDIR=str(self.prefix / "lib/pkgconfig")).split()
        ways = {"pkg_config": flags, "plain": [f"-I{self.prefix}/include", *reversed(self.libraries), "-ldl", "-Wl,--no-undefined"]}
        for name, words in ways.items():
            run(self.arguments.cc, *STRICT_C, HERE / "cuda/main.c", *words, "-o", folder / name)
            programs.append(folder / name)
            takers_of_tensors.append(folder / f"{name}_tensors")
            run(self.arguments.cc, *STRICT_C, HERE / "tensors.c", *words, "-o", takers_of_tensors[-1])
        if self.arguments.shared:
            build = self.folder("cuda_shared")
            options = [f"-DCMAKE_PREFIX_PATH={self.prefix}", "-DCONSUMER_LIBRARY=actinide::cuda_shared", *self.toolchain("cuda")]
            run(cmake, "-S", HERE / "cuda", "-B", build, "-G", "Unix Makefiles", *options)
            run(cmake, "--build", build)
            need("CUDA: " in self.run_program(build / "consumer"), "the consumer of the shared library does not say whether there is CUDA")
            takers_of_tensors.append(build / "tensors")
        for program in programs:
            if not (self.arguments.shared and program.name == "pkg_config"):
                self.need_only_libc(program)
            output = self.run_program(program, **self.loader_path(self.prefix))
            need("CUDA: " in output, "the consumer does not say whether there is CUDA")
        for program in takers_of_tensors:
            output = self.run_program(program, **self.loader_path(self.prefix))
            need("the CPU and CUDA" in output, "actinide_elu does not take tensors of CUDA")

    def shared_library(self):
        """Exports the functions of the headers and nothing else, under the version that its name says; needs nothing but libc."""
        self.need_shared()
        minor_version = self.arguments.version.rpartition(".")[0]
        of_cpu, of_cuda = functions(self.prefix / "include")
        # Which take the place of those of libactinide.so.
        of_cuda |= {f"actinide_{name}" for name in operators(self.arguments.build)}
        for library, names in zip(self.shared_libraries, (of_cpu, of_cuda)):
            need(names, f"the headers of {library.name} declare no function")
            exported = re.findall(r" [A-Z] (\w+)(?:@@(\S+))?$", run(self.arguments.nm, "-D", "--defined-only", library), re.MULTILINE)
            wanted = {(name, f"ACTINIDE_{minor_version}") for name in names}
            exported = {(name, version) for name, version in exported if not name.startswith("ACTINIDE_")}
            need(exported == wanted, f"{library.name}: exported and declared differ in {sorted(exported ^ wanted)}")
            dynamic = run(self.arguments.readelf, "-d", library)
            soname = re.findall(r"SONAME.*\[(.*)\]", dynamic)
            need(soname == [f"{library.name}.{minor_version}"], f"{library.name} is called {soname}")
            need(not re.search(r"TEXTREL|RPATH|RUNPATH.*\[(?!\$ORIGIN\])", dynamic), f"{library.name} has relocations in its text or names folders")
            self.need_only_libc(library, *([f"libactinide.so.{minor_version}"] if names is of_cuda else []))

    def two_copies(self):
        """The shared library and a plugin with the archive inside, in one process."""
        self.need_shared()
        folder = self.folder("two_copies")
        plugin, program = folder / "plugin.so", folder / "two_copies"
        options = ["-shared", "-fPIC", "-Wl,--exclude-libs,libactinide.a", f"-I{self.prefix}/include"]
        run(self.arguments.cc, *STRICT_C, *options, HERE / "plugin.c", self.library, "-o", plugin)
        options = [f"-I{self.prefix}/include", self.shared_libraries[0], "-ldl"]
        run(self.arguments.cc, *STRICT_C, HERE / "two_copies.c", *options, "-o", program)
        self.run_consumer(program, plugin, **self.loader_path(self.prefix))

    def beside_halide(self):
        """In one program with a Halide kernel that has Halide's runtime: both work, whatever the order on the command line."""
        generator = pathlib.Path(self.arguments.build) / "generators/actinide_generate_elu"
        if not generator.exists():
            raise Skip("the build has no generators of its own: their kernels are for another machine")
        folder = self.folder("beside_halide")
        words = ["-g", "elu", "-f", "their_kernel", "-n", "theirs", "-e", "object", "-o", folder]
        run(generator, *words, "type=f32", "arguments=x,alpha,y", "target=x86-64-linux-sse41")
        symbols = run(self.arguments.nm, folder / "theirs.o")
        need(re.search(r" [TW] halide_error$", symbols, re.MULTILINE), "their library has no runtime")
        include = [f"-I{self.prefix}/include", "-isystem", f"{self.cached('ACTINIDE_HALIDE_ROOT')}/include"]
        # Only what is called, and everything.
        orders = {"called": [folder / "theirs.o", self.library]}
        orders["whole"] = ["-Wl,--whole-archive", *reversed(self.libraries), "-Wl,--no-whole-archive", folder / "theirs.o"]
        for name, words in orders.items():
            options = ["-std=c++20", "-Wall", "-Wextra", "-Werror", *include]
            run(self.arguments.cxx, *options, HERE / "beside_halide.cpp", *words, "-ldl", "-lpthread", "-o", folder / name)
            self.run_consumer(folder / name)

    def build_tree(self):
        """The build folder as the package, without installation."""
        for target in ("actinide::actinide", "actinide::shared") if self.arguments.shared else ("actinide::actinide",):
            build = self.folder("build_tree")
            options = [f"-DActinide_DIR={self.arguments.build}", f"-DCONSUMER_LIBRARY={target}", *self.toolchain("build_tree")]
            run(self.old_cmake(), "-S", HERE / "cpp", "-B", build, "-G", "Unix Makefiles", *options)
            run(self.old_cmake(), "--build", build)
            self.run_consumer(build / "consumer")

    def subdirectory(self):
        """As a part of a project, which gets the archive, or the shared library if it wants those; what is installed then has no archive."""
        folder = self.folder("subdirectory")
        build, prefix = folder / "build", folder / "prefix"
        options = [*self.options_of_another_build("subdirectory"), f"-DCONSUMER_ACTINIDE={self.arguments.source}"]
        # Cross builds have that in example_own_activation.
        options.append(f"-DCONSUMER_OWN_ACTIVATION={'OFF' if self.is_cross else 'ON'}")
        for more, library in (([], "libactinide.a"), (["-DBUILD_SHARED_LIBS=ON", "-DACTINIDE_INSTALL=ON"], "libactinide.so")):
            run(self.arguments.cmake, "-S", HERE / "subdirectory", "-B", build, *options, *more)
            linked = (build / "linked.txt").read_text()
            need(re.fullmatch(rf"{library}[\d.]*", linked), f"actinide::actinide is {linked}")
        run(self.arguments.cmake, "--build", build, "--parallel", 2)
        self.run_consumer(build / "consumer")
        if not self.is_cross:
            self.run_example(build / "own_consumer", (pathlib.Path(self.arguments.source) / "examples/own_activation/output.txt").read_text())
        run(self.arguments.cmake, "--install", build, "--prefix", prefix)
        need(not list(prefix.rglob("*.a")), "the archive was installed")
        consumer = folder / "consumer"
        options = [f"-DCMAKE_PREFIX_PATH={prefix}", *self.toolchain("subdirectory")]
        run(self.old_cmake(), "-S", HERE / "c", "-B", consumer, "-G", "Unix Makefiles", *options)
        run(self.old_cmake(), "--build", consumer)
        need("[libactinide.so." in run(self.arguments.readelf, "-d", consumer / "consumer"), "actinide::actinide is not the shared library")
        self.run_consumer(consumer / "consumer")

    def deb(self):
        """Debian packages: made, looked at, installed by dpkg below another root, used there, removed."""
        self.need_shared()
        cpack = pathlib.Path(self.arguments.cmake).with_name("cpack")
        if not cpack.exists() or os.geteuid() != 0:
            raise Skip("cpack is not beside cmake" if not cpack.exists() else "dpkg installs as root only")
        need_program("dpkg")
        folder = self.folder("deb")
        run(cpack, "-G", "DEB", "-B", folder, "--config", pathlib.Path(self.arguments.build) / "CPackConfig.cmake", folder=folder)
        packages = sorted(folder.glob("packages/*.deb"))
        runtime = f"libactinide{self.arguments.version.rpartition('.')[0]}"
        version = f"{self.arguments.version}-1"
        architecture = {"arm-32": "armhf", "arm-64": "arm64", "x86-64": "amd64"}[self.arguments.architecture]
        wanted = [f"{name}_{version}_{architecture}.deb" for name in ("libactinide-dev", runtime)]
        need([p.name for p in packages] == wanted, f"made: {packages}")
        fields = [dict(re.findall(r"^(\S+): (.*)$", run("dpkg-deb", "--field", p), re.MULTILINE)) for p in packages]
        need(fields[0]["Depends"] == f"{runtime} (= {version}), libdlpack-dev" and fields[0]["Section"] == "libdevel", f"control fields: {fields[0]}")
        need(re.fullmatch(r"libc6 \(>= [\d.]+\)", fields[1]["Depends"]) and fields[1]["Section"] == "libs", f"control fields: {fields[1]}")

        root = folder / "root"
        (root / "var/lib/dpkg/info").mkdir(parents=True)
        (root / "var/lib/dpkg/updates").mkdir()
        (root / "var/lib/dpkg/status").touch()
        # Of the packages that ours need, the root has none; nothing is run in it.
        dpkg = ["dpkg", f"--root={root}", "--force-depends", "--force-architecture", "--force-script-chrootless"]
        path_of_root = {"PATH": "/usr/sbin:/usr/bin:/sbin:/bin"}
        run(*dpkg, "--install", *packages, **path_of_root)
        owned = {name: run(*dpkg, "--listfiles", name).split() for name in (runtime, "libactinide-dev")}
        for name, files in owned.items():
            need(f"/usr/share/doc/{name}/copyright" in files, f"{name} has no licence")
        need("/usr/include/actinide/actinide.h" in owned["libactinide-dev"], "libactinide-dev has no header")
        need(not any("dlpack.h" in file for file in owned["libactinide-dev"]), "libactinide-dev has a file of libdlpack-dev")
        if not pathlib.Path("/usr/include/dlpack/dlpack.h").exists():
            shutil.copytree(pathlib.Path(self.cached("ACTINIDE_DLPACK_ROOT")) / "dlpack", root / "usr/include/dlpack")
        shared_objects = [file for files in owned.values() for file in files if re.search(r"\.so\.[\d.]+$", file)]
        need(len(shared_objects) == 2 * len(self.shared_libraries), f"the packages have {shared_objects}")
        need(all(file in owned[runtime] for file in shared_objects), f"{runtime} lacks some of {shared_objects}")

        for target in ("actinide::actinide", "actinide::shared"):
            build = self.folder("deb_consumer")
            options = [f"-DCMAKE_PREFIX_PATH={root}/usr", f"-DCONSUMER_LIBRARY={target}", *self.toolchain("deb")]
            run(self.old_cmake(), "-S", HERE / "cpp", "-B", build, "-G", "Unix Makefiles", *options)
            run(self.old_cmake(), "--build", build)
            self.run_consumer(build / "consumer")
        run(*dpkg, "--purge", "libactinide-dev", runtime, **path_of_root)
        left = [str(p) for p in root.rglob("*actinide*")]
        need(not left, f"after removal there is still {left}")

    def only_what_is_called(self):
        """A program that calls elu for f32 carries the kernels of elu for f32: its size does not grow with the list."""
        folder = self.folder("only_what_is_called")
        call_on = folder / "call_on.c"
        call_on.write_text("#include <actinide/elu.h>\nint main(void) { return actinide_elu_f32_on(NULL, NULL, NULL, 0, 1.0f); }\n")
        cases = [(HERE / "c/main.c", ["actinide_elu_f32"], "f32"), (call_on, ["actinide_elu_f32_on"], "f32")]
        of_tensors = ["actinide_elu", "actinide_cpu_elu", *(f"actinide_elu_{t}" for t in ("f16", "bf16", "f32", "f64"))]
        cases.append((HERE / "tensors.c", of_tensors, r"\w+"))
        for source, allowed, types in cases:
            program = folder / source.stem
            run(self.arguments.cc, *STRICT_C, f"-I{self.prefix}/include", source, self.library, "-o", program)
            symbols = run(self.arguments.nm, program)
            names = set(re.findall(r"\b(actinide_k_\w+?)(?:_argv|_metadata)?$", symbols, re.MULTILINE))
            need(names, "the program carries no kernel")
            surplus = [name for name in sorted(names) if not re.match(f"actinide_k_elu_{types}_", name)]
            own = "|".join(operators(self.arguments.build))
            functions = re.findall(rf"\b(actinide_(?:cpu_)?(?:{own})(?:_(?:f16|bf16|f32|f64)(?:_on)?)?)$", symbols, re.MULTILINE)
            surplus += [name for name in functions if name not in allowed]
            need(set(functions) >= set(allowed), f"the program carries {functions}")
            need(not surplus, f"the program also carries {surplus}")

    def size(self):
        """What of ours is in a small program that calls one kernel."""
        folder = self.folder("size")
        program, map_file = folder / "one_call", folder / "one_call.map"
        options = ["-Os", "-static", "-ffunction-sections", "-fdata-sections", "-Wl,--gc-sections", f"-Wl,-Map={map_file}"]
        run(self.arguments.cc, *STRICT_C, *options, f"-I{self.prefix}/include", HERE / "one_call.c", self.library, "-o", program)
        sizes = carried(map_file, self.library)
        need(any("actinide_k_elu_f32_" in origin for origin in sizes), "the map names no kernel")
        total = sum(sizes.values())
        print(*(f"{size:7} {origin}" for origin, size in sizes.items()), f"{total:7} bytes", sep="\n")
        limit = SIZE_LIMITS.get(self.arguments.architecture, total)
        need(total <= limit, f"the program carries {total} bytes of ours; the limit is {limit}")
        name = {"arm-32": "32-bit ARM", "arm-64": "64-bit ARM", "x86-64": "x86-64"}[self.arguments.architecture]
        stated = int(re.search(rf"(\d+) bytes\s+on\s+{name}\b", (pathlib.Path(self.arguments.source) / "README.md").read_text())[1])
        # Compilers differ in what surrounds the kernels.
        need(abs(total - stated) < stated / 10, f"README.md says {stated} bytes, not {total}")
        self.run_program(program)

    def example(self, name, check=None):
        """A copy of the folder of an example, and what its program has to print."""
        folder = self.folder(check or f"example_{name}") / name
        shutil.copytree(pathlib.Path(self.arguments.source) / "examples" / name, folder)
        return folder, (folder / "output.txt").read_text()

    def run_example(self, program, wanted, **variables):
        output = self.run_program(program, **variables)
        need(output.endswith(wanted), f"the example prints {output!r} and not {wanted!r}")

    def example_cpp_cmake(self):
        folder, wanted = self.example("cpp_cmake")
        build = folder / "build"
        options = [f"-DCMAKE_PREFIX_PATH={self.prefix}", "-DCMAKE_CXX_FLAGS=-Wall -Wextra -Werror", *self.toolchain("example_cpp_cmake")]
        run(self.old_cmake(), "-S", folder, "-B", build, "-G", "Unix Makefiles", *options)
        run(self.old_cmake(), "--build", build)
        self.run_example(build / "example", wanted)

    def example_c_pkg_config(self):
        need_program("pkg-config")
        folder, wanted = self.example("c_pkg_config")
        for words in ([], ["STATIC=1"]):
            run("make", "-C", folder, f"CC={self.arguments.cc}", *words, PKG_CONFIG_LIBDIR=str(self.prefix / "lib/pkgconfig"))
            needs_shared = "[libactinide.so." in run(self.arguments.readelf, "-d", folder / "example")
            need(needs_shared == (self.arguments.shared and not words), f"make {words} linked the other form of the library")
            self.run_example(folder / "example", wanted)

    def example_cross_aarch64(self):
        need_program("aarch64-linux-gnu-gcc")
        if self.arguments.architecture != "arm-64":
            raise Skip("this build is not for 64-bit ARM; that of `make test-arm` is")
        folder, wanted = self.example("cross_aarch64")
        build = folder / "build"
        options = ["--toolchain", "aarch64.cmake", f"-DActinide_DIR={self.prefix}/lib/cmake/Actinide"]
        run(self.old_cmake(), "-S", folder, "-B", build, "-G", "Unix Makefiles", *options)
        run(self.old_cmake(), "--build", build)
        self.run_example(build / "example", wanted)

    def example_fused_halide(self):
        if self.arguments.architecture != "x86-64":
            raise Skip("the example's pipelines are for x86-64")
        folder, wanted = self.example("fused_halide")
        build = folder / "build"
        run(self.arguments.cmake, "-S", folder, "-B", build, f"-DCMAKE_PREFIX_PATH={self.prefix};{self.cached('ACTINIDE_HALIDE_ROOT')}")
        run(self.arguments.cmake, "--build", build, "--parallel", 2)
        self.run_example(build / "example", wanted)

    def own_activation(self, name, package, *targets):
        """Builds and runs examples/own_activation over the package; in a cross build its generators run here."""
        folder, wanted = self.example("own_activation", name)
        build = folder / "build"
        halide = self.cached("ACTINIDE_HALIDE_ROOT")
        options = [*package, f"-DCMAKE_PREFIX_PATH={self.prefix};{halide}", "-DCMAKE_CXX_FLAGS=-Wall -Wextra -Werror", *self.toolchain(name)]
        if self.is_cross:
            options += [f"-DCMAKE_CROSSCOMPILING_EMULATOR={';'.join(shlex.split(self.arguments.emulator))}", "-DCMAKE_EXE_LINKER_FLAGS=-static"]
        run(self.arguments.cmake, "-S", folder, "-B", build, *options)
        run(self.arguments.cmake, "--build", build, "--parallel", 2, "--target", "example", *targets)
        self.run_example(build / "example", wanted)
        return build

    def example_own_activation(self):
        """The installed tree; the activation's own tests run, too."""
        targets = [] if self.arguments.architecture == "arm-32" else ["own_softsign_test"]  # once in emulation is enough
        build = self.own_activation("example_own_activation", [], *targets)
        if not targets:
            return
        report = self.run_program(build / "own_softsign_test", "--gtest_filter=Own.*:Memory*", "--gtest_brief=1")
        need(re.search(r"softsign f32 on \w+: worst error 1\.\d+ ULP, limit 1\.5", report), "the test reports no error of f32")

    def build_tree_own_activation(self):
        self.own_activation("build_tree_own_activation", [f"-DActinide_DIR={self.arguments.build}"])

    def recipes(self):
        """The vcpkg port and the Conan recipe: this version, options that exist. The port is run with vcpkg's functions replaced."""
        source = pathlib.Path(self.arguments.source)
        port = source / "packaging/vcpkg/actinide"
        manifest = json.loads((port / "vcpkg.json").read_text())
        need(manifest["version"] == self.arguments.version, f"vcpkg.json is of version {manifest['version']}")
        folder = self.folder("recipes")
        halide = self.cached("ACTINIDE_HALIDE_ROOT")
        for feature in ("", *manifest["features"]):
            asked = folder / f"options{feature}.txt"
            script = folder / "port.cmake"
            script.write_text((HERE / "vcpkg_functions.cmake").read_text() + f'include("{port}/portfile.cmake")\n')
            variables = {"FEATURES": feature, "PORT": "actinide", "CURRENT_PACKAGES_DIR": folder / "packages", "OPTIONS_FILE": asked}
            words = [*(f"-D{name}={value}" for name, value in variables.items()), "-P", script]
            run(self.arguments.cmake, *words, ACTINIDE_HALIDE_ROOT=halide)
            options = dict(re.findall(r"^-D(\w+)=(.*)$", asked.read_text(), re.MULTILINE))
            need(options["ACTINIDE_INSTALL_DLPACK"] == "OFF" and "dlpack" in manifest["dependencies"], "the port has a file of the port dlpack")
            cuda = "ON" if feature == "cuda" else "OFF"
            need(options["ACTINIDE_HALIDE_ROOT"] == halide and options["ACTINIDE_CUDA"] == cuda, f"the port asks for {options}")
            unknown = [name for name in options if not re.search(rf"^{name}:", self.cache_text(), re.MULTILINE)]
            need(not unknown, f"the build has no option {unknown}")
        need("Set ACTINIDE_HALIDE_ROOT" in run(self.arguments.cmake, *words, expect_failure=True), "without Halide the port does not say so")

        recipe = source / "packaging/conan"
        for path in recipe.rglob("*.py"):
            compile(path.read_text(), str(path), "exec")
        names = set(re.findall(r"\bACTINIDE_\w+", (recipe / "conanfile.py").read_text()))
        unknown = [name for name in names if not re.search(rf"^{name}:", self.cache_text(), re.MULTILINE)]
        need(names and not unknown, f"the build has no option {unknown}")
        conan = shutil.which("conan")
        if conan is None:
            print("left out: conan, which would read its recipe, is not installed")
        else:
            told = run(conan, "inspect", recipe, CONAN_HOME=str(folder / "conan"))
            need(f"\nversion: {self.arguments.version}\n" in told, "the recipe is of another version")

    def freestanding(self):
        """A library for one target that is named takes nothing from outside; a program without any library calls it."""
        folder = self.folder("freestanding")
        build, prefix = folder / "build", folder / "prefix"
        options = self.options_of_another_build("freestanding")
        options += ["-DCMAKE_CXX_FLAGS=-fstack-protector-strong"]  # Ubuntu's default
        options += [f"-DACTINIDE_TARGETS={self.arguments.target}", "-DACTINIDE_BUILD_TESTS=OFF", "-DACTINIDE_BUILD_TOOLS=OFF"]
        run(self.arguments.cmake, "-S", self.arguments.source, "-B", build, *options)
        run(self.arguments.cmake, "--build", build, "--parallel", 2)
        run(self.arguments.cmake, "--install", build, "--prefix", prefix)
        library = prefix / "lib/libactinide.a"
        symbols = run(self.arguments.nm, library)
        undefined = set(re.findall(r"^ +[Uvw] (\w+)$", symbols, re.MULTILINE))
        undefined -= set(re.findall(r"^[0-9a-f]+ \w (\w+)$", symbols, re.MULTILINE))
        # The linker makes it.
        need(undefined <= {"_GLOBAL_OFFSET_TABLE_"}, f"the archive takes from outside: {sorted(undefined)}")
        program = folder / "freestanding"
        options = ["-O2", "-ffreestanding", "-nostdlib", "-static", "-Wl,--fatal-warnings", f'-DTARGET="{self.arguments.target}"']
        run(self.arguments.cc, *STRICT_C, *options, f"-I{prefix}/include", HERE / "freestanding.c", library, "-o", program)
        self.run_program(program)


def main():
    helpers = ("run_program", "run_consumer", "need_shared", "old_cmake", "cache_text", "need_only_libc", "toolchain", "cached", "folder")
    helpers += ("moved_prefix", "example", "run_example", "options_of_another_build", "loader_path", "plain", "headers", "own_activation")
    checks = [name for name in vars(Package) if not name.startswith("_") and name not in helpers]
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("check", choices=checks)
    for name in ("build", "source", "work", "cmake", "version", "architecture", "target"):
        parser.add_argument(f"--{name}", required=True)
    parser.add_argument("--sanitizer", default="")
    for name in ("cuda", "shared"):
        parser.add_argument(f"--{name}", action="store_true")
    parser.add_argument("--build-type", default="Release")
    for name, default in {"triple": "", "processor": "", "emulator": "", "cc": "gcc", "cxx": "g++"}.items():
        parser.add_argument(f"--{name}", default=default)
    for name in ("nm", "readelf", "strip"):
        parser.add_argument(f"--{name}", default=name)
    arguments = parser.parse_args()

    def check():
        if arguments.sanitizer:
            raise Skip(f"the library is built with -fsanitize={arguments.sanitizer}: its users would have to be, too")
        getattr(Package(arguments), arguments.check)()

    return status_of(check)


if __name__ == "__main__":
    sys.exit(main())
