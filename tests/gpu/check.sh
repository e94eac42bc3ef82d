#!/usr/bin/env bash
# Everything that needs a real GPU, in a few minutes.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

out=out/gpu device=cuda:0
usage() {
  cat <<'END'
usage: tests/gpu/check.sh [--out DIR] [--device cuda:N]

On a machine with an NVIDIA GPU: builds rooftune, lists the devices, measures the GPU's ceilings, tunes
copy, reduction, transpose, SGEMM and a tensor-core GEMM with small budgets, times cuBLAS and a device
copy beside them, holds counters against the work model, and runs compute-sanitizer over the templates. Writes results and
summary.json to DIR (default out/gpu) and prints a table last. The exit status is 1 where a goal is
missed. Takes cuBLAS and the CUDA run time from CUDA_PATH (default /usr/local/cuda).
END
}
while (($# > 0)); do
  case $1 in
    --out | --device)
      if (($# < 2)); then
        usage >&2
        exit 2
      fi
      if [[ $1 == --out ]]; then out=$2; else device=$2; fi
      shift 2
      ;;
    --help | -h)
      usage
      exit 0
      ;;
    *)
      usage >&2
      exit 2
      ;;
  esac
done

source scripts/common.sh

install_packages build
configure release -DROOFTUNE_TESTS=OFF
quietly "the build" cmake --build --preset release
rooftune=build/release/rooftune
mkdir -p "$out"

say "Devices"
"$rooftune" devices
# 1 GiB a buffer: beyond every L2.
floats=268435456 matrix=4096 transpose=16384
printf '{"floats": %d, "matrix": %d, "transpose": %d}\n' $floats $matrix $transpose >"$out/sizes.json"

problems=()

say "Ceilings"
"$rooftune" ceilings --device "$device" --refresh --json >"$out/ceilings.json" ||
  problems+=("ceilings")

# tune NAME SPEC EVALUATIONS [OPTION...]: one kernel with a small budget.
tune() {
  local name=$1 spec=$2 evaluations=$3
  shift 3
  say "Tuning $name"
  "$rooftune" tune "$spec" --device "$device" --evaluations "$evaluations" --seconds 45 \
    --out "$out/$name" "$@" || problems+=("tuning $name")
}
square=(--set "M=$matrix" --set "N=$matrix" --set "K=$matrix")
tune copy tests/gpu/copy.yaml 24 --set n=$floats
tune reduction configs/kernels/reduction.yaml 24 --set n=$floats
tune transpose configs/kernels/transpose.yaml 24 --set rows=$transpose --set columns=$transpose
tune sgemm configs/kernels/sgemm.yaml 60 "${square[@]}" --set T=float
tune wmma_gemm configs/kernels/wmma_gemm.yaml 40 "${square[@]}"

say "cuBLAS and a device copy"
cuda=${CUDA_PATH:-/usr/local/cuda}
if g++ -std=c++20 -O2 tests/gpu/baselines.cpp -o "$out/baselines" -I"$cuda/include" \
  -L"$cuda/lib64" -L"$cuda/lib" -lcublas -lcudart -Wl,-rpath,"$cuda/lib64:$cuda/lib" &&
  CUDA_VISIBLE_DEVICES=${device#cuda:} "$out/baselines" $floats $matrix >"$out/baselines.tmp"; then
  mv "$out/baselines.tmp" "$out/baselines.json"
  cat "$out/baselines.json"
else
  problems+=("cuBLAS and the device copy")
fi

say "compute-sanitizer over the templates"
if command -v compute-sanitizer >/dev/null; then
  for spec in configs/kernels/*.yaml; do
    name=$(basename "$spec" .yaml)
    # Without counters: the sanitizer is a profiler of its own.
    compute-sanitizer --target-processes all --error-exitcode 9 --quiet \
      "$rooftune" tune "$spec" --device "$device" --evaluations 1 --seconds 10 --counters off \
      --launch-limit 60 --out "$out/sanitized/$name" >"$out/sanitized-$name.log" 2>&1 ||
      problems+=("compute-sanitizer: $name, see $out/sanitized-$name.log")
  done
else
  say "compute-sanitizer is not here: skipped"
fi

say "Summary ($SECONDS s)"
python3 tests/gpu/summary.py "$out" || problems+=("goals")
if ((${#problems[@]} > 0)); then
  printf 'failed: %s\n' "${problems[@]}"
  exit 1
fi
