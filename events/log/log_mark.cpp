#include "events/log/log_mark.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <fstream>
#include <functional>
#include <iterator>
#include <span>
#include <stdexcept>
#include <vector>

#include "events/values/job_id.hpp"

namespace annals::log {

namespace {

constexpr std::size_t mark_bytes_max = 512;  // three times the longest mark

std::string hash_of(std::string_view text) {
  return hex(std::string_view(content_hash(std::as_bytes(std::span(text.data(), text.size())))).substr(0, 8));
}

std::optional<std::uint64_t> number(std::string_view text) {
  std::uint64_t n = 0;
  const auto end = text.data() + text.size();
  const auto [at, error] = std::from_chars(text.data(), end, n);
  if (error != std::errc() || at != end || (text.size() > 1 && text.front() == '0')) return std::nullopt;
  return n;
}

std::optional<std::string> bytes_of_hex(std::string_view text, std::size_t size) {
  if (text.size() != 2 * size) return std::nullopt;
  std::string bytes;
  for (std::size_t i = 0; i < text.size(); i += 2) {
    constexpr std::string_view digits = "0123456789abcdef";
    const auto high = digits.find(text[i]), low = digits.find(text[i + 1]);
    if (high == std::string_view::npos || low == std::string_view::npos) return std::nullopt;
    bytes += static_cast<char>(high << 4 | low);
  }
  return bytes;
}

std::vector<std::string_view> words_of(std::string_view text) {
  std::vector<std::string_view> words;
  for (std::size_t at = 0; at <= text.size();) {
    const auto end = std::min(text.find(' ', at), text.size());
    words.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return words;
}

[[noreturn]] void cannot(const std::string& what, const std::string& path, int why) {
  throw std::runtime_error("cannot " + what + " " + path + ": " + std::strerror(why));
}

}  // namespace

std::string hex(std::string_view bytes) {
  constexpr char digits[] = "0123456789abcdef";
  std::string text;
  for (const char c : bytes) {
    text += digits[static_cast<unsigned char>(c) >> 4];
    text += digits[static_cast<unsigned char>(c) & 15];
  }
  return text;
}

std::string print(const log_mark& m) {
  std::string line = "annals-log 1 " + hex(m.log) + ' ' + std::to_string(m.sequence) + ' ' +
                     hex({reinterpret_cast<const char*>(m.head.data()), m.head.size()}) + ' ' + std::to_string(m.last_stream) + ' ' +
                     std::to_string(m.next_number) + ' ';
  return line + hash_of(line) + '\n';
}

std::optional<log_mark> parse_log_mark(std::string_view line) {
  if (line.size() > mark_bytes_max || !line.ends_with('\n')) return std::nullopt;
  line.remove_suffix(1);
  const auto words = words_of(line);
  if (words.size() != 8 || words[0] != "annals-log" || words[1] != "1") return std::nullopt;
  if (hash_of(line.substr(0, line.size() - words[7].size())) != words[7]) return std::nullopt;
  const auto log = bytes_of_hex(words[2], 16), head = bytes_of_hex(words[4], 32);
  const auto sequence = number(words[3]), stream = number(words[5]), job = number(words[6]);
  if (!log || !head || !sequence || !stream || !job) return std::nullopt;
  log_mark m{*log, *sequence, {}, *stream, *job};
  std::memcpy(m.head.data(), head->data(), m.head.size());
  return m;
}

void advance(log_mark& mark, const record& r) {
  mark.sequence = r.sequence();
  mark.last_stream = std::max(mark.last_stream, r.get().getStream());
  const auto event = r.event();
  if (schema::is(event, schema::JobEvent::QUEUED))
    mark.next_number = std::max(mark.next_number, values::array_of(event.getJob().getQueued().getNumber()) + 1);
  if (schema::is(event, schema::LogEvent::LOSS_ACCEPTED))
    mark.next_number = std::max(mark.next_number, event.getLog().getLossAccepted().getNextNumber());
  if (schema::is(event, schema::LogEvent::SALVAGED))
    mark.next_number = std::max(mark.next_number, event.getLog().getSalvaged().getNextJobNumber());
}

namespace {

// Which file it is, and will be under another name too. No tool that copies can set when a file was born; where the file system does not
// know that, it is 0.
struct file_identity {
  std::uint64_t inode = 0, born_ns = 0;
};
std::optional<file_identity> identity_of_file(int directory, const char* path, int flags) {
  struct statx s {};
  if (::statx(directory, path, flags, STATX_INO | STATX_BTIME, &s) != 0) return std::nullopt;
  const bool knows_birth = (s.stx_mask & STATX_BTIME) != 0;
  return file_identity{s.stx_ino, knows_birth ? static_cast<std::uint64_t>(s.stx_btime.tv_sec) * 1'000'000'000 + s.stx_btime.tv_nsec : 0};
}

std::string place_line(const file_identity& file) {
  const auto line = "file " + std::to_string(file.inode) + ' ' + std::to_string(file.born_ns) + ' ';
  return line + hash_of(line) + '\n';
}

void replace_file_with(const std::string& path, const std::function<std::string(int file)>& content_of) {
  const auto next = path + ".new";
  const int fd = ::open(next.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  if (fd < 0) cannot("open", next, errno);
  const auto content = content_of(fd);
  const auto written = ::write(fd, content.data(), content.size());
  int failed = written < 0 ? errno : written != static_cast<ssize_t>(content.size()) ? ENOSPC
                                                                                     : 0;
  if (!failed && ::fdatasync(fd) != 0) failed = errno;
  ::close(fd);
  if (failed) cannot("write", next, failed);
  if (::rename(next.c_str(), path.c_str()) != 0) cannot("replace", path, errno);
}

// Both lines of a mark's file, and no more than they can be; nothing: it can't be read.
std::optional<std::string> text_of_mark_file(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  if (!in) return std::nullopt;
  std::string text(mark_bytes_max + 1, '\0');
  in.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<std::size_t>(in.gcount()));
  return text;
}

}  // namespace

void replace_file(const std::string& path, std::string_view content) {
  replace_file_with(path, [&](int) { return std::string(content); });
}

void keep_mark_file(const std::string& path, const log_mark& m, bool doubted) {
  replace_file_with(path, [&](int file) {
    const auto own = identity_of_file(file, "", AT_EMPTY_PATH);
    return print(m) + place_line(doubted || !own ? file_identity{} : *own);
  });
}

bool is_copied_mark_file(const std::string& path) {
  const auto text = text_of_mark_file(path).value_or("");
  const auto place = std::string_view(text).substr(std::min(text.size(), text.find('\n') + 1));
  const auto own = identity_of_file(AT_FDCWD, path.c_str(), 0);
  return !place.empty() && (!own || place != place_line(*own));
}

std::variant<log_mark, no_mark, bad_mark> read_mark_file(const std::string& path) {
  errno = 0;
  const auto text = text_of_mark_file(path);
  if (!text) {
    if (errno == ENOENT) return no_mark{};
    return bad_mark{path + " can't be read: " + std::strerror(errno)};
  }
  const auto line = std::string_view(*text).substr(0, text->find('\n') + 1);
  if (auto m = parse_log_mark(line)) return std::move(*m);
  return bad_mark{path + " is no mark of a log, or was damaged"};
}

}  // namespace annals::log
