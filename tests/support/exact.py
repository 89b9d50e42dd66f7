"""Exact arithmetic for the scripts that write test data: the element types as bit patterns, and rounding to them (nearest, ties to even).

Values are mpmath numbers. The precision covers a value next to the smallest subnormal of float64 that is off a tie by its own square.
"""

from dataclasses import dataclass

import mpmath

mpmath.mp.prec = 2400


@dataclass(frozen=True)
class Format:
    """A binary floating-point format; all that follows from the two widths."""

    name: str
    exponent_bits: int
    fraction_bits: int

    @property
    def bits(self):
        return 1 + self.exponent_bits + self.fraction_bits

    @property
    def bias(self):
        return (1 << (self.exponent_bits - 1)) - 1

    @property
    def smallest_exponent(self):
        """Exponent of the smallest subnormal."""
        return 1 - self.bias - self.fraction_bits

    @property
    def sign(self):
        return 1 << (self.bits - 1)

    @property
    def infinity(self):
        return ((1 << self.exponent_bits) - 1) << self.fraction_bits

    @property
    def smallest_normal(self):
        return 1 << self.fraction_bits

    @property
    def quiet(self):
        """The fraction's bit that makes a NaN quiet."""
        return 1 << (self.fraction_bits - 1)

    def digits(self, pattern):
        """A pattern in hexadecimal, all digits."""
        return f"{pattern:0{self.bits // 4}x}"


FORMATS = {f.name: f for f in (Format("f16", 5, 10), Format("bf16", 8, 7), Format("f32", 8, 23), Format("f64", 11, 52))}


def is_nan(fmt, pattern):
    return pattern & ~fmt.sign > fmt.infinity


def decode(fmt, pattern):
    """The value of a pattern. A zero loses its sign, a NaN its payload."""
    magnitude = pattern & ~fmt.sign
    if magnitude > fmt.infinity:
        return mpmath.nan
    if magnitude == fmt.infinity:
        value = mpmath.inf
    else:
        exponent = max(magnitude >> fmt.fraction_bits, 1)
        fraction = magnitude - ((exponent - 1) << fmt.fraction_bits)
        value = mpmath.ldexp(mpmath.mpf(fraction), exponent - 1 + fmt.smallest_exponent)
    return -value if pattern & fmt.sign else value


def unit_exponent(fmt, value):
    """The exponent of one unit in the last place (ULP) at a finite value: that of the smallest subnormal in its range."""
    if not value:
        return fmt.smallest_exponent
    return max(mpmath.mag(value) - 1 - fmt.fraction_bits, fmt.smallest_exponent)


def encode(fmt, value, negative_zero=False):
    """The pattern nearest to a value, ties to even; it overflows to infinity. `negative_zero` is the sign of an exact zero; a value that
    underflows keeps its own."""
    if mpmath.isnan(value):
        return fmt.infinity | fmt.quiet
    sign = fmt.sign if value < 0 or (value == 0 and negative_zero) else 0
    value = abs(value)
    if mpmath.isinf(value):
        return sign | fmt.infinity
    unit = unit_exponent(fmt, value)
    units = int(mpmath.nint(mpmath.ldexp(value, -unit)))
    # The pattern counts units: an octave is one step of the exponent field, so a carry out of the fraction needs no care.
    pattern = units + ((unit - fmt.smallest_exponent) << fmt.fraction_bits)
    return sign | min(pattern, fmt.infinity)


def convert(source, pattern, target):
    """A pattern of one format rounded to another, as a conversion instruction does it: a NaN keeps its sign and becomes quiet."""
    negative = bool(pattern & source.sign)
    if is_nan(source, pattern):
        return target.infinity | target.quiet | (target.sign if negative else 0)
    return encode(target, decode(source, pattern), negative)


def neighbour(fmt, pattern, steps):
    """The pattern `steps` away from a finite one, away from zero if positive; None where the sign or the finite range ends."""
    magnitude = (pattern & ~fmt.sign) + steps
    return (pattern & fmt.sign) | magnitude if 0 <= magnitude < fmt.infinity else None
