"""Serves an exported model over HTTP, with TensorFlow Serving's REST API and a page.

    pip install "nmt[serve]"
    python tools/serve.py --model=exported/mine --name=mine --port=8501

docs/serving.md tells what to send. For trying and for small loads; TensorFlow
Serving itself takes the same requests.
"""

import argparse
import sys

from nmt.errors import UserError


def parser() -> argparse.ArgumentParser:
    """Returns the command line."""
    made = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    made.add_argument("--model", required=True, help="folder that nmt-export wrote to")
    made.add_argument("--name", default="model", help="its name in addresses")
    made.add_argument("--host", default="127.0.0.1", help="address to listen at")
    made.add_argument("--port", type=int, default=8501)
    made.add_argument("--max_body_bytes", type=int, default=1 << 20)
    made.add_argument("--max_requests", type=int, default=256, help="at the same time")
    made.add_argument("--max_batch_size", type=int, default=64, help="rows run as one")
    made.add_argument("--max_wait", type=float, default=0.005, help="seconds for it")
    return made


def main() -> None:
    """Reads the command line, loads the model and serves it until interrupted."""
    flags = parser().parse_args()
    try:
        from aiohttp import web

        from nmt.serving.server import Limits, Server
    except ModuleNotFoundError as error:
        sys.exit(f'error: {error.name} is missing: pip install "nmt[serve]"')
    from nmt.serving.served_model import ServedModel

    limits = Limits(
        flags.max_body_bytes, flags.max_requests, flags.max_batch_size, flags.max_wait
    )
    try:
        server = Server(ServedModel(flags.name, flags.model), limits)
    except UserError as error:
        sys.exit(f"error: {error}")
    try:
        web.run_app(
            server.application(), host=flags.host, port=flags.port, access_log=None
        )
    except OSError as error:
        sys.exit(f"error: {flags.host}:{flags.port}: {error.strerror}")


if __name__ == "__main__":
    main()
