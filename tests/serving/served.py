"""A small model behind a running server, for tests."""

import asyncio
import contextlib
import pathlib
import threading
from collections.abc import Iterator

import tensorflow as tf

TOKENS = tf.TensorSpec([None], tf.string)


class Shouter(tf.Module):
    """Speaks like a translation model, in capitals; the line `fail` is an error."""

    @tf.function(input_signature=[TOKENS])
    def serving_default(self, source: tf.Tensor) -> dict[str, tf.Tensor]:
        bad = tf.reduce_any(source == "fail")
        tf.debugging.Assert(tf.logical_not(bad), ["no such line"])
        lengths = tf.strings.length(source)
        return {
            "text": tf.strings.upper(source),
            "log_prob": -0.1 * tf.cast(lengths, tf.float32),
        }

    @tf.function(input_signature=[TOKENS])
    def n_best(self, source: tf.Tensor) -> dict[str, tf.Tensor]:
        found = self.serving_default(source)
        texts = tf.stack([found["text"], source, tf.zeros_like(source)], axis=1)
        none = tf.fill([tf.size(source)], -float("inf"))
        numbers = tf.stack([found["log_prob"], 2 * found["log_prob"], none], axis=1)
        return {
            "texts": tf.ensure_shape(texts, [None, 3]),
            "log_probs": tf.ensure_shape(numbers, [None, 3]),
            "scores": tf.ensure_shape(numbers, [None, 3]),
        }

    @tf.function(input_signature=[TOKENS, TOKENS])
    def align(self, source: tf.Tensor, target: tf.Tensor) -> dict[str, tf.Tensor]:
        ends = tf.fill([tf.size(source), 1], "")
        sides = [
            tf.concat([tf.strings.split(each), ends], axis=1).to_tensor()
            for each in (source, target)
        ]
        sizes = [tf.shape(each)[1] for each in sides]
        rows = tf.eye(sizes[1], sizes[0], batch_shape=[tf.size(source)])
        return {
            "alignments": rows,
            "source_tokens": sides[0],
            "target_tokens": sides[1],
        }


def save(folder: pathlib.Path, version: int = 1) -> pathlib.Path:
    module = Shouter()
    signatures = {
        name: getattr(module, name).get_concrete_function()
        for name in ("serving_default", "n_best", "align")
    }
    path = folder / str(version)
    tf.saved_model.save(module, str(path), signatures=signatures)
    return path


@contextlib.contextmanager
def running(folder: pathlib.Path, **limits: float) -> Iterator[str]:
    """Serves a folder as `shout`; gives the server's address."""
    from aiohttp import web

    from nmt.serving.served_model import ServedModel
    from nmt.serving.server import Limits, Server

    server = Server(ServedModel("shout", str(folder)), Limits(**limits))
    loop = asyncio.new_event_loop()

    async def start() -> tuple[web.AppRunner, int]:
        runner = web.AppRunner(server.application())
        await runner.setup()
        site = web.TCPSite(runner, "127.0.0.1", 0)
        await site.start()
        return runner, runner.addresses[0][1]

    runner, port = loop.run_until_complete(start())
    thread = threading.Thread(target=loop.run_forever)
    thread.start()
    try:
        yield f"http://127.0.0.1:{port}"
    finally:
        asyncio.run_coroutine_threadsafe(runner.cleanup(), loop).result(20)
        loop.call_soon_threadsafe(loop.stop)
        thread.join()
        loop.close()
