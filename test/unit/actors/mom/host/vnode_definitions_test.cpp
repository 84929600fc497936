// Vnode definition files. The cases V4 to V14 are those of the transcript vnode_definitions.
#include "actors/mom/host/vnode_definitions.hpp"

#include <boost/test/unit_test.hpp>

#include "events/model/host/host_limits.hpp"

using namespace annals;
using namespace annals::mom;

namespace {

// "vm[0]{resources_available.ncpus=2 sharing=default_excl}", a vnode each
std::string shown(const defined_vnodes& vnodes) {
  std::string text;
  for (const auto& v : vnodes.all()) {
    text += (text.empty() ? "" : " ") + v.name + "{";
    for (const auto& [what, value] : v.attributes)
      text += (text.back() == '{' ? "" : " ") + what.first + (what.second.empty() ? "" : ".") + what.second + "=" + value;
    text += "}";
  }
  return text;
}

defined_vnodes defined(const std::string& lines) { return parse_vnode_definitions("$configversion 2\n" + lines).vnodes; }

// What is wrong with the line after "$configversion 2".
std::string why(const std::string& line) {
  const auto parsed = parse_vnode_definitions("$configversion 2\n" + line + "\n");
  if (parsed.errors.empty()) return {};
  BOOST_TEST(parsed.errors.front().line == 2u);
  return parsed.errors.front().text;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(vnode_definitions)

BOOST_AUTO_TEST_CASE(vnodes_and_their_attributes_are_read) {  // V4
  const auto parsed = parse_vnode_definitions(
      "$configversion 2\nvm: resources_available.ncpus = 0\nvm: resources_available.mem = 0\n"
      "vm[0]: resources_available.ncpus = 2\nvm[0]: sharing = default_excl\r\n\nvm[1] : resources_available.foo=a,b = c\n");
  BOOST_TEST(parsed.errors.empty());
  BOOST_TEST(shown(parsed.vnodes) ==
             "vm{resources_available.mem=0 resources_available.ncpus=0} vm[0]{resources_available.ncpus=2 sharing=default_excl} "
             "vm[1]{resources_available.foo=a,b = c}");
}

BOOST_AUTO_TEST_CASE(attributes_are_known_in_any_case_of_letters) {
  BOOST_TEST(shown(defined("a: Sharing = force_excl\na: sharing = ignore_excl\n")) == "a{sharing=ignore_excl}");
}

BOOST_AUTO_TEST_CASE(a_line_that_can_not_be_read_is_named) {  // V14
  BOOST_TEST(why("this is nonsense") == "missing ':'");
  BOOST_TEST(why("vm[0]: resources_available.ncpus 4") == "missing '='");
  BOOST_TEST(why("vm[0] : resources_available.ncpus=4") == "");
  BOOST_TEST(why("# comment") == "missing ':'");
  BOOST_TEST(why(": a = 1") == "missing name of a vnode");
  BOOST_TEST(why("a: = 1") == "missing name of an attribute");
  BOOST_TEST(why("a: .ncpus = 1") == "missing name of an attribute");
  BOOST_TEST(why("a: resources_available. = 1") == "missing name of a resource");
  BOOST_TEST(why("a: no attribute = 1") == "bad name of an attribute");
  BOOST_TEST(why("a: sharing =") == "missing value");
  BOOST_TEST(why("a b: sharing = 1") == "bad name of a vnode");
  BOOST_TEST(why("a: comment = x\x01") == "a control character");
  BOOST_TEST(why(std::string(limits::vnode_name_chars_max, 'a') + ": sharing = ignore_excl") == "");
  BOOST_TEST(why(std::string(limits::vnode_name_chars_max + 1, 'a') + ": sharing = ignore_excl") == "bad name of a vnode");
}

BOOST_AUTO_TEST_CASE(every_line_that_can_not_be_read_is_named) {
  const auto parsed = parse_vnode_definitions("$configversion 2\nx\na: sharing = ignore_excl\ny: z\n");
  BOOST_TEST((parsed.errors == std::vector<definition_problem>{{2, "missing ':'"}, {4, "missing '='"}}));
}

BOOST_AUTO_TEST_CASE(only_version_2_defines_vnodes) {  // V14: b1, b2, b9
  auto parsed = parse_vnode_definitions("vm: resources_available.ncpus = 1\n");
  BOOST_TEST(parsed.errors.empty());
  BOOST_TEST(parsed.vnodes.all().empty());
  BOOST_TEST(parsed.without_effect.value().line == 1u);
  parsed = parse_vnode_definitions("# of a site\n$configversion 3\nvm: resources_available.ncpus = 1\n");
  BOOST_TEST((parsed.other_version == definition_problem{2, "$configversion 3"}));
  BOOST_TEST(parsed.vnodes.all().empty());
  for (const char* empty : {"", "\n\n", "# nothing\n", "$configversion 2"}) {
    parsed = parse_vnode_definitions(empty);
    BOOST_TEST(parsed.errors.empty());
    BOOST_TEST((!parsed.without_effect && !parsed.other_version));
  }
}

BOOST_AUTO_TEST_CASE(what_is_added_wins_and_nothing_goes) {  // V9, after HUP
  auto vnodes = defined("vm: resources_available.mem = 0\nvm[0]: resources_available.ncpus = 2\nvm[0]: sharing = default_excl\n");
  vnodes.add(defined("vm[0]: resources_available.ncpus = 5\nvm[1]: resources_available.ncpus = 3\n"));
  BOOST_TEST(shown(vnodes) ==
             "vm{resources_available.mem=0} vm[0]{resources_available.ncpus=5 sharing=default_excl} vm[1]{resources_available.ncpus=3}");
  BOOST_TEST(vnodes.attribute_count() == 4u);
}

BOOST_AUTO_TEST_CASE(exclhost_is_of_all_vnodes_or_of_none) {  // V14: x1, x2; V14b
  const std::string text =
      "It is erroneous to mix sharing=force_exclhost for vnode vm[0] with sharing=<unset> which is set for other vnodes on host vm";
  BOOST_TEST(mixed_exclhost("vm", defined("vm[0]: sharing = force_exclhost\nvm[1]: sharing = force_excl\n")) == text);
  BOOST_TEST(mixed_exclhost(
                 "vm", defined("vm[0]: sharing = default_exclhost\nvm[1]: sharing = default_exclhost\nvm: sharing = default_exclhost\n")) ==
             "");
  BOOST_TEST(mixed_exclhost("vm", defined("vm[0]: sharing = default_excl\nvm[1]: sharing = force_excl\n")) == "");
  BOOST_TEST(mixed_exclhost("vm", defined("vm: sharing = force_exclhost\nvm[0]: resources_available.ncpus = 1\n")) != "");
}

BOOST_AUTO_TEST_CASE(what_the_server_will_leave_out_is_named) {  // V14: b0, b4 to b7
  const auto of = [](const std::string& lines) {
    std::string text;
    for (const auto& d : doubtful(defined(lines))) text += d.vnode + " " + d.attribute + ": " + d.why + "\n";
    return text;
  };
  BOOST_TEST(of("a: Priority = 7\na: resources_available.ncpus = 2\na: resources_available.of_the_site = 3\na: sharing = ignore_excl\n") ==
             "");
  BOOST_TEST(of("a: nosuchattr = 1\n").starts_with("a nosuchattr: Undefined attribute "));
  BOOST_TEST(of("a: resources_available.ncpus = abc\n").starts_with("a resources_available.ncpus: Illegal attribute or resource value"));
  BOOST_TEST(of("a: sharing = maybe\n").starts_with("a sharing: Illegal value for node"));
  BOOST_TEST(of("a: pcpus = 4\n").starts_with("a pcpus: "));
  BOOST_TEST(of("a: state = offline\n").starts_with("a state: "));
}

BOOST_AUTO_TEST_SUITE_END()
