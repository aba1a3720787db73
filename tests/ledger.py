"""A budget that writes down what is charged, or refuses it."""

from pydpstat import PydpstatError


class Ledger:
    def __init__(self, refuse=False):
        self.spent, self.refuse = [], refuse

    def spend(self, guarantee, call):
        self.spent.append((guarantee.epsilon, call))
        if self.refuse:
            raise PydpstatError("nothing is left")
