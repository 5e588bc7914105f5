"""What only looks like an error, as data: the exclusions (`SKIPS`) and the harmless phrases (`BLANKS`).

The second leaf of the table that `error_patterns` begins. Every line of a row would be an error without
the row.
"""

from __future__ import annotations

from hooks.error_patterns import BLANKS, SKIPS, Row

# Before its level a log line may hold a time, a thread, a service: up to six words.
_LOG_HEAD = r"(?:(?!ERROR|FATAL|CRITICAL|SEVERE)\S{1,60}\s+){0,6}?[\[(<|]?"
# A log line of a quiet level still counts when it tells of a verdict: "[INFO] BUILD FAILURE".
_NO_VERDICT = (
    r"(?!.*(?:BUILD FAIL|[Bb]uild failed|\*\*\* FAILED|Traceback \(|Sanitizer: |panic:"
    r"|(?:Failures|Errors): [1-9]|\" 5\d\d\b))"
)
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
        'time="2024-05-03T10:00:01Z" level=info msg="failed, will be retried"',
        '{"level":"info","error":"none of ours"}',
        "[debug] error: not shown",
    ),
    Row(
        SKIPS,
        "warning",
        "a warning may speak of errors",
        "warn",
        r"^(?!.*Sanitizer: )(?:(?i:\W*(?:\S{1,120}:\s*)?warn(?:ing)?\s*[:\]])|(?i:npm warn\b)"
        r"|\s*\d+:\d+\s+warning\b|.*(?<!Rejection)(?<!Exception)Warning: )",
        "a.c:3:9: warning: unused, error: none of ours",
        "npm warn deprecated inflight@1.0.6: Error: see README",
        "/srv/a.py:9: DeprecationWarning: catching ValueError: use ParseError instead",
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
        r"|^\[\S+ (?:\([\w-]+\) )?[0-9a-f]{7,40}\] ",
        "[main 3f2a1b0] fix error: null deref",
        "HEAD is now at a1b2c3d error: message now names the file",
    ),
    Row(
        SKIPS,
        "probe",
        "configure steps that try things out",
        "-- |checking |debconf",
        r"^-- (?:Performing Test|Looking for|Check|Could NOT)|^checking |^debconf: ",
        "-- Performing Test HAVE_FLAG_WERROR - Failed",
        "debconf: unable to initialize frontend: Dialog",
    ),
)

# What ends a label's value: `error: null` is harmless, `error: null pointer` is not.
_VALUE_END = r"(?=\s*(?:$|[,.;:)}\]|\"'&\u00b7]|\s\S+[:=]))"
# The plural and the past of what may not have happened.
_MISHAPS = r"(?:errors?(?:\(s\))?|fail(?:ed|ures?|ing|s)?|exceptions?|fatal(?: errors?)?|panics?|critical)\b"

HARMLESS: tuple[Row, ...] = (
    Row(
        BLANKS,
        "none",
        "none of them",
        "0 |no |none |non|zero |not |never |nothing |without |free of ",
        r"(?i)(?<![\w.,-])(?:(?:0|zero|no(?! such\b| module\b| match)|none|without(?: any)?|free of) "
        rf"(?:[a-z][a-z-]{{0,20}} ){{0,2}}?(?:{_MISHAPS}|timed out\b)"
        rf"|(?:not|never|nothing) (?:an? |any |really )?{_MISHAPS}|non-?{_MISHAPS})",
        "12 passed, 0 failed",
        "finished with no errors occurred",
        "the build did not fail: nothing failed.",
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
        r"|^\W*(?:FAIL|FAILED|ERROR|ERRORS|CRITICAL)\W+0\b"
        r"|\bERROR SUMMARY: (?:0|\u00b7)",
        "Error: 0, Failures: 0",
        '{"data":1,"error":null,"errors":[]}; error: null',
        "failed: none",
        "[  FAILED  ] 0 tests",
    ),
    Row(
        BLANKS,
        "measured-error",
        "an error that is a measured quantity",
        "error~",
        r"(?i)\berrors?(?: rate)?\s*[:=]\s*[-+]?"
        r"(?:\d+\.\d+(?:e[-+]?\d+)?|\.\d+|\d+e[-+]?\d+|\d+\s*%)(?!\w|\.\d)",
        "validation error: 0.361",
        "relative error: 4%",
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
        "image-pull",
        "docker says so before it pulls",
        "unable to find image",
        r"Unable to find image '[^']*' locally",
        "Unable to find image 'hello-world:latest' locally",
    ),
)
