"""Checking a log's chain: every line's claims against where it stands (design, sections 2.2 to 2.4).

`prev` covers the bytes of the line before, so an altered, removed or inserted line shows at the next chained
one. A chain cannot show that its own end was cut: heads are anchored outside.
"""

from __future__ import annotations

from collections.abc import Iterable
from hashlib import sha256
from typing import Union

import msgspec

from eventstore.events import TYPES, Damaged, Unknown
from eventstore.lines import decode_line, split_lines
from eventstore.store import Head

__all__ = ["Fault", "Report", "verify"]

_DIGITS = 32


class Fault(msgspec.Struct, frozen=True):
    """Something found while checking.

    line: number of the line it was found at, from 1; 0 for the log as a whole.
    kind: `damaged`, `altered`, `renumbered`, `interleaved`, `unlinked`, `unknown` or `head`.
    serious: whether the log is not to be trusted as it is; else it is a remark.
    detail: in words.
    """

    line: int
    kind: str
    serious: bool
    detail: str


class Report(msgspec.Struct, frozen=True):
    """What a check of a whole log found.

    head: its last line. lines: how many it has. chained: how many carry the digest of the line before them.
    foreign: how many events carry none, so that only the next chained line covers them.
    faults: what was found, in order of lines.
    """

    head: Head
    lines: int
    chained: int
    foreign: int
    faults: tuple[Fault, ...]

    @property
    def ok(self) -> bool:
        """Whether nothing serious was found."""
        return not any(fault.serious for fault in self.faults)


class _Claims(msgspec.Struct, gc=False):
    """What a line says of itself."""

    type: str | None = None
    seq: int | None = None
    prev: str | None = None


def _claims_of_known(kind: str) -> type[msgspec.Struct]:
    """The same of lines of one known type."""
    fields = [("seq", int | None, None), ("prev", str | None, None)]
    return msgspec.defstruct(f"_{kind}", fields, gc=False, tag_field="type", tag=kind)


_claims = msgspec.json.Decoder(_Claims)
_known = msgspec.json.Decoder(Union[tuple(map(_claims_of_known, TYPES))])  # noqa: UP007


def verify(stretches: Iterable[tuple[int, bytes]], *, head: str | None = None) -> Report:
    """Checks a log, given as offsets and bytes of stretches of whole lines; the last may lack its newline.

    head: `SEQ:DIGEST` of a line that must stand in the log, as written down earlier; the digest may be
    shortened to 4 digits or more. Raises ValueError when it has not that form; nothing is raised for whatever
    the log holds.
    """
    anchor, expected = _parse_head(head) if head is not None else (0, "")
    checker = _Checker(anchor, expected)
    end = 0
    for offset, stretch in stretches:
        if stretch.endswith(b"\n") or not isinstance(decode_line(stretch), Damaged):
            checker.check(stretch)
            end = offset + len(stretch)
    return checker.report(end)


def _parse_head(text: str) -> tuple[int, str]:
    seq, _, found = text.partition(":")
    if not (seq.isdecimal() and int(seq) > 0 and len(found) >= 4 and set(found) <= set("0123456789abcdef")):
        raise ValueError(f"{text!r} is no head; one looks like 41:9f86d081884c7d65")
    return int(seq), found


class _Checker:
    """A check that goes through a log stretch by stretch."""

    def __init__(self, anchor: int, expected: str) -> None:
        self._anchor = anchor
        self._expected = expected
        self._number = 0
        self._previous: str | None = None
        self._chained = 0
        self._foreign = 0
        self._shift = 0
        self._last_chained: tuple[str | None, int] = (None, 0)
        self._unchained: dict[str, int] = {}
        self._anchored = False
        self._faults: list[Fault] = []

    def check(self, stretch: bytes) -> None:
        """Checks the next stretch."""
        lines = split_lines(stretch)
        digests = [sha256(line).hexdigest()[:_DIGITS] for line in lines]
        if self._all_follow(stretch, lines, digests):
            self._chained += len(lines)
            self._last_chained = (digests[-1], self._number + len(lines))
            self._unchained.clear()
        else:
            self._one_by_one(lines, digests)
        if 0 < self._anchor - self._number <= len(lines):
            self._anchored = digests[self._anchor - self._number - 1].startswith(self._expected)
        self._number += len(lines)
        self._previous = digests[-1]

    def _all_follow(self, stretch: bytes, lines: list[bytes], digests: list[str]) -> bool:
        """Whether every line is of a known type, chained, and follows from the one before it."""
        try:
            stretch.isascii() or stretch.decode()  # fields that are skipped are not checked by the decoder
            claims = list(map(_known.decode, lines))
        except (msgspec.DecodeError, RecursionError, UnicodeDecodeError):
            return False
        first = self._number + 1 + self._shift
        return [claim.seq for claim in claims] == list(range(first, first + len(lines))) and [
            claim.prev for claim in claims
        ] == [self._previous, *digests[:-1]]

    def _one_by_one(self, lines: list[bytes], digests: list[str]) -> None:
        previous = self._previous
        for number, (line, own) in enumerate(zip(lines, digests, strict=True), self._number + 1):
            claims = _claims_of(line)
            if claims is not None and claims.prev is not None:
                if claims.prev != previous or claims.seq != number + self._shift:
                    self._compare(number, claims, previous)
                if claims.type not in TYPES:
                    self._untyped(number, line)
                self._chained += 1
                self._last_chained = (own, number)
                self._unchained.clear()
            else:
                self._unlinked(number, line, claims)
                self._unchained[own] = number
            previous = own

    def report(self, size: int) -> Report:
        """What was found in a log of `size` bytes."""
        if self._anchor and not self._anchored:
            there = "ends before it" if self._anchor > self._number else "holds another line there"
            detail = f"the head {self._anchor}:{self._expected} was anchored, but the log {there}"
            self._add(min(self._anchor, self._number), "head", True, detail)
        faults = tuple(sorted(self._faults, key=lambda fault: fault.line))
        head = Head(self._number, self._previous, size)
        return Report(head, self._number, self._chained, self._foreign, faults)

    def _compare(self, number: int, claims: _Claims, previous: str | None) -> None:
        """A chained line whose claims do not follow from the lines before it."""
        seq = claims.seq if claims.seq is not None else 0
        if claims.prev == previous:
            if seq == number:
                self._shift = 0
            elif seq != number + self._shift:
                self._shift = seq - number
                self._add(number, "renumbered", True, f"line {number} says that it is line {seq}")
            return
        after = self._after(claims.prev)
        if after is not None and seq == after + 1:
            between = f"line {after + 1}" if number == after + 2 else f"lines {after + 1} to {number - 1}"
            self._add(number, "interleaved", False, f"{between} came in while line {number} was written")
        elif previous is None:
            self._add(
                number, "altered", True, f"line 1 says that it is line {seq}: what stood before is gone"
            )
        elif seq > number + self._shift:
            missing = seq - number - self._shift
            lines = "a line is" if missing == 1 else f"{missing} lines are"
            self._add(number, "altered", True, f"{lines} missing or altered before line {number}")
        elif seq < number + self._shift:
            self._add(number, "altered", True, f"lines before line {number} were inserted or altered")
        else:
            self._add(
                number, "altered", True, f"line {number - 1} is not the line that line {number} followed"
            )
        self._shift = seq - number

    def _after(self, prev: str | None) -> int | None:
        """The line that a claim points to, if only unchained lines stand between it and here."""
        found = self._unchained.get(prev or "")
        if found is None and prev == self._last_chained[0]:
            return self._last_chained[1]
        return found

    def _unlinked(self, number: int, line: bytes, claims: _Claims | None) -> None:
        """A line that carries no digest of the line before it."""
        if claims is None:
            record = decode_line(line, number) if line.strip() else None
            if isinstance(record, Damaged):
                self._add(number, "damaged", True, record.reason)
            elif record is not None:
                self._foreign += 1
                self._untyped(number, line)
        elif claims.seq == number == 1:
            self._chained += 1
        else:
            self._foreign += 1
            if claims.type not in TYPES:
                self._untyped(number, line)
            if claims.seq is not None:
                self._add(
                    number, "unlinked", False, "it has a number but not the digest of the line before it"
                )

    def _untyped(self, number: int, line: bytes) -> None:
        record = decode_line(line, number)
        if isinstance(record, Unknown):
            self._add(number, "unknown", False, record.reason)

    def _add(self, line: int, kind: str, serious: bool, detail: str) -> None:
        self._faults.append(Fault(line, kind, serious, detail))


def _claims_of(line: bytes) -> _Claims | None:
    try:
        line.isascii() or line.decode()
        return _claims.decode(line)
    except (msgspec.DecodeError, RecursionError, UnicodeDecodeError):
        return None
