// DISPLAY, what xauth prints, and what an X program says first.
#include <boost/test/unit_test.hpp>

#include "events/model/run/terminal_limits.hpp"
#include "tools/terminal/display_name.hpp"
#include "tools/terminal/x_setup.hpp"

using namespace annals;
using namespace annals::terminal;

namespace {

std::string named(std::string_view text) {
  const auto d = parse_display(text);
  return d ? d->host + '|' + std::to_string(d->number) + '|' + d->authority() : "no";
}

const std::string made(16, 'm'), real(16, 'r');

// What Xlib says, in the byte order of a host.
std::string setup(char order, const std::string& kind, const std::string& cookie) {
  const auto number = [&](std::size_t n) {
    const char low = static_cast<char>(n % 256), high = static_cast<char>(n / 256);
    return order == 'l' ? std::string{low, high} : std::string{high, low};
  };
  const auto filled = [](std::string text) { return text.append((4 - text.size() % 4) % 4, '\0'); };
  return std::string{order, '\0'} + number(11) + number(0) + number(kind.size()) + number(cookie.size()) + number(0) + filled(kind) +
         filled(cookie);
}
std::string good(char order, const std::string& cookie) { return setup(order, std::string(x_cookie_kind), cookie); }

}  // namespace

BOOST_AUTO_TEST_SUITE(x_words)

BOOST_AUTO_TEST_CASE(a_display_has_a_host_and_a_number) {
  BOOST_TEST(named(":0") == "|0|unix:0");
  BOOST_TEST(named("unix:1.0") == "|1|unix:1");
  BOOST_TEST(named("localhost:10.0") == "localhost|10|unix:10");
  BOOST_TEST(named("desk.site:2") == "desk.site|2|desk.site:2");
  BOOST_TEST(named("[::1]:3.1") == "::1|3|::1:3");
  BOOST_TEST(named(":59535") == "|59535|unix:59535");
  for (const char* text : {"", "0", ":", ":x", ":0.", ":0.x", ":59536", ":123456", "host::0", "a b:0", "-b:0", ":-1", ":0 0"})
    BOOST_TEST(named(text) == "no", text);
}

BOOST_AUTO_TEST_CASE(a_cookie_is_found_in_the_list) {
  const std::string line = "desk/unix:0  MIT-MAGIC-COOKIE-1  00ff10AB\n";
  BOOST_TEST(hexadecimal(*cookie_in(line)) == "00ff10ab");
  BOOST_TEST(hexadecimal(*cookie_in("desk:0  XDM-AUTHORIZATION-1  11\n" + line)) == "00ff10ab");
  for (const char* text :
       {"", "\n\n", "desk:0", "desk:0 MIT-MAGIC-COOKIE-1", "desk:0 MIT-MAGIC-COOKIE-1 abc", "desk:0 MIT-MAGIC-COOKIE-1 zz"})
    BOOST_TEST(!cookie_in(text), text);
  const std::string most(2 * limits::display_cookie_bytes, 'a');
  BOOST_TEST(cookie_in("d MIT-MAGIC-COOKIE-1 " + most).has_value());
  BOOST_TEST(!cookie_in("d MIT-MAGIC-COOKIE-1 " + most + "aa"));
}

BOOST_AUTO_TEST_CASE(who_shows_the_made_cookie_gets_the_real_one_in_its_place) {
  for (const char order : {'l', 'B'}) {
    x_setup whole(made, real);
    BOOST_TEST(whole.pass(good(order, made) + "more") == good(order, real) + "more");
    BOOST_TEST(whole.pass("and more") == "and more");
    x_setup bytewise(made, real);
    std::string out;
    for (const char c : good(order, made) + "more") out += bytewise.pass({&c, 1});
    BOOST_TEST(out == good(order, real) + "more");
    x_setup open(made, "");
    BOOST_TEST(open.pass(good(order, made)) == setup(order, "", ""));
  }
}

BOOST_AUTO_TEST_CASE(who_shows_another_one_is_refused) {
  for (const auto& said :
       {good('l', real), good('l', ""), good('l', made.substr(1)), setup('l', "", ""), setup('l', "MIT-MAGIC-COOKIE-2", made),
        good('x', made), setup('l', std::string(limits::display_cookie_bytes + 1, 'a'), made).substr(0, 12)}) {
    x_setup s(made, real);
    BOOST_TEST(s.pass(said) == "");
    BOOST_TEST(s.is_refused());
    BOOST_TEST(s.pass(good('l', made)) == "");
  }
}

BOOST_AUTO_TEST_SUITE_END()
