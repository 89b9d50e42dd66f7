// The operator that CONTRIBUTING.md adds as an example, on every target of this machine. Values from the definition: products by powers of
// two are exact, and -1 times the default is the default.
#include <actinide/actinide.hpp>

#include <bit>
#include <cstdint>
#include <cstdio>
#include <limits>
#include <span>
#include <vector>

namespace {

int wrong = 0;

template <typename T, typename Bits>
void expect(const char* type, const std::vector<Bits>& x, float alpha, const std::vector<Bits>& right) {
  // Long enough for full vectors and a remainder on every target.
  constexpr std::size_t repeats = 37;
  std::vector<T> in, out(x.size() * repeats);
  for (std::size_t i = 0; i < out.size(); ++i) in.push_back(std::bit_cast<T>(x[i % x.size()]));
  const actinide::status status = actinide::leaky_relu(std::span<const T>(in), std::span(out), {.alpha = alpha});
  if (status != actinide::status::ok) {
    std::printf("%s: %s\n", type, to_string(status));
    ++wrong;
    return;
  }
  for (std::size_t i = 0; i < out.size(); ++i) {
    const auto got = std::bit_cast<Bits>(out[i]);
    if (got == right[i % x.size()]) continue;
    std::printf("%s on %s: element %zu is %llx, not %llx\n", type, actinide::active_target(), i, static_cast<unsigned long long>(got),
                static_cast<unsigned long long>(right[i % x.size()]));
    ++wrong;
    return;
  }
}

template <typename Bits, typename T>
std::vector<Bits> bits(std::initializer_list<T> values) {
  std::vector<Bits> result;
  for (const T value : values) result.push_back(std::bit_cast<Bits>(value));
  return result;
}

}  // namespace

int main() {
  constexpr float inf = std::numeric_limits<float>::infinity();
  constexpr double wide_inf = std::numeric_limits<double>::infinity();
  int tried = 0;
  for (std::size_t t = 0; t < actinide_target_count(); ++t) {
    const char* target = actinide_target_name(t);
    if (actinide::force_target(target) != actinide::status::ok) {
      std::printf("%s: not supported by this machine\n", target);
      continue;
    }
    std::printf("%s\n", target);
    ++tried;
    expect<float, std::uint32_t>("f32", bits<std::uint32_t>({-2.0f, -0.0f, 3.0f, -inf, inf, -1e-40f}), 0.5f,
                                 bits<std::uint32_t>({-1.0f, -0.0f, 3.0f, -inf, inf, -5e-41f}));
    expect<double, std::uint64_t>("f64", bits<std::uint64_t>({-2.0, -0.0, 3.0, -wide_inf, wide_inf, -0x1p-1040}), 0.5f,
                                  bits<std::uint64_t>({-1.0, -0.0, 3.0, -wide_inf, wide_inf, -0x1p-1041}));
    // -2, -0.0, 3, -inf, inf, NaN, the smallest subnormal twice -> -1, ..., the smallest subnormal
    expect<actinide::float16, std::uint16_t>("f16", {0xc000, 0x8000, 0x4200, 0xfc00, 0x7c00, 0x7e01, 0x8002}, 0.5f,
                                             {0xbc00, 0x8000, 0x4200, 0xfc00, 0x7c00, 0x7e01, 0x8001});
    expect<actinide::bfloat16, std::uint16_t>("bf16", {0xc000, 0x8000, 0x4040, 0xff80, 0x7f80, 0x7fc1, 0x8002}, 0.5f,
                                              {0xbf80, 0x8000, 0x4040, 0xff80, 0x7f80, 0x7fc1, 0x8001});
    expect<float, std::uint32_t>("f32, alpha 0.01", bits<std::uint32_t>({-1.0f}), actinide::leaky_relu_attributes{}.alpha,
                                 bits<std::uint32_t>({-0.01f}));
    expect<actinide::float16, std::uint16_t>("f16, alpha 0.01", {0xbc00}, 0.01f, {0xa11f});
    expect<actinide::bfloat16, std::uint16_t>("bf16, alpha 0.01", {0xbf80}, 0.01f, {0xbc24});
  }
  return wrong != 0 || tried == 0;
}
