"""What looks at neighbours: pooling, convolution and stencils."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Final

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view

from crawler.validate.known_operators.definitions import (
    GRADIENT_WORDS,
    cite_numpy,
    cite_torch,
)
from crawler.validate.known_operators.known_operator import (
    MAX_ELEMENTS,
    Array,
    KnownOperator,
    NotDefined,
    Operands,
)

_IMAGE_NAMES: Final = {
    "b": ("batch", "batchsize", "n", "nc", "planes"),
    "c": ("channels", "channel", "inchannels", "cin", "ic"),
    "h": ("height", "rows", "inh", "inputheight", "ih", "inheight", "hin"),
    "w": ("width", "cols", "inw", "inputwidth", "iw", "inwidth", "win"),
    "o": ("outchannels", "cout", "oc", "filters", "numfilters", "k"),
    "p": ("kh", "kernelh", "kernelheight", "kernelsize", "ksize", "r", "fh"),
    "q": ("kw", "kernelw", "kernelwidth", "s", "fw"),
    "kernel": ("k", "kernelsize", "ksize", "poolsize", "windowsize", "kernelh"),
    "stride": ("strideh", "stridew"),
    "padding": ("pad", "padh", "padw"),
}


def _pad(x: Array, width: int, value: float) -> Array:
    if not 0 <= width <= 64:
        raise NotDefined
    unpadded_axes = x.ndim - 2
    sides = [(0, 0)] * unpadded_axes + [(width, width)] * 2
    return np.pad(x, sides, constant_values=value)


def _list_windows(operands: Operands, value: float) -> Array:
    """Return the windows of planes: plane, row, column, and the window's rows and columns."""
    kernel, stride = operands.sizes["kernel"], operands.sizes["stride"]
    padded = _pad(operands[0].astype(np.float64), operands.sizes["padding"], value)
    if kernel < 1 or stride < 1 or kernel > min(padded.shape[-2:]):
        raise NotDefined
    windows = sliding_window_view(padded, (kernel, kernel), (-2, -1))
    strided = windows[..., ::stride, ::stride, :, :]
    if strided.size > 4 * MAX_ELEMENTS:
        raise NotDefined

    return strided


def _convolve_images(operands: Operands) -> Array:
    """Return the correlation that networks call convolution, with a bias if there is one."""
    x, weights, *biases = operands.inputs
    stride = operands.sizes["stride"]
    padded = _pad(x, operands.sizes["padding"], 0)
    extents = weights.shape[2:]
    if stride < 1 or any(
        extent > whole or extent < 1
        for extent, whole in zip(extents, padded.shape[2:], strict=True)
    ):
        raise NotDefined
    windows = sliding_window_view(padded, extents, (2, 3))[:, :, ::stride, ::stride]
    if windows.size * weights.shape[0] > 16 * MAX_ELEMENTS:
        raise NotDefined
    result = np.einsum("bchwpq,ocpq->bohw", windows, weights, optimize=True)

    return result + biases[0][:, None, None] if biases else np.asarray(result)


def _convolve_plane(operands: Operands) -> Array:
    """Return the correlation of a plane, as large as it is, with zeros around."""
    x, weights = operands.inputs
    height, width = weights.shape
    if not (height % 2 and width % 2) or height * width * x.size > 16 * MAX_ELEMENTS:
        raise NotDefined
    row_margin, column_margin = height // 2, width // 2
    padded = np.pad(x, [(row_margin,) * 2, (column_margin,) * 2])
    windows = sliding_window_view(padded, weights.shape)

    return np.asarray(np.einsum("hwpq,pq->hw", windows, weights))


def _convolve_row(mode: str) -> Callable[[Operands], Array]:
    def compute(operands: Operands) -> Array:
        x, weights = operands.inputs
        # the longer one is what NumPy takes for the input
        if not 1 <= weights.size <= x.size or (
            mode == "same" and weights.size % 2 == 0
        ):
            raise NotDefined
        return np.correlate(x, weights, mode)  # type: ignore[call-overload, no-any-return]

    return compute


def _average_crosses(operands: Operands) -> Array:
    """Return a plane in which each inner number is the mean of its four neighbours."""
    x = operands[0].astype(np.float64)
    result = x.copy()
    above_and_below = x[:-2, 1:-1] + x[2:, 1:-1]
    left_and_right = x[1:-1, :-2] + x[1:-1, 2:]
    inner = above_and_below + left_and_right
    result[1:-1, 1:-1] = 0.25 * inner

    return result


def _list_pools() -> Iterator[KnownOperator]:
    pools: tuple[tuple[str, tuple[str, ...], str, Callable[[Operands], Array]], ...] = (
        (
            "maximum of each window",
            (
                "maxpool",
                "max pool",
                "maxpool2d",
                "pool max",
                "max pooling",
                "maxpooling",
            ),
            cite_torch("nn.MaxPool2d"),
            lambda operands: _list_windows(operands, -np.inf).max((-2, -1)),
        ),
        (
            "mean of each window",
            (
                "avgpool",
                "avg pool",
                "avgpool2d",
                "average pool",
                "mean pool",
                "avg pooling",
                "pool avg",
            ),
            cite_torch("nn.AvgPool2d"),
            lambda operands: _list_windows(operands, 0.0).mean((-2, -1)),
        ),
    )
    for name, words, source, compute in pools:
        for shape in ("b c h w", "b h w", "h w"):
            for stride in (1, 2):
                yield KnownOperator(
                    name=f"{name} of {shape} by steps of {stride}",
                    words=words,
                    other_words=(*GRADIENT_WORDS, "roi", "global", "adaptive"),
                    source=source,
                    inputs=(shape,),
                    output="",
                    compute=compute,
                    settings={"kernel": 2, "stride": stride, "padding": 0},
                    size_names=_IMAGE_NAMES,
                    family=f"pools of {shape}",
                    alias=f"{name} of {shape}",
                )


def _list_convolutions() -> Iterator[KnownOperator]:
    for shapes in (("b c h w", "o c p q"), ("b c h w", "o c p q", "o")):
        yield KnownOperator(
            name=f"convolution of images with {len(shapes) - 2} biases",
            words=(
                "conv",
                "conv2d",
                "convolution",
                "conv 2d",
                "convolution 2d",
                "conv2",
            ),
            other_words=(*GRADIENT_WORDS, "depthwise", "transposed", "separable"),
            source=cite_torch("nn.Conv2d"),
            inputs=shapes,
            output="",
            compute=_convolve_images,
            settings={"stride": 1, "padding": 0},
            size_names=_IMAGE_NAMES,
            family="convolution",
        )
    yield KnownOperator(
        name="convolution of a plane with zeros around",
        words=("conv", "conv2d", "convolution", "convolution 2d", "convolve", "filter"),
        other_words=GRADIENT_WORDS,
        source="https://docs.scipy.org/doc/scipy/reference/generated/scipy.signal.correlate2d.html",
        inputs=("h w", "p q"),
        output="h w",
        compute=_convolve_plane,
        size_names=_IMAGE_NAMES,
        family="plane convolution",
    )
    for mode in ("valid", "same"):
        yield KnownOperator(
            name=f"convolution of a row, {mode}",
            words=(
                "conv",
                "conv1d",
                "convolution",
                "convolution 1d",
                "convolve",
                "conv 1d",
                "fir",
                "correlate",
            ),
            other_words=(*GRADIENT_WORDS, "2d", "conv2d"),
            source=cite_numpy("correlate"),
            inputs=("n", "k"),
            output="",
            compute=_convolve_row(mode),
            family="row convolution",
        )


OPERATORS: Final[tuple[KnownOperator, ...]] = (
    *_list_pools(),
    *_list_convolutions(),
    KnownOperator(
        name="step of Jacobi's method for Laplace's equation",
        words=("jacobi", "laplace", "heat", "stencil", "laplacian", "poisson"),
        source="Press et al., Numerical Recipes, equation 20.5.5",
        inputs=("r c",),
        output="r c",
        compute=_average_crosses,
        family="layout",
    ),
)
