"""What a run sees of the host's system."""

from __future__ import annotations

from pathlib import Path

from crawler.sandbox.system_mounts import find_system_view


def test_a_named_file_is_shown_through_all_of_its_links(tmp_path: Path) -> None:
    (tmp_path / "tool-1/bin").mkdir(parents=True)
    (tmp_path / "tool-1/bin/cc").touch()
    (tmp_path / "tool").symlink_to("tool-1")
    (tmp_path / "called").symlink_to("tool/bin/cc")
    view = find_system_view((tmp_path / "called",))
    assert tmp_path / "tool-1/bin/cc" in view.shown_paths
    links = dict(view.links)
    assert links[tmp_path / "called"] == "tool/bin/cc"
    assert links[tmp_path / "tool"] == "tool-1"
    assert tmp_path / "tool-1/bin" in view.list_parents()
    assert tmp_path / "tool" not in view.list_parents()


def test_nothing_beside_what_is_named_is_shown(tmp_path: Path) -> None:
    (tmp_path / "own").mkdir()
    (tmp_path / "own/header.h").touch()
    (tmp_path / "other.h").touch()
    view = find_system_view((tmp_path / "own", tmp_path / "own/header.h"))
    # a folder shows what lies in it
    shown_here = [path for path in view.shown_paths if path.is_relative_to(tmp_path)]
    assert shown_here == [tmp_path / "own"]
    assert Path("/usr") not in view.shown_paths


def test_what_is_not_there_is_passed_over(tmp_path: Path) -> None:
    view = find_system_view((tmp_path / "absent", tmp_path / "absent/below"))
    assert not any(path.is_relative_to(tmp_path) for path in view.shown_paths)
    assert tmp_path not in view.list_parents()


def test_of_the_whole_system_texts_are_hidden() -> None:
    view = find_system_view(None)
    assert Path("/usr") in view.shown_paths
    assert Path("/usr/share/doc") in view.hidden_folders
