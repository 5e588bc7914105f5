"""Speed and memory against references, as ratios measured in one run (design, section 8).

`python -m tests.benchmarks` prints the table; `docs/benchmarks.md` explains it. None of it is a timed test.
"""
