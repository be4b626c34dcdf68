"""Launches are assigned to kernels by place, by pointer, or by a name that is unique."""

from __future__ import annotations

from crawler.extract.launches.launch_assignment import (
    IN_MACRO_REASON,
    AssignedLaunches,
    assign_launches,
)
from crawler.model import LaunchFacts, Layer
from tests.unit.extract.builders import make_launch, make_launch_facts, make_span

KERNEL = ("kernels.cuh", 40)
OTHER_KERNEL = ("other.cuh", 8)


def assign(
    *sightings: LaunchFacts, places: tuple[tuple[str, int], ...] = (KERNEL,)
) -> AssignedLaunches:
    return assign_launches(sightings, {"scale": list(places)})


def test_a_resolved_launch_goes_to_its_definition() -> None:
    launch = make_launch(template_arguments=(("float",),))
    assigned = assign(
        make_launch_facts(launch, OTHER_KERNEL), places=(KERNEL, OTHER_KERNEL)
    )

    assert assigned.by_kernel == {OTHER_KERNEL: (launch,)}
    assert assigned.unassigned == ()


def test_a_unique_name_is_enough() -> None:
    launch = make_launch()
    assert assign(make_launch_facts(launch)).by_kernel == {KERNEL: (launch,)}


def test_of_two_kernels_the_one_in_the_same_file_is_meant() -> None:
    launch = make_launch(path="other.cuh")
    assigned = assign(make_launch_facts(launch), places=(KERNEL, OTHER_KERNEL))
    assert list(assigned.by_kernel) == [OTHER_KERNEL]


def test_in_the_file_of_its_definition_the_nearest_one_is_meant() -> None:
    sighting = make_launch_facts(make_launch(), ("kernels.cuh", 44))
    assigned = assign(sighting, places=(("kernels.cuh", 0), KERNEL))
    assert list(assigned.by_kernel) == [KERNEL]


def test_a_name_of_two_kernels_elsewhere_is_ambiguous() -> None:
    assigned = assign(make_launch_facts(make_launch()), places=(KERNEL, OTHER_KERNEL))
    (launch,) = assigned.unassigned
    assert launch.reason == "ambiguous-name: 2 kernels have it"


def test_a_kernel_of_a_library_is_elsewhere() -> None:
    assigned = assign(make_launch_facts(make_launch("library_kernel")))
    (launch,) = assigned.unassigned
    assert launch.reason == "kernel-elsewhere: none of that name is defined here"


def test_what_one_unit_resolves_counts_for_those_that_do_not() -> None:
    resolved = make_launch_facts(make_launch(), OTHER_KERNEL)
    by_text = make_launch_facts(make_launch(found_by=Layer.SYNTACTIC))
    assigned = assign(by_text, resolved, places=(KERNEL, OTHER_KERNEL))

    assert list(assigned.by_kernel) == [OTHER_KERNEL]
    assert assigned.unassigned == ()


def test_units_add_up_the_template_arguments_of_a_launch() -> None:
    floats = make_launch(template_arguments=(("float",),))
    doubles = make_launch(template_arguments=(("double",), ("float",)))
    assigned = assign(
        make_launch_facts(floats, KERNEL), make_launch_facts(doubles, KERNEL)
    )
    (launch,) = assigned.by_kernel[KERNEL]
    assert launch.template_arguments == (("float",), ("double",))


def test_a_pointer_launches_what_it_holds_elsewhere_in_the_function() -> None:
    pointer = {"callee": "kernel", "enclosing": "lib::run"}
    resolved = make_launch(offset=50, template_arguments=(("float",),), **pointer)
    unresolved = make_launch(
        "kernel", offset=90, reason="function-pointer: kernel", **pointer
    )
    assigned = assign(
        make_launch_facts(resolved, KERNEL), make_launch_facts(unresolved)
    )

    first, second = assigned.by_kernel[KERNEL]
    assert (first.span.offset, second.span.offset) == (50, 90)
    assert (second.template_arguments, second.reason) == ((("float",),), "")


def test_a_pointer_of_another_function_stays_unassigned() -> None:
    resolved = make_launch(offset=50, callee="kernel", enclosing="run")
    unresolved = make_launch(
        "kernel", 90, callee="kernel", enclosing="go", reason="function-pointer: kernel"
    )
    assigned = assign(
        make_launch_facts(resolved, KERNEL), make_launch_facts(unresolved)
    )
    assert assigned.unassigned == (unresolved,)


def test_a_launch_in_a_macro_counts_its_uses() -> None:
    in_macro = make_launch(offset=5, reason=IN_MACRO_REASON)
    expanded = [
        make_launch_facts(
            make_launch(offset=offset, body=make_span(offset=7, length=2))
        )
        for offset in (100, 200, 200)
    ]
    assigned = assign(make_launch_facts(in_macro), *expanded)

    (launch,) = assigned.unassigned
    assert launch.reason == "expanded: its rows stand at 2 uses"
    assert len(assigned.by_kernel[KERNEL]) == 2


def test_a_macro_that_nobody_uses_says_so() -> None:
    assigned = assign(make_launch_facts(make_launch(reason=IN_MACRO_REASON)))
    (launch,) = assigned.unassigned
    assert launch.reason == "macro-unused: no use of it was seen"


def test_launches_are_in_the_order_of_their_places() -> None:
    sightings = [
        make_launch_facts(make_launch(offset=offset), KERNEL)
        for offset in (300, 20, 100)
    ]
    offsets = [launch.span.offset for launch in assign(*sightings).by_kernel[KERNEL]]
    assert offsets == [20, 100, 300]
