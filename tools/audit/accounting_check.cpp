#include "tools/audit/accounting_check.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <limits>
#include <map>
#include <optional>

#include "events/log/check_notes.hpp"
#include "events/log/log_reader.hpp"
#include "events/values/date_time.hpp"
#include "projections/accounting/accounting.hpp"
#include "projections/accounting/checkpoint_mark.hpp"
#include "tools/audit/marks_beside.hpp"

namespace annals::audit {

namespace fs = std::filesystem;

namespace {

// The files of the log's server: both lie beside the log.
fs::path beside(const std::string& log_directory, const char* what) {
  return fs::path(log::check_notes_file(log_directory)).parent_path().parent_path() / what;
}

// Of this log; nothing: there is none.
std::optional<projections::checkpoint_mark> mark_of(const ports::event_store& store, const std::string& log_directory) {
  auto mark = read_accounting_mark(log_directory);
  if (mark && !is_of(*mark, log::name_of_log(store))) mark.reset();
  return mark;
}

// Each line of the log, with its newline, the day of its file and the record it comes of. False: enough.
using day_line_taker = std::function<bool(const std::string& day, const std::string& line, std::uint64_t sequence)>;

std::string each_line(const ports::event_store& store, const std::set<std::string>& days, const day_line_taker& take,
                      const std::function<bool()>& go_on) {
  projections::accounting fold;
  bool more = true;
  const auto read = log::log_reader(store).read(1, [&](const log::record_ptr& r) {
    fold.fold(*r, [&](std::int64_t wall_s, std::string_view text) {
      const auto day = values::print_day(wall_s);
      if (more && (days.empty() || days.contains(day))) more = take(day, std::string(text) + "\n", r->sequence());
    });
    return more && go_on();
  });
  if (!read) return read.text;
  return go_on() ? "" : "interrupted";
}

// One day's file, as far as it was there at the beginning, against the lines of its day.
class day_check {
 public:
  day_check(fs::path file, std::uintmax_t length) : file_(std::move(file)), length_(length) {}

  // `owed`: the line must be there; others may be still to come.
  void line(const std::string& text, bool owed, std::ifstream& in) {
    ++lines_;
    if (!fault_.empty()) return;
    std::string there(static_cast<std::size_t>(std::min<std::uintmax_t>(text.size(), length_ - at_)), '\0');
    if (!there.empty() &&
        (!in.seekg(static_cast<std::streamoff>(at_)) || !in.read(there.data(), static_cast<std::streamsize>(there.size()))))
      fault_ = "can't be read";
    else if (there != text.substr(0, there.size())) fault_ = "line " + std::to_string(lines_) + " is not that of the log";
    else if (there.size() < text.size() && owed) fault_ = "ends before line " + std::to_string(lines_) + " of the log is complete";
    at_ += there.size();
  }
  std::string fault() const {
    if (!fault_.empty() || at_ == length_) return fault_;
    return std::to_string(length_ - at_) + " bytes behind line " + std::to_string(lines_) + " are not of the log";
  }
  const fs::path& file() const { return file_; }

 private:
  fs::path file_;
  std::uintmax_t length_, at_ = 0;
  std::uint64_t lines_ = 0;
  std::string fault_;
};

using checks = std::map<std::string, day_check>;

checks files_there(const fs::path& directory, const std::set<std::string>& days, std::string& trouble) {
  checks all;
  std::error_code failed;
  for (fs::directory_iterator at(directory, failed), end; !failed && at != end; at.increment(failed)) {
    const auto day = at->path().filename().string();
    if (!projections::is_day(day) || (!days.empty() && !days.contains(day))) continue;
    std::error_code gone;
    if (const auto length = at->file_size(gone); !gone) all.emplace(day, day_check(at->path(), length));
  }
  if (failed) trouble = "cannot read " + directory.string() + ": " + failed.message();
  return all;
}

}  // namespace

accounting_days check_accounting(log::audit_store& store, const std::string& log_directory, const std::set<std::string>& days,
                                 const std::function<bool()>& go_on) {
  accounting_days end;
  // In this order: what the mark promises is in the files, and every line of the files is in the log.
  const auto mark = mark_of(store, log_directory);
  const auto owed = mark ? mark->sequence : std::numeric_limits<std::uint64_t>::max();
  auto all = files_there(beside(log_directory, "accounting"), days, end.trouble);
  if (!end.trouble.empty()) return end;
  if (const auto ok = store.catch_up(); !ok) return end.trouble = ok.text, end;
  std::set<std::string> missing, known;
  std::string open;
  std::ifstream in;
  end.trouble = each_line(
      store, days, [&](const std::string& day, const std::string& line, std::uint64_t sequence) {
        ++end.lines;
        known.insert(day);
        const auto file = all.find(day);
        if (file == all.end()) {
          if (sequence <= owed) missing.insert(day);
          return true;
        }
        if (open != day) {
          in = std::ifstream(file->second.file(), std::ios::binary);
          open = day;
        }
        file->second.line(line, sequence <= owed, in);
        return true;
      },
      go_on);
  if (!end.trouble.empty()) return end;
  std::map<std::string, std::string> faults;
  for (const auto& day : missing) faults[day] = "the file is missing";
  for (const auto& [day, file] : all) {
    if (const auto fault = file.fault(); !fault.empty()) faults[day] = known.contains(day) ? fault : "the log has no line of this day";
    known.insert(day);
  }
  for (const auto& day : days)
    if (!known.contains(day)) return end.trouble = "neither the log nor the directory knows the day " + day, end;
  for (const auto& [day, fault] : faults) end.differences.push_back(day + ": " + fault);
  end.days = known.size();
  if (mark) end.being_written = mark->day;
  return end;
}

accounting_days rebuild_accounting(const log::audit_store& store, const std::string& log_directory, const std::string& into,
                                   const std::set<std::string>& days, const std::function<bool()>& go_on) {
  accounting_days end;
  std::error_code failed;
  if (!fs::create_directory(into, failed)) {
    end.trouble = "cannot make the directory " + into + ": " + (failed ? failed.message() : "it exists");
    return end;
  }
  std::set<std::string> written;
  std::string open;
  std::ofstream out;
  const auto close = [&] {
    if (open.empty()) return true;
    out.close();
    if (!out) end.trouble = "cannot write " + (fs::path(into) / open).string() + ": " + std::strerror(errno);
    return end.trouble.empty();
  };
  const auto stopped = each_line(
      store, days, [&](const std::string& day, const std::string& line, std::uint64_t) {
        if (open != day) {
          if (!close()) return false;
          open = day;
          out = std::ofstream(fs::path(into) / day, std::ios::binary | std::ios::app);
          written.insert(day);
        }
        ++end.lines;
        return static_cast<bool>(out << line);
      },
      go_on);
  if (close()) end.trouble = stopped;
  for (const auto& day : days)
    if (!written.contains(day) && end.trouble.empty()) end.trouble = "the log has no line of the day " + day;
  end.days = written.size();
  if (const auto mark = mark_of(store, log_directory); mark && written.contains(mark->day)) end.being_written = mark->day;
  return end;
}

}  // namespace annals::audit
