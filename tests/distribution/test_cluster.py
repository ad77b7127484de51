"""A process alone, and TF_CONFIGs that cannot be used; two processes are tested with
whole trainings."""

import json

import pytest
import tensorflow as tf

from nmt.distribution import Cluster
from nmt.distribution.cluster import multi_worker_strategy
from nmt.errors import UserError


def test_a_process_alone_is_the_chief_and_decides() -> None:
    cluster = Cluster()
    assert cluster.is_chief
    cluster.wait()
    assert [cluster.any(flag) for flag in (True, False)] == [True, False]
    assert cluster.of_chief(1.5) == 1.5


def test_errors_of_a_process_alone_stay_what_they_are() -> None:
    with pytest.raises(tf.errors.UnavailableError), Cluster().watch():
        raise tf.errors.UnavailableError(None, None, "gone")


def test_a_lost_process_is_one_line_and_own_faults_stay_what_they_are() -> None:
    cluster = Cluster()
    cluster.strategy = object()
    with (
        pytest.raises(UserError, match="has ended or cannot be reached") as caught,
        cluster.watch(),
    ):
        raise tf.errors.UnavailableError(None, None, "peer is down\nmore")
    assert "\n" not in str(caught.value)
    with pytest.raises(tf.errors.ResourceExhaustedError), cluster.watch():
        raise tf.errors.ResourceExhaustedError(None, None, "out of memory")


def config(kind: str = "worker", index: int = 0, **jobs: list[str]) -> str:
    cluster = jobs or {"worker": ["a:1", "b:1"]}
    return json.dumps({"cluster": cluster, "task": {"type": kind, "index": index}})


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "the environment has no TF_CONFIG"),
        ("{", "TF_CONFIG: cannot be used"),
        ("[]", "TF_CONFIG: cannot be used"),
        ('{"cluster": {"worker": ["a:1"]}}', "TF_CONFIG: cannot be used .'task'"),
        (config(index=2), "TF_CONFIG: cannot be used"),
        (config(index=-1), "TF_CONFIG: only jobs"),
        (config("ps"), "TF_CONFIG: cannot be used .'ps'"),
        (config(worker=["a:1"], ps=["b:1"]), "only jobs 'worker' and 'chief' train"),
        ('{"cluster": {"worker": "a:1"}, "task": {"type": "worker", "index": 0}}', "."),
    ],
)
def test_bad_environments_are_named(
    monkeypatch: pytest.MonkeyPatch, text: str, message: str
) -> None:
    monkeypatch.setenv("TF_CONFIG", text)
    with pytest.raises(UserError, match=message) as caught:
        multi_worker_strategy(1)
    assert "for the first of two hosts it is" in str(caught.value)
    assert "\n" not in str(caught.value)
