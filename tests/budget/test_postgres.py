"""Ledgers in PostgreSQL: their limits, what may happen to the tables and the connection, and secrets."""

import copy
import os
import pickle
import select
import socket
import subprocess
import sys
import threading
from contextlib import contextmanager, suppress
from urllib.parse import urlsplit

import pytest

import pydpstat
from pydpstat import Budget, BudgetExceeded, Guarantee, PydpstatError
from pydpstat.__main__ import main
from pydpstat.budget import _postgres as postgres
from pydpstat.budget import _postgres_url as place
from pydpstat.errors import MissingExtraError
from pydpstat.privacy import GaussianLoss


@pytest.fixture
def connection(database):
    return database[0]


@pytest.fixture
def url(database):
    return database[1]


def test_a_server_keeps_spends_and_limits(url):
    first = Budget(0.3, 1e-6, url=url)
    loss = GaussianLoss(0.2)
    first.spend(Guarantee(0.1, 1e-7, conditions=("é", "n is public"), loss=loss), "mean(x" + "x" * 9999 + ")")
    second = Budget(0.3, 1e-6, url=url)
    second.spend(Guarantee(0.2), "mean(\0y)", label="'); DROP TABLE pydpstat_spends; --")
    assert first.spent == second.spent == (0.3, 1e-7, None)
    with pytest.raises(BudgetExceeded, match="Nothing was released"):
        first.spend(Guarantee(0.1), "mean(z)")
    entries = Budget.open(url=url).entries
    assert entries == first.entries and len(entries) == 2
    assert len(entries[0].call) == 10_006 and entries[0].rho == loss.rho and entries[0].loss == repr(loss)
    assert entries[1].call == "mean(\\x00y)" and entries[1].label == "'); DROP TABLE pydpstat_spends; --"
    assert entries[1].process == os.getpid() and entries[0].host == socket.gethostname()
    assert first.path is None and first.url == second.url


@pytest.mark.parametrize("accountant", ["basic", "zcdp"])
def test_sums_are_those_of_a_ledger_in_memory(url, accountant):
    there, here = Budget(1.0, 1e-6, url=url, accountant=accountant), Budget(1.0, 1e-6, accountant=accountant)
    for _ in range(12):
        for budget in (there, here):
            with suppress(BudgetExceeded):
                budget.spend(Guarantee(0.1), "mean(x)")
    assert 0 < len(here.entries) < 12
    assert there.spent == here.spent and there.remaining == here.remaining
    assert [each.epsilon for each in there.entries] == [each.epsilon for each in here.entries]


def test_two_makers_make_one_ledger(url):
    code = "import sys; from pydpstat import Budget, Guarantee; "
    code += "Budget(1.0, url=sys.argv[1]).spend(Guarantee(0.125), 'mean(x)')"
    asked = f"{url}%20-cdefault_transaction_isolation%3Dserializable"
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    makers = [subprocess.Popen([sys.executable, "-c", code, asked], env=environment) for _ in range(4)]
    assert [maker.wait() for maker in makers] == [0] * 4
    assert Budget.open(url=url).spent.epsilon == 0.5


def test_names_tell_ledgers_apart(url, connection):
    budgets = [Budget(1.0, url=url), Budget(2.0, url=url, name="a b&c"), Budget(3.0, url=f"{url}&name=d%20e")]
    for budget, epsilon in zip(budgets, (0.1, 0.2, 0.3)):
        budget.spend(Guarantee(epsilon), "mean(x)")
    for name, epsilon in {"budget": 1.0, "a b&c": 2.0, "d e": 3.0}.items():
        again = Budget.open(url=url, name=name)
        assert again.epsilon == epsilon and again.spent.epsilon == epsilon / 10
        assert Budget.open(url=again.url).epsilon == epsilon
    with pytest.raises(PydpstatError, match="url must be a ledger; there is none at .*name=none"):
        Budget.open(url=url, name="none")
    assert connection.execute("SELECT count(*) FROM pydpstat_ledgers").fetchone() == (3,)


@pytest.mark.parametrize(
    "other",
    [{"epsilon": 2.0}, {"delta": 1e-5}, {"accountant": "zcdp"}, {"neighbors": "unbounded"}, {"unit": "p"}],
)
def test_other_limits_are_named(url, other):
    limits = {"epsilon": 1.0, "delta": 1e-6}
    Budget(**limits, url=url)
    name, value = next(iter(other.items()))
    with pytest.raises(PydpstatError, match="was made with epsilon 1.0, delta 1e-06.*got ") as caught:
        Budget(**{**limits, **other}, url=url)
    assert f"{name} {value!r}" in str(caught.value).partition("; got")[2]


def test_opening_makes_nothing(url, connection):
    with pytest.raises(PydpstatError, match="there is none at"):
        Budget.open(url=url)
    assert connection.execute("SELECT to_regclass('pydpstat_ledgers')").fetchone() == (None,)


@pytest.mark.parametrize(
    "change",
    [
        "DROP TABLE pydpstat_spends",
        "DROP TABLE pydpstat_spends, pydpstat_ledgers",
        "DELETE FROM pydpstat_spends",
        "TRUNCATE pydpstat_ledgers CASCADE",
        "ALTER TABLE pydpstat_spends DROP COLUMN label",
        "ALTER TABLE pydpstat_spends ADD COLUMN more text",
        "ALTER TABLE pydpstat_ledgers RENAME spent TO other",
        "ALTER TABLE pydpstat_ledgers ALTER spends TYPE text",
        "UPDATE pydpstat_ledgers SET format = 99",
    ],
)
def test_what_is_gone_or_altered_is_an_error_and_no_new_ledger(url, connection, change):
    budget = Budget(1.0, url=url)
    budget.spend(Guarantee(0.4), "mean(x)")
    stored = pickle.dumps(budget)
    connection.execute(change)
    for use in (lambda: Budget.open(url=url), lambda: pickle.loads(stored), lambda: copy.copy(budget)):
        with pytest.raises(PydpstatError, match="gone or was altered|there is none at|has format 99"):
            use()
    if "format" in change or "ADD" in change or "DELETE" in change or "ALTER spends" in change:
        return
    for use in (lambda: budget.spend(Guarantee(0.1), "mean(x)"), lambda: budget.entries):
        with pytest.raises(PydpstatError, match="gone or was altered.*Nothing is released"):
            use()


def test_half_a_ledger_is_not_completed(url, connection):
    Budget(1.0, url=url).spend(Guarantee(0.4), "mean(x)")
    for table in ("pydpstat_spends", "pydpstat_ledgers"):
        connection.execute(f"ALTER TABLE {table} RENAME TO kept")
        with pytest.raises(PydpstatError, match="gone or was altered"):
            Budget(1.0, url=url)
        connection.execute(f"ALTER TABLE kept RENAME TO {table}")
    assert Budget(1.0, url=url).spent.epsilon == 0.4


def test_another_ledger_in_its_place_is_noticed(url, connection):
    budget = Budget(1.0, url=url)
    budget.spend(Guarantee(0.9), "mean(x)")
    connection.execute("DROP TABLE pydpstat_spends, pydpstat_ledgers")
    Budget(1.0, url=url)
    for use in (lambda: budget.spend(Guarantee(0.05), "mean(x)"), lambda: budget.spent):
        with pytest.raises(PydpstatError, match="url must stay the same ledger"):
            use()


def test_an_entry_that_is_not_kept_is_no_spend(url, connection):
    budget = Budget(1.0, url=url)
    connection.execute(
        "CREATE FUNCTION swallow() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NULL; END'"
    )
    connection.execute(
        "CREATE TRIGGER swallow BEFORE INSERT ON pydpstat_spends FOR EACH ROW EXECUTE FUNCTION swallow()"
    )
    with pytest.raises(PydpstatError, match="gone or was altered"):
        budget.spend(Guarantee(0.4), "mean(x)")
    assert budget.spent.epsilon == 0.0 and not budget.entries


def test_a_commit_waits_for_the_disk(url, connection):
    schema = connection.execute("SHOW search_path").fetchone()[0]
    asked = f"{url}%20-csynchronous_commit%3Doff%20-cdefault_transaction_isolation%3Dserializable"
    budget = Budget(1.0, url=asked)
    seen = []
    with budget._ledger._transaction():
        for setting in ("synchronous_commit", "transaction_isolation", "search_path"):
            seen += budget._ledger._connection.execute(f"SHOW {setting}").fetchone()
    assert seen == ["on", "read committed", schema]


def test_threads_share_a_ledger(url):
    budgets, accepted = [Budget(1.0, url=url), Budget(1.0, url=url)], []

    def work(budget):
        for _ in range(15):
            try:
                budget.spend(Guarantee(0.02), "mean(x)")
                accepted.append(1)
            except BudgetExceeded:
                return

    threads = [threading.Thread(target=work, args=(budgets[number % 2],)) for number in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(accepted) == len(budgets[0].entries) == 50 and budgets[1].spent.epsilon == 1.0


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
    charged = postgres.SharedLedger.spend.__globals__["charged"]

    def killed(*arguments):
        pid = budget._ledger._connection.info.backend_pid
        connection.execute("SELECT pg_terminate_backend(%s, 5000)", (pid,))
        return charged(*arguments)

    with monkeypatch.context() as patch:
        patch.setitem(postgres.SharedLedger.spend.__globals__, "charged", killed)
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
    monkeypatch.setattr(postgres, "PATIENCE", 0.05)
    budget = Budget(1.0, url=url)
    with connection.transaction():
        connection.execute("SELECT * FROM pydpstat_ledgers FOR UPDATE")
        with pytest.raises(PydpstatError, match="lock timeout. Nothing is released"):
            budget.spend(Guarantee(0.1), "mean(x)")
    budget.spend(Guarantee(0.1), "mean(x)")
    assert budget.spent.epsilon == 0.1


def test_an_interrupted_spend_leaves_nothing(url, monkeypatch):
    budget = Budget(1.0, url=url)

    def interrupted(spent, cost, limit):
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setitem(postgres.SharedLedger.spend.__globals__, "charged", interrupted)
        with pytest.raises(KeyboardInterrupt):
            budget.spend(Guarantee(0.1), "mean(x)")
    assert not budget.entries
    budget.spend(Guarantee(1.0), "mean(x)")
    assert budget.spent.epsilon == 1.0


def test_pickles_open_the_same_ledger(url):
    budget = Budget(1.0, 1e-6, None, "zcdp", "unbounded", url=url, name="survey")
    for again in (pickle.loads(pickle.dumps(budget)), copy.copy(budget), copy.deepcopy(budget)):
        again.spend(Guarantee(0.01, neighbors="unbounded"), "count(x)")
        assert again.url == budget.url and budget.spent == again.spent
        assert again.epsilon == 1.0 and again.delta == 1e-6
        assert again.accountant == "zcdp" and again.neighbors == "unbounded"
    assert len(budget.entries) == 3


def test_a_password_is_in_no_text(server, url, capsys):
    parts = urlsplit(url)
    secret = "s%40cr%3Ft"
    user = parts.username or "postgres"
    told = parts._replace(netloc=f"{user}:{secret}@{parts.hostname}:{parts.port}").geturl()
    budget = Budget(1.0, url=told)
    budget.spend(Guarantee(0.1), "mean(x)")
    assert budget._ledger.where.secrets == {"password": "s@cr?t"}
    texts = [repr(budget), budget.url, budget.summary().as_text(), budget.to_json(), budget.to_csv()]
    texts += [pickle.dumps(budget).decode("latin-1"), repr(budget._ledger.where), str(budget.__reduce__())]
    with pytest.raises(PydpstatError) as caught:
        Budget(2.0, url=told)
    texts.append(str(caught.value))
    wrong = parts._replace(netloc=f"{user}:{secret}@127.0.0.1:1").geturl()
    with pytest.raises(PydpstatError, match="Check the server") as caught:
        Budget(1.0, url=wrong)
    texts.append(str(caught.value))
    assert main(["budget", told]) == 0
    texts.append(capsys.readouterr().out)
    assert not [text for text in texts if "cr?t" in text or "cr%3Ft" in text]
    # and what reopens here has it all the same
    assert pickle.loads(pickle.dumps(budget))._ledger.where.secrets == {"password": "s@cr?t"}


@pytest.mark.parametrize(
    "url",
    [
        "postgresql://u:top@secret@host/db",
        "postgresql://u:top/secret@host/db",
        "postgresql://u:12/secret@host/db",
        "postgresql://u:secret@host:port/db",
        "postgresql://u:secret@host/db?sslsecret=1",
        "mysql://u:secret@host/db",
        "host=localhost password=secret",
        b"postgresql://u:secret@host/db",
    ],
)
def test_a_url_that_cannot_be_read_is_not_shown(url):
    pytest.importorskip("psycopg")
    with pytest.raises(PydpstatError, match="^url must") as caught:
        Budget(1.0, url=url)
    assert "secret" not in str(caught.value)


@pytest.mark.parametrize(
    "arguments, message",
    [
        ({"path": "a.ledger", "url": "postgresql://host/db"}, "got a path and a url"),
        ({"name": "survey"}, "got a name without a url"),
        ({"path": "a.ledger", "name": "survey"}, "got a name without a url"),
        ({"url": "postgresql://host/db", "name": ""}, "name must be a text of printable characters"),
        ({"url": "postgresql://host/db", "name": "a\nb"}, "name must be a text of printable characters"),
        ({"url": "postgresql://host/db?name=a", "name": "b"}, "name must be given once"),
    ],
)
def test_places_are_checked(arguments, message):
    for make in (lambda: Budget(1.0, **arguments), lambda: Budget.open(**arguments)):
        with pytest.raises(PydpstatError, match=message):
            make()


def test_opening_needs_a_place():
    with pytest.raises(PydpstatError, match="path or url must say where the ledger is"):
        Budget.open()


def test_psycopg_is_an_extra(monkeypatch):
    monkeypatch.setitem(sys.modules, "psycopg", None)
    with pytest.raises(MissingExtraError, match=r"needs psycopg: pip install 'pydpstat\[postgres\]'"):
        Budget(1.0, url="postgresql://host/db")


def test_urls_of_every_form_read_back():
    pytest.importorskip("psycopg")
    for url in (
        "postgresql://",
        "postgresql:///db",
        "postgres://u@h/db",
        "postgresql://u%40x@h:1/d%2Fb?sslmode=require",
        "postgresql://h1:1,h2:2/db",
        "postgresql://[::1]:5/db",
        "postgresql://%2Fvar%2Frun/db",
    ):
        read = place.Place.of(url, "a")
        again = place.Place.of(read.url)
        assert again == read and again.options == read.options and again.name == "a"


ACROSS_A_FORK = """
import os, sys
from pydpstat import Budget, Guarantee

budget = Budget(1.0, url=sys.argv[1])
budget.spend(Guarantee(0.1), "before")
child = os.fork()
if not child:
    budget.spend(Guarantee(0.2), "child")
    sys.exit(0)
budget.spend(Guarantee(0.3), "parent")
print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
budget.spend(Guarantee(0.05), "after")
print(sorted(entry.call for entry in budget.entries), budget.spent.epsilon)
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_a_fork_shares_the_ledger_and_no_connection(url):
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    command = [sys.executable, "-W", "error", "-c", ACROSS_A_FORK, url]
    done = subprocess.run(command, capture_output=True, text=True, env=environment, timeout=60)
    assert done.stderr == ""
    assert done.stdout.splitlines() == ["0", "['after', 'before', 'child', 'parent'] 0.65"]


def test_the_command(url, capsys):
    budget = Budget(1.0, url=url, name="survey")
    budget.spend(Guarantee(0.25), "mean(income)")
    assert main(["budget", budget.url]) == 0
    assert "mean(income)" in capsys.readouterr().out
    assert main(["budget", budget.url, "--json"]) == 0
    assert capsys.readouterr().out == budget.to_json()
    assert main(["budget", f"{url}&name=none"]) == 1
    assert "there is none at" in capsys.readouterr().err


def test_an_unused_budget_is_collected(url):
    import gc
    import weakref

    budget = Budget(1.0, url=url)
    ledger = weakref.ref(budget._ledger)
    del budget
    gc.collect()
    assert ledger() is None
