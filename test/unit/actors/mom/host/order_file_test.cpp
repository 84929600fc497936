#include "actors/mom/host/order_file.hpp"

#include <boost/test/unit_test.hpp>

#include "actors/mom/host/user_request.hpp"

using namespace annals::mom;

BOOST_AUTO_TEST_SUITE(order_file)

namespace {

shepherd_order full() {
  shepherd_order o;
  o.key = "12.borg.1";
  o.job_id = "12.borg";
  o.user = "anna";
  o.change_user = true;
  o.uid = 1000;
  o.gid = 100;
  o.groups = {100, 27};
  o.environment = {"A=b=c", "EMPTY=", "LINES=one\ntwo"};
  o.program = {"/bin/echo", "", "two words"};
  o.find_program = true;
  o.stdout_file = "/spool/12.OU";
  o.output_is_appended = true;
  o.may_run_again = true;
  o.umask = 022;
  o.cpu_seconds_max = 0;
  o.file_bytes_max = UINT64_MAX;
  o.nice = -5;
  o.make_jobdir = true;
  o.attached_pid = 12;
  o.attached_session = 10;
  o.attached_ticks = UINT64_MAX;
  o.cgroup_roots = {"v2:/sys/fs/cgroup/unified", "memory:/sys/fs/cgroup/memory"};
  o.cgroup_parent = "annals/n1-1f0c5a9d";
  o.cgroup_memory_bytes = 1024;
  o.cgroup_ncpus = 2;
  o.cgroup_cpu_quota = true;
  return o;
}

}  // namespace

BOOST_AUTO_TEST_CASE(an_order_is_read_as_it_was_written) {
  BOOST_TEST((parse_order(print_order(full())) == full()));
  BOOST_TEST((parse_order(print_order({})) == shepherd_order{}));
}

BOOST_AUTO_TEST_CASE(only_journals_that_are_not_synced_have_a_mark_which_is_of_every_byte_of_the_order) {
  auto order = full();
  const auto text = print_order(order);
  const auto parts = parts_of(text + "claimed 1 boot\n", order.key);
  BOOST_TEST(parts.journal_at == text.size());
  BOOST_TEST(parts.mark.size() == 16u);
  BOOST_TEST(parts.mark == journal_mark(order, text));
  for (std::size_t n = 0; n < text.size(); ++n) {
    auto other = text;
    other[n] ^= 1;
    BOOST_TEST(journal_mark(order, other) != parts.mark);
  }
  order.may_run_again = false;
  BOOST_TEST(parts_of(print_order(order), order.key).mark == "");
}

BOOST_AUTO_TEST_CASE(a_part_of_an_order_is_no_order) {
  const auto whole = print_order(full());
  for (std::size_t n = 0; n < whole.size(); ++n) BOOST_TEST(!parse_order(whole.substr(0, n)));
}

BOOST_AUTO_TEST_CASE(an_unknown_field_or_a_bad_number_is_no_order) {
  using namespace std::string_literals;
  BOOST_TEST(parse_order("annals-order=1\0uid=7\0end=1\0"s).has_value());
  BOOST_TEST(!parse_order("annals-order=1\0colour=7\0end=1\0"s));
  BOOST_TEST(!parse_order("annals-order=1\0uid=x\0end=1\0"s));
  BOOST_TEST(!parse_order("annals-order=1\0uid=4294967296\0end=1\0"s));
  BOOST_TEST(!parse_order("annals-order=2\0end=1\0"s));
}

BOOST_AUTO_TEST_CASE(a_request_is_read_as_it_was_written) {
  user_request r;
  r.uid = 5;
  r.groups = {5, 6};
  r.user = "anna";
  r.home = "/home/anna";
  r.scp = {"/usr/bin/scp", "-B"};
  r.pauses_s = {0, 10};
  r.copying_s = 3600;
  r.first_try = true;
  r.copies = {{"/spool/a", "far", "/x", "/undelivered/a", false}, {"/spool/b", "", "/y", "/undelivered/b", true}};
  r.copies.push_back({"/spool/c", "", "/z", "/undelivered/c", true, record_task{"/all", "12[].b.OU", "q1", {12, 3, 1, 'e'}}});
  r.jobdir = "/home/anna/pbs.1.b.x8z";
  r.lock = "/jobs/1.b.1.copy";
  r.cp = {"/bin/cp", "-rp"};
  r.stages = {{stage_task::kind::in, "in", "q1", "/x", false},
              {stage_task::kind::out, "*.dat", "q2", "y", true},
              {stage_task::kind::drop, "in", "q1", "/x", false}};
  r.appends = {{"/spool/b", "text\n"}, {"/spool/c", std::string("\0a\\\\0\\", 6), true}};
  r.removals = {"/tmp/x"};
  r.kept_with = {"1.b.OU"};
  BOOST_TEST((parse_request(print_request(r)) == r));
  const user_answer a{1, "why\nnot\n", 5'000'000'000, {"command: cp a b status=1, try=1"}};
  BOOST_TEST((parse_answer(print_answer(a)) == a));
  BOOST_TEST(!parse_answer("nonsense"));
}

BOOST_AUTO_TEST_CASE(answers_behind_each_other_are_read_one_by_one) {
  const user_answer a{1, "end=1\n"}, b{2, ""};
  const auto both = print_answer(a) + print_answer(b);
  BOOST_TEST((parse_answer(first_of(both)) == a));
  BOOST_TEST((parse_answer(first_of(std::string_view(both).substr(first_of(both).size()))) == b));
  const auto one = print_answer(a);
  for (std::size_t cut = 0; cut < one.size(); ++cut) BOOST_TEST(first_of(std::string_view(one).substr(0, cut)).empty());
}

BOOST_AUTO_TEST_SUITE_END()
