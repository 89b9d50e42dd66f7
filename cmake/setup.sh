#!/bin/sh
# Everything the build needs that is not in this repository: Debian packages, and .venv from requirements.txt.
# ACTINIDE_SETUP_EXTRA names more packages, as CI does. Does nothing if all is there. Installs packages only as root or with a sudo that asks
# for no password.
set -eu
cd "$(dirname "$0")/.."

case "$(uname -s) $(uname -m)" in
  "Linux aarch64" | "Linux arm"*)
    echo "setup: Halide is not distributed for ARM Linux: build on an x86-64 machine, with \`make cross TARGET=aarch64-linux-gnu\` or" \
      "\`make cross TARGET=arm-linux-gnueabihf\`, and copy the result here" >&2
    exit 1
    ;;
esac

packages="g++ clang make binutils pkg-config cmake python3 python3-venv ca-certificates libgtest-dev libbenchmark-dev libcli11-dev libfmt-dev ${ACTINIDE_SETUP_EXTRA:-}"

if ! command -v dpkg-query >/dev/null; then
  echo "setup: this is not Debian or Ubuntu; please install the equivalents of: $packages" >&2
else
  missing=
  for package in $packages; do
    dpkg-query -W -f '${Status}' "$package" 2>/dev/null | grep -q 'ok installed' || missing="$missing $package"
  done
  if [ -n "$missing" ]; then
    install="apt-get install -y --no-install-recommends$missing"
    if [ "$(id -u)" = 0 ]; then
      sudo=
    elif sudo -n true 2>/dev/null; then
      sudo="sudo -n"
    else
      echo "setup: packages are missing; please run:  sudo apt-get update && sudo $install" >&2
      exit 1
    fi
    echo "setup: $install"
    $sudo apt-get update -qq
    $sudo env DEBIAN_FRONTEND=noninteractive $install >/dev/null
  fi
fi

# The programs in .venv and the build folders hold the path of this folder: after a move they are made anew.
for cache in build/*/CMakeCache.txt; do
  if [ -f "$cache" ] && ! grep -qxF "CMAKE_HOME_DIRECTORY:INTERNAL=$PWD" "$cache"; then
    echo "setup: $(dirname "$cache") was made in another folder: removed"
    rm -rf "$(dirname "$cache")"
  fi
done
stamp=.venv/.requirements
if ! cmp -s requirements.txt "$stamp" || ! .venv/bin/cmake --version >/dev/null 2>&1; then
  echo "setup: .venv from requirements.txt"
  python=python3
  if [ -x /usr/bin/python3 ]; then python=/usr/bin/python3; fi
  "$python" -m venv --clear .venv
  .venv/bin/pip install --quiet --disable-pip-version-check --no-deps --retries 1 -r requirements.txt || {
    echo "setup: could not install requirements.txt; is PyPI reachable?" >&2
    exit 1
  }
  cp requirements.txt "$stamp"
fi
