"""What all binaries share: their flags, their help, and how they end."""

import importlib
import inspect
import logging
import os
import re
import signal
import sys
from collections.abc import Callable
from typing import Any

import absl.app
import absl.logging
from absl import flags

from nmt.errors import UserError

_STANDARD_ERROR = 2
_HELP_FLAGS = {"-h", "-help", "--help", "-helpfull", "--helpfull"}
# As a shell reports a program that ended by this signal: 128 + its number.
_INTERRUPTED = 130
_CLOSED_PIPE = 141
_TERMINATED = 143


def run(
    main: Callable[[flags.FlagValues], None],
    define_flags: Callable[[flags.FlagValues], None],
) -> None:
    """Parses the command line, calls `main` with the flags and exits.

    What the user can mend (a bad flag, `UserError`, a file system that refuses) is one
    line on standard error and exit status 1; everything else keeps its traceback. A
    reader that closes the pipe, control-C and SIGTERM end the program without a word.

    TensorFlow is imported just before `main`, which imports what needs it: `--help` and
    a bad flag then answer at once. Set TF_CPP_MIN_LOG_LEVEL=0 to see its own notes.

    Args:
        main: The binary; its module's docstring is the first part of the help.
        define_flags: Adds the binary's flags to the values it is given. They are not
            absl's global ones, in which equal names of two binaries would collide.

    Raises:
        SystemExit: always.
    """
    os.environ["KERAS_BACKEND"] = "tensorflow"
    handler = absl.logging.get_absl_handler()
    handler.setFormatter(
        logging.Formatter("%(asctime)s %(levelname)s: %(message)s", "%H:%M:%S")
    )
    handler.addFilter(_is_for_users)

    def parse(arguments: list[str]) -> flags.FlagValues:
        if _HELP_FLAGS.intersection(arguments):
            sys.stdout.write(_help(main, define_flags))
            sys.exit(0)
        values = _parse(arguments, define_flags)
        _import_tensorflow()
        return values

    # What schedulers send: temporary files are removed on the way out.
    signal.signal(signal.SIGTERM, _terminate)
    try:
        absl.app.run(main, flags_parser=parse)
    except BrokenPipeError:
        # What is left in the buffer would fail again when Python flushes it at the end.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(_CLOSED_PIPE)
    except KeyboardInterrupt:
        sys.exit(_INTERRUPTED)
    except (UserError, OSError) as error:
        sys.stderr.write(f"error: {_one_line(error)}\n")
        sys.exit(1)


def named(values: flags.FlagValues, names: str) -> dict[str, Any]:
    """Returns the values of flags by their names, which what is asked for has, too.

    Args:
        values: All flags.
        names: Those wanted, white space between.
    """
    return {name: values[name].value for name in names.split()}


def numbers(values: flags.FlagValues, name: str) -> tuple[float, ...]:
    """Returns the values of a list flag as numbers.

    Raises:
        UserError: one is no number.
    """
    try:
        return tuple(float(text) for text in values[name].value or ())
    except ValueError as error:
        raise UserError(f"{name}: {error}") from error


def _terminate(number: int, frame: object) -> None:
    sys.exit(_TERMINATED)


def _parse(
    arguments: list[str], define_flags: Callable[[flags.FlagValues], None]
) -> flags.FlagValues:
    values = flags.FlagValues()  # type: ignore[no-untyped-call]
    values.append_flag_values(flags.FLAGS)  # --verbosity and absl's other own ones
    try:
        define_flags(values)
        _, *others = values(arguments)
    # ml_collections loads a config while it defines or parses its flag, and has no
    # exception of its own for an unknown setting or a file that is no config.
    except (flags.Error, LookupError, AttributeError, TypeError, ValueError) as error:
        raise UserError(f"{_one_line(error)}; see --help") from error
    except SyntaxError as error:
        raise UserError(f"{error.filename}:{error.lineno}: {error.msg}") from error
    if others:
        raise UserError(f"unexpected argument {others[0]!r}; see --help")
    flags.FLAGS.mark_as_parsed()
    return values


def _is_for_users(record: logging.LogRecord) -> bool:
    """Tells TensorFlow's notes on its own work from all other lines of the log."""
    own = "/tensorflow/python/" not in record.pathname
    return own or record.levelno >= logging.WARNING


def _import_tensorflow() -> None:
    # On machines without a GPU its C++ part writes notes and errors to standard error:
    # some while it is imported, which no setting turns off, and some later.
    if "TF_CPP_MIN_LOG_LEVEL" in os.environ or "tensorflow" in sys.modules:
        return
    os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
    sys.stderr.flush()
    standard_error = os.dup(_STANDARD_ERROR)
    try:
        with open(os.devnull, "wb") as nowhere:
            os.dup2(nowhere.fileno(), _STANDARD_ERROR)
        importlib.import_module("tensorflow")
    finally:
        os.dup2(standard_error, _STANDARD_ERROR)
        os.close(standard_error)


def _help(
    main: Callable[[flags.FlagValues], None],
    define_flags: Callable[[flags.FlagValues], None],
) -> str:
    values = flags.FlagValues()  # type: ignore[no-untyped-call]
    define_flags(values)
    about = inspect.getdoc(sys.modules[main.__module__]) or ""
    # Without the headings, which name the module that defines the flags.
    listed = re.sub(r"(?m)^\S+:\n", "", values.get_help(include_special_flags=False))
    return f"{about}\n{listed}\n"


def _one_line(error: Exception) -> str:
    # KeyError would quote its message, and the messages that ml_collections makes of a
    # traceback end in what went wrong.
    message = error.args[0] if isinstance(error, KeyError) else error
    unknown = re.search(r"Field (\w+) not found on dataclass .*\.(\w+)'", str(message))
    if unknown:
        return f"{unknown[2]} has no setting {unknown[1]!r}; nmt/config.py has them all"
    return str(message).strip().split("\n")[-1].strip().removesuffix(".")
