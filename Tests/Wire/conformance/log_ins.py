"""HTTP: registration, log-ins, tokens."""

from atoll_wire.errors import Refused
from atoll_wire.websocket import WebSocket
from .check import check, expect, expect_equal

PASSWORD = "correct horse battery"


def refused(action):
    """Returns the status and the code of an action that is refused."""
    try:
        action()
    except Refused as error:
        return error.status, error.code
    return None


@check
def anonymous_users_are_new(world):
    """Each anonymous log-in makes a new user, with two tokens."""
    server = world.server()
    one, other = server.log_in(), server.log_in()
    expect(one.user != other.user, "two log-ins are one user")
    expect(one.access_token != one.refresh_token, "both tokens are one")


@check
def passwords_log_in(world):
    """An account is registered once, and its password logs in the same user again."""
    server = world.server()
    server.register("ann@example.org", PASSWORD)
    account = {"email": "Ann@Example.org", "password": PASSWORD}
    one, other = (server.log_in("local-userpass", **account) for _ in range(2))
    expect_equal(one.user, other.user, "the user")
    again = refused(lambda: server.register("ann@example.org", PASSWORD))
    expect_equal(again, (409, "account-exists"), "a second registration")
    wrong = refused(lambda: server.log_in("local-userpass", email="ann@example.org", password="no"))
    expect_equal(wrong, (401, "invalid-credentials"), "a wrong password")
    nobody = refused(lambda: server.log_in("local-userpass", email="x@y.org", password=PASSWORD))
    expect_equal(nobody, (401, "invalid-credentials"), "an unknown account")


@check
def requests_are_refused_as_written(world):
    """Wrong requests get the status and the code that Format.md lists."""
    server = world.server()
    path = f"/v1/app/{server.app}"
    credentials = {"email": "no address", "password": PASSWORD}
    body = {"email": "bob@example.org", "password": "short"}
    cases = {
        (400, "invalid-email"): lambda: server.ask("POST", f"{path}/register", credentials),
        (400, "invalid-password"): lambda: server.ask("POST", f"{path}/register", body),
        (400, "unknown-provider"): lambda: server.log_in("magic"),
        (400, "bad-request"): lambda: server.ask("POST", f"{path}/login", {"provider": 7}),
        (401, "invalid-token"): lambda: server.ask("POST", f"{path}/session", token="x"),
        (404, "unknown-app"): lambda: server.ask("POST", "/v1/app/other/login",
                                                 {"provider": "anon-user"}),
        (404, "not-found"): lambda: server.ask("GET", "/v2"),
        (405, "wrong-method"): lambda: server.ask("GET", f"{path}/login"),
        (426, "websocket-required"): lambda: server.ask(
            "GET", "/sync", token=server.log_in().access_token),
    }
    for right, action in cases.items():
        expect_equal(refused(action), right, "the answer")


@check
def health_answers(world):
    """GET /health says ok."""
    server = world.server()
    expect_equal(server.ask("GET", "/health")["status"], "ok", "the status")


@check
def sessions_are_refreshed_and_ended(world):
    """The refresh token gets access tokens until the user logs out."""
    log_in = world.log_in()
    log_in.refresh()
    session = world.connect(log_in)
    log_in.log_out()
    expect_equal(session.wait_until_ended(), 4401, "the end of the connection")
    expect_equal(refused(log_in.refresh), (401, "session-ended"), "a refresh after it")
    connecting = refused(lambda: WebSocket(log_in.server, log_in.access_token))
    expect_equal(connecting, (401, "token-expired"), "a connection after it")
    other = world.log_in()
    misused = refused(lambda: WebSocket(other.server, other.refresh_token))
    expect_equal(misused, (401, "invalid-token"), "a connection with the refresh token")
