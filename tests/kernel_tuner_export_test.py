"""Kernel Tuner itself runs on a cache that rooftune exported, in its simulation mode.

Usage: kernel_tuner_export_test.py ROOFTUNE RESULTS FOLDER
Needs ROOFTUNE_KERNEL_TUNER_PYTHON, a Python that has the package kernel_tuner; exits with 77, which
CTest reports as skipped, where it is unset.
"""

import json
import os
import subprocess
import sys

SIMULATION = """
import json, sys
import kernel_tuner
cache = json.load(open(sys.argv[1]))
results, _ = kernel_tuner.tune_kernel(
    cache["kernel_name"], "__global__ void k() {}", tuple(cache["problem_size"]), [],
    cache["tune_params"], restrictions=lambda p: ",".join(str(v) for v in p.values()) in cache["cache"],
    cache=sys.argv[1], simulation_mode=True, strategy="brute_force", verbose=False, quiet=True,
    lang="CUDA")
json.dump([{k: (v if isinstance(v, (int, float)) else str(v)) for k, v in r.items()
            if k in cache["tune_params"] or k == "time"} for r in results], open(sys.argv[2], "w"))
"""


def main():
    rooftune, results, folder = sys.argv[1:]
    python = os.environ.get("ROOFTUNE_KERNEL_TUNER_PYTHON")
    if not python:
        print("skipped: ROOFTUNE_KERNEL_TUNER_PYTHON is not set (a Python with kernel_tuner)")
        return 77
    os.makedirs(folder, exist_ok=True)
    cache = os.path.join(folder, "cache.json")
    answer = os.path.join(folder, "answer.json")
    subprocess.run([rooftune, "export", results, "--format", "kernel-tuner", "-o", cache], check=True)
    with open(cache) as file:
        before = file.read()
    subprocess.run([python, "-c", SIMULATION, cache, answer], check=True, cwd=folder)
    with open(cache) as file:
        assert file.read() == before, "a simulation changed the cache"
    exported = json.loads(before)
    names = exported["tune_params_keys"]
    with open(answer) as file:
        got = {",".join(str(r[n]) for n in names): r["time"] for r in json.load(file)}
    assert set(got) == set(exported["cache"]), "other configurations than exported"
    for key, entry in exported["cache"].items():
        expected = entry["time"]
        same = str(got[key]) == expected if isinstance(expected, str) else got[key] == expected
        assert same, f"{key}: {got[key]} for {expected}"
    print(f"Kernel Tuner answered {len(got)} configurations as exported")
    return 0


if __name__ == "__main__":
    sys.exit(main())
