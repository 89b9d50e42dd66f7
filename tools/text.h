// Text for the terminal.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace actinide::tools {

/// Rows in aligned columns, the first one a header underlined with dashes. `alignment` has a letter a column: l(eft) or r(ight).
std::string table_text(const std::vector<std::vector<std::string>>& rows, std::string_view alignment);

/// "2.61 ms"
std::string seconds_text(double seconds);

/// "25.70 G": three or more digits and a prefix of 1000, 1000^2 or 1000^3.
std::string scaled_text(double value);

/// Standard output, flushed; throws Error if it does not take everything.
void print(std::string_view text);

}  // namespace actinide::tools
