#include "actors/replica/checkpoint.hpp"

#include <fcntl.h>
#include <link.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <system_error>

#include "events/log/checksum.hpp"

namespace annals::actors {

namespace {

constexpr std::string_view magic = "annals checkpoint 1\n";

std::uint32_t checksum(std::string_view bytes) { return log::crc32c(std::as_bytes(std::span(bytes.data(), bytes.size()))); }

void put_head(stored::writer& to, const checkpoint_head& h) { to(h.program, h.sequence, h.hash, h.made_ns); }
void get_head(stored::reader& from, checkpoint_head& h) { from(h.program, h.sequence, h.hash, h.made_ns); }

// The note that the linker leaves in a program.
int take_build_id(dl_phdr_info* info, std::size_t, void* id) {
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    const auto& part = info->dlpi_phdr[i];
    if (part.p_type != PT_NOTE) continue;
    const auto align = [](std::size_t n) { return (n + 3) & ~std::size_t{3}; };
    const auto* at = reinterpret_cast<const char*>(info->dlpi_addr + part.p_vaddr);
    for (const auto* const end = at + part.p_memsz; at + sizeof(ElfW(Nhdr)) <= end;) {
      ElfW(Nhdr) note;
      std::memcpy(&note, at, sizeof note);
      const auto* const content = at + sizeof note + align(note.n_namesz);
      if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == 4) static_cast<std::string*>(id)->assign(content, note.n_descsz);
      at = content + align(note.n_descsz);
    }
  }
  return 1;  // the first one is the program itself
}

class descriptor {
 public:
  explicit descriptor(int fd) : fd_(fd) {}
  ~descriptor() {
    if (fd_ >= 0) ::close(fd_);
  }
  descriptor(const descriptor&) = delete;
  descriptor& operator=(const descriptor&) = delete;
  int get() const { return fd_; }

 private:
  int fd_;
};

[[noreturn]] void fail(const std::string& what) { throw std::system_error(errno, std::generic_category(), what); }

void write_whole(int fd, std::string_view bytes, const std::string& file) {
  while (!bytes.empty()) {
    const auto n = ::write(fd, bytes.data(), bytes.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) fail(file);
    bytes.remove_prefix(static_cast<std::size_t>(n));
  }
}

void sync_directory_of(const std::string& file) {
  const auto directory = std::filesystem::path(file).parent_path().string();
  const descriptor d(::open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (d.get() < 0 || ::fsync(d.get()) != 0) fail(directory);
}

}  // namespace

std::string program_name() {
  std::string id;
  dl_iterate_phdr(take_build_id, &id);
  return id;
}

// The head, then each state under its name, then a checksum of all of it.
std::string write_checkpoint(const checkpoint_head& head, const replica::states& states) {
  stored::writer to;
  put_head(to, head);
  to.number(states.size());
  for (const auto& [name, state] : states) {
    to.bytes(name);
    to.bytes(state);
  }
  auto bytes = std::string(magic) + to.take();
  const auto sum = checksum(bytes);
  bytes.append(reinterpret_cast<const char*>(&sum), sizeof sum);
  return bytes;
}

std::variant<checkpoint, std::string> read_checkpoint(std::shared_ptr<const void> owner, std::string_view bytes) {
  std::uint32_t sum = 0;
  if (!bytes.starts_with(magic) || bytes.size() < magic.size() + sizeof sum) return std::string("it is no checkpoint of this format");
  std::memcpy(&sum, bytes.data() + bytes.size() - sizeof sum, sizeof sum);
  bytes.remove_suffix(sizeof sum);
  if (sum != checksum(bytes)) return std::string("its checksum is wrong");
  checkpoint c;
  c.owner_ = std::move(owner);
  try {
    stored::reader from(bytes.substr(magic.size()));
    get_head(from, c.head_);
    for (auto n = from.count(); n > 0; --n) {
      const auto name = from.bytes();
      c.states_.emplace_back(name, from.bytes());
    }
  } catch (const stored::state_unreadable& why) {
    return std::string(why.what());
  }
  return c;
}

std::optional<std::string_view> checkpoint::state_of(const std::string& fold) const {
  const auto at = std::find_if(states_.begin(), states_.end(), [&](const auto& s) { return s.first == fold; });
  return at == states_.end() ? std::nullopt : std::optional(at->second);
}

std::variant<checkpoint, std::string> open_checkpoint(const std::string& file) {
  const auto unreadable = [&] { return std::string(std::strerror(errno)); };
  const descriptor d(::open(file.c_str(), O_RDONLY | O_CLOEXEC));
  if (d.get() < 0) return errno == ENOENT ? std::string() : unreadable();
  struct stat about {};
  if (::fstat(d.get(), &about) != 0) return unreadable();
  const auto size = static_cast<std::size_t>(about.st_size);
  if (size == 0) return std::string("it is empty");
  void* const at = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE | MAP_POPULATE, d.get(), 0);
  if (at == MAP_FAILED) return unreadable();
  std::shared_ptr<const void> owner(at, [size](const void* p) { ::munmap(const_cast<void*>(p), size); });
  return read_checkpoint(std::move(owner), {static_cast<const char*>(at), size});
}

std::optional<checkpoint_head> read_checkpoint_head(const std::string& file) {
  const descriptor d(::open(file.c_str(), O_RDONLY | O_CLOEXEC));
  char begin[256];
  const auto n = d.get() < 0 ? -1 : ::read(d.get(), begin, sizeof begin);
  const std::string_view bytes(begin, n < 0 ? 0 : static_cast<std::size_t>(n));
  if (!bytes.starts_with(magic)) return std::nullopt;
  try {
    checkpoint_head head;
    stored::reader from(bytes.substr(magic.size()));
    get_head(from, head);
    return head;
  } catch (const stored::state_unreadable&) {
    return std::nullopt;
  }
}

std::string why_not_used(const checkpoint_head& head, const log::log_reader& of) {
  if (program_name().empty()) return "this program was built without a build id";
  if (head.program != program_name()) return "another program made it";
  if (head.sequence > of.records().last_sequence()) return "the log ends before it";
  bool same = false;
  const auto read = of.read(head.sequence, [&](const log::record_ptr& r) {
    same = r->sequence() == head.sequence && r->hash() == head.hash;
    return false;
  });
  if (!read) return read.text;
  return same ? "" : "it is of another log";
}

std::variant<checkpoint, std::string> usable_checkpoint(const std::string& file, const log::log_reader& of) {
  auto found = open_checkpoint(file);
  if (const auto* c = std::get_if<checkpoint>(&found))
    if (auto why = why_not_used(c->head(), of); !why.empty()) return why;
  return found;
}

// Removes the new file at once when the disk is full: the log needs the room more.
void keep_checkpoint(const std::string& file, const checkpoint_head& head, const replica::states& states) {
  const auto fresh = file + ".new";
  try {
    const descriptor d(::open(fresh.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600));
    if (d.get() < 0) fail(fresh);
    write_whole(d.get(), write_checkpoint(head, states), fresh);
    if (::fdatasync(d.get()) != 0) fail(fresh);
    if (::rename(fresh.c_str(), file.c_str()) != 0) fail(file);
  } catch (...) {
    ::unlink(fresh.c_str());
    throw;
  }
  sync_directory_of(file);
}

}  // namespace annals::actors
