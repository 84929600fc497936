#include "events/log/blob_upload.hpp"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <vector>

#include "events/log/checksum.hpp"
#include "events/log/unnamed_file.hpp"
#include "events/model/limits.hpp"
#include "events/model/outcome.hpp"

namespace annals::log {
namespace {

ports::store_status failure(const std::string& doing) {
  const auto error = errno == ENOSPC || errno == EDQUOT ? ports::store_error::disk_full : ports::store_error::io;
  return {error, "upload of a blob: " + doing + ": " + std::strerror(errno)};
}

}  // namespace

struct blob_upload::state {
  std::string directory;
  int fd = -1;  // opened by the first piece
  std::uint64_t size = 0;
  sha256_stream hash;
  std::string digest;  // once it was asked for: nothing is added then
  ports::store_status failed;

  ~state() {
    if (fd >= 0) ::close(fd);
  }
  ports::store_status write(ports::byte_span piece) {
    if (fd < 0) fd = open_unnamed(directory);
    if (fd < 0) return failure("making a temporary file in " + directory);
    while (!piece.empty()) {
      const auto n = ::write(fd, piece.data(), piece.size());
      if (n < 0 && errno == EINTR) continue;
      if (n < 0) return failure("writing");
      piece = piece.subspan(static_cast<std::size_t>(n));
    }
    return {};
  }
  ports::store_status read(std::uint64_t at, std::vector<std::byte>& out) const {
    for (std::size_t got = 0; got < out.size();) {
      const auto n = ::pread(fd, out.data() + got, out.size() - got, static_cast<off_t>(at + got));
      if (n < 0 && errno == EINTR) continue;
      if (n <= 0) return failure("reading back");
      got += static_cast<std::size_t>(n);
    }
    return {};
  }
};

blob_upload::blob_upload(const std::string& directory) : state_(std::make_unique<state>()) {
  state_->directory = directory;
}
blob_upload::~blob_upload() = default;
std::uint64_t blob_upload::size() const { return state_->size; }

ports::store_status blob_upload::add(ports::byte_span piece) {
  auto& s = *state_;
  if (!s.failed) return s.failed;
  ANNALS_INVARIANT(s.digest.empty(), "nothing is added to a finished upload");
  if (s.size + piece.size() > limits::blob_bytes_max) {
    s.failed = {ports::store_error::io,
                "upload of a blob: larger than " + std::to_string(limits::blob_bytes_max) + " bytes (blob_bytes_max)"};
  } else {
    s.failed = s.write(piece);
    s.size += piece.size();
    s.hash.add(piece);
  }
  return s.failed;
}

const std::string& blob_upload::hash() {
  auto& s = *state_;
  if (s.digest.empty()) {
    const auto digest = s.hash.finish();
    s.digest.assign(reinterpret_cast<const char*>(digest.data()), digest.size());
  }
  return s.digest;
}

ports::store_status blob_upload::finish(ports::blob_store& store) {
  auto& s = *state_;
  if (!s.failed) return s.failed;
  if (const auto there = store.check_blob(hash()); there && *there) return {};  // somebody else's script is the same
  std::uint32_t number = 0;
  std::vector<std::byte> piece;
  for (std::uint64_t at = 0; at < s.size || number == 0; at += piece.size(), ++number) {
    piece.resize(std::min<std::uint64_t>(limits::blob_piece_bytes, s.size - at));
    if (auto ok = s.read(at, piece); !ok) return ok;
    if (auto ok = store.put_blob_piece(hash(), number, piece); !ok) return ok;
  }
  return store.finish_blob(hash(), number);
}

}  // namespace annals::log
