// What is put in any order is the set that setting one by one makes.
#include "events/model/job/gathered_attributes.hpp"

#include <boost/test/unit_test.hpp>

#include <random>
#include <string>

using namespace annals;

namespace {

attributes::attribute_set with_defaults() {
  attributes::attribute_set set;
  for (const auto& [id, value] : model::queued_defaults) set.set(id, value);
  return set;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(gathered)

BOOST_AUTO_TEST_CASE(entries_in_any_order_make_what_setting_makes) {
  std::mt19937 chance(7);
  const std::string texts[] = {"", "mem", "ncpus", "walltime", "a value"};
  for (int round = 0; round < 200; ++round) {
    model::gathered_attributes all;
    auto set = with_defaults();
    for (auto n = chance() % 60; n > 0; --n) {
      const auto id = static_cast<attributes::attribute_id>(chance() % 40);
      const auto &resource = texts[chance() % 5], &value = texts[chance() % 5];
      set.set(id, resource, value);
      all.put(id, resource, value);
    }
    BOOST_TEST((all.pack() == set));
  }
}

BOOST_AUTO_TEST_CASE(the_last_one_put_counts) {
  model::gathered_attributes all;
  all.put(attributes::job::Priority, "1");
  all.put(attributes::job::Resource_List, "mem", "1gb");
  all.put(attributes::job::Resource_List, "cput", "5");
  all.put(attributes::job::Resource_List, "mem", "2gb");
  all.put(attributes::job::Priority, "2");
  auto set = with_defaults();
  set.set(attributes::job::Priority, "2");
  set.set(attributes::job::Resource_List, "cput", "5");
  set.set(attributes::job::Resource_List, "mem", "2gb");
  BOOST_TEST((all.pack() == set));
}

BOOST_AUTO_TEST_CASE(names_are_found_wherever_they_stand) {
  for (const bool other_way : {false, true, false}) {
    model::gathered_attributes all;
    const char* names[] = {"Account_Name", "no_such_attribute", "priority"};
    for (std::size_t n = 0; n < 3; ++n) all.put(n, names[other_way ? 2 - n : n], "", "7");
    auto set = with_defaults();
    set.set(attributes::job::Account_Name, "7");
    set.set(attributes::job::Priority, "7");
    BOOST_TEST((all.pack() == set));
  }
}

BOOST_AUTO_TEST_SUITE_END()
