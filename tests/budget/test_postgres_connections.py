"""Connections to ledgers in PostgreSQL: shared by many, lost at any moment, interrupted and given back."""

import select
import socket
import threading
from contextlib import contextmanager, suppress
from urllib.parse import urlsplit

import pytest

import pydpstat
from pydpstat import Budget, Guarantee, PydpstatError
from pydpstat.budget import _postgres as postgres
from pydpstat.budget import _state


def test_a_commit_waits_for_the_disk(url, connection):
    schema = connection.execute("SHOW search_path").fetchone()[0]
    asked = f"{url}%20-csynchronous_commit%3Doff%20-cdefault_transaction_isolation%3Dserializable"
    budget = Budget(1.0, url=asked)
    seen = []
    with budget._ledger._open_transaction():
        for setting in ("synchronous_commit", "transaction_isolation", "search_path"):
            seen += budget._ledger._connection.execute(f"SHOW {setting}").fetchone()
    assert seen == ["on", "read committed", schema]


@pytest.mark.slow
def test_a_connection_lost_between_two_spends_is_opened_anew(url, connection):
    budget = Budget(1.0, url=url)
    for _ in range(3):
        pid = budget._ledger._connection.info.backend_pid
        assert connection.execute("SELECT pg_terminate_backend(%s, 5000)", (pid,)).fetchone() == (True,)
        budget.spend(Guarantee(0.1), "mean(x)")
    pid = budget._ledger._connection.info.backend_pid
    connection.execute("SELECT pg_terminate_backend(%s, 5000)", (pid,))
    assert budget.spent.epsilon == 0.3 and len(budget.entries) == 3


def test_a_connection_lost_before_the_commit_leaves_nothing(url, connection, monkeypatch):
    budget = Budget(1.0, url=url)
    charged = _state.add_cost

    def killed(*arguments):
        pid = budget._ledger._connection.info.backend_pid
        connection.execute("SELECT pg_terminate_backend(%s, 5000)", (pid,))
        return charged(*arguments)

    with monkeypatch.context() as patch:
        patch.setattr(_state, "add_cost", killed)
        with pytest.raises(PydpstatError, match="Nothing is released") as caught:
            pydpstat.count([True], 0.1, budget=budget)
    assert "may be" not in str(caught.value)
    assert budget.spent.epsilon == 0.0 and not budget.entries


@contextmanager
def cut_at_commit(server, forwarded):
    """A proxy that ends the connection when a commit comes by: after the server's answer, or before all."""
    target = urlsplit(server)
    listener = socket.create_server(("127.0.0.1", 0))

    def serve():
        with suppress(OSError):
            while True:
                client, _ = listener.accept()
                upstream = socket.create_connection((target.hostname, target.port))
                threading.Thread(target=relay, args=(client, upstream), daemon=True).start()

    def relay(client, upstream):
        last = False
        with client, upstream:
            while True:
                for each in select.select([client, upstream], [], [])[0]:
                    data = each.recv(65536)
                    committing = each is client and b"COMMIT\0" in data
                    if not data or each is upstream and last or committing and not forwarded:
                        return
                    last = last or committing
                    (upstream if each is client else client).sendall(data)

    threading.Thread(target=serve, daemon=True).start()
    with listener:
        yield listener.getsockname()[1]


@pytest.mark.parametrize("forwarded", [True, False])
def test_a_connection_lost_during_the_commit_releases_nothing(server, url, monkeypatch, forwarded):
    straight = Budget(1.0, url=url)
    with cut_at_commit(server, forwarded) as port:
        parts = urlsplit(url)
        user = f"{parts.username}@" if parts.username else ""
        through = parts._replace(netloc=f"{user}127.0.0.1:{port}").geturl()
        budget = Budget.open(url=f"{through}&sslmode=disable")
        monkeypatch.setattr(pydpstat.random.secure, "symmetric_geometric", lambda *_: pytest.fail("drawn"))
        with pytest.raises(PydpstatError, match="The spend may be in the ledger; nothing is released"):
            pydpstat.count([True], 0.25, budget=budget)
    # once, or not at all: nobody tried again
    assert straight.spent.epsilon == (0.25 if forwarded else 0.0)
    assert len(straight.entries) == forwarded


def test_a_writer_waits_for_others_only_so_long(url, connection, monkeypatch):
    budget = Budget(1.0, url=url)
    with connection.transaction(), monkeypatch.context() as patch:
        patch.setattr(postgres, "MAX_WAIT", 0.05)
        budget._ledger.close_connection()
        connection.execute("SELECT * FROM pydpstat_ledgers FOR UPDATE")
        with pytest.raises(PydpstatError, match="lock timeout. Nothing is released"):
            budget.spend(Guarantee(0.1), "mean(x)")
    budget.spend(Guarantee(0.1), "mean(x)")
    assert budget.spent.epsilon == 0.1
