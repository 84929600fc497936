#include "actors/mom/host/definition_files.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <memory>
#include <stdexcept>
#include <utility>

#include "events/model/host/host_limits.hpp"

namespace annals::mom {
namespace {

[[noreturn]] void fail(const std::string& path) { throw std::runtime_error(path + ": " + std::strerror(errno)); }

struct open_file {
  int fd;
  explicit open_file(int opened) : fd(opened) {}
  ~open_file() {
    if (fd >= 0) close(fd);
  }
  open_file(const open_file&) = delete;
  open_file& operator=(const open_file&) = delete;
};

void sync_directory(const std::string& path) {
  const open_file directory(open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (directory.fd < 0 || fsync(directory.fd) != 0) fail(path);
}

// What one file adds; its lines count from 1.
void add_file(const definition_files& files, const std::string& name, read_definitions& out) {
  const auto path = files.path(name);
  out.paths.push_back(path);
  try {
    auto parsed = parse_vnode_definitions(files.read(name));
    for (auto& e : parsed.errors) out.errors.push_back({path, std::move(e)});
    if (parsed.without_effect) out.without_effect.push_back({path, *parsed.without_effect});
    if (parsed.other_version) out.other_versions.push_back({path, *parsed.other_version});
    out.vnodes.add(parsed.vnodes);
  } catch (const std::runtime_error& e) {
    out.errors.push_back({path, {0, std::string(e.what()).substr(path.size() + 2)}});
  }
}

// Of all files together; empty: nothing.
std::string wrong_together(std::string_view host, const defined_vnodes& vnodes) {
  if (auto mixed = mixed_exclhost(host, vnodes); !mixed.empty()) return mixed;
  const bool fits = vnodes.all().size() + vnodes.attribute_count() <= limits::defined_attributes_max &&
                    vnodes.text_bytes() <= limits::definition_bytes_max;
  return fits ? ""
              : "vnode definition files have more than " + std::to_string(limits::defined_attributes_max) +
                    " vnodes and attributes, or more than " + std::to_string(limits::definition_bytes_max) + " bytes";
}

}  // namespace

bool is_definition_name(std::string_view name) {
  return !name.empty() && name != "." && name != ".." && !name.starts_with("PBS") && name.find('/') == std::string_view::npos;
}

std::string read_definition_text(const std::string& path) {
  const open_file file(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  struct stat is {};
  if (file.fd < 0 || fstat(file.fd, &is) != 0) fail(path);
  if (!S_ISREG(is.st_mode)) throw std::runtime_error(path + ": not a file");
  std::string text;
  char piece[64u << 10];
  for (ssize_t n = 0; (n = read(file.fd, piece, sizeof piece)) != 0;) {
    if (n < 0) fail(path);
    text.append(piece, static_cast<std::size_t>(n));
    if (text.size() > limits::definition_bytes_max)
      throw std::runtime_error(path + ": more than " + std::to_string(limits::definition_bytes_max) + " bytes");
  }
  return text;
}

std::vector<std::string> definition_files::names() const {
  std::vector<std::string> out;
  const std::unique_ptr<DIR, int (*)(DIR*)> all(opendir(directory_.c_str()), closedir);
  if (!all && errno == ENOENT) return out;
  if (!all) fail(directory_);
  while (const auto* entry = readdir(all.get()))
    if (is_definition_name(entry->d_name)) out.emplace_back(entry->d_name);
  std::ranges::sort(out);
  return out;
}

std::string definition_files::read(const std::string& name) const { return read_definition_text(path(name)); }

// A file of another name, which no MoM reads, with the text on disk. Returned: its path.
std::string definition_files::write_new(const std::string& text) const {
  if (mkdir(directory_.c_str(), 0700) != 0 && errno != EEXIST) fail(directory_);
  auto path = directory_ + "/PBS_new." + std::to_string(getpid());
  const open_file file(open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0600));
  if (file.fd < 0) fail(path);
  for (std::size_t at = 0; at < text.size();) {
    const auto n = write(file.fd, text.data() + at, text.size() - at);
    if (n < 0 && errno != EINTR) {
      unlink(path.c_str());
      fail(path);
    }
    at += static_cast<std::size_t>(std::max<ssize_t>(n, 0));
  }
  if (fsync(file.fd) != 0) fail(path);
  return path;
}

void definition_files::insert(const std::string& name, const std::string& text) const {
  const auto from = write_new(text);
  const bool made = link(from.c_str(), path(name).c_str()) == 0;
  const int why = errno;
  unlink(from.c_str());
  errno = why;
  if (!made) fail(path(name));
  sync_directory(directory_);
}

void definition_files::replace(const std::string& name, const std::string& text) const {
  if (access(path(name).c_str(), F_OK) != 0) fail(path(name));
  const auto from = write_new(text);
  if (rename(from.c_str(), path(name).c_str()) != 0) fail(path(name));
  sync_directory(directory_);
}

void definition_files::remove(const std::string& name) const {
  if (unlink(path(name).c_str()) != 0) fail(path(name));
  sync_directory(directory_);
}

read_definitions read_all(const definition_files& files, std::string_view host, const defined_vnodes& before) {
  read_definitions out;
  try {
    for (const auto& name : files.names()) add_file(files, name, out);
  } catch (const std::runtime_error& e) {
    out.errors.push_back({"", {0, e.what()}});
  }
  const auto said = std::exchange(out.vnodes, before);
  out.vnodes.add(said);
  if (auto why = wrong_together(host, said); !why.empty()) out.errors.push_back({"", {0, std::move(why)}});
  else if (why = wrong_together(host, out.vnodes); !why.empty())
    out.errors.push_back({"", {0, why + "; what files said before counts until the MoM is started again"}});
  if (!out.failures().empty()) out.vnodes = before;
  return out;
}

std::vector<std::string> read_definitions::failures() const {
  std::vector<std::string> out;
  for (const auto& v : other_versions) out.push_back(text_of(v) + ": value is out of range (min 2, max 2)");
  for (const auto& e : errors) out.push_back(text_of(e));
  return out;
}

std::string text_of(const file_problem& p) {
  if (p.path.empty()) return p.what.text;
  return p.path + (p.what.line > 0 ? ", line " + std::to_string(p.what.line) : "") + ": " + p.what.text;
}

}  // namespace annals::mom
