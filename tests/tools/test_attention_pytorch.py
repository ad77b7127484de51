import ast
import pathlib
import sys

import pytest

from tools.benchmark_attention import (
    PYTORCH,
    Sizes,
    make_batch,
    make_model,
    pytorch,
    tensorflow_updates,
)
from tools.benchmark_decoding import search_graph, tensorflow_search


def test_it_needs_nothing_but_pytorch_and_numpy() -> None:
    tree = ast.parse(pathlib.Path(PYTORCH).read_text())
    names = {
        alias.name
        for node in ast.walk(tree)
        if isinstance(node, ast.Import)
        for alias in node.names
    }
    assert names == {"sys", "time", "numpy", "torch"}


def test_losses_and_searches_come_to_the_same() -> None:
    pytest.importorskip("torch")
    sizes = Sizes(units=4, vocabulary=9, batch=5, time=6)
    model, (source, target) = make_model(sizes), make_batch(sizes)
    with pytorch(sys.executable, model, source, target, threads=1) as ask:
        for beam_size in (1, 3):
            run = tensorflow_search(search_graph(model, beam_size), source, target)
            for sentences in (1, 5):
                theirs = ask(f"search {beam_size} {sentences}").result
                assert run(sentences).result == pytest.approx(theirs, rel=1e-5)
        ours = tensorflow_updates(model, source, target)
        assert ask("update").result == pytest.approx(ours().result, rel=1e-5)
