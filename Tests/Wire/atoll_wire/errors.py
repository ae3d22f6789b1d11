"""What may go wrong, with what to do about it."""


class WireError(Exception):
    """Any error of this client."""


class Malformed(WireError):
    """Bytes that Format.md does not allow."""


class ProtocolError(WireError):
    """A message that is well-formed but has no place where it came."""


class Disconnected(WireError):
    """The connection has ended: connect again.

    `code` is the status code of the WebSocket, None if the other end just went away.
    """

    def __init__(self, message, code=None):
        super().__init__(message)
        self.code = code


class Refused(WireError):
    """An answer of HTTP from 400 on: its status, the code of its body, the seconds to wait."""

    def __init__(self, status, code, message, retry_after=None):
        super().__init__(f"{status} {code}: {message}")
        self.status = status
        self.code = code
        self.retry_after = retry_after


class Timeout(WireError):
    """What was waited for has not happened in time."""
