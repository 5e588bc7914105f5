"""The table of token shapes: each finds its own lines and leaves the others alone."""

from __future__ import annotations

import re
import time

import pytest

from eventstore.secrets import redact
from eventstore.shapes import SHAPES, Shape

HITS = [(shape, hit) for shape in SHAPES for hit in shape.hits]
MISSES = [(shape, miss) for shape in SHAPES for miss in shape.misses]


def whole(hit: str) -> tuple[str, str]:
    """A line of the table without its mark, and the mark's surroundings, which belong to the secret."""
    before, _, after = hit.partition("~~")
    return before + after, before[-2:] + after[:3]


@pytest.mark.parametrize(("shape", "hit"), HITS)
def test_a_secret_becomes_a_mark(shape: Shape, hit: str) -> None:
    """Its place is taken by its kind, and what surrounds it stays."""
    line, secret = whole(hit)
    left = redact(line)

    assert f"[redacted:{shape.kind}]" in left
    assert secret not in left
    assert redact(left) == left


@pytest.mark.parametrize(("shape", "hit"), HITS)
def test_a_secret_is_found_by_its_own_shape_and_an_anchor(shape: Shape, hit: str) -> None:
    """Each shape is worth its place in the table, and would be found if it were alone."""
    line, _ = whole(hit)
    found = re.search(shape.pattern, line, re.ASCII)

    assert found
    assert any(anchor in found[0] or anchor == "://" for anchor in shape.anchors)


@pytest.mark.parametrize(("shape", "miss"), MISSES)
def test_what_only_looks_alike_stays(shape: Shape, miss: str) -> None:
    """Neither its own shape nor any other takes it for a secret."""
    assert not re.search(shape.pattern, miss, re.ASCII)
    assert redact(miss) is miss


@pytest.mark.parametrize("shape", SHAPES, ids=lambda shape: f"{shape.kind} {shape.anchors[0]}")
def test_a_shape_is_tested_both_ways_and_takes_linear_time(shape: Shape) -> None:
    """A mebibyte of its anchors, of its hits without their ends, and of its misses, takes no long time."""
    assert shape.hits
    assert shape.misses
    pieces = [*shape.anchors, *(whole(hit)[0][:-1] for hit in shape.hits), *shape.misses]
    started = time.perf_counter()
    for piece in pieces:
        for glue in ("", " ", "-", "a"):
            re.sub(shape.pattern, "", (piece + glue) * ((1 << 17) // len(piece + glue)), flags=re.ASCII)

    assert time.perf_counter() - started < 60


@pytest.mark.parametrize(
    "text",
    [
        "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
        "commit a94a8fe5ccb19ba61c4c0873d391e987982fbbd3",
        "01234567-89ab-cdef-0123-456789abcdef",
        "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk",
        "sha512-z4PhNX7vuL3xVChQ1m2AB9Yg5AULVxXcg/SpIdNs6c5H0NE8XYXysP+DGNKHfuwvY7kxvUdBeoGlODJ6+SfaPg==",
        "/usr/lib/python3.11/site-packages/sklearn/linear_model/_logistic.py:1234",
        "src/model/attention_with_very_long_name_and_2_heads.py",
        "task-force, risk-averse, disk-usage, ask-me, desk-top, sk-learn, mask-rcnn-resnet50-fpn-v2",
        "the token budget is 4096 tokens; secret sauce; password reset; api key rotation; bearer of news",
        "METRIC val_bpb=0.9979 seconds=300.1 peak_vram_mb=45060.2",
        "https://github.com/owner/repo/pull/12#issuecomment-1234567890",
        "git@github.com:owner/repo.git",
        "postgres://db.internal:5432/main?sslmode=require",
        "lr=3e-4,wd=0.1,beta=(0.9,0.95) -> 12.5 ms @ 38.9 C",
        "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIJ8qmVvOqKpJxYQGqTn5dXGZ0v0nE7uYcT4l2mXkq9bD me@host",
        "-----BEGIN CERTIFICATE-----\nMIIBszCCAVmgAwIBAgIUQ2F0Y2ggbWUgaW==\n-----END CERTIFICATE-----",
        "-----BEGIN PUBLIC KEY-----\nMFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAE\n-----END PUBLIC KEY-----",
        "12:34:56.789 [INFO] worker-3 started pid=4242",
    ],
)
def test_what_sessions_are_full_of_stays(text: str) -> None:
    """Digests, UUIDs, images, paths, metrics, URLs, public keys."""
    assert redact(text) is text
