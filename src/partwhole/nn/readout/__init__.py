"""Readouts: node vectors to one vector per graph, or per subgraph of each graph (Eq. 6 and 9)."""
