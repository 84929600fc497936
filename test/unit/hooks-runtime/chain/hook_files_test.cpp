// Hooks as files (golden: hooks.txt, "cat .../h1.HK"; docs/compatibility.md).
#include <boost/test/unit_test.hpp>

#include <sys/stat.h>

#include <filesystem>

#include "events/attributes/ids.hpp"
#include "events/attributes/table.hpp"
#include "hooks-runtime/chain/hook_files.hpp"
#include "test/support/temporary_directory.hpp"

using namespace annals;
using namespace annals::hooks;
namespace ids = attributes::hook;

namespace {

attributes::attribute_set defaults() {
  attributes::attribute_set all;
  for (const auto& row : attributes::table_of(schema::ObjectKind::HOOK)) all.set(row.id, row.default_value);
  return all;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(hook_files)

BOOST_AUTO_TEST_CASE(only_what_is_no_default_is_written) {
  auto settings = defaults();
  BOOST_TEST(settings_text("h", settings) == "hook_name=h\n");
  settings.set(ids::event, "queuejob,modifyjob");
  settings.set(ids::order, "5");
  BOOST_TEST(settings_text("h1", settings) == "hook_name=h1\nevent=queuejob,modifyjob\norder=5\n");
}

BOOST_AUTO_TEST_CASE(settings_come_back) {
  auto settings = defaults();
  settings.set(ids::event, "execjob_begin");
  settings.set(ids::enabled, "false");
  const auto read = parse_settings(settings_text("h", settings));
  BOOST_REQUIRE(read.has_value());
  BOOST_TEST(read->name == "h");
  BOOST_TEST((read->settings == settings));
  BOOST_TEST(!parse_settings("order=5\n").has_value());
  BOOST_TEST(parse_settings("hook_name=h\nnonsense\nno_such=1\n").has_value());
}

BOOST_AUTO_TEST_CASE(the_resources_of_the_site_come_back) {
  attributes::resource_catalogue site;
  BOOST_REQUIRE(!site.create("foo_i", "long", "h") && !site.create("foo_str", "string", "") && !site.create("watts", "float", "hn"));
  const auto text = hooks::resources_text(site);
  BOOST_TEST(text == "foo_i type=long flag=h\nfoo_str type=string\nwatts type=float flag=hn\n");
  BOOST_TEST((hooks::parse_resources(text) == site));
  const auto odd = hooks::parse_resources("\n=\n a type=long\nb type=what\nncpus type=long\nc type=size flag=zz\nd type=size");
  BOOST_TEST(odd.custom().size() == 1u);
  BOOST_TEST((odd.find("d") != nullptr));
}

BOOST_AUTO_TEST_CASE(a_file_is_written_when_it_differs) {
  const test::temporary_directory d;
  const hook_directory files(d.path, 0700);
  std::string problem;
  BOOST_TEST(files.write("h.PY", "pass\n", problem));
  BOOST_TEST(!files.write("h.PY", "pass\n", problem));
  BOOST_TEST(files.read("h.PY").value_or("") == "pass\n");
  struct stat s {};
  BOOST_TEST(::stat((d.path + "/h.PY").c_str(), &s) == 0);
  BOOST_TEST((s.st_mode & 0777) == 0700u);
  BOOST_TEST(files.write("h.HK", "hook_name=h\n", problem));
  BOOST_TEST(files.hooks().size() == 1u);
  BOOST_TEST(files.write("h.PY", "", problem));
  BOOST_TEST(!files.read("h.PY").has_value());
  files.remove("h");
  BOOST_TEST(files.hooks().empty());
  BOOST_TEST(problem == "");
  BOOST_TEST(!hook_directory(d.path + "/none", 0700).write("h.PY", "pass\n", problem));
  BOOST_TEST(problem != "");
}

BOOST_AUTO_TEST_SUITE_END()
