#!/usr/bin/env python3
"""The table of tests/gpu/check.sh: measured ceilings beside the data sheet's, tuned kernels beside the
vendor's, and counters beside the model.

usage: summary.py FOLDER, which holds NAME/results.json, baselines.json, ceilings.json and sizes.json. Writes
FOLDER/summary.json. Exit status 1 where a goal is missed.
"""
import json
import pathlib
import sys


def best_of(folder, name):
    """The best record's time, and its counters; None where nothing succeeded."""
    file = folder / name / "results.json"
    if not file.exists():
        return None
    records = json.loads(file.read_text())["results"]
    right = [r for r in records if r["invalidity"] == "correct"]
    if not right:
        return None
    best = min((r["rooftune"] for r in right), key=lambda record: record["seconds"])
    return best["seconds"], best["problems"][0]["measurement"].get("counters", {})


def flops_counted(counters):
    names = {"fadd": 1, "fmul": 1, "ffma": 2}
    metric = "smsp__sass_thread_inst_executed_op_{}_pred_on.sum"
    values = [counters.get(metric.format(n)) for n in names]
    if None in values:
        return None
    return sum(v * w for v, w in zip(values, names.values()))


def ceilings_of(folder):
    """Measured roofs, each with its share of the data sheet's where there is one."""
    file = folder / "ceilings.json"
    if not file.exists() or file.stat().st_size == 0:
        return []
    roofs = json.loads(file.read_text())["roofs"]
    sheet = {r["name"]: r["value"] for r in roofs if r["source"] == "data sheet"}
    return [{"roof": r["name"], "kind": r["kind"], "measured": r["value"], "spread": r["spread"],
             "data_sheet": sheet.get(r["name"]), "how": r["origin"]}
            for r in roofs if r["source"] == "measured"]


def ceiling_line(ceiling):
    if ceiling["kind"] == "latency":
        return f"{ceiling['roof']:<22} {ceiling['measured'] * 1e6:12.2f} us   {ceiling['how']}"
    share = ("" if ceiling["data_sheet"] is None else
             f"{100 * ceiling['measured'] / ceiling['data_sheet']:.1f}% of the data sheet's, ")
    return f"{ceiling['roof']:<22} {ceiling['measured'] / 1e9:12.1f} G/s  {share}{ceiling['how']}"


def main():
    folder = pathlib.Path(sys.argv[1])
    sizes = json.loads((folder / "sizes.json").read_text())
    vendor_file = folder / "baselines.json"
    vendor = json.loads(vendor_file.read_text()) if vendor_file.exists() else {}
    floats, n = sizes["floats"], sizes["matrix"]
    side = sizes["transpose"]
    bandwidth = 8 * floats / vendor["copy"] if vendor else None
    # kernel: (its rate, the vendor's rate, the goal)
    rows = [
        ("copy", 8 * floats, bandwidth, 0.92),
        ("reduction", 4 * floats, bandwidth, 0.92),
        ("transpose", 8 * side * side, bandwidth, 0.88),
        ("sgemm", 2 * n**3, 2 * n**3 / vendor["sgemm"] if vendor else None, 0.90),
        ("wmma_gemm", 2 * n**3, 2 * n**3 / vendor["tensor"] if vendor else None, 0.60),
    ]
    table, failed = [], False
    for name, amount, reference, goal in rows:
        found = best_of(folder, name)
        row = {"kernel": name, "goal": goal, "fraction": None, "rate": None}
        if found:
            row["rate"] = amount / found[0]
            row["fraction"] = row["rate"] / reference if reference else None
        row["reached"] = row["fraction"] is not None and row["fraction"] >= goal
        failed |= not row["reached"]
        table.append(row)
    checks = []
    for name, what, model, slack in [("sgemm", "FLOP", 2 * n**3, 0.01),
                                     ("copy", "DRAM bytes", 8 * floats, 0.15)]:
        found = best_of(folder, name)
        counters = found[1] if found else {}
        counted = flops_counted(counters) if what == "FLOP" else counters.get("dram__bytes.sum")
        off = None if counted is None else abs(counted / model - 1)
        checks.append({"kernel": name, "what": what, "model": model, "counted": counted,
                       "within": slack, "agrees": None if off is None else off <= slack})
        failed |= checks[-1]["agrees"] is False
    ceilings = ceilings_of(folder)
    (folder / "summary.json").write_text(
        json.dumps({"ceilings": ceilings, "kernels": table, "counters": checks,
                    "baselines": vendor}, indent=2) + "\n")
    for ceiling in ceilings:
        print(ceiling_line(ceiling))
    for row in table:
        rate = "no result" if row["rate"] is None else f"{row['rate'] / 1e9:12.1f} G/s"
        share = "-" if row["fraction"] is None else f"{100 * row['fraction']:5.1f}%"
        verdict = "ok" if row["reached"] else "MISSED"
        print(f"{row['kernel']:<10} {rate}  {share} of the vendor's, goal {100 * row['goal']:.0f}%"
              f"  {verdict}")
    for check in checks:
        verdict = {None: "no data", True: "ok", False: "DIFFERS"}[check["agrees"]]
        print(f"{check['kernel']:<10} {check['what']} counted against the model: {verdict}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
