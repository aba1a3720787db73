"""Differential privacy for statisticians who come from R."""

from __future__ import annotations

import importlib
from typing import Any

from pydpstat.lazy import load as _load

__version__ = "0.1.0"

# each public name and the module that has it; a name is imported when it is first asked for
_HOMES = {
    # own functions
    "Budget": "pydpstat.budget",
    "BudgetExceeded": "pydpstat.budget",
    "audit": "pydpstat.auditing",
    "choose": "pydpstat.statistics.choice",
    "compose": "pydpstat.privacy",
    "corr": "pydpstat.statistics.association",
    "count": "pydpstat.statistics.counts",
    "cov": "pydpstat.statistics.association",
    "crosstab": "pydpstat.statistics.tables",
    "histogram": "pydpstat.statistics.histograms",
    "mean": "pydpstat.statistics.mean",
    "median": "pydpstat.statistics.quantiles",
    "plan": "pydpstat.statistics.plan",
    "proportion": "pydpstat.statistics.counts",
    "quantile": "pydpstat.statistics.quantiles",
    "quantiles": "pydpstat.statistics.quantiles",
    "std": "pydpstat.statistics.spread",
    "sum": "pydpstat.statistics.total",
    "var": "pydpstat.statistics.spread",
    # results, errors and R's stream
    "AuditResults": "pydpstat.auditing",
    "DPResults": "pydpstat.results",
    "DPResultsPair": "pydpstat.results",
    "ModelResults": "pydpstat.results",
    "Guarantee": "pydpstat.privacy",
    "PrivacyWarning": "pydpstat.errors",
    "PydpstatError": "pydpstat.errors",
    "RRandom": "pydpstat.random.r_stream",
    "DPMech": "pydpstat.diffpriv",
    "DPMechBernstein": "pydpstat.diffpriv",
    "DPMechExponential": "pydpstat.diffpriv",
    "DPMechGaussian": "pydpstat.diffpriv",
    "DPMechLaplace": "pydpstat.diffpriv",
    "DPMechNumeric": "pydpstat.diffpriv",
    "DPParamsDel": "pydpstat.diffpriv",
    "DPParamsEps": "pydpstat.diffpriv",
    "DPParamsGam": "pydpstat.diffpriv",
    "EmpiricalRiskMinimizationDP_CMS": "pydpstat.dppack",
    "EmpiricalRiskMinimizationDP_KST": "pydpstat.dppack",
    "ExponentialMechanism": "pydpstat.dppack",
    "GaussianMechanism": "pydpstat.dppack",
    "LaplaceMechanism": "pydpstat.dppack",
    "LinearRegressionDP": "pydpstat.dppack",
    "LogisticRegressionDP": "pydpstat.dppack",
    "WeightedERMDP_CMS": "pydpstat.dppack",
    "bernstein": "pydpstat.diffpriv",
    "calibrateAnalyticGaussianMechanism": "pydpstat.dppack",
    "calibrate_gaussian": "pydpstat.mechanisms",
    "covDP": "pydpstat.dppack",
    "covDataAccess": "pydpstat.dppack",
    "generate_loss_gr_huber": "pydpstat.dppack",
    "generate_loss_huber": "pydpstat.dppack",
    "generate_sampling": "pydpstat.dppack",
    "histogramDP": "pydpstat.dppack",
    "histogramDataAccess": "pydpstat.dppack",
    "loss_cross_entropy": "pydpstat.dppack",
    "loss_gr_cross_entropy": "pydpstat.dppack",
    "loss_gr_squared_error": "pydpstat.dppack",
    "loss_squared_error": "pydpstat.dppack",
    "mapXy_gr_linear": "pydpstat.dppack",
    "mapXy_gr_sigmoid": "pydpstat.dppack",
    "mapXy_linear": "pydpstat.dppack",
    "mapXy_sigmoid": "pydpstat.dppack",
    "meanDP": "pydpstat.dppack",
    "meanDataAccess": "pydpstat.dppack",
    "medianDP": "pydpstat.dppack",
    "phi_gaussian": "pydpstat.dppack",
    "pooledCovDP": "pydpstat.dppack",
    "pooledCovDataAccess": "pydpstat.dppack",
    "pooledVarDP": "pydpstat.dppack",
    "pooledVarDataAccess": "pydpstat.dppack",
    "quantileDP": "pydpstat.dppack",
    "quantileDataAccess": "pydpstat.dppack",
    "regularizer_gr_l2": "pydpstat.dppack",
    "regularizer_l2": "pydpstat.dppack",
    "releaseResponse": "pydpstat.diffpriv",
    "sdDP": "pydpstat.dppack",
    "sensitivityNorm": "pydpstat.diffpriv",
    "sensitivitySampler": "pydpstat.diffpriv",
    "sensitivitySamplerManual": "pydpstat.diffpriv",
    "svmDP": "pydpstat.dppack",
    "symmetric_geometric": "pydpstat.integer_noise",
    "symmetric_geometric_noise": "pydpstat.integer_noise",
    "tableDP": "pydpstat.dppack",
    "tableDataAccess": "pydpstat.dppack",
    "tune_classification_model": "pydpstat.dppack",
    "tune_linear_regression_model": "pydpstat.dppack",
    "varDP": "pydpstat.dppack",
    "varDataAccess": "pydpstat.dppack",
}

# namespaces with names of their own
_PARTS = ("anonymity", "consistency", "local", "plots", "teaching")

__all__ = ["__version__", *_HOMES]


def __getattr__(name: str) -> Any:
    if name in _PARTS:
        return importlib.import_module(f"{__name__}.{name}")
    return _load(name, _HOMES, globals())


def __dir__() -> list[str]:
    return sorted({*globals(), *_HOMES, *_PARTS})
