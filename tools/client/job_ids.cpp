#include "tools/client/job_ids.hpp"

#include <cstdio>

#include "events/schema/message.hpp"
#include "events/values/job_id.hpp"
#include "tools/client/printed.hpp"

namespace annals::client {

namespace {

bool no_blank(std::string_view text) { return text.find_first_of(" \t\n\v\f\r") == std::string_view::npos; }

// A text that is PBS's own but for its last blank.
bool lacks_blank(std::uint32_t code, std::string_view text) {
  const std::string_view own = values::pbs_error_text(code);
  return own.size() == text.size() + 1 && own.ends_with(' ') && own.starts_with(text);
}

}  // namespace

std::optional<job_name> parse_job_name(std::string_view text, std::string_view default_server) {
  const std::string_view own = default_server.substr(0, default_server.find_first_of(".:"));
  const auto id = values::parse_job_id(text);
  auto full = values::id_for(text, own);
  if (!id || !full) return std::nullopt;
  return job_name{std::move(*full), id->at};
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
  if (lacks_blank(code, text)) line += ' ';
  if (!object.empty()) {
    line += ' ';
    line += object;
  }
  return line;
}

std::string refusal_text(schema::Rejection::Reader refusal) {
  std::string text = schema::str(refusal.getText());
  if (lacks_blank(refusal.getCode(), text)) text += ' ';
  return text;
}

int print_refusal(std::string_view command, const values::refusal& refusal, std::string_view object) {
  print_error("%s\n", refusal_line(command, refusal.code, refusal.text, object).c_str());
  return exit_status(refusal.code);
}

int print_refusal(std::string_view command, schema::Rejection::Reader refusal, std::string_view object) {
  return print_refusal(command, values::refusal{refusal.getCode(), schema::str(refusal.getText())}, object);
}

int for_each_job(std::string_view command, std::span<const std::string> texts, std::string_view default_server,
                 const std::function<int(const job_name&)>& each) {
  int status = 0;
  for (const std::string& text : texts) {
    int one = 1;
    if (const auto name = parse_job_name(text, default_server))
      one = each(*name);
    else
      print_error("%s: illegally formed job identifier: %s\n", std::string(command).c_str(), text.c_str());
    if (one != 0) status = one;
  }
  return status;
}

}  // namespace annals::client
