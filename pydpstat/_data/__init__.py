"""Reading what users give as data: columns of numbers, truth values and labels, whatever holds them."""
