# What ./quickstart and ./check share: messages, packages, CUDA, and building. Source it from the
# repository's root.
# shellcheck shell=bash

build_log=build/setup.log  # where the output of the quiet steps goes
mkdir -p build

say() { printf '\n== %s\n' "$*"; }

fail() {
  printf 'error: %s\n' "$*" >&2
  exit 1
}

# quietly WHAT COMMAND...: runs it with its output in the log, and shows the log's end when it fails.
quietly() {
  local what=$1
  shift
  if ! "$@" >"$build_log" 2>&1; then
    tail -n 40 "$build_log" >&2
    fail "$what failed; all of its output is in $build_log"
  fi
}

# The packages of the groups given that are not installed, one a line.
missing_packages() {
  local group package
  while read -r group package; do
    if [[ " $* " == *" $group "* ]] &&
      [[ $(dpkg-query -W -f='${db:Status-Status}' "$package" 2>/dev/null) != installed ]]; then
      printf '%s\n' "$package"
    fi
  done < <(grep -v '^#' scripts/packages.txt)
}

# install_packages GROUP...: installs what is missing, or says what to install and gives up.
install_packages() {
  if ! command -v dpkg-query >/dev/null; then
    say "Not a Debian system: install the counterparts of scripts/packages.txt ($*) by hand"
    return
  fi
  local missing sudo=()
  mapfile -t missing < <(missing_packages "$@")
  if ((${#missing[@]} == 0)); then
    return
  fi
  if ((EUID != 0)); then
    if ! command -v sudo >/dev/null || ! sudo -n true 2>/dev/null; then
      fail "these packages are missing, and installing them takes root; run
  sudo apt-get update && sudo apt-get install --no-install-recommends ${missing[*]}
and then this command again"
    fi
    sudo=(sudo)
  fi
  say "Installing ${#missing[@]} Debian packages: ${missing[*]}"
  quietly "apt-get update" "${sudo[@]}" apt-get update -q
  quietly "apt-get install" "${sudo[@]}" env DEBIAN_FRONTEND=noninteractive \
    apt-get install -q -y --no-install-recommends "${missing[@]}"
}

# NVRTC, CUPTI and the headers, as wheels of one major version. nvrtc: the compiler. runtime:
# cuda_occupancy.h, cuda_fp16.h, mma.h, cooperative_groups.h and their like. crt: what mma.h
# includes. cccl: what cooperative_groups.h includes. cupti: the counters.
cuda_wheels=(nvidia-cuda-nvrtc nvidia-cuda-runtime nvidia-cuda-crt nvidia-cuda-cccl
  nvidia-cuda-cupti)
cuda_major=13

fetch_cuda() {
  if ! python3 -m pip --version >/dev/null 2>&1; then
    install_packages pip
  fi
  say "No CUDA here: taking NVRTC and its headers from NVIDIA's PyPI wheels (80 MB) into build/cuda"
  quietly "pip" python3 -m pip install --quiet --disable-pip-version-check --no-deps \
    --no-compile --upgrade --target build/cuda "${cuda_wheels[@]/%/==$cuda_major.*}"
}

# configure PRESET [OPTION...]: configures, with CUDA from wheels where there is no other.
configure() {
  if cmake --preset "$@" >"$build_log" 2>&1; then
    return
  fi
  if [[ ! -d build/cuda ]] && grep -q 'Could NOT find CudaParts' "$build_log"; then
    fetch_cuda
  fi
  quietly "configuring the build" cmake --preset "$@"
}
