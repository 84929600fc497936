#include "events/log/check_notes.hpp"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "events/log/checksum.hpp"
#include "events/log/log_mark.hpp"

namespace annals::log {

namespace {

constexpr std::string_view first_line = "annals-log-check 1\n";

std::optional<std::string> from_hex(std::string_view text) {
  const auto digit = [](char c) { return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10
                                                                                               : -1; };
  std::string out;
  if (text.size() % 2) return std::nullopt;
  for (std::size_t i = 0; i < text.size(); i += 2) {
    if (digit(text[i]) < 0 || digit(text[i + 1]) < 0) return std::nullopt;
    out += static_cast<char>(digit(text[i]) << 4 | digit(text[i + 1]));
  }
  return out;
}

std::string_view as_text(const chain_hash& h) { return {reinterpret_cast<const char*>(h.data()), h.size()}; }

std::string sum_of(std::string_view text) {
  char buffer[16];
  std::snprintf(buffer, sizeof buffer, "%08x", crc32c(std::as_bytes(std::span(text))));
  return buffer;
}

bool is_control(unsigned char c) { return c < 32 || c == 127; }

std::string one_line(std::string text) {
  std::replace_if(text.begin(), text.end(), is_control, '?');
  return text;
}

template <class Number>
bool read_number(std::string_view text, Number& out) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), out);
  return error == std::errc() && end == text.data() + text.size();
}

// "a b c": the words of a value, as numbers. False: not so many, or none.
template <class... Numbers>
bool read_numbers(std::string_view text, Numbers&... out) {
  const auto next = [&](auto& n) {
    const auto word = text.substr(0, text.find(' '));
    text.remove_prefix(std::min(text.size(), word.size() + 1));
    return read_number(word, n);
  };
  return (next(out) && ...) && text.empty();
}

template <class... Numbers>
std::string numbers(Numbers... n) {
  std::string out;
  ((out += (out.empty() ? "" : " ") + std::to_string(n)), ...);
  return out;
}

void print_state(std::string& out, const check_state& s) {
  out += "phase " + numbers(static_cast<unsigned>(s.phase), s.from, s.upto, s.next) + "\n";
  out += "order " + numbers(s.wall_ns, s.epoch) + "\n";
  if (s.head_known) out += "head " + hex(as_text(s.head)) + "\n";
  out += "read " + numbers(s.records, s.blobs, s.entries) + "\n";
  out += "place " + numbers(s.place.stream, s.place.version) + "\n";
  if (!s.rest.empty()) out += "rest " + hex(s.rest) + "\n";
  for (const auto& [hash, sequence] : s.missing_blobs) out += "blob " + std::to_string(sequence) + " " + hex(hash) + "\n";
  out += "faults " + std::to_string(s.fault_count) + "\n";
  for (const auto& f : s.faults) out += "fault " + one_line(f) + "\n";
  if (s.lost_count > 0) out += "lost " + std::to_string(s.lost_count) + "\n";
  for (const auto& l : s.lost) out += "gone " + one_line(l) + "\n";
}

// Takes the lines of a file in their order.
class reading {
 public:
  std::optional<check_notes> read(std::string_view lines) {
    while (!lines.empty()) {
      const auto line = lines.substr(0, lines.find('\n'));
      lines.remove_prefix(std::min(lines.size(), line.size() + 1));
      const auto name = line.substr(0, line.find(' '));
      if (name.size() == line.size() || std::any_of(line.begin(), line.end(), is_control) || !take(name, line.substr(name.size() + 1)))
        return std::nullopt;
    }
    return std::move(notes_);
  }

 private:
  bool take(std::string_view name, std::string_view value) {
    if (name == "log") return notes_.log = value, true;
    if (name == "last") {
      auto& l = notes_.last.emplace();
      return read_numbers(value, l.began_ns, l.ended_ns, l.upto, l.records, l.blobs, l.fault_count);
    }
    if (name == "found" && notes_.last && notes_.last->faults.size() < limits::check_findings_max)
      return notes_.last->faults.emplace_back(value), true;
    if (name == "without" && notes_.last && notes_.last->lost.size() < limits::check_findings_max)
      return notes_.last->lost.emplace_back(value), true;
    if (name == "lacks" && notes_.last) return read_number(value, notes_.last->lost_count);
    if (name == "present") {
      notes_.present.emplace();
      return read_number(value, notes_.began_ns);
    }
    return notes_.present && take_state(*notes_.present, name, value);
  }

  static bool take_state(check_state& s, std::string_view name, std::string_view value) {
    if (name == "phase") {
      unsigned phase = 0;
      const bool ok = read_numbers(value, phase, s.from, s.upto, s.next);
      s.phase = static_cast<check_phase>(phase);
      return ok && phase < static_cast<unsigned>(check_phase::done);
    }
    if (name == "order") return read_numbers(value, s.wall_ns, s.epoch);
    if (name == "read") return read_numbers(value, s.records, s.blobs, s.entries);
    if (name == "place") return read_numbers(value, s.place.stream, s.place.version);
    if (name == "faults") return read_number(value, s.fault_count);
    if (name == "lost") return read_number(value, s.lost_count);
    if (name == "gone" && s.lost.size() < limits::check_findings_max) return s.lost.emplace_back(value), true;
    if (name == "fault" && s.faults.size() < limits::check_findings_max) return s.faults.emplace_back(value), true;
    return take_bytes(s, name, value);
  }

  static bool take_bytes(check_state& s, std::string_view name, std::string_view value) {
    std::uint64_t sequence = 0;
    const auto space = value.find(' ');
    if (name == "blob" && (space == value.npos || !read_number(value.substr(0, space), sequence))) return false;
    const auto bytes = from_hex(name == "blob" ? value.substr(space + 1) : value);
    if (!bytes) return false;
    if (name == "rest") return s.rest = *bytes, !s.rest.empty() && s.rest[0] >= '0' && s.rest[0] <= '9';
    if (name == "blob") return s.missing_blobs.emplace(*bytes, sequence).second;
    if (name != "head" || bytes->size() != s.head.size()) return false;
    std::memcpy(s.head.data(), bytes->data(), bytes->size());
    return s.head_known = true;
  }

  check_notes notes_;
};

}  // namespace

std::string name_of_log(const ports::record_log& log) {
  std::string name;
  (void)log.read(1, [&](std::uint64_t sequence, schema::byte_span bytes) {
    const auto decoded = decode(bytes);
    if (const auto* r = std::get_if<record_ptr>(&decoded); r && sequence == 1) name = hex(as_text((*r)->hash()));
    return false;
  });
  return name;
}

std::string print(const check_notes& n) {
  std::string out(first_line);
  if (!n.log.empty()) out += "log " + n.log + "\n";
  if (n.last) {
    out += "last " + numbers(n.last->began_ns, n.last->ended_ns, n.last->upto, n.last->records, n.last->blobs, n.last->fault_count) + "\n";
    for (const auto& f : n.last->faults) out += "found " + one_line(f) + "\n";
    if (n.last->lost_count > 0) out += "lacks " + std::to_string(n.last->lost_count) + "\n";
    for (const auto& l : n.last->lost) out += "without " + one_line(l) + "\n";
  }
  if (n.present) {
    out += "present " + std::to_string(n.began_ns) + "\n";
    print_state(out, *n.present);
  }
  return out + "sum " + sum_of(out) + "\n";
}

std::optional<check_notes> parse_check_notes(std::string_view text) {
  constexpr std::size_t sum_bytes = 4 + 8 + 1;  // "sum 01234567\n"
  if (!text.starts_with(first_line) || text.size() < first_line.size() + sum_bytes) return std::nullopt;
  const auto lines = text.substr(0, text.size() - sum_bytes);
  if (text.substr(lines.size()) != "sum " + sum_of(lines) + "\n") return std::nullopt;
  return reading().read(lines.substr(first_line.size()));
}

std::string check_notes_file(const std::string& log_directory) {
  const auto log = std::filesystem::path(log_directory).lexically_normal();
  return ((log.has_filename() ? log : log.parent_path()).parent_path() / "views" / "log_check").string();
}

std::optional<check_notes> read_check_notes(const std::string& file) {
  std::error_code missing;
  if (const auto size = std::filesystem::file_size(file, missing); missing || size > limits::check_file_bytes_max) return std::nullopt;
  std::ifstream in(file, std::ios::binary);
  std::stringstream text;
  text << in.rdbuf();
  return in ? parse_check_notes(text.str()) : std::nullopt;
}

std::string keep_check_notes(const std::string& file, const check_notes& notes) {
  const auto fresh = file + ".new";
  std::error_code failed;
  std::filesystem::create_directories(std::filesystem::path(file).parent_path(), failed);
  {
    std::ofstream out(fresh, std::ios::binary | std::ios::trunc);
    out << print(notes);
    if (!out.flush()) return "cannot write " + fresh + ": " + std::strerror(errno);
  }
  std::filesystem::rename(fresh, file, failed);
  return failed ? "cannot rename " + fresh + ": " + failed.message() : "";
}

}  // namespace annals::log
