# Written by tools/stubs.py from the names in __init__.py.

from pydpstat import anonymity as anonymity
from pydpstat import auditing as auditing
from pydpstat import budget as budget
from pydpstat import consistency as consistency
from pydpstat import designs as designs
from pydpstat import diffpriv as diffpriv
from pydpstat import dppack as dppack
from pydpstat import errors as errors
from pydpstat import local as local
from pydpstat import mechanisms as mechanisms
from pydpstat import plots as plots
from pydpstat import privacy as privacy
from pydpstat import r_arithmetic as r_arithmetic
from pydpstat import random as random
from pydpstat import results as results
from pydpstat import sklearn as sklearn
from pydpstat import teaching as teaching
from pydpstat.auditing import AuditResults as AuditResults
from pydpstat.auditing import audit as audit
from pydpstat.budget import Budget as Budget
from pydpstat.budget import BudgetExceeded as BudgetExceeded
from pydpstat.designs import Design as Design
from pydpstat.designs import design as design
from pydpstat.diffpriv import DPMech as DPMech
from pydpstat.diffpriv import DPMechBernstein as DPMechBernstein
from pydpstat.diffpriv import DPMechExponential as DPMechExponential
from pydpstat.diffpriv import DPMechGaussian as DPMechGaussian
from pydpstat.diffpriv import DPMechLaplace as DPMechLaplace
from pydpstat.diffpriv import DPMechNumeric as DPMechNumeric
from pydpstat.diffpriv import DPParamsDel as DPParamsDel
from pydpstat.diffpriv import DPParamsEps as DPParamsEps
from pydpstat.diffpriv import DPParamsGam as DPParamsGam
from pydpstat.diffpriv import bernstein as bernstein
from pydpstat.diffpriv import releaseResponse as releaseResponse
from pydpstat.diffpriv import sensitivityNorm as sensitivityNorm
from pydpstat.diffpriv import sensitivitySampler as sensitivitySampler
from pydpstat.diffpriv import sensitivitySamplerManual as sensitivitySamplerManual
from pydpstat.dppack import EmpiricalRiskMinimizationDP_CMS as EmpiricalRiskMinimizationDP_CMS
from pydpstat.dppack import EmpiricalRiskMinimizationDP_KST as EmpiricalRiskMinimizationDP_KST
from pydpstat.dppack import ExponentialMechanism as ExponentialMechanism
from pydpstat.dppack import GaussianMechanism as GaussianMechanism
from pydpstat.dppack import LaplaceMechanism as LaplaceMechanism
from pydpstat.dppack import LinearRegressionDP as LinearRegressionDP
from pydpstat.dppack import LogisticRegressionDP as LogisticRegressionDP
from pydpstat.dppack import WeightedERMDP_CMS as WeightedERMDP_CMS
from pydpstat.dppack import calibrateAnalyticGaussianMechanism as calibrateAnalyticGaussianMechanism
from pydpstat.dppack import covDataAccess as covDataAccess
from pydpstat.dppack import covDP as covDP
from pydpstat.dppack import generate_loss_gr_huber as generate_loss_gr_huber
from pydpstat.dppack import generate_loss_huber as generate_loss_huber
from pydpstat.dppack import generate_sampling as generate_sampling
from pydpstat.dppack import histogramDataAccess as histogramDataAccess
from pydpstat.dppack import histogramDP as histogramDP
from pydpstat.dppack import loss_cross_entropy as loss_cross_entropy
from pydpstat.dppack import loss_gr_cross_entropy as loss_gr_cross_entropy
from pydpstat.dppack import loss_gr_squared_error as loss_gr_squared_error
from pydpstat.dppack import loss_squared_error as loss_squared_error
from pydpstat.dppack import mapXy_gr_linear as mapXy_gr_linear
from pydpstat.dppack import mapXy_gr_sigmoid as mapXy_gr_sigmoid
from pydpstat.dppack import mapXy_linear as mapXy_linear
from pydpstat.dppack import mapXy_sigmoid as mapXy_sigmoid
from pydpstat.dppack import meanDataAccess as meanDataAccess
from pydpstat.dppack import meanDP as meanDP
from pydpstat.dppack import medianDP as medianDP
from pydpstat.dppack import phi_gaussian as phi_gaussian
from pydpstat.dppack import pooledCovDataAccess as pooledCovDataAccess
from pydpstat.dppack import pooledCovDP as pooledCovDP
from pydpstat.dppack import pooledVarDataAccess as pooledVarDataAccess
from pydpstat.dppack import pooledVarDP as pooledVarDP
from pydpstat.dppack import quantileDataAccess as quantileDataAccess
from pydpstat.dppack import quantileDP as quantileDP
from pydpstat.dppack import regularizer_gr_l2 as regularizer_gr_l2
from pydpstat.dppack import regularizer_l2 as regularizer_l2
from pydpstat.dppack import sdDP as sdDP
from pydpstat.dppack import svmDP as svmDP
from pydpstat.dppack import tableDataAccess as tableDataAccess
from pydpstat.dppack import tableDP as tableDP
from pydpstat.dppack import tune_classification_model as tune_classification_model
from pydpstat.dppack import tune_linear_regression_model as tune_linear_regression_model
from pydpstat.dppack import varDataAccess as varDataAccess
from pydpstat.dppack import varDP as varDP
from pydpstat.errors import PrivacyWarning as PrivacyWarning
from pydpstat.errors import PydpstatError as PydpstatError
from pydpstat.inference.blocks.block_tests import any_interval as any_interval
from pydpstat.inference.blocks.block_tests import any_test as any_test
from pydpstat.inference.logistic.logit import logit as logit
from pydpstat.inference.means.moments import moments as moments
from pydpstat.inference.means.one_way_f_test import f_oneway as f_oneway
from pydpstat.inference.means.t_tests import ttest_1samp as ttest_1samp
from pydpstat.inference.means.t_tests import ttest_rel as ttest_rel
from pydpstat.inference.means.welch_t_test import ttest_ind as ttest_ind
from pydpstat.inference.proportions import binomtest as binomtest
from pydpstat.inference.proportions import proportions_test as proportions_test
from pydpstat.inference.quantiles import quantile_test as quantile_test
from pydpstat.inference.ranks.distances import ks_2samp as ks_2samp
from pydpstat.inference.ranks.distances import kstest as kstest
from pydpstat.inference.ranks.rank_groups import kruskal as kruskal
from pydpstat.inference.ranks.rank_groups import mannwhitneyu as mannwhitneyu
from pydpstat.inference.ranks.rank_pairs import kendalltau as kendalltau
from pydpstat.inference.ranks.rank_pairs import wilcoxon as wilcoxon
from pydpstat.inference.regression.ols import ols as ols
from pydpstat.inference.survey.weighted_means import weighted_mean as weighted_mean
from pydpstat.inference.survey.weighted_means import weighted_proportion as weighted_proportion
from pydpstat.inference.survey.weighted_totals import weighted_quantile as weighted_quantile
from pydpstat.inference.survey.weighted_totals import weighted_total as weighted_total
from pydpstat.inference.tables.chi_square import chi2_contingency as chi2_contingency
from pydpstat.inference.tables.chi_square import chisquare as chisquare
from pydpstat.mechanisms import calibrate_gaussian as calibrate_gaussian
from pydpstat.planning.plan import plan as plan
from pydpstat.privacy import Guarantee as Guarantee
from pydpstat.privacy import compose as compose
from pydpstat.random.r_stream import RRandom as RRandom
from pydpstat.results import DPResults as DPResults
from pydpstat.results import DPResultsPair as DPResultsPair
from pydpstat.results import GroupedHistogramResults as GroupedHistogramResults
from pydpstat.results import GroupedResults as GroupedResults
from pydpstat.results import HistogramResults as HistogramResults
from pydpstat.results import InferenceResults as InferenceResults
from pydpstat.results import ModelResults as ModelResults
from pydpstat.results import PairwiseResults as PairwiseResults
from pydpstat.results import RegressionResults as RegressionResults
from pydpstat.results import TableResults as TableResults
from pydpstat.results.statements import statement as statement
from pydpstat.statistics.association import corr as corr
from pydpstat.statistics.association import cov as cov
from pydpstat.statistics.choice import choose as choose
from pydpstat.statistics.counts import count as count
from pydpstat.statistics.counts import proportion as proportion
from pydpstat.statistics.histograms import histogram as histogram
from pydpstat.statistics.integer_noise import symmetric_geometric as symmetric_geometric
from pydpstat.statistics.integer_noise import symmetric_geometric_noise as symmetric_geometric_noise
from pydpstat.statistics.mean import mean as mean
from pydpstat.statistics.mean import sum as sum
from pydpstat.statistics.quantiles import median as median
from pydpstat.statistics.quantiles import quantile as quantile
from pydpstat.statistics.quantiles import quantiles as quantiles
from pydpstat.statistics.spread import std as std
from pydpstat.statistics.spread import var as var
from pydpstat.statistics.tables import crosstab as crosstab
from pydpstat.statistics.uniques import nunique as nunique

__version__: str

__all__ = [
    "__version__",
    "choose",
    "corr",
    "count",
    "cov",
    "crosstab",
    "histogram",
    "mean",
    "median",
    "nunique",
    "proportion",
    "quantile",
    "quantiles",
    "std",
    "sum",
    "symmetric_geometric",
    "symmetric_geometric_noise",
    "var",
    "Budget",
    "BudgetExceeded",
    "any_interval",
    "any_test",
    "audit",
    "binomtest",
    "chi2_contingency",
    "chisquare",
    "compose",
    "design",
    "f_oneway",
    "logit",
    "ols",
    "plan",
    "proportions_test",
    "quantile_test",
    "weighted_mean",
    "weighted_proportion",
    "weighted_quantile",
    "weighted_total",
    "moments",
    "ttest_1samp",
    "ttest_ind",
    "ttest_rel",
    "kendalltau",
    "kruskal",
    "ks_2samp",
    "kstest",
    "mannwhitneyu",
    "wilcoxon",
    "AuditResults",
    "DPResults",
    "DPResultsPair",
    "Design",
    "GroupedHistogramResults",
    "GroupedResults",
    "HistogramResults",
    "ModelResults",
    "Guarantee",
    "InferenceResults",
    "PairwiseResults",
    "RegressionResults",
    "TableResults",
    "PrivacyWarning",
    "PydpstatError",
    "statement",
    "RRandom",
    "DPMech",
    "DPMechBernstein",
    "DPMechExponential",
    "DPMechGaussian",
    "DPMechLaplace",
    "DPMechNumeric",
    "DPParamsDel",
    "DPParamsEps",
    "DPParamsGam",
    "EmpiricalRiskMinimizationDP_CMS",
    "EmpiricalRiskMinimizationDP_KST",
    "ExponentialMechanism",
    "GaussianMechanism",
    "LaplaceMechanism",
    "LinearRegressionDP",
    "LogisticRegressionDP",
    "WeightedERMDP_CMS",
    "bernstein",
    "calibrateAnalyticGaussianMechanism",
    "calibrate_gaussian",
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
    "releaseResponse",
    "sdDP",
    "sensitivityNorm",
    "sensitivitySampler",
    "sensitivitySamplerManual",
    "svmDP",
    "tableDP",
    "tableDataAccess",
    "tune_classification_model",
    "tune_linear_regression_model",
    "varDP",
    "varDataAccess",
]
