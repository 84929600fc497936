#include <boost/test/unit_test.hpp>

#include "tools/client/job_ids.hpp"

using namespace annals::client;

BOOST_AUTO_TEST_SUITE(job_ids)

BOOST_AUTO_TEST_CASE(an_id_without_a_server_gets_the_default_one) {
  for (const auto& [text, id] : {std::pair{"12", "12.q1"},
                                 {"12.q1", "12.q1"},
                                 {"12[]", "12[].q1"},
                                 {"12[3]", "12[3].q1"},
                                 {"12[1-5].q1", "12[1-5].q1"},
                                 {"12[3-9:2]", "12[3-9:2].q1"},
                                 {"12.q1.example.org", "12.q1"}}) {
    const auto name = parse_job_name(text, "q1.example.org");
    BOOST_REQUIRE_MESSAGE(name, text);
    BOOST_TEST(name->id == id);
    BOOST_TEST(name->server.empty());
  }
}

BOOST_AUTO_TEST_CASE(malformed_ids_are_none) {
  for (const char* text :
       {"abc", "", "1.2.3", "99999.other", "12[1,5]", "12[", "12[1", "121]", "12[x]", "12[]x", "12@", "-1", "1 2", ".q1"}) {
    BOOST_TEST(!parse_job_name(text, "q1"), text);
  }
}

BOOST_AUTO_TEST_CASE(the_server_behind_an_at_sign_is_told_apart) {
  const auto name = parse_job_name("12@other", "q1");
  BOOST_REQUIRE(name);
  BOOST_TEST(name->id == "12.q1");
  BOOST_TEST(name->server == "other");
}

BOOST_AUTO_TEST_CASE(a_port_in_the_servers_name_is_no_part_of_ids) {
  BOOST_TEST(parse_job_name("12", "localhost:19999")->id == "12.localhost");
}

BOOST_AUTO_TEST_CASE(destinations_name_a_queue_a_server_or_both) {
  BOOST_TEST(parse_destination("workq")->queue == "workq");
  BOOST_TEST(parse_destination("@q1")->server == "q1");
  BOOST_TEST(parse_destination("workq@q1")->queue == "workq");
  BOOST_TEST(parse_destination("")->queue.empty());
  for (const char* text : {"@", "a b", "q@", "q@a@b"}) BOOST_TEST(!parse_destination(text), text);
}

BOOST_AUTO_TEST_CASE(the_exit_status_is_the_error_modulo_256) {
  BOOST_TEST(exit_status(15001) == 153);
  BOOST_TEST(exit_status(15007) == 159);
  BOOST_TEST(exit_status(15139) == 35);
}

BOOST_AUTO_TEST_CASE(some_texts_have_two_blanks_before_the_object) {
  BOOST_TEST(refusal_line("qdel", 15007, "Unauthorized Request", "11.q1") == "qdel: Unauthorized Request  11.q1");
  BOOST_TEST(refusal_line("qdel", 15007, "Unauthorized Request ", "11.q1") == "qdel: Unauthorized Request  11.q1");
  BOOST_TEST(refusal_line("qdel", 15001, "Unknown Job Id", "9.q1") == "qdel: Unknown Job Id 9.q1");
  BOOST_TEST(refusal_line("qalter", 15015, "Cannot modify attribute while job running  umask", "2.q1") ==
             "qalter: Cannot modify attribute while job running  umask 2.q1");
  BOOST_TEST(refusal_line("qsub", 15018, "Unknown queue") == "qsub: Unknown queue");
}

BOOST_AUTO_TEST_CASE(a_list_goes_on_after_a_malformed_id) {
  std::vector<std::string> seen;
  const std::vector<std::string> words{"1", "abc", "2"};
  const int status = for_each_job("qx", words, "q1", [&](const job_name& n) {
    seen.push_back(n.id);
    return n.id == "2.q1" ? 0 : 153;
  });
  BOOST_TEST(status == 1);
  BOOST_TEST(seen == (std::vector<std::string>{"1.q1", "2.q1"}), boost::test_tools::per_element());
}

BOOST_AUTO_TEST_SUITE_END()
