#!/bin/sh
# Runs Actinide's tests and benchmark for CUDA on this machine; README.txt tells how. Exit status 0: something passed and nothing failed;
# 77: everything was skipped.
case $0 in
  */*) here=$(CDPATH='' cd "${0%/*}" && pwd) || exit 1 ;;
  *) here=$(pwd) ;;
esac
logs=${ACTINIDE_LOGS:-$here/logs}
mkdir -p "$logs" && rm -f "$logs"/*.log || exit 1
export ACTINIDE_TEST_DATA="$here/data"
# The results are compared with the best target of the CPU.
unset ACTINIDE_FORCE_TARGET ACTINIDE_MAX_TARGET

started=$(date +%s)
limit=${ACTINIDE_TIME_LIMIT:-450}
passed=0 failed=0 skipped=0

# The number in the last line that matches, or 0.
number() {
  found=$(sed -n "s/^$1.*/\\1/p" "$2" | tail -n 1)
  echo "${found:-0}"
}

# run NAME SECONDS COMMAND...: with a log, for no longer than that or the time that is left; and counts what the log says. A program that
# ends early is a failure.
run() {
  name=$1 seconds=$2 log=$logs/$1.log
  shift 2
  left=$((started + limit - $(date +%s)))
  [ "$seconds" -lt "$left" ] || seconds=$left
  if [ "$seconds" -gt 0 ]; then
    timeout -k 5 "$seconds" "$@" >"$log" 2>&1
    status=$?
  else
    echo "not started: the time is used up" >"$log"
    status=124
  fi
  ran=$(number '\[==========\] \([0-9]*\) tests\{0,1\} from .* ran\.' "$log")
  p=$(number '\[  PASSED  \] \([0-9]*\) test' "$log")
  s=$(number '\[  SKIPPED \] \([0-9]*\) test' "$log")
  f=$((ran - p - s))
  case $name:$status in
    *_test:0) ;;
    *_test:*) [ "$f" -gt 0 ] || f=1 ;;
    *:0) p=1 ;;
    *:77) s=1 ;;
    *) f=1 ;;
  esac
  [ $((p + f + s)) -gt 0 ] || f=1
  passed=$((passed + p)) failed=$((failed + f)) skipped=$((skipped + s))
  echo "=== $name: passed $p, failed $f, skipped $s; exit status $status"
  case $name in
    *_test)
      sed -n '/: Skipped$/{n;p;}' "$log" | sort | uniq -c | sort -rn | head -n 5 | sed 's/^ */    skipped /'
      grep -e ' differ from the CPU' -e '^attribute 1, ' "$log" | cut -c 1-160 | head -n 30
      if [ "$f" -gt 0 ]; then
        grep '^\[  FAILED  \] [^0-9]' "$log" | sort -u | head -n 12
        grep -A 7 ': Failure$' "$log" | cut -c 1-300 | head -n 24
        [ "$ran" -gt 0 ] || tail -n 5 "$log" | cut -c 1-300
      fi
      ;;
    *) cat "$log" ;;
  esac
}

echo "machine: $(uname -srm), $(nproc) CPUs"
nvidia-smi || echo "nvidia-smi does not run: is there an NVIDIA driver?"

bin=$here/bin
run gpu_device_test 60 "$bin/gpu_device_test" --gtest_color=no
run gpu_conformance_test 30 "$bin/gpu_conformance_test" --gtest_color=no --gtest_filter='-ConformanceCases.*'  # those need no device
run gpu_values_test 80 "$bin/gpu_values_test" --gtest_color=no
run cuda_benchmark 100 "$bin/cuda_benchmark"
for name in sweep memory consistency accuracy; do
  run gpu_${name}_test 80 "$bin/gpu_${name}_test" --gtest_color=no
done
run gpu_special_test 120 "$bin/gpu_special_test" --gtest_color=no  # five million calls
if command -v python3 >/dev/null; then
  run torch_peer 100 python3 "$here/torch_peer.py"
else
  echo "=== torch_peer: there is no python3"
  skipped=$((skipped + 1))
fi

grep -h '^target \|^not measured: ' "$logs/cuda_benchmark.log"
echo "$(($(date +%s) - started)) seconds; logs in $logs"
echo "passed $passed, failed $failed, skipped $skipped"
[ "$failed" -eq 0 ] || exit 1
[ "$passed" -gt 0 ] || exit 77
