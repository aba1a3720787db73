"""Statements: what is said of each kind of result, of a budget and of a list, and that it is right."""

import itertools
import re
import warnings

import numpy as np
import pandas as pd
import pytest

import pydpstat as dp
from pydpstat.local import RandomizedResponse
from pydpstat.results.statements import Statement

N = 600
RNG = np.random.default_rng(20_260_101)
FRAME = pd.DataFrame(
    {
        "income": RNG.uniform(0.0, 100.0, N),
        "age": RNG.uniform(18.0, 90.0, N),
        "sex": RNG.choice(["f", "m"], N),
        "region": RNG.choice(["n", "s"], N),
        "person": np.arange(N) // 2,
    }
)
PART = FRAME.income.to_numpy()[:, None] / 100.0
UPPER = FRAME.age.to_numpy() > 50.0


def people(**more):
    facts = {"bounds": {"income": (0, 100), "age": (18, 90)}}
    facts["levels"] = {"sex": ["f", "m"], "region": ["n", "s"]}
    return dp.design(FRAME, **facts, **{"neighbors": "bounded", **more})


def said(statement):
    return dict(statement.points)


@pytest.fixture(autouse=True)
def quiet():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", dp.PrivacyWarning)
        yield


# what is released, and its name and mechanism in the statement
KINDS = {
    "mean": (lambda: people().mean("income", 0.5, by="region"), "mean of income by region", "Laplace noise"),
    "choice": (lambda: people().median("income", 0.5), "median of income", "permute-and-flip"),
    "test": (
        lambda: people().ttest_ind("income ~ sex", 0.5),
        "Welch's t test of income by sex",
        "Laplace noise",
    ),
    "regression": (
        lambda: people().ols("income ~ age + C(sex)", 0.5),
        "regression of income on age and sex",
        "maximum-norm noise",
    ),
    "moments": (lambda: people().moments("income", 0.5), "moments of income", "Laplace noise"),
    "groups": (
        lambda: people().moments("income", 0.5, by="sex"),
        "moments of income by sex",
        "Laplace noise",
    ),
    "formula": (
        lambda: dp.ols("income ~ age", FRAME, 0.5, bounds={"income": (0, 100), "age": (18, 90)}),
        "regression of income on age",
        "maximum-norm noise",
    ),
    "mirror": (lambda: dp.meanDP(FRAME.income, 0.5, 0, 100), "mean of income (meanDP)", "Laplace noise"),
    "pair": (
        lambda: dp.histogramDP(FRAME.age, 0.5, 0, 100, breaks=[0, 50, 100], which_sensitivity="both"),
        "histogram of FRAME.age (histogramDP, bounded and unbounded)",
        "Laplace noise",
    ),
    "model": (
        lambda: dp.LogisticRegressionDP("l2", 0.5, 1.0, "output").fit(PART, UPPER * 1, [1], [0]),
        "LogisticRegressionDP",
        "output perturbation",
    ),
    "pairs": (lambda: people().mean("income", 0.5, by="sex", population=True).pairs(), "", "-"),
}


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_of_result_has_a_statement_in_every_form(kind):
    release, name, mechanism = KINDS[kind]
    result = release()
    statement = result.statement()
    frame, held = statement.to_frame(), result.guarantee
    row = frame.iloc[0]
    assert isinstance(statement, Statement) and len(frame) == 1
    assert name.startswith("histogram") or not name or row.release == name
    assert row.mechanism.startswith(mechanism)
    assert row.epsilon == pytest.approx(held.epsilon, rel=1e-5) and row.delta == held.delta
    # each form has all of it
    for form in (statement.text, statement.to_markdown(), statement.to_latex(), statement._repr_html_()):
        plain = re.sub(r"[\\$]|<.*?>|&\w+;", "", " ".join(form.split()))
        for text in (f"= {held.epsilon:.6g}", f"pydpstat {dp.__version__}", "side channels", "Trust model"):
            assert text in plain
    assert max(map(len, statement.text.split("\n\n", 1)[0].splitlines())) <= 78
    assert str(statement) == statement.text and "1 release" in repr(statement)


def test_a_statement_reads_as_a_paragraph():
    statement = dp.mean(FRAME.income, 0.5, bounds=(0, 100)).statement()
    assert statement.paragraph == (
        "The mean of income was released with differential privacy, at a privacy loss of epsilon = 0.5. "
        "Replacing any single record changes the probability of any result by a factor of at most exp(0.5) = "
        "1.65. The mechanism is Laplace noise, standard deviation 0.4714, with bounds [0, 100] fixed in "
        f"advance; values outside the bounds were clipped. Computed with pydpstat {dp.__version__}."
    )
    assert said(statement) == {
        "Privacy loss": "epsilon = 0.5",
        "Protected": "a single record",
        "Neighbors": "one record replaced by another (bounded); the number of records is public",
        "Trust model": "central: those who compute the releases see the records; readers see only the releases",
        "Randomness": "the operating system's cryptographically secure generator",
        "Conditions": "whether values are missing is treated as public",
        "Not covered": "sampling error; bias from clipping values to the bounds; running time and other side "
        "channels; access to the records themselves",
        "Software": f"pydpstat {dp.__version__}",
    }


def test_units_private_numbers_and_deltas_are_said():
    persons = people(neighbors="unbounded", unit="person")
    statement = persons.mean("income", 0.5, delta=1e-6, mechanism="gaussian").statement()
    assert said(statement)["Protected"] == "each person with all records"
    assert said(statement)["Neighbors"].startswith("one unit added or removed (unbounded); the number of units")
    assert "Adding or removing all records of any one person" in statement.paragraph
    assert "epsilon = 0.5 and delta = 1e-06" in statement.paragraph and "plus 1e-06." in statement.paragraph
    assert r"$\varepsilon$ = 0.5 and $\delta$ = 1e-06" in statement.to_latex()


def test_public_facts_are_in_the_table():
    table = people().crosstab(["region", "sex"], 0.5).statement().to_frame()
    assert table.public.item() == "levels n, s x f, m"
    means = people().mean(["income", "age"], 0.5, by="sex").statement().to_frame()
    assert means.public.item() == "income in [0, 100], age in [18, 90]; levels f, m"
    test = people().ttest_ind("income ~ sex", 0.5).statement()
    assert test.to_frame().public.item() == "income in [0, 100]; groups f, m"
    assert "the declared bounds and levels in the table" in said(test)["Conditions"]
    levels = [f"level {place}" for place in range(30)]
    many = dp.crosstab(["level 1"] * 9, 0.5, levels=levels).statement().to_frame().public.item()
    assert many.endswith("level 11, and 18 more")


def test_what_is_less_than_claimed_is_said_with_the_figure_that_holds():
    variance = dp.varDP(FRAME.income, 0.5, 0, 100)
    statement = variance.statement()
    held = variance.guarantee.epsilon
    assert held > 0.5 and f"privacy loss of epsilon = {held:.6g}" in statement.paragraph
    assert "The function claims epsilon = 0.5, which is not its true guarantee." in statement.sentences
    assert statement.to_frame()[["epsilon", "claimed epsilon"]].round(4).values.tolist() == [[0.8318, 0.5]]
    nothing = dp.histogramDP(FRAME.income, 0.1, 0, 100)
    alone, both = nothing.statement(), dp.statement([nothing, variance])
    for each in (alone, both):
        assert "without a guarantee of differential privacy" in each.paragraph
        assert said(each)["Privacy loss"] == "not bounded" and "Neighbors" not in said(each)
    assert f"For the variance of income (varDP) epsilon = {held:.6g} holds" in both.paragraph
    assert "claimed epsilon" not in dp.meanDP(FRAME.income, 0.5, 0, 100).statement().headers


def test_a_seed_is_named():
    seeded, secure = (people(rng=rng).mean("income", 0.5) for rng in (1, None))
    for statement in (seeded.statement(), dp.statement([secure, seeded])):
        assert "must not be published" in statement.paragraph
        assert said(statement)["Randomness"].startswith("a seeded generator, for checking only")
        assert "seeded stream" not in statement.text
    assert "seed" not in secure.statement().text


def test_a_list_is_composed():
    noise = {"delta": 1e-7, "mechanism": "gaussian"}
    gaussian = [dp.mean(FRAME.income, 0.2, **noise, bounds=(0, 100)) for _ in range(20)]
    statement = dp.statement(gaussian)
    whole = dp.compose([each.guarantee for each in gaussian])
    better = dp.compose([each.guarantee for each in gaussian], "exact").epsilon
    assert said(statement)["Privacy loss"] == f"epsilon = {whole.epsilon:.6g} and delta = {whole.delta:.6g}"
    assert f"epsilon = {better:.6g} at delta = 2e-06 by optimal composition" in said(statement)["Composition"]
    small = [dp.count(UPPER, 0.1 + 0.001 * place) for place in range(50)]
    assert said(dp.statement(small))["Composition"] == "basic composition, epsilons and deltas add up"
    composed = said(dp.statement(small, delta=1e-6))["Composition"]
    found = re.search(r"epsilon = ([\d.]+) at delta = 1e-06", composed)
    assert float(found[1]) < 0.99 * sum(0.1 + 0.001 * place for place in range(50))


def test_names_neighbors_and_derived_results_of_a_list():
    bounded, unbounded = (dp.count(UPPER, 0.1, neighbors=each) for each in ("bounded", "unbounded"))
    statement = dp.statement({"Table 1": bounded, "Table 2": unbounded})
    assert statement.to_frame().release.tolist() == ["Table 1", "Table 2"]
    # a record replaced is one removed and one added
    assert said(statement)["Privacy loss"] == "epsilon = 0.3"
    assert "for one replaced record" in statement.paragraph
    means = people().mean("income", 0.5, by="sex", population=True)
    both = dp.statement([means, means.difference("f", "m")])
    assert "counted again" in both.to_frame().release[1] and said(both)["Privacy loss"] == "epsilon = 1"
    assert said(both)["Not covered"].startswith("bias from clipping")
    some = dp.statement([means, bounded])
    assert said(some)["Not covered"].startswith("sampling error, except in tests")
    with dp.Budget(1.0) as budget:
        people().ttest_ind("income ~ sex", 0.5)
    # a ledger does not tell what covers sampling
    assert said(budget.statement())["Not covered"].startswith("sampling error, except in tests")


def test_local_answers_have_their_trust_model():
    coins = RandomizedResponse(1.0)
    answers = coins.respond([True, False] * 50)
    assert said(coins.estimate(answers).statement())["Trust model"].startswith("local: every answer")


@pytest.mark.parametrize("accountant", ["basic", "zcdp"])
def test_a_budget_has_its_ledger_and_its_own_total(accountant):
    budget = dp.Budget(8.0, 1e-6, accountant=accountant)
    design = people(budget=budget)
    results = [design.mean("income", 0.25), design.ttest_ind("income ~ sex", 0.5)]
    with budget, budget.labeled("ages"):
        dp.meanDP(FRAME.age, 0.1, 18, 90)
    spent = budget.spent
    for statement in (budget.statement(), dp.statement(results, budget=budget), dp.statement(budget)):
        total = f"epsilon = {spent.epsilon:.6g}" + (f" and delta = {spent.delta:.6g}" if spent.delta else "")
        limit = "a limit of epsilon = 8 and delta = 1e-06"
        assert said(statement)["Privacy loss"] == f"{total} spent, of {limit}"
        assert f"All of it was charged to one privacy budget with {limit}." in statement.sentences
        frame = statement.to_frame()
        names = ["mean of income", "Welch's t test of income by sex", "ages (meanDP)"]
        assert frame.release.tolist() == names and frame.epsilon.tolist() == [0.25, 0.5, 0.1]
        assert frame.public.tolist()[::2] == ["income in [0, 100]", "bounds [18, 90]"]
    assert "standard deviation" in dp.statement(results, budget=budget).to_frame().mechanism[0]
    assert "standard deviation" not in budget.statement().to_frame().mechanism[0]
    with pytest.raises(dp.PydpstatError, match="must all be in the budget's ledger; mean of age is not"):
        dp.statement([people().mean("age", 0.25)], budget=budget)
    # one line of the ledger is one release
    with pytest.raises(dp.PydpstatError, match="mean of income is not"):
        dp.statement([results[0], results[0]], budget=budget)


def test_an_empty_budget_and_an_odometer():
    statement = dp.Budget(1.0).statement()
    nothing = "Nothing has been released yet from a privacy budget with a limit of epsilon = 1."
    assert statement.paragraph == nothing
    assert statement.to_frame().empty and statement.text.endswith(f"pydpstat {dp.__version__}\n")
    odometer = dp.Budget.odometer()
    with odometer:
        dp.count(UPPER, 0.5)
    assert said(odometer.statement())["Privacy loss"] == "epsilon = 0.5 spent, of no limit"


def test_a_model_that_was_fitted_counts_and_other_things_do_not():
    model = dp.LogisticRegressionDP("l2", 0.5, 1.0, "output")
    model.fit(PART, UPPER * 1, [1], [0])
    assert dp.statement(model).to_frame().equals(model.results.statement().to_frame())
    plan = dp.plan("mean", 0.5, n=100, bounds=(0, 1))
    for wrong, told in (
        (plan, "A plan is not a release: make the release first"),
        (3.0, "releases must be a release, a list of them, or a Budget; got float"),
        (FRAME, "releases must be a release"),
        ([], "releases must have at least one release; got an empty list"),
        ([dp.count(UPPER, 0.5), "mean"], "releases must be a release"),
    ):
        with pytest.raises(dp.PydpstatError, match=re.escape(told)):
            dp.statement(wrong)
    with pytest.raises(dp.PydpstatError, match="budget must be a Budget or None; got str"):
        dp.statement(dp.count(UPPER, 0.5), budget="ledger")
    with pytest.raises(dp.PydpstatError, match="delta must be above 0 and below 1"):
        dp.statement(dp.count(UPPER, 0.5), delta=2.0)
    with pytest.raises(dp.PydpstatError, match="all be for the same unit"):
        dp.statement([people(unit="person").mean("income", 0.5), people().mean("income", 0.5)])


def test_names_with_signs_are_written_out_in_each_form():
    named = dp.mean(FRAME.income.rename("<b>50 % & $_{x}|^~</b>"), 0.5, bounds=(0, 100)).statement()
    assert "<b>" not in named._repr_html_() and "&lt;b&gt;50 %" in named._repr_html_()
    escaped = r"\textless{}b\textgreater{}50 \% \& \$\_\{x\}\textbar{}\textasciicircum{}\textasciitilde{}"
    assert escaped in named.to_latex()
    table = named.to_markdown().splitlines()[-1]
    assert r"x\}\|\^\~" in table and len(re.findall(r"(?<!\\)\|", table)) == 6


def test_levels_of_several_releases_are_listed_once():
    levels = {"region": list("nsew"), "sex": ["f", "m"]}
    design = dp.design(FRAME, bounds={"income": (0, 100)}, levels=levels, neighbors="bounded")
    both = dp.statement([design.mean("income", 0.5, by="region"), design.crosstab(["region", "sex"], 0.5)])
    for form in (both.text, both.to_markdown(), both.to_latex(), both.to_html()):
        assert form.count("n, s, e, w") == 1 and "levels (1)" in " ".join(form.split())
    told = ["income in [0, 100]; levels n, s, e, w", "levels n, s, e, w x f, m"]
    assert both.to_frame().public.tolist() == told
    alone = design.mean("income", 0.5, by="region").statement()
    assert "levels n, s, e, w" in " ".join(alone.to_latex().split()) and "(1)" not in alone.to_markdown()


def test_a_statement_is_written_into_files(tmp_path):
    budget = dp.Budget(1.0)
    dp.mean(FRAME.income, 0.5, bounds=(0, 100), budget=budget)
    statement = budget.statement()
    for ending in ("text", "markdown", "latex", "html"):
        write = getattr(statement, f"to_{ending}")
        file = tmp_path / f"statement.{ending}"
        assert write(file) is None and file.read_text(encoding="utf-8") == write()
    assert statement.to_text() == statement.text and statement.to_latex().count(r"\begin{longtable}") == 2
    with pytest.raises(TypeError, match=r"statement\(...\).to_latex\('statement.tex'\)"):
        budget.statement(format="latex")
    with pytest.raises(AttributeError, match=r"Files are written by to_latex\('mean.tex'\)"):
        statement.save("statement.tex")


def test_nothing_private_is_said():
    frame = FRAME.assign(income=FRAME.income + 1e-7 * np.pi)
    people_ = dp.design(frame, bounds={"income": (0, 101)}, levels={"sex": ["f", "m"]}, neighbors="bounded")
    shown = people_.mean("income", 1e8, by="sex").statement().text
    means = [frame.income[frame.sex == level].mean() for level in ("f", "m")]
    for value, digits in itertools.product((*means, frame.income.min(), frame.income.max()), (4, 6)):
        assert f"{value:.{digits}f}" not in shown


@pytest.mark.slow
def test_how_many_records_of_a_unit_count_is_said_everywhere():
    frame = pd.DataFrame({"person": [*range(50)] * 4, "age": [30.0, 50.0] * 100, "sex": ["f", "m"] * 100})
    facts = {"bounds": {"age": (0, 100)}, "levels": {"sex": ["f", "m"]}, "unit": "person"}
    budget = dp.Budget(9, neighbors="unbounded", unit="person")
    four = dp.design(frame, **facts, max_records=4, budget=budget)
    several, one = "At most 4 records of each person count", "At most 1 record of each person counts"
    for result, said in (
        (four.mean("age", 0.5), several),
        (four.count(0.5), several),
        (four.crosstab("sex", 0.5), several),
        (four.mean("age", 0.5, population=True), one),
        (four.ttest_ind("age ~ sex", 0.5), one),
        (four.ols("age ~ sex", 0.5), one),
    ):
        units = ": the result describes units, not records" if said == one else ""
        assert str(result).splitlines()[-1] == f"{said}, drawn at random."
        assert f"{said}, drawn at random{units}." in str(result.summary()).replace("\n", " ")
        assert f"{said}, drawn at random." in result.statement().sentences
    table = budget.statement()
    assert dict(table.points)["Counted"].startswith("of each unit at most as many records count")
    said = [row[2].split("; ")[-1] for row in table.cells]
    assert said == [f"a{each[1:]}" for each in [several] * 3 + [one] * 3]
    assert "protects  each person, unbounded neighbors; at most 4 records of each person count" in repr(four)
    # without a unit nothing is said, nor of ids that are counted themselves
    assert "count" not in dict(dp.statement(dp.mean(frame.age, 1, bounds=(0, 100))).points)
    assert "drawn at random" not in str(dp.nunique(frame.person, 0.5, neighbors="unbounded").summary())


def test_the_first_columns_of_the_table_have_at_most_22_17_and_20_characters():
    statement = Statement((), (("neighbors", "bounded"),), ("release", "mechanism", "epsilon"), (("a " * 40,) * 3,))
    lines = [line for line in statement.text.splitlines() if line.startswith("a a")]
    assert {tuple(map(len, re.split("  +", line.strip()))) for line in lines[:-1]} == {(21, 17, 19)}
    assert f"\n{'-' * (22 + 2 + 17 + 2 + 20)}\n" in statement.text
