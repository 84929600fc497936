// The packed attribute list.
#include <boost/test/unit_test.hpp>
#include <map>
#include <random>
#include <vector>

#include "events/attributes/attribute_set.hpp"
#include "events/attributes/resources.hpp"
#include "events/values/stored_state.hpp"

using namespace annals::attributes;

BOOST_AUTO_TEST_SUITE(attribute_sets)

BOOST_AUTO_TEST_CASE(what_was_set_is_found) {
  attribute_set b;
  BOOST_TEST(b.empty());
  b.set(20, "x");
  b.set(10, "ncpus", "2");
  b.set(10, "mem", "1gb");
  BOOST_TEST(*b.get(20) == "x");
  BOOST_TEST(*b.get(10, "ncpus") == "2");
  BOOST_TEST(!b.get(10));
  BOOST_TEST(b.has(10));
  BOOST_TEST(!b.has(15));
  b.set(20, "longer");
  BOOST_TEST(*b.get(20) == "longer");
}

BOOST_AUTO_TEST_CASE(entries_come_by_id_then_by_resource) {
  attribute_set b;
  b.set(30, "z");
  b.set(10, "ncpus", "2");
  b.set(10, "mem", "");
  std::vector<std::string> seen;
  for (const entry& e : b)
    seen.push_back(std::to_string(e.id) + "." + std::string(e.resource) + "=" + std::string(e.value));
  BOOST_TEST((seen == std::vector<std::string>{"10.mem=", "10.ncpus=2", "30.=z"}));
}

BOOST_AUTO_TEST_CASE(erasing_takes_away_one_or_all) {
  attribute_set b;
  b.set(10, "a", "1");
  b.set(10, "b", "2");
  b.set(20, "x");
  BOOST_TEST(b.erase(10, "a"));
  BOOST_TEST(!b.erase(10, "a"));
  b.erase_all(10);
  BOOST_TEST(!b.has(10));
  b.set(UINT16_MAX, "last");
  b.erase_all(UINT16_MAX);
  BOOST_TEST(!b.has(UINT16_MAX));
  BOOST_TEST(b.erase(20));
  BOOST_TEST(b.empty());
  BOOST_TEST((b == attribute_set()));
}

BOOST_AUTO_TEST_CASE(changing_a_copy_leaves_the_original) {
  attribute_set a;
  a.set(10, "one");
  attribute_set b = a;
  b.set(10, "two");
  BOOST_TEST(*a.get(10) == "one");
  BOOST_TEST(*b.get(10) == "two");
}

BOOST_AUTO_TEST_CASE(copies_change_apart_however_they_change) {
  attribute_set a;
  for (attribute_id id = 10; id < 20; ++id) a.set(id, std::string(id, 'v'));
  const std::string before(a.packed());
  attribute_set longer = a, shorter = a, without = a, none = a;
  longer.set(15, std::string(1000, 'w'));
  shorter.set(15, "");
  BOOST_TEST(without.erase(15));
  for (attribute_id id = 10; id < 20; ++id) none.erase_all(id);
  BOOST_TEST(a.packed() == before);
  BOOST_TEST(longer.get(15)->size() == 1000u);
  BOOST_TEST(shorter.get(15)->empty());
  BOOST_TEST(!without.get(15));
  BOOST_TEST(none.empty());
  for (const auto* changed : {&longer, &shorter, &without})
    BOOST_TEST((*changed->get(14) == std::string(14, 'v') && *changed->get(19) == std::string(19, 'v')));
  none.set(10, "again");
  BOOST_TEST(*none.get(10) == "again");
}

BOOST_AUTO_TEST_CASE(a_set_that_was_moved_away_is_empty) {
  attribute_set a;
  a.set(10, "one");
  const attribute_set b = std::move(a);
  BOOST_TEST(a.empty());
  BOOST_TEST(a.packed().empty());
  a.set(20, "two");
  BOOST_TEST(*a.get(20) == "two");
  BOOST_TEST(*b.get(10) == "one");
}

BOOST_AUTO_TEST_CASE(a_value_may_come_from_the_bag_itself) {
  attribute_set b;
  b.set(10, "text");
  b.set(20, *b.get(10));
  b.set(5, *b.get(20));
  BOOST_TEST(*b.get(5) == "text");
}

BOOST_AUTO_TEST_CASE(packed_bytes_come_back) {
  attribute_set b;
  b.set(10, "r", std::string(70000, 'v'));
  b.set(20, "x");
  const auto again = attribute_set::from_packed(b.packed());
  BOOST_REQUIRE(again);
  BOOST_TEST((*again == b));
  BOOST_TEST(attribute_set::from_packed("")->empty());
}

BOOST_AUTO_TEST_CASE(damaged_bytes_are_refused) {
  attribute_set b;
  b.set(10, "r", "value");
  b.set(20, "x");
  const std::string bytes(b.packed());
  for (std::size_t n = 1; n < bytes.size(); ++n) {
    const auto cut = attribute_set::from_packed(std::string_view(bytes).substr(0, n));
    if (cut) BOOST_TEST(n == 7u + 1 + 5);  // exactly the first entry
  }
  attribute_set_writer w;
  w.put(20, "x");
  w.put(10, "y");
  BOOST_TEST(!attribute_set::from_packed(w.take()));
  attribute_set_writer twice;
  twice.put(10, "x");
  twice.put(10, "y");
  BOOST_TEST(!attribute_set::from_packed(twice.take()));
}

BOOST_AUTO_TEST_CASE(the_writer_makes_what_setting_makes) {
  attribute_set b;
  attribute_set_writer w;
  for (std::uint16_t id = 10; id < 200; id = static_cast<std::uint16_t>(id + 10)) {
    b.set(id, "r", std::to_string(id));
    w.put(id, "r", std::to_string(id));
  }
  BOOST_TEST(b.packed() == w.take());
}

BOOST_AUTO_TEST_CASE(a_bag_behaves_like_a_map) {
  std::mt19937 random(7);
  attribute_set b;
  std::map<std::pair<attribute_id, std::string>, std::string> model;
  for (int step = 0; step < 4000; ++step) {
    const auto id = static_cast<attribute_id>(random() % 5);
    const std::string resource(random() % 3, static_cast<char>('a' + random() % 2));
    if (random() % 3 == 0) {
      BOOST_REQUIRE(b.erase(id, resource) == (model.erase({id, resource}) == 1));
    } else {
      const std::string value(random() % 20, 'v');
      b.set(id, resource, value);
      model[{id, resource}] = value;
    }
  }
  std::size_t seen = 0;
  for (const entry& e : b) {
    const auto at = model.find({e.id, std::string(e.resource)});
    BOOST_REQUIRE((at != model.end() && at->second == e.value));
    ++seen;
  }
  BOOST_TEST(seen == model.size());
  BOOST_TEST(attribute_set::from_packed(b.packed()).has_value());
}

BOOST_AUTO_TEST_CASE(a_set_is_stored_as_it_is_packed) {
  attribute_set set, back;
  set.set(10, "ncpus", "2");
  set.set(20, "x");
  annals::stored::writer to;
  to(set);
  annals::stored::restore_whole(to.written(), back);
  BOOST_TEST((back == set));
  annals::stored::writer none;
  none(attribute_set());
  annals::stored::restore_whole(none.written(), back);
  BOOST_TEST(back.empty());
  annals::stored::writer wrong;
  wrong.bytes(set.packed().substr(1));
  BOOST_CHECK_THROW(annals::stored::restore_whole(wrong.written(), back), annals::stored::state_unreadable);
}

BOOST_AUTO_TEST_CASE(a_catalogue_is_stored) {
  resource_catalogue some, back;
  BOOST_TEST(!some.create("lic", "long", "hn"));
  BOOST_TEST(!some.create("colour", "string", ""));
  annals::stored::writer to;
  to(some);
  annals::stored::restore_whole(to.written(), back);
  BOOST_TEST((back == some));
}

BOOST_AUTO_TEST_SUITE_END()
