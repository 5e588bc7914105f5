"""Our MCP server in a TOML file: a table of its own, and every other byte where it was."""

from __future__ import annotations

import tomllib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from commands.registering.jsonc import SettingsError
from commands.registering.servers import Server
from commands.registering.toml_settings import TomlSettings
from commands.registering.toml_statements import statements

SETTINGS = TomlSettings(Server(("mcp_servers",), ("/opt/ar tools/ar",), after={"tool_timeout_sec": 60}))
MOVED = TomlSettings(Server(("mcp_servers",), ("/new/python", "/new/autoresearch_ledger.py")))

FILES = [
    "",
    "\n",
    "# nothing but a comment",
    'model = "x"\n',
    'model = "x"  # mine\r\n[a]\r\nb = 1\r\n',
    '# c\nmodel = "x"\n\n[mcp_servers.foo]\ncommand = "y"\n\n# the end\n',
    '[mcp_servers]\n[mcp_servers.foo]\ncommand="y"\n[projects."/x"]\ntrust_level = "trusted"\n',
    "mcp_servers.a.command='x'\nb=1\n",
    "[[hooks.Stop]]\n[[hooks.Stop.hooks]]\ntype = 'command'\n\n[z]\nq=1",
    "a = [ # [mcp_servers.ar]\n '''y\n[mcp_servers.ar]''', {b=1, 'c d'.e = \"\"\"\nq]\"\"\"\"},]\n",
    "d = 1979-05-27 07:32:00\n",
]


@pytest.mark.parametrize("text", FILES)
def test_put_in_and_taken_out(text: str) -> None:
    """Twice is once; all else means what it meant; taken out it is as it was, without a memory of that."""
    was = text.encode()
    after = SETTINGS.install(was)

    before = tomllib.loads(text)
    servers = {**before.get("mcp_servers", {}), "ar": SETTINGS.server.entry()}
    assert tomllib.loads(after.decode()) == {**before, "mcp_servers": servers}
    assert after.startswith(was)
    assert SETTINGS.install(after) == after
    assert SETTINGS.programs(after) == [["/opt/ar tools/ar"]]
    assert SETTINGS.remove(after, was) == was
    assert SETTINGS.remove(after, None) == (was if text.strip() else None)
    assert SETTINGS.remove(was, None) == was


def test_a_new_place_of_ar_takes_the_old_ones_place() -> None:
    """What somebody added to our table stays, and comments; it goes with the table."""
    text = (
        "[mcp_servers.ar]  # ours\n"
        "args = ['mcp', '--quiet'] # why\n"
        'command = """/old/ar"""\n'
        "[mcp_servers.ar.env]\n"
        "A = '1'\n"
        "\n"
        "[z]\n"
    )
    after = MOVED.install(text.encode()).decode()

    assert after == text.replace('"""/old/ar"""', '"/new/python"').replace(
        "['mcp', '--quiet']", '["/new/autoresearch_ledger.py", "mcp", "--quiet"]'
    )
    assert MOVED.remove(after.encode(), None) == b"  # ours\n # why\n\n[z]\n"


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("x =\n", "not TOML: invalid value in line 1, column 4"),
        ("a = 1\nb", "not TOML: expected '=' after a key in a key/value pair at the end"),
        ("mcp_servers = 3\n", "mcp_servers is not a table in line 1, column 1"),
        ("a = 1\n[mcp_servers]\nar = 'x'\n", "mcp_servers.ar is not a table in line 3, column 1"),
        (
            "mcp_servers = { a = { command = 'b' } }\n",
            "mcp_servers is an inline table, which cannot be added to, in line 1, column 1",
        ),
        (
            "[mcp_servers]\nar = { command = 'ar', args = ['mcp'] }\n",
            "mcp_servers.ar.command is not in a table of its own in line 2, column 1",
        ),
        (
            "[mcp_servers.ar]\ncommand = 'npx'\nargs = ['mcp']\n",
            "mcp_servers.ar is the server of another program in line 1, column 1",
        ),
    ],
)
def test_what_cannot_be_changed_is_refused(text: str, reason: str) -> None:
    """With its place; nothing is guessed."""
    with pytest.raises(SettingsError) as error:
        SETTINGS.install(text.encode())

    assert str(error.value) == reason


keys = st.sampled_from(["a", "b-c", '"d.e"', "'f g'", "mcp_servers", "x.y", "z . w"])
scalars = st.sampled_from(
    [
        "1",
        "-1.5e3",
        "true",
        '"a\\"b # no"',
        "'c # no'",
        '"""m\n[t]\n"""',
        "'''n\nq = 1'''",
        "1979-05-27 07:32:00Z",
    ]
)
blanks = st.sampled_from(["", " ", "\n", " # note ]}\n"])
written_values = st.recursive(
    scalars,
    lambda inner: st.builds(
        lambda items, space: f"[{space}{','.join(f'{space}{item}{space}' for item in items)}{space}]",
        st.lists(inner, max_size=3),
        blanks,
    ),
    max_leaves=5,
)


@st.composite
def tomls(draw: st.DrawFn) -> str:
    """A TOML file: keys, then tables, comments anywhere, a last newline or none."""
    lines = []
    for header in [
        None,
        *draw(st.lists(st.sampled_from(["t", '"u v"', "mcp_servers.other", "t.w"]), unique=True)),
    ]:
        if header is not None:
            lines.append(draw(st.sampled_from([f"[{header}]", f"[ {header} ] # note"])))
        own = keys if header else keys.filter(lambda key: key != "mcp_servers")
        lines += [f"{key} = {draw(written_values)}" for key in draw(st.lists(own, unique=True, max_size=3))]
        lines += draw(st.lists(st.sampled_from(["", "# note = [", "  "]), max_size=2))
    return "\n".join(lines) + draw(st.sampled_from(["", "\n", "\n\n"]))


@given(tomls())
def test_any_file_keeps_what_is_not_ours(text: str) -> None:
    """Every byte; and every statement stands where it is said to."""
    try:
        before = tomllib.loads(text)
    except tomllib.TOMLDecodeError:
        return
    for each in statements(text):
        if not each.is_header:
            value = tomllib.loads(f"x = {text[each.value : each.end]}")["x"]
            found = before
            for key in each.path:
                found = found[key]
            assert found == value
    after = SETTINGS.install(text.encode())

    assert SETTINGS.remove(after, text.encode()) == text.encode()
