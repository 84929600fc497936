#include "tools/terminal/x_setup.hpp"

#include <utility>

#include "events/model/run/terminal_limits.hpp"

namespace annals::terminal {

namespace {

constexpr std::size_t header_bytes = 12, name_length_at = 6, data_length_at = 8;

// 'l': the first byte of a number is its lowest.
bool is_little(std::string_view said) { return said[0] == 'l'; }

std::size_t number_at(std::string_view said, std::size_t at) {
  const auto one = static_cast<unsigned char>(said[at]), two = static_cast<unsigned char>(said[at + 1]);
  return is_little(said) ? one + 256u * two : 256u * one + two;
}

void put_number(std::string& text, std::size_t at, std::size_t number) {
  const char low = static_cast<char>(number % 256), high = static_cast<char>(number / 256);
  text[at] = is_little(text) ? low : high;
  text[at + 1] = is_little(text) ? high : low;
}

std::size_t filled(std::size_t length) { return (length + 3) / 4 * 4; }

std::string filled(std::string_view text) { return std::string(text) + std::string(filled(text.size()) - text.size(), '\0'); }

}  // namespace

std::string x_setup::pass(std::string_view said) {
  if (at_ == place::passed) return std::string(said);
  if (at_ == place::refused) return {};
  said_ += said;
  if (said_.size() < header_bytes) return {};
  const auto name = number_at(said_, name_length_at), data = number_at(said_, data_length_at);
  const bool short_enough = name <= limits::display_cookie_bytes && data <= limits::display_cookie_bytes;
  const auto all = header_bytes + filled(name) + filled(data);
  if ((said_[0] == 'l' || said_[0] == 'B') && short_enough && said_.size() < all) return {};
  const bool good = (said_[0] == 'l' || said_[0] == 'B') && short_enough && said_.compare(header_bytes, name, x_cookie_kind) == 0 &&
                    said_.compare(header_bytes + filled(name), data, expected_) == 0;
  at_ = good ? place::passed : place::refused;
  if (!good) return {};
  auto out = with_real_cookie() + said_.substr(all);
  said_ = {};
  return out;
}

std::string x_setup::with_real_cookie() const {
  const std::string_view kind = real_.empty() ? std::string_view() : x_cookie_kind;
  auto out = said_.substr(0, header_bytes);
  put_number(out, name_length_at, kind.size());
  put_number(out, data_length_at, real_.size());
  return out + filled(kind) + filled(real_);
}

}  // namespace annals::terminal
