"""What template arguments, constants and compilers tell of a recorded launch."""

from __future__ import annotations

import pytest

from crawler.model import (
    Instantiation,
    TemplateParameter,
)
from crawler.validate.evidence.launch_configuration import ScalarParameter
from crawler.validate.evidence.recorded_launch_site import (
    LAUNCH_BOUNDS,
    build_launch_site,
)
from tests.unit.validate.evidence.launches import (
    choose_ordinary,
    make_kernel,
    make_launch,
)


def test_template_arguments_bind_what_the_launch_calls_them() -> None:
    site = build_launch_site(
        make_kernel(
            template_parameters=(
                TemplateParameter(name="T", kind="type"),
                TemplateParameter(name="B", kind="value"),
            )
        ),
        make_launch(
            grid="n / BLOCK",
            block="BLOCK",
            shared_bytes="BLOCK * sizeof(scalar_t)",
            callee="k<scalar_t, BLOCK>",
        ),
        Instantiation(arguments=("double", "32"), label="double_32"),
        "",
    )
    configuration = site.configure([], choose_ordinary, 1 << 14)
    assert (configuration.block, configuration.shared_bytes) == ((32, 1, 1), 256)


def test_without_a_launch_the_kernel_itself_says_how_wide_it_is() -> None:
    configuration = build_launch_site(
        make_kernel(attributes=("__launch_bounds__(N_THREADS)",)),
        None,
        None,
        "#define N_THREADS 96\n",
    )
    assert configuration.configure(
        [ScalarParameter(name="n")], choose_ordinary, 1 << 14
    ).block == (
        96,
        1,
        1,
    )


def test_a_block_is_as_wide_as_the_template_argument_that_says_so() -> None:
    site = build_launch_site(
        make_kernel(
            template_parameters=(TemplateParameter(name="blockSize", kind="value"),)
        ),
        make_launch(
            grid="m",
            block="threads",
            setup="int threads = channels > 1024 ? 1024 : channels;",
        ),
        Instantiation(arguments=("64",), label="64"),
        "",
    )
    configuration = site.configure(
        [ScalarParameter(name="channels")], choose_ordinary, 1 << 14
    )
    assert (configuration.block, configuration.scalars["channels"]) == ((64, 1, 1), 64)


def test_a_block_that_is_set_by_its_members_is_known() -> None:
    setup = "dim3 blockDim, gridDim; blockDim.x = WARPS * 32; blockDim.y = 1; gridDim.x = rows; gridDim.z = 3;"
    site = build_launch_site(
        make_kernel(),
        make_launch(grid="gridDim", block="blockDim", setup=setup),
        None,
        "#define WARPS 16\n",
    )
    configuration = site.configure(
        [ScalarParameter(name="rows")], choose_ordinary, 1 << 14
    )
    assert (configuration.block, configuration.grid) == ((512, 1, 1), (9, 1, 3))
    assert site.has_computed_block


def test_a_constant_of_a_namespace_is_known() -> None:
    source = "namespace access { constexpr int width = 16; }"
    site = build_launch_site(
        make_kernel(), make_launch(block="access::width * 2"), None, source
    )
    assert site.configure([], choose_ordinary, 1 << 13).block == (32, 1, 1)


def test_what_a_class_among_the_template_arguments_was_made_with_says_how_many_threads_a_block_has() -> (
    None
):
    source = "template <typename T, int BlockSize, int Tile> struct Grid { };"
    instantiation = Instantiation(arguments=("Grid<float, 64, 3>",), label="0")
    templated_kernel = make_kernel(
        template_parameters=(TemplateParameter(name="G", kind="type"),)
    )
    site = build_launch_site(
        templated_kernel,
        make_launch(grid="n / Tile", block="dim3(BlockSize)"),
        instantiation,
        source,
    )
    configuration = site.configure(
        [ScalarParameter(name="n")], choose_ordinary, 1 << 14
    )
    assert (configuration.block, configuration.grid[0]) == ((64, 1, 1), 100)
    assert build_launch_site(templated_kernel, None, instantiation, source).configure(
        [], choose_ordinary, 1 << 14
    ).block == (64, 1, 1)


def test_what_the_compiler_told_of_a_launch_is_so() -> None:
    constants = {"__launch_bounds__": 128, "T::kRows": 6}
    site = build_launch_site(
        make_kernel(),
        make_launch(grid="n / T::kRows", block="size(shape)"),
        None,
        "",
        constants,
    )
    configuration = site.configure(
        [ScalarParameter(name="n")], choose_ordinary, 1 << 14
    )
    assert (
        configuration.block,
        configuration.grid[0],
        configuration.scalars["n"] % 6,
    ) == ((128, 1, 1), 50, 0)


def test_a_scalar_called_as_a_template_parameter_is_what_that_is() -> None:
    site = build_launch_site(
        make_kernel(
            template_parameters=(TemplateParameter(name="NUM_LABEL", kind="value"),)
        ),
        make_launch(grid="n", argument_map=(("num_label", "num_label"),)),
        Instantiation(arguments=("64",), label="64"),
        "",
    )
    configuration = site.configure(
        [ScalarParameter(name="num_label"), ScalarParameter(name="n")],
        choose_ordinary,
        1 << 14,
    )
    assert configuration.scalars["num_label"] == 64


@pytest.mark.parametrize(
    ("threads", "block"),
    [
        (128, (32, 4, 1)),
        (384, (32, 12, 1)),
        (16, (16, 1, 1)),
        (1024, (32, 8, 1)),
        (0, (32, 8, 1)),
    ],
)
def test_a_block_of_rows_of_warps_is_as_large_as_its_bounds(
    threads: int, block: tuple[int, int, int]
) -> None:
    rows = make_kernel(
        source="__global__ void k(float* p, int n) { p[threadIdx.y] = 0; }"
    )
    for written in ("dims.second", "block_dims", "p.threads()"):
        site = build_launch_site(
            rows, make_launch(block=written), None, "", {LAUNCH_BOUNDS: threads}
        )
        assert site.configure([], choose_ordinary, 1 << 14).block == block
        assert not site.has_computed_block


def test_a_large_number_that_the_host_names_may_be_less() -> None:
    launch = make_launch(
        grid="(size + 63) / 64",
        setup="const int size = 1 << 20;",
        argument_map=(("n", "size"),),
    )
    site = build_launch_site(make_kernel(), launch, None, "")
    configuration = site.configure(
        [ScalarParameter(name="n")], choose_ordinary, 1 << 13
    )
    size = configuration.scalars["n"]
    assert 1 < size <= 1 << 13
    assert configuration.grid[0] == -(-size // 64)


def test_a_large_number_that_the_kernel_has_stays() -> None:
    launch = make_launch(grid="SIZE / 64", argument_map=(("n", "SIZE"),))
    site = build_launch_site(make_kernel(), launch, None, "#define SIZE 65536\n")
    configuration = site.configure(
        [ScalarParameter(name="n")], choose_ordinary, 1 << 13
    )
    assert configuration.scalars["n"] == 65536


COLUMNS = "auto E = index.numel(); auto K = src.numel() / E;"
BLOCKS = "#define THREADS 128\n#define BLOCKS(TB, N) (TB * N + THREADS - 1) / THREADS\n"


def test_a_grid_by_a_macro_of_its_file_has_the_blocks_that_it_counts() -> None:
    site = build_launch_site(
        make_kernel(),
        make_launch(
            grid="BLOCKS(1, E)",
            block="THREADS",
            setup=COLUMNS,
            definitions=BLOCKS,
            argument_map=(("E", "E"),),
        ),
        None,
        "",
    )
    configuration = site.configure(
        [ScalarParameter(name="E")], choose_ordinary, 1 << 14
    )

    assert configuration.block == (128, 1, 1)
    assert configuration.grid[0] == -(-configuration.scalars["E"] // 128) > 1


@pytest.mark.parametrize(
    ("condition", "columns"), [("!(K == 1)", 3), ("K == 1", 1), ("K >= 5", 5)]
)
def test_sizes_are_those_under_which_the_launch_is_reached(
    condition: str, columns: int
) -> None:
    site = build_launch_site(
        make_kernel(),
        make_launch(
            grid="BLOCKS(1, E * K)",
            block="THREADS",
            setup=COLUMNS,
            definitions=BLOCKS,
            conditions=("AT_DISPATCH(x, …)", "!(index.numel() == 0)", condition),
            argument_map=(("E", "E"), ("K", "K")),
        ),
        None,
        "",
    )
    configuration = site.configure(
        [ScalarParameter(name="E"), ScalarParameter(name="K")],
        choose_ordinary,
        1 << 14,
    )

    assert configuration.scalars["K"] == columns
    threads = configuration.scalars["E"] * columns
    assert configuration.grid[0] == -(-threads // 128)
