"""What is said of all nodes holds for each, and a copy of a federation gives no second answer."""

import copy
import os
import pickle
import subprocess
import sys

import numpy as np
import pytest

from pydpstat import Guarantee, PydpstatError
from pydpstat.local import GaussianAccess, LaplaceAccess, RandomizedResponse, federate_array
from pydpstat.local.access import combine_node_guarantees
from pydpstat.privacy import GaussianLoss, LaplaceLoss

AGES = np.array([41.0, 17.5, 63.0, 20.0])
GAUSSIAN, LAPLACE = GaussianAccess(1.0, 1e-2, bounds=(0, 100)), LaplaceAccess(1.001, bounds=(0, 100))


def asked(*questions):
    """A federation of which single nodes, or all (None), were asked by an access."""
    nodes = federate_array(AGES)
    for node, access in questions:
        nodes.configure_data_access(access, repeat="spend")
        nodes.query(rng=1) if node is None else nodes[node].query(rng=1)
    return nodes


def test_conditions_of_every_node_are_kept():
    first, second = Guarantee(1.0, 0.1, conditions=("a", "b")), Guarantee(2.0, conditions=("b", "c"))
    assert combine_node_guarantees([[first], [second]]).conditions == ("a", "b", "c")
    mixed = combine_node_guarantees([[Guarantee(0.5, neighbors="unbounded")], [Guarantee(0.7)]])
    assert (mixed.epsilon, mixed.neighbors) == (1.0, "bounded")
    assert combine_node_guarantees([[Guarantee(0.5, neighbors="unbounded"), Guarantee(0.7)]]).epsilon == 1.7


def test_curves_that_can_be_compared_are_kept():
    assert asked((0, GAUSSIAN)).guarantee.loss == GAUSSIAN.guarantee.loss
    less = GaussianAccess(0.5, 1e-2, bounds=(0, 100))
    assert asked((0, less), (1, GAUSSIAN), (2, less)).guarantee.loss == GAUSSIAN.guarantee.loss
    assert asked((0, LaplaceAccess(0.5, bounds=(0, 1))), (1, LAPLACE)).guarantee.loss == LaplaceLoss(1.001)
    assert asked((0, GAUSSIAN), (1, LAPLACE)).guarantee.loss is None
    # the larger curve, where the other one has the larger pair
    pairs = [Guarantee(3.0, 1e-9, loss=GaussianLoss(0.2)), Guarantee(1.0, 1e-1, loss=GaussianLoss(0.5))]
    assert combine_node_guarantees([[each] for each in pairs]).loss == GaussianLoss(0.5)


def test_nodes_without_an_answer_yet_cannot_be_copied():
    nodes = federate_array(np.zeros(200, dtype=bool))
    nodes.configure_data_access(RandomizedResponse(0.1))
    for thing in (nodes, nodes[0], [nodes]):
        for way in (copy.copy, copy.deepcopy, pickle.dumps, lambda each: pickle.dumps(each, 0)):
            if not (thing == [nodes] and way is copy.copy):
                with pytest.raises(PydpstatError, match="cannot be copied or pickled"):
                    way(thing)


FORK = """
import os, pickle, threading
import numpy as np
from pydpstat import Guarantee, PydpstatError
from pydpstat.local import RandomizedResponse, RandomizedResponseCoins, federate_array

def in_a_fork(task):
    # what a task returns in a forked process, or how its error starts
    here, there = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            found = task()
        except PydpstatError as error:
            found = str(error)[:66]
        os.write(there, pickle.dumps(found))
        os._exit(0)
    os.close(there)
    with os.fdopen(here, "rb") as stream:
        found = pickle.loads(stream.read())
    assert os.waitpid(child, 0)[1] == 0
    return found

REFUSED = "federated values answer only in the process that created them: two"
nodes = federate_array(np.zeros(200, dtype=bool))
"""
NO_NEW_ANSWER = """
for repeat in ("same", "spend"):
    nodes.configure_data_access(RandomizedResponseCoins(), repeat=repeat)
    one = nodes[0]
    for task in (
        lambda: nodes.query(),
        lambda: nodes.query(rng=1),
        lambda: one.query(),
        lambda: nodes.guarantee,
        lambda: nodes.configure_data_access(RandomizedResponse(1.0)),
    ):
        found = in_a_fork(task)
        assert isinstance(found, str) and found == REFUSED, found
assert nodes.guarantee is None
nodes.query()
assert nodes.guarantee.epsilon == RandomizedResponseCoins().epsilon
print("done")
"""
OLD_ANSWERS = """
nodes.configure_data_access(RandomizedResponse(0.1))
given = nodes.query()
assert np.array_equal(in_a_fork(nodes.query), given)
assert in_a_fork(nodes[7].query) == given[7]
assert np.array_equal(in_a_fork(lambda: in_a_fork(nodes.query)), given)
# another access has given none, and new ones are not given
nodes.configure_data_access(RandomizedResponse(0.2))
assert in_a_fork(nodes.query) == REFUSED
nodes.configure_data_access(RandomizedResponse(0.1), repeat="spend")
assert in_a_fork(nodes.query) == REFUSED
print("done")
"""
# a thread answers, and holds the lock, while another one forks
WHILE_ANSWERING = """
begun, end = threading.Event(), threading.Event()

class Slow:
    guarantee = Guarantee(1.0)

    def respond(self, values, rng=None):
        begun.set()
        end.wait(60)
        return np.zeros(len(values))

nodes.configure_data_access(Slow())
thread = threading.Thread(target=nodes.query)
thread.start()
begun.wait(60)
assert in_a_fork(nodes.query) == REFUSED
end.set()
thread.join()
assert not in_a_fork(nodes.query).any()
print("done")
"""


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")
@pytest.mark.parametrize("script", [NO_NEW_ANSWER, OLD_ANSWERS, WHILE_ANSWERING])
def test_a_forked_process_gives_what_was_given_before_and_nothing_new(script):
    done = subprocess.run([sys.executable, "-c", FORK + script], capture_output=True, text=True, timeout=60)
    assert done.stdout == "done\n", done.stderr


def test_a_unit_stays_and_does_not_mix():
    person, record = Guarantee(0.5, unit="person"), Guarantee(0.5)
    assert combine_node_guarantees([[person], [person, person]]) == Guarantee(1.0, unit="person")
    with pytest.raises(PydpstatError, match="got unit 'person' and a single record"):
        combine_node_guarantees([[person], [record]])
