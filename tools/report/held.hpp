// How much of a resource a run held, for how long: what reports add up and prices are of.
#pragma once

#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>

#include "tools/report/exact.hpp"

namespace annals::reporting {

// Something of the source, or of a file of prices, that no report can be made of.
class report_trouble : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

// Numbers count in ten-thousandths, which is as exact as PBS writes a float; sizes count in bytes.
constexpr unsigned amount_decimals = 4;
constexpr std::int64_t amount_scale = 10'000;

constexpr std::int64_t seconds_of_hour = 3600;  // prices and what people are shown are per hour

enum class amount_kind : std::uint8_t { number,
                                        size };

struct amount {
  amount_kind kind = amount_kind::number;
  exact value = 0;  // in ten-thousandths, or bytes
};

// Reads a value of a resource by the type of its definition. Nullopt: it is no amount of a long, float or size, or it is too large.
std::optional<amount> amount_of(std::string_view type, std::string_view text);
bool is_resource_name(std::string_view name);  // as PBS allows them: they need no quotes anywhere

}  // namespace annals::reporting
