"""Approaches to how fast a program does its work: runs, queries, work per second."""

from __future__ import annotations

from reducers.policies.approaches import Kind, Strategy

__all__ = ["KINDS"]

QUERY_LATENCY = Kind(
    "query_latency",
    "how long a database query or a request takes",
    (
        "query",
        "sql",
        "latency",
        "p50",
        "p95",
        "p99",
        "explain",
        "psql",
        "request time",
        "response time",
        "index scan",
    ),
    (
        Strategy(
            "the right index",
            "high",
            "Read the plan, then add a covering, partial or composite index for the predicate and order.",
            "A scan that becomes a look-up changes the order of growth.",
            ("index",),
        ),
        Strategy(
            "rewrite the query",
            "high",
            "Remove correlated sub-queries and functions on columns; filter before joining.",
            "The planner can only use what the query lets it.",
            ("rewrite", "join", "subquer", "sub quer", "cte"),
        ),
        Strategy(
            "fewer round trips",
            "high",
            "Batch, prefetch, or join instead of one query a row.",
            "The network's latency is paid for each trip.",
            ("batch", "n 1", "prefetch", "round trip"),
        ),
        Strategy(
            "cache results",
            "high",
            "Keep answers that are asked for again, with a clear rule for staleness.",
            "The fastest query is the one that is not run.",
            ("cache", "memoi", "materiali"),
        ),
        Strategy(
            "fetch less",
            "medium",
            "Select only the columns and rows needed; paginate by key.",
            "Bytes that are not read need no reading, sending or parsing.",
            ("column", "paginat", "limit", "projection"),
        ),
        Strategy(
            "precompute",
            "medium",
            "Aggregates or denormalised tables kept up to date on write.",
            "Work is moved to where it is done once.",
            ("precomput", "denormal", "aggregate", "rollup"),
        ),
        Strategy(
            "fresh statistics and settings",
            "medium",
            "Analyse tables, tune work memory, planner costs and parallel workers.",
            "A wrong estimate makes a wrong plan.",
            ("statistic", "analy", "work mem", "setting", "vacuum"),
        ),
        Strategy(
            "connection handling",
            "low",
            "Pool connections, prepare statements.",
            "Set-up and planning are repeated for every call otherwise.",
            ("pool", "prepare", "connection"),
        ),
    ),
)

THROUGHPUT = Kind(
    "throughput",
    "how much work is done in a unit of time",
    (
        "throughput",
        "rps",
        "qps",
        "ops",
        "requests per",
        "per second",
        "tokens per",
        "items per",
        "mb s",
        "wrk",
        "bandwidth",
    ),
    (
        Strategy(
            "batching",
            "high",
            "Handle many items a call: reads, writes, messages, system calls.",
            "Fixed costs are shared by the batch.",
            ("batch", "bulk", "vectori"),
        ),
        Strategy(
            "concurrency",
            "high",
            "Overlap waiting with work; more workers up to the point where they contend.",
            "A pipeline that waits is idle.",
            ("concurren", "parallel", "async", "worker", "thread"),
        ),
        Strategy(
            "remove the contended lock",
            "high",
            "Shard state, use thread-local buffers or lock-free structures at the bottleneck.",
            "One lock caps all workers.",
            ("lock", "shard", "contention"),
        ),
        Strategy(
            "cheaper serialisation",
            "medium",
            "A faster codec, fewer conversions, schemas known beforehand.",
            "Encoding is often the largest cost of a service.",
            ("serial", "codec", "json", "protobuf", "encod"),
        ),
        Strategy(
            "zero copy",
            "medium",
            "Pass slices, reuse buffers, avoid intermediate objects.",
            "Copies cost memory bandwidth and collection.",
            ("copy", "buffer", "reuse", "slice"),
        ),
        Strategy(
            "back pressure and queue sizes",
            "medium",
            "Bound queues, tune their sizes and pool sizes to the bottleneck.",
            "Overfull queues cost caches and retries.",
            ("queue", "back pressure", "backpressure", "pool"),
        ),
        Strategy(
            "transport options",
            "low",
            "Keep-alive, larger windows, no delay, compression where the network is the limit.",
            "Defaults suit small traffic.",
            ("keep alive", "keepalive", "nodelay", "compress", "socket"),
        ),
    ),
)

RUNTIME = Kind(
    "runtime",
    "how long a program or a function takes",
    (
        "runtime",
        "run time",
        "wall",
        "elapsed",
        "duration",
        "hyperfine",
        "seconds",
        "cpu time",
        "speed",
        "faster",
        "millis",
        "time ms",
        "time s",
        "total ms",
        "total s",
        "benchmark",
        "time",
    ),
    (
        Strategy(
            "better algorithm",
            "high",
            "Profile, then change the order of growth at the hottest place: hash, sort once, prune.",
            "Complexity beats constants on any input worth measuring.",
            ("algorithm", "complexity", "hash", "sort", "prune", "o n"),
        ),
        Strategy(
            "do not compute it twice",
            "high",
            "Cache, memoise, hoist out of loops, precompute tables.",
            "Repeated work is the commonest waste a profile shows.",
            ("cache", "memoi", "hoist", "precomput", "lookup table"),
        ),
        Strategy(
            "vectorise or batch",
            "high",
            "Replace element-wise loops by array operations or bulk calls.",
            "Per-item overhead goes, SIMD comes.",
            ("vectori", "simd", "numpy", "batch"),
        ),
        Strategy(
            "parallelise",
            "high",
            "Split independent work over cores or overlap it with waiting.",
            "Idle cores are the largest reserve.",
            ("parallel", "thread", "process pool", "async", "concurren"),
        ),
        Strategy(
            "data layout",
            "medium",
            "Contiguous, smaller, cache-friendly structures; arrays of fields in place of objects.",
            "Memory stalls dominate tight loops.",
            ("layout", "struct of", "contiguous", "locality", "cache line"),
        ),
        Strategy(
            "fewer allocations",
            "medium",
            "Reuse buffers, arenas, preallocate, avoid temporaries.",
            "Allocation and collection are taxes on every item.",
            ("alloc", "arena", "buffer", "reuse", "temporar"),
        ),
        Strategy(
            "less input and output",
            "medium",
            "Larger reads, buffering, a faster parser or format, no needless flush.",
            "System calls and parsing often outweigh the computation.",
            ("buffer", "i o", "parse", "mmap", "flush"),
        ),
        Strategy(
            "early exit",
            "medium",
            "Test the cheap or likely case first, stop when the answer is known.",
            "Work that is not begun is free.",
            ("early", "short circuit", "fast path", "shortcut"),
        ),
        Strategy(
            "compiler and flags",
            "low",
            "Optimisation level, link-time and profile-guided optimisation, a newer runtime.",
            "A few per cent without touching the logic.",
            ("flag", "lto", "pgo", "o3", "jit"),
        ),
    ),
)

KINDS = (QUERY_LATENCY, THROUGHPUT, RUNTIME)
"""The kinds of this module."""
