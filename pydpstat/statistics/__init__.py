"""The package's own statistics: each keeps exactly the guarantee that it states."""
