"""JSON texts as people write them: Hypothesis strategies for values with white space and comments."""

from __future__ import annotations

import json
from typing import Any

from hypothesis import strategies as st

__all__ = ["KEYS", "objects", "texts", "values"]

KEYS = st.sampled_from(["hooks", "mcpServers", "ar", "a", "b ", "ü", '"', "// no comment", "PostToolUse"])

values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.sampled_from(["", "x", "\u2028", "/* no */", "\ud83d", "é"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=3),
    max_leaves=8,
)
objects = st.dictionaries(KEYS, values, max_size=4)

_BLANKS = ["", " ", "\n", "\n  ", "\t", "\r\n"]
_COMMENTS = ["// note\n", " // }],\n  ", "/* x */", "/* a\n * b */", "/**/ "]


@st.composite
def texts(draw: st.DrawFn, value: Any, *, comments: bool, trailing_commas: bool) -> str:
    """A text that means `value`, with white space, and comments, between any two tokens."""
    trivia = st.sampled_from(_BLANKS + (_COMMENTS if comments else []))

    def written(each: Any) -> str:
        if not isinstance(each, dict | list):
            return json.dumps(each, ensure_ascii=draw(st.booleans()))
        parts = []
        for child in each.items() if isinstance(each, dict) else each:
            if isinstance(each, dict):
                key, child = child
                parts.append(
                    f"{draw(trivia)}{json.dumps(key)}{draw(trivia)}:{draw(trivia)}{written(child)}{draw(trivia)}"
                )
            else:
                parts.append(f"{draw(trivia)}{written(child)}{draw(trivia)}")
        comma = "," if parts and trailing_commas and draw(st.booleans()) else ""
        inner = ",".join(parts) + comma + (draw(trivia) if comma or not parts else "")
        return f"{{{inner}}}" if isinstance(each, dict) else f"[{inner}]"

    text = draw(trivia) + written(value) + draw(trivia)
    return text.encode("utf-8", "backslashreplace").decode()
