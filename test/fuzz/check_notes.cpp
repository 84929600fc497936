// The file of a log's verifications: any bytes are notes that print as they were read, or none. The checksum is put right,
// so that what stands before it is parsed.
#include "events/log/check_notes.hpp"

#include <cstdio>
#include <cstdlib>
#include <span>

#include "events/log/checksum.hpp"

using namespace annals::log;

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  std::string text(reinterpret_cast<const char*>(data), size);
  (void)parse_check_notes(text);
  char sum[16];
  std::snprintf(sum, sizeof sum, "%08x", crc32c(std::as_bytes(std::span(text))));
  if (const auto notes = parse_check_notes(text + "sum " + sum + "\n"))
    if (parse_check_notes(print(*notes)) != notes) std::abort();
  return 0;
}
