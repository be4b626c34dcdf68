"""Serve a trained model of text, run on the CPU here, behind OpenAI's API on loopback.

python tests/servers/small_model.py

It prints its address. The model is that of the package `textgenrnn`, which carries its weights: two
layers of LSTM over characters, and the weighted mean of all their states. It writes like people on
a forum, and no kernels.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, HTTPServer
from importlib.util import find_spec
from pathlib import Path
from typing import Any

# so small that threads would only wait for each other: it is read when numpy is
os.environ["OPENBLAS_NUM_THREADS"] = "1"

import h5py
import numpy as np

Array = np.ndarray[Any, Any]
WINDOW = 40
"""Characters that it looks at."""


class SmallModel:
    """Writes one character after another."""

    def __init__(self, folder: Path) -> None:
        vocabulary = json.loads((folder / "textgenrnn_vocab.json").read_text("utf-8"))
        self._numbers: dict[str, int] = vocabulary
        self._characters = {number: text for text, number in vocabulary.items()}
        self._weights: dict[str, Array] = {}
        with h5py.File(folder / "textgenrnn_weights.hdf5") as file:
            file.visititems(self._keep)

    def _keep(self, name: str, item: Any) -> None:
        if isinstance(item, h5py.Dataset):
            self._weights[name.removesuffix(":0")] = np.asarray(item)

    def write(self, prompt: str, count: int, temperature: float) -> str:
        """Return what it writes behind a prompt, `count` characters at most."""
        draw = np.random.default_rng(1)
        text = list(prompt[-WINDOW:])
        written: list[str] = []
        while len(written) < count:
            chances = self._predict("".join(text[-WINDOW:]))
            # of a number that stands for nothing, and of the mark of an end, nothing is written
            chances[0] = 0.0
            sharpened = np.power(chances, 1.0 / max(temperature, 0.2))
            number = draw.choice(len(sharpened), p=sharpened / sharpened.sum())
            character = self._characters.get(int(number), " ")
            if character == "<s>":
                character = "\n"
            text.append(character)
            written.append(character)
        return "".join(written)

    def _predict(self, text: str) -> Array:
        numbers = [self._numbers.get(each, 0) for each in text]
        padded = [0] * (WINDOW - len(numbers)) + numbers
        embedded = self._find("embedding", "embeddings")[padded]
        first = self._run_lstm("rnn_1", embedded)
        second = self._run_lstm("rnn_2", first)
        states = np.concatenate((embedded, first, second), axis=1)
        scores = states @ self._find("attention", "W")[:, 0]
        shares = np.exp(scores - scores.max())
        mean = (shares / shares.sum()) @ states
        logits = mean @ self._find("output", "kernel") + self._find("output", "bias")
        chances = np.exp((logits - logits.max()).astype(np.float64))
        return np.asarray(chances / chances.sum())

    def _run_lstm(self, name: str, inputs: Array) -> Array:
        # Kept as cuDNN has them: each gate's matrix transposed, and two biases that are added.
        # Rule: keras, hdf5_format.py, _convert_rnn_weights
        kernel = self._find(name, "kernel", without="recurrent")
        kernel = _turn_gates(kernel, lambda gate: gate.T.reshape(gate.shape, order="F"))
        recurrent = _turn_gates(
            self._find(name, "recurrent_kernel"), lambda gate: gate.T
        )
        bias = sum(np.split(self._find(name, "bias"), 2))
        parts = inputs @ kernel + bias
        size = recurrent.shape[0]
        state, cell = np.zeros(size), np.zeros(size)
        states = []
        for part in parts:
            gates = part + state @ recurrent
            given, kept, new, shown = (
                gates[at * size : (at + 1) * size] for at in range(4)
            )
            cell = _squash(kept) * cell + _squash(given) * np.tanh(new)
            state = _squash(shown) * np.tanh(cell)
            states.append(state)
        return np.stack(states)

    def _find(self, layer: str, what: str, without: str = "\0") -> Array:
        names = [
            name
            for name in self._weights
            if name.startswith(layer) and name.endswith(what) and without not in name
        ]
        (name,) = names
        return self._weights[name]


def _turn_gates(kernel: Array, turn: Callable[[Array], Array]) -> Array:
    return np.concatenate([turn(gate) for gate in np.split(kernel, 4, axis=1)], axis=1)


def _squash(values: Array) -> Array:
    return np.asarray(1.0 / (1.0 + np.exp(-values)))


class Handler(BaseHTTPRequestHandler):
    """One question to the model."""

    model: SmallModel

    def do_POST(self) -> None:
        request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        prompt = "\n".join(turn["content"] for turn in request["messages"])
        count = min(int(request.get("max_tokens", 200)), 400)
        temperature = float(request.get("temperature", 0.5))
        answer = self.model.write(prompt, count, temperature)
        message = {"role": "assistant", "content": answer}
        # a character is a token of it
        usage = {"prompt_tokens": len(prompt), "completion_tokens": len(answer)}
        choice = {"index": 0, "finish_reason": "length", "message": message}
        body = {"model": "textgenrnn-2.0.0", "choices": [choice], "usage": usage}
        content = json.dumps(body).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, format: str, *values: object) -> None:
        """Say nothing."""


def main() -> int:
    # the package itself imports what trains it
    spec = find_spec("textgenrnn")
    if spec is None or spec.origin is None:
        sys.stderr.write("textgenrnn is not installed: `deploy/model-venv FOLDER`\n")
        return 1
    Handler.model = SmallModel(Path(spec.origin).parent)
    server = HTTPServer(("127.0.0.1", 0), Handler)
    sys.stdout.write(f"http://127.0.0.1:{server.server_port}/v1\n")
    sys.stdout.flush()
    server.serve_forever()
    return 0


if __name__ == "__main__":
    sys.exit(main())
