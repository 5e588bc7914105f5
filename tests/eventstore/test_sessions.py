"""Where a session lives and how it is found (design, section 2.1)."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eventstore.errors import StorageError
from eventstore.events import Note
from eventstore.filelog import FileLog
from eventstore.sessions import SessionError, find, is_session_file, new, of_log, read_config, settings_of


@pytest.fixture
def repo(tmp_path: Path) -> Path:
    """The root of a repository."""
    root = tmp_path.resolve() / "repo"
    (root / ".git").mkdir(parents=True)
    return root


def put(path: Path, text: str = "") -> Path:
    """A file, with the directories above it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return path


def config(root: Path, name: str = ".auto/config.json", **fields: Any) -> Path:
    return put(root / name, json.dumps(fields))


def test_there_is_none(repo: Path) -> None:
    """Neither a folder of that name nor other files of a session make one: its log does."""
    put(repo / ".auto/prompt.md")
    put(repo / "autoresearch.md")

    assert find(repo) is None


def test_a_session_is_found_from_below(repo: Path) -> None:
    """All its paths, in `.auto/`, are absolute."""
    put(repo / ".auto/log.jsonl")
    (repo / "a/b").mkdir(parents=True)
    found = find(repo / "a/b")

    assert found is not None
    assert found == find(repo)
    assert {
        name: os.path.relpath(path, repo) for name, path in found._asdict().items() if name != "layout"
    } == {
        "root": ".",
        "log": ".auto/log.jsonl",
        "prompt": ".auto/prompt.md",
        "ideas": ".auto/ideas.md",
        "measure": ".auto/measure.sh",
        "checks": ".auto/checks.sh",
        "hooks": ".auto/hooks",
        "config_file": ".auto/config.json",
        "cache": ".auto/cache",
        "lock": ".auto/log.jsonl.lock",
        "tree_lock": ".auto/tree.lock",
        "rejected": ".auto/rejected",
    }


def test_a_legacy_session_keeps_its_names(repo: Path) -> None:
    """The flat ones; caches and locks of ours go to `.auto/`."""
    put(repo / "autoresearch.jsonl")
    found = find(repo)

    assert found is not None
    assert found.layout == "legacy"
    assert [path.relative_to(repo).as_posix() for path in found[2:9]] == [
        "autoresearch.jsonl",
        "autoresearch.md",
        "autoresearch.ideas.md",
        "autoresearch.sh",
        "autoresearch.checks.sh",
        "autoresearch.hooks",
        "autoresearch.config.json",
    ]
    assert found.lock == repo / "autoresearch.jsonl.lock"
    assert found.tree_lock == repo / ".auto/tree.lock"


def test_a_legacy_session_written_to_does_not_turn_into_a_new_one(repo: Path) -> None:
    """Whatever we make beside it."""
    put(repo / "autoresearch.jsonl", '{"run":1,"status":"keep"}\n')
    before = find(repo)
    assert before is not None
    assert before.cache is not None
    FileLog(before.log, cache_dir=before.cache).append([Note(detail="a")])
    for path in (before.cache / "session", before.tree_lock, before.rejected / "run-1/patch"):
        put(path)

    assert find(repo) == before == new(repo)
    assert not (repo / ".auto/log.jsonl").exists()


def test_of_two_logs_the_one_in_auto_is_the_session(repo: Path) -> None:
    """The flat one is history."""
    put(repo / "autoresearch.jsonl")
    put(repo / ".auto/log.jsonl")
    found = find(repo)

    assert found is not None
    assert found.layout == "auto"


def test_a_legacy_log_is_not_hidden_by_other_files(repo: Path) -> None:
    """A hook dropped into `.auto/` by hand must not make the session's record vanish."""
    put(repo / "autoresearch.jsonl")
    put(repo / ".auto/hooks/before.sh")
    found = find(repo)

    assert found is not None
    assert found.log == repo / "autoresearch.jsonl"


def test_the_nearest_session_is_meant(repo: Path) -> None:
    """A session below another is one of its own."""
    put(repo / ".auto/log.jsonl")
    put(repo / "sub/autoresearch.jsonl")
    (repo / "sub/deep").mkdir()
    (repo / "other").mkdir()

    assert [find(repo / name).root for name in ("sub/deep", "other")] == [repo / "sub", repo]  # type: ignore[union-attr]


@pytest.mark.parametrize("marker", ["directory", "file"])
def test_the_search_ends_at_the_root_of_the_repository(repo: Path, marker: str) -> None:
    """A worktree and a submodule, whose `.git` is a file, are repositories of their own."""
    put(repo / ".auto/log.jsonl")
    inner = repo / "vendor/lib"
    (inner / "src").mkdir(parents=True)
    put(inner / ".git", "gitdir: elsewhere") if marker == "file" else (inner / ".git").mkdir()

    assert find(inner / "src") is None
    put(inner / ".auto/log.jsonl")
    assert find(inner / "src").root == inner  # type: ignore[union-attr]


def test_a_real_worktree_has_its_own_session(tmp_path: Path) -> None:
    """Made by git itself, inside the repository it belongs to."""
    root = tmp_path.resolve() / "main"
    git = ["git", "-c", "user.name=a", "-c", "user.email=a@b.c", "-C", str(root)]
    subprocess.run(["git", "init", "-q", str(root)], check=True)
    subprocess.run([*git, "commit", "-q", "--allow-empty", "-m", "a"], check=True)
    subprocess.run([*git, "worktree", "add", "-q", str(root / "trees/one")], check=True)
    put(root / ".auto/log.jsonl")

    assert find(root / "trees").root == root  # type: ignore[union-attr]
    assert find(root / "trees/one") is None


def test_without_a_repository_it_is_found_all_the_same(tmp_path: Path) -> None:
    """As long as the directories are one's own."""
    put(tmp_path / "task/.auto/log.jsonl")
    (tmp_path / "task/a/b").mkdir(parents=True)

    assert find(tmp_path / "task/a/b").root == tmp_path.resolve() / "task"  # type: ignore[union-attr]


def test_a_place_where_anybody_may_write_is_nobodys_session(tmp_path: Path) -> None:
    """What lies in `/tmp` may be anybody's, and its hooks would be run."""
    shared = tmp_path / "shared"
    put(shared / ".auto/log.jsonl")
    (shared / "mine").mkdir()
    shared.chmod(0o1777)

    assert find(shared / "mine") is None
    assert find(shared) is not None


@pytest.mark.skipif(os.geteuid() != 0, reason="only root may give directories away")
def test_a_directory_of_somebody_else_is_not_looked_into(tmp_path: Path) -> None:
    """Unless the start is theirs too."""
    theirs = tmp_path / "theirs"
    put(theirs / ".auto/log.jsonl")
    (theirs / "mine").mkdir()
    (theirs / "same").mkdir()
    for directory in (theirs, theirs / "same"):
        os.chown(directory, 12345, 12345)

    assert find(theirs / "mine") is None
    assert find(theirs / "same") is not None


@pytest.mark.parametrize("kind", ["empty", "directory", "fifo", "symlink", "broken symlink"])
@pytest.mark.parametrize("name", [".auto/log.jsonl", "autoresearch.jsonl"])
def test_whatever_has_the_logs_name_is_the_log(repo: Path, kind: str, name: str) -> None:
    """Looking for it opens nothing; what is wrong with it is told by whoever reads it."""
    log = repo / name
    log.parent.mkdir(exist_ok=True)
    if kind == "empty":
        log.touch()
    elif kind == "directory":
        log.mkdir()
    elif kind == "fifo":
        os.mkfifo(log)
    else:
        log.symlink_to(put(repo / "real.jsonl") if kind == "symlink" else repo / "nowhere")
    found = find(repo)

    assert found is not None
    assert found.log == log


def test_a_file_in_the_folders_place_is_no_session(repo: Path) -> None:
    """And none can begin there."""
    put(repo / ".auto", "a note")

    assert find(repo) is None
    with pytest.raises(SessionError, match="is a file, where a session has a folder"):
        new(repo)


def test_a_legacy_session_lives_beside_a_file_in_the_folders_place(repo: Path) -> None:
    """It is found; that its caches have no place is for others to say."""
    put(repo / ".auto", "a note")
    put(repo / "autoresearch.jsonl")

    assert find(repo).layout == "legacy"  # type: ignore[union-attr]


def test_what_cannot_be_looked_into_is_an_error(repo: Path) -> None:
    """A session that might be there is not passed over in silence."""
    (repo / ".auto").symlink_to(repo / ".auto")

    with pytest.raises(StorageError, match=r"\.auto: Too many levels of symbolic links"):
        find(repo)


@pytest.mark.skipif(os.geteuid() == 0, reason="root may look into everything")
def test_an_unreadable_folder_is_an_error(repo: Path) -> None:
    """With the reason and the place."""
    put(repo / ".auto/log.jsonl")
    (repo / ".auto").chmod(0)

    with pytest.raises(StorageError, match=r"\.auto: Permission denied"):
        find(repo)
    (repo / ".auto").chmod(0o700)


def test_a_start_that_is_not_there_is_an_error(tmp_path: Path) -> None:
    """With the reason and the place."""
    with pytest.raises(StorageError, match="gone: No such file or directory"):
        find(tmp_path / "gone")


def test_a_session_is_found_through_a_link(repo: Path, tmp_path: Path) -> None:
    """By where the start really lies."""
    put(repo / ".auto/log.jsonl")
    (repo / "a").mkdir()
    link = tmp_path / "link"
    link.symlink_to(repo / "a")

    assert find(link).root == repo  # type: ignore[union-attr]


@pytest.mark.parametrize(
    ("there", "layout"),
    [
        ([], "auto"),
        ([".auto/hooks/before.sh"], "auto"),
        ([".auto/cache/session"], "auto"),
        (["autoresearch.sh"], "legacy"),
        (["autoresearch.hooks/before.sh"], "legacy"),
        (["autoresearch.sh", ".auto/prompt.md"], "auto"),
        (["autoresearch.sh", ".auto/cache/session"], "legacy"),
    ],
)
def test_a_new_session_has_the_names_of_what_lies_there(repo: Path, there: list[str], layout: str) -> None:
    """The flat ones only where there are some and none in `.auto/`. Nothing is made."""
    for name in there:
        put(repo / name)
    before = sorted(repo.rglob("*"))

    assert new(repo).layout == layout
    assert sorted(repo.rglob("*")) == before


@pytest.mark.parametrize(
    ("name", "layout"), [(".auto/config.json", "auto"), ("autoresearch.config.json", "legacy")]
)
@pytest.mark.parametrize("way", ["relative", "absolute"])
def test_a_config_redirects(repo: Path, tmp_path: Path, name: str, layout: str, way: str) -> None:
    """To any directory, which then holds the session's files; but the config stays where it was found."""
    work = tmp_path.resolve() / "elsewhere"
    work.mkdir()
    config(repo, name, workingDir=str(work) if way == "absolute" else "../elsewhere")
    begun = new(repo)

    assert begun.root == work
    assert begun.layout == layout
    assert begun.config_file == repo / name
    assert find(repo) is None
    put(begun.log)
    (repo / "sub").mkdir()
    assert find(repo / "sub") == begun


def test_the_names_of_a_redirected_session_are_those_of_what_lies_there(repo: Path) -> None:
    """Not those of the config that redirects to it."""
    put(repo / "work/autoresearch.jsonl")
    config(repo, workingDir="work")

    assert find(repo).log == repo / "work/autoresearch.jsonl"  # type: ignore[union-attr]


def test_a_redirected_session_stands_before_one_in_place(repo: Path) -> None:
    """The config says what is meant."""
    put(repo / ".auto/log.jsonl")
    put(repo / "work/.auto/log.jsonl")
    config(repo, workingDir="work")

    assert find(repo).root == repo / "work"  # type: ignore[union-attr]


@pytest.mark.parametrize("where", [".", "", "../repo"])
def test_a_config_may_name_its_own_directory(repo: Path, where: str) -> None:
    """That redirects nowhere; an empty name is an error."""
    put(repo / ".auto/log.jsonl")
    config(repo, workingDir=where)
    if where:
        assert find(repo).root == repo  # type: ignore[union-attr]
    else:
        with pytest.raises(SessionError, match='workingDir is "", not the path of a directory'):
            find(repo)


@pytest.mark.parametrize(
    ("where", "message"),
    [
        ("gone", "workingDir leads to .*gone, which is no directory"),
        (".auto/config.json", "workingDir leads to .*config.json, which is no directory"),
        ("loop", "workingDir leads to .*loop, which is no directory"),
        (7, "workingDir is 7, not the path of a directory"),
        (["a"], r'workingDir is \["a"\], not the path of a directory'),
        ("a\0b", r"workingDir is .*, not the path of a directory"),
    ],
)
def test_a_redirection_to_nowhere_is_an_error(repo: Path, where: Any, message: str) -> None:
    """In one line, which names the config."""
    (repo / "loop").symlink_to(repo / "loop")
    config(repo, workingDir=where)

    for call in (find, new):
        with pytest.raises(SessionError, match=message) as caught:
            call(repo)
        assert caught.value.message.startswith(str(repo / ".auto/config.json"))
        assert caught.value.message.isprintable()


def test_redirections_do_not_go_on(repo: Path) -> None:
    """Neither in a circle nor in a row: the first config names the place."""
    for name, where in (("a", "../b"), ("b", "../a")):
        config(repo / name, workingDir=where)

    with pytest.raises(SessionError, match=r"leads to .*/b, whose own config leads on to .*/a"):
        new(repo / "a")
    config(repo / "b", workingDir=".")
    assert new(repo / "a").root == repo / "b"


def test_a_broken_config_beside_a_log_redirects_nowhere(repo: Path) -> None:
    """The record can be looked at; without a log it cannot be known where it is, which is an error."""
    put(repo / ".auto/config.json", '{"workingDir": ')
    with pytest.raises(SessionError, match=r"config\.json: not a JSON object"):
        find(repo)
    put(repo / ".auto/log.jsonl")

    assert find(repo).root == repo  # type: ignore[union-attr]


@pytest.mark.parametrize(
    ("data", "expected"),
    [(b"{}", {}), (b'\xef\xbb\xbf{"maxIterations": 5}', {"maxIterations": 5}), (None, {})],
)
def test_a_config_is_read(tmp_path: Path, data: bytes | None, expected: dict[str, Any]) -> None:
    """With a byte order mark or not, and not at all if there is none."""
    path = tmp_path / "config.json"
    if data is not None:
        path.write_bytes(data)

    assert read_config(path) == expected


@pytest.mark.parametrize("data", [b"", b"[]", b"{", b"\xff", b'{"a": NaN}', b"[" * 10_000, b'"text"'])
def test_a_config_that_is_no_object_is_an_error(tmp_path: Path, data: bytes) -> None:
    """In one line, which names it."""
    path = tmp_path / "config.json"
    path.write_bytes(data)
    with pytest.raises(SessionError) as caught:
        read_config(path)

    assert caught.value.message.startswith(f"{path}: not a JSON object")
    assert caught.value.exit_code == 2
    assert caught.value.message.isprintable()


@pytest.mark.parametrize("kind", ["directory", "fifo", "looped link"])
def test_a_config_that_is_no_file_is_an_error(tmp_path: Path, kind: str) -> None:
    """Nobody waits for what a pipe may bring."""
    path = tmp_path / "config.json"
    if kind == "directory":
        path.mkdir()
    elif kind == "fifo":
        os.mkfifo(path)
    else:
        path.symlink_to(path)
    with pytest.raises(SessionError, match=r"config\.json: (is no file|Too many levels)"):
        read_config(path)


@pytest.mark.parametrize(
    ("most", "expected"), [(1, {"max_iterations": 1}), (50.0, {"max_iterations": 50}), (None, {})]
)
def test_a_config_caps(most: Any, expected: dict[str, Any]) -> None:
    """By `maxIterations`; null sets none."""
    assert settings_of({"maxIterations": most, "other": "ignored"}) == expected
    assert settings_of({}) == {}


@given(
    st.one_of(
        st.integers(max_value=0), st.floats(max_value=0.99), st.text(), st.booleans(), st.lists(st.none())
    )
)
def test_a_cap_never_reads_as_none_by_mistake(most: Any) -> None:
    """0, a negative number, a fraction, text: errors."""
    with pytest.raises(SessionError, match="not a whole number from 1"):
        settings_of({"maxIterations": most})


@pytest.mark.parametrize(
    ("name", "layout", "root"),
    [
        (".auto/log.jsonl", "auto", "."),
        ("sub/.auto/log.jsonl", "auto", "sub"),
        ("autoresearch.jsonl", "legacy", "."),
        ("sub/autoresearch.jsonl", "legacy", "sub"),
        ("log.jsonl", "file", "."),
        (".auto/other.jsonl", "file", ".auto"),
    ],
)
def test_a_log_that_is_named_belongs_to_the_session_around_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, layout: str, root: str
) -> None:
    """If it has a session's name; else it stands by itself, with no cache beside it."""
    monkeypatch.chdir(tmp_path)
    session = of_log(Path(name))

    assert session.log == tmp_path.resolve() / name
    assert session.lock == tmp_path.resolve() / f"{name}.lock"
    assert (session.layout, session.root) == (layout, (tmp_path / root).resolve())
    assert (session.cache is None) is (layout == "file")


def test_the_log_that_is_named_may_be_a_link(tmp_path: Path) -> None:
    """Its lock lies beside the file that it leads to, so that all who reach that file share it."""
    (tmp_path / "log.jsonl").symlink_to(put(tmp_path / "real/x.jsonl"))

    assert of_log(tmp_path / "log.jsonl").lock == tmp_path.resolve() / "real" / "x.jsonl.lock"


@pytest.mark.parametrize(
    "path",
    [
        ".auto/",
        ".auto/log.jsonl",
        ".auto/cache/x/y",
        "./.auto/hooks/before.sh",
        "autoresearch.jsonl",
        "autoresearch.jsonl.lock",
        "autoresearch.md",
        "autoresearch.ideas.md",
        "autoresearch.sh",
        "autoresearch.checks.sh",
        "autoresearch.config.json",
        "autoresearch.hooks/",
        "autoresearch.hooks/before.sh",
        "autoresearch-results.tsv",
        "autoresearch-results.tsv.lock",
    ],
)
def test_a_sessions_files_are_known_by_their_paths(path: str) -> None:
    """They are never dirt, never committed by us, never rolled back."""
    assert is_session_file(path)


@pytest.mark.parametrize(
    "path",
    [
        "",
        ".",
        "auto/log.jsonl",
        ".automation/x",
        "src/.auto/log.jsonl",
        "src/autoresearch.jsonl",
        "autoresearch.py",
        "autoresearch.md/x",
        "autoresearch",
        "autoresearch.jsonl.bak",
        "results.tsv",
        "../.auto/log.jsonl",
    ],
)
def test_other_files_are_none(path: str) -> None:
    """Also those of a session that lies elsewhere."""
    assert not is_session_file(path)
