"""Activation functions, by the pages of PyTorch."""

from __future__ import annotations

from typing import Final

import numpy as np

from crawler.validate.known_operators.definitions import (
    cite_torch,
    gelu,
    gelu_by_tanh,
    map_numbers,
    map_pairs,
    map_with_reals,
    sigmoid,
    softplus,
)
from crawler.validate.known_operators.known_operator import KnownOperator

_BACKWARD: Final = ("backward", "bwd", "grad", "gradient", "derivative", "prime")
_OTHER: Final = (*_BACKWARD, "mul", "glu")
_SELU_SCALE: Final = 1.0507009873554805
_SELU_ALPHA: Final = 1.6732632423543772


def _name_gradient(*names: str) -> tuple[str, ...]:
    return tuple(f"{name} {word}" for name in names for word in _BACKWARD) + tuple(
        f"{word} {name}" for name in names for word in ("grad", "d", "backward")
    )


OPERATORS: Final[tuple[KnownOperator, ...]] = (
    map_numbers(
        "relu", ("relu",), cite_torch("nn.ReLU"), lambda x: np.where(x > 0, x, 0)
    ),
    map_numbers(
        "relu6",
        ("relu6", "relu 6"),
        cite_torch("nn.ReLU6"),
        lambda x: np.clip(x, 0, 6),
        extends="relu",
    ),
    map_numbers(
        "sigmoid",
        ("sigmoid", "logistic"),
        cite_torch("nn.Sigmoid"),
        sigmoid,
        other_words=(*_BACKWARD, "hard", "log"),
    ),
    map_numbers("tanh", ("tanh",), cite_torch("nn.Tanh"), np.tanh),
    map_numbers(
        "silu",
        ("silu", "swish"),
        cite_torch("nn.SiLU"),
        lambda x: x * sigmoid(x),
        other_words=(*_OTHER, "hard"),
    ),
    map_numbers(
        "gelu", ("gelu",), cite_torch("nn.GELU"), gelu, other_words=_OTHER, alias="gelu"
    ),
    map_numbers(
        "gelu by tanh",
        ("gelu",),
        cite_torch("nn.GELU"),
        gelu_by_tanh,
        other_words=_OTHER,
        alias="gelu",
    ),
    map_numbers(
        "gelu by the logistic function",
        ("gelu", "quick gelu"),
        "Hendrycks and Gimpel, Gaussian Error Linear Units, section 2",
        lambda x: x * sigmoid(1.702 * x),
        other_words=_OTHER,
        alias="gelu",
    ),
    map_numbers("softplus", ("softplus",), cite_torch("nn.Softplus"), softplus),
    map_numbers(
        "softsign",
        ("softsign",),
        cite_torch("nn.Softsign"),
        lambda x: x / (1.0 + np.abs(x)),
    ),
    map_numbers(
        "mish", ("mish",), cite_torch("nn.Mish"), lambda x: x * np.tanh(softplus(x))
    ),
    map_numbers(
        "hard sigmoid",
        ("hardsigmoid", "hard sigmoid"),
        cite_torch("nn.Hardsigmoid"),
        lambda x: np.clip(x + 3.0, 0.0, 6.0) / 6.0,
    ),
    map_numbers(
        "hard swish",
        ("hardswish", "hard swish"),
        cite_torch("nn.Hardswish"),
        lambda x: x * np.clip(x + 3.0, 0.0, 6.0) / 6.0,
    ),
    map_numbers(
        "selu",
        ("selu",),
        cite_torch("nn.SELU"),
        lambda x: _SELU_SCALE * np.where(x > 0, x, _SELU_ALPHA * np.expm1(x)),
    ),
    map_numbers(
        "log of the logistic function",
        ("logsigmoid", "log sigmoid"),
        cite_torch("nn.LogSigmoid"),
        lambda x: -softplus(-x),
    ),
    map_with_reals(
        "leaky relu",
        ("leaky relu", "lrelu", "leaky"),
        cite_torch("nn.LeakyReLU"),
        ((0.01, 0.1, 0.2),),
        lambda operands: np.where(
            operands[0] > 0, operands[0], operands.reals[0] * operands[0]
        ),
    ),
    map_with_reals(
        "elu",
        ("elu",),
        cite_torch("nn.ELU"),
        ((1.0,),),
        lambda operands: np.where(
            operands[0] > 0, operands[0], operands.reals[0] * np.expm1(operands[0])
        ),
    ),
    map_with_reals(
        "threshold",
        ("threshold",),
        cite_torch("nn.Threshold"),
        ((), ()),
        lambda operands: np.where(
            operands[0] > operands.reals[0], operands[0], operands.reals[1]
        ),
    ),
    map_pairs(
        "gradient of relu",
        _name_gradient("relu"),
        cite_torch("nn.ReLU"),
        lambda gradient, x: np.where(x > 0, gradient, 0),
        other_words=("leaky",),
    ),
    map_pairs(
        "gradient of the logistic function by its result",
        _name_gradient("sigmoid", "logistic"),
        cite_torch("nn.Sigmoid"),
        lambda gradient, y: gradient * y * (1.0 - y),
        other_words=(),
        alias="sigmoid gradient",
    ),
    map_pairs(
        "gradient of the logistic function by its input",
        _name_gradient("sigmoid", "logistic"),
        cite_torch("nn.Sigmoid"),
        lambda gradient, x: gradient * sigmoid(x) * (1.0 - sigmoid(x)),
        other_words=(),
        alias="sigmoid gradient",
    ),
    map_pairs(
        "gradient of tanh by its result",
        _name_gradient("tanh"),
        cite_torch("nn.Tanh"),
        lambda gradient, y: gradient * (1.0 - y * y),
        other_words=(),
        alias="tanh gradient",
    ),
    map_pairs(
        "gradient of tanh by its input",
        _name_gradient("tanh"),
        cite_torch("nn.Tanh"),
        lambda gradient, x: gradient * (1.0 - np.tanh(x) ** 2),
        other_words=(),
        alias="tanh gradient",
    ),
    map_pairs(
        "gradient of silu",
        _name_gradient("silu", "swish"),
        cite_torch("nn.SiLU"),
        lambda gradient, x: gradient * sigmoid(x) * (1.0 + x * (1.0 - sigmoid(x))),
        other_words=("hard",),
    ),
    map_pairs(
        "silu of one times the other",
        ("silu mul", "silu and mul", "swiglu", "swi glu", "silu gate"),
        "Shazeer, GLU Variants Improve Transformer, equation 5",
        lambda x, y: x * sigmoid(x) * y,
    ),
    map_pairs(
        "gelu of one times the other",
        ("gelu mul", "gelu and mul", "geglu", "ge glu"),
        "Shazeer, GLU Variants Improve Transformer, equation 6",
        lambda x, y: gelu(x) * y,
        alias="geglu",
    ),
    map_pairs(
        "gelu by tanh of one times the other",
        ("gelu mul", "gelu and mul", "geglu", "ge glu"),
        "Shazeer, GLU Variants Improve Transformer, equation 6",
        lambda x, y: gelu_by_tanh(x) * y,
        alias="geglu",
    ),
    map_pairs(
        "relu of a sum",
        ("add relu", "add and relu", "residual relu"),
        cite_torch("nn.ReLU"),
        lambda x, y: np.maximum(x + y, 0),
    ),
)
