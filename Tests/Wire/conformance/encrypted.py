"""A proxy that terminates TLS before the server, as Format.md leaves it to one."""

import socket
import ssl
import subprocess
import threading

from atoll_wire.login import Server
from .check import check, expect_digests, expect_equal, meet, notes, write

CERTIFICATE = [
    "openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1",
    "-nodes", "-days", "2", "-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost",
]


class Proxy:
    """Takes TLS connections on a port of its own, and forwards what is in them."""

    def __init__(self, folder, port):
        key, self.certificate = folder / "proxy.key", folder / "proxy.pem"
        files = ["-keyout", str(key), "-out", str(self.certificate)]
        subprocess.run(CERTIFICATE + files, check=True, capture_output=True)
        self.context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        self.context.load_cert_chain(self.certificate, key)
        self.target = port
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        while True:
            plain, _ = self.listener.accept()
            threading.Thread(target=self.serve, args=(plain,), daemon=True).start()

    def serve(self, plain):
        """Forwards what comes from both sides, in turn: one thread may use a TLS connection."""
        inside = socket.create_connection(("127.0.0.1", self.target))
        with inside, self.context.wrap_socket(plain, server_side=True) as outside:
            for each in (inside, outside):
                each.settimeout(0.01)
            while forward(outside, inside) and forward(inside, outside):
                pass


def forward(source, target):
    """Forwards what has come; returns whether the connection goes on."""
    try:
        data = source.recv(1 << 16)
    except TimeoutError:
        return True
    except OSError:
        return False
    target.settimeout(60)
    target.sendall(data)
    target.settimeout(0.01)
    return bool(data)


@check
def tls_is_a_proxys(world):
    """A device behind a proxy with TLS logs in, writes and receives like any other."""
    plain = world.server()
    proxy = Proxy(world.shared.folder, plain.port)
    context = ssl.create_default_context(cafile=str(proxy.certificate))
    log_in = Server("localhost", proxy.port, plain.app, tls=context).log_in()
    one, other = world.connect(log_in, notes()), world.connect(log_in, notes())
    with write(one) as writing:
        blob = bytes(700_000)
        note = writing.create("Note", f"tls {log_in.user}", owner=log_in.user, blob=blob)
    meet(other)
    expect_equal(other.device.objects[note].values["blob"] == blob, True, "the data are equal")
    expect_digests(other)
