"""Files that the user asks for are private and regular; files that are obeyed are nobody else's."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable
from pathlib import Path

import pytest

from jdbpy.files import append_lines, open_private, why_not_trusted, write_whole


def _whole(path: str) -> None:
    write_whole(path, ["new"], replace=True)


def _append(path: str) -> None:
    append_lines(path, ["new"])


def _truncate(path: str) -> None:
    with open(open_private(path), "w") as file:
        file.write("new\n")


WAYS = [_whole, _append, _truncate]
Transport = Callable[[str], None]


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


@pytest.fixture
def open_umask() -> object:
    before = os.umask(0)
    yield
    os.umask(before)


@pytest.mark.parametrize("way", WAYS)
def test_new_files_and_old_ones_are_for_the_owner(way: Transport, tmp_path: Path, open_umask: None) -> None:
    new, old = tmp_path / "new", tmp_path / "old"
    old.write_text("old\n")
    old.chmod(0o666)
    for path in (new, old):
        way(str(path))
        assert mode(path) == 0o600
    assert new.read_text() == "new\n"
    assert old.read_text() == ("old\nnew\n" if way is _append else "new\n")
    assert {path.name for path in tmp_path.iterdir()} == {"new", "old"}


@pytest.mark.parametrize("way", WAYS)
def test_links_pipes_devices_and_directories_are_refused(way: Transport, tmp_path: Path) -> None:
    aim, link, dangling, pipe = (tmp_path / name for name in ("aim", "link", "dangling", "pipe"))
    aim.write_text("mine\n")
    link.symlink_to(aim)
    dangling.symlink_to(tmp_path / "nowhere")
    os.mkfifo(pipe)
    for path, reason in [
        (str(link), "it is a symbolic link"),
        (str(dangling), "it is a symbolic link"),
        (str(pipe), "it is a pipe"),
        (str(tmp_path), "Is a directory"),
        ("/dev/full", "it is a device"),
    ]:
        with pytest.raises(OSError) as caught:
            way(path)
        assert caught.value.strerror == reason, path
    assert aim.read_text() == "mine\n"
    assert not (tmp_path / "nowhere").exists()


@pytest.mark.parametrize("way", WAYS)
def test_a_pipe_that_is_read_is_refused_too(way: Transport, tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    try:
        with pytest.raises(OSError, match="it is a pipe"):
            way(str(pipe))
    finally:
        os.close(reader)


@pytest.mark.parametrize("way", WAYS)
def test_the_empty_device_may_be_named(way: Transport) -> None:
    way("/dev/null")


@pytest.mark.parametrize("way", WAYS)
def test_a_file_of_another_user_is_refused(way: Transport, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "theirs"
    path.write_text("theirs\n")
    monkeypatch.setattr(os, "geteuid", lambda: path.stat().st_uid + 1)
    with pytest.raises(OSError, match="it belongs to another user"):
        way(str(path))
    assert path.read_text() == "theirs\n"


def test_a_file_that_is_there_is_kept_unless_it_is_to_be_replaced(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_text("old\n")
    with pytest.raises(FileExistsError):
        write_whole(str(path), ["new"])
    assert path.read_text() == "old\n"


def test_a_write_that_fails_leaves_the_old_file(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_text("old\n")

    def broken() -> object:
        yield "new"
        raise RuntimeError("in the middle")

    with pytest.raises(RuntimeError):
        write_whole(str(path), broken(), replace=True)  # type: ignore[arg-type]
    assert path.read_text() == "old\n"
    assert [each.name for each in tmp_path.iterdir()] == ["file"]


def test_whose_commands_are_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    directory = tmp_path / "place"
    directory.mkdir(0o755)
    path = directory / ".jdbrc"
    path.write_text("threads\n")
    path.chmod(0o644)
    assert why_not_trusted(str(path)) == ""
    path.chmod(0o664)
    assert why_not_trusted(str(path)) == "it may be written by others"
    path.chmod(0o602)
    assert why_not_trusted(str(path)) == "it may be written by others"
    path.chmod(0o600)
    directory.chmod(0o777)
    assert why_not_trusted(str(path)) == "its directory may be written by others"
    link = tmp_path / "link"
    link.symlink_to(path)
    assert why_not_trusted(str(link)) == "its directory may be written by others"
    directory.chmod(0o700)
    assert why_not_trusted(str(link)) == ""
    assert why_not_trusted(str(directory / "none")) == "it cannot be read: No such file or directory"
    (directory / "below/plugins").mkdir(parents=True, mode=0o700)
    (directory / "below/plugins/plugin.py").write_text("")
    (directory / "below/plugins/plugin.py").chmod(0o600)
    for changed, expected in (
        (0o777, "a directory above it may be written by others"),
        (0o1777, ""),
        (0o700, ""),
    ):
        directory.chmod(changed)
        assert why_not_trusted(str(directory / "below/plugins/plugin.py")) == expected
    os.mkfifo(directory / "pipe")
    assert why_not_trusted(str(directory / "pipe")) == "it is not a regular file"
    real = os.geteuid()
    monkeypatch.setattr(os, "geteuid", lambda: real + 1)
    expected = "" if real == 0 else "it belongs to another user"  # what root has written is obeyed
    assert why_not_trusted(str(path)) == expected
    if real == 0:
        os.chown(path, 12345, -1)
        assert why_not_trusted(str(path)) == "it belongs to another user"
