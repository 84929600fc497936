#include "events/values/job_texts.hpp"

#include <algorithm>

#include "events/values/shown_text.hpp"
#include "events/values/string_list.hpp"

namespace annals::values {
namespace {

bool is_readable(std::string_view text) {
  if (has_controls(text)) return false;
  for (std::size_t at = 0; at < text.size();) {
    const auto length = utf8_length(text.substr(at));
    if (length == 0) return false;
    at += length;
  }
  return true;
}

// name[@host],...: every name good, at most one without a host.
template <class Good>
bool is_host_list(std::string_view text, Good good) {
  unsigned without_host = 0;
  const auto entries = split_quoted(text);
  for (const std::string_view entry : entries) {
    const auto at = entry.find('@');
    if (at == std::string_view::npos)
      ++without_host;
    else if (at + 1 == entry.size())
      return false;
    if (!good(entry.substr(0, at))) return false;
  }
  return !entries.empty() && without_host <= 1;
}

}  // namespace

bool is_job_name(std::string_view name) {
  return !name.empty() && std::all_of(name.begin(), name.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           std::string_view("-_+.").find(c) != std::string_view::npos;
  });
}

bool is_mail_users(std::string_view text) {
  for (std::string_view entry : split_quoted(text)) {
    entry.remove_prefix(std::min(entry.find_first_not_of(" \t"), entry.size()));
    const auto at = entry.find('@');
    if (entry.empty() || at == 0 || at + 1 == entry.size() || entry.find_first_of(" \t") != std::string_view::npos) return false;
  }
  return !text.empty() && is_readable(text);
}

bool is_reservation_mail_points(std::string_view text) {
  return text == "n" || (!text.empty() && text.find_first_not_of("abce") == std::string_view::npos);
}

bool is_shell_list(std::string_view text) {
  return is_host_list(text, [](std::string_view path) { return path.starts_with('/'); });
}

bool is_user_list(std::string_view text) {
  return is_host_list(text, [](std::string_view user) { return !user.empty(); }) && is_readable(text);
}

}  // namespace annals::values
