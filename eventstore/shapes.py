"""The token shapes that are kept out of the log: data, each with lines that it must and must not find.

A shape is found by its form alone, also when its end was cut off, so most ask for fewer characters than the
issuer gives.

The sample lines hold invented tokens, each with `~~` inside, to be taken out before use; without it, tools
that look for leaked secrets would report this file.
"""

from __future__ import annotations

from typing import NamedTuple

__all__ = ["ARMOUR", "SHAPES", "Shape"]

ARMOUR = "PRIVATE KEY"
"""The anchor of private-key blocks (`eventstore.private_keys`)."""


class Shape(NamedTuple):
    """How one issuer's tokens look.

    kind: what stands in the token's place, in `[redacted:kind]`.
    anchors: texts of which each match contains one; looked for before the pattern is even compiled.
    pattern: regular expression; its group, where it has one, is the secret, otherwise all of the match is.
        Takes linear time: no start is tried twice, look-aheads are bounded.
    hits: lines in which it must be found. misses: lines in which it must not.
    """

    kind: str
    anchors: tuple[str, ...]
    pattern: str
    hits: tuple[str, ...]
    misses: tuple[str, ...]


_START = r"(?<![A-Za-z0-9])"
_END = r"(?![A-Za-z0-9])"
_IS = r"""["'\\]{0,3}\s{0,4}[:=]\s{0,4}["'\\]{0,3}"""
_DIGIT = r"(?=[A-Za-z0-9._~+/=-]{0,80}[0-9])"
_UPPER = r"(?=[A-Za-z0-9_-]{0,80}[A-Z])"
_NO_HASH = r"(?![0-9a-f]*+(?![A-Za-z0-9]))"


def _prefixed(kind: str, prefixes: str, rest: str, hits: tuple[str, ...], misses: tuple[str, ...]) -> Shape:
    """Tokens that begin with one of some prefixes (set apart by spaces), which no ordinary word does."""
    anchors = tuple(prefixes.split())
    either = "|".join(anchor.replace(".", r"\.") for anchor in anchors)
    return Shape(kind, anchors, f"{_START}(?:{either}){rest}", hits, misses)


SHAPES: tuple[Shape, ...] = (
    _prefixed(
        "aws",
        "AKIA ASIA ABIA ACCA",
        rf"[A-Z0-9]{{16}}{_END}",
        ("id AK~~IAQ3EGRIWX7ZPLNM2T", "AS~~IAQ3EGRIWX7ZPLNM2T is temporary"),
        ("MALAKIAQ3EGRIWX7ZPLNM2T", "AKIA is a prefix", "ASIAN_MARKETS_DATASET_V2", "AKIAQ3EGRIWX7"),
    ),
    Shape(
        "aws",
        ("ecret_access_key", "ECRET_ACCESS_KEY", "ecretAccessKey"),
        rf"(?:[Ss]ecret_?[Aa]ccess_?[Kk]ey|SECRET_ACCESS_KEY){_IS}([A-Za-z0-9/+]{{40}})(?![A-Za-z0-9/+])",
        (
            "export AWS_SECRET_ACCESS_KEY=q7~~Kx0ZpN3vRt8WbYc2Ld5Fg1Hj4Ms6Qa9Te+/UiO",
            '{"SecretAccessKey": "q7~~Kx0ZpN3vRt8WbYc2Ld5Fg1Hj4Ms6Qa9Te+/UiO"}',
            "aws_secret_access_key = q7~~Kx0ZpN3vRt8WbYc2Ld5Fg1Hj4Ms6Qa9Te+/UiO",
        ),
        (
            "AWS_SECRET_ACCESS_KEY is not set",
            "aws_secret_access_key = ${AWS_SECRET}",
            "secret_access_key=none",
        ),
    ),
    Shape(
        "aws",
        ("ession_token", "ESSION_TOKEN", "essionToken"),
        rf"(?:[Ss]ession_?[Tt]oken|SESSION_TOKEN){_IS}([A-Za-z0-9/+=]{{100,}})",
        (f"AWS_SESSION_TOKEN=IQ~~oJb3JpZ2luX2Vj{'EA8aCXVzLWVhc3QtMSJHMEUCIQ' * 4}",),
        ("session_token=abc123", "the session_token: see the docs"),
    ),
    _prefixed(
        "google",
        "AIza",
        r"[A-Za-z0-9_-]{30,}",
        ("key=AI~~zaSyD4_kQ7-pLx2mNvB8wRtY3uI6oEaSdFgHjK",),
        ("AIza", "the AIzawa estimate is better", "pAIzaSyD4_kQ7-pLx2mNvB8wRtY3uI6oEaSdFgHjK"),
    ),
    _prefixed(
        "google",
        "ya29. GOCSPX- 1//0",
        r"[A-Za-z0-9_-]{20,}",
        (
            "token ya~~29.a0AfH6SMBx3kPq-7uVnD_2wRtY8zLmE",
            "GOC~~SPX-k3Jd8sLq0PzXv7NmB2wRtY5uIoEa",
            "refresh 1/~~/0gK8sLq0PzXv7NmB2wRtY5uIoEaDfGhJkL",
        ),
        ("ya29.short", "1//0 is a comment", "see http://1//0"),
    ),
    Shape(
        "azure",
        ("AccountKey=", "SharedAccessKey="),
        r"(?:Account|SharedAccess)Key=([A-Za-z0-9+/]{40,}={0,2})",
        (
            "AccountName=lab;AccountKey=q7~~Kx0ZpN3vRt8WbYc2Ld5Fg1Hj4Ms6Qa9TeUiOpq7Kx0ZpN3vRt8WbYc2Ld5==;X=1",
            "SharedAccessKey=q7~~Kx0ZpN3vRt8WbYc2Ld5Fg1Hj4Ms6Qa9TeUiOpqk=",
        ),
        ("AccountKey=<key>", "AccountKey=$KEY", "SharedAccessKey=short"),
    ),
    Shape(
        "azure",
        ("sig=",),
        r"[?&]sig=([A-Za-z0-9%+/=_-]{40,})",
        ("https://lab.blob.core.windows.net/c?sv=2024&sig=q7~~Kx0ZpN3vRt8WbYc2Ld5Fg1Hj4Ms6Qa9TeUiOpqk%3D",),
        ("&sig=none", "sig=q7Kx0ZpN3vRt8WbYc2Ld5Fg1Hj4Ms6Qa9TeUiOpqk", "config=big"),
    ),
    Shape(
        "azure",
        ("7Q~", "8Q~"),
        r"(?<![A-Za-z0-9_~.-])[A-Za-z0-9_~.-]{3}[78]Q~[A-Za-z0-9_~.-]{31,40}(?![A-Za-z0-9_~.-])",
        ("secret abc8~~Q~dEfGhIjKlMnOpQrStUvWxYz0123456789",),
        ("8Q~", "abc8Q~short"),
    ),
    _prefixed(
        "github",
        "ghp_ gho_ ghu_ ghs_ ghr_",
        r"[A-Za-z0-9]{20,}",
        (
            "remote: gh~~p_0123456789abcdefghijklmnopqrstuvwxyz",
            "x=gho~~_0123456789abcdefghijklmnopqrstuvwxyz;",
            '"gh~~s_0123456789abcdefghijklmnopqrstuvwxyz"',
        ),
        (
            "ghp_ is the prefix",
            "ghs_short",
            "weighs_0123456789abcdefghijklmnopqrstuvwxyz",
            "ghs_and_many_more_words",
        ),
    ),
    _prefixed(
        "github",
        "github_pat_",
        r"[A-Za-z0-9_]{20,}",
        ("github~~_pat_11ABCDEFG0aBcDeFgHiJkL_mNoPqRsTuVwXyZ0123456789aBcDeFgHiJkLmNoPqRs",),
        ("github_pat_expired", "github_patches_of_the_last_two_weeks"),
    ),
    _prefixed(
        "gitlab",
        "glpat- gloas- gldt- glrt- glcbt- glptt- glft- glsoat- glagent- glimt- glffct-",
        r"[A-Za-z0-9_.-]{20,}",
        ("PRIVATE-TOKEN: gl~~pat-k3Jd8sLq0PzXv7NmB2wR", "gl~~dt-k3Jd8sLq0PzXv7NmB2wR"),
        ("glpat-short", "opengldt-k3Jd8sLq0PzXv7NmB2wR"),
    ),
    Shape(
        "slack",
        ("xox", "xapp-"),
        rf"{_START}(?:xox[a-z](?:\.xox[a-z])?|xapp)-(?=[A-Za-z-]{{0,40}}[0-9])[A-Za-z0-9-]{{10,}}",
        (
            "SLACK=xo~~xb-263594206564-2343594206564-FGqddMF8t08v8N7Oq4i57vs1",
            "xa~~pp-1-A0123456-9876543-abcdef",
        ),
        ("xoxo", "xoxo-hugs-and-kisses-all", "foxox-263594206564", "xapp-short"),
    ),
    Shape(
        "slack",
        ("hooks.slack.com/",),
        r"hooks\.slack\.com/(?:services|workflows|triggers)/([A-Za-z0-9/_-]{16,})",
        ("curl https://hooks.slack.com/services/T0~~1234567/B01234567/k3Jd8sLq0PzXv7NmB2wRtY5u",),
        ("see https://hooks.slack.com/services/", "hooks.slack.com/docs/incoming-webhooks-guide"),
    ),
    Shape(
        "discord",
        ("/api/webhooks/",),
        r"discord(?:app)?\.com/api/webhooks/[0-9]{5,30}/([A-Za-z0-9_-]{20,})",
        ("https://discord.com/api/webhooks/1234567890/k3~~Jd8sLq0PzXv7NmB2wRtY5uIoEaDfGhJkL",),
        ("https://discord.com/api/webhooks/ID/TOKEN", "/api/webhooks/list-all-of-the-endpoints"),
    ),
    Shape(
        "anthropic",
        ("sk-ant-",),
        rf"{_START}sk-ant-[a-z]{{3,6}}[0-9]{{2}}-[A-Za-z0-9_-]{{8,}}",
        (
            "ANTHROPIC_API_KEY=sk~~-ant-api03-k3Jd8sLq0PzXv7-NmB2wRtY5uIoEa_DfGhJkL-AA",
            "sk~~-ant-oat01-k3Jd8sLq0P",
        ),
        ("task-ant-colony-optimiser-2", "sk-ant-hill", "sk-ant-colony-v2-with-pheromones"),
    ),
    Shape(
        "api-key",
        ("sk-proj-", "sk-svcacct-", "sk-admin-", "sk-None-", "sk-ant-"),
        rf"{_START}sk-(?:proj|svcacct|admin|None|ant)-{_DIGIT}{_UPPER}[A-Za-z0-9_-]{{16,}}",
        ("key sk~~-proj-k3Jd8sLq0PzXv7NmB2wR_tY5u-IoEaDfGhJkL", "sk~~-svcacct-k3Jd8sLq0PzXv7NmB2wRtY5u"),
        ("sk-proj-renamed-to-something-long", "disk-proj-k3Jd8sLq0PzXv7NmB2wR", "sk-admin-guide-2nd-edition"),
    ),
    Shape(
        "api-key",
        ("sk-",),
        rf"{_START}sk-(?:or-v1-|or-|lf-|proj-|svcacct-|admin-|ant-)?"
        rf"(?:[A-Za-z0-9]{{32,}}|{_DIGIT}[A-Za-z0-9]{{20,}}{_END}|[0-9a-f]{{8}}(?:-[0-9a-f]{{4}}){{3}}-[0-9a-f]{{12}})",
        (
            "OPENAI_API_KEY=sk~~-k3Jd8sLq0PzXv7NmB2wRT3BlbkFJtY5uIoEaDfGhJkLmNbVc",
            "sk~~-0123456789abcdef0123456789abcdef",
            "sk~~-or-v1-0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef",
            "sk~~-lf-01234567-89ab-cdef-0123-456789abcdef",
        ),
        (
            "sk-learn 1.5.2",
            "sk-learn-pipeline-v2-with-standard-scaler",
            "task-0123456789abcdef0123456789abcdef",
            "risk-0123456789abcdef0123456789abcdef",
            "sk-abcdefghijklmnopqrstuvwxyz",
        ),
    ),
    _prefixed(
        "stripe",
        "sk_live_ sk_test_ rk_live_ rk_test_ whsec_",
        r"[A-Za-z0-9+/=]{16,}",
        (
            "sk~~_live_k3Jd8sLq0PzXv7NmB2wRtY5u",
            "wh~~sec_k3Jd8sLq0PzXv7NmB2wRtY5u",
            "rk~~_test_k3Jd8sLq0PzXv7Nm",
        ),
        ("sk_test_data", "disk_live_k3Jd8sLq0PzXv7NmB2wRtY5u", "sk_live_"),
    ),
    _prefixed(
        "npm",
        "npm_",
        rf"{_NO_HASH}[A-Za-z0-9]{{30,}}",
        ("//registry.npmjs.org/:_authToken=np~~m_k3Jd8sLq0PzXv7NmB2wRtY5uIoEaDfGhJkLm",),
        ("npm_config_registry", "npm_0123456789abcdef0123456789abcdef01234567"),
    ),
    _prefixed(
        "pypi",
        "pypi-AgE",
        r"[A-Za-z0-9_-]{16,}",
        ("password = py~~pi-AgEIcHlwaS5vcmcCJGI0YjA0ZjQyLTk4",),
        ("pypi-AgEd-like-wine", "pypi-server-2.3.1"),
    ),
    _prefixed(
        "huggingface",
        "hf_ api_org_",
        rf"{_NO_HASH}[A-Za-z0-9]{{30,}}",
        ("HF_TOKEN=h~~f_kJdsLqPzXvNmBwRtYuIoEaDfGhJkLmNbVc", "api~~_org_kJdsLqPzXvNmBwRtYuIoEaDfGhJkLmNbVc"),
        (
            "hf_hub_download",
            "shelf_kJdsLqPzXvNmBwRtYuIoEaDfGhJkLmNbVc",
            "hf_0123456789abcdef0123456789abcdef",
        ),
    ),
    _prefixed(
        "api-key",
        "gsk_ xai- pplx- tvly- tvly-dev- tvly-prod- r8_ ntn_ nfp_ lin_api_ lin_oauth_",
        rf"{_NO_HASH}[A-Za-z0-9]{{28,}}",
        (
            "GROQ=gs~~k_k3Jd8sLq0PzXv7NmB2wRtY5uIoEaDfGhJkLmNbVcXzQw",
            "xa~~i-k3Jd8sLq0PzXv7NmB2wRtY5uIoEaDfGhJkLmNbVcXzQw",
            "tv~~ly-dev-k3Jd8sLq0PzXv7NmB2wRtY5uIoEaDfGh",
            "r8~~_k3Jd8sLq0PzXv7NmB2wRtY5uIoEaDfGhJkLm",
            "lin~~_api_k3Jd8sLq0PzXv7NmB2wRtY5uIoEaDfGhJkLm",
        ),
        (
            "xai-explainability-methods-for-vision-models",
            "bert_r8_lora_alpha_16_dropout_0_1_epochs_3",
            "gsk_k3Jd8sLq0P",
            "r8_0123456789abcdef0123456789abcdef",
        ),
    ),
    _prefixed(
        "api-key",
        "dop_v1_ doo_v1_ dor_v1_ dapi sbp_ rubygems_ shpat_ shpss_ shpca_ shppa_ lsv2_pt_ lsv2_sk_",
        r"[0-9a-f]{26,}",
        (
            "do~~p_v1_0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef",
            "da~~pi0123456789abcdef0123456789abcdef",
            "ls~~v2_pt_0123456789abcdef0123456789abcdef_0123456789",
        ),
        ("dapi is short", "soldapi0123456789abcdef0123456789abcdef", "sbp_dbp_heart_rate_of_2024_patients"),
    ),
    _prefixed(
        "api-key",
        "hvs. hvb. hvr. dp.pt. dp.st. dp.ct. PMAK- NRAK- glc_eyJ glsa_ sntrys_ sntryu_ pscale_tkn_ pscale_pw_"
        " ATATT3 nvapi- figd_ CCIPAT_ dckr_pat_ dckr_oat_",
        rf"{_DIGIT}[A-Za-z0-9_=-]{{20,}}",
        (
            "VAULT_TOKEN=hv~~s.k3Jd8sLq0PzXv7NmB2wRtY5uIoEa",
            "NR~~AK-K3JD8SLQ0PZXV7NMB2WRTY5UIOE",
            "dckr~~_pat_k3Jd8sLq0PzXv7NmB2wRtY5uIoE",
            "glsa~~_k3Jd8sLq0PzXv7NmB2wRtY5uIoEaDfGh_0123abcd",
        ),
        ("hvs.short", "glc_measurements_2024_patients_visit_3", "sntrys_of_the_long_night_watching"),
    ),
    Shape(
        "sendgrid",
        ("SG.",),
        rf"{_START}SG\.[A-Za-z0-9_-]{{16,}}\.[A-Za-z0-9_-]{{16,}}",
        ("S~~G.k3Jd8sLq0PzXv7NmB2wRtY.k3Jd8sLq0PzXv7NmB2wRtY5uIoEaDfGhJkLmNbVcXzQ",),
        (
            "SG. is an abbreviation",
            "MSG.k3Jd8sLq0PzXv7NmB2wRtY.k3Jd8sLq0PzXv7Nm",
            "SG.module.of.a.long.dotted.name",
        ),
    ),
    Shape(
        "twilio",
        ("SK",),
        rf"{_START}SK[0-9a-f]{{32}}{_END}",
        ("S~~K0123456789abcdef0123456789abcdef",),
        ("SK", "RISK0123456789abcdef0123456789abcdef", "SK0123456789ABCDEF0123456789ABCDEF"),
    ),
    Shape(
        "telegram",
        (":AA",),
        rf"{_START}[0-9]{{8,10}}:AA[A-Za-z0-9_-]{{32,}}",
        ("https://api.telegram.org/bot 123456789:AA~~Hk3Jd8sLq0PzXv7NmB2wRtY5uIoEaDfGh",),
        ("at 12:AA", "0123456789:AAbc", "rating 12345678:AAA"),
    ),
    Shape(
        "age",
        ("AGE-SECRET-KEY-1",),
        r"AGE-SECRET-KEY-1[A-Z0-9]{40,}",
        ("AGE-SECRET~~-KEY-1QQPZRY9X8GF2TVDW0S3JN54KHCE6MUA7LQQPZRY9X8GF2TVDW0S3JN54",),
        ("AGE-SECRET-KEY-1", "an AGE-SECRET-KEY-1 starts like this"),
    ),
    Shape(
        "jwt",
        ("eyJ",),
        r"(?<![A-Za-z0-9_-])eyJ[A-Za-z0-9_-]{10,}(?:\.[A-Za-z0-9_-]{8,}){2}(?:\.[A-Za-z0-9_-]+){0,2}",
        ("cookie ey~~JhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmNHl0w5N_XgL0n3I9",),
        (
            "eyJhbGciOiJIUzI1NiJ9",
            "heyJude.and.friends.forever",
            "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0",
        ),
    ),
    Shape(
        "authorization",
        ("uthorization", "UTHORIZATION"),
        rf"(?:[Aa]uthorization|AUTHORIZATION){_IS}(?i:basic|token|bearer|apikey|digest|negotiate)\s{{1,4}}"
        r"((?=[A-Za-z0-9._~+/=-]{0,80}(?:[0-9=]|[a-z][A-Z]))[A-Za-z0-9._~+/=-]{8,})",
        (
            "Authorization: Basic dXNl~~cjpwYXNz",
            '"authorization": "token k3Jd8~~sLq0"',
            "-H 'Authorization: Bearer hu~~nter2hunter2'",
        ),
        (
            "Authorization: Basic authentication",
            "authorization: bearer <token>",
            "Authorization: Bearer $TOKEN",
            "authorization tokens needed",
        ),
    ),
    Shape(
        "bearer",
        ("earer ", "EARER "),
        rf"{_START}(?:[Bb]earer|BEARER)\s{{1,4}}"
        rf"([A-Za-z0-9]{{24,}}[A-Za-z0-9._~+/=-]*|(?=[A-Za-z0-9]){_DIGIT}[A-Za-z0-9._~+/=-]{{16,}})",
        ("sent Bearer k3Jd8s~~Lq0PzXv7NmB2wRtY5u", "bearer abcdefghij~~klmnopqrstuvwxyz"),
        (
            "a bearer of internationalisation",
            "Bearer token",
            "Bearer [redacted:github]",
            "forbearer k3Jd8sLq0PzXv7NmB2wRtY5u",
            "the bearer /data/set1/some/long/path",
        ),
    ),
    Shape(
        "api-key",
        ("-api-key", "-Api-Key", "-API-Key", "-API-KEY"),
        rf"[Xx]-(?:api-key|Api-Key|API-Key|API-KEY){_IS}([A-Za-z0-9._~+/=-]{{16,}})",
        ("curl -H 'x-api-key: k3Jd8s~~Lq0PzXv7Nm'", '"X-API-Key": "k3Jd8s~~Lq0PzXv7Nm"'),
        ("x-api-key: $KEY", "the x-api-key header", "max-api-keys: 12"),
    ),
    Shape(
        "password",
        ("://",),
        r"(?<=://)[^\s/?#@:\"'<>]*:(?!\[redacted:[a-z-]+\]@|\$\{|\{\{|\*{3}|\$[A-Z_]+@)([^\s/?#\"'<>]+)@(?=[^\s@])",
        (
            "git clone https://me:hun~~ter2@example.org/x.git",
            "postgres://app:p@ss:w~~ord@db:5432/main",
            "redis://:s3~~cret@cache:6379/0",
        ),
        (
            "https://example.org:8080/a@b",
            "ssh://git@github.com:22/x",
            "git@github.com:owner/repo.git",
            "https://me:${PASSWORD}@example.org",
            "https://me:<password>@example.org",
            "https://me:$PASSWORD@example.org",
            "http://[::1]:8080/",
            "https://medium.com/@someone/a:b",
            "see http://example.org: mail me@example.org",
        ),
    ),
)
"""Every shape but private-key blocks, which are no single token (`eventstore.secrets`). Order counts: what
has a name of its own comes before what is only recognised by its surroundings."""
