"""Bit patterns of elements, and numbers as the documents write them."""

import struct


def value_of(type_name, bits):
    if type_name == "bf16":
        return struct.unpack("<f", struct.pack("<I", bits << 16))[0]
    integer, real = {"f16": "He", "f32": "If", "f64": "Qd"}[type_name]
    return struct.unpack(f"<{real}", struct.pack(f"<{integer}", bits))[0]


def hexadecimal(value):
    """A hex float without the zeros that say nothing."""
    if value == 0:
        return f"{value:g}"
    mantissa, exponent = value.hex().split("p")
    return f"{mantissa.rstrip('0').rstrip('.')}p{int(exponent)}"
