// Requests as hooks are shown them, and command ids that make a repeat harmless.
#include <boost/test/unit_test.hpp>

#include <map>

#include "actors/gateway/hooks/hooked_requests.hpp"
#include "test/unit/actors/gateway/followed.hpp"

using namespace annals;
using namespace annals::actors;

BOOST_AUTO_TEST_SUITE(hooked_requests)

BOOST_AUTO_TEST_CASE(a_management_hook_is_shown_numbers_of_the_guide_and_every_attribute) {  // pbs guide: MGR_CMD_*, MGR_OBJ_*
  const auto asked = [](schema::ManageVerb verb, schema::ObjectKind kind, const model::rejection& why = {}) {
    const auto request = schema::make<schema::Request>([&](schema::Request::Builder r) {
      auto m = r.initManage();
      m.setVerb(verb);
      m.setKind(kind);
      m.setName("x");
      auto c = m.initChanges(1)[0];
      c.setName("resources_max");
      c.setResource("ncpus");
      c.setValue("4");
      c.setOp(schema::AttributeOp::INCREMENT);
    });
    return management_done(request.get().getManage(), why, 1700000000);
  };
  using verb = schema::ManageVerb;
  using kind = schema::ObjectKind;
  const auto numbers = [&](verb v, kind k) {
    const auto m = asked(v, k);
    return m.find("cmd")->value + " " + m.find("objtype")->value + " " + m.find("objname")->value;
  };
  BOOST_TEST(numbers(verb::CREATE, kind::QUEUE) == "0 1 x");
  BOOST_TEST(numbers(verb::DELETE, kind::SERVER) == "1 0 x");
  BOOST_TEST(numbers(verb::SET, kind::NODE) == "2 3 x");
  BOOST_TEST(numbers(verb::UNSET, kind::SCHEDULER) == "3 6 x");
  BOOST_TEST(numbers(verb::IMPORT, kind::HOOK) == "7 8 x");
  BOOST_TEST(numbers(verb::CREATE, kind::RESOURCE) == "0 5 x");
  const auto m = asked(verb::SET, kind::QUEUE);
  BOOST_TEST(m.find("request_time")->value == "1700000000");
  BOOST_TEST(m.find("reply_code")->value == "0");
  BOOST_TEST(m.find("reply_choice")->value == "1");
  BOOST_TEST(!m.find("reply_text"));
  const auto refused = asked(verb::SET, kind::QUEUE, {15018, "Unknown queue"});
  BOOST_TEST(refused.find("reply_code")->value == "15018");
  BOOST_TEST(refused.find("reply_choice")->value == "7");
  BOOST_TEST(refused.find("reply_text")->value == "Unknown queue");
  const auto* a = m.find("attribs.resources_max", "ncpus");
  BOOST_REQUIRE(a);
  BOOST_TEST(a->value == "4");
  BOOST_TEST((a->op == schema::AttributeOp::INCREMENT));
}

BOOST_AUTO_TEST_CASE(a_reservation_is_shown_with_its_end_and_asked_for_as_hooks_left_it) {
  const auto asked = schema::make<schema::Request>([](schema::Request::Builder r) {
    r.setId(3);
    auto s = r.initSubmitReservation();
    s.setSubmitHost("h");
    s.initHosts(1).set(0, "n1");
    auto list = s.initAttributes(2);
    list[0].setName("reserve_start");
    list[0].setValue("1000");
    list[1].setName("reserve_duration");
    list[1].setValue("60");
  });
  auto resv = reservation_asked(asked.get().getSubmitReservation());
  BOOST_TEST(resv.find("reserve_end")->value == "1060");
  BOOST_TEST(resv.find("reserve_duration")->value == "60");
  BOOST_TEST(resv.find("Resource_List", "walltime")->value == "00:01:00");
  resv.put("reserve_duration", {}, "00:10:00");
  resv.put("Reserve_Name", {}, "mine");
  const auto left = with_reservation(asked, resv);
  const auto after = left.get().getSubmitReservation();
  BOOST_TEST(left.get().getId() == 3u);
  BOOST_TEST(schema::str(after.getSubmitHost()) == "h");
  BOOST_TEST(schema::str(after.getHosts()[0]) == "n1");
  std::map<std::string, std::string> has;
  for (auto a : after.getAttributes()) has[schema::str(a.getName())] = schema::str(a.getValue());
  const std::map<std::string, std::string> wanted{{"Reserve_Name", "mine"}, {"reserve_duration", "600"}, {"reserve_start", "1000"}};
  BOOST_CHECK(has == wanted);
}

namespace {

struct one_value {
  std::string name, value;  // without a value: it is unset
};
using all_values = std::vector<one_value>;

// "walltime" is the member of Resource_List.
void put(hooks::hook_object& resv, const one_value& v) {
  const bool member = v.name == "walltime";
  const std::string name = member ? "Resource_List" : v.name, resource = member ? v.name : "";
  if (v.value.empty()) resv.remove(name, resource);
  else resv.put(name, resource, v.value);
}

schema::sealed<schema::Request> submission_of(const all_values& given) {
  hooks::hook_object resv;
  for (const auto& v : given) put(resv, v);
  return schema::make<schema::Request>([&](schema::Request::Builder r) {
    auto list = r.initSubmitReservation().initAttributes(static_cast<unsigned>(given.size()));
    for (unsigned i = 0; i < given.size(); ++i) {
      list[i].setName(resv.attributes[i].name);
      list[i].setResource(resv.attributes[i].resource);
      list[i].setValue(resv.attributes[i].value);
    }
  });
}

// The times of the request when a hook has set these: "reserve_duration=300 reserve_start=1000".
std::string times_left(const all_values& given, const all_values& set) {
  const auto asked = submission_of(given);
  auto resv = reservation_asked(asked.get().getSubmitReservation());
  for (const auto& v : set) put(resv, v);
  const auto left = with_reservation(asked, resv);
  std::map<std::string, std::string> has;
  for (auto a : left.get().getSubmitReservation().getAttributes())
    has[schema::str(a.getResource().size() > 0 ? a.getResource() : a.getName())] = schema::str(a.getValue());
  std::string text;
  for (const auto& [name, value] : has) text += (text.empty() ? "" : " ") + name + "=" + value;
  return text;
}

const all_values start_and_length{{"reserve_start", "1000"}, {"reserve_duration", "60"}};
const all_values start_and_end{{"reserve_start", "1000"}, {"reserve_end", "1060"}};
const all_values end_and_length{{"reserve_end", "1060"}, {"reserve_duration", "60"}};
const all_values start_and_walltime{{"reserve_start", "1000"}, {"walltime", "00:01:00"}};

}  // namespace

BOOST_AUTO_TEST_CASE(a_reservation_that_hooks_leave_alone_has_the_times_that_were_given) {
  const all_values renamed{{"Reserve_Name", "mine"}};
  BOOST_TEST(times_left(start_and_length, renamed) == "Reserve_Name=mine reserve_duration=60 reserve_start=1000");
  BOOST_TEST(times_left(start_and_end, renamed) == "Reserve_Name=mine reserve_end=1060 reserve_start=1000");
  BOOST_TEST(times_left(end_and_length, renamed) == "Reserve_Name=mine reserve_duration=60 reserve_end=1060");
  BOOST_TEST(times_left(start_and_walltime, renamed) == "Reserve_Name=mine reserve_duration=60 reserve_start=1000 walltime=00:01:00");
}

BOOST_AUTO_TEST_CASE(a_length_that_hooks_set_by_either_name_says_where_a_reservation_ends) {
  for (const auto* given : {&start_and_length, &start_and_end, &start_and_walltime})
    for (const one_value& length : {one_value{"reserve_duration", "300"}, one_value{"walltime", "00:05:00"}, one_value{"walltime", "300"}})
      BOOST_TEST(times_left(*given, {length}) == "reserve_duration=300 reserve_start=1000");
  BOOST_TEST(times_left(end_and_length, {{"walltime", "300"}}) == "reserve_duration=300 reserve_end=1060");
  BOOST_TEST(times_left(start_and_length, {{"walltime", "300"}, {"reserve_duration", "200"}}) == "reserve_duration=200 reserve_start=1000");
  BOOST_TEST(times_left(start_and_length, {{"walltime", "soon"}}) == "reserve_start=1000 walltime=soon");  // for the server to refuse
}

BOOST_AUTO_TEST_CASE(an_end_and_a_start_that_hooks_set_move_what_follows_from_them) {
  BOOST_TEST(times_left(start_and_length, {{"reserve_end", "1300"}}) == "reserve_end=1300 reserve_start=1000");
  BOOST_TEST(times_left(start_and_length, {{"reserve_start", "2000"}}) == "reserve_duration=60 reserve_start=2000");
  BOOST_TEST(times_left(start_and_end, {{"reserve_start", "1030"}}) == "reserve_end=1060 reserve_start=1030");
  BOOST_TEST(times_left(start_and_length, {{"reserve_end", "1300"}, {"walltime", "300"}}) ==
             "reserve_duration=300 reserve_end=1300 reserve_start=1000");
  BOOST_TEST(times_left(start_and_length, {{"reserve_duration", ""}, {"walltime", ""}}) == "reserve_end=1060 reserve_start=1000");
}

BOOST_AUTO_TEST_CASE(a_length_that_no_number_holds_is_shown_as_it_is) {
  const auto asked = schema::make<schema::Request>([](schema::Request::Builder r) {
    auto list = r.initSubmitReservation().initAttributes(2);
    list[0].setName("reserve_start");
    list[0].setValue("9223372036854775807");
    list[1].setName("reserve_duration");
    list[1].setValue("60");
  });
  BOOST_TEST(!reservation_asked(asked.get().getSubmitReservation()).find("reserve_end"));
}

BOOST_AUTO_TEST_CASE(what_is_to_be_changed_of_a_reservation_stays_a_change) {
  const auto asked = schema::make<schema::Request>([](schema::Request::Builder r) {
    auto a = r.initAlterReservation();
    a.setReservation("R5");
    a.setForce(true);
    auto list = a.initChanges(2);
    list[0].setName("Authorized_Groups");
    list[0].setOp(schema::AttributeOp::UNSET);
    list[1].setName("reserve_duration");
    list[1].setValue("60");
  });
  auto resv = reservation_asked(asked.get().getAlterReservation());
  BOOST_TEST(!resv.find("reserve_end"));
  resv.put("Reserve_Name", {}, "mine");
  const auto left = with_reservation(asked, resv);
  const auto after = left.get().getAlterReservation();
  BOOST_TEST(schema::str(after.getReservation()) == "R5");
  BOOST_TEST(after.getForce());
  BOOST_TEST(after.getChanges().size() == 3u);
  BOOST_CHECK((after.getChanges()[0].getOp() == schema::AttributeOp::UNSET));
}

BOOST_AUTO_TEST_CASE(what_hooks_set_is_known_from_what_only_passes) {  // RS-21
  const auto change = [](const char* parameter, const char* attribute, const char* resource, const char* before, const char* after) {
    hooks::hook_change c;
    c.parameter = parameter;
    c.attribute = attribute;
    c.resource = resource;
    c.before = before;
    c.after = after;
    return c;
  };
  const auto names = set_in_job({change("job", "Resource_List", "select_reliable_startup", "", "2:ncpus=1"),
                                 change("job", "Resource_List", "rjselect", "2:ncpus=1", "2:ncpus=1"),
                                 change("job", "Resource_List", "mem", "1gb", ""), change("job", "project", "", "", "p"),
                                 change("vnode_list", "Resource_List", "ncpus", "", "1")});
  BOOST_TEST((names == std::vector<std::string>{"Resource_List.select_reliable_startup", "Resource_List.mem", "project"}));
}

BOOST_AUTO_TEST_CASE(moms_are_told_how_long_a_job_waits_for_hooks_on_their_way) {
  annals::test::followed site;
  const auto wait = [&] { return mom_hooks_message(site.where, 1).get().getHooks().getWaitSeconds(); };
  BOOST_TEST(wait() == 120u);
  site.write(0, model::make_event([](auto e) {
               auto c = e.initServer().initChanged().initChanges(1)[0];
               c.setName("sync_mom_hookfiles_timeout");
               c.setValue("7");
             }));
  BOOST_TEST(wait() == 7u);
}

BOOST_AUTO_TEST_CASE(the_same_text_has_the_same_command_id) {
  BOOST_TEST(repeatable_id("hook 12 0 7.borg") == repeatable_id("hook 12 0 7.borg"));
  BOOST_TEST(repeatable_id("hook 12 0 7.borg") != repeatable_id("hook 12 1 7.borg"));
  BOOST_TEST(repeatable_id("").size() == 16u);
}

BOOST_AUTO_TEST_SUITE_END()
