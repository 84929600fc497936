// Optional values that few objects have.
#include "events/values/rare.hpp"

#include <boost/test/unit_test.hpp>
#include <optional>
#include <string>
#include <utility>

#include "events/values/stored_state.hpp"

using annals::values::rare;

BOOST_AUTO_TEST_SUITE(rare_values)

BOOST_AUTO_TEST_CASE(most_have_none) {
  rare<std::string> r;
  BOOST_TEST(!r);
  BOOST_TEST(!r.has_value());
  BOOST_TEST((r == rare<std::string>()));
  BOOST_TEST(r.emplace().empty());
  BOOST_TEST(r.has_value());
  BOOST_TEST(!(r == rare<std::string>()));  // an empty text is a value
  BOOST_TEST(sizeof r == sizeof(void*));
}

BOOST_AUTO_TEST_CASE(a_copy_has_its_own) {
  const rare<std::string> one = std::string("n1");
  auto other = one;
  BOOST_TEST((other == one));
  *other += "+n2";
  BOOST_TEST(*one == "n1");
  BOOST_TEST(other->size() == 5u);
  other = one;
  BOOST_TEST((other == one));
  auto& same = other;
  other = same;
  BOOST_TEST(*other == "n1");
  other = rare<std::string>();
  BOOST_TEST(!other);
}

BOOST_AUTO_TEST_CASE(what_was_moved_is_gone) {
  rare<std::string> one = std::string("n1");
  const auto other = std::move(one);
  BOOST_TEST(!one);
  BOOST_TEST(*other == "n1");
}

BOOST_AUTO_TEST_CASE(it_is_stored_as_an_optional_is) {
  for (const auto& value : {std::optional<std::string>(), std::optional<std::string>("n1")}) {
    annals::stored::writer plain, to;
    plain(value);
    rare<std::string> r, back = std::string("before");
    if (value) r = *value;
    to(r);
    BOOST_TEST(to.written() == plain.written());
    annals::stored::restore_whole(to.written(), back);
    BOOST_TEST((back == r));
  }
}

BOOST_AUTO_TEST_SUITE_END()
