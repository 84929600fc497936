// The reservation commands as programs: what they print, their exit status, and what reaches the server.
#include <boost/test/unit_test.hpp>

#include "events/attributes/attribute_set.hpp"
#include "events/attributes/ids.hpp"
#include "test/support/fake_gateway.hpp"
#include "test/support/paths.hpp"
#include "test/support/run_command.hpp"

using namespace annals;
using annals::test::fake_gateway;
using annals::test::ran;

namespace {

using state = schema::ReservationAnswer::State;

void refuse(schema::Reply::Builder out, std::uint32_t code, const char* text) {
  out.initRejected().setCode(code);
  out.getRejected().setText(text);
}

void answer(schema::Reply::Builder out, const char* id, state what) {
  out.initReservation().setReservation(id);
  out.getReservation().setState(what);
}

bool has(capnp::List<schema::Attribute>::Reader list, std::string_view name) {
  for (auto a : list)
    if (schema::text(a.getName()) == name) return true;
  return false;
}

// One vnode of host q2, and the reservation R5.q1.
void stat(schema::Stat::Reader asked, schema::Objects::Builder out) {
  out.setLast(true);
  attributes::attribute_set_writer w;
  if (asked.getKind() == schema::ObjectKind::NODE) {
    w.put(attributes::node::resources_available, "host", "q2");
  } else {
    w.put(attributes::reservation::reserve_state, "", "RESV_RUNNING");
    w.put(attributes::reservation::reserve_duration, "", "60");
    w.put(attributes::reservation::queue, "", "R5");
    w.put(attributes::reservation::Authorized_Users, "", "user1@q1");
  }
  const auto packed = w.take();
  const bool known = asked.getNames().size() == 0 || asked.getNames()[0] == "R5.q1";
  if (known) {
    auto o = out.initObjects(1)[0];
    o.setName("R5.q1");
    o.setAttributes({reinterpret_cast<const kj::byte*>(packed.data()), packed.size()});
  } else {
    auto u = out.initUnknown(1)[0];
    u.setName(asked.getNames()[0]);
    u.initRejection().setCode(15084);
    u.getRejection().setText("Unknown Reservation Id");
  }
}

bool server_with_one(schema::Request::Reader r, schema::Reply::Builder out) {
  if (r.isStat()) stat(r.getStat(), out.initObjects());
  if (r.isSubmitReservation())
    answer(out, "R6.q1", has(r.getSubmitReservation().getAttributes(), "interactive") ? state::DENIED : state::UNCONFIRMED);
  if (r.isAlterReservation()) {
    if (r.getAlterReservation().getReservation() == "R5.q1")
      answer(out, "R5.q1", has(r.getAlterReservation().getChanges(), "interactive") ? state::CONFIRMED : state::ALTER_REQUESTED);
    else
      refuse(out, 15084, "Unknown Reservation Id");
  }
  if (r.isDeleteReservation()) {
    if (r.getDeleteReservation().getReservation() == "R5.q1") out.setDone("");
    else if (r.getDeleteReservation().getReservation() == "R4.q1") refuse(out, 15007, "Unauthorized Request ");
    else refuse(out, 15084, "Unknown Reservation Id");
  }
  return true;
}

struct commands {
  fake_gateway server{server_with_one};

  ran run(std::vector<std::string> words, std::vector<std::pair<std::string, std::string>> environment = {}) {
    words[0] = annals::test::stage_dir() + "/bin/" + words[0];
    environment.emplace_back("PBS_CONF_FILE", server.conf_file());
    return test::run(words, {{}, std::move(environment), {}, {}});
  }
  // What a command says: its texts and its status.
  std::string said(std::vector<std::string> words) {
    const auto r = run(std::move(words));
    return r.out + (r.err.empty() ? "" : "! " + r.err) + std::to_string(r.status);
  }
};

constexpr const char* rsub_usage =
    "usage: pbs_rsub [-I seconds] [-m mail_points] [-M mail_list]\n"
    "                [-N reservation_name] [-u user_list] [-g group_list]\n"
    "                [-U auth_user_list] [-G auth_group_list] [-H auth_host_list]\n"
    "                [-R start_time] [-E end_time] [-D duration] [-q destination]\n"
    "                [-r rrule_expression] [-W otherattributes=value...]\n"
    "                -l resource_list | --hosts host1 [... hostn]\n"
    "       pbs_rsub --version\n";

}  // namespace

BOOST_AUTO_TEST_SUITE(reservation_commands)

BOOST_FIXTURE_TEST_CASE(rsub_prints_the_id_and_what_became_of_it, commands) {
  BOOST_TEST(said({"pbs_rsub", "-R", "2359", "-D", "10", "-l", "select=1"}) == "R6.q1 UNCONFIRMED\n0");
  BOOST_TEST(said({"pbs_rsub", "-R", "2359", "-D", "10", "-I", "5"}) == "R6.q1 DENIED\n0");
  const auto seen = server.requests();
  const auto request = (*seen.front()).getSubmitReservation();
  BOOST_TEST(has(request.getAttributes(), "Variable_List"));
  BOOST_TEST((*seen.front()).getCommandId().size() == 16u);
  BOOST_TEST(request.getSubmitHost().size() > 0u);
}

BOOST_FIXTURE_TEST_CASE(rsub_tells_mistakes_with_its_usage, commands) {
  BOOST_TEST(said({"pbs_rsub"}) == std::string("! ") + rsub_usage + "2");
  BOOST_TEST(said({"pbs_rsub", "-R", "1", "-E", "2"}) ==
             std::string("! pbs_rsub: illegal -R time value\npbs_rsub: illegal -E time value\n") + rsub_usage + "2");
  BOOST_TEST(said({"pbs_rsub", "-R", "2359", "-D", "60", "--hosts"}) == std::string("! pbs_rsub: missing host(s)\n") + rsub_usage + "2");
  BOOST_TEST(said({"pbs_rsub", "--hosts", "nosuch", "-R", "2359", "-D", "60"}) == "! pbs_rsub: Host with resources not found: nosuch\n2");
  BOOST_TEST(said({"pbs_rsub", "--hosts", "q2", "-R", "2359", "-D", "60"}) == "R6.q1 UNCONFIRMED\n0");
  BOOST_TEST(run({"pbs_rsub", "-r", "FREQ=DAILY;COUNT=2", "-R", "2359", "-D", "60"}, {{"PBS_TZID", "UTC"}}).out == "R6.q1 UNCONFIRMED\n");
}

BOOST_FIXTURE_TEST_CASE(rstat_shows_those_that_are_there_and_has_an_exit_status_of_its_own, commands) {
  const auto table = run({"pbs_rstat"});
  BOOST_TEST(table.status == 0);
  BOOST_TEST(table.out.starts_with("Resv ID    Queue    User     State             Start / Duration / End              \n-----"));
  BOOST_TEST(table.out.find("\nR5.q1      R5       user1@q1 RN ") != std::string::npos);
  BOOST_TEST(said({"pbs_rstat", "-B", "R5"}) == "Resv ID: R5.q1\n0");
  BOOST_TEST(run({"pbs_rstat", "-F"}).out.starts_with("Resv ID: R5.q1\nreserve_state = RESV_RUNNING\n"));
  BOOST_TEST(said({"pbs_rstat", "R999"}) == "! pbs_rstat: Unknown Reservation Id\n0");
  BOOST_TEST(said({"pbs_rstat", "nosuch"}) == "! pbs_rstat: illegally formed reservation identifier: nosuch\n1");
  BOOST_TEST(said({"pbs_rstat", "-Z"}) ==
             "! pbs_rstat: invalid option -- 'Z'\nUsage:\n\tpbs_rstat [-fFBS] [reservation-id]\n\tpbs_rstat --version\n1");
}

BOOST_FIXTURE_TEST_CASE(rdel_goes_on_after_an_error, commands) {
  BOOST_TEST(said({"pbs_rdel", "R5.q1"}) == "0");
  BOOST_TEST(said({"pbs_rdel", "R4", "R999", "R5"}) ==
             "! pbs_rdel: Unauthorized Request  R4.q1\npbs_rdel: Unknown Reservation Id R999.q1\n236");
  BOOST_TEST(said({"pbs_rdel", "abc"}) == "! pbs_rdel: illegally formed reservation identifier: abc\n1");
  BOOST_TEST(said({"pbs_rdel"}) == "! usage:\tpbs_rdel [-q dest] resv_identifier...\n      \tpbs_rdel --version\n2");
}

BOOST_FIXTURE_TEST_CASE(ralter_sends_what_changes, commands) {
  BOOST_TEST(said({"pbs_ralter", "-N", "x", "R5.q1"}) == "pbs_ralter: R5.q1 ALTER REQUESTED\n0");
  BOOST_TEST(said({"pbs_ralter", "R5"}) == "pbs_ralter: R5.q1 ALTER REQUESTED\n0");
  BOOST_TEST(said({"pbs_ralter", "-I", "5", "-D", "80", "R5"}) == "pbs_ralter: R5.q1 CONFIRMED\n0");
  BOOST_TEST(said({"pbs_ralter", "-D", "9", "R999"}) == "! pbs_ralter: Unknown Reservation Id\n236");
  const auto usage = run({"pbs_ralter", "-D", "9"});
  BOOST_TEST(usage.status == 2);
  BOOST_TEST(usage.err.starts_with("usage: pbs_ralter [-I seconds]"));
  BOOST_TEST(run({"pbs_ralter", "-G", "R5.q1"}).status == 2);
}

BOOST_AUTO_TEST_SUITE_END()
