"""Settings as the environment variables that say the same."""

from __future__ import annotations

from pydantic import SecretStr

from workers.config.settings import VARIABLE_PREFIX, Settings


def settings_environment(settings: Settings) -> dict[str, str]:
    """Return the settings as the variables that give a child process the same ones."""
    return {
        setting_variable(name): _format_value(getattr(settings, name))
        for name in type(settings).model_fields
    }


def setting_variable(name: str) -> str:
    """Return the environment variable of a setting."""
    return f"{VARIABLE_PREFIX}{name.upper()}"


def _format_value(value: object) -> str:
    if isinstance(value, SecretStr):
        return value.get_secret_value()
    if value is None:
        return ""
    if isinstance(value, tuple):
        return ",".join(map(_format_value, value))
    return str(value)
