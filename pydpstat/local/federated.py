"""Data on many nodes that release only answers."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NoReturn, TypeGuard

import numpy as np

from pydpstat import _checks as checks
from pydpstat._answering import explain_wrong_calls
from pydpstat._data.containers import is_vector, take_rows
from pydpstat._data.values import to_object_array
from pydpstat._release.calibration import SEEDED_CONDITION
from pydpstat._release.charging import charge_budget, check_budget, use_budget
from pydpstat.errors import PydpstatError
from pydpstat.local.access import (
    ONE_RELEASE_PER_VALUE,
    DataAccess,
    ValueSequence,
    check_access,
    combine_node_guarantees,
)
from pydpstat.local.design import ONE_ANSWER_PER_PERSON
from pydpstat.privacy import Guarantee

if TYPE_CHECKING:
    from pydpstat.budget import Budget

REPEAT_OPTIONS = ("same", "spend")
ALL_ANSWERS_TOGETHER = "all answers given so far together"
ALL_VALUES_OF_NODE = "neighbors differ in all values of one node"


@explain_wrong_calls
def federate_array(array: object, n_nodes: int | None = None) -> FederatedArray:
    """Distribute an array's values to nodes that answer by an access rule.

    Parameters
    ----------
    array : array_like of shape (n,)
        The values: an array, list, Series or Categorical.
    n_nodes : int, optional
        Number of nodes, from 1 to n; by default one for each value. Fewer nodes have several values
        each, in order, as evenly as possible.

    Returns
    -------
    FederatedArray

    Raises
    ------
    PydpstatError
        If `array` is not a vector, or there are more nodes than values.

    See Also
    --------
    FederatedArray : the result.
    LaplaceAccess, GaussianAccess : access rules for numbers.

    Examples
    --------
    >>> from pydpstat.local import RandomizedResponseCoins, federate_array
    >>> nodes = federate_array([1, 0, 0, 1], 4)
    >>> nodes.configure_data_access(RandomizedResponseCoins())
    >>> answers = nodes.query()
    >>> answers.size, bool((nodes.query() == answers).all())
    (4, True)
    """
    if isinstance(array, (list, tuple, range)):
        # values are not converted to a common type, which would depend on other persons
        array = to_object_array(array)
    if not _is_value_sequence(array):
        raise PydpstatError(
            "array must be a vector of one or more values (array, list, Series); got "
            f"{type(array).__name__}. Give one value for each person."
        )
    if n_nodes is None:
        return FederatedArray(array, len(array))
    allowed = f"a whole number from 1 to {len(array)}, the number of values"
    hint = "Leave it out for one node per value."
    nodes = checks.check_integer(n_nodes, "n_nodes", 1, len(array), allowed=allowed, hint=hint)
    return FederatedArray(array, nodes)


def _is_value_sequence(array: object) -> TypeGuard[ValueSequence]:
    return is_vector(array) and hasattr(array, "copy") and len(array) > 0


class FederatedArray:
    """Values on nodes, as returned by `federate_array`.

    No answers are given before `configure_data_access`. `query` asks all nodes; iteration and ``[i]`` give
    single nodes, whose `query` asks one. No public attribute, string, copy or pickle contains a true value
    (copying and pickling raise an error).

    Parameters
    ----------
    values : array
        One value or more for each node.
    n_nodes : int
        Number of nodes.

    See Also
    --------
    federate_array : creates it.

    Notes
    -----
    This is a model of a federation for study, within one process. Python hides nothing from code in
    the same process: a debugger, the garbage collector or a name written with underscores reaches
    the values. Real nodes are real machines, each of which calls ``definition.respond(value)``.

    The answers given are recorded in the process that created the federation. A forked process has
    the values, too; if both answered, a node would give two answers that are charged as one. A forked
    process therefore returns only answers given before the fork.

    Values that an access rule does not accept raise an error, at no cost. An analyst who may choose access
    rules, such as designs with other categories, learns from errors whether they accept the values: this
    must be public.

    Examples
    --------
    >>> from pydpstat.local import LaplaceAccess, federate_array
    >>> nodes = federate_array([41.0, 17.5, 63.0])
    >>> nodes
    <FederatedArray: 3 nodes, no access configured>
    >>> nodes.configure_data_access(LaplaceAccess(1.0, bounds=(0, 100)), repeat="spend")
    >>> first, second = nodes.query(), nodes.query()
    >>> nodes.guarantee.epsilon
    2.0
    """

    __slots__ = (
        "__access",
        "__budget",
        "__edges",
        "__given",
        "__lock",
        "__ledger",
        "__process",
        "__repeat",
        "__single",
        "__values",
    )

    def __init__(self, values: ValueSequence, n_nodes: int) -> None:
        self.__values = values.copy()
        self.__edges = np.arange(n_nodes + 1) * len(values) // n_nodes
        self.__access: DataAccess | None = None
        self.__repeat = "same"
        self.__budget: Budget | None = None
        # answers that can be repeated; guarantees spent on all nodes; those spent on single nodes
        self.__given: list[tuple[DataAccess, ValueSequence]] = []
        self.__ledger: list[Guarantee] = []
        self.__single: dict[int, list[Guarantee]] = {}
        self.__lock = threading.RLock()
        self.__process = os.getpid()

    def configure_data_access(
        self, definition: DataAccess, *, repeat: str = "same", budget: Budget | None = None
    ) -> None:
        """Set the access rule by which the nodes answer.

        Parameters
        ----------
        definition : RandomizedResponse, RandomizedResponseCoins, LaplaceAccess, GaussianAccess or another
            Any object with a `guarantee` and ``respond(values, rng)``, which must answer each value
            independently of the others.
        repeat : {"same", "spend"}, default "same"
            Treatment of repeated queries. ``"same"``: every node returns its previous answer, which
            costs nothing, also if the same definition is configured again. ``"spend"``: it draws a new
            answer, and the guarantees add up.
        budget : Budget, optional
            Budget to which the release is charged. Each new query is a release. The answer of one node costs as much as
            the answers of all nodes.

        Raises
        ------
        PydpstatError
            If an argument is invalid, or in a forked process.
        """
        self.__check_process()
        access = check_access(definition)
        checks.check_choice(repeat, "repeat", REPEAT_OPTIONS)
        check_budget(budget)
        with self.__lock:
            self.__access, self.__repeat, self.__budget = access, repeat, budget

    def query(self, rng: object = None) -> Any:
        """Return the answers of all nodes, in their order.

        Parameters
        ----------
        rng : None, int, numpy.random.Generator or RRandom, optional
            Source of random numbers. By default the operating system's generator; an int seeds a NumPy generator.

        Returns
        -------
        array, Series or Categorical
            As returned by `respond` of the definition.

        Raises
        ------
        PydpstatError
            If no access is configured, the values do not suit it, or new answers are needed in a
            forked process.
        BudgetExceeded
            If the budget does not cover new answers; none is drawn then.
        """
        return self.__get_answers(rng)

    @property
    def guarantee(self) -> Guarantee | None:
        """The guarantee of all answers so far, for each node; None before the first.

        Each node has its own guarantee for its answers together; this one is implied by each of them. It is not
        available in a forked process.
        """
        self.__check_process()
        with self.__lock:
            spent = self.__ledger
            # a node that was not queried separately has at least the guarantee of one that was
            each = [[*spent, *single] for single in self.__single.values()] or [spent]
            if not each[0]:
                return None
            combined = combine_node_guarantees(each)
            lines = [line for line in combined.conditions if line not in (ONE_ANSWER_PER_PERSON, ONE_RELEASE_PER_VALUE)]
            together = replace(combined, conditions=(*lines, ALL_ANSWERS_TOGETHER))
            size = self.__size
            return together if size == 1 else together.group(size).with_conditions(ALL_VALUES_OF_NODE)

    @property
    def __size(self) -> int:
        """Largest number of values of a node."""
        return int(np.diff(self.__edges).max())

    def __check_process(self) -> None:
        if os.getpid() != self.__process:
            self.__refuse_other_process()

    def __refuse_other_process(self) -> NoReturn:
        raise PydpstatError(
            "federated values answer only in the process that created them: two processes would give "
            "two answers and each would count one. Call query() before the fork, or in that process."
        )

    def __get_answers(self, rng: object, node: int | None = None) -> ValueSequence:
        """Return the answers of all nodes, or of one."""
        if os.getpid() != self.__process:
            # without the lock, which a thread of the other process may have held
            answers = self.__find_repeatable(self.__get_access(), node)
            return self.__refuse_other_process() if answers is None else answers
        with self.__lock:
            access = self.__get_access()
            answers = self.__find_repeatable(access, node)
            return self.__draw_answers(access, rng, node) if answers is None else answers

    def __get_access(self) -> DataAccess:
        if self.__access is None:
            raise PydpstatError(
                "query() needs a data access. Call configure_data_access(RandomizedResponseCoins()) first."
            )
        return self.__access

    def __select_node(self, values: ValueSequence, node: int | None) -> ValueSequence:
        """Return the part of all nodes' values or answers that belongs to one node; everything if `node` is None."""
        if node is None:
            return values
        first, last = self.__edges[node : node + 2].tolist()
        return take_rows(values, slice(first, last))

    def __find_repeatable(self, access: DataAccess, node: int | None) -> ValueSequence | None:
        """Return earlier answers that can be repeated; None if there are none."""
        if self.__repeat == "same":
            for answered_access, answers in self.__given:
                if answered_access == access:
                    return self.__select_node(answers.copy(), node)
        return None

    def __draw_answers(self, access: DataAccess, rng: object, node: int | None) -> ValueSequence:
        # if answers are repeated, all nodes draw theirs at once
        alone = None if self.__repeat == "same" else node
        # unsuitable values raise an error here at no cost; answers are returned only after the charge
        with use_budget(None):
            answers = access.respond(self.__select_node(self.__values, alone), rng)
        guarantee = access.guarantee if rng is None else access.guarantee.with_conditions(SEEDED_CONDITION)
        charge_budget(self.__budget, guarantee.group(self.__size), f"query({access!r})")
        if alone is not None:
            self.__single.setdefault(alone, []).append(guarantee)
            return answers
        self.__ledger.append(guarantee)
        if self.__repeat == "same":
            self.__given.append((access, answers.copy()))
        return self.__select_node(answers, node)

    def _get_node_answers(self, node: int, rng: object) -> object:
        mine = self.__get_answers(rng, node)
        return mine if len(mine) > 1 else take_rows(mine, 0)

    def __len__(self) -> int:
        return self.__edges.size - 1

    def __iter__(self) -> Iterator[Node]:
        return (Node(self, index) for index in range(len(self)))

    def __getitem__(self, node: int) -> Node:
        if checks.is_number(node) and node == int(node) and -len(self) <= node < len(self):
            return Node(self, int(node) % len(self))
        raise (IndexError if checks.is_number(node) else TypeError)(
            f"a node's number must be a whole number below {len(self)}; got {checks.describe_value(node)}."
        )

    def __dir__(self) -> list[str]:
        return [name for name in object.__dir__(self) if not name.startswith("_FederatedArray__")]

    def __reduce_ex__(self, protocol: object) -> NoReturn:
        raise PydpstatError(
            "federated values cannot be copied or pickled: the copy would contain them unprotected. "
            "Keep the answers of query() instead."
        )

    def __getstate__(self) -> NoReturn:
        self.__reduce_ex__(2)

    def __repr__(self) -> str:
        access_text = "no access configured" if self.__access is None else f"access by {self.__access!r}"
        return f"<FederatedArray: {len(self)} nodes, {access_text}>"


class Node:
    """One node of a `FederatedArray`, which can only be queried.

    Parameters
    ----------
    home : FederatedArray
        The federation.
    place : int
        The node's number.

    Examples
    --------
    >>> from pydpstat.local import RandomizedResponse, federate_array
    >>> nodes = federate_array([1, 0, 0, 1])
    >>> nodes.configure_data_access(RandomizedResponse(1.0))
    >>> int(nodes[2].query()) in (0, 1)
    True
    """

    __slots__ = ("__home", "__place")

    def __init__(self, home: FederatedArray, place: int) -> None:
        self.__home, self.__place = home, place

    def query(self, rng: object = None) -> Any:
        """Return this node's answer; with ``repeat="same"`` the same one as in `FederatedArray.query`.

        Parameters
        ----------
        rng : None, int, numpy.random.Generator or RRandom
            As of `FederatedArray.query`.

        Returns
        -------
        scalar, or an array for a node with several values
        """
        return self.__home._get_node_answers(self.__place, rng)

    def __dir__(self) -> list[str]:
        return [name for name in object.__dir__(self) if not name.startswith("_Node__")]

    def __reduce_ex__(self, protocol: object) -> NoReturn:
        raise PydpstatError("a node cannot be copied or pickled. Keep its answer of query() instead.")

    def __getstate__(self) -> NoReturn:
        self.__reduce_ex__(2)

    def __repr__(self) -> str:
        return f"<Node {self.__place} of {len(self.__home)}>"
