"""Blocks of text and tables on the screen."""

from __future__ import annotations

from collections.abc import Iterable

from commands.output import emit, emit_table
from commands.viewtext import Block, TableBlock

__all__ = ["draw"]


def draw(blocks: Iterable[Block]) -> bool:
    """Writes blocks one after the other; False when nobody reads them any more."""
    return all(
        emit_table(block.columns, block.rows) if isinstance(block, TableBlock) else emit(block.text)
        for block in blocks
    )
