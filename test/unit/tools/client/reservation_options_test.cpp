// What pbs_rsub and pbs_ralter accept, refuse and send; the cases are those of the recorded behaviour of PBS.
#include <boost/test/unit_test.hpp>
#include <cstdlib>
#include <ctime>

#include "tools/client/reservation_options.hpp"

using namespace annals::client;

namespace {

// Saturday 2026-11-21 00:43:20 UTC
constexpr std::int64_t now = 1795221800, midnight = now - 43 * 60 - 20;

struct in_utc {
  in_utc() {
    setenv("TZ", "UTC", 1);
    tzset();
  }
};

std::optional<std::string> with_zone(const std::string& name) {
  if (name == "PBS_TZID") return "UTC";
  if (name == "MAIL") return "/var/mail/u";
  return std::nullopt;
}
std::optional<std::string> without_zone(const std::string&) { return std::nullopt; }

command_line read(const command& c, std::vector<std::string> words) {
  return parse_options(c, words, [&](const given& g) { return judge_reservation_option(c, g, now); });
}

std::string problems(const command& c, std::vector<std::string> words) {
  std::string out;
  for (const std::string& p : read(c, std::move(words)).problems) out += (out.empty() ? "" : "|") + p;
  return out;
}

std::string shown(const std::variant<reservation_request, complaint>& made) {
  if (const auto* c = std::get_if<complaint>(&made)) return c->line + " [" + std::to_string(c->status) + (c->with_usage ? " usage]" : "]");
  const auto& request = std::get<reservation_request>(made);
  std::string out;
  for (const auto& a : request.attributes) {
    if (a.name == "Variable_List") continue;
    out += (out.empty() ? "" : " ") + a.name + (a.resource.empty() ? "" : "." + a.resource) +
           (a.op == annals::schema::AttributeOp::UNSET ? " unset" : "=" + a.value);
  }
  for (const auto& host : request.hosts) out += " host " + host;
  return out + (request.force ? " force" : "");
}

std::string rsub(std::vector<std::string> words, environment_lookup environment = without_zone) {
  const auto longs = take_long_options(words);
  return shown(make_reservation(read(rsub_command, words), longs, {now, "pbsuser", "tstgrp00", "q1", environment, "q1"}));
}

std::string ralter(std::vector<std::string> words) { return shown(make_alteration(read(ralter_command, std::move(words)), now)); }

}  // namespace

BOOST_FIXTURE_TEST_SUITE(reservation_options, in_utc)

BOOST_AUTO_TEST_CASE(a_time_within_the_current_minute_is_tomorrow) {
  const auto at = [](const char* text) { return parse_reservation_time(text, now).value_or(-1) - midnight; };
  constexpr std::int64_t day = 86400, minute_43 = 43 * 60;
  BOOST_TEST(at("0042") == day + 42 * 60);
  BOOST_TEST(at("0043") == day + minute_43);
  BOOST_TEST(at("0043.59") == day + minute_43 + 59);
  BOOST_TEST(at("0044.08") == 44 * 60 + 8);
  BOOST_TEST(at("202611210043.59") == minute_43 + 59);
  BOOST_TEST(at("202611200043") == minute_43 - day);
  for (const char* bad : {"", "1", "abc", "2560", "0043.", "0043.5", "0043.60", "0043.-1", "0043.+1", ".10"})
    BOOST_TEST(!parse_reservation_time(bad, now), bad);
}

BOOST_AUTO_TEST_CASE(mistakes_are_told_in_their_order) {
  const auto of = [](std::vector<std::string> words) { return problems(rsub_command, std::move(words)); };
  BOOST_TEST(of({"-R", "1", "-E", "2"}) == "pbs_rsub: illegal -R time value|pbs_rsub: illegal -E time value");
  BOOST_TEST(of({"-N", "a b"}) == "pbs_rsub: illegal -N value");
  BOOST_TEST(of({"-N", "1abc"}) == "");
  BOOST_TEST(of({"-q", "workq"}) == "pbs_rsub: illegal -q value: format \"@server\"");
  BOOST_TEST(of({"-q", "@q1"}) == "");
  BOOST_TEST(of({"-m", "abcen"}) == "pbs_rsub: illegal -m value");
  BOOST_TEST(of({"-m", "z"}) == "pbs_rsub: illegal -m value");
  BOOST_TEST(of({"-m", "abce"}) == "");
  BOOST_TEST(of({"-m", "n"}) == "");
  BOOST_TEST(of({"-I", "x"}) == "pbs_rsub: illegal -I time value");
  BOOST_TEST(of({"-I", "-5"}) == "");
  BOOST_TEST(of({"-Z"}) == "pbs_rsub: invalid option -- 'Z'");
  BOOST_TEST(problems(ralter_command, {"-Wfoo", "R1"}) == "pbs_ralter: illegal -W value");
  BOOST_TEST(problems(ralter_command, {"-W", "delete_idle_time=5", "R1"}) == "pbs_ralter: illegal -W value");
  BOOST_TEST(problems(ralter_command, {"-H", "q1", "R1"}) == "pbs_ralter: invalid option -- 'H'");
}

BOOST_AUTO_TEST_CASE(what_is_asked_for_is_sent_by_its_attributes) {
  BOOST_TEST(rsub({"-N", "rone", "-R", "202611210042.32", "-D", "25", "-l", "select=1:ncpus=1:host=q3"}) ==
             "reserve_start=1795221752 reserve_duration=25 Reserve_Name=rone Resource_List.select=1:ncpus=1:host=q3");
  BOOST_TEST(rsub({"-R", "202611210043.20", "-E", "202611210044.20", "-l", "ncpus=2,walltime=20"}) ==
             "reserve_start=1795221800 reserve_end=1795221860 Resource_List.ncpus=2 Resource_List.walltime=20");
  BOOST_TEST(rsub({"-D", "0:10", "-U", "pbsuser1,pbsuser", "-G", "tstgrp01", "-H", "q1", "-m", "ab", "-M", "x@y", "-I", "5"}) ==
             "reserve_duration=10 Mail_Points=ab Mail_Users=x@y Authorized_Users=pbsuser1,pbsuser Authorized_Groups=tstgrp01 "
             "Authorized_Hosts=q1 interactive=5");
  BOOST_TEST(rsub({"-D", "10", "-I", "0"}) == "reserve_duration=10");
  BOOST_TEST(rsub({"-D", "10", "-W", "delete_idle_time=60,nosuch=1"}) == "reserve_duration=10 delete_idle_time=60 nosuch=1");
  BOOST_TEST(rsub({"-D", "abc"}) == "pbs_rsub: Illegal attribute or resource value Resource_List.walltime [166]");
}

// A transcript of a PBS: at 23:18, 0418 to 0318 are 23 hours.
BOOST_AUTO_TEST_CASE(an_end_that_is_a_time_of_day_comes_after_the_start) {
  BOOST_TEST(rsub({"-R", "0418", "-E", "0318"}) == "reserve_start=" + std::to_string(midnight + 4 * 3600 + 18 * 60) +
                                                       " reserve_end=" + std::to_string(midnight + 27 * 3600 + 18 * 60));
  BOOST_TEST(rsub({"-R", "202611210243.13", "-E", "202611210143.13"}) == "reserve_start=1795228993 reserve_end=1795225393");
}

BOOST_AUTO_TEST_CASE(a_rule_needs_a_time_zone) {
  const std::vector<std::string> words{"-D", "60", "-r", "FREQ=DAILY;COUNT=2"};
  BOOST_TEST(rsub(words) == "pbs_rsub error: a valid PBS_TZID timezone environment variable is required. [2]");
  BOOST_TEST(rsub(words, with_zone) == "reserve_duration=60 reserve_rrule=FREQ=DAILY;COUNT=2 reserve_timezone=UTC");
  BOOST_TEST(rsub({"-D", "60", "-r", ""}, with_zone) == "reserve_duration=60 reserve_rrule unset reserve_timezone=UTC");
}

BOOST_AUTO_TEST_CASE(its_environment_says_who_asked_from_where) {
  const auto variables = [](environment_lookup environment) {
    const auto made = make_reservation(read(rsub_command, {"-D", "1"}), {}, {now, "pbsuser", "tstgrp00", "q1", environment, "q1"});
    return std::get<reservation_request>(made).attributes.back().value;
  };
  BOOST_TEST(variables(without_zone) == "PBS_O_LOGNAME=pbsuser,PBS_O_HOST=q1");
  BOOST_TEST(variables(with_zone) == "PBS_O_LOGNAME=pbsuser,PBS_O_HOST=q1,PBS_O_MAIL=/var/mail/u,PBS_TZID=UTC");
}

BOOST_AUTO_TEST_CASE(it_is_only_for_oneself) {
  BOOST_TEST(rsub({"-D", "1", "-u", "pbsuser1"}) == "pbs_rsub: Bad effective UID for reservation [247]");
  BOOST_TEST(rsub({"-D", "1", "-u", "pbsuser"}) == "reserve_duration=1");
  BOOST_TEST(rsub({"-D", "1", "-u", "pbsuser@q1,other@q2"}) == "reserve_duration=1");
  BOOST_TEST(rsub({"-D", "1", "-g", "wheel"}) == "pbs_rsub: Bad effective GID for reservation [248]");
  BOOST_TEST(rsub({"-D", "1", "-g", "tstgrp00"}) == "reserve_duration=1");
}

BOOST_AUTO_TEST_CASE(as_soon_as_possible_for_a_job) {
  BOOST_TEST(rsub({"-W", "qmove=575.q1"}) == "qmove=575.q1 interactive=-10");
  BOOST_TEST(rsub({"-W", "qmove=575", "-I", "-3"}) == "interactive=-3 qmove=575.q1");
  BOOST_TEST(rsub({"-I", "5", "-W", "qmove=577.q1"}) ==
             "pbs_rsub: -I <timeout> value must be negative when used with -Wqmove option. [2]");
  BOOST_TEST(rsub({"-R", "2359", "-W", "qmove=99999"}) == "pbs_rsub: -Wqmove is not compatible with -R or -E option [2 usage]");
  BOOST_TEST(rsub({"-W", "qmove=x"}) == "pbs_rsub: illegally formed job identifier: x [1]");
}

BOOST_AUTO_TEST_CASE(of_a_running_job) {
  BOOST_TEST(rsub({"--job", "582.q1"}) == "reserve_job=582.q1");
  BOOST_TEST(rsub({"--job", "99999"}) == "reserve_job=99999.q1");
  BOOST_TEST(rsub({"--job", "582.q1", "-R", "2359"}) == "pbs_rsub: can't use -R with --job [2 usage]");
}

BOOST_AUTO_TEST_CASE(maintenance_of_hosts) {
  BOOST_TEST(rsub({"--hosts", "q2", "q3", "-R", "202611210043.20", "-D", "60"}) ==
             "reserve_start=1795221800 reserve_duration=60 host q2 host q3");
  BOOST_TEST(rsub({"--hosts", "q2", "-D", "60", "-l", "select=1"}) == "pbs_rsub: can't use -l with --hosts [2 usage]");
  BOOST_TEST(rsub({"--hosts", "q2", "-D", "60", "-I", "5"}) == "pbs_rsub: can't use -I with --hosts [2 usage]");
  BOOST_TEST(rsub({"--hosts", "q2", "q2", "-D", "60"}) == "pbs_rsub: Duplicate host: q2 [2 usage]");
  BOOST_TEST(rsub({"-D", "60", "--hosts"}) == "pbs_rsub: missing host(s) [2 usage]");
}

BOOST_AUTO_TEST_CASE(only_what_changes_is_sent) {
  BOOST_TEST(ralter({"R551.q1"}) == "");
  BOOST_TEST(ralter({"-N", "newn", "R551.q1"}) == "Reserve_Name=newn");
  BOOST_TEST(ralter({"-D", "60", "-R", "202611210213.19", "R551.q1"}) == "reserve_start=1795227199 reserve_duration=60");
  BOOST_TEST(ralter({"-U", "+pbsuser1", "R551.q1"}) == "Authorized_Users=+pbsuser1");
  BOOST_TEST(ralter({"-G", "", "R551.q1"}) == "Authorized_Groups unset");
  BOOST_TEST(ralter({"-Wforce", "-D", "70", "R551.q1"}) == "reserve_duration=70 force");
  BOOST_TEST(ralter({"-D", "abc", "R551.q1"}) == "pbs_ralter: Illegal attribute or resource value Resource_List.walltime [166]");
}

BOOST_AUTO_TEST_CASE(reservations_are_named_as_jobs_are_with_a_letter) {
  const auto id = [](const char* text) {
    const auto name = parse_reservation_name(text, "q1");
    return name ? name->id + (name->server.empty() ? "" : " at " + name->server) : "refused";
  };
  BOOST_TEST(id("R12") == "R12.q1");
  BOOST_TEST(id("S12.q1") == "S12.q1");
  BOOST_TEST(id("M12.q1@other") == "M12.q1 at other");
  for (const char* bad : {"", "R", "12", "abc", "R12[]", "r12", "X12", "R12.q2", "RR12"}) BOOST_TEST(id(bad) == "refused", bad);
}

BOOST_AUTO_TEST_SUITE_END()
