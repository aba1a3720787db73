"""Every flaw of a grammar is found however it is carried; without the flaw there is no finding.

The examples of R's help pages release nothing: nothing in them is a finding.
"""

from __future__ import annotations

import os
import shutil
import subprocess

import pytest

from pydpstat.errors import PydpstatError
from pydpstat.porting._check import check_script
from pydpstat.porting._findings import RULES
from tests.porting import flaws

# by hand PYDPSTAT_FUZZ=5000 finds what is rare
COUNT = int(os.environ.get("PYDPSTAT_FUZZ", "10")) * len(flaws.FLAWS)
PACKAGES = ("base", "stats", "utils", "datasets", "MASS", "dplyr")
# writes the examples of a package's help pages, those that are not run included
EXAMPLES = """
package <- commandArgs(TRUE)[1]
pages <- tools::Rd_db(package)
for (name in names(pages)) {
  tools::Rd2ex(pages[[name]], sub("Rd$", "R", name), commentDontrun = FALSE, commentDonttest = FALSE)
}
"""


def rules(path, text):
    path.write_text(text, encoding="utf-8")
    return {each.rule for each in check_script(path).findings}


def wrong(path, scripts):
    """Return the scripts whose flaw is missed, and those that are accused without one."""
    missed = [each.flawed for each in scripts if each.rule not in rules(path, each.flawed)]
    return missed, [each.sound for each in scripts if rules(path, each.sound)]


def test_some_flaws_are_found_and_scripts_without_them_are_left_alone(tmp_path):
    assert wrong(tmp_path / "a.R", flaws.scripts(1, 400)[::33]) == ([], [])


@pytest.mark.slow
def test_flaws_are_found_however_they_are_carried(tmp_path):
    assert wrong(tmp_path / "a.R", flaws.scripts(2, COUNT)) == ([], [])


def test_the_grammar_is_used_in_whole():
    several = flaws.scripts(3, 60 * len(flaws.FLAWS))
    assert len({each.flawed for each in several}) > 0.9 * len(several)
    assert {each.rule for each in flaws.FLAWS} <= {*RULES}
    text = "".join(each.flawed for each in several)
    for start in ("purrr::partial(", "do.call(", "match.fun(", "local({", "Map(function", "<<-", "->"):
        assert start in text


@pytest.mark.live
@pytest.mark.slow
@pytest.mark.parametrize("package", PACKAGES)
def test_help_pages_release_nothing_and_are_left_alone(tmp_path, package):
    if shutil.which("Rscript") is None:
        pytest.skip("needs Rscript")
    (tmp_path / "examples.R").write_text(EXAMPLES, encoding="utf-8")
    (tmp_path / "pages").mkdir()
    command = ["Rscript", "../examples.R", package]
    if subprocess.run(command, cwd=tmp_path / "pages", capture_output=True, check=False).returncode:
        pytest.skip(f"needs R's package {package}")
    found, read = {}, 0
    for path in sorted((tmp_path / "pages").iterdir()):
        try:
            report = check_script(path)
        except PydpstatError:
            # some examples are commands of a shell, or empty
            continue
        read += 1
        if report.findings or report.releases:
            found[path.name] = [str(each.place) for each in report.findings]
    assert found == {} and read > 60
