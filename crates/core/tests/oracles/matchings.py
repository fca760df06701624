#!/usr/bin/env python3
"""Writes matchings.txt: random graphs, each with its best matching by networkx (pip install networkx; 3.6.1 was used).

A line is the number of vertices, the size of the matching and its three costs, and the edges. A matching is the better one if it is
larger, then if its first cost is less, then its second, then its third.
"""

import random

import networkx

random.seed(49)
UNIT = 1_000_000
for _ in range(200):
    size = random.randrange(2, 17, 2)
    density = random.choice([0.2, 0.4, 0.8, 1.0])
    graph = networkx.Graph()
    edges = []
    for at in range(size):
        for to in range(at + 1, size):
            if random.random() < density:
                costs = random.randrange(3), random.randrange(10), random.randrange(100)
                edges.append((at, to, costs))
                weighed = costs[0] * UNIT**2 + costs[1] * UNIT + costs[2]
                graph.add_edge(at, to, weight=UNIT**3 - weighed, costs=costs)
    matching = networkx.max_weight_matching(graph, maxcardinality=True)
    sums = [sum(graph[at][to]["costs"][kind] for at, to in matching) for kind in range(3)]
    best = ",".join(str(number) for number in [len(matching), *sums])
    print(size, best, *(f"{at}-{to}:{a},{b},{c}" for at, to, (a, b, c) in edges))
