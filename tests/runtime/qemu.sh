#!/bin/sh
# qemu.sh EMULATOR MODEL TARGET HELPER "BUILT-IN TARGETS" [SANITIZER]: on an emulated CPU of this model the library chooses TARGET, its
# results are right, and no instruction is illegal. Exit status 77: skipped.
emulator=$1 model=$2 target=$3 helper=$4 targets=$5 sanitizer=${6:-}

if [ -n "$sanitizer" ]; then
  echo "skipped: qemu does not run programs with -fsanitize=$sanitizer"
  exit 77
fi
case " $targets none " in
  *" $target "*) ;;
  *)
    echo "skipped: $target, which this CPU should get, is not built in; built in: $targets"
    exit 77
    ;;
esac
qemu=$(command -v "$emulator" || command -v "$emulator-static") || {
  echo "skipped: $emulator is not installed (Debian: qemu-user)"
  exit 77
}
version=$("$qemu" --version | sed -n 's/.*version \([0-9]*\)\.\([0-9]*\).*/\1 \2/p')
if [ "$target" = avx2 ] && [ "$(echo "$version" | awk '{print $1 * 100 + $2}')" -lt 702 ]; then
  echo "skipped: qemu before 7.2 has no AVX2"
  exit 77
fi
unset ACTINIDE_FORCE_TARGET ACTINIDE_MAX_TARGET
exec "$qemu" -cpu "$model" "$helper" expect "$target"
