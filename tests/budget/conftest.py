"""A PostgreSQL server for the ledgers: a given one, or a private one of this machine's programs."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import tempfile
import uuid
from pathlib import Path

import pytest

GIVEN = os.environ.get("PYDPSTAT_POSTGRES")


def programs() -> Path | None:
    """The folder of the newest server's programs, as Debian lays them."""
    found = [path.parent for path in Path("/usr/lib/postgresql").glob("*/bin/initdb")]
    return max(found, key=lambda folder: int(folder.parent.name), default=None)


def as_server(*command: object) -> None:
    """Run a command as a user who may run a server, which root may not."""
    user = ["setpriv", "--reuid=postgres", "--regid=postgres", "--clear-groups"] if os.getuid() == 0 else []
    line, path = [*user, *map(str, command)], {"PATH": "/usr/bin:/bin"}
    done = subprocess.run(line, capture_output=True, text=True, timeout=120, cwd="/", env=path)
    if done.returncode:
        pytest.skip(f"PostgreSQL cannot be started: {(done.stderr or done.stdout).strip()[-300:]}")


@pytest.fixture(scope="session")
def server():
    """The url of a database where schemas can be made."""
    pytest.importorskip("psycopg", reason="needs psycopg: pip install 'pydpstat[postgres]'")
    if GIVEN:
        yield GIVEN
        return
    folder = programs()
    if folder is None:
        pytest.skip("needs PostgreSQL: Debian's package postgresql, or PYDPSTAT_POSTGRES with a url")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    home = Path(tempfile.mkdtemp(prefix="pydpstat-postgres-"))
    try:
        if os.getuid() == 0:
            shutil.chown(home, "postgres", "postgres")
        made = "-U", "postgres", "-A", "trust", "-E", "UTF8", "--no-sync"
        as_server(folder / "initdb", "-D", home / "data", *made)
        options = f"-p {port} -c listen_addresses=127.0.0.1 -c unix_socket_directories=''"
        as_server(folder / "pg_ctl", "-D", home / "data", "-l", home / "log", "-o", options, "-w", "start")
        try:
            yield f"postgresql://postgres@127.0.0.1:{port}/postgres"
        finally:
            as_server(folder / "pg_ctl", "-D", home / "data", "-m", "immediate", "-w", "stop")
    finally:
        shutil.rmtree(home, ignore_errors=True)


@pytest.fixture
def database(server):
    """A connection, and the url of a schema of its own in the same database."""
    import psycopg

    schema = f"pydpstat_{uuid.uuid4().hex[:12]}"
    with psycopg.connect(server, autocommit=True) as connection:
        connection.execute(f"CREATE SCHEMA {schema}")
        connection.execute(f"SET search_path TO {schema}")
        try:
            yield connection, f"{server}{'&' if '?' in server else '?'}options=-csearch_path%3D{schema}"
        finally:
            connection.execute(f"DROP SCHEMA {schema} CASCADE")


@pytest.fixture
def connection(database):
    return database[0]


@pytest.fixture
def url(database):
    return database[1]


def _where(request):
    if request.param == "PostgreSQL":
        return {"url": request.getfixturevalue("url")}
    return {"path": request.getfixturevalue("tmp_path") / "a.ledger"} if request.param == "file" else {}


@pytest.fixture(params=["memory", "file", "PostgreSQL"])
def place(request):
    """Where a ledger is, as the arguments of a budget."""
    return _where(request)


@pytest.fixture(params=["file", "PostgreSQL"])
def shared(request):
    """A place that processes can share."""
    return _where(request)
