#include "events/schema/packed.hpp"

#include <boost/test/unit_test.hpp>

#include <algorithm>

#include "events/schema/common.capnp.h"

using namespace annals;

namespace {
schema::sealed<schema::HookRun> a_run(const std::string& message) {
  return schema::make<schema::HookRun>([&](schema::HookRun::Builder b) {
    b.setHook("h");
    b.setMessage(message);
  });
}
schema::byte_span bytes_of(const std::string& s) { return std::as_bytes(std::span(s)); }
constexpr std::size_t plenty = 1 << 20;
}  // namespace

BOOST_AUTO_TEST_SUITE(packed_messages)

BOOST_AUTO_TEST_CASE(what_is_packed_comes_back_and_is_smaller) {
  for (const std::size_t length : {0u, 1u, 100u, 20'000u}) {
    const auto run = a_run(std::string(length, 'x'));
    const auto packed = schema::packed(run);
    if (length < 1000) BOOST_TEST(packed.size() < run.bytes().size());
    const auto back = schema::unpacked(bytes_of(packed), plenty);
    BOOST_REQUIRE(back);
    BOOST_TEST(std::ranges::equal(back->bytes(), run.bytes()));
  }
}

BOOST_AUTO_TEST_CASE(what_is_cut_off_or_too_large_is_refused) {
  const auto packed = schema::packed(a_run(std::string(20'000, 'x')));
  BOOST_TEST(!schema::unpacked(bytes_of(packed), 10'000).has_value());
  for (std::size_t n = 0; n < packed.size(); n += 97) BOOST_TEST(!schema::unpacked(bytes_of(packed.substr(0, n)), plenty).has_value());
}

BOOST_AUTO_TEST_SUITE_END()
