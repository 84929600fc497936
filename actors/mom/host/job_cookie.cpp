#include "actors/mom/host/job_cookie.hpp"

#include <sys/random.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <system_error>

namespace annals::mom {

namespace {
constexpr const char* cookie_name = "cookie";
constexpr const char* name_end_name = "name_end";

std::string word_of(schema::StartRun::Reader order, std::string_view name) {
  for (const auto a : order.getAttributes())
    if (schema::text(a.getName()) == name) return schema::str(a.getValue());
  return {};
}
}  // namespace

std::string new_cookie() {
  std::array<unsigned char, 16> bytes;
  if (getrandom(bytes.data(), bytes.size(), 0) != static_cast<ssize_t>(bytes.size()))
    throw std::system_error(errno, std::generic_category(), "getrandom");
  std::string text;
  for (const unsigned byte : bytes) {
    char digits[3];
    std::snprintf(digits, sizeof digits, "%02X", byte);
    text += digits;
  }
  return text;
}

schema::sealed<schema::ToMom> with_chance(const schema::sealed<schema::ToMom>& message, const std::string& cookie,
                                          const std::string& name_end) {
  const auto with_leftovers = schema::make<schema::ToMom>([&](schema::ToMom::Builder m) {
    const auto old = message.get().getStartRun().getAttributes();
    m.setStartRun(message.get().getStartRun());
    auto all = m.getStartRun().initAttributes(old.size() + 2);
    for (unsigned i = 0; i < old.size(); ++i) all.setWithCaveats(i, old[i]);
    all[old.size()].setName(cookie_name);
    all[old.size()].setValue(cookie);
    all[old.size() + 1].setName(name_end_name);
    all[old.size() + 1].setValue(name_end);
  });
  return schema::copy_of<schema::ToMom>(with_leftovers.get());  // without the first copy of the list
}

std::string cookie_of(schema::StartRun::Reader order) { return word_of(order, cookie_name); }
std::string name_end_of(schema::StartRun::Reader order) { return word_of(order, name_end_name); }

}  // namespace annals::mom
