"""Installs the library and uses the installed tree as strangers would: CMake, pkg-config, gcc, clang, a shared object.

package_test.py CHECK --build DIR --source DIR --work DIR --cmake PATH --version X.Y.Z [--sanitizer NAME] [--build-type NAME]
"""

import argparse
import ctypes
import os
import pathlib
import re
import shutil
import subprocess
import sys

HERE = pathlib.Path(__file__).parent
OLD_CMAKE = pathlib.Path("/usr/bin/cmake")
SKIPPED = 77
STRICT_C = ["-std=c99", "-Wall", "-Wextra", "-Werror", "-pedantic"]


class Skip(Exception):
    pass


def run(*command, expect_failure=False, **variables):
    """Output of a command that must succeed, or fail; nothing of the caller's environment leads to another library."""
    command = [str(word) for word in command]
    environment = {"PATH": "/usr/bin:/bin", "HOME": os.environ.get("HOME", "/"), "LC_ALL": "C", **variables}
    for name in ("ACTINIDE_FORCE_TARGET", "ACTINIDE_MAX_TARGET"):
        if name in os.environ:
            environment[name] = os.environ[name]
    result = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, env=environment)
    print("+", " ".join(command), result.stdout.rstrip(), sep="\n", flush=True)
    if (result.returncode != 0) != expect_failure:
        sys.exit(f"exit status {result.returncode}: {' '.join(command)}")
    return result.stdout


def need(condition, message):
    if not condition:
        sys.exit(message)


def fresh(path):
    shutil.rmtree(path, ignore_errors=True)
    path.mkdir(parents=True)
    return path


def need_program(name):
    path = shutil.which(name, path="/usr/bin:/bin")
    if path is None:
        raise Skip(f"{name} is not installed")
    return path


def run_consumer(path):
    need("active target:" in run(path), "the consumer printed no target")


def need_only_libc(program):
    needed = re.findall(r"NEEDED.*\[(.*)\]", run("readelf", "-d", program))
    need(needed == ["libc.so.6"], f"{program} needs {needed}")


def operators(build):
    """Names of the list, from the table that the build made of it."""
    table = (pathlib.Path(build) / "generated/src/operator_table.inc").read_text()
    names = dict.fromkeys(re.findall(r"^ACTINIDE_ROW\((\w+),", table, re.MULTILINE))
    need(names, "the build's operator table has no row")
    return list(names)


class Package:
    def __init__(self, arguments):
        self.arguments = arguments
        self.work = pathlib.Path(arguments.work)
        self.prefix = self.work / "prefix"
        self.library = self.prefix / "lib/libactinide.a"

    def folder(self, name):
        return fresh(self.work / name)

    def moved_prefix(self, name):
        """A copy of the installed tree elsewhere; the installed tree stays, so its paths must not be in the copy."""
        target = self.folder(name) / "tree"
        shutil.copytree(self.prefix, target)
        return target

    # Fixture: everything else uses its result.
    def install(self):
        fresh(self.prefix)
        run(self.arguments.cmake, "--install", self.arguments.build, "--prefix", self.prefix)

    def layout(self):
        headers = ("actinide", "core", "operators", *operators(self.arguments.build))
        wanted = [
            *(f"include/actinide/{name}.{extension}" for name in headers for extension in ("h", "hpp")),
            "lib/libactinide.a",
            "lib/cmake/Actinide/ActinideConfig.cmake",
            "lib/cmake/Actinide/ActinideConfigVersion.cmake",
            "lib/cmake/Actinide/ActinideTargets.cmake",
            "lib/pkgconfig/actinide.pc",
            "share/doc/actinide/LICENSE",
        ]
        files = sorted(p.relative_to(self.prefix).as_posix() for p in self.prefix.rglob("*") if p.is_file())
        allowed = r"bin/actinide|lib/cmake/Actinide/ActinideTargets-\w+\.cmake|" + "|".join(map(re.escape, wanted))
        problems = [f"unexpected: {name}" for name in files if not re.fullmatch(allowed, name)]
        problems += [f"missing: {name}" for name in sorted(set(wanted) - set(files))]
        print(*problems, "installed:", *files, sep="\n")
        need(not problems, f"{len(problems)} installed files are not as they should be, see above")

    def no_trace_of_the_build(self):
        """No installed file leads back to Halide or to the folders of the build. Debug information may."""
        if self.arguments.build_type.lower() in ("", "debug"):
            raise Skip(f"a build without optimisation (CMAKE_BUILD_TYPE={self.arguments.build_type}) keeps names that others drop")
        stripped = self.folder("stripped") / "libactinide.a"
        run("strip", "--strip-debug", "-o", stripped, self.library)
        programs = self.prefix / "bin"
        files = [p for p in self.prefix.rglob("*") if p.is_file() and p != self.library and p.parent != programs]
        for path in [*files, stripped]:
            content = path.read_bytes()
            need(b"halide" not in content.lower(), f"{path} names Halide")
            for folder in (self.arguments.build, self.arguments.source):
                need(folder.encode() not in content, f"{path} names {folder}")

    def cmake_cpp(self):
        """C++20 by the distribution's CMake and make."""
        if not OLD_CMAKE.exists() or ".venv" in str(OLD_CMAKE.resolve()):
            raise Skip(f"{OLD_CMAKE} is not installed")
        need_program("make")
        run(OLD_CMAKE, "--version")
        build = self.folder("cmake_cpp")
        run(OLD_CMAKE, "-S", HERE / "cpp", "-B", build, "-G", "Unix Makefiles", f"-DCMAKE_PREFIX_PATH={self.prefix}")
        need("halide" not in (build / "CMakeCache.txt").read_text().lower(), "configuring the consumer searched for Halide")
        run(OLD_CMAKE, "--build", build)
        run_consumer(build / "consumer")

    def cmake_c(self):
        """A C program, in a project with and without C++; the prefix was moved to a path with a space."""
        prefix = self.moved_prefix("moved for cmake")
        cmake = OLD_CMAKE if OLD_CMAKE.exists() else self.arguments.cmake
        for languages in ("C", "C;CXX"):
            build = self.folder("cmake_c")
            options = [f"-DCMAKE_PREFIX_PATH={prefix}", f"-DCONSUMER_LANGUAGES={languages}"]
            options.append("-DCMAKE_EXE_LINKER_FLAGS=-Wl,--no-as-needed")  # or an unused C++ library would not show
            run(cmake, "-S", HERE / "c", "-B", build, "-G", "Unix Makefiles", *options)
            run(cmake, "--build", build)
            need_only_libc(build / "consumer")
            run_consumer(build / "consumer")

    def cmake_requests(self):
        """Components and versions that find_package may be asked for."""
        major, minor, patch = map(int, self.arguments.version.split("."))
        accepted = ["CONFIG REQUIRED", f"{major}.{minor} CONFIG REQUIRED", f"{major}.{minor}.{patch} EXACT CONFIG REQUIRED"]
        accepted += [f"{major}.{minor} CONFIG REQUIRED COMPONENTS cpu", "CONFIG REQUIRED OPTIONAL_COMPONENTS teleport"]
        unsuitable = "compatible with requested version"
        versions = [f"{major}.{minor + 1}", f"{major}.{minor}.{patch + 1}", f"{major + 1}.0"]
        if minor > 0:
            versions.append(f"{major}.{minor - 1}")
        refused = {f"{version} CONFIG REQUIRED": unsuitable for version in versions}
        refused["CONFIG REQUIRED COMPONENTS cpu teleport"] = "Actinide has no component 'teleport'. Components: cpu."
        project = self.folder("cmake_requests")
        for number, (request, error) in enumerate([*((r, None) for r in accepted), *refused.items()]):
            text = f"cmake_minimum_required(VERSION 3.16)\nproject(ask LANGUAGES NONE)\nfind_package(Actinide {request})\n"
            (project / "CMakeLists.txt").write_text(text)
            options = ["-G", "Unix Makefiles", f"-DCMAKE_PREFIX_PATH={self.prefix}"]
            output = run(self.arguments.cmake, "-S", project, "-B", project / str(number), *options, expect_failure=error is not None)
            need(error is None or error in " ".join(output.split()), f"find_package(Actinide {request}) failed with another message")

    def library_folder(self):
        """lib for the prefix /usr too, where Debian's default is lib/x86_64-linux-gnu, unless another is asked for."""
        cache = (pathlib.Path(self.arguments.build) / "CMakeCache.txt").read_text()
        wheel = re.search(r"^ACTINIDE_HALIDE_ROOT:\w+=(.*)$", cache, re.MULTILINE)[1]
        common = [f"-DACTINIDE_HALIDE_ROOT={wheel}", "-DCMAKE_INSTALL_PREFIX=/usr"]
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
        for name, prefix in (("here", self.prefix), ("moved", moved)):
            variables = {"PKG_CONFIG_LIBDIR": str(prefix / "lib/pkgconfig")}
            version = run("pkg-config", "--modversion", "actinide", **variables).strip()
            need(version == self.arguments.version, f"pkg-config knows version {version}")
            flags = run("pkg-config", "--cflags", "--libs", "actinide", **variables).split()
            need(name == "here" or str(self.prefix) not in " ".join(flags), "the moved actinide.pc still points to the old place")
            program = self.folder(f"pkg_config_{name}") / "consumer"
            run("gcc", *STRICT_C, HERE / "c/main.c", *flags, "-o", program)
            run_consumer(program)

    def plain(self, compiler):
        """One compiler command, no library but C's."""
        need_program(compiler)
        folder = self.folder(f"plain_{compiler}")
        program = folder / "consumer"
        run(compiler, *STRICT_C, f"-I{self.prefix}/include", HERE / "c/main.c", self.library, "-Wl,--no-undefined", "-o", program)
        run_consumer(program)
        need_only_libc(program)
        for header in sorted((self.prefix / "include/actinide").glob("*.h")):
            alone = folder / "alone.c"
            alone.write_text(f"#include <actinide/{header.name}>\n#include <actinide/{header.name}>\nint main(void) {{ return 0; }}\n")
            run(compiler, *STRICT_C, "-fsyntax-only", f"-I{self.prefix}/include", alone)
        for header in sorted((self.prefix / "include/actinide").glob("*.h*")):
            alone = folder / "alone.cpp"
            alone.write_text(f"#include <actinide/{header.name}>\n#include <actinide/{header.name}>\nint main() {{}}\n")
            run(compiler, "-x", "c++", "-std=c++20", *STRICT_C[1:], "-fsyntax-only", f"-I{self.prefix}/include", alone)
        older = ["-x", "c++", "-std=c++17", "-fsyntax-only", f"-I{self.prefix}/include", alone]
        alone.write_text("#include <actinide/actinide.h>\n")
        run(compiler, *older)
        alone.write_text("#include <actinide/actinide.hpp>\n")
        need("C++ interface needs C++20" in run(compiler, *older, expect_failure=True), "C++17 was refused without the reason")

    def plain_gcc(self):
        self.plain("gcc")

    def plain_clang(self):
        self.plain("clang")

    def shared_object(self):
        """Position-independent: no relocation in text. Loaded, called, unloaded, twice."""
        plugin = self.folder("shared_object") / "plugin.so"
        options = ["-shared", "-fPIC", "-Wl,-z,text", "-Wl,-z,defs", "-Wl,--fatal-warnings"]
        run("gcc", *STRICT_C, *options, f"-I{self.prefix}/include", HERE / "plugin.c", self.library, "-o", plugin)
        need("TEXTREL" not in run("readelf", "-d", plugin), "the plugin has relocations in its text")
        for _ in range(2):
            handle = ctypes.CDLL(str(plugin))
            handle.plugin_elu.argtypes = [ctypes.c_void_p, ctypes.c_void_p, ctypes.c_size_t, ctypes.c_float]
            handle.plugin_target.restype = ctypes.c_char_p
            values = (ctypes.c_float * 2)(-0.5, 3.0)
            need(handle.plugin_elu(values, values, 2, 2.0) == 0, "the call failed")
            need(abs(values[0] + 0.786938680574733153) < 1.2e-7 and values[1] == 3.0, f"elu gave {list(values)}")
            print("active target:", handle.plugin_target().decode())
            dlclose = ctypes.CDLL(None).dlclose
            dlclose.argtypes = [ctypes.c_void_p]
            need(dlclose(handle._handle) == 0, "dlclose failed")

    def only_what_is_called(self):
        """A program that calls elu for f32 carries the kernels of elu for f32: its size does not grow with the list."""
        program = self.folder("only_what_is_called") / "consumer"
        run("gcc", f"-I{self.prefix}/include", HERE / "c/main.c", self.library, "-o", program)
        names = set(re.findall(r"\b(actinide_k_\w+?)(?:_argv|_metadata)?$", run("nm", program), re.MULTILINE))
        need(names, "the program carries no kernel")
        surplus = [name for name in sorted(names) if not name.startswith("actinide_k_elu_f32_")]
        need(not surplus, f"the program also carries {surplus}")


def main():
    checks = [name for name in vars(Package) if not name.startswith("_") and name not in ("folder", "moved_prefix", "plain")]
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("check", choices=checks)
    for name in ("build", "source", "work", "cmake", "version"):
        parser.add_argument(f"--{name}", required=True)
    parser.add_argument("--sanitizer", default="")
    parser.add_argument("--build-type", default="Release")
    arguments = parser.parse_args()
    try:
        if arguments.sanitizer:
            raise Skip(f"the library is built with -fsanitize={arguments.sanitizer}: its users would have to be, too")
        getattr(Package(arguments), arguments.check)()
    except Skip as reason:
        print("skipped:", reason)
        return SKIPPED
    return 0


if __name__ == "__main__":
    sys.exit(main())
