"""``python -m pydpstat``: what is there before a command is chosen."""

import re

import pytest

from pydpstat import __version__
from pydpstat.__main__ import COMMANDS, main


def test_the_version_and_nothing_else(capsys):
    with pytest.raises(SystemExit) as ended:
        main(["--version"])
    assert ended.value.code == 0 and capsys.readouterr().out == f"pydpstat {__version__}\n"
    assert re.fullmatch(r"\d+\.\d+\.\d+", __version__)


def test_without_a_command_there_is_help(capsys):
    assert main([]) == 0
    shown = capsys.readouterr().out
    assert "--version" in shown and all(name in shown for name in COMMANDS)
