"""Any test and any estimator, on random blocks of the records."""
