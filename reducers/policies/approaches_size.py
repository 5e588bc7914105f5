"""Approaches to targets that are sizes: of bundles, images, and of a program's memory."""

from __future__ import annotations

from reducers.policies.approaches import Kind, Strategy

__all__ = ["KINDS"]

IMAGE_SIZE = Kind(
    "image_size",
    "how large a container image is",
    ("image size", "image mb", "image bytes", "docker", "container", "podman", "oci"),
    (
        Strategy(
            "smaller base",
            "high",
            "Start from distroless, alpine, slim or scratch.",
            "The base is usually most of the image.",
            ("base", "alpine", "distroless", "slim", "scratch"),
        ),
        Strategy(
            "multi-stage build",
            "high",
            "Build in one stage, copy only the results into the last.",
            "Compilers, headers and caches stay behind.",
            ("multi stage", "multistage", "stage"),
        ),
        Strategy(
            "production dependencies only",
            "high",
            "Leave development packages and optional extras out.",
            "They are never run in production.",
            ("depend", "prune", "production", "dev package"),
        ),
        Strategy(
            "clean up in the same layer",
            "medium",
            "Remove package lists, caches and temporary files in the command that made them.",
            "A later layer hides files without freeing them.",
            ("clean", "layer", "apt", "cache"),
        ),
        Strategy(
            "static or stripped binaries",
            "medium",
            "Strip symbols, link statically, drop debug data.",
            "Symbols and shared libraries are often larger than the code.",
            ("strip", "static", "symbol"),
        ),
        Strategy(
            "ignore file",
            "medium",
            "Keep sources, tests, docs and version control out of the build context.",
            "What is not sent cannot be copied.",
            ("ignore", "context", "dockerignore"),
        ),
        Strategy(
            "compress assets",
            "low",
            "Compress data that is read seldom; remove duplicated files across layers.",
            "Data files rarely come compressed.",
            ("compress", "dedup", "upx"),
        ),
    ),
)

BUNDLE_SIZE = Kind(
    "bundle_size",
    "how large what is shipped is: a bundle, a binary, a package",
    (
        "bundle",
        "gzip",
        "brotli",
        "dist size",
        "size bytes",
        "size kb",
        "binary size",
        "bytes",
        "wc c",
        "asset size",
        "package size",
        "kb",
        "payload",
    ),
    (
        Strategy(
            "drop a dependency",
            "high",
            "Find the largest modules, replace them by smaller ones or by a few lines.",
            "A few packages are most of the size.",
            ("depend", "replace", "remove", "drop"),
        ),
        Strategy(
            "tree shaking",
            "high",
            "Import single functions, use module formats without side effects.",
            "Unused exports are cut only where the bundler may.",
            ("tree shak", "side effect", "named import", "esm", "dead code"),
        ),
        Strategy(
            "code splitting",
            "high",
            "Load routes and rare features on demand.",
            "The first load needs a fraction.",
            ("split", "dynamic import", "lazy", "chunk", "on demand"),
        ),
        Strategy(
            "smaller data",
            "high",
            "Subset fonts, compress images, move tables out, generate them at run time.",
            "Embedded data often outweighs code.",
            ("font", "image", "svg", "table", "locale"),
        ),
        Strategy(
            "target newer platforms",
            "medium",
            "Fewer polyfills and transforms, a newer language level.",
            "Compatibility code is shipped to all for the sake of few.",
            ("polyfill", "target", "browserslist", "transform"),
        ),
        Strategy(
            "better minifier and compression",
            "medium",
            "Mangle properties, tune passes, brotli, link-time optimisation, strip symbols.",
            "Defaults stop early.",
            ("minif", "mangle", "terser", "brotli", "strip", "lto"),
        ),
        Strategy(
            "deduplicate",
            "medium",
            "One version of each package, shared helpers in place of inlined ones.",
            "Duplicates hide in dependency trees.",
            ("dedup", "duplicate", "version", "helper"),
        ),
        Strategy(
            "strip development code",
            "low",
            "Remove logging, assertions, source maps and comments from what is shipped.",
            "They serve nobody at run time.",
            ("logging", "assert", "source map", "comment"),
        ),
    ),
)

MEMORY = Kind(
    "memory",
    "how much memory a program takes",
    ("memory", "rss", "heap", "peak", "max resident", "allocat", "mem mb", "footprint", "oom"),
    (
        Strategy(
            "stream instead of load",
            "high",
            "Process input in pieces, with generators, cursors or windows.",
            "The peak no longer grows with the input.",
            ("stream", "generator", "chunk", "iterat", "window"),
        ),
        Strategy(
            "compact representation",
            "high",
            "Arrays, slots, smaller numbers, interned strings in place of objects.",
            "Headers and pointers often outweigh the data.",
            ("compact", "array", "slots", "int32", "intern", "dtype"),
        ),
        Strategy(
            "free earlier",
            "high",
            "Shorten lifetimes, drop references, split phases so that peaks do not add up.",
            "The peak is what lives at once.",
            ("free", "lifetime", "release", "del", "scope"),
        ),
        Strategy(
            "bound caches",
            "high",
            "Give every cache and queue a size, evict what is old.",
            "Unbounded ones grow until the end.",
            ("bound", "evict", "lru", "cache size"),
        ),
        Strategy(
            "share and map",
            "medium",
            "Memory-map files, share read-only data between processes, copy on write.",
            "Pages are then kept once and can be given back.",
            ("mmap", "share", "copy on write", "map"),
        ),
        Strategy(
            "avoid copies",
            "medium",
            "Work in place, pass views, fewer temporaries.",
            "Each copy doubles the peak for a moment.",
            ("copy", "copies", "in place", "view"),
        ),
        Strategy(
            "fewer workers",
            "medium",
            "Processes that share less cost less each; threads or an event loop where possible.",
            "Every process carries its own base.",
            ("worker", "process", "thread"),
        ),
        Strategy(
            "allocator settings",
            "low",
            "Another allocator, fewer arenas, trimming, a tighter collector.",
            "Fragmentation and slack are tunable.",
            ("jemalloc", "malloc", "arena", "gc"),
        ),
    ),
)

KINDS = (IMAGE_SIZE, BUNDLE_SIZE, MEMORY)
"""The kinds of this module."""
