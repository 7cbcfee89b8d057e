# Makefile - the front door; the build itself is CMake's (CMakeLists.txt, CMakePresets.json).
#
# Every command first runs tools/setup, which installs what is missing of packages.txt.

PREFIX ?= /usr/local

.PHONY: build run test test-long format mutants bench install help clean

build:
	@tools/setup build
	@tools/build release

run:
	@tools/setup build run
	@tools/build release
	@build/release/libration run experiments/outer-solar-system.lbr --plot outer-solar-system.svg --force
	@echo; echo "drawn: outer-solar-system-spirals.svg, -orbits.svg, -energy.svg; what was run: experiments/outer-solar-system.lbr"

test:
	@tools/setup build run test
	@tools/test

test-long:
	@tools/setup build run test long
	@tools/test long

mutants:
	@tools/setup build run test long
	@tools/build release --target test_certify test_pairs
	@build/release/tests/test_certify every
	@build/release/tests/test_pairs
	@tools/mutants $(FILES)

format:
	@tools/setup test
	@tools/format

bench:
	@tools/setup build bench
	@tools/build release --target bench

install:
	@tools/setup build
	@tools/build release
	@cmake --install build/release --prefix "$(PREFIX)"

help:
	@echo "make                       build the library, the tool and the examples in build/release"
	@echo "make run                   the outer solar system with four methods: a table, claims, three pictures"
	@echo "make test                  all tests, with gcc, with sanitizers and in a minimal build"
	@echo "make test-long             all cases of these tests, under valgrind too, those that take long, and the fuzzers"
	@echo "make mutants [FILES=...]   each entry of each table, each sign of each stepper changed: who notices? takes hours"
	@echo "make format                lay out all C as .clang-format says"
	@echo "make bench                 speed, against loops written by hand and against peers"
	@echo "make install PREFIX=DIR    headers, libraries, tool, manual and completion for shells; default: /usr/local"
	@echo "make clean                 remove what was built"

clean:
	@rm -rf build outer-solar-system.svg
