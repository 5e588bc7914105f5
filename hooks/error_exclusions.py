"""What only looks like an error, as data: the exclusions (`SKIPS`) and the harmless phrases (`BLANKS`).

The second leaf of the table that `error_patterns` begins. Every line of a row would be an error without
the row.
"""

from __future__ import annotations

from hooks.error_patterns import BLANKS, SKIPS, Row

# Before its level a log line may hold a time, a thread, a service: up to six words.
_LOG_HEAD = r"(?:(?!ERROR|FATAL|CRITICAL|SEVERE|FAIL)\S{1,60}\s+){0,6}?[\[(<|]?"
# A log line of a quiet level still counts when it tells of a verdict: "[INFO] BUILD FAILURE".
_NO_VERDICT = (
    r"(?!.*(?:BUILD FAIL|[Bb]uild failed|\*\*\* FAILED|Traceback \(|Sanitizer: |panic:"
    r"|(?:Failures|Errors): [1-9]|\" 5\d\d\b))"
)
# What BuildKit puts before the lines of a step.
_STEP = r"^(?:#\d+ [\d.]+ )?"
# Where a statement may begin in shown source code: after a diff's sign, a line number, a frame's mark.
_MARGIN = r"^[\s\d:+|>-]*"

EXCLUSIONS: tuple[Row, ...] = (
    Row(
        SKIPS,
        "logging-call",
        "source code that logs, and the label some runners print for it",
        ".err|.fatal|.critical|.exception|.severe|.warn",
        r"(?i)(?<![\w-])(?:console|log|logger|logging|_?log(?:ger)?|syslog|winston|slog|stderr)"
        r"\.(?:error|err|fatal|critical|exception|severe|warn\w*)\b",
        "logger.error( failed to parse )",
        "console.error: something failed.",
    ),
    Row(
        SKIPS,
        "raising-statement",
        "source code that makes an exception, as tracebacks show it",
        "new |raise |throw |except|catch",
        r"\bnew [\w.$]*(?:Error|Exception)\b"
        rf"|{_MARGIN}(?:raise|throw) [\w.$]+\("
        rf"|{_MARGIN}except\b.*:\s*$"
        r"|\bcatch\s*\(",
        "      throw new Error('Build failed.')",
        "+    raise ValueError('fatal: worse')",
        "    except ValueError:",
        "} catch (error: Error) { // failed:",
    ),
    Row(
        SKIPS,
        "printing-call",
        "source code that prints",
        "print|format!|bail!|panic!|anyhow!|puts(|fmt.|errors.new|system.",
        r"\b(?:e?print(?:ln|f)?|panic|bail|anyhow|format)!\s*\("
        r"|\b(?:print|printf|println|puts|fmt\.\w+|errors\.New|System\.(?:out|err)\.\w+)\(",
        'println!("error: {e}");',
        "3:    print('FAILED')",
    ),
    Row(
        SKIPS,
        "definition",
        "source code that defines or binds something",
        "=>|const |let |var |def |function |func |fn |class |//|/*",
        rf"{_MARGIN}(?:const|let|var) [\w{{\[].*="
        rf"|{_MARGIN}(?:async )?(?:def|function|fn|func) \w+\s*\("
        rf"|{_MARGIN}class \w+\s*[(:{{]|\bclass \w+ extends "
        rf"|{_MARGIN}(?://|/\*)"
        r"|=>\s*[{(]?\s*[})]?;?\s*$",
        "const failed = check(); // error: it failed.",
        "def handle(error: Exception) -> None:",
        "// error: see below",
        ".then((error: Error) => {",
    ),
    Row(
        SKIPS,
        "source-excerpt",
        "compilers and test runners show the source with its line numbers",
        " ",
        r"^\s*(?:>\s*)?\d+ ?[|\u2502] ",
        '    3 |         fatal("error: x");',
        "> 12 |   if (!ok) return 'error: not ok'",
    ),
    Row(
        SKIPS,
        "echoed-command",
        "make, npm and `set -x` print what they are about to run",
        "echo|printf|+ ",
        r"\becho\s+(?:-\w+\s+)?[\"']|\bprintf\s+[\"']|^\++ \S",
        'tsc || (echo "error: types do not check"; exit 1)',
        "+ test -z 'error: only if it fails'",
    ),
    Row(
        SKIPS,
        "passed-test",
        "a test named after the error it provokes has passed",
        "\u2713|\u2714|\u221a|\u2611|\u2705|pass|ok",
        r"^\s*[\u2713\u2714\u221a\u2611\u2705](?!.*[\u2717\u2718\u2716\u274c])"
        r"|\bPASS(?:ED)?\b\s*(?:\[\s*\d+%\]\s*)?$"
        r"|^\s*(?:--- )?PASS\b(?!.*\bFAIL)"
        r"|\.\.\s*(?i:ok|passed)\b(?:\s+[\d.]+\s*(?:s|sec|ms)?)?\s*$"
        r"|^\s*ok\s+(?:\d|\S+/\S|\S+\s+\()"
        r"|^\[\s*(?:OK|PASSED)\s*\]",
        "    \u2713 throws an error: on a null child (3 ms)",
        "test_error (app.Test) error: shown ... ok",
        "ok 1 - error: handling",
        "PASS src/errors.test.ts (error: shown)",
    ),
    Row(
        SKIPS,
        "skipped-test",
        "a test that is skipped, or known to fail, tells why",
        "skip|xfail",
        r"^(?:SKIP(?:PED)?|XFAIL)\b(?!.*\bFAIL)|\.\. skipped '",
        "SKIPPED [1] tests/test_gpu.py:5: could not import 'torch': No module named 'torch'",
        "XFAIL tests/test_a.py::test_known - reason: ValueError: not yet handled",
        "test_fails (tests.T) ... skipped 'error: needs root'",
    ),
    Row(
        SKIPS,
        "started-test",
        "a test is named before it runs",
        "=== run|subtest: |run  ",
        r"^=== RUN|^\s*# Subtest: |^\[\s*RUN\s*\]",
        "# Subtest: error: handled",
    ),
    Row(
        SKIPS,
        "quiet-level",
        "a log line of a level below error",
        "info|debug|trace|notice|verb|warn|http |level",
        rf"^{_NO_VERDICT}(?:{_LOG_HEAD}(?:INFO|DEBUG|TRACE|NOTICE|VERBOSE|WARN(?:ING)?)\b"
        r"|\W*(?i:info|debug|trace|notice|verbose)\s*[\]:]"
        r"|(?:npm )?(?:info|verb|notice|http) "
        r"|(?i:.*\blevel=[\"']?(?:info|debug|trace|notice|warn))"
        r"|(?i:.*[\"'](?:level|severity)[\"']\s*:\s*(?:[\"'](?:info|debug|trace|notice|warn)|[1-4]0\b)))",
        "2024-05-03 10:11:14,002 INFO worker: the last attempt failed: retried",
        'time="2024-05-03T10:00:01Z" level=info msg="failed, and left at that"',
        '{"level":"info","error":"none of ours"}',
        "[debug] error: not shown",
    ),
    Row(
        SKIPS,
        "warning",
        "a warning may speak of errors",
        "warn",
        r"^(?!.*Sanitizer: )(?:(?i:\W*(?:\S{1,120}:\s*)?(?:line \d+:\s*)?warn(?:ing)?\s*[:\]])"
        r"|(?i:npm warn\b)|\s*\d+:\d+\s+warning\b|.*(?<!Rejection)(?<!Exception)Warning: )",
        "a.c:3:9: warning: unused, error: none of ours",
        "npm warn deprecated inflight@1.0.6: Error: see README",
        "/srv/a.py:9: DeprecationWarning: catching ValueError: use ParseError instead",
        "./b.sh: line 3: warning: setlocale: cannot change locale (en_US.UTF-8): No such file or directory",
    ),
    Row(
        SKIPS,
        "measurement",
        "a benchmark's own number (design, section 6.1)",
        "metric ",
        r"^\s*METRIC \S+=",
        "METRIC errors=3 failed=2",
    ),
    Row(
        SKIPS,
        "listing",
        "ls -l: a date before a file's name reads like a count",
        "rw|r-",
        r"^[bcdlps-][r-][w-][xsS-][r-][w-][xsS-][r-][w-][xtT-][.@+]?\s",
        "-rw-r--r-- 1 me me  512 Jan  1  2023 errors",
    ),
    Row(
        SKIPS,
        "commit-subject",
        "git repeats a commit's subject",
        "head is now|head position|applying:|dropped|saved working|] ",
        r"^(?:HEAD is now at|Previous HEAD position was|Applying:|Dropped|Saved working directory) "
        r"|^\[\S+ (?:\([\w-]+\) )?[0-9a-f]{7,40}\] |^\[[0-9a-f]{40}\] ",
        "[main 3f2a1b0] fix error: null deref",
        "[3f2c1aa9d8e7f63f2c1aa9d8e7f63f2c1aa9d8e7] Fix error: null deref",
        "HEAD is now at a1b2c3d error: message now names the file",
    ),
    Row(
        SKIPS,
        "probe",
        "configure and packages that try things out, in a container's build too",
        "-- |checking |debconf|invoke-rc|re-open stdin",
        rf"{_STEP}-- (?:Performing Test|Looking for|Check|Could NOT)|{_STEP}checking "
        rf"|{_STEP}(?:debconf|invoke-rc\.d): |{_STEP}dpkg-preconfigure: unable to re-open stdin",
        "-- Performing Test HAVE_FLAG_WERROR - Failed",
        "debconf: unable to initialize frontend: Dialog",
        "#9 4.120 invoke-rc.d: could not determine current runlevel",
        "dpkg-preconfigure: unable to re-open stdin: No such file or directory",
    ),
    Row(
        SKIPS,
        "locale",
        "a machine without the user's language works all the same",
        "locale",
        r"^locale: Cannot set |^\w+: can't set the locale\b",
        "locale: Cannot set LC_ALL to default locale: No such file or directory",
        "manpath: can't set the locale; make sure $LC_* and $LANG are correct",
    ),
    Row(
        SKIPS,
        "traced-call",
        "strace and curl -v show tries that nothing depends on",
        ") = -1|) =|* connect to|* immediate",
        r"\) += -1 E[A-Z]+ \(|^\* (?:connect to \S+ port|Immediate connect fail)",
        'openat(AT_FDCWD, "/etc/ld.so.preload", O_RDONLY) = -1 ENOENT (No such file or directory)',
        "* connect to ::1 port 8000 from ::1 port 51234 failed: Connection refused",
    ),
    Row(
        SKIPS,
        "retried",
        "what is tried again has not failed yet; the last try says so itself",
        "retry|retried|trying again",
        r"(?i)^(?!.*(?:(?-i:\bERROR\b|\bFATAL\b|\bERR!|Exception: )|error: ))"
        r".*(?:\b(?:retrying|trying again)\b|\bwill (?:be )?retr(?:y|ied)\b)",
        "Solving environment: failed with initial frozen solve. Retrying with flexible solve.",
        "attempt 1 failed: Connection refused, will retry in 2 s",
    ),
)

# What ends a label's value: `error: null` is harmless, `error: null pointer` is not.
_VALUE_END = r"(?=\s*(?:$|[,.;:)}\]|\"'&\u00b7]|\s\w+=))"
# The plural and the past of what may not have happened.
_MISHAPS = r"(?:errors?(?:\(s\))?|fail(?:ed|ures?|ing|s)?|exceptions?|fatal(?: errors?)?|panics?|critical)\b"

HARMLESS: tuple[Row, ...] = (
    Row(
        BLANKS,
        "none",
        "none of them",
        "0 |no |none |non|zero |not |never |nothing |without |free of ",
        r"(?i)(?<![\w.,-])(?:(?:0|zero|no(?! such\b| module\b| match)|none|without(?: any)?|free of) "
        rf"(?:[a-z][a-z-]{{0,20}}(?:\(s\))? ){{0,2}}?(?:{_MISHAPS}|timed out\b)"
        rf"|(?:not|never|nothing) (?:an? |any |really )?{_MISHAPS}|non-?{_MISHAPS})",
        "12 passed, 0 failed",
        "finished with no errors occurred",
        "the build did not fail: nothing failed.",
        "1 chart(s) linted, 0 chart(s) failed",
    ),
    Row(
        BLANKS,
        "labelled-none",
        "a labelled none",
        "error|fail|fatal|critical|exception|err",
        r"(?i)\b(?:[\w-]{0,40}errors?|err|fail(?:ed|ures?|ing|s)?|fatal|critical|exceptions?)(?:\(s\))?"
        r"(?: count)?[\"']?\s*(?::|=>?|\bis\b|\()\s*[\"'(\[]?\s*"
        r"(?:0+(?:\.0+)?%?(?!\w|\.\d)|<nil>|\"\"|''|\[\s*\]|\{\s*\}|[\"']\s*[\"']"
        rf"|(?:none|null|nil|no|false|undefined|n/a|ok|never|-){_VALUE_END})"
        r"|\b(?:errors?|failures?) (?:in|on|of|from|during) (?:[a-z]+ )?[a-z]+\s*[:=]\s*0+(?!\w|\.\d)"
        r"|^\W*(?:FAIL|FAILED|ERROR|ERRORS|CRITICAL)\W+0\b"
        r"|\bERROR SUMMARY: (?:0|\u00b7)",
        "Error: 0, Failures: 0",
        '{"data":1,"error":null,"errors":[]}; error: null',
        "failed: none",
        "[  FAILED  ] 0 tests",
        "Errors in console: 0",
    ),
    Row(
        BLANKS,
        "measured-error",
        "an error that is a measured quantity",
        "error~|err:|err :|err=|err =",
        r"(?i)\berr(?:ors?)?(?: rate)?\s*[:=]\s*[-+]?"
        r"(?:\d+\.\d+(?:e[-+]?\d+)?|\.\d+|\d+e[-+]?\d+|\d+\s*%)(?!\w|\.\d)",
        "validation error: 0.361",
        "relative error: 4%",
        "largest err: 2e-16",
    ),
    Row(
        BLANKS,
        "mended",
        "errors of before",
        "fixed|corrected|resolved|suppressed|ignor|previous",
        r"(?i)\b(?:fixed|corrected|resolved|suppressed|ignor(?:ed|ing)) \d+ (?:[a-z]+ )?(?:errors?|failures?)"
        r"|\d+ errors? \(\d+ fixed, 0 remaining\)"
        r"|\d+ (?:[a-z]+ )?(?:errors?|failures?) (?:were |was |have been |has been )?"
        r"(?:fixed|ignored|suppressed|resolved|corrected)\b"
        r"|\brerun previous \d+ failures?|\bpreviously failed\b",
        "Found 5 errors (5 fixed, 0 remaining).",
        "run-last-failure: rerun previous 2 failures (skipped 14 files)",
    ),
    Row(
        BLANKS,
        "hypothetical",
        "what would happen, what is allowed",
        "if |whether |unless |until |in case |expect|at most |up to |max|allow|on error|on failure|on_|on-"
        "|any |each |every |per |first ",
        r"(?i)\b(?:if|whether|unless|until|in case) (?:[a-z]+ ){0,3}?"
        r"(?:failed|errors? (?:occurs?|occurred|is))\b"
        r"|\b(?:expect(?:s|ed|ing)?|at most|up to|max(?:imum)?(?: of)?|allow(?:s|ed|ing)?) "
        r"(?:[a-z]+ )?\d+ (?:[a-z]+ )?(?:errors?|failures?|failed)\b"
        r"|\b(?:on|any|each|every|per|first)[ _-](?:error|failure)\s*[:=]",
        "stops after the step if the build failed",
        "on error: stop",
        "allowed 3 errors",
    ),
    Row(
        BLANKS,
        "named-level",
        "a level or a verdict by its name, in a setting or a table's head",
        "level|verbosity|high|pass |pass/|passed |passed/",
        r"(?i)\b(?:log|logging|verbosity|severity|min|minimum)[ _.-]?level[\"']?"
        r"(?:\s|[:=]|\bis\b|\bset to\b)*[\"']?(?:error|critical|fatal)"
        r"|\bHIGH\s*[,|/]?\s*CRITICAL\b"
        r"|\bPASS(?:ED)?\s*[|/]?\s*FAIL(?:ED)?(?=\s*[|/]?\s*[A-Z]|\s*$)",
        "log_level: ERROR",
        "severities: MEDIUM, HIGH, CRITICAL",
        "SUITE    PASS  FAIL  SKIP",
    ),
    Row(
        BLANKS,
        "no-gain",
        "what a search tries in vain",
        "fail~",
        r"(?i)\bfail(?:ed|s)? to (?:improve|beat)\b",
        "12 of 40 candidates failed to improve",
    ),
    Row(
        BLANKS,
        "probe-threshold",
        "kubectl describe: how many failures a probe may have",
        "#failure=",
        r"#failure=\d+",
        "Liveness:  http-get http://:8080/healthz delay=0s timeout=1s period=10s #success=1 #failure=3",
    ),
    Row(
        BLANKS,
        "image-pull",
        "docker says so before it pulls",
        "unable to find image",
        r"Unable to find image '[^']*' locally",
        "Unable to find image 'hello-world:latest' locally",
    ),
)
