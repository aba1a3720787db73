"""The estimators in scikit-learn's pipelines, copies, cross-validation and searches."""

from __future__ import annotations

import pickle
import warnings

import numpy as np
import pandas as pd
import pytest

pytest.importorskip("sklearn", minversion="1.6", reason="pip install 'pydpstat[sklearn]'")

from sklearn.base import clone  # noqa: E402
from sklearn.compose import make_column_transformer  # noqa: E402
from sklearn.exceptions import NotFittedError  # noqa: E402
from sklearn.model_selection import GridSearchCV, GroupKFold, cross_val_score  # noqa: E402
from sklearn.multiclass import OneVsRestClassifier  # noqa: E402
from sklearn.pipeline import make_pipeline  # noqa: E402
from sklearn.preprocessing import OneHotEncoder  # noqa: E402

import pydpstat  # noqa: E402
from pydpstat import Budget, BudgetExceeded, PydpstatError, RRandom  # noqa: E402
from pydpstat.sklearn import LinearRegression, LogisticRegression  # noqa: E402
from tests.odd_values import TRACE, raising  # noqa: E402
from tests.sklearn.estimators import BOUNDS, EXACT, FRAME, INCOME, RETIRED, SEX, N, linear, logistic  # noqa: E402
from tests.test_error_privacy import said  # noqa: E402

# what is fitted


def test_a_logistic_regression_is_the_release_of_logit():
    model = logistic(random_state=5).fit(FRAME, RETIRED)
    same = pydpstat.logit(RETIRED, FRAME, 1.0, bounds=BOUNDS, levels={"retired": ["no", "yes"]}, rng=5)
    assert model.results_.params.equals(same.params) and model.results_.bse.equals(same.bse)
    assert model.intercept_.tolist() == [same.params["const"]]
    assert model.coef_.tolist() == [same.params[["age", "hours"]].tolist()]
    assert model.classes_.tolist() == ["no", "yes"] and model.n_features_in_ == 2
    assert model.feature_names_in_.tolist() == ["age", "hours"]
    assert model.bounds_ == ((18.0, 90.0), (0.0, 60.0))
    assert np.allclose(model.predict_proba(FRAME)[:, 1], same.predict(FRAME), rtol=1e-12)
    assert model.score(FRAME, RETIRED) > 0.7


def test_a_linear_regression_is_the_release_of_ols():
    model = linear(random_state=5).fit(FRAME, INCOME)
    bounds = {"income": (0, 4000), **BOUNDS}
    same = pydpstat.ols(INCOME, FRAME, 1.0, bounds=bounds, rng=5)
    assert model.results_.params.equals(same.params) and model.results_.response == "income"
    assert [model.intercept_, *model.coef_] == same.params.tolist()
    assert np.allclose(model.predict(FRAME), same.predict(FRAME), rtol=1e-12)
    assert model.score(FRAME, INCOME) > 0.7


def test_without_noise_it_is_scikit_learns():
    from sklearn.linear_model import LinearRegression as Plain

    plain, model = Plain().fit(FRAME, INCOME), linear(EXACT, random_state=1).fit(FRAME, INCOME)
    assert np.allclose(model.coef_, plain.coef_, rtol=1e-3)
    assert model.intercept_ == pytest.approx(plain.intercept_, rel=1e-3)


def test_delta_mechanism_and_neighbors_reach_the_release():
    model = linear(0.5, mechanism="gaussian", delta=1e-6, neighbors="unbounded", random_state=1)
    results = model.fit(FRAME, INCOME).results_
    assert (results.guarantee.epsilon, results.guarantee.delta) == (0.5, 1e-6)
    assert results.guarantee.neighbors == "unbounded" and results.nobs is None
    assert logistic(neighbors="unbounded").fit(FRAME, RETIRED).results_.guarantee.neighbors == "unbounded"


@pytest.mark.slow
@pytest.mark.parametrize("neighbors", ["bounded", "unbounded"])
@pytest.mark.parametrize("columns", [1, 6])
def test_predictions_need_no_coefficient_that_the_noise_shows(neighbors, columns):
    features = np.random.default_rng(1).uniform(-1, 1, (60, columns))
    target = features[:, 0] > 0
    more = {"bounds": (-1, 1), "neighbors": neighbors, "random_state": 2}
    classifier = LogisticRegression(0.05, **more).fit(features, target)
    regressor = LinearRegression(0.05, y_bounds=(-1, 1), **more).fit(features, features[:, 0])
    assert classifier.results_.params.isna().all() and regressor.results_.params.isna().any()
    assert np.isfinite(classifier.coef_).all() and np.isfinite(classifier.predict_proba(features)).all()
    # within the range of log odds that the fit looks at, and of what two values within the bounds allow
    assert np.abs(classifier.decision_function(features)).max() <= 20.0
    assert np.isfinite(regressor.predict(features)).all()


def test_estimates_for_predictions_are_those_of_least_squares_where_there_is_no_noise():
    model = linear(EXACT, random_state=1).fit(FRAME, INCOME)
    found = model.results_._combinations.tests.compute_regularized_estimates()
    assert np.allclose(found, model.results_.params, rtol=1e-2)


def test_new_records_are_clipped_as_those_of_the_fit():
    model = linear(random_state=1).fit(FRAME, INCOME)
    far, end = pd.DataFrame({"age": [500], "hours": [-9.0]}), pd.DataFrame({"age": [90], "hours": [0.0]})
    assert model.predict(far) == model.predict(end)


# public facts


def test_bounds_are_a_pair_a_list_or_by_name():
    plain = FRAME.to_numpy()
    for bounds in ((0, 90), [(0, 90), (0, 90)], np.array([[0, 90], [0, 90]]), {"x1": (0, 90), "x2": (0, 90)}):
        model = linear(bounds=bounds, random_state=1).fit(plain, INCOME)
        assert model.bounds_ == ((0.0, 90.0), (0.0, 90.0))
        assert list(model.results_.params.index) == ["const", "x1", "x2"]


def test_without_bounds_all_is_clipped_to_one_and_that_is_said():
    features, target = np.clip(FRAME.to_numpy() / 50 - 1, -0.9, 0.9), INCOME / 4000
    with pytest.warns(UserWarning, match="clips") as caught:
        model = LinearRegression(random_state=1).fit(features, target)
    assert [str(each.message).split(" to ")[0] for each in caught] == [
        "LinearRegression clips the response",
        "LinearRegression clips every feature",
    ]
    assert all("Give" in str(each.message) and each.filename == __file__ for each in caught)
    given = LinearRegression(bounds=(-1, 1), y_bounds=(-1, 1), random_state=1).fit(features, target)
    assert model.bounds_ == given.bounds_ and np.array_equal(model.coef_, given.coef_)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        LogisticRegression(bounds=(-1, 1), classes=("no", "yes")).fit(features, RETIRED)


def test_classes_of_the_data_are_a_condition_of_the_guarantee():
    declared = "the declared categories are public"
    with pytest.warns(UserWarning, match="takes the classes from y.* Give the two that are possible"):
        model = logistic(classes=None).fit(FRAME, RETIRED)
    assert declared in model.results_.guarantee.conditions
    assert declared not in logistic().fit(FRAME, RETIRED).results_.guarantee.conditions
    # a truth value has no other
    truths = logistic(classes=None).fit(FRAME, RETIRED == "yes")
    assert declared not in truths.results_.guarantee.conditions and truths.classes_.tolist() == [False, True]
    same = logistic(classes=None).fit(FRAME, np.ones(N, dtype=bool))
    assert same.classes_.tolist() == [False, True]


def test_another_value_counts_as_the_first_class():
    other = RETIRED.where(FRAME["age"] > 30, "no answer")
    one, two = (logistic(random_state=1).fit(FRAME, y) for y in (other, other.replace("no answer", "no")))
    assert np.array_equal(one.coef_, two.coef_) and one.classes_.tolist() == ["no", "yes"]


def test_whether_a_value_is_a_class_shows_in_no_error():
    codes = np.where(RETIRED == "yes", 1.0, 0.0)
    model = logistic(classes=(0, 1), random_state=1).fit(FRAME, np.append(codes[:-1], 0.5))
    same = logistic(classes=(0, 1), random_state=1).fit(FRAME, np.append(codes[:-1], 0.0))
    assert np.array_equal(model.coef_, same.coef_)


def test_a_response_may_have_the_name_of_a_feature():
    model = linear(bounds=(0, 4000)).fit(FRAME.rename(columns={"age": "y", "hours": "y_"}), INCOME.to_numpy())
    assert model.results_.response == "y__"


@pytest.mark.parametrize("classes", [(1, 2), (2, 1), (-1.0, 1.0), ("b", "a"), (False, True)])
def test_classes_of_every_kind(classes):
    first, second = sorted(classes)
    target = np.where(RETIRED == "yes", second, first)
    model = logistic(classes=classes, random_state=1).fit(FRAME, target)
    assert model.classes_.tolist() == [first, second]
    assert np.array_equal(model.coef_, logistic(random_state=1).fit(FRAME, RETIRED).coef_)


def test_a_record_between_the_classes_is_of_the_first():
    model = logistic(random_state=1).fit(FRAME, RETIRED)
    model.coef_, model.intercept_ = np.zeros((1, 2)), np.zeros(1)
    assert model.decision_function(FRAME[:3]).tolist() == [0.0, 0.0, 0.0]
    assert model.predict(FRAME[:3]).tolist() == ["no", "no", "no"]


# randomness


def test_seeds_are_scikit_learns_and_pydpstats():
    def coef(state):
        return linear(random_state=state).fit(FRAME, INCOME).coef_.tolist()

    assert coef(1) == coef(1) == coef(np.random.default_rng(1)) != coef(2)
    assert coef(np.random.RandomState(1)) == coef(np.random.RandomState(1)) != coef(1)
    assert coef(RRandom(1)) == coef(RRandom(1))
    assert coef(None) != coef(None)
    assert linear(random_state=1).fit(FRAME, INCOME).results_.reproducible
    assert not linear().fit(FRAME, INCOME).results_.reproducible


def test_a_random_state_draws_one_seed_of_31_bits():
    seed = int(np.random.RandomState(7).randint(2**31 - 1))
    assert seed > 1000
    one = linear(random_state=np.random.RandomState(7)).fit(FRAME, INCOME)
    assert one.coef_.tolist() == linear(random_state=seed).fit(FRAME, INCOME).coef_.tolist()


# pipelines, copies, cross-validation


def test_clones_share_the_budget():
    budget = Budget(10.0)
    model = logistic(budget=budget, random_state=RRandom(1))
    twin = clone(model)
    assert twin.budget is budget and twin.get_params().keys() == model.get_params().keys()
    assert clone(make_pipeline(model))[-1].budget is budget
    twin.fit(FRAME, RETIRED)
    model.fit(FRAME, RETIRED)
    assert budget.spent.epsilon == 2.0


@pytest.mark.slow
def test_every_fit_of_a_cross_validation_and_of_a_search_is_charged():
    budget = Budget(20.0)
    encoder = make_column_transformer(
        (OneHotEncoder(categories=[["f", "m"]], drop="first", sparse_output=False), ["sex"]),
        remainder="passthrough",
        verbose_feature_names_out=False,
    ).set_output(transform="pandas")
    bounds = {"sex_m": (0, 1), **BOUNDS}
    model = make_pipeline(encoder, logistic(bounds=bounds, budget=budget, random_state=1))
    data = FRAME.assign(sex=SEX)
    assert model.fit(data, RETIRED).score(data, RETIRED) > 0.7
    assert list(model[-1].results_.params.index) == ["const", "sex_m", "age", "hours"]
    scores = cross_val_score(model, data, RETIRED, cv=3)
    assert scores.shape == (3,) and scores.min() > 0.65
    assert budget.spent.epsilon == 4.0
    search = GridSearchCV(model, {"logisticregression__epsilon": [0.5, 1.0]}, cv=2).fit(data, RETIRED)
    best = search.best_params_["logisticregression__epsilon"]
    assert budget.spent.epsilon == 4.0 + 2 * (0.5 + 1.0) + best
    assert search.predict(data).shape == (N,)


def test_what_the_budget_does_not_cover_is_not_fitted():
    budget = Budget(2.0)
    with pytest.warns(RuntimeWarning, match="1 fits failed") as caught:
        scores = cross_val_score(linear(budget=budget), FRAME, INCOME, cv=3)
    assert np.isnan(scores).tolist() == [False, False, True] and "BudgetExceeded" in str(caught[0].message)
    with pytest.raises(BudgetExceeded):
        cross_val_score(linear(budget=budget), FRAME, INCOME, cv=3, error_score="raise")
    model = linear(budget=budget)
    with pytest.raises(BudgetExceeded):
        model.fit(FRAME, INCOME)
    with pytest.raises(NotFittedError):
        model.predict(FRAME)


def test_a_block_pays_for_the_fits_inside():
    with Budget(3.0) as budget:
        cross_val_score(linear(), FRAME, INCOME, cv=3)
    assert budget.spent.epsilon == 3.0


def test_a_unit_is_given_to_a_fit():
    budget = Budget(4.0, unit="person")
    person = pd.Series(np.arange(N) // 2, name="person")
    model = linear(budget=budget, random_state=1).fit(FRAME, INCOME, unit=person)
    assert model.results_.guarantee.unit == "person" and model.results_.nobs == N // 2
    groups = {"params": {"unit": person}, "groups": person}
    scores = cross_val_score(model, FRAME, INCOME, cv=GroupKFold(2), **groups, error_score="raise")
    assert scores.min() > 0.5 and budget.spent.epsilon == 3.0
    with pytest.raises(PydpstatError, match="Release with unit='person'"):
        model.fit(FRAME, INCOME)
    message = r"an id for each record, apart from X.*unit=X\['person'\]"
    for frame, unit in ((FRAME, "person"), (FRAME.assign(person=person), None)):
        with pytest.raises(PydpstatError, match=message):
            linear(budget=budget, bounds=(0, 90)).fit(frame, INCOME, unit=unit)
    assert budget.spent.epsilon == 3.0


def test_more_classes_are_one_model_each():
    budget = Budget(3.0)
    target = np.digitize(FRAME["age"], [40, 65])
    with pytest.raises(PydpstatError, match="Only binary.*OneVsRestClassifier"):
        logistic(classes=None).fit(FRAME, target)
    model = OneVsRestClassifier(logistic(1.0, classes=(0, 1), budget=budget, random_state=1))
    assert model.fit(FRAME, target).score(FRAME, target) > 0.6
    assert budget.spent.epsilon == 3.0 and len(model.estimators_) == 3


def test_a_fitted_estimator_has_nothing_private():
    for model in (logistic().fit(FRAME, RETIRED), linear().fit(FRAME, INCOME)):
        kept = pickle.dumps(model)
        # values of records, which are numbers like no others
        for value in (*FRAME["hours"].iloc[:50], *INCOME.iloc[:50]):
            assert np.float64(value).tobytes() not in kept
        assert np.array_equal(pickle.loads(kept).predict(FRAME), model.predict(FRAME))


@pytest.mark.parametrize("value", [np.inf, -np.inf])
@pytest.mark.parametrize("held", [lambda frame: frame, lambda frame: frame.to_numpy()])
def test_an_infinite_value_is_clipped_like_every_other(value, held):
    large = np.copysign(1e308, value)
    fits = []
    for each in (value, large):
        frame, income = FRAME.astype(float), INCOME.copy()
        frame.iloc[3, 0] = income.iloc[3] = each
        bounds = list(BOUNDS.values())
        first = linear(random_state=1, bounds=bounds).fit(held(frame), income)
        second = logistic(random_state=1, bounds=bounds).fit(held(frame), RETIRED)
        fits.append([*first.coef_, *second.coef_[0], *first.predict(held(frame))[:5]])
    assert fits[0] == fits[1] and np.isfinite(fits[0]).all()


def test_an_infinite_response_is_none_of_the_classes():
    codes = (RETIRED == "yes").astype(float)
    one, two = (
        logistic(classes=(0, 1), random_state=1).fit(FRAME, np.append(codes[:-1], each)) for each in (np.inf, 0)
    )
    assert np.array_equal(one.coef_, two.coef_)


def test_a_missing_feature_is_refused_and_an_object_that_raises_says_nothing():
    for call in (linear().fit, linear().fit(FRAME, INCOME).score):
        with pytest.raises(PydpstatError, match="X must have no missing values"):
            call(FRAME.where(FRAME["age"] > 30), INCOME)
    odd = FRAME.astype(object)
    ages = odd["age"].tolist()
    odd["age"] = pd.Series([raising(object)(), *ages[1:]], dtype=object)
    with pytest.raises(PydpstatError, match="must be numbers") as caught:
        linear().fit(odd, INCOME)
    assert not any(TRACE in text for text in said(caught.value))


def test_features_response_and_unit_in_different_orders_are_refused():
    person, order = pd.Series(np.arange(N) // 2, name="person"), np.random.default_rng(3).permutation(N)
    for wrong in ({"y": INCOME.iloc[order]}, {"unit": person.iloc[order]}):
        with pytest.raises(PydpstatError, match="must have the same index as X"):
            linear().fit(**{"X": FRAME, "y": INCOME, "unit": person, **wrong})
    shuffled = [each.iloc[order] for each in (FRAME, INCOME, person)]
    assert linear(random_state=1).fit(shuffled[0], shuffled[1], unit=shuffled[2]).results_.nobs == N // 2
