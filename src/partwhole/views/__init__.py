"""Something to look at: plots, drawings of learned subgraphs, the report of a run."""
