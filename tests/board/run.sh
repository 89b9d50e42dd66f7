#!/bin/sh
# Runs Actinide's tests on this machine; README.txt tells how. Exit status 0: tests ran, and none failed.
case $0 in
  */*) here=$(CDPATH='' cd "${0%/*}" && pwd) || exit 1 ;;
  *) here=$(pwd) ;;
esac
export ACTINIDE_TEST_DATA="$here/data" ACTINIDE_TEST_HELPER="$here/bin/runtime_helper"

run() (
  IFS=' ;'
  exec ${ACTINIDE_TEST_EMULATOR:-} "$@"
)

echo "machine: $(uname -srm)"
run "$here/bin/active_target" || {
  echo "The programs do not run on this machine. README.txt says what they are for."
  exit 1
}

for program in "$here"/bin/*_test; do
  echo "=== ${program##*/}"
  run "$program" "$@" --gtest_color=no 2>&1
  printf '\n=== exit status %d\n' $?
done | {
  # GoogleTest's own counts; a program that ends without them is one failure.
  all_ran=0 all_passed=0 all_skipped=0 failed=0
  while IFS= read -r line; do
    printf '%s\n' "$line"
    case $line in
      "=== exit status "*)
        status=${line##* }
        failed=$((failed + ran - passed - skipped))
        if [ "$reported" = no ] || { [ "$status" -ne 0 ] && [ "$ran" -eq $((passed + skipped)) ]; }; then
          echo "${name} ended early or failed outside its tests, with exit status $status"
          failed=$((failed + 1))
        fi
        all_ran=$((all_ran + ran)) all_passed=$((all_passed + passed)) all_skipped=$((all_skipped + skipped))
        ;;
      "=== "*) name=${line#=== } ran=0 passed=0 skipped=0 reported=no ;;
      "[==========] "*" ran."*)
        count=${line#"[==========] "}
        ran=$((ran + ${count%% *})) reported=yes
        ;;
      "[  PASSED  ] "[0-9]*)
        count=${line#"[  PASSED  ] "}
        passed=$((passed + ${count%% *}))
        ;;
      "[  SKIPPED ] "[0-9]*)
        count=${line#"[  SKIPPED ] "}
        skipped=$((skipped + ${count%% *}))
        ;;
    esac
  done
  [ "$all_ran" -gt 0 ] || echo "no test ran"
  echo "passed $all_passed, failed $failed, skipped $all_skipped"
  [ "$failed" -eq 0 ] && [ "$all_ran" -gt 0 ]
}
