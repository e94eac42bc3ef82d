#!/usr/bin/env python3
"""Is the tuned SGEMM worth its search? On the host device, over several seeds and in one run:
the best that the roofline policy finds against the best of random search with as many evaluations,
and against the median configuration (of all that random search drew: a uniform sample).

usage: sgemm_search.py [--rooftune build/release/rooftune] [--spec configs/kernels/sgemm.yaml]
                       [--evaluations 30] [--seeds 10]
"""
import argparse
import json
import pathlib
import statistics
import subprocess
import tempfile


def tune(arguments, policy, seed, folder):
    """Times in seconds of the configurations that succeeded, in order, and the best as ranked."""
    out = pathlib.Path(folder) / f"{policy}-{seed}"
    subprocess.run([arguments.rooftune, "tune", arguments.spec, "--device", "host", "--policy", policy,
                    "--seed", str(seed), "--evaluations", str(arguments.evaluations), "--out", out],
                   check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    results = json.loads((out / "results.json").read_text())["results"]
    wrong = [r for r in results if r["invalidity"] == "correctness"]
    times = [r["measurements"][0]["value"] / 1e3 for r in results if r["invalidity"] == "correct"]
    return times, min(times), len(wrong)


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rooftune", default="build/release/rooftune")
    parser.add_argument("--spec", default="configs/kernels/sgemm.yaml")
    parser.add_argument("--evaluations", type=int, default=30)
    parser.add_argument("--seeds", type=int, default=10)
    arguments = parser.parse_args()

    sampled, best, wrong = [], {"roofline": [], "random": []}, 0
    with tempfile.TemporaryDirectory() as folder:
        for seed in range(1, arguments.seeds + 1):
            for policy in ("roofline", "random"):  # in turn: drift of the machine hits both
                times, fastest, bad = tune(arguments, policy, seed, folder)
                best[policy].append(fastest)
                wrong += bad
                if policy == "random":
                    sampled += times[1:]  # the first is the spec's baseline
            print(f"seed {seed}: roofline {best['roofline'][-1] * 1e3:.2f} ms, "
                  f"random {best['random'][-1] * 1e3:.2f} ms", flush=True)
    roofline, random = (statistics.median(best[p]) for p in ("roofline", "random"))
    median = statistics.median(sampled)
    print(f"median of {arguments.seeds} seeds, {arguments.evaluations} evaluations each")
    print(f"roofline {roofline * 1e3:.2f} ms, random {random * 1e3:.2f} ms: "
          f"{random / roofline:.2f} times as fast as random search")
    print(f"median configuration {median * 1e3:.2f} ms (of {len(sampled)} drawn): "
          f"the tuned one is {median / roofline:.1f} times as fast")
    print(f"wrong results: {wrong}")


if __name__ == "__main__":
    main()
