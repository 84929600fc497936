#include "hooks-runtime/chain/hook_files.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "events/attributes/table.hpp"

namespace annals::hooks {

namespace fs = std::filesystem;

namespace {
constexpr const char* endings[] = {".HK", ".PY", ".CF"};

const attributes::attribute* row_of(std::string_view name) { return attributes::find(schema::ObjectKind::HOOK, name); }

attributes::attribute_set defaults() {
  attributes::attribute_set all;
  for (const auto& row : attributes::table_of(schema::ObjectKind::HOOK)) all.set(row.id, row.default_value);
  return all;
}
}  // namespace

std::string settings_text(std::string_view name, const attributes::attribute_set& settings) {
  std::string text = "hook_name=" + std::string(name) + "\n";
  for (const auto& e : settings) {
    const auto* row = attributes::find(schema::ObjectKind::HOOK, e.id);
    if (row && e.value != row->default_value) text += std::string(row->name) + "=" + std::string(e.value) + "\n";
  }
  return text;
}

namespace {
std::string_view take_until(std::string_view& text, char end) {
  const auto at = std::min(text.find(end), text.size());
  const auto before = text.substr(0, at);
  text.remove_prefix(std::min(at + 1, text.size()));
  return before;
}
}  // namespace

std::string resources_text(const attributes::resource_catalogue& resources) {
  std::string text;
  for (const auto& [name, r] : resources.custom()) {
    text += name + " type=" + attributes::resource_type_name(r.type);
    if (const auto flags = attributes::resource_flags_text(r.flags); !flags.empty()) text += " flag=" + flags;
    text += '\n';
  }
  return text;
}

attributes::resource_catalogue parse_resources(std::string_view text) {
  attributes::resource_catalogue resources;
  while (!text.empty()) {
    auto line = take_until(text, '\n');
    const auto name = take_until(line, ' ');
    std::string_view type, flags;
    while (!line.empty()) {
      auto value = take_until(line, ' ');
      const auto word = take_until(value, '=');
      if (word == "type") type = value;
      if (word == "flag") flags = value;
    }
    (void)resources.create(name, type, flags);
  }
  return resources;
}

std::optional<read_settings> parse_settings(std::string_view text) {
  read_settings out{{}, defaults()};
  while (!text.empty()) {
    const auto line = take_until(text, '\n');
    const auto equals = line.find('=');
    if (equals == std::string_view::npos) continue;
    const auto name = line.substr(0, equals), value = line.substr(equals + 1);
    if (name == "hook_name") out.name = value;
    else if (const auto* row = row_of(name)) out.settings.set(row->id, value);
  }
  return out.name.empty() ? std::nullopt : std::optional(std::move(out));
}

bool hook_directory::write(const std::string& file, std::string_view text, std::string& problem) const {
  const auto there = read(file);
  const auto path = path_ + "/" + file;
  if (text.empty()) {
    if (there && ::unlink(path.c_str()) != 0) problem = path + ": " + std::strerror(errno);
    return there.has_value();
  }
  if (there == text) return false;
  const auto fresh = path + ".new";
  const int fd = ::open(fresh.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, mode_);
  const bool written = fd >= 0 && ::fchmod(fd, mode_) == 0 && ::write(fd, text.data(), text.size()) == static_cast<ssize_t>(text.size());
  const int failed = errno;
  if (fd >= 0) ::close(fd);
  if (written && ::rename(fresh.c_str(), path.c_str()) == 0) return true;
  problem = path + ": " + std::strerror(written ? errno : failed);
  return false;
}

std::optional<std::string> hook_directory::read(const std::string& file) const {
  std::ifstream in(path_ + "/" + file, std::ios::binary);
  if (!in) return std::nullopt;
  return std::string(std::istreambuf_iterator<char>(in), {});
}

void hook_directory::remove(const std::string& hook) const {
  for (const char* ending : endings) ::unlink((path_ + "/" + hook + ending).c_str());
}

std::vector<std::string> hook_directory::hooks() const {
  std::vector<std::string> names;
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(path_, ignored))
    if (entry.path().extension() == ".HK") names.push_back(entry.path().stem().string());
  std::sort(names.begin(), names.end());
  return names;
}

}  // namespace annals::hooks
