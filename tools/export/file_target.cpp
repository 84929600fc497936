// Rows in files, one for each table and day of UTC. A file only grows, so rows come when no later record can change them any more.
//
// position.json says how long the files of the latest day are; those of earlier days are whole. What a crash left behind these lengths is
// cut off by the next start. What ends a file (the last tag of XML) does not count to its length: the next write takes its place.
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>

#include <nlohmann/json.hpp>

#include "projections/exports/value.hpp"
#include "tools/export/file_names.hpp"
#include "tools/export/target.hpp"
#include "tools/export/target_versions.hpp"
#include "tools/export/usage_record.hpp"

namespace annals::exporting {
namespace {

namespace fs = std::filesystem;
using trouble = target_trouble::kind;

constexpr const char* position_name = "position.json";
constexpr const char* fresh_position_name = "position.json.new";  // until it is whole

[[noreturn]] void fail(const std::string& path, int error = errno) {
  const bool lasts = error == EACCES || error == EPERM || error == ENOTDIR || error == EISDIR;
  throw target_trouble(lasts ? trouble::lasting : trouble::passing, path + ": " + std::strerror(error));
}

class open_file {
 public:
  open_file(const std::string& path, int flags) : path_(path), fd_(::open(path.c_str(), flags | O_CLOEXEC, 0666)) {
    if (fd_ < 0) fail(path_);
  }
  ~open_file() { ::close(fd_); }
  open_file(const open_file&) = delete;
  int fd() const { return fd_; }
  void write(std::string_view bytes) {
    while (!bytes.empty()) {
      const auto n = ::write(fd_, bytes.data(), bytes.size());
      if (n < 0 && errno == EINTR) continue;
      if (n < 0) fail(path_);
      bytes.remove_prefix(static_cast<std::size_t>(n));
    }
  }
  void sync() {
    if (::fsync(fd_) != 0) fail(path_);
  }

 private:
  std::string path_;
  int fd_;
};

void sync_directory(const std::string& path) { open_file(path, O_RDONLY | O_DIRECTORY).sync(); }

// Held while a directory is written to, or takes the place of another. It lies beside, because the directory may become another one.
class directory_lock {
 public:
  explicit directory_lock(const std::string& directory) : file_(directory + ".lock", O_RDWR | O_CREAT) {
    while (::flock(file_.fd(), LOCK_EX) != 0)
      if (errno != EINTR) fail(directory + ".lock");
  }

 private:
  open_file file_;
};

std::string as_csv(const exports::value& v) {
  const auto* text = std::get_if<std::string>(&v);
  if (!text) return exports::print_plain(v);
  if (!text->empty() && text->find_first_of("\",\r\n") == std::string::npos) return *text;
  std::string in_quotes = "\"";
  for (const char c : *text) in_quotes.append(c == '"' ? 2 : 1, c);
  return in_quotes + '"';
}

std::string as_json(const exports::value& v) {
  if (exports::is_null(v)) return "null";
  const auto plain = exports::print_plain(v);
  if (v.index() == exports::value(std::string()).index() || std::holds_alternative<exports::moment>(v)) return nlohmann::json(plain).dump();
  return plain;
}

std::string beginning_of(const exports::table& t, file_form form) {
  if (form == file_form::usage_records) return usage_records_begin;
  if (form == file_form::json_lines) return {};
  std::string line;
  for (const auto& c : t.columns) line += (line.empty() ? "" : ",") + std::string(c.name);
  return line + "\r\n";
}
std::string ending_of(file_form form) { return form == file_form::usage_records ? usage_records_end : ""; }

bool has_table(file_form form, std::size_t table) {
  return form != file_form::usage_records || table == static_cast<std::size_t>(exports::table_id::runs);
}

std::string line_of(const exports::table& t, const exports::row& r, file_form form) {
  if (form == file_form::usage_records) return usage_record(r);
  std::string line;
  for (std::size_t i = 0; i < r.values.size(); ++i) {
    if (form == file_form::csv) line += (i ? "," : "") + as_csv(r.values[i]);
    else line += std::string(i ? "," : "{") + '"' + t.columns[i].name + "\":" + as_json(r.values[i]);
  }
  return line + (form == file_form::csv ? "\r\n" : "}\n");
}

// A member of its own: a gzip file may have many, one behind the other, and may be cut between them.
std::string gzip(const std::string& bytes) {
  z_stream z = {};
  if (deflateInit2(&z, Z_DEFAULT_COMPRESSION, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY) != Z_OK)
    throw target_trouble(trouble::passing, "zlib: no memory");
  std::string out(deflateBound(&z, bytes.size()), '\0');
  z.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
  z.avail_in = static_cast<uInt>(bytes.size());
  z.next_out = reinterpret_cast<Bytef*>(out.data());
  z.avail_out = static_cast<uInt>(out.size());
  const int how = deflate(&z, Z_FINISH);
  out.resize(z.total_out);
  deflateEnd(&z);
  if (how != Z_STREAM_END) throw target_trouble(trouble::lasting, "zlib: the rows of a write could not be compressed");
  return out;
}

class file_target : public target {
 public:
  file_target(const std::string& directory, const file_choice& choice, target_place place, const exports::table_set& tables)
      : proper_(directory), directory_(place == target_place::beside ? directory + ".rebuild" : directory), tables_(tables) {
    const directory_lock lock(directory_);
    std::error_code error;
    if (place == target_place::beside) fs::remove_all(directory_, error);
    fs::create_directories(directory_, error);
    if (error) fail(directory_, error.value());
    read_state(choice);
    cut_files();
    struct stat is = {};
    if (::stat(directory_.c_str(), &is) != 0) fail(directory_);
    inode_ = is.st_ino;
  }

  const position& at() const override { return state_.at; }

  void write(const row_batch& rows, const position& next) override {
    const directory_lock lock(directory_);
    check_unmoved();
    auto after = state_;
    after.at = next;
    for (auto& [path, file] : files_of(rows, after)) append(path, std::move(file), after);
    keep(after);
    state_ = std::move(after);
  }

  void exchange() override {
    const directory_lock lock(proper_);
    if (::access(proper_.c_str(), F_OK) != 0) {
      if (::rename(directory_.c_str(), proper_.c_str()) != 0) fail(proper_);
    } else {
      if (::renameat2(AT_FDCWD, directory_.c_str(), AT_FDCWD, proper_.c_str(), RENAME_EXCHANGE) != 0) fail(proper_);
      std::error_code ignored;
      fs::remove_all(directory_, ignored);
    }
    ::unlink((directory_ + ".lock").c_str());
  }

 private:
  struct growing {
    std::string day;
    std::size_t table;
    std::string text;
  };

  std::string path_of(const std::string& name) const { return directory_ + "/" + name; }

  void read_state(const file_choice& choice) {
    std::ifstream in(path_of(position_name), std::ios::binary);
    if (!in) {
      if (has_files_of_others())
        throw target_trouble(trouble::lasting, directory_ + ": is not empty, and has no " + position_name + ": name another directory");
      state_.version = tables_.version;
      state_.choice = choice;
      return keep(state_);
    }
    const std::string text((std::istreambuf_iterator<char>(in)), {});
    const auto read = read_file_position(text);
    if (!read) throw target_trouble(trouble::lasting, path_of(position_name) + ": can't be read: run pbs_export --rebuild");
    if (read->version != tables_.version) {
      check_version(directory_, read->version, {tables_.version, tables_.tables, tables_.version});
    }
    if (read->choice.form != choice.form || read->choice.compressed != choice.compressed)
      throw target_trouble(trouble::lasting, directory_ + ": its files are " + file_of_day("YYYY-MM-DD", read->choice) + " and not " +
                                                 file_of_day("YYYY-MM-DD", choice) +
                                                 ": name another directory, or run pbs_export --rebuild");
    state_ = *read;
  }

  // A first start that was killed may have left its position behind that was not yet whole.
  bool has_files_of_others() const {
    const auto is_other = [&](const fs::directory_entry& e) { return e.path() != path_of(fresh_position_name); };
    return std::any_of(fs::directory_iterator(directory_), fs::directory_iterator(), is_other);
  }

  // Files of the latest day become as long as they were when the position was written; those of later days go.
  void cut_files() {
    for (const auto& t : tables_.tables) {
      std::error_code none;
      for (const auto& entry : fs::directory_iterator(path_of(t.name), none)) {
        const auto day = day_of_file(entry.path().filename().string());
        if (!day || *day < state_.day) continue;
        const auto known = state_.bytes.find(t.name);
        const bool is_known = *day == state_.day && known != state_.bytes.end();
        if (!is_known) {
          if (::unlink(entry.path().c_str()) != 0) fail(entry.path().string());
          continue;
        }
        if (fs::file_size(entry.path()) < known->second)
          throw target_trouble(trouble::lasting, entry.path().string() + ": is shorter than it was: run pbs_export --rebuild");
        cut(entry.path().string(), known->second);
        close_again(entry.path().string());
      }
    }
  }

  void close_again(const std::string& path) const {
    const auto end = packed(ending_of(state_.choice.form));
    if (end.empty()) return;
    open_file file(path, O_WRONLY | O_APPEND);
    file.write(end);
    file.sync();
  }

  void check_unmoved() const {
    struct stat is = {};
    if (::stat(directory_.c_str(), &is) != 0) fail(directory_);
    if (is.st_ino != inode_) throw target_trouble(trouble::moved, directory_ + ": was exchanged");
    std::ifstream in(path_of(position_name), std::ios::binary);
    const std::string text((std::istreambuf_iterator<char>(in)), {});
    if (text != print_file_position(state_)) throw target_trouble(trouble::moved, directory_ + ": another pbs_export has written to it");
  }

  // By path. A row never goes into a file of a day before the latest one: those are whole.
  std::map<std::string, growing> files_of(const row_batch& rows, file_position& after) const {
    std::map<std::string, growing> files;
    for (std::size_t i = 0; i < tables_.tables.size(); ++i)
      for (const auto& r : rows.of(i)) {
        if (!r.final || !has_table(state_.choice.form, i)) continue;
        const auto day = std::max(exports::print_day({r.at_ns}), state_.day);
        auto& file = files[path_of(std::string(tables_.tables[i].name) + "/" + file_of_day(day, state_.choice))];
        file.day = day;
        file.table = i;
        file.text += line_of(tables_.tables[i], r, state_.choice.form);
        if (day > after.day) {
          after.day = day;
          after.bytes.clear();
        }
      }
    return files;
  }

  void append(const std::string& path, growing file, file_position& after) {
    std::error_code error;
    const auto folder = fs::path(path).parent_path().string();
    const bool made_folder = fs::create_directories(folder, error);
    if (error) fail(folder, error.value());
    const bool is_new = ::access(path.c_str(), F_OK) != 0;
    const auto end = packed(ending_of(state_.choice.form));
    open_file out(path, O_WRONLY | O_CREAT | O_APPEND);
    if (!is_new) cut(path, length_of(path, out) - end.size());
    out.write(packed((is_new ? beginning_of(tables_.tables[file.table], state_.choice.form) : std::string()) + file.text) + end);
    out.sync();
    if (is_new) sync_directory(folder);
    if (made_folder) sync_directory(directory_);
    if (file.day == after.day) after.bytes[tables_.tables[file.table].name] = length_of(path, out) - end.size();
  }

  std::string packed(const std::string& text) const { return state_.choice.compressed && !text.empty() ? gzip(text) : text; }

  static void cut(const std::string& path, std::uint64_t length) {
    if (::truncate(path.c_str(), static_cast<off_t>(length)) != 0) fail(path);
  }
  static std::uint64_t length_of(const std::string& path, const open_file& file) {
    struct stat is = {};
    if (::fstat(file.fd(), &is) != 0) fail(path);
    return static_cast<std::uint64_t>(is.st_size);
  }

  void keep(const file_position& p) {
    const auto path = path_of(position_name), fresh = path_of(fresh_position_name);
    {
      open_file out(fresh, O_WRONLY | O_CREAT | O_TRUNC);
      out.write(print_file_position(p));
      out.sync();
    }
    if (::rename(fresh.c_str(), path.c_str()) != 0) fail(path);
    sync_directory(directory_);
  }

  std::string proper_, directory_;
  exports::table_set tables_;
  file_position state_;
  ino_t inode_ = 0;
};

}  // namespace

std::unique_ptr<target> open_files(const std::string& directory, const file_choice& choice, target_place place,
                                   const exports::table_set& tables) {
  return std::make_unique<file_target>(directory, choice, place, tables);
}

}  // namespace annals::exporting
