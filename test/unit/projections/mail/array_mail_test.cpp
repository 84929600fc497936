// Mails of job arrays and their subjobs, as transcripts of a PBS show them.
#include "test/unit/projections/accounting/array_story.hpp"
#include "test/unit/projections/mail/mail_fixture.hpp"

using namespace annals;
using namespace annals::test;

namespace {

const model::requester root_on_q1{"root", "q1", schema::Role::ROOT};

// "602[].q1: Begun execution"; of bodies the first line.
std::string line_of(const projections::mail& m) {
  constexpr std::string_view id = "PBS Job Id: ";
  const auto at = m.text.find(id) + id.size();
  const auto body = bodies_of({m}).front();
  return m.text.substr(at, m.text.find('\n', at) - at) + ": " + body.substr(0, body.find('\n'));
}

struct mailed_array : told_array {
  void submit_with(const std::string& points, const std::string& indices = "1-2") {
    submit(indices, {{"Mail_Points", "", points}});
  }
  std::vector<std::string> mails(std::size_t learned = 0) {
    projections::mails learning(history_of(log.store)), fold(history_of(log.store));
    for (std::size_t i = 0; i < learned; ++i) learning.learn(*log.records[i]);
    stored::restore_whole(stored_bytes(learning), fold);
    std::vector<std::string> all;
    for (auto i = learned; i < log.records.size(); ++i)
      fold.fold(*log.records[i], [&](const projections::mail& m) { all.push_back(line_of(m)); });
    jobs_kept = fold.jobs_kept();
    return all;
  }
  std::size_t jobs_kept = 0;  // when all was folded
};

using texts = std::vector<std::string>;
const std::string has_begun = ": Begun execution", is_over = ": Execution terminated";
const std::string deleted_by_root = ": Job to be deleted at request of root@q1";

}  // namespace

BOOST_FIXTURE_TEST_SUITE(mails_of_arrays, mailed_array)

BOOST_AUTO_TEST_CASE(an_array_has_its_mails_and_its_subjobs_none) {
  submit_with("abe");
  auto first = runs(1), second = runs(2);
  ends(first, 0);
  ends(second, -29);
  BOOST_TEST(mails() == (texts{"602[].q1" + has_begun, "602[].q1" + is_over}), boost::test_tools::per_element());
  BOOST_TEST(jobs_kept == 0u);
}

BOOST_AUTO_TEST_CASE(with_j_subjobs_have_theirs_too) {
  submit_with("jabe");
  auto first = runs(1), second = runs(2);
  ends(first, 0);
  ends(second, 0);
  BOOST_TEST(mails() == (texts{"602[].q1" + has_begun, "602[1].q1" + has_begun, "602[2].q1" + has_begun, "602[1].q1" + is_over,
                               "602[2].q1" + is_over, "602[].q1" + is_over}),
             boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(where_the_site_wants_it_subjobs_are_told_their_efficiency_and_the_array_is_not) {
  log.server({{"mail_efficiency", "", "True"}}, root_on_q1);
  submit_with("jabe");
  auto first = runs(1), second = runs(2);
  ends(first, 0);
  ends(second, 0);
  texts told;
  for (const auto& m : mails_of_log(log.records, history_of(log.store)))
    if (m.text.find("  walltime%\n" + m.about + "  ") != std::string::npos) told.push_back(line_of(m));
  BOOST_TEST(told == (texts{"602[1].q1" + is_over, "602[2].q1" + is_over}), boost::test_tools::per_element());
  BOOST_TEST(mails().back() == "602[].q1" + is_over);
}

// qdel -W suppress_email.
BOOST_AUTO_TEST_CASE(who_deletes_without_mail_sends_none) {
  submit_with("jabe");
  auto first = runs(1);
  const auto quietly = [](const std::string& id) {
    return model::client_request{make_request([&](schema::Request::Builder r) {
      r.initDeleteJob().setJob(id);
      r.getDeleteJob().setNoMail(true);
    })};
  };
  const auto told = mails();
  asks(quietly("602[2]"), root_on_q1);
  first.when(quietly("602[1]"), root_on_q1);
  log.told(first);
  asks(quietly("602[]"), root_on_q1);
  BOOST_TEST(mails() == told, boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(with_je_there_is_none_of_a_begin) {
  submit_with("je");
  auto first = runs(1), second = runs(2);
  ends(first, 0);
  ends(second, 0);
  BOOST_TEST(mails() == (texts{"602[1].q1" + is_over, "602[2].q1" + is_over, "602[].q1" + is_over}), boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(a_deletion_by_another_is_told_of_the_subjob_that_was_named_and_else_of_the_array_alone) {
  for (const char* points : {"a", "ja"}) {
    mailed_array one;
    one.submit_with(points, "1-3");
    auto first = one.runs(1), second = one.runs(2);
    second.when(remove(), root_on_q1);
    one.ends(second, 271);
    one.asks(remove_subjobs("602[3]"), root_on_q1);
    one.asks(remove(), root_on_q1);
    const auto told = one.log.records.size();
    first.when(remove(), root_on_q1);
    one.ends(first, 271);
    const auto all = one.mails();
    BOOST_TEST(all == (texts{"602[2].q1" + deleted_by_root, "602[3].q1" + deleted_by_root, "602[].q1" + deleted_by_root}),
               boost::test_tools::per_element());
    BOOST_TEST(one.mails(told).empty());  // a server that begins here has to know it too
  }
}

BOOST_AUTO_TEST_CASE(several_queued_subjobs_that_are_deleted_and_what_its_owner_deletes_are_no_mail) {
  submit_with("abe", "1-4");
  asks(remove_subjobs("602[1-2]"), root_on_q1);
  asks(remove_subjobs("602[3]"), owner);
  asks(remove_subjobs("602[4]"), owner);
  BOOST_TEST(story.job.ended());
  BOOST_TEST(mails().empty());
}

BOOST_AUTO_TEST_CASE(a_subjob_that_is_its_arrays_again_is_not_kept) {
  submit_with("jabe");
  auto first = runs(1);
  first.when(rerun(), manager());
  first.exits(-11);
  first.leaves();
  leaves(first, {.requeued = true, .run_count = 1});
  BOOST_TEST(mails() == (texts{"602[].q1" + has_begun, "602[1].q1" + has_begun}), boost::test_tools::per_element());
  BOOST_TEST(jobs_kept == 1u);  // the array
}

BOOST_AUTO_TEST_SUITE_END()
