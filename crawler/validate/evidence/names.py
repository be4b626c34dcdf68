"""Typical values of sizes and scalars by the names of their parameters."""

from __future__ import annotations

import re
from typing import Final

_SIZES: Final[tuple[tuple[str, int], ...]] = (
    (
        r"(?:n_)?threads?|block_?(?:dim|size)|num_?threads|threads_?per_?block|blocksize|nthreads_per|tpb",
        256,
    ),
    (r"warp_?size|wave_?(?:front_?)?size|simd_?width", 32),
    (r"stride|dilation|dil|step|incx|incy|scale_factor", 1),
    (r"pad|padding|offset|start|begin|shift|axis", 0),
    (
        r"kernel_?(?:size|h|w|d|height|width|dim)?|ksize_?[hwd]?|k_?[hwd]|filter_?(?:size|h|w)|window(?:_size)?",
        3,
    ),
    (r"ratio|sampl(?:e|ing)|levels?|depth|times?|iterations?|iters?|steps", 2),
    (
        r"batch(?:es|_?size)?|bs|b|n_?batch|num_?batch(?:es)?|imgs?|images?|parallel_imgs",
        2,
    ),
    (
        r"groups?|n_?groups|group_?size|heads?|n_?heads?|num_?heads|deformable_group|experts?|top_?k|topk",
        2,
    ),
    (
        r"channels?|c|planes?|in_?planes|feat(?:ure)?s?|n_?features|dims?|hidden|ndim|embed|chans",
        8,
    ),
    (r"pool(?:ed)?_?(?:size|h|w|height|width)?|out_?size|bins?", 4),
    (r"head_?(?:dim|size)|d_?model|hidden_?(?:size|dim)|feature_?dim|d", 32),
    (
        r"(?:image|img|frame|screen)_?(?:h|height)|heights?|h|rows?|height_(?:in|out|col)|y|size_?y",
        9,
    ),
    (
        r"(?:image|img|frame|screen)_?(?:w|width)|widths?|w|cols?|columns?|width_(?:in|out|col)|x|size_?x|ld[abc]?",
        10,
    ),
    (r"z|depth_?size|size_?z", 4),
    (r"classes|n_?classes|num_?classes|k", 5),
    (r"seq_?len(?:gth)?|l|t|len|length|max_?len|tokens?", 33),
    (
        r"rois?|boxes?|points?|pts|samples|queries|query|keys?|edges|nodes|rays|m|elem(?:ent)?s|entries",
        40,
    ),
    (r"n|num|count|size|total|numel|nthreads|nelem|nnz|limit|max", 300),
)
_WHOLE: Final = tuple((re.compile(pattern), value) for pattern, value in _SIZES)
_PARTS: Final = (
    *(
        (re.compile(rf"(?:^|_)(?:{pattern})(?:_|$)"), value)
        for pattern, value in _SIZES[:-1]
    ),
    (re.compile(r"_(?:count|size|total|numel|len|nnz|n|num)$|^(?:total|all)_"), 300),
)
_FLOATS: Final[tuple[tuple[str, float], ...]] = (
    (r"eps", 1e-5),
    (r"scale|factor|ratio", 0.5),
    (r"thr|threshold|iou", 0.3),
    (r"lr|learning", 0.01),
    (r"beta|decay|momentum|gamma|alpha|prob|^p$|dropout", 0.25),
    (r"max|upper|hi|clamp", 4.0),
    (r"min|lower|lo", -3.0),
    (r"(?:^|_)near(?:_|$)", 0.1),
    (r"(?:^|_)far(?:_|$)", 100.0),
    (r"size|step", 0.5),
    (r"radius|dist", 0.7),
)
_REAL: Final = tuple((re.compile(pattern), value) for pattern, value in _FLOATS)
_INDEXED: Final = re.compile(r"(?:size|dim|shape|sizes)\(?\[?\(?\)?\[?(-?\d)\)?\]?$")
_STRIDED: Final = re.compile(r"strides?(?:\(\))?[(\[](-?\d)[)\]]$")
_STRIDES: Final = {"0": 2048, "1": 256, "2": 32, "-1": 1}
_BY_AXIS: Final = {"0": 3, "1": 8, "2": 9, "3": 10, "4": 5, "-1": 8, "-2": 9}
_UNKNOWN: Final = 6


def typical_size(names: tuple[str, ...]) -> int:
    """Return an ordinary value of a whole number that goes by `names`, the best known first."""
    for name in names:
        word = _word(name)
        for known in (_WHOLE, _PARTS):
            for pattern, value in known:
                if (pattern.fullmatch if known is _WHOLE else pattern.search)(word):
                    return value
    for name in names:
        stride = _STRIDED.search(name)
        if stride:
            return _STRIDES.get(stride[1], 8)
        axis = _INDEXED.search(name)
        if axis:
            return _BY_AXIS.get(axis[1], 6)
        if name.endswith(("numel()", "size()")):
            return 300
    return _UNKNOWN


def is_block_size(names: tuple[str, ...]) -> bool:
    """Tell whether what goes by `names` is how many threads a block has."""
    return any(_WHOLE[0][0].fullmatch(_word(name)) for name in names)


def typical_real(name: str) -> float:
    """Return an ordinary value of a real number that goes by `name`."""
    word = _word(name)
    return next((value for pattern, value in _REAL if pattern.search(word)), 0.75)


def normalise_name(name: str) -> str:
    """Return a name as it is called in any style: `kHeadDim`, `HEAD_DIM` and `head_dim_` are
    one.
    """
    return re.sub(r"^k(?=[A-Z])", "", name).replace("_", "").lower()


def _word(name: str) -> str:
    """Return a name in small letters, its words apart: `inputHeight` is `input_height`."""
    last = re.split(r"[.>:]", name.rstrip("()_"))[-1]
    word = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", last).lower().strip("_")
    # elements of a group are no groups
    return word if _WHOLE[0][0].fullmatch(word) else word.partition("_per_")[0] or word
