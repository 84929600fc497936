#include "tools/client/query/indexed_output.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <memory>
#include <string_view>

namespace annals::client {
namespace {

using values::output_record;

class open_file {
 public:
  // Opens a plain file only: nothing that could make us wait.
  explicit open_file(const std::string& path) : fd_(open(path.c_str(), O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC)) {
    struct stat st {};
    if (fd_ < 0) return;
    if (fstat(fd_, &st) == 0 && S_ISREG(st.st_mode)) {
      bytes_ = static_cast<std::uint64_t>(st.st_size);
      return;
    }
    close(fd_);
    fd_ = -1;
    errno = EINVAL;
  }
  open_file(const open_file&) = delete;
  ~open_file() {
    if (fd_ >= 0) close(fd_);
  }
  explicit operator bool() const { return fd_ >= 0; }
  std::uint64_t bytes() const { return bytes_; }  // when it was opened

  // How many bytes were read from there: fewer than asked for at the end of the file only, or when errno says why.
  std::size_t read_at(std::uint64_t offset, char* into, std::size_t size) const {
    std::size_t done = 0;
    errno = 0;
    while (done < size) {
      const ssize_t n = pread(fd_, into + done, size - done, static_cast<off_t>(offset + done));
      if (n < 0 && errno == EINTR) continue;
      if (n <= 0) break;
      done += static_cast<std::size_t>(n);
    }
    return done;
  }

 private:
  int fd_;
  std::uint64_t bytes_ = 0;
};

std::string index_of(const std::string& file) { return file + std::string(values::output_index_suffix); }

// Numbers of an entry have at most 14 digits: their sum does not wrap.
bool is_whole(const open_file& data, const output_record& r) {
  const auto line = values::output_headline(r);
  if (r.offset + line.size() + r.length + 1 > data.bytes()) return false;
  std::string there(line.size(), '\0');
  char end = '\0';
  return data.read_at(r.offset, there.data(), there.size()) == there.size() && there == line &&
         data.read_at(r.offset + line.size() + r.length, &end, 1) == 1 && end == '\n';
}

template <class Each>
void for_each_entry(const open_file& index, Each&& each) {
  constexpr std::size_t piece = 1024 * values::output_entry_bytes;
  const auto buffer = std::make_unique<char[]>(piece);
  for (std::uint64_t offset = 0;;) {
    const std::size_t got = index.read_at(offset, buffer.get(), piece);
    const std::string_view bytes(buffer.get(), got);
    for (std::size_t at = 0; at + values::output_entry_bytes <= got; at += values::output_entry_bytes)
      if (const auto record = values::parse_output_entry(bytes.substr(at, values::output_entry_bytes))) each(*record);
    if (got < piece) return;
    offset += got;
  }
}

bool write_all(const char* bytes, std::size_t size) {
  while (size > 0) {
    const ssize_t n = write(STDOUT_FILENO, bytes, size);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return false;
    bytes += n;
    size -= static_cast<std::size_t>(n);
  }
  return true;
}

bool print_part(const open_file& data, std::uint64_t offset, std::uint64_t length) {
  constexpr std::size_t piece = 64u << 10;
  const auto buffer = std::make_unique<char[]>(piece);
  while (length > 0) {
    const std::size_t asked = static_cast<std::size_t>(std::min<std::uint64_t>(length, piece));
    const std::size_t got = data.read_at(offset, buffer.get(), asked);
    if (got == 0 && errno == 0) errno = EIO;  // it was cut meanwhile
    if (got == 0 || !write_all(buffer.get(), got)) return false;
    offset += got;
    length -= got;
  }
  return true;
}

}  // namespace

std::vector<std::string> indexed_files(const std::string& base) {
  const auto slash = base.rfind('/');
  const std::string directory = slash == std::string::npos ? "" : base.substr(0, slash + 1);
  const std::string start = base.substr(directory.size()) + '.';
  std::vector<std::string> files;
  const std::unique_ptr<DIR, int (*)(DIR*)> dir(opendir(directory.empty() ? "." : directory.c_str()), closedir);
  if (!dir) return files;
  while (const dirent* const entry = readdir(dir.get())) {
    std::string_view name = entry->d_name;
    if (!name.starts_with(start) || !name.ends_with(values::output_index_suffix)) continue;
    name.remove_suffix(values::output_index_suffix.size());
    if (name.size() > start.size()) files.push_back(directory + std::string(name));
  }
  std::sort(files.begin(), files.end());
  return files;
}

std::vector<std::string> indexed_files_at(const std::string& file) {
  if (access(index_of(file).c_str(), F_OK) == 0) return {file};
  return indexed_files(file);
}

std::optional<found_output> find_output(const std::vector<std::string>& files, const wanted_output& wanted) {
  std::optional<found_output> found;
  for (const auto& file : files) {
    const open_file index(index_of(file)), data(file);
    if (!index || !data) continue;
    for_each_entry(index, [&](const output_record& r) {
      if (r.index != wanted.index || r.stream != wanted.stream || (wanted.array && r.array != *wanted.array)) return;
      const bool older = found && found->record.array == r.array && found->record.run > r.run;
      if (!older && is_whole(data, r)) found = found_output{file, r};
    });
  }
  return found;
}

void for_each_output(const std::string& file, const std::function<void(const output_record&)>& each) {
  const open_file index(index_of(file)), data(file);
  if (!index || !data) return;
  for_each_entry(index, [&](const output_record& r) {
    if (is_whole(data, r)) each(r);
  });
}

bool print_output(const found_output& found) {
  const open_file data(found.file);
  return data && print_part(data, found.record.offset + values::output_headline(found.record).size(), found.record.length);
}

bool print_file(const std::string& path) {
  const open_file data(path);
  return data && print_part(data, 0, data.bytes());
}

}  // namespace annals::client
