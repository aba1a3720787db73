"""The tutorial: twelve releases as an R user writes them, and the same in Python, number by number.

``python -m pydpstat tutorial`` runs it; R is not needed.
"""
