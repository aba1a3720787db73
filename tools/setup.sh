#!/bin/sh
# Set-up for a checkout on a machine where nothing is prepared. The Makefile calls it:
#
#   sh tools/setup.sh demo    Python's side, as far as the tutorial needs it
#   sh tools/setup.sh all     Python's side with the test tools, and R's side
#   sh tools/setup.sh again   the same, and what could not be had before is tried again
#
# It makes .venv (the Python that has everything) and .r-library (the R packages that pydpstat
# is compared with). Python's packages come from PyPI, or else from Debian's packages; R and
# what its packages depend on from Debian's packages, or else from CRAN.
#
#   PYDPSTAT_NO_R=1       leaves R alone
#   PYDPSTAT_REQUIRE_R=1  fails where R's side is not complete
#   PYTHON=/path/python3  the Python to make .venv with, where PyPI is used
#
# A stamp says what a finished run left behind. It holds for the same files, the same folder and
# the same interpreters, and it is compared with what is really there before it is believed.

set -u

LEVEL=${1:-all}
case $LEVEL in demo | all | again) ;; *) echo "usage: sh tools/setup.sh demo|all|again" >&2; exit 2 ;; esac

case $LEVEL in demo) target=demo ;; all) target='test' ;; again) target=setup ;; esac

ROOT=$(cd "$(dirname "$0")/.." && pwd) || exit 1
cd "$ROOT" || exit 1

# The user's settings that would lead Python, pip or R away from this checkout.
unset R_HOME PYTHONPATH PYTHONHOME VIRTUAL_ENV
[ "${PYDPSTAT_NO_R:-0}" != 0 ] || unset PYDPSTAT_NO_R
[ "${PYDPSTAT_REQUIRE_R:-0}" != 0 ] || unset PYDPSTAT_REQUIRE_R
export PYTHONNOUSERSITE=1 PIP_USER=0 PIP_NO_INPUT=1 PIP_DISABLE_PIP_VERSION_CHECK=1
export DEBIAN_FRONTEND=noninteractive
case :${R_LIBS:-}: in
    *:"$ROOT/.r-library":*) ;;
    *) export R_LIBS="$ROOT/.r-library${R_LIBS:+:$R_LIBS}" ;;
esac

STATE=.cache/setup
LOG=$STATE/log.txt
VENV_PYTHON=.venv/bin/python
PYTHON_STAMP=.venv/pydpstat-stamp
R_STAMP=$STATE/r-stamp

DEMO_MODULES="numpy scipy pandas statsmodels mpmath matplotlib pydpstat"
TEST_MODULES="pytest xdist hypothesis nox sklearn"
STYLE_MODULES="mypy sphinx myst_parser numpydoc"
# Two ways to the same rules: Debian has no ruff, and beside ruff the others are not needed.
LINT_MODULES="ruff flake8 isort"
# The optimiser of the linear regressions: what needs it is skipped where it cannot be had.
MODEL_MODULES="nlopt"

DEMO_DEBIAN="python3 python3-venv python3-hatchling python3-numpy python3-scipy python3-pandas
    python3-statsmodels python3-matplotlib python3-mpmath"
TEST_DEBIAN="python3-pytest python3-pytest-xdist python3-hypothesis python3-nox python3-sklearn
    python3-jedi"
STYLE_DEBIAN="mypy flake8 isort python3-sphinx python3-myst-parser python3-numpydoc"
MODEL_DEBIAN="python3-nlopt"
R_DEBIAN="r-base-core r-cran-rmutil r-cran-rdpack r-cran-r6 r-cran-dplyr r-cran-mass r-cran-nloptr
    r-cran-e1071 r-cran-ggplot2 r-cran-gsl r-cran-testthat r-cran-rsolnp r-cran-numderiv"

# ------------------------------------------------------------------ saying and running

say() { printf 'set-up: %s\n' "$*"; }

fail() {
    printf 'set-up failed: %s\n' "$*" >&2
    exit 1
}

# step TEXT COMMAND...: says what is done, then does it with its output in the log.
step() {
    say "$1"
    printf '\n== %s\n' "$1" >>"$LOG"
    shift
    "$@" </dev/null >>"$LOG" 2>&1
}

show_log() {
    if [ -n "${shown:-}" ] || [ ! -s "$LOG" ]; then return; fi
    shown=yes
    printf 'The last lines of %s:\n' "$LOG" >&2
    tail -n 20 "$LOG" | sed 's/^/    /' >&2
}

# limited SECONDS PYTHON COMMAND...: macOS has no timeout(1).
limited() {
    limit=$1 runner=$2
    shift 2
    "$runner" -c '
import subprocess, sys
try:
    sys.exit(subprocess.run(sys.argv[2:], timeout=float(sys.argv[1])).returncode)
except subprocess.TimeoutExpired:
    sys.exit("no answer within the time limit")' "$limit" "$@"
}

has() { command -v "$1" >/dev/null 2>&1; }

is_root() { [ "$(id -u)" = 0 ]; }

# For root the first also sees other users' processes; for others Linux has the second.
runs() { kill -0 "$1" 2>/dev/null || [ -d "/proc/$1" ]; }

# One set-up at a time in a checkout: the second one waits, then finds everything done.
take_lock() {
    mkdir -p "$STATE" 2>/dev/null
    if [ ! -w "$STATE" ] || [ ! -w . ]; then
        fail "cannot write in $ROOT: make the folder yours, or clone it again."
    fi
    until mkdir "$STATE/lock" 2>/dev/null; do
        owner=$(cat "$STATE/lock/pid" 2>/dev/null)
        if [ -n "$owner" ] && runs "$owner"; then
            [ "${waiting:-}" ] || say "another set-up (process $owner) is at work here: waiting for it."
            waiting=yes
        elif [ -n "$owner" ] || [ "${unowned:-}" ]; then
            rm -rf "$STATE/lock"
        else
            unowned=yes
        fi
        sleep 1
    done
    if [ -n "${waiting:-}" ]; then
        rm -rf "$STATE/lock"
        exec sh tools/setup.sh "$LEVEL"
    fi
    trap 'rm -rf "$STATE/lock"' EXIT
    trap 'exit 130' HUP INT TERM
    echo $$ >"$STATE/lock/pid"
    : >"$LOG"
}

# ------------------------------------------------------------------ Debian's packages

debian_missing() {
    # shellcheck disable=SC2086  # a list of names
    dpkg-query -W -f '${Package} ${db:Status-Status}\n' $1 2>/dev/null |
        sed -n 's/ installed$//p' >"$STATE/debian-installed"
    for package in $1; do
        grep -qxF "$package" "$STATE/debian-installed" || printf '%s ' "$package"
    done
}

debian_update() {
    [ -z "${updated:-}" ] || return 0
    updated=yes
    # An earlier apt that was interrupted would make the next one stop.
    dpkg --configure -a
    apt-get -o DPkg::Lock::Timeout=120 -o Acquire::Retries=2 update
}

debian_install() {
    debian_update
    # A release may lack a package: it must not keep the others away.
    # shellcheck disable=SC2086
    apt-cache madison $1 | awk '{ print $1 }' | sort -u >"$STATE/debian-offered"
    [ -s "$STATE/debian-offered" ] || return 1
    # shellcheck disable=SC2046
    apt-get -o DPkg::Lock::Timeout=120 -o Acquire::Retries=2 install --yes --no-install-recommends \
        $(cat "$STATE/debian-offered")
}

# The command to type where apt needs rights that we do not have.
debian_command() {
    command="apt-get update && apt-get install -y --no-install-recommends $(printf '%s' "$1" | sed 's/ *$//')"
    if has sudo; then printf "sudo sh -c '%s'" "$command"; else printf "su -c '%s'" "$command"; fi
}

# ------------------------------------------------------------------ Python's side

# python_state MODULES: what the interpreter in .venv has, in one line; fails if it does not run.
python_state() {
    # -P: what is in the current folder is not yet installed.
    [ -x "$VENV_PYTHON" ] && "$VENV_PYTHON" -P -c '
import importlib.util, os, sys
import numpy, pydpstat
home = os.path.dirname(os.path.dirname(os.path.realpath(pydpstat.__file__)))
assert home == os.path.realpath("."), "pydpstat is another checkout"
have = [name for name in sys.argv[1:] if importlib.util.find_spec(name)]
print(sys.version.split()[0], *have)' "$@"
}

lacks() { # lacks STATE MODULES: those of MODULES that the state does not name
    state=$1
    shift
    for module in "$@"; do
        case " $state " in *" $module "*) ;; *) printf '%s ' "$module" ;; esac
    done
}

python_key() {
    printf '%s %s %s\n' "$(cat pyproject.toml tools/setup.sh | cksum)" "$1" "$ROOT"
}

# The first line of the stamp is its key, the second the state, the others notes for the user.
python_is_ready() {
    [ -f "$PYTHON_STAMP" ] || return 1
    key=$(sed -n 1p "$PYTHON_STAMP")
    [ "$key" = "$(python_key all)" ] || { [ "$LEVEL" = demo ] && [ "$key" = "$(python_key demo)" ]; } || return 1
    # shellcheck disable=SC2086
    [ "$(python_state $DEMO_MODULES $TEST_MODULES $STYLE_MODULES $LINT_MODULES $MODEL_MODULES 2>/dev/null)" = "$(sed -n 2p "$PYTHON_STAMP")" ]
}

# A Python that can make a virtual environment by itself; Debian's cannot without python3-venv.
find_python() {
    for candidate in ${PYTHON:+"$PYTHON"} python3 python3.13 python3.12 python3.11 python3.14 python /usr/bin/python3; do
        if "$candidate" -c 'import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 11))' >/dev/null 2>&1; then
            command -v "$candidate"
            return
        fi
    done
    return 1
}

# pip's own settings (a mirror, a proxy) apply; a small package that the next step needs anyway.
pypi_answers() {
    rm -rf "$STATE/probe"
    limited 10 "$VENV_PYTHON" "$VENV_PYTHON" -m pip download --quiet --no-deps --no-cache-dir \
        --timeout 4 --retries 1 --dest "$STATE/probe" pluggy
}

# Leaves a .venv with its pip and nothing else, or the one that a finished demo left.
pypi_python() {
    if [ "$(cat .venv/pydpstat-way 2>/dev/null)" = pypi ]; then return 0; fi
    python=$(find_python) || return 1
    rm -rf .venv
    step "a Python environment in .venv, with $python" "$python" -m venv .venv || return 1
    # Without apt there is no other way to choose.
    if has apt-get; then
        step "asking whether PyPI can be reached (10 seconds at most)" pypi_answers ||
            { say "it cannot: Debian's packages are used."; return 1; }
    fi
}

pypi_install() {
    if [ "$LEVEL" = demo ]; then extra=plot minutes="about 1 minute"; else extra=dev minutes="1 to 3 minutes"; fi
    step "Python packages from PyPI ($minutes)" "$VENV_PYTHON" -m pip install -e ".[$extra]" || {
        show_log
        ! has apt-get || say "PyPI did not give everything: Debian's packages are used."
        return 1
    }
    echo pypi >.venv/pydpstat-way
    # A machine may have no wheel of it: a failure costs the linear regressions only.
    [ "$LEVEL" = demo ] || step "nlopt from PyPI (a few seconds)" "$VENV_PYTHON" -m pip install -e '.[models]' || return 0
}

debian_python() {
    has apt-get || return 1
    ! [ -x /usr/bin/python3 ] || debian_python_is_new || return 1
    if [ "$LEVEL" = demo ]; then
        needed=$DEMO_DEBIAN useful='' minutes="about 1 minute"
    else
        needed="$DEMO_DEBIAN $TEST_DEBIAN" useful="$STYLE_DEBIAN $MODEL_DEBIAN" minutes="1 to 2 minutes"
    fi
    missing=$(debian_missing "$needed $useful")
    if [ -n "$missing" ] && is_root; then
        step "Debian's Python packages ($minutes)" debian_install "$missing" || show_log
    elif [ -n "$(debian_missing "$needed")" ]; then
        [ "$LEVEL" = demo ] || [ -n "${PYDPSTAT_NO_R:-}" ] || ! r_is_debians ||
            missing=$missing$(debian_missing "$R_DEBIAN python3-rpy2")
        fail "PyPI cannot be used here, and Debian's packages need root to install them. Type this, then make again:
$(debian_command "$missing")"
    fi
    debian_python_is_new || return 1
    if [ "$(cat .venv/pydpstat-way 2>/dev/null)" != debian ]; then
        rm -rf .venv
        step "a Python environment in .venv, with Debian's packages" \
            /usr/bin/python3 -m venv --system-site-packages .venv || return 1
    fi
    step "pydpstat itself, from this checkout" \
        "$VENV_PYTHON" -m pip install --no-build-isolation --no-deps --no-index -e . || return 1
    echo debian >.venv/pydpstat-way
}

debian_python_is_new() { /usr/bin/python3 -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; }

python_side() {
    if python_is_ready && { [ "$LEVEL" != again ] || [ -z "$(sed -n '3,$p' "$PYTHON_STAMP")" ]; }; then
        sed -n '3,$p' "$PYTHON_STAMP"
        return
    fi
    take_lock_once
    # Only a finished .venv in this very folder is built upon.
    case $(sed -n 1p "$PYTHON_STAMP" 2>/dev/null) in
        "$(python_key all)" | "$(python_key demo)") ;;
        *) rm -rf .venv ;;
    esac
    python_state >/dev/null 2>&1 || rm -rf .venv
    {
        [ "$(cat .venv/pydpstat-way 2>/dev/null)" != debian ] && pypi_python && pypi_install
    } || debian_python || {
        show_log
        fail "neither PyPI nor Debian's packages could give a Python 3.11 or later with what pydpstat needs.
Is there a network connection? The lines above may say more. If Python is too old here, install a
newer one (its venv module too) and name it: PYTHON=/path/to/python3.11 make $target"
    }
    finish_python
}

lint_modules() { if [ "$(cat .venv/pydpstat-way)" = pypi ]; then echo ruff; else echo flake8 isort; fi; }

finish_python() {
    if [ "$LEVEL" = demo ]; then needed=$DEMO_MODULES level=demo; else needed="$DEMO_MODULES $TEST_MODULES" level=all; fi
    # shellcheck disable=SC2086
    state=$(python_state $DEMO_MODULES $TEST_MODULES $STYLE_MODULES $LINT_MODULES $MODEL_MODULES 2>>"$LOG") || { show_log; fail "the Python in .venv does not work."; }
    # shellcheck disable=SC2086
    absent=$(lacks "$state" $needed)
    [ -z "$absent" ] || { show_log; fail "these Python packages could not be had: $absent"; }
    # Debian's packages are taken as they are: here is where one that is too old shows.
    "$VENV_PYTHON" -m pip check 2>/dev/null | grep '^pydpstat ' >"$STATE/conflicts"
    [ ! -s "$STATE/conflicts" ] || { cat "$STATE/conflicts" >&2; fail "a Python package is missing or too old, see above."; }
    {
        python_key "$level"
        echo "$state"
        # shellcheck disable=SC2086
        absent=$([ "$level" = demo ] || lacks "$state" $STYLE_MODULES $(lint_modules))
        [ -z "$absent" ] || echo "set-up: not to be had: $absent- make lint, typecheck or docs will say so. make setup tries again."
        # shellcheck disable=SC2086
        absent=$([ "$level" = demo ] || lacks "$state" $MODEL_MODULES)
        [ -z "$absent" ] || echo "set-up: not to be had: $absent- LinearRegressionDP and what builds on it cannot fit, and their tests are skipped. make setup tries again."
    } >"$STATE/python-stamp.new"
    sed -n '3,$p' "$STATE/python-stamp.new"
    mv "$STATE/python-stamp.new" "$PYTHON_STAMP"
}

# ------------------------------------------------------------------ R's side

r_version() { R --version 2>/dev/null | sed -n 's/^R version \([0-9.]*\).*/\1/p'; }

# What R's side has, in one line.
r_state() {
    if has Rscript && has R; then
        Rscript r_reference/install.R --check 2>/dev/null | sed -n 's/^pydpstat-have: //p' | tr '\n' ' '
    else
        printf 'no R '
    fi
    "$VENV_PYTHON" -c 'import importlib.util as u; print("rpy2" if u.find_spec("rpy2") else "no rpy2")'
}

r_key() {
    printf '%s %s\n' "$(cat tools/setup.sh r_reference/install.R r_reference/versions.txt r_reference/peers.txt | cksum)" "$ROOT"
}

r_is_ready() {
    [ -f "$R_STAMP" ] && [ "$(sed -n 1p "$R_STAMP")" = "$(r_key)" ] && [ "$(sed -n 2p "$R_STAMP")" = "$(r_state)" ]
}

r_notes() { sed -n '3,$p' "$R_STAMP"; }

note() { printf 'set-up: %s\n' "$*" >>"$STATE/r-notes"; }

# R is Debian's, or will be. Its r-cran packages are of no use to another R.
r_is_debians() {
    has apt-get && { ! has R || [ -z "$(debian_missing r-base-core)" ]; }
}

r_from_debian() {
    r_is_debians || return 0
    wanted=$R_DEBIAN
    [ "$(cat .venv/pydpstat-way)" = debian ] && wanted="$wanted python3-rpy2"
    missing=$(debian_missing "$wanted")
    [ -n "$missing" ] || return 0
    if is_root; then
        step "R and the R packages that Debian has (1 to 2 minutes)" debian_install "$missing" || show_log
    else
        note "not installed: $missing- to have them type: $(debian_command "$missing")"
    fi
}

r_packages() {
    Rscript r_reference/install.R --check >/dev/null 2>&1 && return
    step "DPpack and diffpriv from CRAN into .r-library (15 seconds, or minutes where much is compiled)" \
        Rscript r_reference/install.R "$ROOT/.r-library"
}

# rpy2 from PyPI may have to be compiled: a failure costs the live comparison only.
rpy2_from_pypi() {
    [ "$(cat .venv/pydpstat-way)" = pypi ] || return 0
    "$VENV_PYTHON" -c 'import rpy2.robjects' >/dev/null 2>&1 && return 0
    # Later ones need an R function that came with R 4.5.
    case $(r_version) in
        [0-3].* | 4.[0-4].*) bound='rpy2-rinterface<3.6.6' ;;
        *) bound= ;;
    esac
    step "rpy2 from PyPI (about 1 minute)" "$VENV_PYTHON" -m pip install -e '.[r]' ${bound:+"$bound"} || show_log
}

r_side() {
    [ "$LEVEL" != demo ] || return 0
    if [ -n "${PYDPSTAT_NO_R:-}" ]; then
        say "R is hidden (PYDPSTAT_NO_R): the comparison with R uses recorded references only."
        return
    fi
    if r_is_ready && { [ -z "$(r_notes)" ] || { [ "$LEVEL" != again ] && [ -z "${PYDPSTAT_REQUIRE_R:-}" ]; }; }; then
        r_notes
        return
    fi
    take_lock_once
    : >"$STATE/r-notes"
    rm -f "$R_STAMP"
    r_from_debian
    if has Rscript && has R; then
        r_packages
        sed -n 's/^pydpstat-note: /set-up: /p' "$LOG" >>"$STATE/r-notes"
        rpy2_from_pypi
        "$VENV_PYTHON" -c 'import rpy2.robjects' >>"$LOG" 2>&1 ||
            note "rpy2 does not work with this R ($LOG has the reason): there is no live comparison with R, recorded references are used."
    else
        note "R is not installed: there is no live comparison with R, recorded references are used."
    fi
    [ ! -s "$STATE/r-notes" ] || note "make setup tries again."
    { r_key; r_state; cat "$STATE/r-notes"; } >"$R_STAMP.new"
    mv "$R_STAMP.new" "$R_STAMP"
    r_notes
    sed -n 's/^pydpstat-different: /set-up: /p' "$LOG"
    if [ -s "$STATE/r-notes" ] && [ -n "${PYDPSTAT_REQUIRE_R:-}" ]; then
        show_log
        fail "R's side is not complete, and PYDPSTAT_REQUIRE_R asks for all of it."
    fi
}

take_lock_once() {
    [ -n "${locked:-}" ] || take_lock
    locked=yes
}

[ -z "${PYDPSTAT_NO_R:-}" ] || [ -z "${PYDPSTAT_REQUIRE_R:-}" ] ||
    fail "PYDPSTAT_NO_R and PYDPSTAT_REQUIRE_R contradict each other: unset one of them."
python_side
r_side
[ -z "${locked:-}" ] || say "done."
