#include "actors/scheduler/cycle/policy_files.hpp"

#include <array>

#include "events/values/string_list.hpp"

namespace annals::cycle {

namespace {

struct section {
  std::string_view mark;
  std::string_view policy_files::*file;
};
constexpr std::array sections = {
    section{resource_group_line, &policy_files::resource_group},
    section{holidays_line, &policy_files::holidays},
    section{dedicated_time_line, &policy_files::dedicated_time},
    section{time_zone_line, &policy_files::time_zone},
};

std::string_view take_line(std::string_view& text) {
  const auto end = text.find('\n');
  const auto line = text.substr(0, end);
  text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  return line;
}

const section* begun_by(std::string_view line) {
  for (const auto& s : sections)
    if (line == s.mark) return &s;
  return nullptr;
}

// Nothing but blanks and comments.
bool says_nothing(std::string_view text) {
  while (!text.empty()) {
    const auto line = values::trimmed(take_line(text));
    if (!line.empty() && line[0] != '#') return false;
  }
  return true;
}

// A comment of a file that looks like one of our lines must not end the file: a blank before it hides it.
void append(std::string& to, std::string_view file) {
  while (!file.empty()) {
    const bool ended = file.find('\n') != std::string_view::npos;
    const auto line = take_line(file);
    if (begun_by(line)) to += ' ';
    to += line;
    if (ended) to += '\n';
  }
}

}  // namespace

std::string policy_text(const policy_files& files) {
  std::string text;
  append(text, files.sched_config);
  for (const auto& s : sections) {
    if (says_nothing(files.*s.file)) continue;
    if (!text.empty() && text.back() != '\n') text += '\n';
    text += s.mark;
    text += '\n';
    append(text, files.*s.file);
  }
  return text;
}

policy_files split_policy_text(std::string_view text) {
  policy_files files;
  std::string_view policy_files::*current = &policy_files::sched_config;
  const char* begin = text.data();
  const auto close = [&](const char* end) { files.*current = {begin, static_cast<std::size_t>(end - begin)}; };
  for (auto rest = text; !rest.empty();) {
    const auto line = take_line(rest);
    const auto* next = begun_by(line);
    if (!next) continue;
    close(line.data());
    current = next->file;
    begin = rest.data();
  }
  close(text.data() + text.size());
  return files;
}

}  // namespace annals::cycle
