# Two commands: `make demo` and `make test`. The logic is in cmake/setup.sh, CMakePresets.json and CMake.
.PHONY: demo test test-all bench setup
.NOTPARALLEL:
demo test: setup
	.venv/bin/cmake --workflow --preset $@

test-all: test
	.venv/bin/cmake --workflow --preset sanitize
	.venv/bin/cmake --workflow --preset thread

bench: setup
	.venv/bin/cmake --workflow --preset bench
	.venv/bin/python benchmarks/report.py build/bench/benchmarks/actinide_benchmark

setup:
	@./cmake/setup.sh
