"""Both forms of a prompt hold all that tests need, and nothing of what tests compare with."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from crawler.codec import encode
from crawler.dataset.interface import RowContext
from crawler.dataset.prompts.complete_text import render_complete, to_comment_line
from crawler.dataset.prompts.instantiation_groups import (
    InstantiationGroup,
    describe_groups,
)
from crawler.dataset.prompts.instruct_text import render_instruct
from crawler.dataset.prompts.kernel_task import (
    Direction,
    KernelTask,
    Subject,
    TaskDocumentation,
    TaskLaunch,
    TaskParameter,
)
from crawler.dataset.prompts.prompt_row import PromptRow
from crawler.dataset.texts.depth import Depth
from crawler.dataset.views.complete import PLUGIN as COMPLETE
from crawler.dataset.views.instruct import PLUGIN as INSTRUCT
from crawler.model import BufferRole, KernelRecord
from tests.run_records import BLOBS, make_run_records

RAN = make_run_records()[0]
WORDS = st.from_regex(r"[a-z_][a-z0-9_]{0,8}", fullmatch=True)
TYPES = st.sampled_from(
    ["int", "const float *", "Pair<int, 2>", "double *__restrict__"]
)
CONTEXTS = st.sampled_from(["", "#include <a.h>\n", "// ```\nstruct A {};\n"])
STRANGERS_TEXT = st.text(max_size=40)
DEFINITIONS = WORDS.map(lambda name: f"#define {name} 4")


@st.composite
def parameters(draw: st.DrawFn) -> TaskParameter:
    name = draw(WORDS)
    return TaskParameter(
        name=name,
        declaration=f"{draw(TYPES)} {name}",
        direction=draw(st.sampled_from(Direction)),
        is_traced=draw(st.booleans()),
        launched_as=draw(STRANGERS_TEXT),
        example=draw(STRANGERS_TEXT),
    )


@st.composite
def tasks(draw: st.DrawFn) -> KernelTask:
    drawn_parameters = tuple(draw(st.lists(parameters(), max_size=5)))
    name = draw(WORDS)
    declarations = ", ".join(parameter.declaration for parameter in drawn_parameters)
    launch = TaskLaunch(
        launcher=draw(WORDS),
        kernel=draw(st.sampled_from(["", "k<T, 4>"])),
        conditions=tuple(draw(st.lists(WORDS, max_size=2))),
        grid=draw(WORDS),
        block=draw(WORDS),
        shared_bytes=draw(WORDS),
        variables=tuple(draw(st.lists(WORDS, max_size=2))),
        statements=tuple(draw(st.lists(STRANGERS_TEXT, max_size=2))),
        definitions=tuple(draw(st.lists(DEFINITIONS, max_size=2))),
    )
    documentation = TaskDocumentation(
        name=draw(WORDS), text=draw(WORDS), subject=draw(st.sampled_from(Subject))
    )
    choices = st.lists(TYPES, min_size=1, max_size=3, unique=True).map(tuple)
    return KernelTask(
        language=draw(st.sampled_from(["HIP", "CUDA"])),
        entry_point=f"ns::{name}",
        context=draw(CONTEXTS),
        signature=f"__global__ void {name}({declarations})",
        computation=draw(st.sampled_from(["", "scan", "elementwise"])),
        evidence=tuple(draw(st.lists(STRANGERS_TEXT, max_size=2))),
        operators=tuple(draw(st.lists(WORDS, max_size=2))),
        documentation=(documentation,),
        parameters=drawn_parameters,
        launches=(launch,),
        example=draw(STRANGERS_TEXT),
        instantiations=(InstantiationGroup((draw(choices), draw(choices))),),
        template_parameters=("T", ""),
        state=tuple(draw(st.lists(WORDS, max_size=2))),
        wave=draw(st.sampled_from(["", "any", "wave32"])),
    )


@given(tasks())
def test_the_short_form_has_everything_that_tests_need(task: KernelTask) -> None:
    request, _, code = render_instruct(task).partition("\nYou should write")
    assert f"{task.language} kernel `{task.entry_point}`" in request
    assert task.context + task.signature in code
    for parameter in task.parameters:
        sentence = request.partition(f"Passed as {parameter.direction.value}: ")[2]
        assert f"`{parameter.declaration}`" in sentence.partition(".")[0]
    assert describe_groups(task.instantiations, ("T", "")) in request
    for variable in task.state:
        assert f"outlives a launch: {variable}." in request
    (launch,) = task.launches
    for definition in launch.definitions:
        assert definition in request
    expressions = (launch.grid, launch.block, launch.shared_bytes)
    for expression in (*expressions, *launch.variables):
        assert f"`{expression}`" in request


@given(tasks())
def test_every_sentence_of_the_short_form_is_told_by_the_long_one(
    task: KernelTask,
) -> None:
    request = render_instruct(task).partition("\nYou should")[0]
    long_form = render_complete(task)
    for sentence in request.split(". "):
        if not sentence.startswith("Passed as"):
            assert sentence.rstrip(".") in long_form


@given(tasks())
def test_the_long_form_is_the_given_code_with_comment_lines(task: KernelTask) -> None:
    prompt = render_complete(task)
    assert prompt.startswith(task.context)
    assert prompt.endswith(f"\n{task.signature}")
    comment = prompt[len(task.context) : -len(task.signature) - 1]
    assert all(line.startswith("//") for line in comment.split("\n"))
    assert not any(line.endswith("\\") for line in comment.split("\n"))
    for parameter in task.parameters:
        assert f"{parameter.declaration}: {parameter.direction.value}" in comment


@given(STRANGERS_TEXT)
def test_no_text_ends_its_comment_line(text: str) -> None:
    line = to_comment_line(text)
    assert len(f"// {line}".splitlines()) == 1
    assert not line.endswith("\\")


@given(tasks())
def test_the_fence_of_the_short_form_is_closed_at_its_end_alone(
    task: KernelTask,
) -> None:
    lines = render_instruct(task).partition("starting with:\n")[2].split("\n")
    fence = lines[0].removesuffix("cpp")
    assert lines.index(fence, 1) == len(lines) - 1


def make_row(record: KernelRecord, depth: Depth = Depth.FULL) -> PromptRow:
    context = RowContext(depth=depth, read_content=BLOBS.get)
    (row,) = COMPLETE.make_rows(record, context)
    assert isinstance(row, PromptRow)
    return row


def test_a_prompt_knows_nothing_of_what_ought_to_come_out() -> None:
    ((digest, suite),) = RAN.suites
    shown, hidden = (
        replace(
            case,
            buffers=tuple(
                replace(buffer, gold=BLOBS.put(b"other!!!"), written=(0, 4))
                for buffer in case.buffers
            ),
        )
        for case in suite.cases
    )
    # what is held back may hold anything
    other_hidden = replace(hidden, grid=(99, 1, 1), name="another")
    other_suite = replace(suite, cases=(shown, other_hidden))
    assert encode(other_suite) != encode(suite)

    changed = replace(RAN, suites=((digest, other_suite),))
    for view in (COMPLETE, INSTRUCT):
        (row,) = view.make_rows(RAN, RowContext())
        (changed_row,) = view.make_rows(changed, RowContext())
        assert row.prompt == changed_row.prompt


def test_a_prompt_is_the_same_with_tests_beside_it() -> None:
    row = make_row(RAN)
    assert row.prompt == make_row(RAN, Depth.UNIT).prompt
    assert row.tests, "the record came through its cases"
    assert {test.suffix for test in row.tests} == {".hip"}
    assert not make_row(RAN, Depth.UNIT).tests


def test_a_prompt_and_its_solution_are_the_unit() -> None:
    row = make_row(RAN)
    unit = next(unit for unit in RAN.ports if unit.digest == row.unit)
    assert row.context + row.signature + row.canonical_solution == unit.source
    assert row.prompt.startswith(row.context)
    assert row.prompt.endswith(row.signature)
    assert row.canonical_solution.strip() not in row.prompt
    assert row.origin == "rules"


def test_directions_come_from_the_run_and_are_marked_as_such() -> None:
    ((_, suite),) = RAN.suites
    (buffer,) = suite.cases[0].buffers
    assert buffer.role is BufferRole.INOUT
    prompt = make_row(RAN).prompt
    assert "input and output, as it ran" in prompt
    assert "2 elements of float (8 bytes)" in prompt

    never_run = replace(RAN, suites=(), runs=())
    assert "as it ran" not in make_row(never_run).prompt


def test_both_forms_are_of_one_task() -> None:
    (complete,) = COMPLETE.make_rows(RAN, RowContext())
    (instruct,) = INSTRUCT.make_rows(RAN, RowContext())
    assert complete.task_id == instruct.task_id
    assert complete.canonical_solution == instruct.canonical_solution
    assert len(instruct.prompt) < len(complete.prompt)
