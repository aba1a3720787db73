"""Every function as a method of a design: the numbers and the page of the call with the same facts."""

import inspect
import pickle
from dataclasses import fields, replace

import numpy as np
import pandas as pd
import pytest

import pydpstat as dp
from pydpstat._release.declared_facts import TYPES_CONDITION, DesignCallContext, record_comparison, record_facts
from pydpstat.designs._signatures import DESIGN_METHODS, GROUP_METHODS, SINGLE_VARIABLE_METHODS, get_method_signature
from tests.designs.method_calls import (
    AGE,
    BOUNDED,
    BOUNDS,
    CASES,
    FRAME,
    INCOME,
    LEVELED,
    LEVELS,
    ONE,
    OPEN,
    REGION,
    SEX,
    N,
    sized,
    unsized,
)

# functions that have no data of a design
WITHOUT = ("choose", "symmetric_geometric", "symmetric_geometric_noise")


@pytest.mark.slow
@pytest.mark.parametrize("name", CASES)
def test_a_method_returns_what_its_function_returns_and_names_the_facts(name):
    asked = CASES[name][0]()
    with DesignCallContext():
        for kind, columns in (("bounds", BOUNDED.get(name)), ("levels", LEVELED.get(name))):
            if columns:
                record_facts(kind, columns)
        if name in GROUP_METHODS:
            # who is in which group is found by the design
            record_comparison()
        alone = CASES[name][1]()
    said = [each for each in asked.guarantee.conditions if each.startswith("the declared")]
    assert len(said) == (name in BOUNDED or name in LEVELED)
    # the call is the design's own, and so are what it is about and the groups in its title
    said, called = (each.record.format_python().partition("epsilon=")[2] for each in (asked, alone))
    assert said == called
    asked = with_record(asked, replace(alone.record, method_calls=asked.record.method_calls))
    assert asked.to_dict() == alone.to_dict() or str(asked.to_dict()) == str(alone.to_dict())
    assert str(asked.summary()) == str(alone.summary())


def with_record(result, record):
    """Return a result with another call, in the parts that it is made of as well."""
    parts = {
        field.name: replace(part, record=replace(record, method_calls=part.record.method_calls))
        for field in fields(result)
        if hasattr(part := getattr(result, field.name), "record")
    }
    return replace(result, record=record, **parts)


@pytest.mark.slow
@pytest.mark.parametrize("name", DESIGN_METHODS)
def test_a_call_is_shown_as_it_was_typed_and_can_be_run(name):
    first = CASES[name][0]()
    unit = {"unit": "person", "max_records": 2} if first.unit == "person" else {}
    people = (sized if first.neighbors == "bounded" else unsized)(**unit)
    own = {"test": lambda x: float(np.mean(x) < 0.0), "estimator": np.mean}
    again = eval(first.call, {"design": people, **own})
    assert first.call.startswith(f"design.{name}(") and "rng" not in first.call
    assert again.call == first.call and again.guarantee.epsilon == first.guarantee.epsilon


@pytest.mark.parametrize("name", SINGLE_VARIABLE_METHODS)
def test_a_call_that_is_repeated_is_the_same_call(name):
    people = unsized(rng=3)
    variable = "employed" if name == "proportion" else "income"
    first, second = (getattr(people, name)(variable, 1.0) for _ in range(2))
    assert first.guarantee == second.guarantee and first.call == second.call
    # what pays is asked for anew
    people.budget = budget = dp.Budget(1.0, neighbors="unbounded")
    getattr(people, name)(variable, 1.0)
    assert budget.remaining.epsilon == 0.0


def test_a_guarantee_says_which_facts_it_rests_on():
    means = unsized(budget=(budget := dp.Budget(9.0, neighbors="unbounded"))).mean("income", 1.0, by="region")
    fact = "the declared bounds of income and levels of region are public"
    assert means.guarantee.conditions == (
        fact,
        TYPES_CONDITION,
        "whether values are missing is treated as public",
    )
    assert fact in " ".join(str(means.summary()).split())
    assert fact in budget.to_frame().conditions[0] and fact in " ".join(str(budget.summary()).split())
    # what a call gives is not declared, and a function alone rests on what it was given
    narrower = unsized().mean("income", 1.0, bounds=(0, 1e5))
    assert narrower.guarantee.conditions == ("whether values are missing is treated as public",)
    assert dp.mean(INCOME, 1.0, **ONE).guarantee.conditions == narrower.guarantee.conditions
    planned = unsized().plan("mean", "income", 1.0, by="region")
    assert planned.guarantee.conditions == means.guarantee.conditions
    odd = dp.design(FRAME.rename(columns={"age": "age\nand more"}), bounds={"age\nand more": (0, 110)})
    assert "\n" not in odd.mean("age\nand more", 1.0).guarantee.conditions[0]


def test_every_function_of_data_is_a_method():
    takes = ("epsilon", "budget")
    functions = [
        name
        for name, home in dp._HOMES.items()
        if home.startswith(("pydpstat.statistics", "pydpstat.inference"))
        if set(takes) <= {*inspect.signature(getattr(dp, name)).parameters} or name in WITHOUT
    ]
    missing = {*functions} - {*DESIGN_METHODS, *WITHOUT}
    assert not missing, f"add {missing} to VARIABLES or another list of pydpstat/designs/_signatures.py"
    assert {*functions} == {*DESIGN_METHODS, *WITHOUT}
    missing = {*DESIGN_METHODS} - {*CASES}
    assert not missing, f"add a call of {missing} to tests/designs/method_calls.py"


def test_methods_say_how_they_are_called():
    people = unsized()
    assert str(inspect.signature(people.count)).startswith("(condition, epsilon")
    assert list(inspect.signature(people.quantile).parameters)[:3] == ["variables", "q", "epsilon"]
    own = inspect.signature(people.mean).parameters
    # what a design has once for all is not asked for, and what it declares can be left out
    assert not {"unit", "neighbors", "budget"} & {*own} and own["bounds"].default is None
    assert people.mean.__doc__ == dp.Design.mean.__doc__ and repr(people.mean) == "<method mean of a design>"
    assert get_method_signature("ols").data_parameters == ("data",)


@pytest.mark.slow
@pytest.mark.parametrize(
    "name, formula, plain, more",
    [
        ("ttest_1samp", "age ~ 1", "age", {"popmean": 50}),
        ("quantile_test", "age~1", "age", {"q": 50}),
        ("ttest_rel", "before - after ~ 1", ["before", "after"], {}),
        ("wilcoxon", "before - after ~ 1", ["before", "after"], {}),
        ("crosstab", "~ region + sex", ["region", "sex"], {}),
        ("crosstab", "~ region", "region", {}),
        ("chi2_contingency", "~region+sex", ["region", "sex"], {}),
        ("kendalltau", "~ income + age", ["income", "age"], {}),
        ("proportions_test", "age >= 65 ~ sex", "old ~ sex", {}),
    ],
)
def test_formulas_of_one_sample_pairs_and_tables(name, formula, plain, more):
    people = sized().assign(old="age >= 65")
    asked, names = (getattr(people, name)(each, epsilon=0.5, rng=5, **more) for each in (formula, plain))
    assert "~" in asked.call
    assert str(with_record(asked, names.record).summary()) == str(names.summary())


def test_a_formula_of_a_plan():
    asked = sized().plan("ttest_ind", "income ~ sex", 0.5, n=500, effect=0.3)
    alone = dp.plan("ttest_ind", 0.5, n=500, effect=0.3, bounds=BOUNDS["income"])
    assert str(asked.summary()) == str(alone.summary())


def test_a_signed_rank_test_of_one_sample():
    change = sized().assign(change="before - after").wilcoxon("change ~ 1", 0.5, rng=5)
    alone = dp.wilcoxon(FRAME.before - FRAME.after, 0.5, rng=5)
    assert change.call == "design.wilcoxon('change ~ 1', 0.5)"
    assert str(with_record(change, alone.record).summary()) == str(alone.summary())


def test_a_condition_on_texts_is_no_formula():
    people = dp.design({"sex": ["~", "m"] * 50}, levels={"sex": ["~", "m"]}, rng=1)
    assert 0.3 < people.proportion("sex == '~'", 9.0).value < 0.7


def test_a_number_of_records_needs_no_column():
    alone = dp.count(np.ones(N, dtype=bool), 0.5, neighbors="unbounded", rng=5)
    assert unsized().count(0.5, rng=5).value == alone.value
    groups = unsized().count(0.5, by="region", rng=5)
    marked = FRAME[["region"]].assign(records=True)
    own = dp.count(marked, 0.5, by="region", levels=LEVELS["region"], **OPEN, rng=5)
    assert np.array_equal(groups.value, own.value)
    adults = unsized().count("age >= 18 and sex == 'f'", 0.5, rng=5)
    assert adults.value == dp.count((AGE >= 18) & (SEX == "f"), 0.5, **OPEN, rng=5).value


def test_a_subset_has_its_records_and_a_private_size():
    adults = unsized().subset("age >= 18")
    inside = INCOME[AGE >= 18]
    assert adults.mean("income", 0.5, rng=5).value == dp.mean(inside, 0.5, **ONE, **OPEN, rng=5).value
    both = adults.subset("sex == 'f' or region in ('s', 'w')")
    stay = (AGE >= 18) & ((SEX == "f") | REGION.isin(["s", "w"]))
    assert both.count(0.5, rng=5).value == dp.count(np.ones(stay.sum(), dtype=bool), 0.5, **OPEN, rng=5).value
    assert "subset    (age >= 18) and (sex == 'f'" in repr(both)
    with pytest.raises(dp.PydpstatError, match="subset needs neighbors 'unbounded'.* is private"):
        sized().subset("age >= 18")


def test_one_seed_serves_all_releases_one_after_the_other():
    seeded, other = unsized(rng=3), unsized(rng=3)
    first, second = (seeded.count(0.5).value for _ in range(2))
    assert (first, second) == (other.count(0.5).value, other.count(0.5).value)
    drawn = {float(unsized(rng=seed).count(0.5).value) for seed in range(5)}
    assert len(drawn) > 1


@pytest.mark.parametrize("name", ["weighted_mean", "weighted_total"])
def test_a_domain_table_has_declared_weights_and_levels(name):
    asked = getattr(sized(), name)("income", 0.5, by=["region", "sex"], rng=5)
    keys, levels = ({key: each[key] for key in ("region", "sex")} for each in (FRAME, LEVELS))
    alone = getattr(dp, name)(INCOME, FRAME.w, 0.5, **ONE, max_weight=3, by=keys, levels=levels, rng=5)
    assert asked.params.equals(alone.params) and asked.conf_int().equals(alone.conf_int())
    told, other = (each.record.arguments for each in (asked, alone))
    assert dict(told)["by"] == dict(other)["by"] and asked.guarantee.epsilon == alone.guarantee.epsilon
    assert asked.call == f"design.{name}('income', 0.5, by=['region', 'sex'])"


def test_declared_strata_are_those_of_weighted_statistics():
    survey = sized(strata="region")
    assert "  region    strata, 3 levels" in repr(survey) and survey.to_dict()["strata"] == "region"
    for name in ("weighted_mean", "weighted_total"):
        asked = getattr(survey, name)("income", 0.5, rng=5)
        alone = getattr(sized(), name)("income", 0.5, strata="region", rng=5)
        plain = getattr(sized(), name)("income", 0.5, rng=5)
        # intervals take seconds
        assert with_record(asked, alone.record).to_dict() == alone.to_dict()
        assert with_record(asked, plain.record).to_dict() != plain.to_dict()
        # groups, and a call, come first
        for own in ({"by": "sex"}, {"strata": None}, {"strata": "sex"}):
            there, here = (getattr(each, name)("income", 0.5, rng=5, **own) for each in (survey, sized()))
            assert there.to_dict() == here.to_dict() and there.record == here.record
    assert survey.mean("age", 0.5, rng=5).value == sized().mean("age", 0.5, rng=5).value


def test_the_budget_pays_and_gives_its_unit_and_neighbors():
    budget = dp.Budget(1.0, neighbors="unbounded", unit="person")
    people = unsized(budget=budget)
    assert people.facts.unit == "person" and people.facts.neighbors == "unbounded"
    people.mean("income", 0.4), people.count(0.6, by="sex")
    assert budget.spent.epsilon == 1.0
    with pytest.raises(dp.BudgetExceeded):
        people.count(0.1)
    with dp.Budget(1.0, neighbors="bounded"):
        assert unsized().facts.neighbors == "bounded"
    assert unsized().facts.neighbors == "unbounded"


def test_a_call_names_the_levels_of_some_columns_and_the_design_has_the_others():
    people = dp.design(FRAME, bounds=BOUNDS, levels={"sex": LEVELS["sex"]}, rng=1)
    own = {"region": LEVELS["region"]}
    both = dp.design(FRAME, bounds=BOUNDS, levels=LEVELS, rng=1)
    for ask in (
        lambda design, **options: design.crosstab(["sex", "region"], 1.0, **options).params,
        lambda design, **options: design.mean("age", 1.0, by=["sex", "region"], **options).params,
        lambda design, **options: design.plan("crosstab", ["sex", "region"], 1.0, **options).accuracy(),
    ):
        assert ask(people, levels=own).to_dict() == ask(both).to_dict()
    marked = dp.design(FRAME.astype({"sex": "category"}), levels={"sex": "declared"}, rng=1)
    with pytest.raises(dp.PydpstatError, match="levels must name every variable.*lacks 'sex'"):
        marked.crosstab(["sex", "region"], 1.0, levels=own)


@pytest.mark.parametrize(
    "call, said",
    [
        (lambda: sized().mean("incom", 0.1), "must be columns of the data; got 'incom'. Did you mean"),
        (lambda: sized().mean("note", 0.1), "bounds must include those of 'note'; none are declared"),
        (
            lambda: sized().mean(),
            r"needs variables and epsilon; got none. Write design.mean\('income', 1.0\)",
        ),
        (lambda: sized().mean("income", 0.1, eps=2), "mean of a design has no argument 'eps': write eps"),
        (lambda: sized().mean(3, 0.1), "variables must be a column name"),
        (lambda: unsized().mean("income", 0.1, by="note"), "levels must include those of 'note'"),
        (lambda: unsized().mean("income", 0.1, by=[3]), "by must name columns"),
        (lambda: unsized().mean("income", 0.1, by=REGION), "by must name columns.*got Series of shape"),
        (lambda: unsized().mean("income", 0.1, by="age"), "design.assign.high='age >= 55'"),
        (
            lambda: unsized().mean("income", 0.1, by="regoin"),
            "not a column of the design. Did you mean 'region'",
        ),
        (lambda: unsized().mean("sex", 0.1), "those of 'sex'; none are declared. It has levels"),
        (lambda: unsized().mean(0.1, "income"), "variables must be a column name.*got 0.1"),
        (lambda: unsized().mean("income", "0.1"), "epsilon must be a positive finite number;"),
        (lambda: unsized().mean(INCOME, 0.1), "got Series of shape"),
        (
            lambda: unsized().mean("income", 0.1, unit="person"),
            "no argument 'unit': declare unit='person' once",
        ),
        (lambda: unsized().mean("income", 0.1, bounds={"age": (0, 9)}), "those of the variables.*'age'"),
        (lambda: unsized().mean("age", 0.1, by="sex", levels=["f", "x"]), "among the declared.*got 1 others"),
        (lambda: unsized().crosstab("sex", 0.1, levels={"sex": ["x"]}), "among the declared.*got 1 others"),
        (lambda: sized().cov("income", "age", 0.1), r"Write design.cov\(\['age', 'income'\], 1.0\)"),
        (lambda: sized().corr("income", 0.1), "two columns or more for corr; got 'income'"),
        (lambda: sized().weighted_mean(["age", "income"], 0.1), "one column name for weighted_mean"),
        (lambda: sized().plan("quantile", "age", 0.1, n=9), "q must be given"),
        (lambda: sized().plan("mean", "agee", 0.1), "not a column of the design. Did you mean 'age'"),
        (lambda: sized().ols("income ~ agee", 0.1), "must be columns of the data; got 'agee'"),
        (lambda: unsized().subset("agee > 3"), "got 'agee'.*Did you mean 'age'"),
        (lambda: unsized().subset("sex == f"), "got 'f'.*a string needs quotes"),
        (lambda: unsized().subset("(age > 3) & (sex == 'f')"), "combined by and, or, not"),
        (lambda: unsized().subset("age is None"), "must compare columns by"),
        (
            lambda: dp.design.from_dict(FRAME, {"bound": {}}),
            "have the form that to_dict returns; got dict of length 1",
        ),
        (lambda: dp.design.from_dict(FRAME, "facts.toml"), "have the form that to_dict returns; got str"),
        (lambda: sized().mean("income", 0.1, bounds=(0, 3e5)), "must lie within the declared ones"),
        (lambda: sized().mean("income", 0.1, bounds=5), "bounds must be a pair"),
        (lambda: unsized().weighted_mean("income", 0.1), "must have weights for weighted_mean"),
        (
            lambda: unsized(unit="person").nunique("note", 0.1),
            "variables must be the unit for nunique, .* Write design.nunique",
        ),
        (lambda: unsized().kruskal("income ~ sex", 0.1), "neighbors must be 'bounded' for kruskal"),
        (lambda: sized().ttest_ind("income ~ region", 0.1), "ttest_ind must have two groups"),
        (lambda: sized().ttest_ind("income", 0.1), "formula must be a variable and its groups"),
        (lambda: sized().ttest_ind("income ~ 1", 0.1), "and its groups.*One sample has ttest_1samp"),
        (lambda: sized().ttest_ind("income ~ sex ~ region", 0.1), "got 'income ~ sex ~ region'"),
        (lambda: sized().ttest_ind("income ~ sex + region", 0.1), "one column of groups on its right side"),
        (lambda: sized().ttest_ind("income ~ age > 50", 0.1), "Make a column of a condition first"),
        (lambda: sized().ttest_1samp("age ~ sex", 50, 0.1), "sample or a table; .*'income ~ 1'.*ttest_ind"),
        (lambda: sized().mean("income ~ sex", 0.1), "mean, which takes no formula.*by='region' for groups"),
        (lambda: sized().crosstab("sex ~ region", 0.1), "Write for example '~ region [+] sex'"),
        (
            lambda: sized().ttest_rel("income", 0.1),
            r"two columns for ttest_rel; got \['income'\].*- after ~ 1'",
        ),
        (lambda: sized().ttest_rel("income ~ 1", 0.1), "Write for example 'before - after ~ 1'"),
        (lambda: sized().kendalltau("~ age", 0.1), r"two columns for kendalltau; got \['age'\].*~ region"),
        (lambda: sized().ols(FRAME.income, 0.1), "formula must be a string"),
        (
            lambda: dp.design(bounds=BOUNDS).mean("income", 0.1),
            "data must be given: this design can only plan",
        ),
        (lambda: dp.design().mean("income", 0.1), "data must be given: this design can only plan"),
        (lambda: unsized().subset("note == 'x'"), "must be on declared columns; got 'note'"),
        (lambda: unsized().subset("age + 1"), "must compare columns by .*; got 'age [+] 1'"),
        (lambda: unsized().subset("1 < 2"), "must compare columns by .*; got '1 < 2'"),
        (lambda: unsized().subset("__import__('os')"), "must compare columns"),
        (lambda: unsized().subset("age >"), "must be one that Python can read; got 'age >'"),
        (lambda: unsized().subset(FRAME.age > 3), "condition must be a string"),
        (lambda: unsized().subset("sex > 'f'").count(0.1), "must compare strings by == or in"),
        (lambda: unsized().subset("age == 'x'").count(0.1), "with possible values"),
    ],
)
def test_messages_say_what_to_do(call, said):
    with pytest.raises(dp.PydpstatError, match=said):
        call()


def test_a_design_is_written_down_without_data():
    people = unsized(unit="person").subset("age >= 18")
    again = pickle.loads(pickle.dumps(people))
    assert again.facts == people.facts and again.condition == people.condition
    assert str(FRAME.income[0])[:8] not in repr(people) + repr(pickle.dumps(people))
    with pytest.raises(dp.PydpstatError, match="data must be given: this design can only plan"):
        again.mean("income", 0.1)
    facts = unsized(unit="person").to_dict()
    assert dp.design.from_dict(FRAME, facts) == unsized(unit="person") != people
    assert facts["bounds"]["income"] == [0, 200_000] and facts["max_records"] == 1


def test_the_group_of_other_values_is_declared():
    people = dp.design(FRAME, bounds=BOUNDS, levels=LEVELS, other=None, rng=1)
    assert people.crosstab("region", 1.0).value.shape == (3,)
    assert people.mean("age", 1.0, by="sex").value.shape == (2,)
    assert people.mean("age", 1.0, by="sex", other="else").value.shape == (3,)


def test_a_factor_needs_no_mark_in_a_formula():
    plain, marked = (sized().ols(f"income ~ age + {each}", 2.0, rng=1) for each in ("sex", "C(sex)"))
    assert plain.params.to_numpy().tolist() == marked.params.to_numpy().tolist()


def test_a_method_whose_option_is_required_says_so():
    people = dp.design(FRAME, bounds=BOUNDS)
    with pytest.raises(dp.errors.ArgumentError, match="^any_interval of a design needs range; got none"):
        people.any_interval("age", np.mean, 1.0)


def test_levels_of_several_variables_are_given_in_their_order():
    frame = pd.DataFrame({"sex": ["f", "m"] * 50, "region": ["n", "s", "s", "n"] * 25})
    study = dp.design(frame, levels={"sex": ["f", "m"], "region": ["n", "s"]}, neighbors="unbounded", rng=1)
    ordered = study.crosstab(["sex", "region"], 1.0, levels=[["f"], ["s", "n"]])
    named = study.crosstab(["sex", "region"], 1.0, levels={"sex": ["f"], "region": ["s", "n"]})
    assert ordered.params.index.equals(named.params.index) and ordered.params.index.names == ["sex", "region"]
    with pytest.raises(dp.PydpstatError, match="levels of 'region' must be among the declared ones, .*; got 1 others"):
        study.crosstab(["sex", "region"], 1.0, levels=[["f"], ["s", "east"]])
