"""Read the settings from flags, the environment and files, and tell where each came from."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any, Final

from pydantic import ValidationError
from pydantic_settings import EnvSettingsSource

from crawler.errors import Misconfigured
from crawler.libraries.discovery import name_folders
from crawler.plain_runs import allow_plain_runs
from crawler.sandbox_choice import choose_sandbox
from workers.config import setting_files
from workers.config.setting_variables import setting_variable
from workers.config.settings import Settings
from workers.config.unknown_variables import refuse_unknown_variables

SETTINGS_FILE: Final = "kernelset.toml"


def load_settings(**flags: object) -> Settings:
    """Return the settings in force; a flag that is `None` was not given.

    Raises `Misconfigured` where a value is wrong, a file cannot be read, or the environment sets
    what is no setting.
    """
    refuse_unknown_variables(os.environ, Settings.model_fields)
    given_flags = drop_absent_flags(flags)
    from_secret_files = setting_files.read_setting_files(Settings.model_fields)

    # a later source overrides an earlier one
    values = {
        **_read_settings_files(_resolve_home(given_flags)),
        **from_secret_files,
        **EnvSettingsSource(Settings)(),
        **given_flags,
    }
    try:
        settings = Settings(**values)
    except ValidationError as error:
        explanation = _explain_validation_error(error)
        raise Misconfigured(
            f"{explanation}: see `kernelset config show` and docs/configuration.md"
        ) from error

    # what is installed is asked for in many places, and is the same for a whole process
    name_folders(settings.libraries)
    allow_plain_runs(settings.unsandboxed_parsing)
    choose_sandbox(settings.sandbox)
    return settings


def find_origin(name: str, flags: dict[str, Any]) -> str:
    """Return `flag`, the environment variable, the file, or `default`."""
    if name in flags:
        return "flag"

    variable = setting_variable(name)
    if variable in os.environ:
        return variable

    file_variable = setting_files.file_variable(name)
    if os.environ.get(file_variable):
        return file_variable

    for path in _list_settings_files(_resolve_home(flags)):
        if name in setting_files.read_toml(path):
            return str(path)
    return "default"


def drop_absent_flags(flags: dict[str, object]) -> dict[str, Any]:
    """Return the flags that were given."""
    return {name: value for name, value in flags.items() if value is not None}


def _resolve_home(flags: dict[str, Any]) -> Path:
    # needed before the settings are read, since `home` holds one of their files
    home = flags.get("home") or os.environ.get("KERNELSET_HOME") or "~/.kernelset"
    return Path(home).expanduser()


def _list_settings_files(home: Path) -> list[Path]:
    """Return the settings files that there are; an earlier one overrides a later one."""
    paths = (Path.cwd() / SETTINGS_FILE, home / SETTINGS_FILE)
    return [path for path in paths if path.is_file()]


def _read_settings_files(home: Path) -> dict[str, Any]:
    merged: dict[str, Any] = {}
    for path in reversed(_list_settings_files(home)):
        values = setting_files.read_toml(path)
        unknown_names = sorted(set(values) - set(Settings.model_fields))
        if unknown_names:
            raise Misconfigured(
                f"{path} sets {', '.join(unknown_names)}, which do not exist: "
                "see docs/configuration.md"
            )
        merged |= values
    return merged


def _explain_validation_error(error: ValidationError) -> str:
    first_error = error.errors()[0]
    location = first_error["loc"]
    name = str(location[0]) if location else "settings"
    return f"the setting `{name}` (or {setting_variable(name)}) is wrong: {first_error['msg']}"
