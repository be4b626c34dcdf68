"""A flag wins over the environment, that over the files, those over the defaults."""

from __future__ import annotations

from pathlib import Path

import pytest
from pydantic import SecretStr

from crawler.errors import Misconfigured
from workers.config.setting_report import describe_settings
from workers.config.setting_sources import load_settings
from workers.config.setting_variables import settings_environment
from workers.config.settings import Settings


@pytest.fixture(autouse=True)
def elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    for name in Settings.model_fields:
        monkeypatch.delenv(f"KERNELSET_{name.upper()}", raising=False)
        monkeypatch.delenv(f"KERNELSET_{name.upper()}_FILE", raising=False)
    home = tmp_path / "home"
    home.mkdir()
    monkeypatch.setenv("KERNELSET_HOME", str(home))
    return home


def origins(**flags: object) -> dict[str, tuple[str, str]]:
    return {
        setting.name: (setting.value, setting.origin)
        for setting in describe_settings(load_settings(**flags), **flags)
    }


def test_each_place_wins_over_the_next(
    elsewhere: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert origins()["workers"] == ("0", "default")
    (elsewhere / "kernelset.toml").write_text("workers = 3\nattempts = 7\n")
    assert origins()["workers"] == ("3", str(elsewhere / "kernelset.toml"))
    (tmp_path / "kernelset.toml").write_text("workers = 4\n")
    assert origins()["workers"] == ("4", str(tmp_path / "kernelset.toml"))
    monkeypatch.setenv("KERNELSET_WORKERS", "5")
    assert origins()["workers"] == ("5", "KERNELSET_WORKERS")
    assert origins(workers=6)["workers"] == ("6", "flag")
    assert origins()["attempts"] == ("7", str(elsewhere / "kernelset.toml"))


def test_a_flag_for_the_home_says_which_file_counts(tmp_path: Path) -> None:
    other = tmp_path / "other"
    other.mkdir()
    (other / "kernelset.toml").write_text('targets = "gfx942"\n')
    settings = load_settings(home=other)
    assert settings.home == other
    assert settings.targets == ("gfx942",)


def test_targets_are_a_list_in_the_file_and_commas_in_the_environment(
    elsewhere: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (elsewhere / "kernelset.toml").write_text('targets = ["gfx90a", "sm_90"]\n')
    assert load_settings().targets == ("gfx90a", "sm_90")
    monkeypatch.setenv("KERNELSET_TARGETS", "gfx942, sm_80")
    assert load_settings().targets == ("gfx942", "sm_80")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("wokers = 3\n", "wokers"),
        ("workers = \n", "kernelset.toml"),
        ("workers = -1\n", "KERNELSET_WORKERS"),
        ("lease_seconds = 'x'\n", "lease_seconds"),
    ],
)
def test_a_wrong_file_is_refused_by_name(
    elsewhere: Path, text: str, message: str
) -> None:
    (elsewhere / "kernelset.toml").write_text(text)
    with pytest.raises(Misconfigured, match=message):
        load_settings()


def test_a_child_gets_the_same_settings(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    settings = load_settings(
        home=tmp_path / "there", targets="gfx942,sm_90", workers=2, snapshot_bytes=1000
    )
    for name, value in settings_environment(settings).items():
        monkeypatch.setenv(name, value)
    assert load_settings() == settings


def test_secrets_are_never_shown() -> None:
    class Richer(Settings):
        token: SecretStr = SecretStr("hunter2")
        address: str = "postgresql://me:hunter2@db/kernels"

    values = " ".join(
        setting.value for setting in describe_settings(Richer(home=Path("/x")))
    )
    assert "hunter2" not in values
    assert "postgresql://********@db/kernels" in values


def test_a_value_may_lie_in_a_file(
    tmp_path: Path, elsewhere: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (elsewhere / "kernelset.toml").write_text(
        'database = "postgresql:///other"\nattempts = 7\n'
    )
    (tmp_path / "secret").write_text("postgresql://u:word@db/kernels\n")
    monkeypatch.setenv("KERNELSET_DATABASE_FILE", str(tmp_path / "secret"))
    assert load_settings().database == SecretStr("postgresql://u:word@db/kernels")
    assert origins()["database"] == ("********", "KERNELSET_DATABASE_FILE")
    assert load_settings().attempts == 7
    monkeypatch.setenv("KERNELSET_DATABASE", "postgresql:///mine")
    assert load_settings().database == SecretStr("postgresql:///mine")


def test_a_file_that_cannot_be_read_is_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("KERNELSET_DATABASE_FILE", str(tmp_path / "nowhere"))
    with pytest.raises(Misconfigured, match=r"KERNELSET_DATABASE_FILE names .*nowhere"):
        load_settings()
    (tmp_path / "binary").write_bytes(b"\xff\xfe")
    monkeypatch.setenv("KERNELSET_DATABASE_FILE", str(tmp_path / "binary"))
    with pytest.raises(Misconfigured, match="cannot be read"):
        load_settings()
