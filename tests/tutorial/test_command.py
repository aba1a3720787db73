"""The command's text, exit code and picture."""

from __future__ import annotations

import os
import struct
import subprocess
import sys
import types
from dataclasses import replace
from pathlib import Path

import pytest

import pydpstat
from pydpstat.__main__ import main
from pydpstat.parity import _tutorial as tutorial
from pydpstat.parity import case as reference
from pydpstat.parity.case import Step

steps = reference.part("tutorial.steps")
corrections = reference.part("tutorial.corrections").corrections
NO_MATPLOTLIB = "No picture. The picture needs matplotlib: pip install 'pydpstat[plot]', or '.[plot]' in a checkout"


def tampered(number: int) -> tuple[Step, ...]:
    """The steps with one more unit in the seventh digit of a row's first value."""
    step = steps.STEPS[number - 1]
    wrong = replace(step.recorded[0], value=step.recorded[0].value * (1 + 1e-6))
    changed = replace(step, recorded=(wrong, *step.recorded[1:]))
    return (*steps.STEPS[: number - 1], changed, *steps.STEPS[number:])


def without_matplotlib(monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)


def test_text(monkeypatch, capsys):
    without_matplotlib(monkeypatch)
    assert main(["tutorial"]) == 0
    out, err = capsys.readouterr()
    lines = out.splitlines()
    assert err == "" and out.isascii()
    assert max(map(len, lines)) <= tutorial.WIDTH
    numbers = [line[:2].strip() for line in lines if line[2:4] == "  "]
    assert [number for number in numbers if number] == [str(i) for i in range(1, 13)]
    assert "12 of 12 equal" in lines and "DIFFERENT" not in out
    assert "    PrivacyWarning: its true epsilon is 1.6931, not 1; at epsilon 1 its delta is 0.3161" in lines
    told = "    PrivacyWarning: histogramDP publishes breaks computed from the data: its epsilon is infinite"
    assert told in lines
    assert "differentially private" in out
    assert lines[-1] == NO_MATPLOTLIB


def test_corrections_have_the_figures_that_hold():
    told = " ".join(" ".join(corrections()).split())
    for figure in ("epsilon 1.6931, not 1", "delta 0.3161", "epsilon 0.8", "1.4 for", "8 with"):
        assert figure in told


@pytest.mark.parametrize("number", [1, 4])
def test_a_tampered_constant_is_different(monkeypatch, capsys, number):
    without_matplotlib(monkeypatch)
    monkeypatch.setattr(steps, "STEPS", tampered(number))
    assert main(["tutorial"]) == 1
    lines = capsys.readouterr().out.splitlines()
    assert "11 of 12 equal" in lines
    (different,) = [i for i, line in enumerate(lines) if line.endswith("DIFFERENT")]
    # the line below has all digits of both
    theirs, ours = (word for word in lines[different + 1].split() if word not in ("R", "Python"))
    assert len(theirs) > 15 and theirs != ours


def test_every_verdict_fits(monkeypatch, capsys):
    without_matplotlib(monkeypatch)
    breaks = steps.STEPS[7].recorded[0]
    wrong = replace(breaks, value=tuple(-value for value in breaks.value))
    step = replace(steps.STEPS[7], recorded=(wrong, steps.STEPS[7].recorded[1]))
    monkeypatch.setattr(steps, "STEPS", (step,))
    monkeypatch.setattr("pydpstat.parity._tutorial._report_picture", lambda *_: True)
    preamble = (*steps.PYTHON_PREAMBLE, "private_mean = meanDP([1, 2], 1, 0, 1, rng=1)")
    monkeypatch.setattr(steps, "PYTHON_PREAMBLE", preamble)
    assert main(["tutorial"]) == 1
    out = capsys.readouterr().out
    assert "DIFFERENT" in out and max(map(len, out.splitlines())) <= tutorial.WIDTH


def test_picture(monkeypatch, capsys, tmp_path):
    pytest.importorskip("matplotlib")
    monkeypatch.chdir(tmp_path)
    assert main(["tutorial"]) == 0
    path = Path("output") / tutorial.PICTURE_NAME
    assert capsys.readouterr().out.splitlines()[-1] == f"The two histograms, side by side: {path}"
    assert_png(path)
    assert [each.name for each in Path("output").iterdir()] == [tutorial.PICTURE_NAME]


def test_picture_in_another_folder(tmp_path, capsys):
    pytest.importorskip("matplotlib")
    assert main(["tutorial", "--output", str(tmp_path / "a" / "b")]) == 0
    assert_png(tmp_path / "a" / "b" / tutorial.PICTURE_NAME)
    capsys.readouterr()


def test_an_interrupted_picture_leaves_the_old_one(monkeypatch, tmp_path):
    figure = pytest.importorskip("matplotlib.figure")
    from pydpstat import r_arithmetic as r

    def half_written(self, path, **_):
        Path(path).write_bytes(b"\x89PNG")
        raise OSError("no space left")

    monkeypatch.setattr(figure.Figure, "savefig", half_written)
    (tmp_path / tutorial.PICTURE_NAME).write_text("the old one")
    shape = r.hist([1.0, 2.0, 2.5])
    with pytest.raises(OSError, match="no space"):
        tutorial.write_picture(shape, shape, tmp_path)
    assert [path.read_text() for path in tmp_path.iterdir()] == ["the old one"]


def test_a_folder_that_cannot_be_made(tmp_path, capsys):
    pytest.importorskip("matplotlib")
    (tmp_path / "file").write_text("")
    assert main(["tutorial", "--output", str(tmp_path / "file")]) == 1
    out, err = capsys.readouterr()
    assert "12 of 12 equal" in out and "--output" in err


@pytest.mark.slow
def test_as_a_process(tmp_path):
    pytest.importorskip("matplotlib")
    root = Path(pydpstat.__file__).parents[1]
    done = subprocess.run(
        [sys.executable, "-W", "error::UserWarning", "-m", "pydpstat", "tutorial"],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(root)},
        capture_output=True,
        text=True,
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert_png(tmp_path / "output" / tutorial.PICTURE_NAME)


def test_outside_a_checkout_it_says_what_it_needs(monkeypatch, tmp_path, capsys):
    monkeypatch.setattr(reference, "_CHECKOUT", tmp_path)
    monkeypatch.chdir(tmp_path)
    assert main(["tutorial"]) == 2
    out, err = capsys.readouterr()
    assert out == "" and err.startswith("python -m pydpstat tutorial: ")
    assert "Run it in a checkout" in err and len(err.splitlines()) == 1


def test_help(capsys):
    assert main([]) == 0
    general = capsys.readouterr().out
    assert "tutorial" in general and "parity" in general
    with pytest.raises(SystemExit) as stopped:
        main(["tutorial", "--help"])
    assert stopped.value.code == 0 and "--output" in capsys.readouterr().out


@pytest.mark.parametrize("argv", [["nonsense"], ["--nonsense"], ["tutorial", "--nonsense"]])
def test_wrong_arguments(argv, capsys):
    with pytest.raises(SystemExit) as stopped:
        main(argv)
    assert stopped.value.code == 2
    capsys.readouterr()


def test_help_imports_nothing_heavy():
    code = "import sys, pydpstat.__main__ as m; m.main([]); print(sorted(sys.modules), file=sys.stderr)"
    environment = {**os.environ, "PYTHONPATH": str(Path(pydpstat.__file__).parents[1])}
    done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True)
    assert "'argparse'" in done.stderr
    assert "'numpy'" not in done.stderr and "'pandas'" not in done.stderr


def test_parity_gets_its_own_arguments(monkeypatch):
    seen = []

    def parity(argv):
        seen.append(argv)
        return 3

    command = types.SimpleNamespace(main=parity)
    monkeypatch.setitem(sys.modules, "pydpstat.parity._report", command)
    assert main(["parity", "--json", "report.json", "meanDP", "--help"]) == 3
    assert seen == [["--json", "report.json", "meanDP", "--help"]]


def assert_png(path: Path) -> None:
    content = path.read_bytes()
    assert content[:8] == b"\x89PNG\r\n\x1a\n" and content[-8:-4] == b"IEND"
    width, height = struct.unpack(">II", content[16:24])
    assert (width, height) == (1350, 675) and len(content) > 10_000
