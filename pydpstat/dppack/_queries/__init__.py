"""What DPpack's statistics compute before any noise, in R's arithmetic."""
