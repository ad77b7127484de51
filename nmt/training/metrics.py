"""The figures of a training, for people, programs and TensorBoard."""

import json
import pathlib
from types import TracebackType
from typing import Any

import tensorflow as tf

from nmt.data.text import replace_file

# What makes TensorBoard plot a value. `tf.summary.scalar` would do the same, but needs
# the whole of TensorBoard on the machine that trains.
_SCALAR = tf.compat.v1.SummaryMetadata(
    plugin_data=tf.compat.v1.SummaryMetadata.PluginData(plugin_name="scalars")
)


class MetricsLog:
    """Writes figures to `metrics.jsonl` and to TensorBoard events.

    Each line of the file is one JSON object with `kind`, `update` and figures. What a
    stopped run logged after the checkpoint that the new one starts from is dropped, so
    that every update stands in the file once.

    Args:
        path: The file.
        events: Folder of the TensorBoard events.
        update: The update from which this run goes on.
    """

    def __init__(self, path: pathlib.Path, events: pathlib.Path, update: int) -> None:
        if path.exists():
            lines = path.read_text(encoding="utf-8").split("\n")
            kept = [line for line in lines if _belongs(line, update)]
            replace_file(path, "".join(f"{line}\n" for line in kept))
        self._file = path.open("a", encoding="utf-8")
        self._writer = tf.summary.create_file_writer(str(events))

    def write(self, kind: str, update: int, **figures: Any) -> None:
        """Adds one line; numbers go to TensorBoard as `kind/name` too."""
        record = {"kind": kind, "update": update, **figures}
        self._file.write(json.dumps(record, ensure_ascii=False) + "\n")
        self._file.flush()
        with self._writer.as_default(step=update):
            for name, value in figures.items():
                if isinstance(value, int | float):
                    tf.summary.write(
                        f"{kind}/{name}",
                        tf.constant(value, tf.float32),
                        metadata=_SCALAR,
                    )

    def __enter__(self) -> "MetricsLog":
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._file.close()
        self._writer.close()


def _belongs(line: str, update: int) -> bool:
    try:
        return bool(json.loads(line)["update"] <= update)
    except (json.JSONDecodeError, KeyError, TypeError):
        # The last line of a killed run may be cut.
        return False
