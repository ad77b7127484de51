"""Rows of requests that come at the same time, run as one."""

import collections
import concurrent.futures
import threading
import time
from collections.abc import Callable, Mapping
from typing import NamedTuple

import numpy as np

Arrays = Mapping[str, np.ndarray]
Run = Callable[[str, Arrays], Arrays]
# The signature, and the values that all rows of a batch share.
Key = tuple[str, tuple[tuple[str, object], ...]]


class _Waiting(NamedTuple):
    key: Key
    inputs: Arrays
    rows: int
    joins: bool
    since: float
    future: "concurrent.futures.Future[Arrays]"


class Batcher:
    """A thread that runs requests; those that wait together, as one batch.

    Requests of one signature with equal scalars are joined, in the order in which they
    came. Where a batch fails, each of its requests is run alone, so that nobody's error
    is another's.

    Args:
        run: From a signature's name and inputs to outputs.
        max_batch_size: Most rows of a batch; a request with more runs alone.
        max_wait: Seconds that a request waits for others.
    """

    def __init__(self, run: Run, max_batch_size: int, max_wait: float) -> None:
        self._run = run
        self._max_batch_size = max_batch_size
        self._max_wait = max_wait
        self._waiting: collections.deque[_Waiting] = collections.deque()
        self._changed = threading.Condition()
        self._is_closed = False
        self._thread = threading.Thread(target=self._loop, daemon=True)
        self._thread.start()

    def submit(
        self, signature: str, inputs: Arrays, joins: bool
    ) -> "concurrent.futures.Future[Arrays]":
        """Queues a request.

        Args:
            signature: Its name.
            inputs: By name; all but scalars have one row each for a line.
            joins: Whether it may be run together with others.
        """
        scalars = tuple(
            (name, value.item()) for name, value in inputs.items() if value.ndim == 0
        )
        sizes = {len(value) for value in inputs.values() if value.ndim}
        # Inputs of unequal size are a mistake, which the model itself tells.
        joins = joins and len(sizes) == 1
        request = _Waiting(
            (signature, scalars),
            inputs,
            max(sizes, default=1),
            joins,
            time.monotonic(),
            concurrent.futures.Future(),
        )
        with self._changed:
            if self._is_closed:
                raise RuntimeError("the batcher is closed")
            self._waiting.append(request)
            self._changed.notify()
        return request.future

    def close(self) -> None:
        """Ends the thread when all that waits is done."""
        with self._changed:
            self._is_closed = True
            self._changed.notify()
        self._thread.join()

    def _loop(self) -> None:
        while True:
            with self._changed:
                while not self._waiting and not self._is_closed:
                    self._changed.wait()
                if not self._waiting:
                    return
                batch = self._next()
            self._answer(
                [each for each in batch if each.future.set_running_or_notify_cancel()]
            )

    def _next(self) -> list[_Waiting]:
        """Takes the oldest request and those that can be joined with it."""
        first = self._waiting[0]
        if first.joins:
            until = first.since + self._max_wait
            while not self._is_closed and (left := until - time.monotonic()) > 0:
                if sum(each.rows for each in self._joined(first)) >= (
                    self._max_batch_size
                ):
                    break
                self._changed.wait(left)
        batch, rows = [first], first.rows
        for each in self._joined(first)[1:]:
            if rows + each.rows > self._max_batch_size:
                break
            batch.append(each)
            rows += each.rows
        taken = {id(each) for each in batch}
        self._waiting = collections.deque(
            each for each in self._waiting if id(each) not in taken
        )
        return batch

    def _joined(self, first: _Waiting) -> list[_Waiting]:
        if not first.joins:
            return [first]
        return [each for each in self._waiting if each.joins and each.key == first.key]

    def _answer(self, batch: list[_Waiting]) -> None:
        if len(batch) > 1:
            joined = {
                name: np.concatenate([each.inputs[name] for each in batch])
                if value.ndim
                else value
                for name, value in batch[0].inputs.items()
            }
            try:
                found = self._run(batch[0].key[0], joined)
            except Exception:
                # Whose it was is seen below.
                pass
            else:
                ends = np.cumsum([each.rows for each in batch])
                for each, end in zip(batch, ends, strict=True):
                    rows = slice(end - each.rows, end)
                    each.future.set_result(
                        {name: value[rows] for name, value in found.items()}
                    )
                return
        for each in batch:
            try:
                each.future.set_result(self._run(each.key[0], each.inputs))
            except Exception as error:
                each.future.set_exception(error)
