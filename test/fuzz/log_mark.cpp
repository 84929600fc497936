// The mark of a log, beside it and as a MoM tells it: any bytes are a mark that prints as it was read, or none.
#include "events/log/log_mark.hpp"

#include <cstdlib>

using namespace annals::log;

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  if (const auto mark = parse_log_mark(bytes))
    if (print(*mark) != bytes) std::abort();
  return 0;
}
