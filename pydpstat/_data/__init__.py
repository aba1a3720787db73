"""Reading of data given by users: numbers, truth values and labels from any kind of container."""
