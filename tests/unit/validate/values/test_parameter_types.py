"""What parameters are follows from a program's description of itself."""

from __future__ import annotations

from crawler.validate.values.parameter_types import (
    TypeKind,
    list_argument_names,
    list_argument_positions,
    parse_signatures,
)


def test_parameters_are_told_with_their_types() -> None:
    described = (
        "entry 0\nparameter p 8 8 f 4 1 const char *name_of() [T = const float *]\n"
        "entry 1\nparameter c 24 8 - 0 0 x [T = at::View<float, 2>]\n"
    )
    (pointer,), (view,) = parse_signatures(
        f"what a unit prints\nparameter q\n{described}parameter what else it prints\n"
    )
    assert (
        pointer.kind,
        pointer.pointee_kind,
        pointer.is_const,
        pointer.type_name,
    ) == (
        TypeKind.POINTER,
        TypeKind.FLOATING,
        True,
        "const float *",
    )
    assert (view.kind, view.size, view.type_name) == (
        TypeKind.CLASS,
        24,
        "at::View<float, 2>",
    )


def test_a_program_tells_what_is_made_of_which_of_what_it_takes() -> None:
    description = "\n".join(
        (
            "entry 0",
            "parameter s 4 4 - 0 0 f() [T = int]",
            "parameter p 8 8 f 4 1 f() [T = const float *]",
            "parameter s 4 4 - 0 0 f() [T = int]",
            "parameter f 4 4 - 0 0 f() [T = float]",
            "made 1 1 2 from_ n_",
        )
    )
    (signature,) = parse_signatures(description)
    assert [parameter.constructed_parameter for parameter in signature] == [
        -1,
        1,
        1,
        -1,
    ]
    assert list_argument_names(signature, ["first", "of", "scale"]) == [
        "first",
        "from_",
        "n_",
        "scale",
    ]
    assert list_argument_positions(signature) == [0, -1, 3]


def test_members_are_those_of_the_parameter_above() -> None:
    ((view, table),) = parse_signatures(
        "entry 0\n"
        "parameter c 24 8 - 0 0 f() [T = View]\n"
        "member 0 1 data p 8 8 f 4 0 f() [T = float *]\n"
        "member 8 2 shape.extents s 4 4 - 0 0 f() [T = int]\n"
        "parameter p 8 8 c 16 1 f() [T = const Node *]\n"
        "beyond 8 1 next p 8 8 c 16 0 f() [T = Node *]\n"
    )
    members = [(member.name, member.offset, member.count) for member in view.members]
    assert members == [("data", 0, 1), ("shape.extents", 8, 2)]
    assert view.members[0].type.kind is TypeKind.POINTER
    (following,) = table.pointee_members
    assert (following.name, following.type.type_name) == ("next", "Node *")


def test_what_belongs_to_no_parameter_is_left_out() -> None:
    assert parse_signatures("member 0 1 a s 4 4 - 0 0 f() [T = int]\n") == ()
    assert parse_signatures("entry 0\nmember 0 1 a s 4 4 - 0 0 f() [T = int]\n") == (
        (),
    )


def test_a_structure_has_no_members_without_end() -> None:
    member = "member 0 1 a s 4 4 - 0 0 f() [T = int]\n"
    ((parameter,),) = parse_signatures(
        "entry 0\nparameter c 8 8 - 0 0 f() [T = A]\n" + member * 2000
    )
    assert len(parameter.members) == 512


def test_parameters_without_a_name_have_none() -> None:
    ((parameter,),) = parse_signatures("entry 0\nparameter s 4 4 - 0 0 f() [T = int]\n")
    assert list_argument_names((parameter, parameter), ["n"]) == ["n", ""]
