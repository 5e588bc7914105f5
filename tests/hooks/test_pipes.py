"""What is kept of a stream."""

from __future__ import annotations

from typing import Literal

from hypothesis import given
from hypothesis import strategies as st

from hooks.pipes import Capture

chunks = st.lists(st.binary(max_size=40) | st.builds(lambda n: b"z" * n, st.integers(0, 70_000)), max_size=8)


@given(chunks, st.none() | st.integers(0, 100), st.sampled_from(["head", "tail"]))
def test_a_capture_is_the_head_or_the_tail(
    chunks: list[bytes], cap: int | None, keep: Literal["head", "tail"]
) -> None:
    """However the bytes come, the kept ones are the first or the last `cap` of them, and all are counted."""
    capture = Capture(cap, keep)
    for chunk in chunks:
        capture.feed(chunk)
    whole = b"".join(chunks)
    size = len(whole) if cap is None else min(cap, len(whole))

    assert capture.value() == (whole[:size] if keep == "head" else whole[len(whole) - size :])
    assert capture.total == len(whole)
    assert capture.truncated == (size < len(whole))
