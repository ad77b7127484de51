import ast
import pathlib

import pytest

from tools.benchmark_attention import (
    PYTORCH,
    Sizes,
    make_batch,
    make_model,
    pytorch_updates,
    tensorflow_updates,
)


def test_it_needs_nothing_but_pytorch_and_numpy() -> None:
    tree = ast.parse(pathlib.Path(PYTORCH).read_text())
    names = {
        alias.name
        for node in ast.walk(tree)
        if isinstance(node, ast.Import)
        for alias in node.names
    }
    assert names == {"sys", "time", "numpy", "torch"}


def test_first_losses_are_equal() -> None:
    pytest.importorskip("torch")
    import sys

    sizes = Sizes(units=4, vocabulary=9, batch=5, time=6)
    model, (source, target) = make_model(sizes), make_batch(sizes)
    with pytorch_updates(sys.executable, model, source, target, threads=1) as theirs:
        ours = tensorflow_updates(model, source, target)
        assert theirs().loss == pytest.approx(ours().loss, rel=1e-5)
