// Formulas in which values of 16 and of 32 bits meet in every way: schedules may keep them in different orders within a vector.
// Variant v is for mixed_widths_test.cpp, which knows what comes out.
#include <string>

#include "activation.h"
#include "numerics/strict.h"

namespace {

using namespace actinide::halide;

class MixedWidths : public Activation<MixedWidths> {
 public:
  Input<float> variant{"variant"};

  Cases formula(const Element& x) {
    using Halide::Expr;
    using Halide::select;
    const Expr value = x.value(), tripled = strict::multiply(value, 3.0f);
    const Expr by_pattern = is_negative(x), by_value = strict::less(value, 0.0f);
    const Expr one_where_negative = Halide::cast<float>(Halide::cast(Halide::UInt(16), by_pattern));
    return {
        {variant == 0.0f, x.store(select(by_pattern, tripled, value))},
        {variant == 1.0f, x.store(select(by_value, tripled, value))},
        {variant == 2.0f, select(by_value, x.store(tripled), x.stored)},
        {variant == 3.0f, x.store(select(by_pattern && strict::less(value, -1.0f), tripled, value))},
        {variant == 4.0f, select(by_pattern || strict::less(1.0f, value), x.store(tripled), x.stored)},
        {Expr(), x.store(strict::add(tripled, one_where_negative))},
    };
  }
};

/// What Activation refuses, each with a sentence.
class Mistaken : public Activation<Mistaken> {
 public:
  Halide::GeneratorParam<std::string> mistake{"mistake", ""};
  Input<float> alpha{"alpha"};

  Cases formula(const Element& x) {
    using Halide::Expr;
    const std::string kind = mistake;
    if (kind == "no_case") return {};
    if (kind == "no_else") return {{alpha == 0.0f, x.stored}};
    if (kind == "no_condition") return {{Expr(), x.stored}, {Expr(), x.stored}};
    if (kind == "not_stored") return {{Expr(), x.value()}};
    if (kind == "other_type") return {{Expr(), Halide::select(x.value() > 0, Halide::cast<double>(x.value()), x.value())}};
    return {{Expr(), x.stored}};
  }
};

class MistakenAttribute : public Activation<MistakenAttribute> {
 public:
  Input<double> alpha{"alpha"};

  Cases formula(const Element& x) { return {{Halide::Expr(), x.stored}}; }
};

}  // namespace

HALIDE_REGISTER_GENERATOR(MistakenAttribute, mistaken_attribute)
HALIDE_REGISTER_GENERATOR(Mistaken, mistaken)
HALIDE_REGISTER_GENERATOR(MixedWidths, mixed_widths)
