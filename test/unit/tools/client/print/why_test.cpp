// What qstat --why says.
#include <boost/test/unit_test.hpp>

#include <cstdlib>
#include <ctime>

#include "events/attributes/ids.hpp"
#include "events/schema/message.hpp"
#include "tools/client/print/why.hpp"

using namespace annals;
namespace ids = attributes::job;
using kind = schema::Why::Kind;

namespace {

struct asked_job {
  asked_job() {
    ::setenv("TZ", "UTC", 1);
    ::tzset();
    row.set(ids::job_state, "Q");
    row.set(ids::queue, "workq");
    row.set(ids::qtime, "1795222000");
  }
  schema::sealed<schema::JobWhy> said(
      kind k, const std::function<void(schema::Why::Builder)>& fill = [](auto) {}) const {
    return schema::make<schema::JobWhy>([&](schema::JobWhy::Builder w) {
      w.setComment("Not Running: a reason");
      w.setSinceNs(1'795'222'100'000'000'000);
      w.setSaidNs(1'795'222'200'000'000'000);
      w.setCycle(41);
      w.setScheduler("default");
      auto data = w.initData();
      data.setKind(k);
      fill(data);
    });
  }
  std::string text(schema::JobWhy::Reader why = {}) const {
    std::string out;
    client::put_why_text(out, {"12.borg", row.packed()}, why);
    return out;
  }
  std::string text(const schema::sealed<schema::JobWhy>& why) const { return text(*why); }
  std::string second(const schema::sealed<schema::JobWhy>& why) const {
    const auto all = text(why);
    std::size_t from = 0;
    for (int i = 0; i < 2; ++i) from = all.find('\n', from) + 1;
    return all.substr(from + 2, all.find('\n', from) - from - 2);
  }
  attributes::attribute_set row;
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(why_a_job_waits, asked_job)

BOOST_AUTO_TEST_CASE(a_waiting_job_is_told_with_its_reason) {
  const auto why = said(kind::RESOURCES, [](schema::Why::Builder w) {
    w.setResource("ncpus");
    w.setAsked("8");
    w.setFree("2");
    w.setTotal("16");
    w.initVnodes(2).set(0, "n1");
    w.getVnodes().set(1, "n2");
  });
  BOOST_TEST(
      text(why) ==
      "12.borg waits in queue workq.\n"
      "  Not Running: a reason\n"
      "  It asks for 8 of ncpus; 2 of 16 can be had on n1, n2.\n"
      "  It has waited for this since Sat Nov 21 00:48:20 2026; scheduler default said so last Sat Nov 21 00:50:00 2026 in cycle 41.\n");
}

BOOST_AUTO_TEST_CASE(each_kind_has_its_sentence) {
  BOOST_TEST(second(said(kind::POOL, [](auto w) {
               w.setResource("lic"), w.setAsked("3"), w.setFree("1"), w.setTotal("4"), w.setOwner("queue workq");
             })) == "It asks for 3 of lic; of what queue workq has 1 of 4 can be had.");
  BOOST_TEST(second(said(kind::RESOURCES, [](auto w) { w.setResource("arch"), w.setAsked("cray"), w.setTotal("linux"); })) ==
             "It asks for arch=cray; there is linux.");
  const auto few = said(kind::RESOURCES, [](auto w) {
    w.setResource("vnodes");
    w.setAsked("3");
    w.setFree("2");
    w.setTotal("4");
    w.initVnodes(1).set(0, "n4");
  });
  BOOST_TEST(second(few) == "It needs 3 vnodes; 2 of 4 are free, not n4.");
  BOOST_TEST(second(said(kind::LIMIT, [](auto w) { w.setLimit("max_run [u:alice=2]"), w.setOwner("server"), w.setCount("2"); })) ==
             "The limit max_run [u:alice=2] of server is reached: 2 of it is in use.");
  BOOST_TEST(second(said(kind::QUEUE, [](auto w) { w.setOwner("queue workq"); })) == "No job of queue workq may run now.");
  for (const auto k : {kind::PRIME_TIME, kind::DEDICATED, kind::ORDER, kind::BOOKED, kind::FORMULA, kind::SHARES, kind::PREEMPTION})
    BOOST_TEST(second(said(k)).ends_with("."));
}

BOOST_AUTO_TEST_CASE(a_vnode_that_can_not_be_used_is_told_with_its_state_and_its_comment) {
  const auto state_of = [](std::string_view state, std::string_view comment = "") {
    attributes::attribute_set vnode;
    vnode.set(attributes::node::state, state);
    if (!comment.empty()) vnode.set(attributes::node::comment, comment);
    const std::string packed(vnode.packed());
    return client::words_of_state({"n1", packed});
  };
  BOOST_TEST(state_of("free", "new") == "");
  BOOST_TEST(state_of("job-busy,resv-exclusive") == "");
  BOOST_TEST(state_of("down") == "down");
  BOOST_TEST(state_of("job-exclusive,offline,down", "broken fan") == "offline, down: broken fan");

  const auto only_one = [](int total) {
    return [total](schema::Why::Builder w) {
      w.setResource("vnodes");
      w.setAsked("host=n4");
      w.setFree("0");
      w.setTotal(std::to_string(total));
      w.initVnodes(1).set(0, "n4");
    };
  };
  const client::unusable_vnodes unusable{{"n4", "offline: broken fan"}, {"n5", "down"}};
  const auto why = said(kind::RESOURCES, only_one(1));
  std::string out;
  client::put_why_text(out, {"12.borg", row.packed()}, *why, unusable);
  const std::string expected = "\n  It asks for host=n4, which only n4 has: it can't be used now.\n  n4 is offline: broken fan.\n  It has ";
  BOOST_TEST(out.find(expected) != std::string::npos, out);
  BOOST_TEST(second(said(kind::RESOURCES, only_one(3))) == "It asks for host=n4, which only n4 and 2 more have: they can't be used now.");

  std::string data;
  client::why_json json;
  json.begin(data, 0, "1", "borg");
  json.put(data, {"12.borg", row.packed()}, *why, unusable);
  json.end(data);
  BOOST_TEST(data.find("\"unusable\":\t[\"n4 is offline: broken fan\"]") != std::string::npos, data);
}

BOOST_AUTO_TEST_CASE(a_vnode_that_jobs_fill_is_told_with_their_names) {
  const auto words = [](std::string_view state, std::string_view jobs, std::string_view reservations = "") {
    attributes::attribute_set vnode;
    vnode.set(attributes::node::state, state);
    vnode.set(attributes::node::jobs, jobs);
    if (!reservations.empty()) vnode.set(attributes::node::resv, reservations);
    vnode.set(attributes::node::comment, "new");
    const std::string packed(vnode.packed());
    return client::words_of_state({"n1", packed});
  };
  BOOST_TEST(words("free", "3.borg/0") == "");
  BOOST_TEST(words("job-busy", "3.borg/0, 3.borg/1") == "filled by 3.borg");
  BOOST_TEST(words("job-exclusive", "4[7].borg/0") == "taken whole by 4[7].borg");
  BOOST_TEST(words("resv-exclusive", "", "R5.borg") == "reserved: R5.borg");
  BOOST_TEST(words("job-busy,resv-exclusive", "6.borg/0", "R5.borg") == "filled by 6.borg");
  BOOST_TEST(words("job-busy,offline", "3.borg/0") == "offline: new");
  BOOST_TEST(words("job-busy", "1.b/0, 2.b/1, 3.b/2, 4.b/3, 5.b/4, 5.b/5, 6.b/6") == "filled by 1.b, 2.b, 3.b, 4.b and 2 more");

  const auto why = said(kind::RESOURCES, [](schema::Why::Builder w) {
    w.setResource("vnodes");
    w.setAsked("host=n1");
    w.setFree("0");
    w.setTotal("1");
    w.initVnodes(1).set(0, "n1");
  });
  std::string out;
  client::put_why_text(out, {"12.borg", row.packed()}, *why, {{"n1", "filled by 3.borg"}});
  const std::string expected = "\n  It asks for host=n1, which only n1 has: it can't be used now.\n  n1 is filled by 3.borg.\n  It has ";
  BOOST_TEST(out.find(expected) != std::string::npos, out);
}

BOOST_AUTO_TEST_CASE(what_stands_before_it_and_when_it_may_start_is_told) {
  const auto why = schema::make<schema::JobWhy>([](schema::JobWhy::Builder w) {
    w.setComment("Not Running: a reason");
    w.setBehind("10.borg");
    w.setSinceNs(1'795'222'100'000'000'000);
    w.setSaidNs(1'795'222'100'000'000'000);
  });
  row.set(ids::estimated, "start_time", "1795223000");
  row.set(ids::estimated, "exec_vnode", "(n1:ncpus=8)");
  const auto told = text(why);
  BOOST_TEST(told.find("\n  It waits behind 10.borg.\n") != std::string::npos, told);
  BOOST_TEST(told.ends_with("\n  Its start is expected Sat Nov 21 01:03:20 2026 on (n1:ncpus=8).\n"), told);
  row.set(ids::job_state, "S");
  BOOST_TEST(text(why).find("expected") == std::string::npos);  // of its last start
  row.set(ids::topjob, "True");
  BOOST_TEST(text(why).ends_with("\n  It is expected to go on Sat Nov 21 01:03:20 2026 on (n1:ncpus=8).\n"), text(why));
}

BOOST_AUTO_TEST_CASE(jobs_that_do_not_wait_are_told_as_what_they_are) {
  BOOST_TEST(text() == "12.borg waits in queue workq.\n  No scheduler has said why; it came Sat Nov 21 00:46:40 2026.\n");
  row.set(ids::job_state, "H");
  row.set(ids::Hold_Types, "uo");
  BOOST_TEST(text() == "12.borg is held by a user hold and an operator hold.\n");
  row.set(ids::Hold_Types, "s");
  row.set(ids::depend, "afterok:3.borg@borg,after:4.borg@borg,on:2,beforeok:5.borg@borg,runone:6.borg@borg");
  BOOST_TEST(text() ==
             "12.borg is held by a system hold.\n"
             "  It waits until 3.borg has ended with exit status 0.\n"
             "  It waits until 4.borg has started.\n"
             "  It waits for 2 more to say that they come before it.\n"
             "  Of it and 6.borg one is to run.\n");
  row.set(ids::job_state, "W");
  row.set(ids::Execution_Time, "1795223000");
  BOOST_TEST(text() == "12.borg waits for its time: Sat Nov 21 01:03:20 2026.\n");
  const auto files = schema::make<schema::JobWhy>([](schema::JobWhy::Builder w) { w.setComment("Its files could not be copied: no."); });
  BOOST_TEST(text(files) == "12.borg waits for its time: Sat Nov 21 01:03:20 2026.\n  Its files could not be copied: no.\n");
  row.set(ids::job_state, "R");
  row.set(ids::stime, "1795222000");
  row.set(ids::exec_vnode, "(n1:ncpus=1)");
  BOOST_TEST(text(said(kind::RESOURCES)) == "12.borg runs since Sat Nov 21 00:46:40 2026 on (n1:ncpus=1).\n");
  row.set(ids::job_state, "F");
  row.set(ids::Exit_status, "3");
  BOOST_TEST(text() == "12.borg has ended with exit status 3.\n");
}

BOOST_AUTO_TEST_CASE(a_job_that_waits_for_one_that_was_deleted_says_that_it_waits_for_ever) {
  row.set(ids::job_state, "H");
  row.set(ids::Hold_Types, "s");
  row.set(ids::depend, "afterok:3.borg@borg,afterany:4.borg@borg:5[].borg@borg,beforeok:6.borg@borg");
  BOOST_TEST((client::jobs_to_know({"12.borg", row.packed()}) == std::vector<std::string>{"3.borg", "4.borg", "5[].borg"}));
  attributes::attribute_set deleted, ended;
  for (auto* other : {&deleted, &ended}) other->set(ids::job_state, "F");
  ended.set(ids::stime, "1795222000");
  const client::known_jobs others = {
      {"3.borg", std::string(deleted.packed())}, {"4.borg", std::string(ended.packed())}, {"5[].borg", std::string(deleted.packed())}};
  std::string out;
  client::put_why_text(out, {"12.borg", row.packed()}, {}, {}, others);
  const std::string end = ", which was deleted before it ran: this can't be met any more. qalter -W depend= names other jobs.\n";
  BOOST_TEST(out == "12.borg is held by a system hold.\n  It waits for 3.borg" + end +
                        "  It waits until 4.borg has ended.\n  It waits for 5[].borg" + end);
  client::why_json json;
  std::string data;
  json.put(data, {"12.borg", row.packed()}, {}, {}, others);
  BOOST_TEST(data.find("\"deleted_before_they_ran\":\t[\"3.borg\", \"5[].borg\"]") != std::string::npos, data);
  row.set(ids::job_state, "Q");
  BOOST_TEST(client::jobs_to_know({"12.borg", row.packed()}).empty());
}

BOOST_AUTO_TEST_CASE(a_subjob_tells_the_limit_of_its_array) {
  attributes::attribute_set array;
  array.set(ids::job_state, "B");
  array.set(ids::max_run_subjobs, "2");
  array.set(ids::array_state_count, "Queued:3 Running:2 Exiting:0 Expired:1");
  BOOST_TEST((client::jobs_to_know({"12[9].borg", row.packed()}) == std::vector<std::string>{"12[].borg"}));
  const auto told = [&] {
    std::string out;
    client::put_why_text(out, {"12[9].borg", row.packed()}, {}, {}, {{"12[].borg", std::string(array.packed())}});
    return out;
  };
  BOOST_TEST(told().ends_with("  At most 2 of the subjobs of 12[].borg run at once (max_run_subjobs), and so many do.\n"), told());
  array.set(ids::array_state_count, "Queued:3 Running:1 Exiting:0 Expired:2");
  BOOST_TEST(told().find("At most") == std::string::npos);
}

BOOST_AUTO_TEST_CASE(a_job_that_never_ran_says_who_or_what_has_ended_it) {
  row.set(ids::job_state, "F");
  const auto why = schema::make<schema::JobWhy>([](schema::JobWhy::Builder w) { w.setComment("It was deleted by alice@front."); });
  BOOST_TEST(text(why) == "12.borg has ended without having run.\n  It was deleted by alice@front.\n");
  row.set(ids::comment, "Not Running: a reason and terminated");
  BOOST_TEST(text(why) ==
             "12.borg has ended without having run.\n  Not Running: a reason and terminated\n  It was deleted by alice@front.\n");
}

BOOST_AUTO_TEST_CASE(a_job_that_nobody_places_says_so) {  // MS-67
  using placing = schema::JobWhy::Placing;
  row.set(ids::queue, "q9");
  const auto why = [](placing what, const char* partition, const char* placer, const char* comment = "") {
    return schema::make<schema::JobWhy>([&](schema::JobWhy::Builder w) {
      w.setPlacing(what);
      w.setPartition(partition);
      w.setPlacer(placer);
      w.setComment(comment);
    });
  };
  const std::string waits = "12.borg waits in queue q9.\n  ";
  BOOST_TEST(text(why(placing::NOBODY, "P9", "")) == waits + "No scheduler has partition P9, in which queue q9 is.\n");
  BOOST_TEST(text(why(placing::OFF, "P9", "s9")) == waits + "Scheduler s9 of partition P9 is turned off.\n");
  BOOST_TEST(text(why(placing::DOWN, "", "default")) == waits + "Scheduler default is down.\n");
  const auto both = text(why(placing::DOWN, "", "default", "Not Running: a reason"));
  BOOST_TEST(both.starts_with(waits + "Scheduler default is down.\n  Not Running: a reason\n"), both);
  client::why_json document;
  std::string out;
  document.put(out, {"12.borg", row.packed()}, *why(placing::NOBODY, "P9", ""));
  for (const char* part : {"\"not_placed\":\t\"no scheduler\"", "\"partition\":\t\"P9\""})
    BOOST_TEST(out.find(part) != std::string::npos, out);
}

BOOST_AUTO_TEST_CASE(an_array_that_has_begun_tells_what_the_rest_of_it_waits_for) {
  row.set(ids::job_state, "B");
  row.set(ids::comment, "Job Array Began at Sat Nov 21 at 00:46");
  BOOST_TEST(text() == "12.borg is an array of which subjobs have begun.\n  Job Array Began at Sat Nov 21 at 00:46\n");
  const auto told = text(said(kind::OTHER));
  BOOST_TEST(told.starts_with("12.borg is an array of which subjobs have begun.\n  Not Running: a reason\n"), told);
  row.set(ids::max_run_subjobs, "2");
  row.set(ids::array_state_count, "Queued:3 Running:1 Exiting:0 Expired:1");
  BOOST_TEST(text().find("At most") == std::string::npos);
  row.set(ids::array_state_count, "Queued:2 Running:1 Exiting:1 Expired:1");
  BOOST_TEST(text().ends_with("  At most 2 of its subjobs run at once (max_run_subjobs), and so many do.\n"));
  client::why_json document;
  std::string out;
  document.begin(out, 1, "1.0", "borg");
  document.put(out, {"12.borg", row.packed()}, *said(kind::OTHER));
  BOOST_TEST(out.find("Not Running: a reason") != std::string::npos, out);
}

BOOST_AUTO_TEST_CASE(a_limit_of_a_vnode_is_told_with_the_vnode) {
  const auto limited = [](std::vector<const char*> vnodes) {
    return [vnodes](schema::Why::Builder w) {
      w.setResource("vnodes"), w.setLimit("max_user_run=1"), w.setOwner("vnode n1"), w.setCount("1");
      auto names = w.initVnodes(static_cast<unsigned>(vnodes.size()));
      for (unsigned i = 0; i < vnodes.size(); ++i) names.set(i, vnodes[i]);
    };
  };
  const std::string limit = "The limit max_user_run=1 of vnode n1 is reached: 1 of it is in use.";
  BOOST_TEST(second(said(kind::RESOURCES, limited({"n1"}))) == limit);
  BOOST_TEST(second(said(kind::RESOURCES, limited({"n1", "n2", "n3"}))) ==
             limit + " Limits on who runs there keep it from n2, n3, too.");
}

BOOST_AUTO_TEST_CASE(a_job_in_a_routing_queue_says_why_it_stays_there) {
  row.set(ids::queue, "rq");
  const auto why = schema::make<schema::JobWhy>([](schema::JobWhy::Builder w) {
    w.setComment("Destination short refuses it now: Queue is not enabled.\nIt is tried again every 30 seconds (route_retry_time).");
    w.initData().setKind(kind::QUEUE);
    w.getData().setOwner("routing queue rq");
  });
  const std::string sentences =
      "  Destination short refuses it now: Queue is not enabled.\n  It is tried again every 30 seconds (route_retry_time).\n";
  BOOST_TEST(text(why) == "12.borg waits in routing queue rq.\n" + sentences);
  std::string out;
  client::why_json().put(out, {"12.borg", row.packed()}, *why);
  const std::string list = "\"routing\":\t[\"Destination short refuses it now: Queue is not enabled.\", \"It is tried";
  BOOST_TEST(out.find(list) != std::string::npos, out);
  BOOST_TEST(out.find("comment") == std::string::npos, out);
  row.set(ids::job_state, "H");
  row.set(ids::Hold_Types, "u");
  BOOST_TEST(text(why) == "12.borg is held by a user hold.\n" + sentences);
  row.set(ids::job_state, "W");
  BOOST_TEST(text(why) == "12.borg waits for its time.\n" + sentences);
}

BOOST_AUTO_TEST_CASE(as_json_the_data_stand_by_name) {
  client::why_json document;
  std::string out;
  document.begin(out, 1, "1.0", "borg");
  document.put(out, {"12.borg", row.packed()},
               *said(kind::RESOURCES, [](auto w) { w.setResource("ncpus"), w.initVnodes(1).set(0, "n1"); }));
  document.end(out);
  for (const char* part : {"\"Why\":\t{", "\"12.borg\":\t{", "\"kind\":\t\"resources\"", "\"resource\":\t\"ncpus\"",
                           "\"vnodes\":\t[\"n1\"]", "\"cycle\":\t41", "\"since\":\t1795222100", "\"scheduler\":\t\"default\""})
    BOOST_TEST(out.find(part) != std::string::npos, part << " in " << out);
}

BOOST_AUTO_TEST_SUITE_END()
