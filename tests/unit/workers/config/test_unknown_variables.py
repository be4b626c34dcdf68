"""A misspelt variable is an error, never ignored."""

from __future__ import annotations

import pytest

from crawler.errors import Misconfigured
from workers.config.setting_sources import load_settings
from workers.config.setting_variables import settings_environment
from workers.config.settings import Settings
from workers.config.unknown_variables import refuse_unknown_variables


@pytest.mark.parametrize(
    ("variable", "hint"),
    [
        ("KERNELSET_OPTOUT", "did you mean KERNELSET_OPTOUTS?"),
        ("KERNELSET_GITHUB_TOKEN", "did you mean KERNELSET_GITHUB_TOKENS?"),
        ("KERNELSET_BROKER_FIEL", "did you mean KERNELSET_BROKER_FILE?"),
        ("KERNELSET_CATALOGUE", "unset it"),
        ("KERNELSET_", "unset it"),
    ],
)
def test_a_variable_that_is_no_setting_is_refused(
    variable: str, hint: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(variable, "hunter2")
    with pytest.raises(Misconfigured) as raised:
        load_settings()
    message = str(raised.value)
    assert f"sets {variable}, which is no setting" in message
    assert hint in message
    assert "hunter2" not in message


def test_all_that_settings_give_a_child_is_known() -> None:
    refuse_unknown_variables(settings_environment(Settings()), Settings.model_fields)


@pytest.mark.parametrize(
    "variable",
    [
        "HOME",
        "KERNELSET_DATABASE_FILE",
        "KERNELSET_VALKEY_SERVICE_HOST",
        "KERNELSET_VALKEY_SERVICE_PORT_METRICS",
        "KERNELSET_VALKEY_PORT",
        "KERNELSET_VALKEY_PORT_6379_TCP_ADDR",
    ],
)
def test_what_others_set_is_let_be(variable: str) -> None:
    refuse_unknown_variables({variable: "x"}, Settings.model_fields)
