#include "tools/client/job_ids.hpp"

#include <cstdio>

#include "events/schema/message.hpp"

namespace annals::client {

namespace {

bool digit(char c) { return c >= '0' && c <= '9'; }

// Takes digits off the front; false if there are none.
bool take_number(std::string_view& text) {
  std::size_t n = 0;
  while (n < text.size() && digit(text[n])) ++n;
  text.remove_prefix(n);
  return n > 0;
}

bool take(std::string_view& text, char c) {
  if (text.empty() || text.front() != c) return false;
  text.remove_prefix(1);
  return true;
}

// "", "3", "1-5", "1-5:2": what may stand in the brackets of a job id. A list is none of these.
bool index_range(std::string_view text) {
  if (text.empty()) return true;
  if (!take_number(text)) return false;
  if (text.empty()) return true;
  if (!take(text, '-') || !take_number(text)) return false;
  return text.empty() || (take(text, ':') && take_number(text) && text.empty());
}

std::string_view first_label(std::string_view host) { return host.substr(0, host.find_first_of(".:")); }

bool no_blank(std::string_view text) { return text.find_first_of(" \t\n\v\f\r") == std::string_view::npos; }

// PBS's own texts that end in a blank.
bool ends_in_blank(std::uint32_t code, std::string_view text) {
  switch (code) {
    case 15002: return text == "Undefined attribute";
    case 15003: return text == "Cannot set attribute, read only or insufficient permission";
    case 15007: return text == "Unauthorized Request";
    case 15015: return text == "Cannot modify attribute while job running";
    case 15062: return text == "Unknown node";
    default: return false;
  }
}

}  // namespace

std::optional<job_name> parse_job_name(std::string_view text, std::string_view default_server) {
  job_name out;
  if (const auto at = text.find('@'); at != std::string_view::npos) {
    out.server = text.substr(at + 1);
    if (out.server.empty() || !no_blank(out.server) || out.server.find('@') != std::string::npos) return std::nullopt;
    text = text.substr(0, at);
  }
  std::string_view rest = text;
  if (!take_number(rest)) return std::nullopt;
  if (take(rest, '[')) {
    const auto close = rest.find(']');
    if (close == std::string_view::npos || !index_range(rest.substr(0, close))) return std::nullopt;
    rest.remove_prefix(close + 1);
  }
  const std::string_view number = text.substr(0, text.size() - rest.size());
  const std::string_view own = first_label(default_server);
  if (!rest.empty()) {
    if (!take(rest, '.')) return std::nullopt;
    if (rest != own && rest != default_server.substr(0, default_server.find(':'))) return std::nullopt;
  }
  out.id = std::string(number) + "." + std::string(own);
  return out;
}

std::optional<destination> parse_destination(std::string_view text) {
  if (!no_blank(text)) return std::nullopt;
  const auto at = text.find('@');
  destination out{std::string(text.substr(0, at)), {}};
  if (at != std::string_view::npos) {
    out.server = text.substr(at + 1);
    if (out.server.empty() || out.server.find('@') != std::string::npos) return std::nullopt;
  }
  return out;
}

std::string refusal_line(std::string_view command, std::uint32_t code, std::string_view text, std::string_view object) {
  std::string line(command);
  line += ": ";
  line += text;
  if (ends_in_blank(code, text)) line += ' ';
  if (!object.empty()) { line += ' '; line += object; }
  return line;
}

std::string refusal_text(schema::Rejection::Reader refusal) {
  std::string text = schema::str(refusal.getText());
  if (ends_in_blank(refusal.getCode(), text)) text += ' ';
  return text;
}

int print_refusal(std::string_view command, std::uint32_t code, std::string_view text, std::string_view object) {
  std::fprintf(stderr, "%s\n", refusal_line(command, code, text, object).c_str());
  return exit_status(code);
}

int print_refusal(std::string_view command, schema::Rejection::Reader refusal, std::string_view object) {
  return print_refusal(command, refusal.getCode(), schema::text(refusal.getText()), object);
}

int for_each_job(std::string_view command, std::span<const std::string> texts, std::string_view default_server,
                 const std::function<int(const job_name&)>& each) {
  int status = 0;
  for (const std::string& text : texts) {
    int one = 1;
    if (const auto name = parse_job_name(text, default_server)) one = each(*name);
    else std::fprintf(stderr, "%s: illegally formed job identifier: %s\n", std::string(command).c_str(), text.c_str());
    if (one != 0) status = one;
  }
  return status;
}

}  // namespace annals::client
