#include "projections/mail/mail_spool.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <optional>
#include <span>
#include <stdexcept>
#include <vector>

#include "events/log/log_mark.hpp"
#include "events/log/record.hpp"
#include "events/values/string_list.hpp"

namespace annals::projections {

namespace fs = std::filesystem;

namespace {

constexpr std::string_view mark_name = "mark";

std::string sum_of_mark(std::string_view text) {
  const auto hash = log::content_hash(std::as_bytes(std::span(text.data(), text.size())));
  return log::hex({reinterpret_cast<const char*>(hash.data()), 8});
}

template <class Number>
bool read_number(std::string_view text, Number& n) {
  const auto [at, error] = std::from_chars(text.data(), text.data() + text.size(), n);
  return error == std::errc() && at == text.data() + text.size();
}

std::optional<mail_mark> parse_mark(std::string_view slot) {
  const auto line = slot.substr(0, slot.find('\n'));
  const auto sum_at = line.rfind(' ');
  if (sum_at == std::string_view::npos || sum_of_mark(line.substr(0, sum_at + 1)) != line.substr(sum_at + 1)) return std::nullopt;
  std::vector<std::string_view> words;
  for (auto rest = line; !rest.empty();) {
    words.push_back(rest.substr(0, rest.find(' ')));
    rest.remove_prefix(std::min(rest.size(), words.back().size() + 1));
  }
  mail_mark m;
  if (words.size() != 10 || words[0] != "annals-mail" || words[1] != "1" || !read_number(words[2], m.generation) ||
      !read_number(words[5], m.done.sequence) || !read_number(words[6], m.done.number) || !read_number(words[7], m.begun.sequence) ||
      !read_number(words[8], m.begun.number))
    return std::nullopt;
  m.log = words[3];
  m.boot = words[4];
  return m;
}

// "17.0" is the file of the first mail of record 17.
std::optional<mail_place> place_of_file(std::string_view name) {
  const auto dot = name.find('.');
  mail_place place;
  if (dot == std::string_view::npos || !read_number(name.substr(0, dot), place.sequence) ||
      !read_number(name.substr(dot + 1), place.number))
    return std::nullopt;
  return place;
}

// The mailer of another life of the server has it as its input, and is about to begin.
bool is_locked(const fs::path& file) {
  const int fd = ::open(file.c_str(), O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
  if (fd < 0) return false;
  const bool locked = ::flock(fd, LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK;
  ::close(fd);
  return locked;
}

}  // namespace

std::string print(const mail_mark& m) {
  const auto place = [](const mail_place& p) { return std::to_string(p.sequence) + ' ' + std::to_string(p.number) + ' '; };
  std::string slot =
      "annals-mail 1 " + std::to_string(m.generation) + ' ' + m.log + ' ' + m.boot + ' ' + place(m.done) + place(m.begun);
  slot += sum_of_mark(slot) + '\n';
  slot.resize(mail_slot_bytes, ' ');
  return slot;
}

mail_mark newest_mail_mark(std::string_view slots) {
  mail_mark newest;
  for (std::size_t at = 0; at < slots.size(); at += mail_slot_bytes)
    if (auto m = parse_mark(slots.substr(at, mail_slot_bytes)); m && m->generation > newest.generation) newest = std::move(*m);
  return newest;
}

mail_spool::mail_spool(fs::path directory, const std::string& log, const std::string& boot, mail_place first)
    : directory_(std::move(directory)) {
  fs::create_directories(directory_);
  fs::permissions(directory_, fs::perms::owner_all);
  const auto file = directory_ / mark_name;
  mark_fd_ = ::open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  if (mark_fd_ < 0) throw std::runtime_error("cannot open " + file.string() + ": " + std::strerror(errno));
  std::string bytes(2 * mail_slot_bytes, '\0');
  const auto got = ::pread(mark_fd_, bytes.data(), bytes.size(), 0);
  bytes.resize(got > 0 ? static_cast<std::size_t>(got) : 0);
  mark_ = newest_mail_mark(bytes);
  if (mark_.generation == 0 || mark_.log != log) {
    mark_.log = log;
    mark_.done = mark_.begun = first;
  } else if (mark_.boot != boot) {
    mark_.begun = mark_.done;  // the mailers of another life of the host may have been cut off
  }
  mark_.boot = boot;
  find_left();
  if (!keep() || !sync()) throw std::runtime_error(why_);
}

mail_spool::~mail_spool() {
  if (mark_fd_ >= 0) ::close(mark_fd_);
}

// Files of mails that nobody waits for any more are removed.
void mail_spool::find_left() {
  for (const auto& entry : fs::directory_iterator(directory_)) {
    const auto place = place_of_file(entry.path().filename().string());
    if (!place || is_locked(entry.path())) continue;
    if (*place < mark_.begun && !(*place < mark_.done)) {
      left_.insert(*place);
    } else {
      std::error_code gone_already;
      fs::remove(entry.path(), gone_already);
    }
  }
}

fs::path mail_spool::file_of(const mail_place& place) const {
  return directory_ / (std::to_string(place.sequence) + '.' + std::to_string(place.number));
}

bool mail_spool::begin(const mail& m, const mail_place& next) {
  const auto file = file_of(m.place);
  ::unlink(file.c_str());
  const int fd = ::open(file.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
  if (fd < 0) return fail("make " + file.string());
  const bool written = ::write(fd, m.text.data(), m.text.size()) == static_cast<ssize_t>(m.text.size());
  if (::close(fd) != 0 || !written) return fail("write " + file.string());
  left_.erase(m.place);
  mark_.begun = std::max(mark_.begun, next);
  return keep();
}

void mail_spool::done(const mail_place& open, const mail_place& next) {
  const auto begun = std::max(mark_.begun, next);
  unsynced_ |= open != mark_.done || begun != mark_.begun;
  mark_.done = std::max(mark_.done, open);
  mark_.begun = begun;
}

bool mail_spool::keep() {
  ++mark_.generation;
  unsynced_ = true;
  const auto slot = print(mark_);
  const auto at = static_cast<off_t>((mark_.generation % 2) * mail_slot_bytes);
  if (::pwrite(mark_fd_, slot.data(), slot.size(), at) == static_cast<ssize_t>(slot.size())) return true;
  return fail("write " + (directory_ / mark_name).string());
}

bool mail_spool::sync() {
  if (!keep()) return false;
  if (::fdatasync(mark_fd_) != 0) return fail("sync " + (directory_ / mark_name).string());
  unsynced_ = false;
  return true;
}

bool mail_spool::fail(const std::string& what) {
  why_ = "mail: cannot " + what + ": " + std::strerror(errno);
  return false;
}

}  // namespace annals::projections
