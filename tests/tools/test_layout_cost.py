"""Costs of layouts: by hand where they are small, within bounds where they are not."""

import pytest
from layout_cost import (
    FREE,
    Layout,
    Link,
    all_reduce_seconds,
    cost,
    update_tasks,
    usual_layout,
)
from stage_times import Machine, Sizes, StageTimes, computed_times

PAPER = Sizes()
TIMES = computed_times(PAPER, Machine(1e12, 288e9, 5e-5))
LINK, NETWORK = Link(10e9, 2e-5), Link(1.25e9, 5e-5)
# Two steps a side, two layers; forward takes 1 a step, backward 2.
SMALL = Sizes(batch=1, source_words=1, target_words=1, width=1, layers=2, vocabulary=4)
UNITS = StageTimes(1.0, 2.0, 3.0, 6.0, layer_update=0.5, softmax_update=4.0)


def total(layout: Layout, link: Link = FREE) -> float:
    return cost(layout, SMALL, UNITS, link, FREE).total


def test_one_device_does_it_all_one_after_the_other() -> None:
    # 2 sides x 2 layers x 2 steps x 3, softmax 2 x 9, updates 2 x 0.5 + 4.
    assert total(Layout((0, 0), (0,))) == 24 + 18 + 5


def test_whole_sequences_overlap_only_where_encoder_meets_decoder() -> None:
    # Encoder 0 2, 1 4; decoder 0 2-4, 1 4-6; softmax on two devices 6-15; backward:
    # decoder 1 15-19, 0 19-23, encoder 1 19-23, 0 23-27; update 2 on the slices.
    assert total(Layout((0, 1), (2, 3))) == 29.0


def test_chunks_of_one_step_by_hand() -> None:
    # Layer 0 0-4, layer 1 1-5, softmax 5-14, layer 1 14-22, layer 0 16-24, update 2.
    assert total(Layout((0, 1), (2, 3), 1)) == 26.0


def test_a_softmax_in_chunks_begins_earlier() -> None:
    # Decoder 1 ends its chunks at 4 and 5; each takes a slice 4.5: 4-13. The rest as
    # without: its last chunk, with which the backward pass begins, ends last.
    assert total(Layout((0, 1), (2, 3), 1, softmax_in_chunks=True)) == 25.0


def test_transfers_are_counted_where_devices_differ() -> None:
    link = Link(float("inf"), 0.25)
    assert total(Layout((0, 0), (0,)), link) == total(Layout((0, 0), (0,)))
    found = cost(Layout((0, 1), (2, 3), 1), SMALL, UNITS, link, FREE)
    # Layer 0 to 1, to the softmax, the normaliser, back to layer 1, to layer 0, norm.
    assert found.transfers == pytest.approx(6 * 0.25)
    assert found.total == pytest.approx(26.0 + 6 * 0.25)


def test_launches_are_paid_by_every_task() -> None:
    layout = Layout((0, 0), (0,))
    slow = StageTimes(0, 0, 0, 0, launch=1.0)
    assert len(update_tasks(layout, SMALL, slow, FREE)) == 8 + 2 + 3
    assert cost(layout, SMALL, slow, FREE, FREE).total == 13.0


def test_all_reduce_by_hand() -> None:
    link, network = Link(1.0, 10.0), Link(2.0, 100.0)
    both = Layout((0, 1), (2,), replicas=2, hosts=1)
    # Heaviest device: 2 sides x 8 weights x 4 bytes; rows of 2 words x 4 bytes.
    assert all_reduce_seconds(both, SMALL, link, network) == 64 + 8 + 2 * 10
    hosts = both._replace(hosts=2)
    # All weights of the replica: 2 x 64 + 16 bytes.
    assert all_reduce_seconds(hosts, SMALL, link, network) == (144 + 8) / 2 + 2 * 100
    assert all_reduce_seconds(both._replace(replicas=1), SMALL, link, network) == 0.0


@pytest.mark.parametrize("devices", [1, 2, 3, 4, 6, 8, 16])
@pytest.mark.parametrize("chunk", [0, 1, 7])
def test_bounds(devices: int, chunk: int) -> None:
    one = cost(usual_layout(1, 4, 0), PAPER, TIMES, LINK, NETWORK)
    layout = usual_layout(devices, 4, chunk)
    assert layout.devices == devices
    found = cost(layout, PAPER, TIMES, LINK, NETWORK)
    assert found.words_per_second <= devices * one.words_per_second * (1 + 1e-9)
    parts = [found.compute, found.waiting, found.transfers, found.all_reduce]
    assert sum(parts) == pytest.approx(found.total)
    assert min(parts) >= -1e-12
    ideal = cost(layout, PAPER, TIMES, FREE, FREE)
    assert ideal.total <= found.total


def test_layers_wait_for_each_other_without_chunks() -> None:
    found = cost(usual_layout(8, 4, 0), PAPER, TIMES, FREE, FREE)
    spans = {span.task.name: span for span in found.spans}
    for layer in range(1, 4):
        below = spans[f"encoder.{layer - 1}.0"]
        assert spans[f"encoder.{layer}.0"].start == pytest.approx(below.end)


def test_every_device_of_a_replica_has_its_share() -> None:
    assert usual_layout(8, 4, 5) == Layout((0, 1, 2, 3), (4, 5, 6, 7), 5)
    assert usual_layout(16, 4, 5).shards == tuple(range(4, 16))
    assert usual_layout(3, 4, 5)[:2] == ((0, 0, 0, 0), (1, 2))


def test_replicas_without_an_all_reduce_would_be_ideal() -> None:
    eight = usual_layout(8, 4, 5)
    one = cost(eight, PAPER, TIMES, LINK, NETWORK)
    four = cost(eight._replace(replicas=4, hosts=4), PAPER, TIMES, LINK, NETWORK)
    free = cost(eight._replace(replicas=4, hosts=4), PAPER, TIMES, LINK, FREE)
    assert four.words_per_second < 4 * one.words_per_second
    assert free.words_per_second == pytest.approx(4 * one.words_per_second)
