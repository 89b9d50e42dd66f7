# Two commands: `make demo` and `make test`. The logic is in cmake/setup.sh, CMakePresets.json and CMake.
.PHONY: demo test test-all setup
demo test: setup
	.venv/bin/cmake --workflow --preset $@

test-all: test
	.venv/bin/cmake --workflow --preset sanitize
	.venv/bin/cmake --workflow --preset thread

setup:
	@./cmake/setup.sh
