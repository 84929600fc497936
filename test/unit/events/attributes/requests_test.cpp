// What a real PBS made of -l requests (data/requests.txt), against complete_request() and within_limits().
#include <boost/test/unit_test.hpp>
#include <fstream>
#include <string>
#include <vector>

#include "events/attributes/check.hpp"
#include "events/attributes/select_rules.hpp"
#include "test/support/paths.hpp"

using namespace annals;
using attributes::request_defaults;
using values::resource_list;

namespace {

struct expectation {
  std::string title;
  resource_list asked;
  resource_list resources;
  std::string schedselect;  // empty: the transcript does not show it
  int exit = 0;
  std::string refusal;
};

struct site {
  request_defaults defaults;
  attributes::resource_catalogue resources;

  resource_list* list(std::string_view owner, std::string_view name) {
    const bool queue = owner == "queue";
    if (name == "resources_default") return queue ? &defaults.queue_default : &defaults.server_default;
    if (name == "default_chunk") return queue ? &defaults.queue_chunk : &defaults.server_chunk;
    if (name == "resources_max") return queue ? &defaults.queue_max : &defaults.server_max;
    return queue ? &defaults.queue_min : &defaults.server_min;
  }

  // "server default_chunk.mem=1gb", "queue -resources_default"
  void change(const std::string& owner, const std::string& what) {
    if (what.front() == '-') {
      list(owner, what.substr(1))->clear();
      return;
    }
    const auto dot = what.find('.'), equals = what.find('=');
    const std::string name = what.substr(dot + 1, equals - dot - 1);
    const auto* r = resources.find(name);
    BOOST_REQUIRE(r);
    (*list(owner, what.substr(0, dot)))[name] = attributes::canonical(*r, what.substr(equals + 1)).value();
  }
};

void verify(const expectation& e, const site& at) {
  BOOST_TEST_CONTEXT(e.title) {
    auto done = attributes::complete_request(e.asked, at.defaults, at.resources, schema::Role::USER);
    std::optional<values::refusal> why;
    if (!done)
      why = done.error();
    else
      why = attributes::within_limits(done->resources, at.defaults, at.resources);
    if (!e.refusal.empty()) {
      BOOST_REQUIRE_MESSAGE(why, "accepted, expected: " + e.refusal);
      BOOST_TEST(why->text == e.refusal);
      BOOST_TEST(values::exit_code_of(why->code) == e.exit);
      return;
    }
    BOOST_REQUIRE_MESSAGE(!why, "refused: " + why->text);
    BOOST_TEST(values::print(done->resources) == values::print(e.resources));
    if (!e.schedselect.empty()) BOOST_TEST(done->schedselect == e.schedselect);
  }
}

bool take(std::string& line, std::string_view prefix) {
  if (line.compare(0, prefix.size(), prefix) != 0) return false;
  line.erase(0, prefix.size());
  return true;
}

// Reads the lines of one case up to the empty line.
expectation read_case(std::string title, std::istream& in) {
  expectation e{std::move(title), {}, {}, {}, 0, {}};
  for (std::string line; std::getline(in, line) && !line.empty();) {
    if (take(line, "-l ")) {
      const auto given = values::parse_resource_list(line);
      BOOST_REQUIRE(given);
      for (const auto& [name, value] : *given) e.asked[name] = value;
    } else if (take(line, "refused ")) {
      e.exit = std::stoi(line);
      e.refusal = line.substr(line.find(' ') + 1);
    } else if (take(line, "schedselect = ")) {
      e.schedselect = line;
    } else if (take(line, "Resource_List.")) {
      const auto equals = line.find(" = ");
      e.resources[line.substr(0, equals)] = line.substr(equals + 3);
    }
  }
  return e;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(requests)

BOOST_AUTO_TEST_CASE(every_recorded_request_ends_as_in_pbs) {
  std::ifstream in(annals::test::source_dir() + "/test/unit/events/attributes/data/requests.txt");
  BOOST_REQUIRE(in);
  site at;
  int cases = 0;
  for (std::string line; std::getline(in, line);) {
    if (take(line, "server "))
      at.change("server", line);
    else if (take(line, "queue "))
      at.change("queue", line);
    else if (take(line, "resource ")) {
      const auto first = line.find(' '), second = line.find(' ', first + 1);
      const std::string flags = line.substr(second + 1);
      const auto why = at.resources.create(line.substr(0, first), line.substr(first + 1, second - first - 1),
                                           flags == "-" ? "" : flags);
      BOOST_REQUIRE_MESSAGE(!why, line + ": " + (why ? why->text : ""));
    } else if (take(line, "case ")) {
      verify(read_case(line, in), at);
      ++cases;
    }
  }
  BOOST_TEST(cases == 266);
}

BOOST_AUTO_TEST_SUITE_END()
