"""A glance at a hook's input: most of it can be dismissed before anything is parsed or compiled.

This module lies on the path that every tool call of an agent takes, and imports nothing. Its stems follow
from the needles of `error_patterns`; a test holds that none is missing.
"""

from __future__ import annotations

_STEMS = (
    "! extra|! latex|! missing|! package|! undefined|(char |** (|***|.go:|.pl line |.pm line |.t line "
    "|: e0|: e1|: e2|: e3|: e4|: e5|: e7|: e9|: [: |: expected|: f4|: f5|: f6|: f7|: f8|: f9|: missing|<err>"
    "|[alert|[crit|[err]|a directory|allocate memory|already in use|ambiguous redirect|api key|assert "
    "|attempt to |authentication|backoff|bad file desc|bad gateway|bad interpreter|bad request"
    "|bad substitution|bad_alloc|breakpoint trap|broken pipe|build stopped|built success|bus error"
    "|by signal|can merge|can't|cannot|caused by|certificate|cmake error|complete success|conflict ("
    "|connect to|connection |containerconfigerror|core dumped|could not|couldn't|created success"
    "|credentials|curl: (|denied|directory not|division by|does not exist|double free|duplicate symbol"
    "|eacces|eaddrinuse|eai_again|econnre|eexist|eisdir|elifecycle|emfile|enoent|enospc|enotdir"
    "|enotempty|enotfound|eperm|eresolve|err |err!|err(|err:|err[|err_|errimage|errno |error_message"
    "|errormessage|etimedout|exceeded|exec format|exit|file exists|finish success|fixture |forbidden"
    "|format not|gateway time|git command|goroutine |halted|handshake|host key verif|http 4|http 5"
    "|http error|http status|http/|http: 4|http: 5|hung up|illegal|installed success|internal server"
    '|invalid|killed|level"|level\'|level=|level\\"|list too long|match any file|memoryerror'
    "|merge conflict|multiple definition|n't success|name resolution|no matching|no module named"
    "|no package|no required module|no route to|no rule to make|no space left|no such |non-zero|nonzero"
    "|not apply|not authorized|not defined|not found|not in |not installed|not known|not locate|not ok"
    "|not permitted|not recognized as|not success|npm err|on signal|oom-kill|open files|out of memory"
    "|outofmemory|output error|panic|parse error|password is required|rate limit|rc:|rc=|read-only file"
    "|rejected]|requires an|resource busy|return code|return-code|return_code|returncode|returned"
    "|run success|runcontainererror|sanitizer: |segfault|segmentation fault|service unavail|severity="
    "|sigabrt|sigbus|sigill|signal: |sigsegv|stack overflow|stack smashing|stack traceback"
    '|start success|success"|success\'|success\\"|symbol(s) not|syntax error|temporarily unavail'
    "|terminate called|terminated|text file busy|timed out|trace trap|traceback (most recent|try "
    "|unable to|unauthorized|unbound variable|uncaught|undeclared|undefined |undefined: |unexpected "
    "|unhandled|unknown|unreachable|unrecognised|unrecognized|unresolved|unsuccess|unsupported"
    "|was refused|went wrong|were rejected|yaml: |\u00d7|\u2716|\u2717|\u2718|\u274c"
)
"""Substrings of lower-case output, separated by `|`: what holds none of them is no error by any pattern."""

_WORDS = "error|fail|exception|fatal|abort|critical|severe|emerg"
"""Beginnings of words that count only where the word stands by itself."""

_MISHAPS = (b"error", b"errors", b"fail", b"failed", b"failure", b"failures", b"failing", b"fails")


def may_hold_error(raw: bytes) -> bool:
    """False only if no text in `raw` (plain, or strings of one JSON document) can be an error.

    Works on the undecoded bytes. Escapes that can hide letters (`\\u0065`, the ESC of a colour inside a
    word) are not read: they make the answer True.
    """
    if b"\\u" in raw or b"\\/" in raw or b"\x1b" in raw:
        return True
    lower = raw.lower()
    return any(stem in lower for stem in _STEMS.encode().split(b"|")) or any(
        _tells(lower, stem) for stem in _WORDS.encode().split(b"|")
    )


def _tells(lower: bytes, stem: bytes) -> bool:
    """Whether a word with `stem` in it stands by itself in `lower`: no name, no `0 errors`, no `failed: 0`.

    Test names, file names and counts of none are most of what these stems are found in.
    """
    start = lower.find(stem)
    while start >= 0:
        end = start + len(stem)
        while lower[end : end + 1].isalpha():
            end += 1
        after, second = lower[end : end + 1], lower[end + 1 : end + 2]
        is_name = after.isalnum() or after in (b"_", b"-", b"/") or (after == b"." and second.isalnum())
        if not is_name and not (lower[start:end] in _MISHAPS and _none_of_it(lower, start, end)):
            return True
        start = lower.find(stem, end)
    return False


def _none_of_it(lower: bytes, start: int, end: int) -> bool:
    """Whether the word at `start` is counted, before or after it, and the count is none."""
    if lower[max(start - 3, 0) : start] in (b" 0 ", b"(0 ", b"|0 ", b'"0 ', b"0 "):
        return True
    before, label, count = (
        lower[start - 1 : start],
        lower[end : end + 1],
        lower[end + 1 : end + 4].lstrip(b" "),
    )
    return (
        before in (b" ", b"(", b",")
        and label in (b":", b"=")
        and count[:1] == b"0"
        and count[1:2] in (b" ", b",", b")", b"\\", b"\n")
    )
