"""The one exception that a user is meant to read."""


class UserError(Exception):
    """Bad input, named in one line: what is wrong, where, and how to mend it.

    The binaries print the message without a traceback and exit with status 1.

    Example:
        >>> raise UserError("train.en:7: invalid UTF-8; convert the file to UTF-8")
        Traceback (most recent call last):
        ...
        nmt.errors.UserError: train.en:7: invalid UTF-8; convert the file to UTF-8
    """
