"""Files that are whole or not there."""

import pytest

from pydpstat._files import write_atomically, write_text


def test_texts_are_written_whole(tmp_path):
    target = tmp_path / "deep" / "report.md"
    write_text(target, "one\n")
    write_text(target, "two €\n")
    assert target.read_text(encoding="utf-8") == "two €\n" and list(target.parent.iterdir()) == [target]


def test_an_error_leaves_the_old_file_and_nothing_else(tmp_path):
    target = tmp_path / "report.md"
    write_text(target, "old")
    with pytest.raises(KeyboardInterrupt), write_atomically(target) as part:
        part.write_text("half of it")
        raise KeyboardInterrupt
    assert target.read_text() == "old" and list(tmp_path.iterdir()) == [target]


def test_a_file_can_be_read_by_others(tmp_path):
    write_text(tmp_path / "report.md", "text")
    (tmp_path / "plain.md").write_text("text")
    modes = {each.stat().st_mode for each in tmp_path.iterdir()}
    assert len(modes) == 1
