// What a run used: the limits it may exceed, and when its usage is worth telling.
#include <boost/test/unit_test.hpp>

#include "events/model/limits.hpp"
#include "events/model/run/run.hpp"
#include "events/schema/sister.capnp.h"
#include "test/support/model_builders.hpp"

using namespace annals;
using namespace annals::test;

namespace {

bool worth_reporting(const ports::run_usage& now, const ports::run_usage& told, std::int64_t since_told_s, std::int64_t interval_s) {
  return model::worth_reporting(model::measured_usage(now), model::measured_usage(told), since_told_s, interval_s);
}

// "cput=00:00:01 mem=2kb".
std::string text_of(const model::usage_set& usage) {
  std::string text;
  for (const auto& used : usage) text += (text.empty() ? "" : " ") + std::string(used.resource) + "=" + std::string(used.value);
  return text;
}

model::usage_set used(std::initializer_list<std::pair<const char*, const char*>> values) {
  model::usage_set usage;
  for (const auto& [resource, value] : values) usage.set(resource, value);
  return usage;
}

attributes::resource_catalogue site_resources() {
  attributes::resource_catalogue c;
  BOOST_REQUIRE(!c.create("licenses", "long", "h"));
  BOOST_REQUIRE(!c.create("joule", "float", "h"));
  BOOST_REQUIRE(!c.create("scratch", "size", "h"));
  BOOST_REQUIRE(!c.create("fabric", "string", "h"));
  BOOST_REQUIRE(!c.create("ecc", "boolean", "h"));
  return c;
}

schema::sealed<schema::ToMom> order_with(const given_values& s) {
  return schema::make<schema::ToMom>(
      [&](schema::ToMom::Builder m) { fill(m.initStartRun().initAttributes(static_cast<unsigned>(s.size())), s); });
}

}  // namespace

BOOST_AUTO_TEST_SUITE(usage)

BOOST_AUTO_TEST_CASE(a_primary_that_lost_count_gets_what_the_others_do_not_tell) {
  const auto resources = site_resources();
  std::vector<model::host_usage> hosts = {{"n1", used({{"cput", "00:00:00"}, {"mem", "0kb"}, {"walltime", "00:00:00"}, {"joule", "7"}})},
                                          {"n2", used({{"cput", "00:01:00"}, {"mem", "500kb"}})}};
  model::raise_primary(hosts, used({{"cput", "00:03:00"}, {"mem", "400kb"}, {"walltime", "00:02:00"}}), resources);
  BOOST_TEST(text_of(hosts[0].usage) == "cput=00:02:00 joule=7 mem=0kb walltime=00:02:00");
  BOOST_TEST(text_of(hosts[1].usage) == "cput=00:01:00 mem=500kb");
  BOOST_TEST(text_of(model::job_total(hosts, resources)) == "cput=00:03:00 joule=7 mem=500kb walltime=00:02:00");

  const auto known = used({{"cpupercent", "95"}});
  std::vector<model::host_usage> measured = {{"n1", used({{"cpupercent", "50"}})}}, lost = {{"n1", used({{"cpupercent", "0"}})}};
  model::raise_primary(measured, known, resources);
  model::raise_primary(lost, known, resources);
  BOOST_TEST(text_of(measured[0].usage) == "cpupercent=50");
  BOOST_TEST(text_of(lost[0].usage) == "cpupercent=95");

  std::vector<model::host_usage> none;
  model::raise_primary(none, used({{"cput", "00:03:00"}}), resources);
  BOOST_TEST(none.empty());
}

BOOST_AUTO_TEST_CASE(limits_are_met_when_usage_is_above_them) {
  const auto o =
      order_with({{"Resource_List", "walltime", "00:00:03"}, {"Resource_List", "cput", "00:00:05"}, {"Resource_List", "mem", "10mb"}});
  const auto met = [&](const ports::run_usage& u, bool enforce) {
    const auto m = model::exceeded_limit(o.get().getStartRun(), model::measured_usage(u), enforce);
    return m ? std::to_string(m->exit_status) + " " + m->why : std::string();
  };
  BOOST_TEST(met({.wall_seconds = 3}, true) == "");
  BOOST_TEST(met({.wall_seconds = 4}, true) == "-29 walltime 4 exceeded limit 3");
  BOOST_TEST(met({.cpu_seconds = 6}, true) == "-28 cput 6 exceeded limit 5");
  BOOST_TEST(met({.mem_kb = 10241}, false) == "");
  BOOST_TEST(met({.mem_kb = 10240}, true) == "");
  BOOST_TEST(met({.mem_kb = 10241}, true) == "-27 mem 10241kb exceeded limit 10240kb");
}

BOOST_AUTO_TEST_CASE(usage_is_worth_reporting_when_it_is_old_or_has_grown) {
  const ports::run_usage hour{.cpu_seconds = 1000, .mem_kb = 1000, .vmem_kb = 1000, .wall_seconds = 3600, .ncpus = 1, .cpu_percent = 50};
  const auto later = [&](auto change) {
    auto u = hour;
    change(u);
    return u;
  };
  const auto aged = later([](auto& u) { u.wall_seconds = 3636; });
  BOOST_TEST(!worth_reporting(hour, hour, 1000, 10));
  BOOST_TEST(!worth_reporting(aged, hour, 9, 10));
  BOOST_TEST(!worth_reporting(aged, hour, 36, 10));
  BOOST_TEST(worth_reporting(aged, hour, 37, 10));
  BOOST_TEST(!worth_reporting(later([](auto& u) { u.cpu_percent = 100; }), hour, 10, 10));
  for (const auto& grown : {later([](auto& u) { u.mem_kb = 1101; }), later([](auto& u) { u.vmem_kb = 1101; }),
                            later([](auto& u) { u.cpu_seconds = 1101; }), later([](auto& u) { u.ncpus = 2; })})
    BOOST_TEST(worth_reporting(grown, hour, 10, 10));
  BOOST_TEST(!worth_reporting(later([](auto& u) { u.mem_kb = 1100; }), hour, 10, 10));
}

BOOST_AUTO_TEST_CASE(a_month_of_usage_fits_into_a_series) {
  ports::run_usage now{.cpu_seconds = 0, .mem_kb = 1, .vmem_kb = 1, .wall_seconds = 0, .ncpus = 1, .cpu_percent = 0}, told = now;
  std::size_t reports = 0;
  std::int64_t told_at = 0;
  for (std::int64_t t = 1; t <= 30 * 24 * 3600; t += 10) {
    now.wall_seconds = now.cpu_seconds = static_cast<std::uint64_t>(t);
    if (!worth_reporting(now, told, t - told_at, 10)) continue;
    ++reports;
    told = now;
    told_at = t;
  }
  BOOST_TEST(reports > 500u);
  BOOST_TEST(reports < limits::usage_samples_max);
}

BOOST_AUTO_TEST_CASE(what_hooks_set_is_told_when_it_changes) {  // RU-01
  const auto base =
      used({{"cput", "00:16:40"}, {"joule", "100"}, {"fabric", "up"}, {"mem", "1000kb"}, {"ncpus", "1"}, {"walltime", "01:00:00"}});
  const auto worth = [&](const char* resource, const char* value, std::int64_t since_s = 10) {
    auto now = base;
    if (value) now.set(resource, value);
    else now.erase(resource);
    return model::worth_reporting(now, base, since_s, 10);
  };
  BOOST_TEST(worth("fabric", "down"));
  BOOST_TEST(!worth("fabric", "down", 9));
  BOOST_TEST(worth("fabric", nullptr));
  BOOST_TEST(worth("scratch", "1kb"));
  BOOST_TEST(!worth("joule", "110"));
  BOOST_TEST(worth("joule", "111"));
  BOOST_TEST(worth("joule", "80"));
  BOOST_TEST(!worth("cput", "00:16:41"));
}

BOOST_AUTO_TEST_CASE(of_what_hooks_set_only_values_of_known_resources_are_kept) {
  const auto kept = model::changes_to_keep(
      {}, {{"cput", "70"}, {"joule", "much"}, {"unheard_of", "1"}, {"fabric", "up"}, {"ecc", "yes"}, {"mem"}}, site_resources());
  const std::vector<model::usage_change> expected{{"cput", "00:01:10"}, {"fabric", "up"}, {"ecc", "True"}, {"mem"}};
  BOOST_TEST((kept.kept == expected));
  BOOST_TEST((kept.refused == std::vector<std::string>{"joule", "unheard_of"}));
  // What is there already is no news; what is taken away is measured again.
  const auto so_far = used({{"fabric", "up"}, {"mem", "1kb"}});
  const auto news = model::news_in({{"fabric", "up"}, {"mem"}, {"mem"}, {"ecc"}}, so_far);
  BOOST_TEST((news == std::vector<model::usage_change>{{"mem"}}));
  BOOST_TEST(text_of(model::with_hooks(used({{"mem", "9kb"}, {"vmem", "9kb"}}), so_far)) == "fabric=up mem=1kb vmem=9kb");
}

BOOST_AUTO_TEST_CASE(a_hook_may_set_so_many_words_and_no_more) {
  const std::string fits(limits::hook_words_bytes_max - std::string("fabric").size(), 'x');
  BOOST_TEST(model::changes_to_keep({}, {{"fabric", fits}}, site_resources()).refused.empty());
  const auto more = model::changes_to_keep({}, {{"fabric", fits + "x"}, {"licenses", "3"}}, site_resources());
  BOOST_TEST((more.refused == std::vector<std::string>{"fabric"}));
  BOOST_TEST((more.kept == std::vector<model::usage_change>{{"licenses", "3"}}));
}

BOOST_AUTO_TEST_CASE(of_a_host_with_too_many_words_the_first_that_fit_are_taken) {
  auto usage = used({{"cput", "00:00:01"}, {"ecc", "True"}, {"fabric", "a very long story"}, {"licenses", "1"}, {"unheard_of", "1"}});
  BOOST_TEST(!model::cut_words(usage, 100, site_resources()));
  BOOST_TEST(model::cut_words(usage, 20, site_resources()));
  BOOST_TEST(text_of(usage) == "cput=00:00:01 ecc=True licenses=1");
  auto padded = used({{"licenses", std::string(1000, '0').c_str()}});  // no number is that long
  BOOST_TEST(model::cut_words(padded, 20, site_resources()));
  BOOST_TEST(padded.empty());
}

BOOST_AUTO_TEST_CASE(a_job_shows_no_more_words_than_fit_into_an_event) {
  std::vector<model::host_usage> hosts{{"n1", used({{"fabric", "short"}}), 1}, {"n2", {}, 1}};
  hosts[1].usage.set("fabric", std::string(limits::run_words_bytes_max, '"'));
  BOOST_TEST(model::job_total(hosts, site_resources()).empty());
}

// What each host used is kept as it is; how the job's value is made of it depends on the resource alone.
BOOST_AUTO_TEST_CASE(amounts_of_all_hosts_add_up_and_the_rest_is_the_primarys) {  // RU-02, 03, 09, 10, 17
  const std::vector<model::host_usage> hosts{{"n1",
                                              used({{"cput", "00:00:10"},
                                                    {"ecc", "True"},
                                                    {"fabric", "a"},
                                                    {"joule", "0.25"},
                                                    {"mem", "1gb"},
                                                    {"ncpus", "3"},
                                                    {"walltime", "00:01:00"}}),
                                              1},
                                             {"n2",
                                              used({{"cput", "00:00:55"},
                                                    {"ecc", "False"},
                                                    {"fabric", "b"},
                                                    {"joule", "1.5"},
                                                    {"licenses", "2"},
                                                    {"mem", "512mb"},
                                                    {"ncpus", "7"},
                                                    {"walltime", "00:09:00"}}),
                                              2},
                                             {"n3", {}, 0},
                                             {"n4", used({{"licenses", "3"}, {"scratch", "1kb"}, {"unheard_of", "9"}}), 4}};
  BOOST_TEST(text_of(model::job_total(hosts, site_resources())) ==
             "cput=00:01:05 ecc=True fabric={\"n1\": \"a\", \"n2\": \"b\", \"n3\": None, \"n4\": None} joule=1.75 licenses=5 mem=1536mb "
             "ncpus=3 scratch=1kb walltime=00:01:00");
  BOOST_TEST(text_of(model::job_total(hosts, site_resources(), model::words_form::merge)) ==
             "cput=00:01:05 ecc=True joule=1.75 licenses=5 mem=1536mb ncpus=3 scratch=1kb walltime=00:01:00");
  const auto why = model::unmergeable_words(hosts, site_resources());
  BOOST_REQUIRE(why.size() == 2u);  // RU-15
  for (const auto i : {0u, 1u}) {
    const std::string host = i == 0 ? "n1" : "n2", value = i == 0 ? "a" : "b";
    BOOST_TEST(why[i].resource + " " + why[i].host == "fabric " + host);
    BOOST_TEST(why[i].why == "resources_used.fabric cannot be accumulated: value '" + value + "' from mom " + host +
                                 " not JSON-format: <class 'json.decoder.JSONDecodeError'>");
  }
  BOOST_TEST((model::job_total(std::span(hosts).first(1), site_resources()) == hosts.front().usage));
  BOOST_TEST(model::job_total({}, site_resources()).empty());
}

BOOST_AUTO_TEST_CASE(what_was_measured_has_a_value_for_each_of_its_resources) {
  BOOST_TEST(text_of(model::measured_usage({61, 2, 3, 3600, 4, 5})) ==
             "cpupercent=5 cput=00:01:01 mem=2kb ncpus=4 vmem=3kb walltime=01:00:00");
  BOOST_TEST(!model::was_measured({}));
  BOOST_TEST(!model::was_measured(model::measured_usage({.mem_kb = 1})));
  BOOST_TEST(model::was_measured(model::measured_usage({.ncpus = 1})));
}

BOOST_AUTO_TEST_CASE(what_is_no_value_reads_as_nothing) {
  for (const char* odd : {"", "-", "-1", "soon", "99999999999999999999", "\xff"}) {
    const auto u = used({{"cput", odd}, {"mem", odd}, {"ncpus", odd}});
    BOOST_TEST(u.seconds("cput") + u.kb("mem") + u.count("ncpus") + u.count("none") == 0u);
  }
}

BOOST_AUTO_TEST_CASE(a_usage_comes_back_from_a_message_as_it_went) {
  const model::host_usage told{"n2", used({{"cput", "00:00:10"}, {"fabric", "two words, \"quoted\""}, {"joule", "0.5"}}), 77};
  const auto m =
      schema::make<schema::FromSister>([&](schema::FromSister::Builder b) { model::write_host_usage(told, b.initUsage().initUsage()); });
  BOOST_TEST((model::read_host_usage(m.get().getUsage().getUsage()) == told));
}

// A MoM is another machine: what it tells stands in the log for ever.
BOOST_AUTO_TEST_CASE(of_what_a_mom_tells_only_values_of_known_resources_are_taken) {
  const auto m = schema::make<schema::FromMom>([&](schema::FromMom::Builder b) {
    model::write_host_usage(
        {"n1", used({{"cput", "70"}, {"joule", "much"}, {"licenses", "0x10"}, {"mem", "-1kb"}, {"ncpus", "-4"}, {"unheard_of", "1"}}), 5},
        b.initRunUsage().initHosts(1)[0]);
  });
  const auto hosts = model::checked_hosts(m.get().getRunUsage().getHosts(), site_resources());
  BOOST_REQUIRE(hosts.size() == 1u);
  BOOST_TEST(hosts.front().host == "n1");
  BOOST_TEST(hosts.front().measured_ns == 5);
  BOOST_TEST(text_of(hosts.front().usage) == "cput=00:01:10 licenses=16");
}

BOOST_AUTO_TEST_CASE(the_server_makes_of_the_hosts_what_the_job_shows) {  // RU-02, RU-08
  auto story = given(model::job_phase::started);
  story.settings.resources = site_resources();
  story.job.hosts.push_back("n2");
  const auto told = [&](auto hosts) {
    model::write_host_usage({"borg", used({{"cput", "00:00:01"}, {"licenses", "1"}, {"ncpus", "2"}, {"walltime", "00:00:09"}}), 1},
                            hosts[0]);
    model::write_host_usage({"n2", used({{"cput", "00:00:02"}, {"licenses", "4"}, {"ncpus", "0"}}), 2}, hosts[1]);
    for (unsigned i : {2, 3})
      model::write_host_usage({i == 2 ? "n2" : "elsewhere", used({{"cput", "01:00:00"}}), 2}, hosts[i]);  // not believed
  };
  BOOST_TEST(story.when(story.report([&](auto m) {
    fill(m.initRunUsage().initRef(), story.job, 1);
    told(m.getRunUsage().initHosts(4));
  }),
                        the_server()) == "usageReported");
  namespace ids = attributes::job;
  BOOST_TEST(story.attribute(ids::resources_used, "cput") == "00:00:03");
  BOOST_TEST(story.attribute(ids::resources_used, "licenses") == "5");
  BOOST_TEST(story.attribute(ids::resources_used, "ncpus") == "2");
  BOOST_TEST(story.attribute(ids::resources_used, "walltime") == "00:00:09");
}

BOOST_AUTO_TEST_SUITE_END()
