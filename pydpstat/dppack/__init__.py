"""DPpack's functions under their own names, with R's arguments, defaults and numbers.

Dots in R's names are underscores. Each function that draws has an additional argument, ``rng``:
``rng=RRandom(123)`` or ``rng=123`` returns what R returns after ``set.seed(123)``.
"""

from pydpstat._lazy import explain_missing_names as _answer_names
from pydpstat.dppack._models.erm_cms import EmpiricalRiskMinimizationDP_CMS
from pydpstat.dppack._models.erm_kst import EmpiricalRiskMinimizationDP_KST
from pydpstat.dppack._models.kernels import generate_sampling, phi_gaussian
from pydpstat.dppack._models.losses import (
    generate_loss_gr_huber,
    generate_loss_huber,
    loss_cross_entropy,
    loss_gr_cross_entropy,
    loss_gr_squared_error,
    loss_squared_error,
)
from pydpstat.dppack._models.maps import (
    mapXy_gr_linear,
    mapXy_gr_sigmoid,
    mapXy_linear,
    mapXy_sigmoid,
    regularizer_gr_l2,
    regularizer_l2,
)
from pydpstat.dppack._models.regressions import LinearRegressionDP, LogisticRegressionDP
from pydpstat.dppack._models.svm import svmDP
from pydpstat.dppack._models.tune import tune_classification_model, tune_linear_regression_model
from pydpstat.dppack._models.weighted_erm_cms import WeightedERMDP_CMS
from pydpstat.dppack.counts import histogramDP, tableDP
from pydpstat.dppack.data_access import covDataAccess, meanDataAccess, quantileDataAccess, varDataAccess
from pydpstat.dppack.data_access_groups import (
    histogramDataAccess,
    pooledCovDataAccess,
    pooledVarDataAccess,
    tableDataAccess,
)
from pydpstat.dppack.exponential import ExponentialMechanism
from pydpstat.dppack.mechanisms import GaussianMechanism, LaplaceMechanism, calibrateAnalyticGaussianMechanism
from pydpstat.dppack.moments import covDP, meanDP, sdDP, varDP
from pydpstat.dppack.pooled import pooledCovDP, pooledVarDP
from pydpstat.dppack.quantile import medianDP, quantileDP

__all__ = [
    "EmpiricalRiskMinimizationDP_CMS",
    "EmpiricalRiskMinimizationDP_KST",
    "ExponentialMechanism",
    "GaussianMechanism",
    "LaplaceMechanism",
    "LinearRegressionDP",
    "LogisticRegressionDP",
    "WeightedERMDP_CMS",
    "calibrateAnalyticGaussianMechanism",
    "covDP",
    "covDataAccess",
    "generate_loss_gr_huber",
    "generate_loss_huber",
    "generate_sampling",
    "histogramDP",
    "histogramDataAccess",
    "loss_cross_entropy",
    "loss_gr_cross_entropy",
    "loss_gr_squared_error",
    "loss_squared_error",
    "mapXy_gr_linear",
    "mapXy_gr_sigmoid",
    "mapXy_linear",
    "mapXy_sigmoid",
    "meanDP",
    "meanDataAccess",
    "medianDP",
    "phi_gaussian",
    "pooledCovDP",
    "pooledCovDataAccess",
    "pooledVarDP",
    "pooledVarDataAccess",
    "quantileDP",
    "quantileDataAccess",
    "regularizer_gr_l2",
    "regularizer_l2",
    "sdDP",
    "svmDP",
    "tableDP",
    "tableDataAccess",
    "tune_classification_model",
    "tune_linear_regression_model",
    "varDP",
    "varDataAccess",
]

_answer_names(globals())
del _answer_names
