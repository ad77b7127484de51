r"""Sends many requests to a server at once and checks every answer.

    python tools/load_server.py --model=exported/mine --url=http://127.0.0.1:8501 \
        --name=mine --input=FILE --requests=10000 --clients=8 --malformed=0.01

Each request is a line of the file, for `serving_default`. The same SavedModel, loaded
here, says what the answers must be: equal texts, log probabilities to 1e-4. Malformed
requests must be answered with 400. The exit status is 1 if one is lost or wrong.
"""

import argparse
import concurrent.futures
import dataclasses
import http.client
import json
import random
import sys
import time
import urllib.parse

import numpy as np

from nmt.data.text import read_lines
from nmt.serving.served_model import ServedModel

_TOLERANCE = 1e-4
_TIMEOUT = 60.0
MALFORMED = (
    b"{",
    b"\xff\xff",
    b'{"instances": []}',
    b'{"instances": [3]}',
    b'{"instances": [{"source": "a", "more": "b"}]}',
    b'{"signature_name": "no such", "instances": ["a"]}',
)

Answer = tuple[str, float]


@dataclasses.dataclass
class Tally:
    """What happened to requests.

    Attributes:
        sent: How many there were.
        malformed: How many of them were so.
        lost: Without an answer.
        wrong: With another answer than the right one.
        latencies: Seconds of each that was answered.
    """

    sent: int = 0
    malformed: int = 0
    lost: int = 0
    wrong: int = 0
    latencies: list[float] = dataclasses.field(default_factory=list)

    def __add__(self, other: "Tally") -> "Tally":
        pairs = zip(dataclasses.astuple(self), dataclasses.astuple(other), strict=True)
        return Tally(*(one + two for one, two in pairs))


def expected_answers(model: ServedModel, lines: list[str]) -> dict[str, Answer]:
    """Returns what the model itself says to each line."""
    found = model.run("serving_default", {"source": np.array(lines, object)})
    texts = [text.decode("utf-8", "replace") for text in found["text"]]
    pairs = zip(texts, found["log_prob"].tolist(), strict=True)
    return dict(zip(lines, pairs, strict=True))


def is_right(status: int, body: bytes, expected: Answer | None) -> bool:
    """Tells whether an answer is the right one; `expected` is None if malformed."""
    try:
        found = json.loads(body)
        if expected is None:
            return status == 400 and bool(found["error"])
        (row,) = found["predictions"]
        text, log_prob = expected
        apart = abs(row["log_prob"] - log_prob)
        return status == 200 and row["text"] == text and apart <= _TOLERANCE
    except (KeyError, TypeError, ValueError):
        return False


def client(
    url: str, name: str, requests: list[str | None], expected: dict[str, Answer]
) -> Tally:
    """Sends requests one after the other over one connection; None is malformed."""
    address = urllib.parse.urlsplit(url).netloc
    connection = http.client.HTTPConnection(address, timeout=_TIMEOUT)
    tally = Tally()
    for number, line in enumerate(requests):
        tally.sent += 1
        body = MALFORMED[number % len(MALFORMED)]
        if line is None:
            tally.malformed += 1
        else:
            body = json.dumps({"instances": [line]}).encode()
        start = time.perf_counter()
        try:
            connection.request("POST", f"/v1/models/{name}:predict", body)
            response = connection.getresponse()
            found = response.read()
        except (OSError, http.client.HTTPException):
            tally.lost += 1
            connection.close()
            continue
        tally.latencies.append(time.perf_counter() - start)
        right = None if line is None else expected[line]
        tally.wrong += not is_right(response.status, found, right)
    connection.close()
    return tally


def plan(lines: list[str], count: int, malformed: float) -> list[str | None]:
    """Returns the requests: lines again and again, a share of them malformed."""
    made: list[str | None] = [lines[place % len(lines)] for place in range(count)]
    for place in random.Random(1).sample(range(count), round(count * malformed)):
        made[place] = None
    return made


def report(tally: Tally, seconds: float) -> str:
    """Returns the lines to print."""
    lines = [
        f"requests {tally.sent:,}, malformed {tally.malformed:,}, lost {tally.lost:,}, "
        f"wrong {tally.wrong:,}"
    ]
    if tally.latencies:
        at = np.percentile(np.array(tally.latencies) * 1e3, [50, 90, 99, 100])
        lines.append(
            "latency ms: p50 {:.1f}, p90 {:.1f}, p99 {:.1f}, longest {:.1f}".format(*at)
        )
    well = tally.sent - tally.malformed - tally.lost
    lines.append(f"sentences/s {well / seconds:,.1f} ({seconds:.1f} s)")
    return "\n".join(lines)


def main() -> None:
    """Reads the command line, sends, compares and prints."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--model", required=True, help="folder that is served")
    parser.add_argument("--input", required=True, help="lines to translate")
    parser.add_argument("--url", default="http://127.0.0.1:8501")
    parser.add_argument("--name", default="model")
    parser.add_argument("--requests", type=int, default=10_000)
    parser.add_argument("--clients", type=int, default=8)
    parser.add_argument("--malformed", type=float, default=0.01, help="share, 0 to 1")
    flags = parser.parse_args()
    requests = plan(list(read_lines(flags.input)), flags.requests, flags.malformed)
    lines = sorted({line for line in requests if line is not None})
    expected = expected_answers(ServedModel(flags.name, flags.model), lines)
    shares = [requests[start :: flags.clients] for start in range(flags.clients)]
    start = time.perf_counter()
    with concurrent.futures.ThreadPoolExecutor(flags.clients) as pool:
        tallies = pool.map(
            lambda share: client(flags.url, flags.name, share, expected), shares
        )
        tally = sum(tallies, Tally())
    print(report(tally, time.perf_counter() - start))
    if tally.lost or tally.wrong:
        sys.exit(1)


if __name__ == "__main__":
    main()
