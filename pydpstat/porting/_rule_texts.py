"""Texts of a check's findings: the reason, the actual guarantee, and the correction."""

from __future__ import annotations

# corrections in R code
R_REPLACEMENTS = {
    "1": "rgeom(n, p) - rgeom(n, p), a difference of two",
    "2": 'mechanism = "analytic" with a delta',
    "3": "DPpack::ExponentialMechanism",
    "4": "breaks = c(...), written in the script, from lower.bound to upper.bound",
    "5": 'which.sensitivity = "bounded", with the number of records public',
    "6": "DPpack::GaussianMechanism with analytic = TRUE",
    "8": "factor(x, levels = c(...)), with levels that are written in the script",
    "9": "a finite upper.bound",
    "11": "a delta of 1e-10 or more",
    "14": "a proven sensitivity, without sensitivitySampler",
    "delta": "a delta far below 1/n, a finite epsilon and a positive sensitivity",
    "C1": "gamma = 1",
    "C2": "X and y clipped to the bounds before the call, and add.bias = TRUE",
    "C3": "LogisticRegressionDP$new(...) with gamma = 1",
    "C4": "columns and bounds divided by the largest length of a record",
    "C5": "a smaller eps, or the guarantee for added and removed records",
    "C6": "a smaller eps, as a margin",
    "C8": "arguments above 0 and finite, and a delta below 1",
    "C9": 'perturbation.method = "output" with gamma = 1, or svmDP$new(...)',
}
OWN_REPLACEMENTS = {
    "meanDP": "mean(x, epsilon, bounds=(0, 100))",
    "varDP": "var(x, epsilon, bounds=(0, 100))",
    "sdDP": "std(x, epsilon, bounds=(0, 100))",
    "covDP": "cov(x, y, epsilon, bounds=[(0, 100), (0, 100)])",
    "histogramDP": "histogram(x, epsilon, edges=[0, 50, 100])",
    "tableDP": 'crosstab(x, epsilon, levels=["a", "b"])',
    "quantileDP": "quantile(x, 0.5, epsilon, bounds=(0, 100))",
    "medianDP": "median(x, epsilon, bounds=(0, 100))",
}
EXAMPLE_ARGUMENTS = {
    "breaks": "breaks = c(0, 50, 100)",
    "levels": 'levels=["a", "b"]',
    "edges": "edges=[0, 50, 100]",
    "bounds": "bounds=(0, 100)",
}
# a rule with its severity; then finding, reason, actual guarantee and correction, one per line
_RULE_TEXTS = """\
levels error
The levels of {name} are computed from the data: {how}.
The levels are published; one that only one person has shows that this person is there.
epsilon is infinite{claimed}.
{instead}

groups error
The groups of {name} are taken from the data: {how}.
Their labels are published; one that only one person has shows that this person is there.
epsilon is infinite{claimed}.
{instead}

epsilon warning
epsilon of {name} is {epsilon:g}.
Usual values are between 0.01 and 10; with this one the noise hides nobody.
a guess of one person's value is right with a chance of nearly 1, where it was 1/2.
{instead}

argument error
{word} of {name} is computed from the data: {how}.
It is treated as public, but one record can change it, and with it the scale of the noise.
epsilon is infinite{claimed}.
{instead}

design error
{word} of the design are computed from the data: {how}.
They are published with every release of the design.
epsilon is infinite.
{word} that were chosen without the data.

seed error
The seed of the noise of {name} is published with the script.
The noise is {how}.
epsilon is infinite for each release after it.
{instead}

records-changed error
The records of {name} are changed by a figure of the same data: {how}.
One person then changes the values of all others, and not only the own one.
the sensitivity is not proven: epsilon can be any{claimed}.
{instead}

number-selected note
{name} treats the number of selected records as public: {how}.
The noise scale is computed from it, and a person may be selected or not.
-
{instead}

closure error
The written object is the function that DPMechBernstein returns.
In its environment are the data, the exact function and the noise.
epsilon is infinite.
the values of the function at points of a grid; or pydpstat.DPMechBernstein, which returns the noisy \
coefficients only.

raw warning
A raw value is {how}.
It has no noise{beside}.
epsilon is infinite.
only private releases of it, as {instead}.

finding-12 warning
{name} is shown with more digits than its noise has: {how}.
R makes noise from 32-bit numbers, and only few true values fit to a number with all its digits.
what is kept is not known, if all digits are shown.
pydpstat's functions, whose noise is exact; with at most 7 digits much less is revealed.

generator warning
The noise of {name} is made by a generator in the place of the operating system.
Only few true values fit to a floating-point number, and the state of a generator can be guessed or recorded.
what is kept is not known.
the release without rng, with noise from the operating system.

finding-13 warning
Noise is added to figures of the same data ({name}) at several levels, in {how}.
Each level is a separate release, and what they spend adds up; no total in the script covers it.
{figure}.
shares of a total as the epsilons of the levels; or pydpstat.consistency.release_hierarchy.

finding-15 warning
The records of {name} may be missing: {how}.
One missing value makes the result missing or an error, which tells that there is one.
epsilon is infinite{claimed}, unless it is public whether values are missing.
a public value inside the bounds for what is missing, as x[is.na(x)] <- 50; or missing=50 in pydpstat's \
functions.

finding-C7 error
The noise of {name} is made by the script's own {word}, as R looks for it there first.
R's models call rgamma and optim by name; with another rgamma the noise differs, or there is none.
what is kept is not known{claimed}.
another name for that function; or pydpstat.{name}, which has its own noise.

repeated-without-end error
The same data ({name}) are released an unknown number of times.
Each round of the loop around {how} spends again.
no sum can be stated; epsilon is unbounded.
a loop of a number of rounds that is written in the script; or with pydpstat.Budget(total), which adds up \
and stops.

repeated warning
The same data ({name}) are released {how}.
What is spent adds up, and no total in the script covers it.
together {figure}.
total.eps <- {epsilon:.6g}, with shares of it as eps; or with pydpstat.Budget(total), which adds up \
and stops."""
TEXT_BLOCKS = {block.partition(" ")[0]: block.split("\n") for block in _RULE_TEXTS.split("\n\n")}
