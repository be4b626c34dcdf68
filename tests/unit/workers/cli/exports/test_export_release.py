"""A release is asked for by its name, and the next one says what became of each kernel."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from crawler.errors import Misconfigured
from crawler.model import Licence, LicenceClass, Repo
from storage.open import Storage, open_storage
from tests.contract.kernel_indexes import kernel_of, unit_of
from workers.cli.app import app
from workers.cli.exports.export_release import ReleaseRequest

MIT = Licence(spdx="MIT", kind=LicenceClass.PERMISSIVE)
GPL = Licence(spdx="GPL-3.0-only", kind=LicenceClass.COPYLEFT)
REPOS = {
    name: Repo(
        source="git",
        owner="acme",
        name=name,
        url=f"https://example.org/acme/{name}",
        ref="main",
        commit="beef",
    )
    for name in ("kept", "opted", "gone", "relicensed", "renewed")
}


def put(storage: Storage, repo: Repo, licence: Licence = MIT) -> None:
    unit = unit_of(f"__global__ void {repo.name}() {{}}")
    kernel = kernel_of(f"{repo.name}_kernel", licence=licence, unit=unit)
    kernel = replace(kernel, source=f"__global__ void {repo.name}_kernel() {{}}")
    storage.index.put_commit(repo, "", "")
    storage.index.put_kernels(repo, [kernel])


@pytest.fixture
def home(tmp_path: Path, migrated_database: Path) -> Path:
    home = tmp_path / "home"
    home.mkdir()
    (home / "kernelset.db").write_bytes(migrated_database.read_bytes())
    with open_storage(home) as storage:
        for repo in REPOS.values():
            put(storage, repo)
    return home


def export(home: Path, *words: object) -> object:
    arguments = ["--home", str(home), "export", "kernels", *map(str, words)]
    return app(arguments, prog_name="kernelset", standalone_mode=False)


def test_each_kernel_that_has_to_go_says_why(
    home: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    first, second = home.parent / "first", home.parent / "second"
    export(home, first, "--release", "first")
    with open_storage(home) as storage:
        storage.purge(lambda repo: repo.name == "gone")
        put(storage, REPOS["relicensed"], GPL)
        newer = replace(REPOS["renewed"], commit="cafe")
        put(storage, newer)
        storage.index.supersede(newer)
    optouts = home.parent / "optouts"
    optouts.write_text("git:acme/opted\n")
    monkeypatch.setenv("KERNELSET_OPTOUTS", str(optouts))
    export(home, second, "--release", "second", "--since", first)

    lines = (second / "tombstones.jsonl").read_text().splitlines()
    reasons = {row["repository"]: row["reason"] for row in map(json.loads, lines)}
    assert reasons == {
        "acme/opted": "opted-out",
        "acme/gone": "vanished",
        "acme/relicensed": "copyleft",
        "acme/renewed": "replaced",
    }
    manifest = json.loads((second / "kernelset.json").read_text())
    assert (manifest["since"], manifest["rows"], manifest["kernels"]) == ("first", 1, 2)
    assert "4 kernels have tombstones" in capsys.readouterr().err


def test_the_same_release_again_has_the_same_bytes(home: Path) -> None:
    first, again = home.parent / "first", home.parent / "again"
    export(home, first, "--release", "first")
    export(home, again, "--release", "first")
    names = sorted(path.relative_to(first) for path in first.rglob("*"))
    assert names == sorted(path.relative_to(again) for path in again.rglob("*"))
    for name in names:
        if (first / name).is_file():
            assert (first / name).read_bytes() == (again / name).read_bytes()


@pytest.mark.parametrize(
    ("words", "code"),
    [
        (("--since", "first"), "bad-options"),
        (("--release", "a\nb"), "bad-options"),
        (("--release", "r" * 101), "bad-options"),
        (("--release", "r", "--format", "jsonl"), "bad-format"),
        (("--release", "r", "--since", "nowhere"), "bad-release"),
    ],
)
def test_what_does_not_go_together_is_refused(
    home: Path, words: tuple[str, ...], code: str
) -> None:
    with pytest.raises(Misconfigured) as raised:
        export(home, home.parent / "out", *words)
    assert raised.value.code == code
    assert not (home.parent / "out").exists()


def read_files(folder: Path) -> dict[str, bytes]:
    files = [path for path in folder.rglob("*") if path.is_file()]
    return {str(path.relative_to(folder)): path.read_bytes() for path in files}


def test_a_release_is_not_written_over_the_one_that_it_is_held_against(
    home: Path,
) -> None:
    first, link = home.parent / "first", home.parent / "link"
    export(home, first, "--release", "first")
    link.symlink_to("first")
    content = read_files(first)

    for destination, since in ((first, first), (link, first), (first, link)):
        with pytest.raises(Misconfigured) as raised:
            export(home, destination, "--release", "2", "--since", since, "--force")
        assert raised.value.code == "bad-options"
        assert read_files(first) == content


def rewrite(folder: Path, name: str, content: bytes, **fields: object) -> None:
    """Write a file of a release anew, and its digest in the manifest."""
    (folder / name).write_bytes(content)
    manifest = json.loads((folder / "kernelset.json").read_text())
    digest = hashlib.sha256(content).hexdigest()
    files = [
        row | {"sha256": digest} if row["path"] == name else row
        for row in manifest["files"]
    ]
    text = json.dumps(manifest | fields | {"files": files})
    (folder / "kernelset.json").write_text(text)


@pytest.mark.parametrize(
    "damage",
    [
        lambda content: b"{}\n",
        lambda content: b"no JSON\n",
        lambda content: b"\xff\n",
        lambda content: content * 2,
        lambda content: content.replace(b'"kernel":"', b'"kernel":"\\ud800'),
    ],
)
def test_a_list_of_kernels_that_is_none_is_refused(
    home: Path, damage: Callable[[bytes], bytes]
) -> None:
    first = home.parent / "first"
    export(home, first, "--release", "first")
    content = (first / "kernels.jsonl").read_bytes()
    rewrite(first, "kernels.jsonl", damage(content))

    with pytest.raises(Misconfigured) as raised:
        export(home, home.parent / "out", "--release", "2", "--since", first)
    assert raised.value.code == "bad-release"


def test_the_name_of_an_earlier_release_cannot_act_on_the_terminal(
    home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    first = home.parent / "first"
    export(home, first, "--release", "first")
    content = (first / "kernels.jsonl").read_bytes()
    rewrite(first, "kernels.jsonl", content, release="\x1b[2Jother")
    export(home, home.parent / "out", "--release", "2", "--since", first)

    note = capsys.readouterr().err
    assert "other" in note
    assert "\x1b" not in note


def test_no_release_is_asked_for_without_a_name() -> None:
    assert ReleaseRequest.parse("", None, "jsonl") is None
