#!/bin/sh
# Set-up for a checkout on a machine where nothing is prepared. The Makefile says when it is needed:
#
#   sh tools/setup.sh demo     Python's side, as far as the tutorial needs it
#   sh tools/setup.sh python   the same with the test tools
#   sh tools/setup.sh r        R's side
#   sh tools/setup.sh browser  Chromium, which opens the built pages; the session docs calls it
#
# Three paths: Python's packages from PyPI into .venv; or else from Debian, and .venv sees them; and R
# from Debian, with the packages that pydpstat is compared with from CRAN in .r-library.
# A side ends with a stamp in .venv, in which it names what could not be had.

set -u

SIDE=${1:-}
case $SIDE in demo | python | r | browser) ;; *) echo "usage: sh tools/setup.sh demo|python|r|browser" >&2; exit 2 ;; esac
cd "$(dirname "$0")/.." || exit 1
export PIP_USER=0 PIP_NO_INPUT=1 PIP_DISABLE_PIP_VERSION_CHECK=1 DEBIAN_FRONTEND=noninteractive

STATE=.cache/setup
LOG=$STATE/$SIDE.txt
VENV_PYTHON=.venv/bin/python

DEMO_MODULES="numpy scipy pandas statsmodels mpmath matplotlib pydpstat"
TEST_MODULES="pytest xdist hypothesis nox sklearn"
STYLE_MODULES="mypy sphinx myst_parser numpydoc furo nbclient ipykernel"

DEMO_DEBIAN="python3 python3-venv python3-hatchling python3-numpy python3-scipy python3-pandas
    python3-statsmodels python3-matplotlib python3-mpmath"
TEST_DEBIAN="python3-pytest python3-pytest-xdist python3-hypothesis python3-nox python3-sklearn python3-jedi
    mypy flake8 isort python3-sphinx python3-myst-parser python3-numpydoc furo python3-nlopt
    python3-nbclient python3-ipykernel python3-psycopg"
R_DEBIAN="r-base-core r-cran-rmutil r-cran-rdpack r-cran-r6 r-cran-dplyr r-cran-mass r-cran-nloptr
    r-cran-e1071 r-cran-ggplot2 r-cran-gsl r-cran-testthat r-cran-rsolnp r-cran-numderiv r-cran-reticulate"

say() { printf 'set-up: %s\n' "$*"; }

note() { say "$@" >>$STATE/notes; }

fail() {
    if [ -s $LOG ]; then
        printf 'The last lines of %s:\n' "$LOG" >&2
        tail -n 20 $LOG | sed 's/^/    /' >&2
    fi
    printf 'set-up failed: %s\n' "$*" >&2
    exit 1
}

# step TEXT COMMAND...: says what is done, then does it with its output in the log.
step() {
    say "$1"
    printf '\n== %s\n' "$1" >>$LOG
    shift
    "$@" </dev/null >>$LOG 2>&1
}

has() { command -v "$1" >/dev/null 2>&1; }

# ------------------------------------------------------------------ Debian's packages

debian_missing() {
    for package in $1; do
        dpkg-query -W -f '${db:Status-Status}\n' "$package" 2>/dev/null | grep -qx installed || printf '%s ' "$package"
    done
}

apt_install() {
    # An earlier apt that was interrupted would make the next one stop.
    dpkg --configure -a
    apt-get -o DPkg::Lock::Timeout=120 update
    # A release may lack a package: it must not keep the others away.
    offered=$(apt-cache madison "$@" | awk '{ print $1 }' | sort -u)
    # shellcheck disable=SC2086  # a list of names
    [ -n "$offered" ] && apt-get -o DPkg::Lock::Timeout=120 install --yes --no-install-recommends $offered
}

# debian_install TEXT PACKAGES: as root; for others `advice` is then the command to type.
debian_install() {
    missing=$(debian_missing "$2")
    advice="apt-get update && apt-get install -y --no-install-recommends ${missing% }"
    if [ -z "$missing" ] || [ "$(id -u)" = 0 ]; then advice=; fi
    # shellcheck disable=SC2086
    [ -z "$missing" ] || [ -n "$advice" ] || step "$1 (1 to 2 minutes)" apt_install $missing ||
        say "apt did not give all of it: $LOG has the reason."
}

# ------------------------------------------------------------------ Python's side

# -P: what is in this folder is not yet installed.
lacking() {
    "$VENV_PYTHON" -P -c 'import importlib.util as u, sys; print(*[n for n in sys.argv[1:] if not u.find_spec(n)])' "$@"
}

# Debian's Python cannot make a virtual environment without python3-venv.
is_new() { "$1" -c 'import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 11))' >/dev/null 2>&1; }

way() { cat .venv/pydpstat-way 2>/dev/null; }

python_from_pypi() {
    if [ -z "$(way)" ]; then
        for python in ${PYTHON:+"$PYTHON"} python3 python3.13 python3.12 python3.11 python3.14 /usr/bin/python3 ''; do
            ! is_new "$python" || break
        done
        [ -n "$python" ] || return 1
        step "a Python environment in .venv, with $python" "$python" -m venv --clear .venv || return 1
        # pip is slow to give up. Without apt there is no other way to choose.
        ! has apt-get || step "asking whether PyPI can be reached" \
            "$VENV_PYTHON" -m pip install --timeout 4 --retries 1 pluggy || return 1
    fi
    if [ "$SIDE" = demo ]; then extra=plot minutes="about 1 minute"; else extra=dev minutes="1 to 3 minutes"; fi
    step "Python packages from PyPI ($minutes)" "$VENV_PYTHON" -m pip install -e ".[$extra]" || return 1
    echo pypi >.venv/pydpstat-way
    # A machine may have no wheel of it: a failure costs the linear regressions only.
    [ "$SIDE" = demo ] || step "nlopt from PyPI" "$VENV_PYTHON" -m pip install -e '.[models]' || :
    [ "$SIDE" = demo ] || step "psycopg from PyPI" "$VENV_PYTHON" -m pip install -e '.[postgres]' || :
}

python_from_debian() {
    say "PyPI is not used here: Debian's packages are."
    debian_install "Debian's Python packages" "$DEMO_DEBIAN $([ "$SIDE" = demo ] || echo "$TEST_DEBIAN")"
    is_new /usr/bin/python3 || return 1
    step "a Python environment in .venv, with Debian's packages" \
        /usr/bin/python3 -m venv --clear --system-site-packages .venv || return 1
    step "pydpstat itself, from this checkout" \
        "$VENV_PYTHON" -m pip install --no-build-isolation --no-deps --no-index -e . || return 1
    echo debian >.venv/pydpstat-way
}

python_side() {
    needed="$DEMO_MODULES $([ "$SIDE" = demo ] || echo "$TEST_MODULES")"
    { [ "$(way)" != debian ] && python_from_pypi; } || { has apt-get && python_from_debian; } || rm -f .venv/pydpstat-way
    # shellcheck disable=SC2086
    absent=$([ -n "$(way)" ] && lacking $needed) || absent="a Python 3.11 or later with what pydpstat needs"
    [ -z "$absent" ] || [ -z "${advice:-}" ] ||
        fail "PyPI cannot be used, and Debian's packages need root. Type this as root, then make again: $advice"
    [ -z "$absent" ] || fail "could not be had from PyPI or Debian: $absent. Is there a network? \
Another Python is named so: PYTHON=/path/to/python3.11 make"
    # Debian's packages are taken as they are: here is where one that is too old shows.
    ! conflicts=$("$VENV_PYTHON" -m pip check 2>/dev/null | grep '^pydpstat ') || fail "$conflicts"
    [ "$SIDE" = python ] || return 0
    # Two ways to the basic rules: Debian has no ruff, and beside ruff the others are not needed.
    # shellcheck disable=SC2046,SC2086
    absent=$(lacking $STYLE_MODULES $(if [ "$(way)" = pypi ]; then echo ruff; else echo flake8 isort; fi))
    [ -z "$absent" ] || note "not to be had: $absent - make lint, typecheck or docs will say so. make setup tries again."
    [ -z "$(lacking nlopt)" ] || note "not to be had: nlopt - LinearRegressionDP and what builds on it cannot fit," \
        "and their tests are skipped. make setup tries again."
}

# ------------------------------------------------------------------ R's side

r_version() { R --version 2>/dev/null | sed -n 's/^R version \([0-9.]*\).*/\1/p'; }

rpy2_works() { "$VENV_PYTHON" -c 'import rpy2.robjects' >>$LOG 2>&1; }

# rpy2 from PyPI may have to be compiled: a failure costs the live comparison only.
rpy2_from_pypi() {
    [ "$(way)" = pypi ] || return 1
    # Later ones need an R function that came with R 4.5.
    case $(r_version) in [0-3].* | 4.[0-4].*) bound='rpy2-rinterface<3.6.6' ;; *) bound= ;; esac
    step "rpy2 from PyPI (about 1 minute)" "$VENV_PYTHON" -m pip install -e '.[r]' ${bound:+"$bound"} && rpy2_works
}

r_side() {
    # Debian's packages are of no use to another R.
    if has apt-get && { ! has R || [ -z "$(debian_missing r-base-core)" ]; }; then
        debian_install "R and the R packages that Debian has" "$R_DEBIAN $([ "$(way)" = pypi ] || echo python3-rpy2)"
        [ -z "$advice" ] || note "not installed: ${missing}- to have them, type as root: $advice"
    fi
    if has Rscript && has R; then
        Rscript r_reference/install.R --check >/dev/null 2>&1 ||
            step "DPpack and diffpriv from CRAN into .r-library (15 seconds, or minutes where much is compiled)" \
                Rscript r_reference/install.R "$PWD/.r-library"
        sed -n 's/^pydpstat-note: /set-up: /p' $LOG >>$STATE/notes
        sed -n 's/^pydpstat-different: /set-up: /p' $LOG
        rpy2_works || rpy2_from_pypi || note "rpy2 does not work with this R ($LOG has the reason):" \
            "there is no live comparison with R, recorded references are used."
    else
        note "R is not installed: there is no live comparison with R, recorded references are used."
    fi
    [ ! -s $STATE/notes ] || note "make setup tries again."
}

if [ "$SIDE" = browser ]; then
    mkdir -p $STATE && : >$LOG
    browser() { has chromium || has chromium-browser || has google-chrome; }
    browser || ! has apt-get || debian_install "Chromium, for the tests of the pages" chromium
    browser || say "no Chromium: the pages are not tested.${advice:+ To have it, type as root: $advice}"; exit 0
fi
{ mkdir -p $STATE && [ -w . ] && : >$LOG && : >$STATE/notes; } 2>/dev/null ||
    fail "cannot write in $PWD: make the folder yours, or clone it again."
if [ "$SIDE" = r ]; then
    r_side
    mkdir -p .r-library
    rm -f .r-library/pydpstat-ready-*
    mv $STATE/notes ".r-library/pydpstat-ready-$(r_version)"
else
    python_side
    mv $STATE/notes ".venv/pydpstat-ready-$SIDE"
fi
say "done."
