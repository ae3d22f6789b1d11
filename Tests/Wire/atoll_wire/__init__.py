"""A client of the sync protocol, written from Format.md alone.

It needs nothing but Python's standard library, and knows nothing of the library's sources. It shows
what a client in another language needs, and whether Format.md says it. Read in this order:

- `binary`: numbers, strings and bytes; `errors`;
- `values`: what a property holds; `positions` of elements in lists;
- `piece`: names and addresses that occur again; `value_coding`;
- `operations` and `schema`: what an entry of the outbox holds;
- `digests`: of entries, and of what a device holds;
- `messages`, `message_coding`, `frames`: what is sent;
- `objects`: what a device holds; `outbox`, `subscriptions`;
- `device`: the protocol, without input and output;
- `login` and `websocket`: HTTP; `session`: a device that is connected.
"""
