"""The model of `benchmark_attention.py` in PyTorch, as a process that it talks to.

It is written for speed: products with inputs are taken out of the loop over target
positions, PyTorch's own LSTM runs wherever there is no attention, and the softmax is
computed at words only. It needs PyTorch and NumPy, and nothing of this project.

    python tools/attention_pytorch.py FILE.npz THREADS

FILE holds a batch and the weights, by the names they have in TensorFlow. Each line of
standard input asks for one update; the answer is its loss, processor and wall seconds.
"""

import sys
import time
from typing import Any

import numpy as np
import torch

LSTM = "lstm_0/lstm_cell"


class Model(torch.nn.Module):
    """Two LSTM layers read, two write; the lower one attends with its previous state.

    Args:
        arrays: Weights by name.
    """

    def __init__(self, arrays: Any) -> None:
        super().__init__()
        self.arrays = arrays
        self.source_table = self._table("encoder/embedding/embeddings")
        self.target_table = self._table("decoder/embedding/embeddings")
        self.encoder = self._lstm(
            ["encoder/stack/lstm_0/lstm_cell", "encoder/stack/lstm_1/lstm_cell"]
        )
        self.upper = self._lstm([f"decoder/upper/{LSTM}"])
        self.bridge = torch.nn.ModuleList(
            self._linear(f"decoder/bridge/projection_{layer}") for layer in range(2)
        )
        words = self.target_table.embedding_dim
        kernel = arrays[f"decoder/attending/lowest/{LSTM}/kernel"]
        self.of_word = self._parameter(kernel[:words].T)
        self.of_context = self._parameter(kernel[words:].T)
        lowest = arrays[f"decoder/attending/lowest/{LSTM}/recurrent_kernel"]
        self.recurrent = self._parameter(lowest.T)
        self.bias = self._parameter(arrays[f"decoder/attending/lowest/{LSTM}/bias"])
        self.query = self._parameter(
            arrays["decoder/attending/attention/query_kernel"].T
        )
        self.key = self._parameter(
            arrays["decoder/attending/attention/memory/kernel"].T
        )
        self.energy = self._parameter(
            arrays["decoder/attending/attention/energy_vector"]
        )
        self.projection = self._linear("decoder/projection")

    def loss(self, source: Any, inputs: Any, target: Any) -> Any:
        """Returns the cross entropy summed over the words, in nats."""
        lengths = (source != 0).sum(1)
        packed = torch.nn.utils.rnn.pack_padded_sequence(
            self.source_table(source), lengths, batch_first=True, enforce_sorted=False
        )
        encoded, (hidden, _) = self.encoder(packed)
        annotations, _ = torch.nn.utils.rnn.pad_packed_sequence(
            encoded, batch_first=True, total_length=source.shape[1]
        )
        start = [
            torch.tanh(layer(state)).chunk(2, dim=-1)
            for layer, state in zip(self.bridge, hidden, strict=True)
        ]
        outputs, contexts = self._attend(inputs, annotations, source != 0, start[0])
        both = torch.cat([outputs, contexts], dim=-1)
        outputs, _ = self.upper(both, tuple(part[None] for part in start[1]))
        words = target != 0
        logits = self.projection(outputs[words])
        return torch.nn.functional.cross_entropy(logits, target[words], reduction="sum")

    def _attend(self, inputs: Any, annotations: Any, mask: Any, start: Any) -> Any:
        linear = torch.nn.functional.linear
        keys = linear(annotations, self.key)
        products = linear(self.target_table(inputs), self.of_word, self.bias)
        # One product a step for the context's and the state's part of the gates.
        kernel = torch.cat([self.of_context, self.recurrent], dim=1)
        hidden, cell = start
        outputs, contexts = [], []
        for step in products.unbind(1):
            tanh = torch.tanh(keys + linear(hidden, self.query)[:, None])
            energies = (tanh @ self.energy).masked_fill(~mask, -torch.inf)
            alignments = torch.softmax(energies, dim=-1)
            context = torch.bmm(alignments[:, None], annotations)[:, 0]
            gates = step + linear(torch.cat([context, hidden], dim=-1), kernel)
            i, f, g, o = gates.chunk(4, dim=-1)
            cell = torch.sigmoid(f) * cell + torch.sigmoid(i) * torch.tanh(g)
            hidden = torch.sigmoid(o) * torch.tanh(cell)
            outputs.append(hidden)
            contexts.append(context)
        return torch.stack(outputs, 1), torch.stack(contexts, 1)

    def _parameter(self, array: np.ndarray) -> Any:
        return torch.nn.Parameter(torch.tensor(np.ascontiguousarray(array)))

    def _table(self, name: str) -> Any:
        table = torch.tensor(self.arrays[name])
        return torch.nn.Embedding.from_pretrained(table, freeze=False)

    def _linear(self, name: str) -> Any:
        kernel = self.arrays[f"{name}/kernel"]
        layer = torch.nn.Linear(*kernel.shape)
        layer.weight = self._parameter(kernel.T)
        layer.bias = self._parameter(self.arrays[f"{name}/bias"])
        return layer

    def _lstm(self, names: list[str]) -> Any:
        first = self.arrays[f"{names[0]}/kernel"]
        units = first.shape[1] // 4
        lstm = torch.nn.LSTM(first.shape[0], units, len(names), batch_first=True)
        for layer, name in enumerate(names):
            given = {
                f"weight_ih_l{layer}": self.arrays[f"{name}/kernel"].T,
                f"weight_hh_l{layer}": self.arrays[f"{name}/recurrent_kernel"].T,
                f"bias_ih_l{layer}": self.arrays[f"{name}/bias"],
                f"bias_hh_l{layer}": np.zeros_like(self.arrays[f"{name}/bias"]),
            }
            for key, array in given.items():
                setattr(lstm, key, self._parameter(array))
        return lstm


def main() -> None:
    """Builds the model and makes an update a line of standard input."""
    arrays = dict(np.load(sys.argv[1]))
    torch.set_num_threads(int(sys.argv[2]))
    model = Model(arrays)
    batch = [torch.tensor(arrays[key]).long() for key in ("source", "inputs", "target")]
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for _ in sys.stdin:
        processor, wall = time.process_time(), time.perf_counter()
        optimizer.zero_grad()
        loss = model.loss(*batch)
        tokens = (batch[2] != 0).sum()
        (loss / tokens).backward()
        optimizer.step()
        seconds = time.process_time() - processor, time.perf_counter() - wall
        print(float(loss.detach()), *seconds, flush=True)


if __name__ == "__main__":
    main()
