"""Many clients at once in front of `partwhole serve`: failed requests, median and 99th percentile.

    python benchmarks/serve.py RUN --clients 32 --seconds 30

The clients share the cores with the service: they are threads of this process, and ask for the ten
neighbours of one molecule after another.
"""

from __future__ import annotations

import argparse
import http.client
import itertools
import json
import subprocess
import sys
import threading
import time
from urllib.parse import urlparse

import numpy as np

SMILES = ["CC(=O)Oc1ccccc1C(=O)O", "c1ccccc1", "CCO", "CN1C=NC2=C1C(=O)N(C(=O)N2C)C", "O=[N+]([O-])c1ccccc1"]


def client(host: str, port: int, until: float, seconds: list[float], failed: list[str]) -> None:
    connection = http.client.HTTPConnection(host, port, timeout=30)
    for smiles in itertools.cycle(SMILES):
        if time.perf_counter() > until:
            return
        started = time.perf_counter()
        try:
            body = json.dumps({"smiles": [smiles], "k": 10})
            connection.request("POST", "/neighbors", body, {"Content-Type": "application/json"})
            answer = connection.getresponse()
            content = json.loads(answer.read())
            if answer.status != 200 or len(content["neighbors"][0]) != 10:
                failed.append(f"{answer.status}: {content}")
        except (OSError, http.client.HTTPException, ValueError) as error:
            failed.append(repr(error))
            connection.close()
        seconds.append(time.perf_counter() - started)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("run")
    parser.add_argument("--clients", type=int, default=32)
    parser.add_argument("--seconds", type=float, default=30)
    given = parser.parse_args()
    command = [sys.executable, "-m", "partwhole", "serve", given.run, "--port", "0"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as service:
        assert service.stdout is not None
        address = urlparse(service.stdout.readline().split()[2])
        seconds: list[float] = []
        failed: list[str] = []
        until = time.perf_counter() + given.seconds
        where = (address.hostname, address.port, until, seconds, failed)
        threads = [threading.Thread(target=client, args=where) for _ in range(given.clients)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        service.terminate()
    p50, p99 = np.percentile(seconds, [50, 99]) * 1000
    print(
        f"{given.clients} clients, {given.seconds:.0f} s: {len(seconds)} requests, {len(failed)} failed, "
        f"{len(seconds) / given.seconds:.0f} a second, p50 {p50:.0f} ms, p99 {p99:.0f} ms"
    )
    for reason in failed[:5]:
        print(reason)
    sys.exit(bool(failed))


if __name__ == "__main__":
    main()
