// Opens the driver and makes a context before the tests, for sources that know of neither.
#include "driver_test.h"

namespace {

actinide::cuda::Context context{0};
const bool is_loaded = [] {
  actinide::test::load_driver(FAKE_DRIVER).record().current = {&context};
  return true;
}();

}  // namespace
