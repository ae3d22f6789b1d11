"""Frames: a message, or a part of one (Format.md, "Sync messages")."""

from .errors import Malformed
from .message_coding import decode, encode, kinds_with_parts

FRAME_LIMIT = 262144
HEAD = 2


def split(message):
    """Returns the frames of a message."""
    kind, body = encode(message)
    return split_body(kind, body)


def split_body(kind, body):
    """Returns the frames of a body; all but the last are full."""
    room = FRAME_LIMIT - HEAD
    starts = range(0, max(len(body), 1), room)
    return [
        bytes([kind, 1 if start + room < len(body) else 0]) + body[start : start + room]
        for start in starts
    ]


class Assembler:
    """Makes messages of frames."""

    def __init__(self):
        self.kind = None
        self.body = bytearray()

    def add(self, frame):
        """Returns the message that a frame completes; None for a part, and for what is skipped."""
        if not HEAD <= len(frame) <= FRAME_LIMIT or frame[1] > 1:
            raise Malformed(f"frame of {len(frame)} bytes")
        kind, has_more = frame[0], frame[1] == 1
        if self.kind is None and not has_more:
            return decode(kind, frame[HEAD:])
        if has_more and len(frame) < FRAME_LIMIT:
            raise Malformed("a part that does not fill its frame")
        if self.kind is None:
            self.kind = kind
        elif kind != self.kind:
            # Messages without parts stand between the parts of one.
            if has_more or kind in kinds_with_parts():
                raise Malformed(f"kind {kind} between parts of kind {self.kind}")
            return decode(kind, frame[HEAD:])
        self.body += frame[HEAD:]
        if has_more:
            return None
        body, self.kind, self.body = bytes(self.body), None, bytearray()
        return decode(kind, body)
