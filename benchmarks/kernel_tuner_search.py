#!/usr/bin/env python3
"""Kernel Tuner's own strategies, at their default settings, on the recordings on which `rooftune replay`
scores ours, scored in the same way (Willemsen et al.: random search is 0, the optimum at once is 1).

It makes a virtual environment of its own with Kernel Tuner from PyPI, and simulates: no GPU is used.

usage: kernel_tuner_search.py RECORDINGS [--strategies genetic_algorithm,mls] [--repeats 10]
                              [--jobs 2] [--venv build/kernel_tuner] [--json FILE]
"""
import argparse
import contextlib
import gzip
import io
import json
import math
import multiprocessing
import pathlib
import statistics
import subprocess
import sys
import tempfile

KERNEL_TUNER = "kernel-tuner==1.5.0"
STRATEGIES = ["random_sample", "genetic_algorithm", "simulated_annealing", "mls", "greedy_ils", "greedy_mls",
              "diff_evo", "pso", "firefly_algorithm", "basinhopping", "dual_annealing"]


def into_venv(folder):
    """Runs this script again with the Python of an environment that has Kernel Tuner."""
    python = pathlib.Path(folder) / "bin" / "python"
    if pathlib.Path(sys.prefix).resolve() == pathlib.Path(folder).resolve():
        return
    if not python.exists():
        subprocess.run([sys.executable, "-m", "venv", folder], check=True)
        subprocess.run([python, "-m", "pip", "install", "--quiet", KERNEL_TUNER], check=True)
    sys.exit(subprocess.run([python, *sys.argv]).returncode)


def from_ktt(document):
    """KTT results as entries of a Kernel Tuner cache: times in milliseconds."""
    scale = {"Nanoseconds": 1e-6, "Microseconds": 1e-3, "Milliseconds": 1}[document["Metadata"]["TimeUnit"]]
    for result in document["Results"]:
        entry = {pair["Name"]: pair["Value"] for pair in result["Configuration"]}
        ok = result["Status"] == "Ok"
        entry["time"] = result["ComputationResults"][0]["Duration"] * scale if ok else "RuntimeFailedConfig"
        yield entry


def load(path):
    """Parameter names and, by the tuple of their values, the time in ms (None for a failure)."""
    opened = gzip.open(path, "rt") if path.suffix == ".gz" else open(path)
    with opened as stream:
        document = json.load(stream)
    if "Results" in document:
        entries = from_ktt(document)
        names = [pair["Name"] for pair in document["Results"][0]["Configuration"]]
    else:
        entries, names = document["cache"].values(), document["tune_params_keys"]
    return names, {tuple(entry[name] for name in names):
                   entry["time"] if isinstance(entry["time"], (int, float)) else None for entry in entries}


class Basis:
    """What a run is held against: the optimum, and expected random search after k draws."""

    def __init__(self, times):
        self.times = sorted(time for time in times.values() if time is not None)
        self.optimum = self.times[0]
        goal = self.optimum + 0.05 * (statistics.median(self.times) - self.optimum)
        self.random_best = []
        # missed[i]: the probability that none of the i + 1 fastest is among the draws.
        missed, count = [1.0] * len(self.times), len(self.times)
        while not self.random_best or self.random_best[-1] > goal:
            k = len(self.random_best) + 1
            expected = self.optimum
            for i in range(count - 1):
                missed[i] *= max(0.0, count - i - k) / (count - k + 1)
                expected += (self.times[i + 1] - self.times[i]) * missed[i]
            self.random_best.append(expected)
        self.budget = len(self.random_best)

    def score(self, found):
        """`found`: times in the order of evaluation, None for a failure."""
        best, total, first = None, 0.0, self.random_best[0]
        for k in range(self.budget):
            if k < len(found) and found[k] is not None:
                best = found[k] if best is None else min(best, found[k])
            total += ((self.random_best[k] - (first if best is None else best))
                      / (self.random_best[k] - self.optimum))
        return total / self.budget

    def evaluations_to(self, found, factor):
        # Some strategies run past the evaluations that they were given.
        for k, time in enumerate(found[:2 * self.budget]):
            if time is not None and time <= self.optimum * factor * (1 + 1e-12):
                return k + 1
        return 2 * self.budget


def write_cache(path, names, times, values):
    cache = {}
    for key, time in times.items():
        cache[",".join(str(value) for value in key)] = {
            **dict(zip(names, key)), "time": time if time is not None else "RuntimeFailedConfig",
            "compile_time": 0, "verification_time": 0, "benchmark_time": 0, "strategy_time": 0,
            "framework_time": 0, "timestamp": "2020-01-01 00:00:00+00:00",
            "times": [time if time is not None else 0]}
    path.write_text(json.dumps({"device_name": "recorded", "kernel_name": "recorded", "problem_size": [1, 1],
                                "tune_params_keys": names, "tune_params": values, "objective": "time",
                                "cache": cache}))


def simulate(job):
    """One run of a strategy: the times in the order of evaluation."""
    names, times, values, cache, strategy, seed, budget = job
    import kernel_tuner
    import numpy
    import random
    random.seed(seed)
    numpy.random.seed(seed)

    def is_recorded(point):
        return tuple(point[name] for name in names) in times

    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
        results, _ = kernel_tuner.tune_kernel(
            "recorded", "__global__ void recorded() {}", (1, 1), [], values, lang="CUDA",
            restrictions=is_recorded,
            simulation_mode=True, cache=str(cache), strategy=strategy,
            strategy_options={"max_fevals": 2 * budget}, objective="time", seed=seed, quiet=True)
    return [times[tuple(result[name] for name in names)] for result in results]


def recordings(folder):
    for path in sorted(pathlib.Path(folder).rglob("*.json*")):
        if "-" in path.name and ".t4." not in path.name:
            yield path


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("recordings")
    parser.add_argument("--strategies", default=",".join(STRATEGIES))
    parser.add_argument("--repeats", type=int, default=10)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--venv", default="build/kernel_tuner")
    parser.add_argument("--json", help="write the figures to FILE")
    arguments = parser.parse_args()
    into_venv(arguments.venv)

    strategies = arguments.strategies.split(",")
    scores, document = {name: [] for name in strategies}, []
    print(f"{'recording':<28} {'strategy':<20} {'budget':>6} {'score':>7} {'+-':>6} {'to 10%':>8} {'to 5%':>8}")
    with tempfile.TemporaryDirectory() as folder, multiprocessing.Pool(arguments.jobs) as pool:
        for path in recordings(arguments.recordings):
            names, times = load(path)
            basis = Basis(times)
            values = {name: sorted({key[i] for key in times}) for i, name in enumerate(names)}
            cache = pathlib.Path(folder) / (path.name.split(".json")[0] + ".json")
            write_cache(cache, names, times, values)
            for strategy in strategies:
                runs = pool.map(simulate, [(names, times, values, cache, strategy, seed, basis.budget)
                                           for seed in range(1, arguments.repeats + 1)], chunksize=1)
                found = [basis.score(run) for run in runs]
                mean = statistics.mean(found)
                error = statistics.stdev(found) / math.sqrt(len(found)) if len(found) > 1 else math.nan
                to = {factor: statistics.mean(basis.evaluations_to(run, factor) for run in runs)
                      for factor in (1.10, 1.05)}
                scores[strategy].append(mean)
                document.append({"recording": cache.stem, "strategy": strategy, "budget": basis.budget,
                                 "score": mean, "standard_error": error, "to_1.10": to[1.10],
                                 "to_1.05": to[1.05], "repeats": arguments.repeats})
                print(f"{cache.stem:<28} {strategy:<20} {basis.budget:>6} {mean:>7.3f} {error:>6.3f} "
                      f"{to[1.10]:>8.1f} {to[1.05]:>8.1f}", flush=True)
    for strategy in strategies:
        print(f"{'mean of all':<28} {strategy:<20} {'':>6} {statistics.mean(scores[strategy]):>7.3f}")
    best = [max(scores[strategy][i] for strategy in strategies) for i in range(len(scores[strategies[0]]))]
    print(f"{'mean of all':<28} {'best for each space':<20} {'':>6} {statistics.mean(best):>7.3f}")
    if arguments.json:
        pathlib.Path(arguments.json).write_text(json.dumps(document, indent=2))


if __name__ == "__main__":
    main()
