"""Approaches to the times that one waits for before a program is of use: tests, builds, starts."""

from __future__ import annotations

from reducers.policies.approaches import Kind, Strategy

__all__ = ["KINDS"]

TEST_TIME = Kind(
    "test_time",
    "how long a test suite takes",
    (
        "test time",
        "test sec",
        "tests sec",
        "test duration",
        "test suite",
        "suite",
        "pytest",
        "jest",
        "vitest",
        "cargo test",
        "go test",
        "rspec",
        "ctest",
        "unittest",
        "tox",
        "nox",
        "faster test",
        "slow test",
    ),
    (
        Strategy(
            "parallel workers",
            "high",
            "Run the tests in several processes, split by file or by past duration.",
            "Most suites use one core and wait for it.",
            ("parallel", "xdist", "worker", "shard"),
        ),
        Strategy(
            "shared fixtures",
            "high",
            "Build expensive fixtures once a module or session, give each test a cheap copy.",
            "Set-up repeated for every test is usually the largest part.",
            ("fixture", "setup", "set up", "session scope"),
        ),
        Strategy(
            "no real waiting",
            "high",
            "Replace sleeps, timeouts and polling by events, fake clocks or shorter intervals.",
            "Sleeping tests cost wall time and test nothing.",
            ("sleep", "wait", "clock", "poll"),
        ),
        Strategy(
            "in-memory stand-ins",
            "high",
            "Swap disk, network and database for in-memory ones where the test is not about them.",
            "Input and output dwarf the logic under test.",
            ("in memory", "mock", "fake", "stub", "sqlite"),
        ),
        Strategy(
            "lighter imports",
            "medium",
            "Import heavy packages only in the tests that need them; cut what collection loads.",
            "Start-up and collection are paid by every process.",
            ("import", "collect", "lazy"),
        ),
        Strategy(
            "smaller inputs",
            "medium",
            "Shrink test data and iteration counts to the smallest that still fail for the bug.",
            "Large inputs seldom find more than well chosen small ones.",
            ("smaller", "shrink", "fewer", "reduce"),
        ),
        Strategy(
            "merge duplicate tests",
            "low",
            "Fold tests that exercise the same path into one parametrised case.",
            "Duplicate coverage costs time without finding anything new.",
            ("merge", "duplicate", "parametri"),
        ),
        Strategy(
            "runner options",
            "low",
            "Switch off plugins, coverage, capture and assertion rewriting that the run does not need.",
            "Each is a small tax on every test.",
            ("plugin", "coverage", "option", "flag"),
        ),
    ),
)

BUILD_TIME = Kind(
    "build_time",
    "how long a build or a compilation takes",
    (
        "build time",
        "build sec",
        "build duration",
        "compile",
        "compilation",
        "cargo build",
        "tsc",
        "webpack",
        "make j",
        "cmake",
        "ninja",
        "gradle",
        "bazel",
        "build fast",
        "build s",
        "build ms",
        "build",
    ),
    (
        Strategy(
            "compiler cache",
            "high",
            "Keep results between builds: ccache, sccache, a remote or persistent cache.",
            "Most of a build compiles what has not changed.",
            ("ccache", "sccache", "cache"),
        ),
        Strategy(
            "incremental units",
            "high",
            "Split what is rebuilt together so that a change touches less.",
            "The unit of rebuilding decides how much is done again.",
            ("increment", "split", "crate", "module"),
        ),
        Strategy(
            "parallel jobs",
            "high",
            "Raise job counts, remove artificial order from the dependency graph.",
            "A serial stretch of the graph bounds the whole build.",
            ("parallel", "jobs", "thread"),
        ),
        Strategy(
            "faster tools",
            "high",
            "Change the linker, bundler or transpiler: mold, lld, esbuild, swc.",
            "Newer tools do the same work several times faster.",
            ("mold", "lld", "esbuild", "swc", "linker"),
        ),
        Strategy(
            "fewer headers and imports",
            "medium",
            "Forward declarations, precompiled headers, narrower imports.",
            "Parsing the same text for every unit adds up.",
            ("header", "include", "import", "pch"),
        ),
        Strategy(
            "cheaper type checking",
            "medium",
            "Skip library checks, use project references, check apart from emitting.",
            "Checking is often the longest step and not needed for the result.",
            ("type check", "skiplib", "isolated", "typecheck"),
        ),
        Strategy(
            "fewer dependencies",
            "medium",
            "Drop packages and features that are hardly used.",
            "What is not there is not built.",
            ("depend", "feature", "drop", "remove"),
        ),
        Strategy(
            "lower optimisation where it is not needed",
            "low",
            "Build helpers, tests and debug targets unoptimised, without debug info.",
            "Optimising and debug info cost time in every unit.",
            ("optimi", "debug info", "profile", "lto"),
        ),
    ),
)

STARTUP_TIME = Kind(
    "startup_time",
    "how long a program takes until it is of use",
    (
        "startup",
        "start up",
        "boot",
        "cold start",
        "import time",
        "time to interactive",
        "launch",
        "cli start",
    ),
    (
        Strategy(
            "lazy imports",
            "high",
            "Load modules and plugins when they are first used.",
            "Most calls need a small part of what is loaded.",
            ("lazy", "import", "defer"),
        ),
        Strategy(
            "do less before the first answer",
            "high",
            "Move checks, connections and indexing after the first useful output.",
            "What nobody waits for does not count as starting.",
            ("background", "after first", "postpone", "async"),
        ),
        Strategy(
            "cache the parsed state",
            "high",
            "Keep parsed configuration, compiled templates or a snapshot on disk.",
            "Parsing the same input at every start is pure repetition.",
            ("cache", "snapshot", "precompute", "precompile"),
        ),
        Strategy(
            "lighter dependencies",
            "medium",
            "Replace a heavy package by a small one or by a few lines.",
            "One import may bring hundreds of modules.",
            ("depend", "replace", "lighter"),
        ),
        Strategy(
            "fewer files and calls",
            "medium",
            "Bundle modules, cut path look-ups and file system probes.",
            "Each file costs system calls, more so on cold disks.",
            ("bundle", "stat", "syscall", "zip"),
        ),
        Strategy(
            "ahead-of-time compilation",
            "medium",
            "Ship byte code, native images or a warmed cache.",
            "Compilation at start is moved to the build.",
            ("aot", "native", "bytecode", "byte code"),
        ),
        Strategy(
            "smaller runtime",
            "low",
            "Start the interpreter or VM with less: no site packages, smaller heap, class sharing.",
            "Runtime options trim a fixed part.",
            ("interpreter", "heap", "runtime flag", "cds"),
        ),
    ),
)

KINDS = (TEST_TIME, BUILD_TIME, STARTUP_TIME)
"""The kinds of this module."""
