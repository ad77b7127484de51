"""A model with attention in PyTorch, as a process that the benchmarks talk to.

It is written for speed: products with inputs are taken out of the loop over target
positions, PyTorch's own LSTM runs wherever there is no attention, and the softmax is
computed at words only. A search repeats no memory and leaves out sentences that have
ended. It needs PyTorch and NumPy, and nothing of this project.

    python tools/attention_pytorch.py FILE.npz THREADS

FILE holds a batch and the weights, by the names they have in TensorFlow. A line of
standard input asks for one update (`update`), or for a search of the first sentences
(`search BEAM_SIZE SENTENCES`); the answer is the loss, or the sum of the best
hypotheses' log probabilities, and processor and wall seconds.
"""

import sys
import time
from typing import Any

import numpy as np
import torch

LSTM = "lstm_0/lstm_cell"

# Padding, the beginning and the end of sentence, none of which a search may write: its
# sentences are as long as FILE says.
PAD, BOS, EOS = 0, 2, 3


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
        annotations, start = self._encode(source)
        outputs, contexts = self._attend(inputs, annotations, source != 0, start[0])
        both = torch.cat([outputs, contexts], dim=-1)
        outputs, _ = self.upper(both, tuple(part[None] for part in start[1]))
        words = target != 0
        logits = self.projection(outputs[words])
        return torch.nn.functional.cross_entropy(logits, target[words], reduction="sum")

    def search(self, source: Any, limits: Any, beam_size: int) -> Any:
        """Returns the best log probability of each sentence, `limits` words long."""
        annotations, start = self._encode(source)
        memory = [annotations, annotations @ self.key.T, source != 0]
        state = [
            part.repeat_interleave(beam_size, 0) for layer in start for part in layer
        ]
        batch, longest = len(source), int(limits.max())
        ids = torch.zeros(batch, beam_size, longest, dtype=torch.long)
        log_probs = torch.full((batch, beam_size), -torch.inf)
        log_probs[:, 0] = 0
        running, previous = torch.arange(batch), torch.full((batch * beam_size,), BOS)
        for position in range(longest):
            logits, state = self._step(previous, state, memory)
            total, words = _extensions(logits, log_probs[running], beam_size)
            best, chosen = total.topk(beam_size, 1)
            parents, words = chosen // beam_size, words.gather(1, chosen)
            rows = torch.arange(len(running))[:, None]
            grown = ids[running][rows, parents]
            grown[:, :, position] = words
            ids[running], log_probs[running] = grown, best
            goes_on = limits[running] > position + 1
            rows = (rows * beam_size + parents)[goes_on].flatten()
            state, previous = [part[rows] for part in state], words[goes_on].flatten()
            if not bool(goes_on.all()):
                running = running[goes_on]
                memory = [part[goes_on] for part in memory]
        return log_probs[:, 0]

    def _step(self, previous: Any, state: list[Any], memory: list[Any]) -> Any:
        linear = torch.nn.functional.linear
        annotations, keys, mask = memory
        sentences = len(mask)
        query = linear(state[0], self.query).view(sentences, -1, 1, keys.shape[-1])
        energies = torch.tanh(keys[:, None] + query) @ self.energy
        energies = energies.masked_fill(~mask[:, None], -torch.inf)
        context = torch.bmm(torch.softmax(energies, dim=-1), annotations)
        context = context.flatten(0, 1)
        lowest = torch.cat([self.of_word, self.of_context, self.recurrent], dim=1)
        inputs = torch.cat([self.target_table(previous), context, state[0]], dim=-1)
        below = _cell(linear(inputs, lowest, self.bias), state[1])
        upper = torch.cat([self.upper.weight_ih_l0, self.upper.weight_hh_l0], dim=1)
        inputs = torch.cat([below[0], context, state[2]], dim=-1)
        above = _cell(linear(inputs, upper, self.upper.bias_ih_l0), state[3])
        return self.projection(above[0]), [*below, *above]

    def _encode(self, source: Any) -> Any:
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
        return annotations, start

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
            hidden, cell = _cell(gates, cell)
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


def _cell(gates: Any, cell: Any) -> Any:
    i, f, g, o = gates.chunk(4, dim=-1)
    cell = torch.sigmoid(f) * cell + torch.sigmoid(i) * torch.tanh(g)
    return torch.sigmoid(o) * torch.tanh(cell), cell


def _extensions(logits: Any, log_probs: Any, beam_size: int) -> Any:
    """Returns log probabilities and words of the likeliest extensions of each row."""
    log_normalizer = torch.logsumexp(logits, 1, keepdim=True)
    logits[:, [PAD, BOS, EOS]] = -torch.inf
    best, words = logits.topk(beam_size, 1)
    total = log_probs.reshape(-1, 1) + best - log_normalizer
    return (each.view(-1, beam_size * beam_size) for each in (total, words))


class Answers:
    """What is asked for, of one model and batch.

    Args:
        arrays: Weights and batch by name.
    """

    def __init__(self, arrays: Any) -> None:
        self.model = Model(arrays)
        self.source, self.inputs, self.target = (
            torch.tensor(arrays[key]).long() for key in ("source", "inputs", "target")
        )
        self.limits = (self.target != PAD).sum(1)
        self.optimizer = torch.optim.SGD(self.model.parameters(), lr=0.1)

    def update(self) -> Any:
        """Makes an update and returns its loss."""
        self.optimizer.zero_grad()
        loss = self.model.loss(self.source, self.inputs, self.target)
        (loss / self.limits.sum()).backward()
        self.optimizer.step()
        return loss.detach()

    def search(self, beam_size: str, sentences: str) -> Any:
        """Searches the first sentences, and adds up the best log probabilities."""
        count = int(sentences)
        with torch.inference_mode():
            return self.model.search(
                self.source[:count], self.limits[:count], int(beam_size)
            ).sum()


def main() -> None:
    """Answers every line of standard input."""
    answers = Answers(dict(np.load(sys.argv[1])))
    torch.set_num_threads(int(sys.argv[2]))
    for line in sys.stdin:
        name, *numbers = line.split()
        processor, wall = time.process_time(), time.perf_counter()
        result = float(getattr(answers, name)(*numbers))
        seconds = time.process_time() - processor, time.perf_counter() - wall
        print(result, *seconds, flush=True)


if __name__ == "__main__":
    main()
