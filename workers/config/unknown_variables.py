"""Refuse environment variables that look like settings and are none."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from difflib import get_close_matches
from typing import Final

from crawler.errors import Misconfigured
from workers.config.setting_files import file_variable
from workers.config.setting_variables import setting_variable
from workers.config.settings import VARIABLE_PREFIX

# what Kubernetes tells a pod of a service called `kernelset…`, as do Docker's links:
# https://kubernetes.io/docs/concepts/services-networking/service/#environment-variables
_SERVICE_VARIABLE: Final = re.compile(
    r"_(?:SERVICE_HOST|SERVICE_PORT(?:_\w+)?"
    r"|PORT(?:_\d+_(?:TCP|UDP|SCTP)(?:_(?:PROTO|PORT|ADDR))?)?)$"
)


def refuse_unknown_variables(
    environment: Mapping[str, str], names: Iterable[str]
) -> None:
    """Raise `Misconfigured` where the environment sets what is none of the settings `names`.

    A misspelt setting would be ignored else, and an opt-out or a limit with it.
    """
    known_variables: set[str] = set()
    for name in names:
        known_variables |= {setting_variable(name), file_variable(name)}

    for variable in sorted(environment):
        is_ours = variable.startswith(VARIABLE_PREFIX)
        if not is_ours or variable in known_variables:
            continue
        if _SERVICE_VARIABLE.search(variable):
            continue

        raise Misconfigured(_describe_unknown(variable, known_variables))


def _describe_unknown(variable: str, known_variables: Iterable[str]) -> str:
    """Return what is wrong with a variable; its value may be a secret and is not shown."""
    similar = get_close_matches(variable, sorted(known_variables), n=1, cutoff=0.8)
    hint = f"did you mean {similar[0]}? " if similar else ""
    return (
        f"the environment sets {variable}, which is no setting: {hint}"
        "unset it, or see docs/configuration.md"
    )
