"""TensorFlow Serving's REST API over HTTP, and a page for people."""

import asyncio
import dataclasses
import json
import pathlib
import re
from collections.abc import Awaitable, Callable
from typing import Any

import numpy as np
from absl import logging
from aiohttp import web

from nmt.serving.batcher import Batcher
from nmt.serving.errors import RequestError
from nmt.serving.json_tensors import answer, read_request
from nmt.serving.served_model import ServedModel

_PREDICT = re.compile(r"(?i)/v1/models/([^/:]+)(?:/versions/(\d+))?:predict")
_STATUS = re.compile(r"(?i)/v1/models/([^/:]+)(?:/versions/(\d+))?(/metadata)?")
_PAGE = pathlib.Path(__file__).with_name("page.html")

Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]


@dataclasses.dataclass(frozen=True)
class Limits:
    """What clients may ask of a server.

    Attributes:
        max_body_bytes: Of a request; more is refused with 413.
        max_requests: At the same time; more are refused with 503.
        max_batch_size: Most rows of several requests that are run as one.
        max_wait: Seconds that a request waits for others.
        body_timeout: Seconds in which a request's body must have come, or it is 408.
    """

    max_body_bytes: int = 1 << 20
    max_requests: int = 256
    max_batch_size: int = 64
    max_wait: float = 0.005
    body_timeout: float = 30.0


class Server:
    """Answers the requests for one model.

    Args:
        model: What is served.
        limits: What clients may ask for.
    """

    def __init__(self, model: ServedModel, limits: Limits) -> None:
        self._model = model
        self._limits = limits
        self._requests = 0
        self._batcher = Batcher(model.run, limits.max_batch_size, limits.max_wait)

    def application(self) -> web.Application:
        """Returns what `aiohttp.web` runs; it closes the server when it ends."""
        found = web.Application(
            client_max_size=self._limits.max_body_bytes, middlewares=[_errors]
        )
        found.router.add_get("/", self._page)
        found.router.add_route("*", "/{path:.*}", self._api)
        found.on_cleanup.append(self._close)
        return found

    async def _close(self, _: web.Application) -> None:
        await asyncio.to_thread(self._batcher.close)

    async def _page(self, _: web.Request) -> web.Response:
        text = _PAGE.read_text(encoding="utf-8")
        name = json.dumps(self._model.name).replace("<", "\\u003c")
        return web.Response(
            text=text.replace('"MODEL"', name), content_type="text/html"
        )

    async def _api(self, request: web.Request) -> web.Response:
        if request.method == "POST" and (match := _PREDICT.fullmatch(request.path)):
            self._check(match[1], match[2])
            return await self._predict(request)
        if request.method == "GET" and (match := _STATUS.fullmatch(request.path)):
            self._check(match[1], match[2])
            model = self._model
            return web.json_response(model.metadata() if match[3] else model.status())
        if not request.path.lower().startswith("/v1/"):
            raise RequestError(404, "Not Found")
        raise RequestError(400, f"Malformed request: {request.method} {request.path}")

    def _check(self, name: str, version: str | None) -> None:
        if name == self._model.name and version in (None, str(self._model.version)):
            return
        wanted = f"Specific({name}, {version})" if version else f"Latest({name})"
        raise RequestError(404, f"Servable not found for request: {wanted}")

    async def _predict(self, request: web.Request) -> web.Response:
        if self._requests >= self._limits.max_requests:
            raise RequestError(503, "too many requests at the same time: try again")
        self._requests += 1
        try:
            body = await asyncio.wait_for(request.read(), self._limits.body_timeout)
            asked = read_request(body, lambda name: self._model.signature(name).inputs)
            signature = self._model.signature(asked.signature)
            found = await asyncio.wrap_future(
                self._batcher.submit(
                    asked.signature, asked.inputs, signature.joins_rows
                )
            )
            return web.json_response(_by_name(found, asked.is_rows))
        except asyncio.TimeoutError as error:
            raise RequestError(408, "the body did not come in time") from error
        finally:
            self._requests -= 1


def _by_name(found: Any, is_rows: bool) -> dict[str, Any]:
    return answer({name: np.asarray(value) for name, value in found.items()}, is_rows)


@web.middleware
async def _errors(request: web.Request, handler: Handler) -> web.StreamResponse:
    """Turns every error into TensorFlow Serving's JSON; the server lives on."""
    try:
        return await handler(request)
    except RequestError as error:
        status, message = error.status, str(error)
    except web.HTTPException as error:
        status, message = error.status, error.text or error.reason
    except Exception:
        logging.exception("%s %s", request.method, request.path)
        status, message = 500, "internal error: see the server's log"
    return web.json_response({"error": message}, status=status)
