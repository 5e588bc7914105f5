"""What error text looks like, as data: one row a pattern, with its reason and the lines that prove it.

Together with `error_exclusions` this is the table of `ar hook error-capture` (design, section 6.2). Each
row is of one kind:

- `FIRES`: a line holding the pattern is an error (this module);
- `SKIPS`: an exclusion, a line holding it is not looked at: source code, a passed test, a warning;
- `BLANKS`: a harmless phrase (`0 errors`), taken out of its line before the patterns see it, so that
  `12 passed, 3 failed, 0 errors` still fires.

A line holds a row when it holds one of the row's needles and its pattern. Needles are plain substrings of
the line in lower case, separated by `|`; one that ends in `~` is the beginning of a word that goes on in
letters only (`error~` is in `errors: 2`, not in `errors.py` or `test_error_1`). They are what keeps most
patterns from ever being compiled. Patterns are regular expressions over one line, with ASCII classes;
letters count as written unless the pattern says `(?i)`. The first row that matches names the error, so
the telling ones stand before the general ones.
"""

from __future__ import annotations

FIRES, SKIPS, BLANKS = "fires", "skips", "blanks"


class Row:
    """One row of the table; `lines` fire because of it, or are silent because of it (`SKIPS`, `BLANKS`)."""

    __slots__ = ("kind", "lines", "name", "needles", "pattern", "why")

    def __init__(self, kind: str, name: str, why: str, needles: str, pattern: str, *lines: str) -> None:
        self.kind = kind
        self.name = name
        self.why = why
        self.needles = frozenset(needles.split("|"))
        self.pattern = pattern
        self.lines = lines

    def __repr__(self) -> str:
        return f"Row({self.kind}: {self.name})"


# A word of its own: no part of a name, an option, a path or a file's name.
_WORD = r"(?<![\w.$@/=-])"
_END = r"(?![\w/=-]|\.\w)"
# "error" often only names a thing: an error handler, the error rate, an error page.
_NO_THING = (
    r"(?![ \t-]+(?i:handl|boundar|messag|codes?\b|rate|log|report|page|count|budget|recover|track|type|class"
    r"|format|path|bar\b|bars|margin|correct|free|analy|metric|thresh|toleran|tests?\b|case|state|level|bound"
    r"|norm|term|sets?\b|estimat|function|callback|event|hook|object|document|templat|middleware|monitor|propagat|injection))"
)
# A class of exceptions, with its packages: `java.net.ConnectException`.
_EXCEPTION = r"(?:[A-Za-z_$][\w$]{0,80}(?:\.|::|\\)){0,12}[A-Z][\w$]{0,80}?(?:Error|Exception)"
# What may stand between a number and what it counts: `3 type errors`, not `3 files without errors`.
_COUNTED = (
    r"(?:(?!(?:no|non|zero|without|if|when|until|about|for|on|handled|ignored|known|expected|allowed|possible"
    r"|max|retried) )[a-z][a-z-]{0,20} ){0,2}"
)

PATTERNS: tuple[Row, ...] = (
    # -- what one language, tool or system says -----------------------------------------------------------
    Row(
        FIRES,
        "traceback",
        "Python prints it before every uncaught exception",
        "traceback (most recent",
        r"Traceback \(most recent call (?:last|first)\)",
        "Traceback (most recent call last):",
    ),
    Row(
        FIRES,
        "npm",
        "npm marks every line of a failure",
        "npm err|err!",
        r"(?:^|\s)npm (?:ERR!|error)|\bERR!",
        "npm ERR! code ELIFECYCLE",
        'npm error Missing script: "lnit"',
    ),
    Row(
        FIRES,
        "compiler-code",
        "compilers that number their errors: tsc, rustc, MSVC, C#, MSBuild",
        "error |error[",
        r"(?i:\berror)(?:\s+[A-Z]{1,8}-?\d{2,6}\b|\[[A-Z]{1,8}-?\d{2,6}\])",
        "src/app.ts(3,5): error TS2304: Cannot find name 'foo'.",
        "error[E0308]",
        "P.cs(3,9): error CS0103: The name 'x' does not exist",
    ),
    Row(
        FIRES,
        "make",
        "make, cmake and ninja end so",
        "***|cmake error|build stopped",
        r"make(?:\.exe)?(?:\[\d+\])?: \*\*\*"
        r"|^\S+:\d+: \*\*\* "
        r"|^CMake Error"
        r"|^ninja: build stopped",
        "make: *** [Makefile:4: all] Error 2",
        "Makefile:2: *** missing separator.  Stop.",
        "CMake Error at CMakeLists.txt:5 (find_package):",
    ),
    Row(
        FIRES,
        "linker",
        "linkers and loaders that miss a name",
        "undefined reference|undefined symbol|unresolved|multiple definition|duplicate symbol|symbol(s) not"
        "|ld returned|library not found",
        r"(?i)\b(?:undefined (?:reference\b|symbols? for|symbol:)"
        r"|unresolved (?:external|reference|import)"
        r"|multiple definition of|duplicate symbols?\b|symbol\(s\) not found"
        r"|ld returned [1-9]|library not found for)",
        "a.c:(.text+0xe): undefined reference to `foo'",
        "collect2: ld returned 1 exit status",
    ),
    Row(
        FIRES,
        "panic",
        "Go, Rust and kernels panic",
        "panic|goroutine ",
        r"(?<![\w.-])panic:|\bpanicked(?: at\b|\s*$)|(?i:\bkernel panic\b)|^goroutine \d+ \[",
        "panic: runtime error: index out of range [5] with length 3",
        "thread 'main' panicked at src/main.rs:4:5:",
    ),
    Row(
        FIRES,
        "crash",
        "a process that the system or a sanitizer ended",
        "segmentation fault|segfault|core dumped|bus error|illegal instruction|floating point exception"
        "|breakpoint trap|trace trap|sigsegv|sigabrt|sigbus|sigill|sanitizer: "
        "|terminate called|stack smashing|double free|abort trap|stack overflow|stack size exceeded"
        "|invalid read|invalid write",
        r"(?i:(?<![\w.`'\">-])(?:segmentation fault|segfault(?:ed)?\b(?![.-])|core dumped"
        r"|bus error\b|illegal instruction\b|floating point exception|(?:breakpoint|trace) trap"
        r"|sig(?:segv|abrt|bus|ill)\b|terminate called after|stack smashing|double free|abort trap"
        r"|stack overflow\b|maximum call stack size exceeded|invalid (?:read|write) of size))"
        r"|(?i:(?:==|: ) ?(?:address|memory|thread|leak)sanitizer: )",
        "Segmentation fault (core dumped)",
        "==4711== AddressSanitizer: heap-buffer-overflow on address 0x602000000014",
        "*** stack smashing detected ***: terminated",
    ),
    Row(
        FIRES,
        "killed",
        "ended from outside, most often for want of memory",
        "killed|signal: |on signal|by signal",
        r"^\s*Killed(?:: \d+)?\s*$"
        r"|: +\d+ Killed\b"
        r"|^\[\d+\]\s*[+-]?\s+\d+ killed\b"
        r"|\bzsh: killed\b"
        r"|\bsignal: (?:\d+, )?(?i:(?:sig)?kill)"
        r"|\b(?:on|by) signal \d"
        r"|\bOOMKilled\b(?![\"']?\s*[:=]\s*[\"']?false)",
        "Killed",
        "/bin/bash: line 1: 48213 Killed                  python crunch.py",
    ),
    Row(
        FIRES,
        "out-of-memory",
        "memory ran out",
        "out of memory|allocate memory|bad_alloc|memoryerror|outofmemory|oom-kill",
        r"(?i)\bout of memory\b|\bcannot allocate memory\b|\bbad_alloc\b|(?<![\w.])memoryerror\b"
        r"|\boutofmemory(?:error|exception)|\boom-kill",
        "[12345.678] Out of memory: Killed process 4242 (python)",
        "CUDA out of memory. Tried to allocate 2.50 GiB",
    ),
    Row(
        FIRES,
        "aborted",
        "a program that gave up",
        "abort~|halted|terminated",
        r"\baborted!"
        r"|^\s*Abort(?:ed|ing)?[.!]?(?: \(core dumped\))?\s*$"
        r"|: +\d+ Aborted\b"
        r"|[:;,.] [Aa]borting\b"
        r"|\b(?i:compilation|build|installation|transaction|operation) (?:was )?(?:aborted|terminated)\b"
        r"|^Execution halted",
        "Aborted",
        "compilation terminated.",
    ),
    Row(
        FIRES,
        "unhandled",
        "an exception that nobody caught",
        "unhandled|uncaught",
        r"(?i)(?<![\w`'\"-])(?:unhandled|uncaught)[ _-]?(?:promise[ _-]?)?"
        r"(?:\w{0,60}exception|rejection|\w{0,60}error)(?:warning)?\b"
        r"(?=\s*[:.(!]|\s*$|\s+(?:in|of|at|from)\b)",
        "Unhandled exception. System.NullReferenceException: Object reference not set to an instance.",
        "(node:812) UnhandledPromiseRejectionWarning: Error: boom",
    ),
    Row(
        FIRES,
        "exception",
        "an exception by its class: Python, Java, JavaScript, Ruby, Elixir",
        "error~|exception~|** (|caused by",
        rf"(?:^|[\s>\"'`(\[|:│]){_EXCEPTION}(?: \[\w+\])?:(?:\s|$)"
        rf"|^(?:E\s+|\S+:\d+: |Caused by: )?{_EXCEPTION}(?:\(.*\))?\s*$"
        r"|\([A-Z][\w:]{0,80}(?:Error|Exception)\)\s*$"
        r"|^Exception(?: in |:)|^\s*Caused by: \S"
        r"|^\*\* \([A-Z]\w+\) ",
        "ValueError: invalid literal for int() with base 10: 'a'",
        "AssertionError",
        "tests/test_parse.py:12: AssertionError",
        "Caused by: java.net.ConnectException: Connection refused",
        "a.rb:1:in `<main>': undefined local variable or method `foo' for main:Object (NameError)",
        "** (CompileError) lib/a.ex:1: undefined function foo/0",
    ),
    Row(
        FIRES,
        "errno-name",
        "the errors of systems and package managers by name",
        "err_|enoent|eacces|eaddrinuse|econnre|etimedout|eperm|enotfound|enospc|emfile|eexist|eisdir|enotdir"
        "|enotempty|eresolve|elifecycle|eai_again",
        r"(?<![\w`'\"])E(?:NOENT|ACCES|ADDRINUSE|CONNREFUSED|CONNRESET|TIMEDOUT|PERM|NOTFOUND|NOSPC|MFILE|EXIST"
        r"|ISDIR|NOTDIR|NOTEMPTY|RESOLVE|LIFECYCLE|AI_AGAIN)\b"
        r"|(?<![\w`'\"])ERR_[A-Z][A-Z_0-9]+",
        "connect ECONNREFUSED 127.0.0.1:5432",
        " ERR_PNPM_FETCH_404  GET https://registry.example.com/leftpadd: Not Found - 404",
    ),
    Row(
        FIRES,
        "system-error",
        "what the system answers (strerror)",
        "no such |permission denied|a directory|directory not|file exists|not permitted|read-only file"
        "|resource busy|open files|list too long|exec format|no space left|broken pipe|bad file desc"
        "|text file busy|quota exceeded|temporarily unavail|output error|already in use|errno |os error "
        "|bad interpreter",
        r"(?i)\bno such (?:file|dev|process|container|table|column|image|host|command|option|service|function"
        r"|property|key|user|volume|network|object|module|target|remote|ref|branch|package|method|database)"
        r"|\bpermission denied\b|: (?:not|is) a directory\b|: file exists\b|\boperation not permitted\b"
        r"|\bread-only file system\b|\bresource busy\b|\btoo many open files\b|\bargument list too long\b"
        r"|\bexec format error\b|\bno space left on device\b|\bbroken pipe\b|\bbad file descriptor\b"
        r"|\bdirectory not empty\b|\btext file busy\b|\bquota exceeded\b|\binput/output error\b"
        r"|\bresource temporarily unavailable\b|\baddress already in use\b|\berrno -?\d+\b|\bos error \d+\b"
        r"|\bbad interpreter\b",
        "cat: nope: No such file or directory",
        "bash: ./run.sh: Permission denied",
        "mkdir: cannot create directory 'a': File exists",
        "dd: /mnt/x: No space left on device",
    ),
    Row(
        FIRES,
        "command-not-found",
        "the shell knows no such program",
        "not found|not recognized as|cannot execute",
        r"(?i:\bcommand not found\b)"
        r"|^\S+: (?:line )?\d+: \S+: not found\s*$"
        r"|\bis not recognized as an? \w+"
        r"|: cannot execute\b",
        "deploy.sh: line 4: kubectx: command not found",
        "zsh: command not found: foo",
        "sh: 1: jest: not found",
    ),
    Row(
        FIRES,
        "missing-part",
        "a module, a package, a target that is not there",
        "cannot find|can't resolve|no module named|module not found|package not found|no required module"
        "|no matching|could not be|no package|couldn't find|not locate|no rule to make|file not found",
        r"(?i)\bcannot find (?:module|symbol|package|name|value|type|crate|macro|-l)|\bcan't resolve '"
        r"|\bno module named\b|\bmodule not found\b|\bpackage not found\b|\bno required module\b"
        r"|\bno matching (?:distribution|package|version|manifest)|\bcould not be (?:found|resolved)\b"
        r"|\bno package '[^']+' found\b|\bcouldn't find\b"
        r"|\bcould not locate\b|\bno rule to make\b|\bfile not found\b",
        "/usr/bin/python3: No module named app.cli",
        "src/a.js: Cannot find module 'express'",
    ),
    Row(
        FIRES,
        "network",
        "a peer that does not answer",
        "could not resolve|connection |unreachable|no route to|not known|name resolution|was refused"
        "|timed out|exceeded|connect to|certificate|handshake|hung up",
        r"(?i)\bcould not resolve\b"
        r"|\bconnection (?:was |is )?(?:refused|reset|timed out|closed by|aborted|unexpectedly closed)\b"
        r"|\bnetwork is unreachable\b|\bno route to host\b|\bname or service not known\b"
        r"|\btemporary failure in name resolution\b|\bwas refused\b|\btimed out\b|\bdeadline exceeded\b"
        r"|\btimeout (?:of \w+ )?exceeded\b|\b(?:cannot|couldn't) connect to\b"
        r"|\bcertificate (?:verify failed|has expired)\b|\bself[- ]signed certificate\b"
        r"|\bhandshake (?:failed|failure)\b|\bremote end hung up\b",
        "ssh: connect to host example.com port 22: Connection timed out",
        "The connection to the server localhost:8080 was refused - did you specify the right host or port?",
        "Cannot connect to the Docker daemon at unix:///var/run/docker.sock.",
    ),
    Row(
        FIRES,
        "access",
        "a door that stayed shut",
        "denied|authentication|credentials|api key|unauthorized|forbidden|not authorized|host key verif"
        "|rate limit|password is required|invalid user|invalid pass|invalid token",
        r"(?i)\baccess ?denied\b|^denied: |\bpermission to \S+ denied to\b"
        r"|\bauthentication (?:failed|required|error)\b|\b(?:bad|invalid) credentials\b"
        r"|\b(?:invalid|incorrect) api key\b|\b401:? unauthorized\b|\b403:? forbidden\b|\bnot authorized to\b"
        r"|\bhost key verification failed\b|\brate limit (?:exceeded|reached)\b|\bpassword is required\b"
        r"|\binvalid (?:user(?:name)?|password|token)\b",
        "An error occurred (AccessDenied) when calling the ListObjectsV2 operation",
        "Host key verification failed.",
    ),
    Row(
        FIRES,
        "http-status",
        "a server's refusal",
        "http/|http error|http status|http 4|http 5|http: 4|http: 5|bad request|not found|internal server"
        "|bad gateway|service unavail|gateway time",
        r"\bHTTP/\d(?:\.\d)? [45]\d\d\b"
        r"|\bHTTP/\d(?:\.\d)?\" 5\d\d\b"
        r"|\bHTTP(?: [Ee]rror| [Ss]tatus)?:? [45]\d\d\b"
        r"|\b(?:400:? Bad Request|404:? Not Found|500:? Internal Server|502:? Bad Gateway)\b"
        r"|\b(?:503:? Service Unavail|504:? Gateway Time)",
        "HTTP/2 500",
        "go: reading https://proxy.example.com/x/@v/list: 404 Not Found",
    ),
    Row(
        FIRES,
        "curl",
        "curl names its exit status so",
        "curl: (",
        r"\bcurl: \(\d+\)",
        "curl: (22) The requested URL was not delivered",
    ),
    Row(
        FIRES,
        "git",
        "a merge, a push or a patch that did not go through",
        "conflict (|rejected]|match any file|not apply|merge conflict|were rejected|can merge|git command",
        r"^CONFLICT \(|! \[(?:remote )?rejected\]|\bmerge conflict in\b|\bwere rejected because\b"
        r"|\bdid not match any file|\bpatch does not apply\b|\bnot something we can merge\b"
        r"|\bis not a git command\b",
        "CONFLICT (content): Merge conflict in a.py",
        " ! [rejected]        main -> main (fetch first)",
    ),
    Row(
        FIRES,
        "container-state",
        "a pod that does not run",
        "backoff|errimage|containerconfigerror|runcontainererror|error ",
        r"\b(?:CrashLoopBackOff|ImagePullBackOff|ErrImage\w+|CreateContainerConfigError|RunContainerError)\b"
        r"|\b\d+/\d+\s+(?:Init:)?Error\b",
        "api-7c9d8b6f5-abcde    0/1     CrashLoopBackOff   5          3m",
        "api-7c9d8b6f5-abcde    0/1     Error              1          3m",
    ),
    Row(
        FIRES,
        "go-position",
        "the go compiler and go vet name a place and no severity",
        ".go:",
        r"^(?:vet: )?[\w./@-]+\.go:\d+:\d+: \S",
        "./main.go:8:2: undefined: foo",
    ),
    Row(
        FIRES,
        "python-lint",
        "flake8, ruff and pylint number what is wrong",
        ": e0|: e1|: e2|: e3|: e4|: e5|: e7|: e9|: f4|: f5|: f6|: f7|: f8|: f9",
        r"^\S+\.pyi?:\d+:\d+: [EF]\d{3,4}\b",
        "src/a.py:12:1: F821 undefined name 'foo'",
    ),
    Row(
        FIRES,
        "pytest-assertion",
        "pytest marks the lines that explain a failure",
        "assert |fixture ",
        r"^E {3,}(?:assert |fixture )",
        "E       assert None == []",
    ),
    Row(
        FIRES,
        "latex",
        "TeX begins an error with an exclamation mark",
        "! latex|! undefined|! missing|! emergency|! package|! extra|! illegal",
        r"^! (?:LaTeX|Undefined|Missing|Emergency|Package|Extra|Illegal)\b",
        "! Undefined control sequence.",
    ),
    Row(
        FIRES,
        "interpreter",
        "Lua, R, Perl, and whoever knows no better",
        "attempt to |error in |stack traceback|can't locate|.pl line |.pm line |.t line |went wrong",
        r"\battempt to (?:index|call|compare|perform arithmetic|concatenate) a\b"
        r"|^Error in |^stack traceback:|^Can't locate "
        r"| at \S+\.(?:pl|pm|t) line \d+\.$"
        r"|(?i:\bsomething went wrong\b)",
        "lua: a.lua:1: attempt to index a nil value (global 'x')",
        "oops at a.pl line 1.",
    ),
    # -- levels, marks and counts -------------------------------------------------------------------------
    Row(
        FIRES,
        "log-level",
        "structured logs: logfmt, slog, pino",
        "level=|severity=|level'|level\"",
        r"(?i)(?<![\w-])(?:level|severity)=[\"']?(?:error|fatal|critical|panic)\b"
        r"|[\"']level[\"']\s*:\s*(?:50|60)\b",
        'time=2024-05-03T10:00:00Z level=ERROR msg="request dropped"',
        '{"level":50,"msg":"cannot bind"}',
    ),
    Row(
        FIRES,
        "bracketed-level",
        "a level in brackets: maven, esbuild, nginx, redis, CI",
        "[error|<error|(error|[err]|<err>|[fatal|<fatal|(fatal|[emerg|[crit|[alert|[severe",
        r"(?i)(?<![\w\]()\"'])[\[<](?:error|err|fatal|emerg|crit|critical|alert|severe)[\]>]"
        r"|(?:^|\s)\((?:error|fatal)\)(?=:|\s+[A-Z]|\s*$)",
        "[ERROR] COMPILATION STOPPED",
        'nginx: [emerg] unknown directive "foo" in /etc/nginx/nginx.conf:3',
        "(error) ERR wrong number of arguments",
    ),
    Row(
        FIRES,
        "json-error",
        "an error in a JSON answer or log line",
        'error"|errors"|error\'|errors\'|error_message|errormessage|exception"|fail"|failed"|failure"|fatal"'
        '|critical"|success"|success\'',
        r"(?i)[\"'](?:errors?|exception|error_?message)[\"']\s*:\s*(?:\[\s*)?[\"'{1-9]"
        r"|[\"'](?:status|state|result|conclusion|outcome|level|severity)[\"']\s*:\s*"
        r"[\"'](?:error|fail|failed|failure|fatal|critical)[\"']"
        r"|[\"']success[\"']\s*:\s*false\b",
        '{"error": "invalid_grant"}',
        '{"level":"error","msg":"cannot bind"}',
        "{'success': False}",
    ),
    Row(
        FIRES,
        "fatal",
        "git, compilers, databases and loggers",
        "fatal~",
        rf"(?i:{_WORD}fatal(?: (?:\w+ )?error)?\s*:)(?!:)"
        rf"|{_WORD}FATAL{_END}"
        rf"|(?i:{_WORD}fatal (?:\w+ )?error\b){_NO_THING}",
        "fatal: not a git repository (or any of the parent directories): .git",
        "2024-05-06 10:00:00 FATAL the disk is gone",
        "a.c:1:10: fatal error: nope.h is missing",
    ),
    Row(
        FIRES,
        "test-failed",
        "test runners and builds shout it",
        "fail~|not ok",
        rf"{_WORD}FAIL(?:ED|URES?)?(?! ?FAST){_END}|^\s*not ok\b(?!.*#\s*(?i:todo|skip))",
        "FAILED tests/test_io.py::test_reads_latin1 - UnicodeDecodeError",
        "--- FAIL: TestAdd (0.00s)",
        "[INFO] BUILD FAILURE",
        "not ok 2 fails",
    ),
    Row(
        FIRES,
        "failure-mark",
        "test runners and linters mark what failed",
        "\u2717|\u2718|\u2716|\u00d7|\u274c",
        r"^\s*[\u2717\u2718\u2716\u00d7\u274c]\ufe0f?\s+(?!0\b|\d+ problems? \([0·])\S",
        "   \u00d7 adds 3",
        "\u2716 2 problems (1 error, 1 warning)",
    ),
    Row(
        FIRES,
        "count",
        "a count that is not zero",
        "error~|fail~",
        rf"(?i)(?<![\w.,:#/-])(?:[1-9]\d*(?:,\d\d\d)* {_COUNTED}"
        r"(?:errors(?:\(s\))?|error\(s\)|failed|failures?(?:\(s\))?|failing|fails?)"
        rf"|1 {_COUNTED}error)(?![\w/-]|\.\w)"
        rf"(?! (?:login|connection|attempt|job|build|request|upload|retr|run\b|runs)){_NO_THING}",
        "2 failed, 118 passed, 1 warning in 12.41s",
        "Found 1 error in 1 file (checked 31 source files)",
        "50% tests passed, 1 tests failed out of 2",
    ),
    Row(
        FIRES,
        "labelled-count",
        "a labelled count that is not zero",
        "error~|fail~",
        r"(?i)(?<![\w.$/-])(?:errors?|fail(?:ed|ing|ures?|s)?)(?:\(s\))?(?: count)?[\"']?\s*[:=]\s*[\"']?"
        r"[1-9][\d,]*"
        r"(?!\w|\.\d|%)"
        r"|\bfailed (?:checks?|tests?|specs?|assertions?|requests?|transactions?|tasks?|steps?)"
        r"\s*[:=]\s*[1-9]"
        r"|^\s*#\s*(?:errors?|fail(?:ed|ures?)?)\s+[1-9]",
        "Tests run: 3, Failures: 1, Errors: 0, Skipped: 0",
        "web1 : ok=3    changed=1    unreachable=0    failed=1    skipped=0",
        "# fail 1",
        "Passed checks: 12, Failed checks: 3, Skipped checks: 0",
        '<testsuite name="a" tests="3" failures="1">',
    ),
    Row(
        FIRES,
        "exit-status",
        "a status that is not zero, told in the output",
        "exit|fail~|error code|errorcode|non-zero|nonzero|returned|rc=|rc:|return code|return_code"
        "|return-code|returncode",
        r"(?i)\b(?:exit(?:ed|s|ing)?|fail(?:ed|s)?)\b.{0,30}?"
        r"\b(?:status|code)(?: code)?[ :=(]{1,2}-?[1-9]\d*\b"
        r"|\berror ?code[ :=]{1,3}-?[a-z]{0,4}[1-9]\d*\b|\bexited \([1-9]"
        r"|\bexited with [1-9]\d*\s*[.;,]?\s*$|\bexit [1-9]\d* \("
        r"|\b(?:returned|exited with(?: a)?|failed with(?: a)?) non-?zero\b"
        r"|\breturned (?:exit )?(?:status|code) -?[1-9]\d?\s*[.;,]?\s*$"
        r"|^\W*(?:exit(?:[ _-]?(?:code|status))?|rc|return[ _-]?code)(?:\s*[:=]\s*|\s+)-?[1-9]\d*\W*$",
        "Command failed with exit code 1.",
        "api-1 exited with code 1",
        "EXIT=1",
        "exit status 2",
    ),
    # -- the words themselves -----------------------------------------------------------------------------
    Row(
        FIRES,
        "syntax",
        "text that no parser takes, a name that nothing defines",
        "syntax error|parse error|invalid syntax|unexpected |unterminated|unbound variable|bad substitution"
        "|ambiguous redirect|undeclared|undefined |undefined: |(char |yaml: |: expected|: [: ",
        r"(?i)(?<![\w-])(?:syntax error|parse error|invalid syntax)\b"
        r"(?! (?:handl|recover|test|report|messag))"
        r"|\bunexpected (?:token|eof|end of|keyword|identifier|character|indent|symbol|argument|string)\b"
        r"|: unterminated |\bunbound variable\b|\bbad substitution\b|\bambiguous redirect\b"
        r"|\bundeclared identifier\b|: line \d+ column \d+ \(char \d+\)"
        r"|\bundefined(?: variable)?: (?!\d)\w"
        r"|^\S+:\d+(?::\d+)?: [Ee]xpected\b|: line \d+: \[: \S"
        r"|\byaml: (?:line \d+: |unmarshal errors|(?:did not|could not) find|mapping values|found )"
        r"|\bundefined (?:method|local variable|variable|function|identifier|service|volume|network) \W",
        "x.sh: line 2: syntax error near unexpected token `fi'",
        "x.sh: line 2: HOME_DIR: unbound variable",
        "./a.sh: line 3: [: missing `]'",
        "yaml: line 5: did not find expected key",
        'a.proto:3:1: Expected top-level statement (e.g. "message").',
    ),
    Row(
        FIRES,
        "usage",
        "a program called in a way it does not know",
        "unrecognized|unrecognised|unknown|illegal|unsupported|invalid|: missing|not defined|requires an"
        "|try ",
        r"(?i)(?<![\w-])(?:unrecogni[sz]ed|unknown|illegal|unsupported|invalid) "
        r"(?:option|argument|command|subcommand|flag|parameter|choice|directive|predicate)s?\b(?! handl)"
        r"|: missing (?:\w+ )?(?:operand|argument|parameter)|: invalid (?:value|input|date|number|mode)\b"
        r"|\bprovided but not defined\b|\brequires an argument\b|^try ['`\"]?\S+ (?:--help|-h)\b",
        "grep: unrecognized option '--foo'",
        "cp: missing file operand",
        "Try 'cp --help' for more information.",
    ),
    Row(
        FIRES,
        "shouted-error",
        "the level of a log line, the head of a report",
        "error~|critical~|severe~|emerg~|err ",
        rf"{_WORD}(?:ERRORS?|CRITICAL|SEVERE|EMERG){_END}|^ERR ",
        "2024-05-03 10:11:12,004 ERROR worker: job 17 crashed",
        "ERROR tests/test_api.py",
        "==================================== ERRORS ====================================",
    ),
    Row(
        FIRES,
        "lint-column",
        "eslint's table",
        " error ",
        r"^\s*\d+:\d+\s+error\b",
        "  1:7   error    'x' is assigned a value but never used  no-unused-vars",
    ),
    Row(
        FIRES,
        "error-label",
        "the word with a colon: most compilers and command-line tools",
        "error:|error :|error[|error(|err:|err :|err[|err(",
        r"(?<![\w.$@/-])(?<!\w\[)(?i:error|err)(?:[\[(][^\])]{1,60}[\])])?\s?:(?![:=\w/])"
        r"|(?<![\w.$@/-])(?<!\w\[)Error:(?!:)",
        "a.c:3:5: error: 'x' undeclared (first use in this function)",
        "ld.lld: error : duplicate",
        "Error: in prepare, table t is missing",
    ),
    Row(
        FIRES,
        "error-told",
        "an error told in a sentence",
        "error~",
        r"(?i:(?:^|[:\]>│] ?)errors? (?:while|when|during|near|response from|from server|trying|at line"
        r"|on line|in |(?:read|writ|open|pars|execut|runn|connect|creat|load|compil|build|resolv|fetch"
        r"|install|process|validat|start|render|updat|add|remov|decod|encod|generat|initializ|call|access|copy"
        r"|delet|send|pull|push)ing\b))"
        r"|(?i:(?:^|: )error is )"
        r"|(?i:\berrors? (?:has |have |was |were )?(?:occurred|encountered|detected|found|raised|thrown)\b)"
        r"|(?i:\btreated as errors\b)"
        r"|(?i:\b(?:with|encountered|got|hit|threw|returned|raised|due to|because of"
        r"|(?<!if )(?<!when )there (?:is|are|was|were)) "
        rf"(?:an? |following |some |previous |unexpected )?errors?\b(?!-free)){_NO_THING}",
        "dd: error writing '/mnt/x': disk full",
        "An error occurred when calling the operation",
        "-- Configuring incomplete, errors occurred!",
        "cc1: all warnings being treated as errors",
        "finished with errors",
    ),
    Row(
        FIRES,
        "kind-of-error",
        "an error by its kind",
        "error~",
        r"(?i:(?<![\w-])(?:internal|server|unexpected|runtime|linker|i/o|network|protocol|unknown|critical"
        r"|compil(?:e|er|ation)|build|type|import|assertion|checksum|connection|socket|disk|ssl|tls|system"
        r"|database|config(?:uration)?|validation|permission) error\b)(?!\.\w|[=/-])"
        rf"(?!\s*[:=|]?\s*[-+]?\d*\.\d){_NO_THING}",
        "Internal Server Error",
        "caught a network error, giving up",
    ),
    Row(
        FIRES,
        "error-first",
        "a line that begins with the word",
        "error~",
        rf"(?i:^\s*error\b){_NO_THING}"
        r"(?!\s+(?:will|would|is|are|may|might|can|could|should|must|that|which|if|when|or|and|then)\b)"
        r"(?:\s*!*\s*$|\s+-?[\"'`(@/A-Za-z]|\s+- |\s+[1-9]\d*(?::|\s*$))",
        "error An unexpected problem: not found",
        "Error 500",
        "error",
    ),
    Row(
        FIRES,
        "failed",
        "a line that says that something failed",
        "fail~",
        r"(?i)(?<![\w./=-])failed(?:\s*$|\s*[!,;:)\]]|\.(?:\s|$)|--|\s+\("
        r"|\s+(?:with|because|at|on|in|due|after|while|during|asserting|to|for)\b)"
        r"|\bfailed [1-9]\d*(?:/| of )\d"
        r"|\b(?:build|compilation|deploy(?:ment)?|install(?:ation)?|tests?|test suite|job|step|task|command"
        r"|process|pipeline|checks?|lint|assertion|verification) failed\b(?![\w.-]\w)"
        r"|(?:^|:\d+: )failures?:?\s*$|^failure: \S|\bthere (?:was|were) failing\b",
        "api: Build failed",
        "Failed to compile.",
        "a.out: a.c:4: main: Assertion `x > 0' failed.",
        "sum_test.cc:5: Failure",
    ),
    Row(
        FIRES,
        "cannot",
        "a tool that says what it could not do",
        "could not|couldn't|cannot|can't|unable to|does not exist|not installed|division by|not in "
        "|format not",
        r"(?:^|: +|\] |> )(?:[Cc]ould not|[Cc]ouldn't|[Cc]annot|[Cc]an't|[Uu]nable to) (?!be\b)\w"
        r"|\b[Cc]ould not "
        r"(?:find|open|read|write|load|parse|create|start|determine|execute|compile|access|lock)\b"
        r"|^[a-z][\w.-]*: .*\b(?:does not exist|not installed|division by (?:zero|0)|not in \w+ format"
        r"|format not recognized)\b",
        "E: Unable to locate package nope",
        "rm: cannot remove 'x'",
        "GraphQL: Could not find a PullRequest with the number of 9.",
    ),
    Row(
        FIRES,
        "not-successful",
        "success denied",
        "not success|n't success|unsuccess|complete success|run success|exit success|finish success"
        "|start success|created success|installed success|built success",
        r"(?i)\b(?:not|n't) (?:\w+ )?success(?:ful|fully)\b|\bunsuccessful(?:ly)?\b",
        "process did not complete successfully",
    ),
)
