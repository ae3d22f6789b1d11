"""What checks are made of."""

from atoll_wire.device import Device
from atoll_wire.session import Session
from atoll_wire.subscriptions import Subscription
from server_process import ServerProcess, rules

CHECKS = []


class Failed(Exception):
    """The server does not do what the sentence of the check says."""


def check(function):
    """Registers a check, whose sentence is its documentation."""
    CHECKS.append(function)
    return function


def expect(condition, message):
    if not condition:
        raise Failed(message)


def expect_equal(found, right, what):
    expect(found == right, f"{what}: {found!r}, not {right!r}")


class World:
    """A server with rules that most checks share, each with users of its own."""

    def __init__(self, binary):
        self.binary = binary
        self.processes = []
        self.shared = None
        self.admin = None

    def server_process(self, configuration=None, options=()):
        """Starts a server for one check."""
        process = ServerProcess(self.binary, configuration, options)
        self.processes.append(process)
        return process.start()

    def server(self):
        """Returns the server that checks share."""
        if self.shared is None:
            self.shared = self.server_process(rules())
            # The one who may write users' data is named in the rules, by id.
            self.admin = self.shared.server().log_in()
            self.shared.reload(rules(self.admin.user))
        return self.shared.server()

    def root(self):
        """Returns the log-in of the user who may write users' data."""
        self.server()
        return self.admin

    def log_in(self):
        return self.server().log_in()

    def connect(self, log_in, *members, device=None):
        """Connects a device with these subscriptions, and waits for all they bring."""
        session = Session(device or Device(), log_in).connect()
        session.wait_until_caught_up()
        if members:
            subscribe(session, *members)
        return session

    def pair(self, log_in=None):
        """Connects two devices of one user that have all notes."""
        log_in = log_in or self.log_in()
        return log_in, self.connect(log_in, notes()), self.connect(log_in, notes())

    def remove(self):
        for process in self.processes:
            process.remove()


def notes(query="TRUEPREDICATE", **options):
    return Subscription("Note", query, **options)


def subscribe(session, *members):
    """Subscribes, and waits until the set's view has come."""
    session.device.subscribe(*members)
    session.wait_until_answered()
    number = session.device.accepted.number
    session.wait(lambda device: device.set_number == number and device.bootstrap is None)


def write(session):
    """Returns a transaction that waits for its answer at the end."""
    return Writing(session)


class Writing:
    def __init__(self, session):
        self.session = session
        self.write = session.device.write()

    def __enter__(self):
        return self.write

    def __exit__(self, *error):
        self.write.__exit__(*error)
        if error[0] is None:
            self.session.wait_until_answered()


def meet(*sessions):
    """Waits until each device has what the server had when it was asked."""
    for session in sessions:
        session.wait_until_caught_up()
        session.wait_until_answered()
    for session in sessions:
        number = max(session.device.marks, default=0) + 1
        session.device.mark(number)
        session.wait(lambda device: number in device.marks, what="the MARK")


def expect_digests(session):
    """Expects that the server believes what the device holds."""
    meet(session)
    session.device.verify(1)
    session.wait(lambda device: device.digests is not None, what="DIGESTS")
    expect_equal(session.device.compare(), True, "the digests are equal")


def last_refusal(session):
    expect(session.device.refusals, "nothing was refused")
    return session.device.refusals[-1][1]


def expect_refusal(session, reason):
    verdict = last_refusal(session)
    expect_equal((verdict.tag, verdict.reason), (4, reason), f"the refusal ({verdict.text})")

