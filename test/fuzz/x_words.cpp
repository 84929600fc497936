// What X programs and xauth say (docs/design/0059-interactive-jobs.md). Properties: it does not matter in which pieces it comes, and
// nothing goes on to the X server unless the session's cookie was shown.
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "tools/terminal/display_name.hpp"
#include "tools/terminal/x_setup.hpp"

using namespace annals::terminal;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  if (const auto d = parse_display(text); d && !parse_display(d->authority())) std::abort();
  if (const auto cookie = cookie_in(text); cookie && cookie_in("a MIT-MAGIC-COOKIE-1 " + hexadecimal(*cookie)) != cookie) std::abort();

  const std::string made(16, 'm'), real(16, 'r');
  x_setup whole(made, real), bytewise(made, real);
  const auto passed = whole.pass(text);
  std::string pieces;
  for (const char c : text) pieces += bytewise.pass({&c, 1});
  if (pieces != passed || whole.is_refused() != bytewise.is_refused()) std::abort();
  if (!passed.empty() && text.find(made) == text.npos) std::abort();
  return 0;
}
