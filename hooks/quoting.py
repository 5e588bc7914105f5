"""Whether a shell command merely quotes: prints text that was there before (`grep`, `cat`, `git log`).

Error text in such output happened somewhere else, or is source code, and is no reason to remind anyone;
only what the quoting command says about itself counts (`cat: nope: No such file or directory`). The
command line is split, never run or expanded; what cannot be split is taken for live (design, section 6.2).
"""

from __future__ import annotations

import re


def _names(text: str) -> frozenset[str]:
    return frozenset(text.split())


# Print what a file, an archive, a repository or their standard input holds.
_QUOTING = _names(
    "cat tac nl less more most bat batcat head tail zcat gzcat bzcat xzcat zstdcat zless rev expand strings"
    " xxd od hexdump grep egrep fgrep zgrep rg ag ack ugrep pcregrep sed gsed awk gawk mawk nawk sort uniq"
    " cut tr wc column fold fmt paste join comm diff cmp sdiff colordiff delta jq yq gron xmllint man info"
    " tldr whatis apropos ls dir tree eza exa lsd find fd fdfind locate du stat file history cloc tokei"
    " pygmentize perldoc pydoc pydoc3 help apt-cache dpkg-query"
)
# Say nothing of their own, or only what the command line says already.
_NEUTRAL = _names(
    "cd pushd popd export unset set shopt local declare typeset readonly alias true false : echo printf sleep"
    " wait read test [ [[ exit return shift trap ulimit umask type which hash date whoami hostname uname pwd"
    " id mkdir rmdir touch cp mv rm ln chmod chown tee clear seq basename dirname realpath readlink mktemp"
    " for select case esac in function break continue"
)
# Run the command that follows; the letters are their short options that take a value.
_WRAPPERS = {
    "sudo": "ugpCDhRTr",
    "doas": "uC",
    "env": "uCS",
    "command": "",
    "builtin": "",
    "exec": "a",
    "nohup": "",
    "nice": "n",
    "ionice": "cnp",
    "time": "fo",
    "timeout": "ks",
    "gtimeout": "ks",
    "stdbuf": "ioe",
    "unbuffer": "",
    "xargs": "IdnPLsEa",
}
_RESERVED = _names("if then elif else fi while until do done ! { } coproc")
_SHELLS = _names("sh bash zsh dash ksh ash fish")
_GIT = _names(
    "log diff show blame annotate grep reflog shortlog whatchanged cat-file ls-files ls-tree ls-remote"
    " rev-list rev-parse format-patch range-diff describe name-rev status for-each-ref"
    " show-ref merge-base diff-tree diff-index diff-files cherry help version branch tag config"
)
_GIT_TWO = (["stash", "list"], ["stash", "show"], ["worktree", "list"], ["remote", "-v"])
# Of our own verbs these run something; what the others print is what the log holds.
_AR_LIVE = _names("init measure cycle loop demo")
# Look things up, by the word after the program's name; see also `_helps`.
_REFERENCE = (
    ["rustc", "--explain"],
    ["ruff", "rule"],
    ["go", "doc"],
    ["pytest", "--markers"],
    ["dpkg", "-l"],
)
# How tools speak of their own failures when they do not put their name first.
_OWN_WORDS = {
    "jq": ("parse error: ",),
    "gh": ("GraphQL: ", "HTTP ", "failed to ", "could not "),
}
# git says so before it prints anything; anywhere else it is the subject of a commit.
_FIRST_WORDS = {"git": ("fatal: ",)}
# How a program ends that cannot even show its help.
_NO_HELP = "Traceback (most recent call last)"

# Compiled where they are used: most commands never need them.
_TOKEN = r"""(?xs)
      (?P<space> [ \t\r]+ | \\\n | \#[^\n]* )
    | (?P<redirect> \d*(?: <<< | &>>? | >[>|&]? | <[&>] | <(?!<) ) )
    | << (?P<dash>-?) [ \t]* (?P<heredoc> '[^'\n]*' | "[^"\n]*" | \\?[\w.-]+ )
    | (?P<operator> \|[|&]? | &&? | ;[;&]? | \n | \( | \) )
    | (?P<word> (?: [^\s'"\\|;&()<>] | \\. | '[^']*' | "(?:\\.|[^"\\])*" )+ )
    """
_QUOTES = r"""(?s)'([^']*)'|"((?:\\.|[^"\\])*)"|\\(.)"""
_ASSIGNMENT = r"[A-Za-z_]\w*\+?="
_DURATION = r"[\d.]+[smhd]?$"
_NESTING_LIMIT = 8

_HINTS = frozenset({"git", "gh", "ar", "autoresearch", "-h", *(verb for _, verb in _REFERENCE)})

COMMAND_LIMIT = 65_536
"""Characters of a command that is looked at; a longer one writes files and is taken for live."""


class Quoted:
    """What is known of a command that merely quotes: the names of its programs, and all words in it.

    helps: whether one of the programs shows its help.
    """

    __slots__ = ("helps", "names", "words")

    def __init__(self, names: frozenset[str], words: frozenset[str], helps: bool) -> None:
        self.names = names
        self.words = words
        self.helps = helps

    def complains(self, line: str, first: bool = False) -> bool:
        """True when `line` is a message of one of the programs, or of the shell about one of the words.

        first: whether it is the first line of stderr.
        """
        name, colon, rest = line.strip().partition(": ")
        name = name.rpartition("/")[2].lstrip("-")
        if colon and name in self.names:
            return True
        if colon and (name in _SHELLS or name.startswith("(eval)")):
            return any(part in self.words and not part.isdigit() for part in rest.split(": "))
        if self.helps and line.startswith(_NO_HELP):
            return True
        own = (_OWN_WORDS, _FIRST_WORDS) if first else (_OWN_WORDS,)
        return any(line.startswith(table.get(name, ())) for table in own for name in self.names)


def quoted_by(command: str) -> Quoted | None:
    """What `command` quotes with; None when any part of it is live, or none of it quotes.

    A pipeline is live when one of its programs is: `cat x | make` is, and so is `make | grep error`,
    where `grep` filters what really happened. `cd src && grep -n x *.c | head` is not.
    """
    if len(command) > COMMAND_LIMIT:
        return None
    words = _rough_words(command)
    # A cheap no for most commands: one that quotes names a program that does.
    if words.isdisjoint(_QUOTING) and words.isdisjoint(_HINTS) and "--help" not in command:
        return None
    commands = simple_commands(command)
    if commands is None:
        return None
    names: set[str] = set()
    quotes = False
    for simple in commands:
        verdict, own = _judge(simple)
        if verdict is None:
            return None
        quotes = quotes or verdict
        names |= own
    helps = any(_helps(_unwrapped(simple)[0]) for simple in commands)
    return Quoted(frozenset(names), words, helps) if quotes else None


def _rough_words(command: str) -> frozenset[str]:
    """The words of `command` with and without their paths, its syntax taken for white space."""
    for mark in "|&;()<>'\"`\\\n\t":
        command = command.replace(mark, " ")
    return _names(command) | _names(command.replace("/", " "))


def simple_commands(command: str, depth: int = 0) -> list[list[str]] | None:
    """The words of every simple command in `command`, quotes removed, redirections and heredocs left out.

    Commands inside `$(…)`, `(…)` and the argument of `sh -c` are listed too. None when the quoting is
    unbalanced or nested deeper than is reasonable.
    """
    found: list[list[str]] = []
    outer: list[list[str]] = []
    words: list[str] = []
    heredocs: list[tuple[str, bool]] = []
    target = False  # the next word is a redirection's
    position = 0
    match = re.compile(_TOKEN).match
    while position < len(command):
        token = match(command, position)
        if token is None:
            return None
        position = token.end()
        kind = token.lastgroup
        if kind == "word":
            if not target:
                words.append(_unquoted(token["word"]))
            target = False
        elif kind == "redirect":
            target = True
        elif kind == "heredoc":
            heredocs.append((_unquoted(token["heredoc"]), bool(token["dash"])))
        elif kind == "operator":
            target = False
            if token["operator"] == "(":
                outer.append(words)
                words = []
                continue
            found.append(words)
            words = outer.pop() if token["operator"] == ")" and outer else []
            if token["operator"] == "\n" and heredocs:
                position = _after(command, position, heredocs)
                heredocs = []
    found += [*outer, words]
    inlined: list[list[str]] = []
    for words in found:
        script = _script(words)
        if script is None:
            inlined += [words] if words else []
            continue
        inner = simple_commands(script, depth + 1) if depth < _NESTING_LIMIT else None
        if inner is None:
            return None
        inlined += inner
    return inlined


def _unquoted(word: str) -> str:
    return re.sub(_QUOTES, lambda quote: quote[1] or quote[2] or quote[3] or "", word)


def _after(command: str, position: int, heredocs: list[tuple[str, bool]]) -> int:
    """The position after the bodies of `heredocs` (end word, tabs stripped), or the end of `command`."""
    for end, dashed in heredocs:
        while position < len(command):
            newline = command.find("\n", position)
            newline = len(command) if newline < 0 else newline
            line, position = command[position:newline], newline + 1
            if (line.lstrip("\t") if dashed else line) == end:
                break
    return position


def _script(words: list[str]) -> str | None:
    """The script of `sh -c SCRIPT`, wrapped or not; None for any other command."""
    words, _ = _unwrapped(words)
    if not words or words[0].rpartition("/")[2] not in _SHELLS:
        return None
    for at, word in enumerate(words[1:-1], start=1):
        if not word.startswith("-"):
            return None
        if "c" in word and not word.startswith("--"):
            return words[at + 1]
    return None


def _unwrapped(words: list[str]) -> tuple[list[str], set[str]]:
    """`words` without assignments, reserved words and wrappers (`sudo -u x`), and the wrappers' names."""
    wrappers: set[str] = set()
    at = 0
    while at < len(words):
        word = words[at]
        name = word.rpartition("/")[2]
        if word in _RESERVED or re.match(_ASSIGNMENT, word):
            at += 1
        elif name in _WRAPPERS:
            wrappers.add(name)
            at += 1
            while at < len(words) and (words[at].startswith("-") or re.match(_DURATION, words[at])):
                takes_value = len(words[at]) == 2 and words[at][1] in _WRAPPERS[name]
                at += 2 if takes_value else 1
        else:
            break
    return words[at:], wrappers


def _judge(words: list[str]) -> tuple[bool | None, set[str]]:
    """True: quotes; False: neutral; None: live. With the names under which it may complain."""
    words, names = _unwrapped(words)
    if not words:
        return False, names
    tool = words[0].lstrip("\\").rpartition("/")[2] or words[0]
    names.add(tool)
    if _helps(words) or tool in _QUOTING:
        run = next((at for at, word in enumerate(words) if word in ("-exec", "-execdir", "-ok")), None)
        if tool != "find" or run is None:
            return True, names
        verdict, inner = _judge(words[run + 1 :])
        return (None if verdict is None else True), names | inner
    if tool in _NEUTRAL or words[1:] in (["--version"], ["-V"]):
        return False, names
    if tool in ("git", "gh", "ar", "autoresearch"):
        return (True if _reads(tool, words[1:]) else None), names
    return None, names


def _helps(words: list[str]) -> bool:
    """True when a command only tells how something is used: `make --help`, `go help build`, `tool -h`."""
    tool, arguments = words[:1], words[1:]
    return (
        any(word.startswith("--help") for word in arguments)
        or arguments[-1:] == ["-h"]
        or arguments[:1] == ["help"]
        or arguments[:2] == ["-m", "pydoc"]
        or [*tool, *arguments[:1]] in _REFERENCE
    )


def _reads(tool: str, words: list[str]) -> bool:
    """True when `git …`, `gh …` or our own `ar …` only shows, or stores, what was there before."""
    at = 0
    while at < len(words) and words[at].startswith("-"):
        at += 2 if words[at] in ("-C", "-c", "-R", "--repo", "--log") else 1
    verbs = words[at : at + 2]
    if not verbs:
        return False
    if tool == "gh":
        return verbs[1:] in (["view"], ["diff"], ["list"]) and verbs[0] in ("pr", "issue", "release", "repo")
    if tool != "git":
        return verbs[0] not in _AR_LIVE and verbs not in (["hook", "fire"], ["hook", "test"])
    return verbs[0] in _GIT or verbs in _GIT_TWO or (verbs[0] == "bisect" and verbs[1:] != ["run"])
