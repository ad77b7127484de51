"""What the load test counts, and that it can tell right from wrong."""

import json
import pathlib

import load_server
import pytest

from nmt.serving.served_model import ServedModel
from tests.serving import served


def body(text: str, log_prob: float) -> bytes:
    return json.dumps({"predictions": [{"text": text, "log_prob": log_prob}]}).encode()


def test_right_and_wrong_answers() -> None:
    expected = ("a", -1.0)
    assert load_server.is_right(200, body("a", -1.00005), expected)
    assert not load_server.is_right(200, body("b", -1.0), expected)
    assert not load_server.is_right(200, body("a", -1.001), expected)
    assert not load_server.is_right(500, body("a", -1.0), expected)
    for odd in (b"", b"{}", b"[]", b'{"predictions": []}'):
        assert not load_server.is_right(200, odd, expected)
    assert load_server.is_right(400, b'{"error": "x"}', None)
    assert not load_server.is_right(200, b'{"error": "x"}', None)
    assert not load_server.is_right(400, b"gone", None)


def test_the_plan_has_the_share_that_is_malformed() -> None:
    made = load_server.plan(["a", "b", "c"], 200, 0.1)
    assert (len(made), made.count(None)) == (200, 20)
    assert {*made} == {"a", "b", "c", None}


def test_a_server_is_loaded_and_its_answers_compared(tmp_path: pathlib.Path) -> None:
    pytest.importorskip("aiohttp", reason="the extra `serve` is not installed")
    served.save(tmp_path)
    lines = ["one", "two lines", "\u00e4"]
    model = ServedModel("shout", str(tmp_path))
    expected = load_server.expected_answers(model, lines)
    requests = load_server.plan(lines, 30, 0.4)
    with served.running(tmp_path) as url:
        tally = load_server.client(url, "shout", requests, expected)
        wrong = {
            line: (text + "?", number) for line, (text, number) in expected.items()
        }
        other = load_server.client(url, "shout", requests[:5], wrong)
    assert (tally.sent, tally.malformed, tally.lost, tally.wrong) == (30, 12, 0, 0)
    assert len(tally.latencies) == 30
    assert other.wrong == 5 - other.malformed > 0
    nobody = load_server.client(url, "shout", requests[:2], expected)
    assert (nobody.sent, nobody.lost) == (2, 2)
    both = load_server.report(tally + nobody, 2.0)
    assert both.startswith("requests 32, malformed ")
    assert "lost 2, wrong 0" in both
