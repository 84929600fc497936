#include "events/values/job_id.hpp"

#include <charconv>

#include "events/values/string_list.hpp"

namespace annals::values {
namespace {

// Reads digits from the front; false: there are none, or too many.
bool take_number(std::string_view& text, std::uint64_t& into) {
  const auto [after, error] = std::from_chars(text.data(), text.data() + text.size(), into);
  if (error != std::errc()) return false;
  text.remove_prefix(static_cast<std::size_t>(after - text.data()));
  return true;
}

// "3" is a subjob, "1-5" and "1-9:2" are ranges; a comma list is none of them.
std::optional<id_form> form_of(std::string_view indices) {
  if (indices.empty()) return id_form::array;
  std::uint64_t number;
  if (!take_number(indices, number)) return std::nullopt;
  if (indices.empty()) return id_form::subjob;
  if (indices.front() != '-') return std::nullopt;
  indices.remove_prefix(1);
  if (!take_number(indices, number)) return std::nullopt;
  if (indices.empty()) return id_form::range;
  if (indices.front() != ':') return std::nullopt;
  indices.remove_prefix(1);
  return take_number(indices, number) && indices.empty() ? std::optional(id_form::range) : std::nullopt;
}

bool is_host_name(std::string_view text) {
  for (const char c : text)
    if (!((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '_' ||
          c == '.'))
      return false;
  return !text.empty() && text.front() != '.' && text.back() != '.';
}

}  // namespace

std::optional<job_id> parse_job_id(std::string_view text) {
  job_id id;
  if (const auto at = text.find('@'); at != std::string_view::npos) {
    id.at = text.substr(at + 1);
    if (!is_host_name(id.at)) return std::nullopt;
    text = text.substr(0, at);
  }
  if (!take_number(text, id.number)) return std::nullopt;
  if (!text.empty() && text.front() == '[') {
    const auto close = text.find(']');
    if (close == std::string_view::npos) return std::nullopt;
    id.indices = text.substr(1, close - 1);
    const auto form = form_of(id.indices);
    if (!form) return std::nullopt;
    id.form = *form;
    text = text.substr(close + 1);
  }
  if (!text.empty()) {
    if (text.front() != '.') return std::nullopt;
    id.server = text.substr(1);
    if (!is_host_name(id.server)) return std::nullopt;
  }
  return id;
}

std::string print(const job_id& id) {
  std::string out = std::to_string(id.number);
  if (id.form != id_form::job) out += '[' + id.indices + ']';
  if (!id.server.empty()) out += '.' + id.server;
  return out;
}

std::optional<std::string> id_for(std::string_view text, std::string_view server) {
  auto id = parse_job_id(text);
  if (!id) return std::nullopt;
  const bool ours = id->server.empty() || equal_any_case(id->server, server) ||
                    equal_any_case(std::string_view(id->server).substr(0, id->server.find('.')), server);
  if (!ours) return std::nullopt;
  id->server = server;
  return print(*id);
}

std::string id_of_number(std::uint64_t number, std::string_view server) {
  auto text = std::to_string(array_of(number));
  if (is_subjob(number)) text += "[" + std::to_string(index_of(number)) + "]";
  return text + "." + std::string(server);
}

std::string array_id(std::uint64_t number, std::string_view server) { return std::to_string(number) + "[]." + std::string(server); }

std::optional<std::uint64_t> number_of(const job_id& id) {
  if (id.form == id_form::range || is_subjob(id.number)) return std::nullopt;
  if (id.form != id_form::subjob) return id.number;
  std::uint64_t index = 0;
  std::string_view text(id.indices);
  if (!take_number(text, index) || index > largest_index) return std::nullopt;
  return subjob_number(id.number, static_cast<std::uint32_t>(index));
}

}  // namespace annals::values
