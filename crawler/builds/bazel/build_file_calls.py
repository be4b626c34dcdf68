"""Answer the calls in a BUILD file: functions of Bazel, rules, and conditions on devices."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final

from crawler.builds.bazel.starlark_syntax import MACRO_PREFIX, Call
from crawler.builds.bazel.starlark_values import (
    Budget,
    Unknown,
    Unsupported,
    iter_items,
    to_text,
)
from crawler.builds.bazel.targets import Target, list_strings, parse_label

if TYPE_CHECKING:
    from crawler.builds.bazel.workspace import Workspace

# `srcs`, `textual_hdrs`, `cuda_deps`: attributes that lead to files and targets
_TARGET_ATTRIBUTE: Final = re.compile(
    r"(?:\w+_)?(?:srcs|hdrs|deps|actual|files|includes|defines)"
)
_MAX_NAME_CHARS: Final = 400
_MAX_RANGE_ITEMS: Final = 1 << 20


class BuildFileCalls:
    """Answers the calls in one file of a workspace; whatever has sources declares a target.

    `scope` is the file's, which `load` writes into.
    """

    def __init__(
        self,
        workspace: Workspace,
        package: str,
        scope: dict[str, Any],
        budget: Budget,
    ) -> None:
        self._workspace = workspace
        self._package = package
        self._scope = scope
        self._budget = budget

    def answer(self, call: Call) -> Any:
        """Return the result of a call, by the method that has its name."""
        self._budget.spend()
        # `native.glob` is `glob`
        name = call.name.rpartition(".")[2]
        if len(name) > _MAX_NAME_CHARS:
            return Unknown()

        method = getattr(self, f"_call_{name}", None)
        if method is not None:
            return method(call)

        if any(map(_is_target_attribute, call.named)):
            target = Target(
                rule=name.removeprefix(MACRO_PREFIX),
                package=self._package,
                attributes=call.named,
            )
            is_macro = name.startswith(MACRO_PREFIX)
            self._workspace.declare_target(target, by_macro=is_macro)

        return self._answer_conditional(name, call)

    def _answer_conditional(self, name: str, call: Call) -> Any:
        """Answer `if_cuda([…], […])` and the like; another function returns what it is given."""
        arguments = [*call.positional, *call.named.values()]
        lists = [argument for argument in arguments if isinstance(argument, list)]

        if name.startswith("if_"):
            # if_rocm(then, else) of a build for CUDA gives the second
            if not self._workspace.is_device_condition(name):
                lists = lists[1:]

            return lists[0] if lists else []

        # a wrapper such as `tf_copts([…])` mostly hands its list through
        if lists and not call.named:
            return lists[0]

        return Unknown(name)

    def _call_load(self, call: Call) -> Any:
        strings = [
            argument for argument in call.positional if isinstance(argument, str)
        ]
        if not strings:
            return

        label, *names = strings
        module = self._workspace.load_module(parse_label(label, self._package).path)
        loaded = {name: module.get(name, Unknown(name)) for name in names}

        # load("//:a.bzl", alias = "name")
        for alias, name in call.named.items():
            if isinstance(name, str):
                loaded[alias] = module.get(name, Unknown(name))

        self._scope.update(loaded)

    def _call_select(self, call: Call) -> Any:
        branches = call.positional[0] if call.positional else None
        if not isinstance(branches, dict):
            return Unknown()

        return self._workspace.choose_branch(branches)

    _call_with_or = _call_select

    def _call_glob(self, call: Call) -> Any:
        arguments = dict(zip(("include", "exclude"), call.positional, strict=False))
        arguments.update(call.named)

        included_patterns = list_strings(arguments.get("include"))
        files = self._match_files(included_patterns)

        excluded_patterns = list_strings(arguments.get("exclude"))
        if not excluded_patterns:
            return files

        excluded_files = set(self._match_files(excluded_patterns))

        return [path for path in files if path not in excluded_files]

    def _match_files(self, patterns: list[str]) -> list[str]:
        return self._workspace.match_files(self._package, patterns, self._budget)

    def _call_package_name(self, _: Call) -> str:
        return self._package

    def _call_len(self, call: Call) -> Any:
        if call.positional and isinstance(call.positional[0], str | list | dict):
            return len(call.positional[0])

        return 0

    def _call_str(self, call: Call) -> Any:
        return to_text(call.positional[0]) if call.positional else ""

    def _call_range(self, call: Call) -> Any:
        bounds = call.positional
        if not all(isinstance(bound, int) for bound in bounds):
            raise Unsupported
        if not 1 <= len(bounds) <= 3:
            raise Unsupported

        # `range` of Python raises for it
        has_zero_step = 0 in bounds[2:]
        numbers = range(0) if has_zero_step else range(*bounds)
        numbers = numbers[:_MAX_RANGE_ITEMS]
        self._budget.spend(len(numbers))

        return list(numbers)

    def _call_dict(self, call: Call) -> Any:
        entries: dict[Any, Any] = {}
        if call.positional and isinstance(call.positional[0], dict):
            self._budget.spend(len(call.positional[0]))
            entries.update(call.positional[0])

        entries.update(call.named)

        return entries

    def _call_sorted(self, call: Call) -> Any:
        if call.positional and isinstance(call.positional[0], str):
            return [call.positional[0]]

        items = self._copy_items(call)
        return sorted(list_strings(items))

    def _call_list(self, call: Call) -> Any:
        return self._copy_items(call)

    def _call_zip(self, call: Call) -> Any:
        columns = [list(iter_items(column)) for column in call.positional]
        for column in columns:
            self._budget.spend(len(column))

        return list(zip(*columns, strict=False))

    def _call_enumerate(self, call: Call) -> Any:
        return list(enumerate(self._copy_items(call)))

    def _copy_items(self, call: Call) -> list[Any]:
        """Return the elements of a call's first argument, each of them paid for."""
        items = list(iter_items(call.positional[0])) if call.positional else []
        self._budget.spend(len(items))
        return items


def _is_target_attribute(name: str) -> bool:
    return len(name) <= _MAX_NAME_CHARS and bool(_TARGET_ATTRIBUTE.fullmatch(name))
