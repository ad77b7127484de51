"""Answers over HTTP, the bad ones too, and what people see."""

import concurrent.futures
import http.client
import json
import pathlib
import shutil
import socket
import subprocess
import urllib.parse
from collections.abc import Iterator

import pytest

from tests.serving import served

pytest.importorskip("aiohttp", reason="the extra `serve` is not installed")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> pathlib.Path:
    return served.save(tmp_path_factory.mktemp("exported"), 3)


@pytest.fixture(scope="module")
def url(folder: pathlib.Path) -> Iterator[str]:
    with served.running(folder, max_body_bytes=10_000) as url:
        yield url


def ask(
    url: str, path: str, body: object = None, method: str = "POST"
) -> tuple[int, dict[str, object]]:
    if not isinstance(body, bytes | None):
        body = json.dumps(body).encode()
    connection = http.client.HTTPConnection(
        urllib.parse.urlsplit(url).netloc, timeout=30
    )
    connection.request(method, path, body)
    response = connection.getresponse()
    found = response.read()
    connection.close()
    assert response.headers["Content-Type"].startswith("application/json")
    return response.status, json.loads(found)


PREDICT = "/v1/models/shout:predict"


def test_rows_and_columns(url: str) -> None:
    body: dict[str, object] = {"instances": ["\u00e4b", ""]}
    rows = [{"text": "\u00e4B", "log_prob": -0.3}, {"text": "", "log_prob": 0.0}]
    for path in (PREDICT, "/v1/models/shout/versions/3:predict"):
        status, found = ask(url, path, body)
        assert status == 200
        assert [row["text"] for row in found["predictions"]] == [
            row["text"] for row in rows
        ]
        assert found["predictions"][0]["log_prob"] == pytest.approx(-0.3)
    body = {"signature_name": "align", "inputs": {"source": ["a"], "target": ["b"]}}
    status, found = ask(url, PREDICT, body)
    assert (status, found["outputs"]["alignments"]) == (200, [[[1, 0], [0, 1]]])


def test_status_and_metadata(url: str) -> None:
    for path in ("/v1/models/shout", "/v1/models/shout/versions/3"):
        status, found = ask(url, path, method="GET")
        assert status == 200
        assert found["model_version_status"][0]["state"] == "AVAILABLE"
        status, found = ask(url, path + "/metadata", method="GET")
        assert (status, found["model_spec"]["name"]) == (200, "shout")


@pytest.mark.parametrize(
    ("path", "body", "method", "status"),
    [
        (PREDICT, b"{", "POST", 400),
        (PREDICT, b"", "POST", 400),
        (PREDICT, {"instances": ["fail"]}, "POST", 400),
        (PREDICT, {"instances": ["a"], "signature_name": "x"}, "POST", 400),
        (
            PREDICT,
            {"signature_name": "align", "inputs": {"source": ["a"], "target": []}},
            "POST",
            400,
        ),
        (PREDICT, {"instances": ["a" * 10_001]}, "POST", 413),
        (PREDICT, None, "GET", 400),
        ("/v1/models/shout", {}, "POST", 400),
        ("/v1/models/shout:classify", {}, "POST", 400),
        ("/v1/models/other:predict", {"instances": ["a"]}, "POST", 404),
        ("/v1/models/shout/versions/4:predict", {"instances": ["a"]}, "POST", 404),
        ("/v1/models/other", None, "GET", 404),
        ("/favicon.ico", None, "GET", 404),
    ],
)
def test_what_is_refused_and_survived(
    url: str, path: str, body: object, method: str, status: int
) -> None:
    found, answer = ask(url, path, body, method)
    assert found == status
    assert list(answer) == ["error"]
    assert answer["error"]
    assert ask(url, PREDICT, {"instances": ["a"]})[0] == 200


def test_many_at_once_and_one_that_fails(url: str) -> None:
    lines = [f"line {number}" for number in range(60)] + ["fail"]
    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        answers = list(
            pool.map(lambda line: ask(url, PREDICT, {"instances": [line]}), lines)
        )
    texts = [found["predictions"][0]["text"] for _, found in answers[:-1]]
    assert texts == [line.upper() for line in lines[:-1]]
    assert answers[-1][0] == 400


def test_slow_bodies_and_too_many_requests(folder: pathlib.Path) -> None:
    with served.running(folder, max_requests=1, body_timeout=2.0) as url:
        address = urllib.parse.urlsplit(url)
        head = f"POST {PREDICT} HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\n"
        with socket.create_connection((address.hostname, address.port), 30) as slow:
            slow.sendall(head.encode())
            codes = set()
            # Until the server has read the head of the first one.
            while 503 not in codes:
                codes.add(ask(url, PREDICT, {"instances": ["a"]})[0])
            assert slow.recv(100).startswith(b"HTTP/1.1 408")
        assert codes <= {200, 503}
        assert ask(url, PREDICT, {"instances": ["a"]})[0] == 200


CHROMIUM = shutil.which("chromium") or shutil.which("google-chrome")


@pytest.mark.skipif(CHROMIUM is None, reason="no Chromium on this machine")
def test_the_page_in_a_browser(url: str, tmp_path: pathlib.Path) -> None:
    switches = (
        "--headless --no-sandbox --disable-gpu --disable-quic --no-first-run "
        "--disable-background-networking --disable-component-update --disable-sync "
        "--virtual-time-budget=8000 --dump-dom"
    )
    found = subprocess.run(
        [
            str(CHROMIUM),
            *switches.split(),
            f"--user-data-dir={tmp_path}",
            url + "/?q=" + urllib.parse.quote("<b>dog</b> runs -Infinity"),
        ],
        capture_output=True,
        text=True,
        check=True,
        timeout=100,
    ).stdout
    best = "&lt;B&gt;DOG&lt;/B&gt; RUNS -INFINITY"
    assert f'<p id="translation">{best}</p>' in found
    table = found[found.index('<table id="list">') : found.index("<h2>Alignment")]
    assert table.count("<tr>") == 3
    assert f"<td>{best}</td><td>-2.500</td><td>-2.500</td>" in table
    assert "<td>&lt;b&gt;dog&lt;/b&gt; runs -Infinity</td><td>-5.000</td>" in table
    heat = found[found.index('<table id="heat">') :]
    assert heat.count("<th>(end)</th>") == 2
    assert heat.count('title="1.000"') == 4
    assert heat.count('title="0.000"') == 12
    assert '<p id="error" role="alert"></p>' in found
