"""How good is the analytic ranking? Over recorded spaces, the share of the optimum's speed that the
best of its first 32 (and 16, 8, 1) reaches. Nothing of a recording enters the ranking.

Usage: ranking.py ROOFTUNE RECORDINGS
RECORDINGS is a folder as `rooftune replay --suite` takes it; specs come from configs/recorded.
"""

import csv
import io
import json
import pathlib
import statistics
import subprocess
import sys

CONFIGS = pathlib.Path(__file__).resolve().parent.parent / "configs"
DEVICES = {
    "A100": "a100-40",
    "A4000": "rtx-a4000",
    "RTX_3090": "rtx-3090",
    "RTX_2080_Ti": "rtx-2080-ti",
}
FIRST = (1, 8, 16, 32)


def run(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def number(text):
    try:
        return float(text)
    except ValueError:
        return text


def shares(rooftune, recording, spec, device):
    """For each of FIRST, the optimum's time over the best time of so many; 0 where all failed."""
    shortlist = json.loads(
        run(rooftune, "rank", spec, "--device", device, "--count", str(max(FIRST)), "--no-compile",
            "--json")
    )["shortlist"]
    rows = list(csv.DictReader(io.StringIO(run(rooftune, "export", recording, "--format", "csv"))))
    names = list(rows[0])[: list(rows[0]).index("outcome")]
    times = {
        tuple(number(row[name]) for name in names): float(row["time_ms"])
        for row in rows
        if row["outcome"] == "ok"
    }
    best = min(times.values())
    found = [times.get(tuple(entry["parameters"][name] for name in names)) for entry in shortlist]
    return [
        best / min([time for time in found[:count] if time is not None], default=float("inf"))
        for count in FIRST
    ]


def main():
    rooftune, folder = sys.argv[1:]
    results = []
    print(f"{'recording':<32}" + "".join(f"{'first ' + str(n):>10}" for n in FIRST))
    for recording in sorted(pathlib.Path(folder).rglob("*-*.json.gz")):
        stem, _, device = recording.name[: -len(".json.gz")].rpartition("-")
        spec = CONFIGS / "recorded" / recording.parent.name / f"{stem}.yaml"
        if not spec.exists() or device not in DEVICES:
            continue
        results.append(shares(rooftune, str(recording), str(spec), DEVICES[device]))
        print(f"{stem + '-' + device:<32}" + "".join(f"{share:10.2f}" for share in results[-1]))
    medians = [statistics.median(column) for column in zip(*results)]
    print(f"{'median':<32}" + "".join(f"{share:10.2f}" for share in medians))


if __name__ == "__main__":
    main()
