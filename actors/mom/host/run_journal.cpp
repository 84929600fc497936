#include "actors/mom/host/run_journal.hpp"

#include <charconv>

namespace annals::mom {
namespace {

// Texts may hold anything; a line may not.
std::string escaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '\\')
      out += "\\\\";
    else if (c == '\n')
      out += "\\n";
    else
      out += c;
  }
  return out;
}

std::string unescaped(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\\' && i + 1 < text.size())
      out += text[++i] == 'n' ? '\n' : text[i];
    else
      out += text[i];
  }
  return out;
}

// Reads the words of one line from the left.
struct line_words {
  std::string_view rest;
  bool good = true;

  std::string_view next() {
    const auto end = rest.find(' ');
    const auto word = rest.substr(0, end);
    rest = end == std::string_view::npos ? std::string_view() : rest.substr(end + 1);
    if (word.empty()) good = false;
    return word;
  }
  template <class Number>
  void number(Number& to) {
    const auto word = next();
    const auto r = std::from_chars(word.data(), word.data() + word.size(), to);
    if (r.ec != std::errc() || r.ptr != word.data() + word.size()) good = false;
  }
};

void take(line_words w, std::optional<journal_claimed>& to) {
  journal_claimed r;
  w.number(r.pid);
  r.boot = w.next();
  if (w.good) to = r;
}
void take(line_words w, std::optional<journal_made>& to) {
  journal_made r;
  w.number(r.device);
  w.number(r.inode);
  if (w.good) to = r;
}
void take(line_words w, std::optional<journal_started>& to) {
  journal_started r;
  w.number(r.pid);
  w.number(r.session);
  w.number(r.start_ticks);
  w.number(r.boottime_ms);
  if (!w.rest.empty()) w.number(r.cpu_ms_before);
  if (w.good) to = r;
}
void take(line_words w, std::optional<journal_failed>& to) {
  journal_failed r;
  w.number(r.code);
  r.text = unescaped(w.rest);
  if (w.good) to = r;
}
void take(line_words w, std::optional<journal_ended>& to) {
  journal_ended r;
  w.number(r.exit_status);
  w.number(r.cpu_ms);
  w.number(r.wall_ms);
  if (!w.rest.empty()) {
    w.number(r.mem_kb);
    w.number(r.vmem_kb);
  }
  if (w.good) to = r;
}

std::string numbers_of(const journal_ended& r) {
  return std::to_string(r.exit_status) + ' ' + std::to_string(r.cpu_ms) + ' ' + std::to_string(r.wall_ms) + ' ' +
         std::to_string(r.mem_kb) + ' ' + std::to_string(r.vmem_kb) + '\n';
}

}  // namespace

run_journal parse_journal(std::string_view text, std::string_view mark) {
  run_journal j;
  for (auto end = text.find('\n'); end != std::string_view::npos; end = text.find('\n')) {
    line_words w{text.substr(0, end)};
    text.remove_prefix(end + 1);
    if (!mark.empty() && w.next() != mark) continue;
    const auto kind = w.next();
    if (kind == "claimed")
      take(w, j.claimed);
    else if (kind == "made")
      take(w, j.made);
    else if (kind == "terminal")
      j.terminal = unescaped(w.rest);
    else if (kind == "forking")
      j.forking = true;
    else if (kind == "started")
      take(w, j.started);
    else if (kind == "exited")
      take(w, j.exited);
    else if (kind == "failed")
      take(w, j.failed);
    else if (kind == "ended")
      take(w, j.ended);
    else if (kind == "log")
      j.log.push_back(unescaped(w.rest));
    else if (kind == "killed")
      j.killed = unescaped(w.rest);
  }
  return j;
}

std::string marked(std::string_view lines, std::string_view mark) {
  std::string out;
  for (auto end = lines.find('\n'); !mark.empty() && end != std::string_view::npos; end = lines.find('\n')) {
    (out += mark) += ' ';
    out += lines.substr(0, end + 1);
    lines.remove_prefix(end + 1);
  }
  return out += lines;
}

std::string line_of(const journal_claimed& r) { return "claimed " + std::to_string(r.pid) + ' ' + r.boot + '\n'; }

std::string line_of(const journal_made& r) { return "made " + std::to_string(r.device) + ' ' + std::to_string(r.inode) + '\n'; }

std::string line_of(const journal_started& r) {
  return "started " + std::to_string(r.pid) + ' ' + std::to_string(r.session) + ' ' + std::to_string(r.start_ticks) +
         ' ' + std::to_string(r.boottime_ms) + ' ' + std::to_string(r.cpu_ms_before) + '\n';
}

std::string line_of(const journal_failed& r) {
  return "failed " + std::to_string(r.code) + ' ' + escaped(r.text) + '\n';
}

std::string line_of(const journal_ended& r) { return "ended " + numbers_of(r); }
std::string exited_line(const journal_ended& r) { return "exited " + numbers_of(r); }

std::string terminal_line(std::string_view name) { return "terminal " + escaped(name) + '\n'; }

std::string forking_line() { return "forking\n"; }

std::string log_line(std::string_view text) { return "log " + escaped(text) + '\n'; }
std::string killed_line(std::string_view why) { return "killed " + escaped(why) + '\n'; }

}  // namespace annals::mom
