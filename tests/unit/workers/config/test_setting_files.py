"""Settings and secrets are read from files, and a wrong file says how to mend it."""

from __future__ import annotations

from pathlib import Path

import pytest

from crawler.errors import Misconfigured
from workers.config.setting_files import read_setting_files, read_toml


def test_a_secret_ends_before_its_newline(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "token"
    file.write_text("  ghp_secret with space\n\n")
    monkeypatch.setenv("KERNELSET_GITHUB_TOKEN_FILE", str(file))
    monkeypatch.delenv("KERNELSET_BROKER_FILE", raising=False)
    assert read_setting_files(["github_token", "broker"]) == {
        "github_token": "ghp_secret with space"
    }


def test_a_variable_that_is_empty_names_no_file(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("KERNELSET_BROKER_FILE", "")
    assert read_setting_files(["broker"]) == {}


def test_a_file_of_the_home_folder_is_found(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "broker").write_text("redis://here")
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("KERNELSET_BROKER_FILE", "~/broker")
    assert read_setting_files(["broker"]) == {"broker": "redis://here"}


@pytest.mark.parametrize("content", [None, b"\xff\xfe\x00"])
def test_a_file_that_cannot_be_read_is_named_with_its_variable(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, content: bytes | None
) -> None:
    file = tmp_path / "token"
    if content is not None:
        file.write_bytes(content)
    monkeypatch.setenv("KERNELSET_BROKER_FILE", str(file))
    with pytest.raises(Misconfigured, match="KERNELSET_BROKER_FILE names") as raised:
        read_setting_files(["broker"])
    assert "mend or unset it" in str(raised.value)


def test_a_device_without_end_is_not_read_for_ever(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("KERNELSET_BROKER_FILE", "/dev/zero")
    assert len(read_setting_files(["broker"])["broker"]) == 1 << 20


@pytest.mark.parametrize("content", [b"targets = [", b"a = '\xff'"])
def test_a_settings_file_that_is_no_toml_says_so(
    tmp_path: Path, content: bytes
) -> None:
    file = tmp_path / "kernelset.toml"
    file.write_bytes(content)
    with pytest.raises(Misconfigured, match="mend or remove it"):
        read_toml(file)


def test_a_settings_file_is_read_with_its_types(tmp_path: Path) -> None:
    file = tmp_path / "kernelset.toml"
    file.write_text('targets = ["sm_80"]\nworkers = 3\n')
    assert read_toml(file) == {"targets": ["sm_80"], "workers": 3}
