"""Many runs in a row: what becomes of the others when one goes wrong, and that ports do not get in their way."""

import json
import sys
import tempfile
import unittest
from contextlib import redirect_stderr, redirect_stdout
from io import StringIO
from pathlib import Path
from unittest.mock import MagicMock, patch

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

import run  # noqa: E402
from tools import free_port, release  # noqa: E402


def cluster(binary, models, pooled):
    """Where a helper ends the script, as it does when a server does not start."""
    cluster.made += 1
    if cluster.made == 2:
        sys.exit("chaos: PostgreSQL did not start")
    return MagicMock()


def acts(cluster, seed, *_):
    """What a run makes of the seed comes first in it."""
    if seed == 12:
        raise RuntimeError("a is not ready")
    return []


def judged(facts):
    return ["image img_1: lost"] if seeds.pop(0) == 13 else []


seeds = [10, 13, 14]


class Runs(unittest.TestCase):
    def test_a_run_that_fails_does_not_end_the_others(self) -> None:
        cluster.made = 0
        parts = {name: MagicMock() for name in ("Caller", "Operator", "Supervisor", "restart_in_turn", "inspect")}
        with tempfile.TemporaryDirectory() as folder, redirect_stdout(StringIO()) as out, \
                redirect_stderr(StringIO()), patch.multiple(run, Cluster=cluster, plan=acts, judge=judged, **parts), \
                patch.object(run.signal, "signal"):
            results = Path(folder) / "results"
            results.write_text('{"seed": 9, "outcome": "good"}\n')  # of an earlier call
            words = ["--binary", "b", "--models", "m", "--seed", "10", "--runs", "5", "--results", str(results)]
            with patch.object(sys, "argv", ["run.py", *words]):
                self.assertEqual(run.main(), 1)
            lines = [json.loads(line) for line in results.read_text().splitlines()]
        self.assertEqual([(line["seed"], line["outcome"]) for line in lines],
                         [(9, "good"), (10, "good"), (11, "did not start"), (12, "ended early"), (13, "complaints"),
                          (14, "good")])
        self.assertIn("PostgreSQL did not start", lines[2]["complaints"][0])
        self.assertIn("a is not ready", lines[3]["complaints"][0])
        self.assertIn("5 runs, 1 with complaints: seeds 13, 1 that ended early: seeds 12, 1 that did not start: "
                      "seeds 11", out.getvalue())

    def test_a_signal_ends_all(self) -> None:
        def told(*_):
            raise run.Told

        with redirect_stdout(StringIO()), patch.object(run, "Cluster", told), self.assertRaises(run.Told):
            run.attempt(MagicMock(), 1)


class Ports(unittest.TestCase):
    def test_no_port_is_given_out_twice_or_to_a_connection(self) -> None:
        ports = [free_port() for _ in range(300)]
        self.assertEqual(len(set(ports)), 300)
        lowest = int(Path("/proc/sys/net/ipv4/ip_local_port_range").read_text().split()[0])
        # Where connections may take nearly every port, there are too few below for all.
        if lowest >= 4096:
            self.assertLess(max(ports), lowest)
        release()


if __name__ == "__main__":
    unittest.main()
