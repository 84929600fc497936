// A slot of the accounting checkpoint: any bytes are a mark that prints as it was read, or none.
#include "projections/accounting/checkpoint_mark.hpp"

#include <cstdlib>

using namespace annals::projections;

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  if (const auto mark = parse_checkpoint_slot(bytes))
    if (parse_checkpoint_slot(print(*mark)) != mark) std::abort();
  return 0;
}
