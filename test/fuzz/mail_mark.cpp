// The mark of mail: any bytes are a mark that prints as it was read, or none.
#include "projections/mail/mail_spool.hpp"

#include <cstdlib>
#include <string_view>

using namespace annals::projections;

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  if (const auto mark = newest_mail_mark(bytes); mark.generation > 0)
    if (newest_mail_mark(print(mark)) != mark) std::abort();
  return 0;
}
