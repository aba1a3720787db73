"""Location of a ledger in PostgreSQL: a url whose secrets are used and never shown."""

from __future__ import annotations

from dataclasses import dataclass, field
from types import ModuleType
from urllib.parse import quote, unquote, urlencode

from pydpstat import _checks as checks
from pydpstat.budget._ledger import is_url
from pydpstat.errors import MissingExtraError, PydpstatError

DEFAULT_NAME = "budget"
_SECRETS = frozenset(("password", "sslpassword", "oauth_client_secret", "scram_client_key", "scram_server_key"))
_URL_EXAMPLE = "postgresql://user@host:5432/database"
# secrets given to this process, by the url without them: copies and pickles reopen the ledger with these
_known_secrets: dict[str, dict[str, str]] = {}


@dataclass(frozen=True)
class ServerLocation:
    """Location of a ledger on a server: a url with its name and without secrets, and the options of libpq."""

    url: str
    name: str
    options: dict[str, str] = field(repr=False)

    @classmethod
    def from_url(cls, url: object, name: str | None = None) -> ServerLocation:
        """Parse a url, whose query may have the name; errors never show the url, which may have a password."""
        if not isinstance(url, str) or not is_url(url) or "\0" in url:
            raise PydpstatError(
                f"url must be a string of the form {_URL_EXAMPLE!r}; got {type(url).__name__}. Give such a "
                "url, or a path for a file."
            )
        base, _, query = url.partition("?")
        pairs = [pair for pair in query.split("&") if pair]
        names = [unquote(pair.removeprefix("name=")) for pair in pairs if pair.startswith("name=")]
        if len({*names, *([] if name is None else [name])}) > 1:
            raise PydpstatError("name must be given once; got one in the url and a different one. Leave one out.")
        ledger_name = _check_name(name if name is not None else (names or [DEFAULT_NAME])[0])
        other_pairs = "&".join(pair for pair in pairs if not pair.startswith("name="))
        url_options = _parse_url(base + (f"?{other_pairs}" if other_pairs else ""))
        options = {key: value for key, value in url_options.items() if key not in _SECRETS}
        secrets = {key: value for key, value in url_options.items() if key in _SECRETS}
        public_url = _format_url(options)
        if secrets:
            _known_secrets[public_url] = secrets
        return cls(_with_query(public_url, {"name": ledger_name}), ledger_name, options)

    @property
    def secrets(self) -> dict[str, str]:
        """Secrets given to this process for this server; libpq finds others by itself, as in ``~/.pgpass``."""
        return _known_secrets.get(_format_url(self.options), {})

    def replace_secrets(self, text: str) -> str:
        """Return a server's message with the secrets masked."""
        for secret in self.secrets.values():
            text = text.replace(secret, "***") if secret else text
        return text


def import_psycopg() -> ModuleType:
    """Return psycopg, or raise an error with the command to install it."""
    try:
        import psycopg as found
    except ImportError as error:
        raise MissingExtraError("a ledger in PostgreSQL", "psycopg", "postgres") from error
    return found


def _parse_url(url: str) -> dict[str, str]:
    """Return libpq's options; a password with special characters must not become a host or a database."""
    try:
        parsed = import_psycopg().conninfo.conninfo_to_dict(url)
    except import_psycopg().Error:
        parsed = None
    if parsed is not None:
        options = {key: str(value) for key, value in parsed.items() if value is not None}
        visible = [options.get(key, "") for key in ("host", "dbname")]
        ports = options.get("port", "").replace(",", "")
        if not any("@" in text for text in visible) and (not ports or ports.isdecimal()):
            return options
    raise PydpstatError(
        f"url must have the form {_URL_EXAMPLE!r}; the one given cannot be read. Percent-encode special characters "
        "of a password, for example @ as %40."
    )


def _format_url(options: dict[str, str]) -> str:
    """Format options without secrets as a url."""
    remaining = dict(sorted(options.items()))
    host, port = remaining.get("host", ""), remaining.get("port", "")
    address = ""
    if not set(host + port) & set(",:/"):
        remaining.pop("host", None), remaining.pop("port", None)
        address = quote(host) + (f":{port}" if port else "")
    user = remaining.pop("user", "")
    address = f"{quote(user, safe='')}@{address}" if user else address
    return _with_query(f"postgresql://{address}/{quote(remaining.pop('dbname', ''), safe='')}", remaining)


def _with_query(url: str, more: dict[str, str]) -> str:
    return url + ("&" if "?" in url else "?") + urlencode(more, quote_via=quote) if more else url


def _check_name(name: object) -> str:
    if isinstance(name, str) and name and "\0" not in name and name.isprintable():
        return name
    raise PydpstatError(
        f"name must be a string of printable characters; got {checks.describe_option(name)}. Give for example 'survey'."
    )
