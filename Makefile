# Two commands: `make demo` and `make test`. The logic is in cmake/setup.sh, CMakePresets.json and CMake.
.PHONY: demo test test-arm test-arm-quick test-cuda test-all accuracy mutate bench bench-compare cross deb setup
.NOTPARALLEL:
demo test: setup
	.venv/bin/cmake --workflow --preset $@

# TARGET: the triple of a Debian cross compiler, with a preset of that name.
cross:
	@case "$(TARGET)" in \
	  aarch64-linux-gnu|arm-linux-gnueabihf) ;; \
	  *) echo "make cross: TARGET is aarch64-linux-gnu or arm-linux-gnueabihf, not '$(TARGET)'; for another compiler see README.md" >&2; exit 2;; \
	esac
	@ACTINIDE_SETUP_EXTRA="$$ACTINIDE_SETUP_EXTRA g++-$(TARGET)" ./cmake/setup.sh
	.venv/bin/cmake --workflow --preset cross-$(TARGET)

# Debian packages in build/release/packages.
deb: setup
	.venv/bin/cmake --preset release
	.venv/bin/cmake --build --preset release --target stage
	cd build/release && ../../.venv/bin/cpack -G DEB

# Quick: without the sweeps of accuracy and consistency.
test-arm-quick: QUICK = quick-
test-arm test-arm-quick:
	@ACTINIDE_SETUP_EXTRA="$$ACTINIDE_SETUP_EXTRA g++-aarch64-linux-gnu g++-arm-linux-gnueabihf qemu-user busybox-static" ./cmake/setup.sh
	.venv/bin/cmake --workflow --preset $(QUICK)aarch64-linux-gnu
	.venv/bin/cmake --workflow --preset $(QUICK)arm-linux-gnueabihf

# Builds what needs a GPU, packs it, and runs the package as on another machine. Without a GPU all is skipped.
test-cuda: setup
	.venv/bin/cmake --workflow --preset cuda
	rm -rf build/cuda/unpacked && mkdir build/cuda/unpacked && tar -xzf build/cuda/actinide-cuda-tests.tar.gz -C build/cuda/unpacked
	build/cuda/unpacked/actinide-cuda-tests/run.sh || [ $$? -eq 77 ]

test-all: test test-arm test-cuda
	.venv/bin/cmake --workflow --preset sanitize
	.venv/bin/cmake --workflow --preset thread

# Every input of 16 and 32 bits, and 2^30 of float64, on every target of this machine.
accuracy:
	@ACTINIDE_SETUP_EXTRA="$$ACTINIDE_SETUP_EXTRA libmpfr-dev" ./cmake/setup.sh
	.venv/bin/cmake --preset release
	.venv/bin/cmake --build --preset release --target accuracy_exhaustive
	build/release/tests/accuracy/accuracy_exhaustive --csv build/release/accuracy.csv > build/release/accuracy.txt; \
	  status=$$?; cat build/release/accuracy.txt; exit $$status

# Breaks the library in many places, one at a time: a test must notice each.
mutate: setup
	.venv/bin/python tests/mutation/run.py --jobs 2

# Beside others: those of Debian, and the Python packages of PEERS_PYTHON. FILTER: names of benchmarks, as in benchmarks/benchmark.cpp.
PEERS_PYTHON = python3
bench:
	@ACTINIDE_SETUP_EXTRA="$$ACTINIDE_SETUP_EXTRA libeigen3-dev libsleef-dev libhwy-dev libdnnl-dev libxnnpack-dev libpthreadpool-dev \
	  libcpuinfo-dev python3-matplotlib" ./cmake/setup.sh
	.venv/bin/cmake --workflow --preset bench
	.venv/bin/python -B benchmarks/report.py build/bench --python "$(PEERS_PYTHON)" $(if $(FILTER),--filter '$(FILTER)')
	/usr/bin/python3 -B benchmarks/plot.py build/bench/benchmarks.json
	.venv/bin/python -B tests/docs/docs_test.py operators --write

# BASE: the revision to compare with.
bench-compare: setup
	.venv/bin/python -B benchmarks/compare.py "$(BASE)" $(if $(FILTER),--filter '$(FILTER)') $(if $(PROCESSES),--processes $(PROCESSES))

setup:
	@./cmake/setup.sh
