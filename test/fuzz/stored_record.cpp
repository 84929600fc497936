// Stored events: whatever bytes a disk gives back, decode() answers with a record or with what is wrong with them. The
// checksum is made to fit as well, so that the decoder behind it is reached.
#include <capnp/pretty-print.h>

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <span>
#include <vector>

#include "events/log/checksum.hpp"
#include "events/log/record.hpp"

using namespace annals;

static void use(std::span<const std::byte> bytes) {
  const auto decoded = log::decode(bytes);
  const auto* record = std::get_if<log::record_ptr>(&decoded);
  if (!record) {
    if (std::get<log::damage>(decoded).text.empty()) std::abort();  // damage always says what it is
    return;
  }
  if ((*record)->hash() != log::sha256(bytes.subspan(8))) std::abort();
  try {
    (void)capnp::prettyPrint((*record)->get()).flatten();  // reads every field there is
  } catch (const kj::Exception&) {
    // A field of the wrong shape shows when it is read.
  }
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::vector<std::byte> bytes(size);
  if (size > 0) std::memcpy(bytes.data(), data, size);
  use(bytes);
  if (size < 8) return 0;
  bytes.resize(size / 8 * 8);  // a message of whole words: anything else is refused at once
  const auto crc = log::crc32c(log::byte_view(bytes).subspan(4));
  std::memcpy(bytes.data(), &crc, sizeof crc);
  use(bytes);
  return 0;
}
