#include "projections/mail/mail_text.hpp"

#include <algorithm>

#include "events/values/string_list.hpp"

namespace annals::projections {

std::string printable(std::string_view text) {
  std::string shown(text);
  for (char& c : shown)
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) c = '?';
  return shown;
}

std::string recipients(std::string_view list, std::string_view owner) {
  const auto is_option = [](std::string_view address) { return address.starts_with('-'); };
  if (list.empty()) return is_option(owner) ? std::string() : printable(owner);
  std::string all;
  for (const auto& each : values::split_list(list))
    if (const auto address = values::trimmed(each); !address.empty() && !is_option(address)) all += printable(address) + ' ';
  return all;
}

std::string mail_text(const mail_subject& subject, std::string_view to, std::string_view id, std::string_view name, std::string_view body) {
  std::string text = "To: " + std::string(to) + "\nSubject: PBS " + std::string(subject.what) + ' ' + std::string(id) + "\n\n";
  text += std::string(subject.id_line) + std::string(id) + '\n';
  text += std::string(subject.name_line) + printable(name) + '\n';
  return text + std::string(body) + '\n';
}

}  // namespace annals::projections
