"""Operators on the CUDA device held against the CPU: run by the Python that has PyTorch.

Each check is given a device and returns what is compared. Prints a line for each that differs.
"""

from __future__ import annotations

import copy
import ctypes
import importlib
import io
import os
import sys
import traceback
from typing import Any

ctypes.CDLL(os.environ["KERNELSET_RUNTIME"], mode=ctypes.RTLD_GLOBAL)
ctypes.CDLL(os.environ["KERNELSET_TORCH_DEVICE"], mode=ctypes.RTLD_GLOBAL)
import torch  # noqa: E402
import torch.nn.functional as F  # noqa: E402, N812

sys.path.insert(0, sys.argv[1])
importlib.import_module("cuda_python").install()

CHECKS: dict[str, Any] = {}


def check(function: Any) -> Any:
    CHECKS[function.__name__] = function
    return function


def make(device: str, *shape: int, dtype: Any = torch.float) -> Any:
    """Return the same numbers on each device."""
    count = 1
    for size in shape:
        count *= size
    numbers = torch.arange(count, dtype=torch.float) * 0.37 % 1.9 - 0.8
    return numbers.view(shape).to(dtype).to(device)


EXPRESSIONS = """
x + y; x - 2; 3 * x; x / (y.abs() + 1); x @ y.t(); x ** 2; -x; x // 0.3; x % 0.7
x > y; x == x; x.clamp(-0.5, 0.5); x.abs().sqrt(); x.exp(); x.sigmoid(); x.relu(); x.tanh()
x.sum(); x.sum(0); x.mean(1); x.max(); x.max(1)[0]; x.argmin(0); x.std(); x.var(0); x.prod(1)
x.cumsum(0); x.sort(1)[0]; x.topk(2)[0]; x.norm(); x.any(); (x > 0).all(); x.logsumexp(1)
x.t(); x.view(-1); x.reshape(2, -1); x[1]; x[:, 1:3]; x[..., None]; x.unsqueeze(0); x.flip(0)
x[i]; x[:, j]; x[x > 0]; x.index_select(0, i); x.gather(1, j.expand(3, -1)); x.roll(1, 0)
x.nonzero(); torch.unique(i); torch.where(x > 0, x, y); torch.cat([x, y]); torch.stack([x, y])
x.split(1); x.chunk(2, 1); torch.einsum("ij,kj->ik", x, y); torch.bmm(x[None], y.t()[None])
x.half() + y.half(); x.bfloat16() * 2; x.double().sin(); x.long(); x.int() + 1; x.bool(); x.to(torch.int8)
torch.zeros(3, device=d); torch.ones(2, 3, device=d); torch.full((2,), 7.0, device=d); torch.eye(3, device=d)
torch.arange(5, device=d); torch.linspace(0, 1, 5, device=d); torch.zeros_like(x); torch.tril(x)
torch.tensor([[1, 2], [3, 4]], device=d); torch.as_tensor([1.5], device=d); x.new_zeros(3); x.new_tensor([1, 2])
F.softmax(x, 1); F.layer_norm(x, (4,)); F.gelu(x); F.pad(x, (1, 1)); F.embedding(i, x); F.one_hot(i)
F.conv2d(image, weight, padding=1); F.max_pool2d(image, 2); F.interpolate(image, scale_factor=2)
F.batch_norm(image, None, None, training=True); F.grid_sample(image, grid, align_corners=False)
F.cross_entropy(x, i); F.mse_loss(x, y); F.dropout(x, 0.5, training=False); F.linear(x, y); F.unfold(image, 2)
torch.linalg.inv(x[:3, :3] + 3 * torch.eye(3, device=d)); torch.meshgrid(i, i, indexing="ij"); torch.outer(x[0], y[0])
x.scatter_add(1, j.expand(3, -1), y[:, :2]); x.masked_fill(x > 0, 0); x.repeat(2, 1); x.permute(1, 0).contiguous()
torch.cdist(x, y); torch.bincount(i); torch.histc(x, 4); torch.searchsorted(x[0].sort()[0], y[0]); x.unfold(1, 2, 1)
torch.complex(x, y).abs(); torch.fft.fft(x).real; torch.addmm(x @ y.t(), x, y.t()); torch.nan_to_num(x / 0)
"""


def add_expressions() -> None:
    """Make each expression a check."""
    for text in EXPRESSIONS.replace("\n", ";").split(";"):
        expression = text.strip()
        if not expression:
            continue

        def evaluate(d: str, expression: str = expression) -> Any:
            names = {
                "torch": torch,
                "F": F,
                "d": d,
                "x": make(d, 3, 4),
                "y": make(d, 3, 4).flip(0),
                "i": torch.tensor([2, 0, 1], device=d),
                "j": torch.tensor([3, 1], device=d),
                "image": make(d, 2, 3, 8, 8),
                "weight": make(d, 4, 3, 3, 3),
                "grid": make(d, 2, 5, 5, 2),
            }
            return eval(expression, names)

        CHECKS[expression] = evaluate


@check
def in_place(d: str) -> Any:
    x = make(d, 3, 4)
    x[1] = 5
    x[:, 0] += 1
    x[x > 2] = -1
    x.mul_(2).add_(torch.ones(4, device=d))
    x.index_add_(0, torch.tensor([0, 0], device=d), torch.ones(2, 4, device=d))
    x.index_put_((torch.tensor([2]), torch.tensor([1])), torch.tensor(9.0, device=d))
    return x


@check
def views_share_memory(d: str) -> Any:
    x = make(d, 3, 4)
    x.t()[0].fill_(7)
    x.view(-1)[5:].zero_()
    return x


@check
def out_arguments(d: str) -> Any:
    x = make(d, 3, 4)
    empty = torch.empty(0, device=d)
    torch.add(x, x, out=empty)
    filled = torch.zeros(3, 4, device=d)
    torch.mul(x, 2, out=filled)
    return [empty, filled, torch.cat([x, x], out=torch.empty(0, device=d))]


@check
def copies_between_devices(d: str) -> Any:
    x = make(d, 3, 4)
    host = torch.zeros(4, 3).t()
    host.copy_(x.double())
    back = torch.empty(3, 4, dtype=torch.half, device=d)
    back.copy_(host)
    return [host, back, x.cpu().to(d), x.clone(), x.to(d, torch.int)]


@check
def copies_of_objects(d: str) -> Any:
    x = make(d, 3, 4)
    buffer = io.BytesIO()
    torch.save({"x": x, "part": x[1:]}, buffer)
    buffer.seek(0)
    loaded = torch.load(buffer)
    return [copy.deepcopy(x), loaded["x"], loaded["part"]]


@check
def scalars_and_texts(d: str) -> Any:
    x = make(d, 3)
    return [
        x[1].item(),
        x.tolist(),
        bool((x > 9).any()),
        str(x).replace(", device='cuda:0'", ""),
    ]


@check
def random_numbers(d: str) -> Any:
    torch.manual_seed(3)
    return [
        torch.rand(4, device=d),
        torch.randn(2, 2, device=d),
        torch.randperm(6, device=d),
    ]


@check
def training(d: str) -> Any:
    torch.manual_seed(1)
    layers = [
        torch.nn.Conv2d(3, 4, 3),
        torch.nn.BatchNorm2d(4),
        torch.nn.ReLU(),
        torch.nn.Flatten(),
    ]
    model = torch.nn.Sequential(*layers, torch.nn.Linear(4 * 36, 5)).to(d)
    losses = []
    for optimiser in (torch.optim.SGD, torch.optim.Adam):
        steps = optimiser(model.parameters(), lr=0.01)
        for _ in range(2):
            loss = F.cross_entropy(
                model(make(d, 2, 3, 8, 8)), torch.tensor([1, 4], device=d)
            )
            steps.zero_grad()
            loss.backward()
            steps.step()
            losses.append(loss.detach())
    return losses


class Square(torch.autograd.Function):  # type: ignore[misc]
    @staticmethod
    def forward(ctx: Any, x: Any) -> Any:
        ctx.save_for_backward(x)
        return x * x

    @staticmethod
    def backward(ctx: Any, gradient: Any) -> Any:
        return 2 * ctx.saved_tensors[0] * gradient


@check
def gradients(d: str) -> Any:
    x = make(d, 3, 4, dtype=torch.double).requires_grad_()
    assert torch.autograd.gradcheck(Square.apply, (x,))
    (Square.apply(x[:, 1:])[0].sum() + x.t()[0].exp().sum()).backward()
    return x.grad


@check
def gradients_of_convolutions(d: str) -> Any:
    """PyTorch looks for the device's own code where the convolution is a transposed one."""
    gradient, x, weight = make(d, 1, 2, 7, 7), make(d, 1, 3, 5, 5), make(d, 3, 2, 3, 3)
    shape = {"stride": [1, 1], "padding": [0, 0], "dilation": [1, 1], "groups": 1}
    transposed = {"transposed": True, "output_padding": [0, 0], **shape}
    gradients = torch.ops.aten.convolution_backward(
        gradient, x, weight, None, **transposed, output_mask=[True, True, False]
    )
    return list(gradients[:2])


@check
def sparse_tensors(d: str) -> Any:
    places = torch.tensor([[0, 2, 2], [1, 0, 0]], device=d)
    x = torch.sparse_coo_tensor(places, make(d, 3), (3, 4))
    merged = x.coalesce()
    return [
        x.to_dense(),
        merged.indices(),
        merged.values(),
        torch.sparse.mm(x, make(d, 4, 2)),
        torch.sparse.mm(x.t(), x).to_dense(),
        (x + x).to_dense(),
        x.is_coalesced(),
    ]


@check
def scripts(d: str) -> Any:
    @torch.jit.script  # type: ignore[untyped-decorator]
    def pick(x: torch.Tensor, i: torch.Tensor) -> torch.Tensor:
        return x[i].relu() + torch.zeros_like(x)[i]

    return pick(make(d, 3, 4), torch.tensor([2, 0], device=d))


def compare(expected: Any, given: Any) -> None:
    """Fail where two results differ."""
    if isinstance(expected, torch.Tensor):
        assert given.shape == expected.shape, (given.shape, expected.shape)
        torch.testing.assert_close(given.cpu(), expected.cpu())
    elif isinstance(expected, (list, tuple)):
        assert len(expected) == len(given)
        for expected_part, other in zip(expected, given, strict=True):
            compare(expected_part, other)
    else:
        assert expected == given, (expected, given)


def main() -> int:
    add_expressions()
    for name, function in CHECKS.items():
        try:
            result = function("cuda")
            if isinstance(result, torch.Tensor):
                assert result.device == torch.device("cuda:0"), result.device
            compare(function("cpu"), result)
        except Exception:
            sys.stdout.write(f"differs: {name}: {traceback.format_exc()[-300:]}" + "\n")

    sys.stdout.write(f"checked {len(CHECKS)}" + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
