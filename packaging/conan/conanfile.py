"""Recipe for Conan 2, of the source that it stands in: `conan create packaging/conan`.

Building needs CMake 3.28 and the files of Halide's wheel, which no Conan package has: ACTINIDE_HALIDE_ROOT in the environment names
<site-packages>/halide. Beside it stands tvm_ffi with <dlpack/dlpack.h>, of which Conan Center has 0.4 alone, too old. The package that
comes out needs none of them and has that header.
"""

import os
import re

from conan import ConanFile
from conan.errors import ConanInvalidConfiguration
from conan.tools.cmake import CMake, CMakeToolchain, cmake_layout
from conan.tools.files import copy, load, rmdir

required_conan_version = ">=2.0"


class Actinide(ConanFile):
    name = "actinide"
    description = "Neural-network activations compiled ahead of time with Halide"
    license = "MIT"
    topics = ("neural-network", "activation", "simd", "halide")
    package_type = "library"
    settings = "os", "arch", "compiler", "build_type"
    options = {"shared": [True, False], "fPIC": [True, False], "cuda": [True, False]}
    default_options = {"shared": False, "fPIC": True, "cuda": False}
    implements = ["auto_shared_fpic"]

    @property
    def _source(self):
        return os.path.join(self.recipe_folder, "..", "..")

    def set_version(self):
        lists = load(self, os.path.join(self._source, "CMakeLists.txt"))
        self.version = re.search(r"project\(Actinide VERSION ([\d.]+)", lists)[1]

    def export_sources(self):
        for pattern in ("CMakeLists.txt", "LICENSE", "cmake/*", "generators/*", "runtime/*"):
            copy(self, pattern, self._source, self.export_sources_folder)

    def layout(self):
        cmake_layout(self)

    def validate(self):
        if self.settings.os not in ("Linux", "Android"):
            raise ConanInvalidConfiguration(f"Actinide is not built for {self.settings.os}")
        if self.settings.arch not in ("x86_64", "armv8", "armv7hf"):
            raise ConanInvalidConfiguration(f"Actinide has no kernels for {self.settings.arch}")

    def validate_build(self):
        if not os.path.isdir(os.path.join(os.environ.get("ACTINIDE_HALIDE_ROOT", ""), "include")):
            raise ConanInvalidConfiguration("set ACTINIDE_HALIDE_ROOT to <site-packages>/halide of the wheel halide==21.0.0")

    def generate(self):
        toolchain = CMakeToolchain(self)
        toolchain.cache_variables["ACTINIDE_HALIDE_ROOT"] = os.environ["ACTINIDE_HALIDE_ROOT"]
        toolchain.cache_variables["ACTINIDE_CUDA"] = bool(self.options.cuda)
        for name in ("ACTINIDE_SHARED", "ACTINIDE_BUILD_TOOLS", "ACTINIDE_BUILD_TESTS"):
            toolchain.cache_variables[name] = False
        toolchain.generate()

    def build(self):
        cmake = CMake(self)
        cmake.configure()
        cmake.build()

    def package(self):
        CMake(self).install()
        copy(self, "LICENSE*", os.path.join(self.package_folder, "share/doc/actinide"), os.path.join(self.package_folder, "licenses"))
        for folder in ("share", "lib/cmake", "lib/pkgconfig"):  # Conan makes these for whoever asks
            rmdir(self, os.path.join(self.package_folder, folder))

    def package_info(self):
        self.cpp_info.set_property("cmake_file_name", "Actinide")
        cpu = self.cpp_info.components["cpu"]
        cpu.libs = ["actinide"]
        cpu.set_property("cmake_target_name", "actinide::actinide")
        cpu.set_property("pkg_config_name", "actinide")
        if self.options.cuda:
            cuda = self.cpp_info.components["cuda"]
            cuda.libs = ["actinide_cuda"]
            cuda.system_libs = ["dl"]
            cuda.requires = ["cpu"]
            cuda.set_property("cmake_target_name", "actinide::cuda")
            cuda.set_property("pkg_config_name", "actinide-cuda")
