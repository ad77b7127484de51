"""The one error of a request."""


class RequestError(Exception):
    """A request that cannot be answered; its text goes to the client.

    Args:
        status: Of HTTP.
        message: What is wrong with it.
    """

    def __init__(self, status: int, message: str) -> None:
        super().__init__(message)
        self.status = status
