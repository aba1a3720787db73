"""Tables in PostgreSQL that are no ledger, or no longer: an error, or what they told before."""

import random
from contextlib import suppress

import pytest

from pydpstat import Budget, Guarantee, PydpstatError
from tests.budget.damage import DAMAGES, JUNK, TOO_MUCH, check, filled, told

TABLES = ("pydpstat_ledgers", "pydpstat_spends")


def columns(connection, table):
    asked = "SELECT attname::text FROM pg_attribute WHERE attrelid = %s::regclass AND attnum > 0"
    return [name for (name,) in connection.execute(asked, (table,)) if not name.startswith("....")]


def changed_value(connection, rng):
    table = rng.choice(TABLES)
    column = rng.choice(columns(connection, table))
    value = rng.choice([*JUNK, rng.random(), str(rng.random()), rng.randrange(9)])
    connection.execute(f"ALTER TABLE {table} ALTER {column} DROP NOT NULL")
    connection.execute(f"UPDATE {table} SET {column} = %s", (value,))


def removed_rows(connection, rng):
    table = rng.choice(TABLES)
    some = [" WHERE number = 1", " WHERE number > 2"] if table == "pydpstat_spends" else []
    connection.execute(f"DELETE FROM {table}" + rng.choice(["", *some]))


def added_rows(connection, rng):
    table = rng.choice(TABLES)
    connection.execute(f"ALTER TABLE {table} DROP CONSTRAINT {table}_pkey")
    connection.execute(f"ALTER TABLE {table} DROP CONSTRAINT IF EXISTS {table}_name_key")
    names = columns(connection, table)
    if table == "pydpstat_spends" and rng.random() < 0.5:
        names[1] = "number + 4"
    connection.execute(f"INSERT INTO {table} SELECT {', '.join(names)} FROM {table} LIMIT 1")


def changed_tables(connection, rng):
    table = rng.choice(TABLES)
    column = rng.choice(columns(connection, table))
    connection.execute(
        rng.choice(
            [
                f"ALTER TABLE {table} DROP COLUMN {column} CASCADE",
                f"ALTER TABLE {table} RENAME {column} TO other",
                f"ALTER TABLE {table} ADD COLUMN more text",
                f"ALTER TABLE {table} RENAME TO other",
                f"DROP TABLE {table} CASCADE",
                f"ALTER TABLE {table} RENAME TO other; CREATE VIEW {table} AS SELECT * FROM other",
                f"TRUNCATE {table} CASCADE",
            ]
        )
    )


def other_types(connection, rng):
    table, kind = rng.choice(TABLES), rng.choice(["text", "bytea", "numeric", "real", "json", "varchar(99)"])
    column = rng.choice(columns(connection, table))
    using = f"to_json({column})::text::{kind}"
    connection.execute(f"ALTER TABLE {table} ALTER {column} TYPE {kind} USING {using}")


SWALLOWS = "CREATE FUNCTION kept() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN {} END'"
TRIGGERS = {
    "pydpstat_spends": ["RETURN NULL;", "NEW.epsilon := 0; RETURN NEW;", "NEW.number := 99; RETURN NEW;"],
    "pydpstat_ledgers": ["RETURN NULL;", "NEW.spent := OLD.spent; RETURN NEW;", "RETURN OLD;"],
}


def other_format(connection, rng):
    connection.execute("UPDATE pydpstat_ledgers SET format = %s", (rng.choice([0, 1, 2, 3, 99, -1]),))


ALTERATIONS = [changed_value, removed_rows, added_rows, changed_tables, other_types, other_format]


@pytest.fixture
def restore(url, connection):
    """A function that makes the tables again, as they were filled, in one transaction."""
    filled(Budget(1.0, 1e-6, url=url))
    schema = connection.execute("SHOW search_path").fetchone()[0]
    kept = f"{schema}_kept"
    connection.execute("SET synchronous_commit TO off")

    def copied(here, there):
        both = [(f"{here}.{table}", f"{there}.{table}") for table in TABLES]
        made = [f"CREATE TABLE {new} (LIKE {old} INCLUDING ALL)" for new, old in both]
        return "; ".join([*made, *(f"INSERT INTO {new} SELECT * FROM {old}" for new, old in both)])

    connection.execute(f"CREATE SCHEMA {kept}; {copied(kept, schema)}")
    try:
        yield lambda: connection.execute(
            f"DROP SCHEMA {schema} CASCADE; CREATE SCHEMA {schema}; {copied(schema, kept)}"
        )
    finally:
        connection.execute(f"DROP SCHEMA {kept} CASCADE")


@pytest.mark.slow
@pytest.mark.parametrize("alteration", ALTERATIONS)
def test_tables_that_are_others(url, connection, restore, alteration):
    import psycopg

    rng, errors, count = random.Random(alteration.__name__), 0, 0
    before = told(lambda: Budget.open(url=url))
    for _ in range(DAMAGES // 2):
        restore()
        budget = Budget.open(url=url)
        try:
            with connection.transaction():
                alteration(connection, rng)
        except psycopg.Error:
            # what PostgreSQL refuses is no damage
            continue
        count += 1
        errors += check(lambda: Budget.open(url=url), before, budget.url, budget)
    assert errors > count * 0.8 and count > DAMAGES / 6


@pytest.mark.parametrize("table, body", [(table, body) for table in TRIGGERS for body in TRIGGERS[table]])
def test_a_trigger_that_changes_a_spend_is_noticed(url, connection, table, body):
    """At once, or when the ledger is used next; what it has left never grows."""
    budget = filled(Budget(1.0, 1e-6, url=url))
    connection.execute(SWALLOWS.format(body))
    when = "INSERT" if table == "pydpstat_spends" else "UPDATE"
    connection.execute(f"CREATE TRIGGER kept BEFORE {when} ON {table} FOR EACH ROW EXECUTE FUNCTION kept()")
    with suppress(PydpstatError):
        budget.spend(Guarantee(0.2), "mean(y)")
    for use in (lambda: budget, lambda: Budget.open(url=url)):
        with pytest.raises(PydpstatError):
            for _ in range(3):
                use().spend(Guarantee(0.07), "mean(z)")


def test_a_backup_that_was_put_back_is_noticed_while_it_is_used(url, connection):
    budget = Budget(1.0, url=url)
    budget.spend(Guarantee(0.25), "mean(x)")
    connection.execute("CREATE TABLE kept AS SELECT * FROM pydpstat_ledgers")
    budget.spend(Guarantee(0.5), "mean(y)")
    connection.execute("DELETE FROM pydpstat_spends WHERE number = 2; DELETE FROM pydpstat_spends")
    connection.execute("DELETE FROM pydpstat_ledgers; INSERT INTO pydpstat_ledgers SELECT * FROM kept")
    for use in (lambda: budget.spent, lambda: budget.spend(TOO_MUCH, "mean(z)")):
        with pytest.raises(PydpstatError, match="less is spent than before, as in an older copy"):
            use()


def test_a_user_without_rights(url, connection):
    schema = connection.execute("SHOW search_path").fetchone()[0]
    filled(Budget(1.0, 1e-6, url=url))
    role = f"{schema}_reader"
    connection.execute(f"CREATE ROLE {role}; GRANT USAGE ON SCHEMA {schema} TO {role}")
    asked = f"{url}%20-crole%3D{role}"
    try:
        with pytest.raises(PydpstatError, match="permission denied .* Nothing is released. Check"):
            Budget.open(url=asked)
        connection.execute(f"GRANT SELECT ON ALL TABLES IN SCHEMA {schema} TO {role}")
        budget = Budget.open(url=asked)
        with pytest.raises(PydpstatError, match="permission denied .* Nothing is released. Check"):
            budget.spend(Guarantee(0.1), "mean(x)")
    finally:
        connection.execute(f"DROP OWNED BY {role}; DROP ROLE {role}")
