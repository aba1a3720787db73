"""Where a ledger in PostgreSQL is: urls and names that are taken or refused, and their secrets."""

import pickle
import sys
from urllib.parse import urlsplit

import pytest

from pydpstat import Budget, Guarantee, PydpstatError
from pydpstat.__main__ import main
from pydpstat.budget import _postgres_url as place
from pydpstat.errors import MissingExtraError


def test_a_password_is_in_no_text(server, url, capsys):
    parts = urlsplit(url)
    secret = "s%40cr%3Ft"
    user = parts.username or "postgres"
    told = parts._replace(netloc=f"{user}:{secret}@{parts.hostname}:{parts.port}").geturl()
    budget = Budget(1.0, url=told)
    budget.spend(Guarantee(0.1), "mean(x)")
    assert budget._ledger.location.secrets == {"password": "s@cr?t"}
    texts = [repr(budget), budget.url, budget.summary().as_text(), budget.to_json(), budget.to_csv()]
    texts += [pickle.dumps(budget).decode("latin-1"), repr(budget._ledger.location), str(budget.__reduce__())]
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
    assert pickle.loads(pickle.dumps(budget))._ledger.location.secrets == {"password": "s@cr?t"}


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
        ({"url": "postgresql://host/db", "name": ""}, "name must be a string of printable characters"),
        ({"url": "postgresql://host/db", "name": "a\nb"}, "name must be a string of printable characters"),
        ({"url": "postgresql://host/db?name=a", "name": "b"}, "name must be given once"),
    ],
)
def test_places_are_checked(arguments, message):
    for make in (lambda: Budget(1.0, **arguments), lambda: Budget.open(**arguments)):
        with pytest.raises(PydpstatError, match=message):
            make()


def test_opening_needs_a_place():
    with pytest.raises(PydpstatError, match="path or url must be given"):
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
        read = place.ServerLocation.from_url(url, "a")
        again = place.ServerLocation.from_url(read.url)
        assert again == read and again.options == read.options and again.name == "a"
