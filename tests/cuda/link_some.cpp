// A program that links some of the functions: those are what actinide_cuda_warm_up() loads. LINKS_ELU_F32: one; else none.
#include <actinide/cuda.h>

#include <algorithm>
#include <cstdio>

#include "fake_driver.h"

int main() {
  const actinide::test::LoadedDriver loaded = actinide::test::load_driver(FAKE_DRIVER);
  std::vector<std::string> wanted;
#ifdef LINKS_ELU_F32
  wanted = {"actinide_k_elu_f32_cuda", "actinide_k_elu_f32_cuda_any"};
  if (actinide_cuda_elu_f32(nullptr, nullptr, 0, 1.0f, nullptr) != ACTINIDE_OK) return 1;
#endif
  const actinide_status status = actinide_cuda_warm_up();
  std::vector<std::string> found = loaded.record().loaded;
  std::sort(found.begin(), found.end());
  std::printf("%s\n", actinide_status_string(status));
  for (const std::string& kernel : found) std::printf("loaded %s\n", kernel.c_str());
  return status == ACTINIDE_OK && found == wanted && loaded.driver.loads == static_cast<int>(wanted.size()) ? 0 : 1;
}
