"""The smoke job's program, run as the operator would: one process a replica, TF_CONFIG in the environment."""

import json
import os
import socket
import subprocess
import sys
from pathlib import Path

import pytest

PROGRAM = (Path(__file__).parents[3] / "roles/smoke/files/smoke.py").read_text()


def free_ports(count):
    sockets = [socket.socket() for _ in range(count)]
    for one in sockets:
        one.bind(("127.0.0.1", 0))
    ports = [one.getsockname()[1] for one in sockets]
    for one in sockets:
        one.close()
    return ports


def start(kind, index, cluster, patience="20"):
    config = {"cluster": cluster, "task": {"type": kind, "index": index}, "environment": "cloud"}
    environment = {
        "PATH": os.environ["PATH"],
        "SMOKE_PATIENCE": patience,
        "SMOKE_BIND": "127.0.0.1",
        "TF_CONFIG": json.dumps(config),
    }
    return subprocess.Popen(
        [sys.executable, "-c", PROGRAM], env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    )


@pytest.mark.parametrize(("ps", "workers"), [(1, 2), (2, 1), (0, 2)])
def test_every_replica_finds_the_others(ps, workers):
    ports = iter(free_ports(1 + ps + workers))
    counts = {"chief": 1, "ps": ps, "worker": workers}
    cluster = {kind: [f"127.0.0.1:{next(ports)}" for _ in range(n)] for kind, n in counts.items() if n}
    running = {(kind, i): start(kind, i, cluster) for kind, peers in cluster.items() for i in range(len(peers))}
    try:
        said = {key: one.communicate(timeout=30)[0] for key, one in running.items() if key[0] != "ps"}
        assert {key: running[key].returncode for key in said} == dict.fromkeys(said, 0), said
        assert f"from {workers} workers" in said["chief", 0]
        # parameter servers serve until the operator ends them
        assert all(one.poll() is None for key, one in running.items() if key[0] == "ps")
    finally:
        for one in running.values():
            one.kill()
            one.wait()


def test_a_peer_that_never_comes_is_named():
    (mine, other) = free_ports(2)
    cluster = {"chief": [f"127.0.0.1:{mine}"], "ps": [f"127.0.0.1:{other}"], "worker": []}
    one = start("chief", 0, cluster, patience="1")
    said, _ = one.communicate(timeout=30)
    assert one.returncode == 1
    assert f"127.0.0.1:{other} did not answer within 1 s" in said


def test_alone():
    done = subprocess.run([sys.executable, "-c", PROGRAM], env={}, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (0, "chief-0: alone: there is no TF_CONFIG to find peers by\n")
