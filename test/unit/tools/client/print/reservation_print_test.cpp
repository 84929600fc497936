// What pbs_rstat prints, against what PBS printed.
#include <boost/test/unit_test.hpp>

#include "events/attributes/ids.hpp"
#include "golden.hpp"
#include "tools/client/print/reservations.hpp"

using namespace annals::client;
using namespace annals::client::test;
using annals::schema::ObjectKind;

namespace {

constexpr std::int64_t recorded = 1795216707;  // Fri Nov 20 23:18:27 2026

// The objects of "pbs_rstat -f", whose lines are not indented.
std::vector<stored_object> reservations(const std::string& text) {
  std::vector<stored_object> out;
  for (std::size_t at = 0; at < text.size();) {
    const std::string line = text.substr(at, text.find('\n', at) - at);
    at += line.size() + 1;
    const auto equals = line.find(" = ");
    if (line.starts_with("Resv ID: "))
      out.push_back({line.substr(9), {}, {}});
    else if (equals != std::string::npos)
      set_by_name(out.back(), ObjectKind::RESERVATION, line.substr(0, equals), line.substr(equals + 3));
  }
  return out;
}

std::string printed(const object_form_ptr& form, const std::vector<stored_object>& objects) {
  std::string out;
  for (const auto& o : objects) form->put(out, o.view());
  form->end(out, false);
  return out;
}

}  // namespace

BOOST_FIXTURE_TEST_SUITE(reservation_print, utc)

BOOST_AUTO_TEST_CASE(whole_reservations_are_as_pbs_prints_them) {
  const std::string expected = golden("resv.txt", "pbs_rstat -f");
  const auto all = reservations(expected);
  BOOST_TEST(all.size() == 4u);
  BOOST_TEST(printed(reservation_full_form(), all) == expected);
}

BOOST_AUTO_TEST_CASE(so_are_the_table_and_the_names) {
  const auto all = reservations(golden("resv.txt", "pbs_rstat -f"));
  BOOST_TEST(printed(reservation_table_form(recorded), all) == golden("resv.txt", "pbs_rstat"));
  BOOST_TEST(printed(reservation_names_form(), all) == golden("resv.txt", "pbs_rstat -B"));
  BOOST_TEST(printed(reservation_table_form(recorded), {}) == "");
}

BOOST_AUTO_TEST_CASE(a_time_is_shown_as_short_as_it_is_clear) {
  const auto at = [](std::int64_t later) { return reservation_time(std::to_string(recorded + later), recorded); };
  BOOST_TEST(at(0) == "Today 23:18");
  BOOST_TEST(at(-3600) == "Today 22:18");
  BOOST_TEST(at(7200) == "Sat 01:18");
  BOOST_TEST(at(28 * 3600) == "Sun Nov 22 03:18");
  BOOST_TEST(at(60 * 86400) == "Tue Jan 19 2027 23:18");
  BOOST_TEST(reservation_time("", recorded) == "");
}

BOOST_AUTO_TEST_CASE(states_have_two_letters_and_days_two_digits) {
  stored_object r{"R579.q1", {}, {}};
  set_by_name(r, ObjectKind::RESERVATION, "reserve_state", "RESV_DEGRADED");
  set_by_name(r, ObjectKind::RESERVATION, "queue", "R579");
  set_by_name(r, ObjectKind::RESERVATION, "Authorized_Users", "pbsuser,pbsuser2");
  r.set(annals::attributes::reservation::reserve_start, "", std::to_string(recorded));
  r.set(annals::attributes::reservation::reserve_end, "", std::to_string(recorded + 99));
  r.set(annals::attributes::reservation::reserve_duration, "", "99");
  r.set(annals::attributes::reservation::reserve_retry, "", "0");
  const std::string table = printed(reservation_table_form(recorded), {r});
  BOOST_TEST(table.substr(table.rfind("\nR") + 1) == "R579.q1    R579     pbsuser, DG          Today 23:18 / 99 / Today 23:20      \n");
  BOOST_TEST(printed(reservation_full_form(), {r}).find("reserve_retry = Thu Jan 01 00:00:00 1970\n") != std::string::npos);
}

BOOST_AUTO_TEST_SUITE_END()
