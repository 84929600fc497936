#include "actors/mom/host/run_files.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <system_error>

#include "actors/mom/host/spool_names.hpp"

namespace annals::mom {
namespace {

int write_all(int fd, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t n = write(fd, bytes.data(), bytes.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return errno;
    bytes.remove_prefix(static_cast<std::size_t>(n));
  }
  return 0;
}

void make_directory(const std::string& path, mode_t mode) {
  if (mkdir(path.c_str(), mode) == 0) {
    if (chmod(path.c_str(), mode) == 0) return;  // mkdir's mode is cut by the umask, and has no sticky bit
  } else if (errno == EEXIST) {
    return;  // an administrator's choice of mode stays
  }
  throw std::system_error(errno, std::generic_category(), path);
}

int write_new(const std::string& path, std::string_view bytes, unsigned mode, const std::uint32_t* owner) {
  const std::string temporary = path + ".new";
  unlink(temporary.c_str());
  const int fd = open(temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode);
  if (fd < 0) return errno;
  int error = write_all(fd, bytes);
  if (!error && fchmod(fd, mode) != 0) error = errno;
  if (!error && owner && geteuid() == 0 && fchown(fd, owner[0], owner[1]) != 0) error = errno;
  if (close(fd) != 0 && !error) error = errno;
  if (!error && rename(temporary.c_str(), path.c_str()) != 0) error = errno;
  if (error) unlink(temporary.c_str());
  return error;
}

// Earlier releases let everybody write there, and then everybody could keep a job from starting.
void close_to_others(const std::string& directory) {
  struct stat st {};
  if (lstat(directory.c_str(), &st) != 0 || !S_ISDIR(st.st_mode) || st.st_uid != geteuid() || !(st.st_mode & 022)) return;
  if (chmod(directory.c_str(), 0755) != 0) throw std::system_error(errno, std::generic_category(), directory);
}

}  // namespace

void run_files::make_directories() const {
  make_directory(spool(), 0755);
  close_to_others(spool());
  make_directory(home_ + "/undelivered", 01777);
  make_directory(home_ + "/aux", 0755);
  make_directory(mom_priv(), 0751);
  make_directory(jobs(), 0751);
}

void run_files::retain(const std::string& spool_file) const {
  const auto name = std::filesystem::path(spool_file).filename().string();
  for (unsigned tries = 0; tries < 1000; ++tries) {
    const auto to = undelivered() + '/' + name + (tries == 0 ? "" : '.' + std::to_string(tries));
    if (renameat2(AT_FDCWD, spool_file.c_str(), AT_FDCWD, to.c_str(), RENAME_NOREPLACE) == 0 || errno == ENOENT) return;
    if (errno != EEXIST) break;
  }
  // It stays, under a name that no sweep takes for a leftover.
  rename(spool_file.c_str(), (spool_file + ".kept").c_str());
}

std::vector<values::program_key> run_files::keys(std::vector<std::string>& strange) const {
  std::vector<values::program_key> found;
  std::error_code unreadable;  // then nothing can be swept
  for (const auto& entry : std::filesystem::directory_iterator(jobs(), unreadable)) {
    if (entry.path().extension() != ".run") continue;
    if (auto key = values::parse_program_key(entry.path().stem().native())) found.push_back(std::move(*key));
    else strange.push_back(entry.path());
  }
  return found;
}

bool run_files::is_spool_file(const std::string& path, const std::string& job_id, const std::string& key) const {
  return is_file_name(job_id) && is_file_name(key) && is_spool_file_of(path, spool(), job_id, key);
}

bool run_files::is_output_in_spool(const std::string& path) const { return !output_stem(name_in_spool(path, spool())).empty(); }

bool is_file_name(std::string_view name) {
  return !name.empty() && name.front() != '.' && name.size() < 240 &&  // NAME_MAX 255, less ".run.new"
         name.find('/') == std::string_view::npos && name.find('\0') == std::string_view::npos;
}

bool names_a_file(const values::program_key& key) { return values::is_well_formed(key) && is_file_name(print(key)); }

std::string read_from(int fd, std::size_t offset) {
  std::string out;
  char buffer[16384];
  for (;;) {
    const ssize_t n = pread(fd, buffer, sizeof buffer, static_cast<off_t>(offset + out.size()));
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return out;
    out.append(buffer, static_cast<std::size_t>(n));
  }
}

std::optional<std::string> read_file(const std::string& path, std::size_t offset) {
  const int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return {};
  std::string out = read_from(fd, offset);
  close(fd);
  return out;
}

int write_file(const std::string& path, std::string_view bytes, unsigned mode) {
  return write_new(path, bytes, mode, nullptr);
}

int overwrite_file(const std::string& path, std::string_view bytes) {
  const int fd = open(path.c_str(), O_WRONLY | O_NOFOLLOW | O_CLOEXEC);
  if (fd < 0) return errno;
  int error = write_all(fd, bytes);
  if (!error && ftruncate(fd, static_cast<off_t>(bytes.size())) != 0) error = errno;
  close(fd);
  return error;
}

int write_file_for(const std::string& path, std::string_view bytes, unsigned mode, std::uint32_t uid,
                   std::uint32_t gid) {
  const std::uint32_t owner[2] = {uid, gid};
  return write_new(path, bytes, mode, owner);
}

std::optional<held_run> held_run::take(const std::string& path, bool create) {
  const int fd = open(path.c_str(), O_RDWR | O_APPEND | O_CLOEXEC | (create ? O_CREAT : 0), 0600);
  if (fd < 0) return {};
  if (flock(fd, LOCK_EX | LOCK_NB) != 0) {
    close(fd);
    return {};
  }
  return held_run(fd);
}

held_run::~held_run() {
  if (fd_ >= 0) close(fd_);
}

std::string held_run::text(std::size_t offset) const {
  return read_from(fd_, offset);
}

bool held_run::append(std::string_view line) const {
  // A shepherd that was killed in the middle of a write left a line without an end: ours is one of its own.
  struct stat st {};
  char last = '\n';
  if (fstat(fd_, &st) == 0 && st.st_size > 0 && pread(fd_, &last, 1, st.st_size - 1) != 1) return false;
  const std::string whole = (last == '\n' ? "" : "\n") + std::string(line);
  return write_all(fd_, whole) == 0 && fdatasync(fd_) == 0;
}

}  // namespace annals::mom
