"""Which frames the traceback of an error of a call shows."""

import os
import subprocess
import sys
import textwrap
import traceback

import pytest

import pydpstat as dp

CALLS = {
    "people.mean('agee', 1.0)": "variables must be columns",
    "people.count('agee > 3', 1.0)": "on declared columns",
    "people.crosstab(['sex', 'g'], 1.0)": "variables must be columns",
    "people.ols('age ~ x', 1.0)": "variables must be columns",
    "dp.mean([1.0, 2.0], 1.0, bounds=(3, 2))": "bounds must be a pair",
    "dp.mean([1.0, 2.0], -1.0, bounds=(3, 5))": "epsilon must be",
    "dp.mean([1.0, 2.0], eps=1.0)": "mean has no argument 'eps'",
    "dp.design({'x': [1.0]}, bounds={'y': (0, 1)})": "bounds must name columns",
    "dp.Budget(-1)": "epsilon",
    "people.assign(z='x +')": "must be one that Python can read",
}


def run(call, *options):
    """Return the traceback of a call in another process."""
    text = f"""
        import pydpstat as dp
        people = dp.design({{"age": [30.0, 40.0], "sex": ["f", "m"]}}, bounds={{"age": (18, 90)}}, rng=1)
        calls = {call!r}
        import traceback
        for call in calls:
            try:
                exec(compile(call, "user.py", "exec"))
            except dp.PydpstatError:
                print(traceback.format_exc().replace("\\n", "\\n  "))
                print("END")
    """
    arguments = [sys.executable, *options, "-c", textwrap.dedent(text)]
    environment = {name: value for name, value in os.environ.items() if name != "PYTEST_CURRENT_TEST"}
    done = subprocess.run(arguments, capture_output=True, text=True, check=True, env=environment)
    return done.stdout.split("END\n")[:-1]


def test_an_error_shows_the_line_of_the_user_and_at_most_one_frame_of_the_package():
    shown = run(list(CALLS))
    assert len(shown) == len(CALLS)
    for (call, message), text in zip(CALLS.items(), shown):
        assert message in text, call
        final = text.rpartition("Traceback (most recent call last)")[2]
        assert final.count('File "user.py"') == 1 and final.count("pydpstat/") <= 1 + ("errors" in text), (call, text)


def test_all_frames_are_shown_in_development_mode():
    (text,) = run(["people.mean('agee', 1.0)"], "-X", "dev", "-W", "ignore")
    assert text.count("pydpstat/") > 3


def test_tests_show_all_frames():
    with pytest.raises(dp.PydpstatError) as caught:
        dp.mean([1.0, 2.0], 1.0, bounds=(3, 2))
    assert len(traceback.extract_tb(caught.tb)) > 3


def test_an_unexpected_error_keeps_its_frames(monkeypatch):
    monkeypatch.delenv("PYTEST_CURRENT_TEST")

    def fail(*arguments):
        raise RuntimeError("unexpected")

    monkeypatch.setattr("pydpstat.statistics.mean.make_mean_query", fail)
    with pytest.raises(RuntimeError) as caught:
        dp.mean([1.0, 2.0], 1.0, bounds=(0, 5))
    assert traceback.extract_tb(caught.tb)[-1].name == "fail" and len(traceback.extract_tb(caught.tb)) > 3
