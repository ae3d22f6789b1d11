"""A real server in a process of its own, in a folder that is removed at the end."""

import os
import pathlib
import re
import shutil
import signal
import subprocess
import tempfile
import threading

from atoll_wire.login import Server

HERE = pathlib.Path(__file__).parent
RULES = (HERE / "server.yaml").read_text()
APP = "tasks"


def rules(admin="nobody", text=RULES):
    return text.replace("ADMIN", admin)


class ServerProcess:
    """A server on a free port of this machine.

    `configuration` is the text of server.yaml, None for a server without it.
    """

    def __init__(self, binary, configuration=None, options=()):
        self.binary = binary
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="atoll-wire-"))
        self.options = list(options)
        self.process = None
        self.port = 0
        self.log = []
        self.data = self.folder / "data"
        self.data.mkdir()
        if configuration is not None:
            self.configure(configuration)

    def configure(self, text):
        (self.data / "server.yaml").write_text(text)

    def start(self):
        """Starts the server, on the port that it had if it ran before."""
        command = [self.binary, "serve", "--dir", str(self.data), "--port", str(self.port)]
        self.process = subprocess.Popen(
            command + self.options,
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
        )
        for line in self.process.stderr:
            self.log.append(line)
            if match := re.search(r"msg=listening address=\S*:(\d+)", line):
                self.port = int(match[1])
                break
        else:
            raise RuntimeError("the server did not start:\n" + "".join(self.log[-20:]))
        # The log is read to its end, or the server would wait for the pipe.
        threading.Thread(target=self.read_log, args=(self.process,), daemon=True).start()
        return self

    def read_log(self, process):
        for line in process.stderr:
            self.log.append(line)
            # A flood fills the log; its beginning and its end tell enough.
            if len(self.log) > 4000:
                del self.log[1000:3000]

    def server(self, source=None, app=APP):
        return Server("127.0.0.1", self.port, app, source)

    def reload(self, configuration):
        """Changes the rules while devices are connected."""
        self.configure(configuration)
        self.process.send_signal(signal.SIGHUP)

    def stop(self, how=signal.SIGTERM):
        if self.process is not None:
            self.process.send_signal(how)
            self.process.wait()
            self.process = None

    def kill(self):
        self.stop(signal.SIGKILL)

    def remove(self):
        self.kill()
        shutil.rmtree(self.folder, ignore_errors=True)

    def copy_data(self):
        """Copies the folder of a server that is stopped; returns where to."""
        copy = self.folder / "copy"
        shutil.rmtree(copy, ignore_errors=True)
        shutil.copytree(self.data, copy)
        return copy

    def restore(self, copy):
        shutil.rmtree(self.data)
        shutil.copytree(copy, self.data)

    def is_running(self):
        return self.process is not None and self.process.poll() is None

    def memory(self):
        """Returns the bytes that the process has taken for itself.

        Without the pages of its files, which the system takes back as it likes.
        """
        return int(self.status("RssAnon")) * 1024

    def status(self, name):
        text = pathlib.Path(f"/proc/{self.process.pid}/status").read_text()
        return re.search(rf"^{name}:\s+(\d+)", text, re.MULTILINE)[1]

    def processor_seconds(self):
        fields = pathlib.Path(f"/proc/{self.process.pid}/stat").read_text().rpartition(")")[2]
        user, system = fields.split()[11:13]
        return (int(user) + int(system)) / os.sysconf("SC_CLK_TCK")
