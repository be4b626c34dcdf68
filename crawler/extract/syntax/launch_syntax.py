"""Parse launches as written: `<<<…>>>` and the launch calls of the runtimes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, NamedTuple

from crawler.cpp.arguments import split_argument_texts
from crawler.cpp.files.source_text import SourceText, cache_per_source
from crawler.extract.syntax.launch_tokens import (
    find_call_end,
    find_callee,
    find_closing_chevrons,
    find_kernel_name,
    find_qualified_start,
    last_name,
    split_call,
    text_of_tokens,
)
from crawler.model import Span


class _CallForm(NamedTuple):
    """Positions of the parts of a launching call among its arguments.

    The kernel's own arguments begin at `first`, or lie in the array there.
    """

    kernel: int
    grid: tuple[int, int]
    block: tuple[int, int]
    shared: int
    stream: int
    first: int
    by_array: bool = False


# hipLaunchKernelGGL(kernel, grid, block, shared, stream, arguments…)
_MACRO_FORM: Final = _CallForm(
    kernel=0,
    grid=(1, 2),
    block=(2, 3),
    shared=3,
    stream=4,
    first=5,
)
# cudaLaunchKernel(kernel, grid, block, arguments[], shared, stream)
_RUNTIME_FORM: Final = _CallForm(
    kernel=0,
    grid=(1, 2),
    block=(2, 3),
    shared=4,
    stream=5,
    first=3,
    by_array=True,
)
# cuLaunchKernel(kernel, grid x, y, z, block x, y, z, shared, stream, arguments[], extra)
_DRIVER_FORM: Final = _CallForm(
    kernel=0,
    grid=(1, 4),
    block=(4, 7),
    shared=7,
    stream=8,
    first=9,
    by_array=True,
)
LAUNCH_CALLS: Final = {
    "hipLaunchKernelGGL": _MACRO_FORM,
    # two events and flags stand before the arguments
    "hipExtLaunchKernelGGL": _MACRO_FORM._replace(first=8),
    "cudaLaunchKernel": _RUNTIME_FORM,
    "cudaLaunchCooperativeKernel": _RUNTIME_FORM,
    "hipLaunchKernel": _RUNTIME_FORM,
    "hipLaunchCooperativeKernel": _RUNTIME_FORM,
    "hipExtLaunchKernel": _RUNTIME_FORM,
    "cuLaunchKernel": _DRIVER_FORM,
    "cuLaunchCooperativeKernel": _DRIVER_FORM,
    "hipModuleLaunchKernel": _DRIVER_FORM,
    "hipModuleLaunchCooperativeKernel": _DRIVER_FORM,
    "hipExtModuleLaunchKernel": _DRIVER_FORM,
}
"""Where kernel, configuration and arguments stand in each launching call."""
STRUCT_LAUNCH_CALLS: Final = {
    "cudaLaunchKernelEx": False,
    "cudaLaunchKernelExC": True,
    "hipLaunchKernelEx": False,
    "hipLaunchKernelExC": True,
    "cuLaunchKernelEx": True,
    "hipDrvLaunchKernelEx": True,
}
"""Calls that take a structure for the configuration, and whether the arguments lie in an array."""


@dataclass(frozen=True, slots=True)
class LaunchText:
    """A launch as it stands in a file."""

    name: str
    start: int
    configuration_start: int
    """Offset of its `<<<`."""
    end: int
    template_arguments: tuple[str, ...]
    arguments: tuple[str, ...]
    grid: str
    block: str
    shared_bytes: str
    stream: str
    is_in_macro: bool = False
    config_variable: str = ""
    """The structure that holds the configuration, where one does."""
    argument_array: str = ""
    """The array of addresses that holds the arguments, where one does."""
    callee: str = ""
    """What stands in the kernel's place, as written."""
    macro_span: Span | None = None
    """Where the launch stands in the macro that makes it."""
    preceding_text: str = ""
    """For a launch that a macro makes: what stands in the macro in front of it."""


@cache_per_source
def find_launches(source: SourceText) -> tuple[LaunchText, ...]:
    """Return the launches of a file, those in macro bodies too."""
    return parse_launches(source)


def parse_launches(source: SourceText) -> tuple[LaunchText, ...]:
    """Return the launches of a text: by chevrons, by calls, by calls with a structure."""
    raw = source.raw
    if "<<<" not in raw and "Launch" not in raw:
        return ()

    chevron_launches: list[LaunchText | None] = []
    call_launches: list[LaunchText | None] = []
    struct_launches: list[LaunchText | None] = []

    # one walk for three kinds; the order of results is by kind
    for index, lexeme in enumerate(source.lexemes):
        if lexeme.text == "<<<":
            chevron_launches.append(_parse_chevrons(source, index))
        elif lexeme.text in LAUNCH_CALLS:
            call_launches.append(_parse_call(source, index))
        elif lexeme.text in STRUCT_LAUNCH_CALLS:
            struct_launches.append(_parse_struct_call(source, index))

    launches = [*chevron_launches, *call_launches, *struct_launches]
    return tuple(launch for launch in launches if launch is not None)


def _parse_chevrons(source: SourceText, opening: int) -> LaunchText | None:
    """Return the launch whose `<<<` is the token `opening`."""
    lexemes = source.lexemes
    closing = find_closing_chevrons(lexemes, opening)
    if closing < 0 or opening == 0:
        return None

    name_index, template_arguments = find_callee(source, opening)
    inside_chevrons = lexemes[opening + 1 : closing]
    configuration = split_argument_texts(source, inside_chevrons)
    if name_index is None or not configuration:
        return None

    # behind the chevrons a macro may stand for the arguments: then there are none to read
    call_opening = closing + 1
    call_end = find_call_end(source, call_opening)
    arguments: tuple[str, ...] = ()
    last_index = closing

    if call_end > 0:
        call_arguments = lexemes[call_opening + 1 : call_end]
        arguments = split_argument_texts(source, call_arguments)
        last_index = call_end

    # a missing block is kept empty: one part alone is a macro that stands for all of them
    defaults = ("", "", "0", "0")[len(configuration) :]
    grid, block, shared_bytes, stream = (*configuration, *defaults)[:4]

    callee_start = find_qualified_start(lexemes, name_index)
    callee = text_of_tokens(source, lexemes[callee_start:opening])

    return LaunchText(
        name=lexemes[name_index].text,
        start=lexemes[callee_start].offset,
        configuration_start=lexemes[opening].offset,
        end=lexemes[last_index].end,
        template_arguments=template_arguments,
        arguments=arguments,
        grid=grid,
        block=block,
        shared_bytes=shared_bytes,
        stream=stream,
        is_in_macro=lexemes[opening].directive == "define",
        callee=callee,
    )


def _parse_call(source: SourceText, name_index: int) -> LaunchText | None:
    """Return a launch that is written as a call.

    E.g. `hipLaunchKernelGGL(kernel, grid, block, 0, stream, …)`.
    """
    function_name = source.lexemes[name_index]
    form = LAUNCH_CALLS[function_name.text]
    parts, closing = split_call(source, name_index)
    if len(parts) <= form.shared:
        return None

    kernel_name = find_kernel_name(parts[form.kernel])
    if kernel_name is None:
        return None

    # an empty argument is a slip of the source; it keeps its position
    texts = [text_of_tokens(source, part) for part in parts]
    arguments: tuple[str, ...] = ()
    argument_array = ""

    if not form.by_array:
        arguments = tuple(text for text in texts[form.first :] if text)
    elif len(parts) > form.first:
        argument_array = last_name(parts[form.first])

    # a call may be cut short by a macro that stands for its last arguments
    has_stream = len(texts) > form.stream
    # of a driver's call three arguments each are the grid and the block
    grid_texts = texts[slice(*form.grid)]
    block_texts = texts[slice(*form.block)]

    return LaunchText(
        name=kernel_name.text,
        start=function_name.offset,
        configuration_start=parts[form.kernel][-1].end,
        end=source.lexemes[closing].end,
        template_arguments=(),
        arguments=arguments,
        grid=", ".join(grid_texts),
        block=", ".join(block_texts),
        shared_bytes=texts[form.shared],
        stream=texts[form.stream] if has_stream else "0",
        is_in_macro=function_name.directive == "define",
        argument_array=argument_array,
        callee=texts[form.kernel],
    )


def _parse_struct_call(source: SourceText, name_index: int) -> LaunchText | None:
    """Return a launch whose configuration stands in a structure.

    E.g. `cudaLaunchKernelEx(&config, kernel, …)`.
    """
    function_name = source.lexemes[name_index]
    parts, closing = split_call(source, name_index)
    if len(parts) < 2 or not parts[0]:
        return None

    kernel_name = find_kernel_name(parts[1])
    if kernel_name is None:
        return None

    arguments: tuple[str, ...] = ()
    argument_array = ""

    argument_parts = parts[2:]
    has_array = STRUCT_LAUNCH_CALLS[function_name.text]

    if not has_array:
        texts = [text_of_tokens(source, part) for part in argument_parts]
        arguments = tuple(text for text in texts if text)
    elif argument_parts:
        argument_array = last_name(argument_parts[0])

    # the structure is passed by its address, or is a pointer already
    config_text = text_of_tokens(source, parts[0])
    config = config_text.removeprefix("&").strip()

    return LaunchText(
        name=kernel_name.text,
        start=function_name.offset,
        configuration_start=parts[1][-1].end,
        end=source.lexemes[closing].end,
        template_arguments=(),
        arguments=arguments,
        grid=f"{config}.gridDim",
        block=f"{config}.blockDim",
        shared_bytes=f"{config}.dynamicSmemBytes",
        stream=f"{config}.stream",
        is_in_macro=function_name.directive == "define",
        config_variable=config,
        argument_array=argument_array,
        callee=text_of_tokens(source, parts[1]),
    )
