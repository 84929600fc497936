// Signals as qsig and kill requests of hosts write them.
#include "events/values/signal_name.hpp"

#include <csignal>
#include <cstring>
#include <string>

#include "test/fuzz/round_trip.hpp"

using namespace annals;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto text = fuzz::text_of(data, size);
  const auto number = values::parse_signal(text);
  if (!number) return 0;
  fuzz::require(*number >= 0, "a number below 0", text);
  const char* name = *number < NSIG ? sigabbrev_np(*number) : nullptr;
  if (!name) return 0;
  fuzz::require(values::parse_signal(name) == number, "its name is another", text);
  fuzz::require(values::parse_signal(std::string("SIG") + name) == number, "its whole name is another", text);
  return 0;
}
