// The cluster's CA: made once, kept private, never overwritten; and what a daemon's files must be.
#include <sys/stat.h>

#include <fstream>
#include <iterator>
#include <thread>

#include "test/unit/actors/link/wire/wire_fixture.hpp"

using namespace annals::wire;
using namespace annals::wire::testing;
using kind = identity::kind;

namespace {

unsigned mode_of(const std::string& path) {
  struct stat s {};
  BOOST_REQUIRE(::stat(path.c_str(), &s) == 0);
  return s.st_mode & 07777;
}

std::string text_of(const std::string& path) {
  std::ifstream in(path);
  return std::string(std::istreambuf_iterator<char>(in), {});
}

bool says(const wire_error& e, const std::string& part) { return contains(e.what(), part); }

}  // namespace

BOOST_AUTO_TEST_SUITE(certificate_authority)

BOOST_AUTO_TEST_CASE(key_and_directory_are_for_the_owner_only) {
  const directory dir;
  const auto ca = authority::open_or_create(dir.at("ca"));
  BOOST_TEST(mode_of(dir.at("ca")) == 0700u);
  BOOST_TEST(mode_of(dir.at("ca/ca.key")) == 0600u);
  BOOST_TEST(mode_of(dir.at("ca/ca.pem")) == 0600u);
  BOOST_TEST(ca.ca_file() == dir.at("ca/ca.pem"));
}

BOOST_AUTO_TEST_CASE(an_existing_ca_is_used_and_never_overwritten) {
  const directory dir;
  authority::open_or_create(dir.at("ca"));
  const auto key = text_of(dir.at("ca/ca.key"));
  const auto again = authority::open_or_create(dir.at("ca/"));
  BOOST_TEST(text_of(dir.at("ca/ca.key")) == key);
  BOOST_TEST(text_of(again.ca_file()) == again.issue(kind::mom, "n1").ca_pem);
}

BOOST_AUTO_TEST_CASE(an_empty_directory_gets_a_ca_and_nothing_else_is_left) {
  const directory dir;
  std::filesystem::create_directory(dir.at("ca"));
  authority::open_or_create(dir.at("ca"));
  BOOST_TEST(mode_of(dir.at("ca")) == 0700u);
  BOOST_TEST(std::distance(std::filesystem::directory_iterator(dir.path), {}) == 1);
}

BOOST_AUTO_TEST_CASE(many_who_make_the_ca_at_once_get_the_same_one) {
  const directory dir;
  std::vector<std::string> keys(4);
  std::vector<std::thread> makers;
  for (auto& key : keys)
    makers.emplace_back([&] {
      authority::open_or_create(dir.at("ca"));
      key = text_of(dir.at("ca/ca.key"));
    });
  for (auto& m : makers) m.join();
  for (const auto& key : keys) BOOST_TEST(key == keys[0]);
  BOOST_TEST(std::distance(std::filesystem::directory_iterator(dir.path), {}) == 1);
}

BOOST_AUTO_TEST_CASE(half_a_ca_is_reported_and_not_completed) {
  const directory dir;
  authority::open_or_create(dir.at("ca"));
  std::filesystem::remove(dir.at("ca/ca.key"));
  BOOST_CHECK_EXCEPTION(authority::open_or_create(dir.at("ca")), wire_error,
                        [](const wire_error& e) { return says(e, "ca.key: No such file"); });
  BOOST_TEST(!std::filesystem::exists(dir.at("ca/ca.key")));
}

BOOST_AUTO_TEST_CASE(a_ca_that_others_may_read_is_refused) {
  const directory dir;
  authority::open_or_create(dir.at("ca"));
  ::chmod(dir.at("ca").c_str(), 0755);
  BOOST_CHECK_EXCEPTION(authority::open(dir.at("ca")), wire_error, [](const wire_error& e) { return says(e, "chmod 700"); });
  ::chmod(dir.at("ca").c_str(), 0700);
  ::chmod(dir.at("ca/ca.key").c_str(), 0640);
  BOOST_CHECK_EXCEPTION(authority::open(dir.at("ca")), wire_error, [](const wire_error& e) { return says(e, "chmod 600"); });
}

BOOST_AUTO_TEST_CASE(open_does_not_make_a_ca) {
  const directory dir;
  BOOST_CHECK_THROW(authority::open(dir.at("ca")), wire_error);
  BOOST_TEST(!std::filesystem::exists(dir.at("ca")));
}

BOOST_AUTO_TEST_CASE(names_are_checked_before_they_stand_in_a_certificate) {
  const directory dir;
  const auto ca = authority::open_or_create(dir.at("ca"));
  BOOST_CHECK_NO_THROW(ca.issue(kind::mom, std::string(253, 'n')));
  for (const std::string& name : {std::string(), std::string(254, 'n'), std::string("n1,URI:annals:server/q1"),
                                  std::string("n1\n"), std::string("n/1")})
    BOOST_CHECK_THROW(ca.issue(kind::mom, name), wire_error);
  BOOST_CHECK_THROW(ca.issue(kind::local, "alice"), wire_error);
}

BOOST_AUTO_TEST_CASE(a_private_file_is_new_and_for_its_owner_only) {
  const directory dir;
  create_private_file(dir.at("key"), "secret");
  BOOST_TEST(mode_of(dir.at("key")) == 0600u);
  BOOST_CHECK_EXCEPTION(create_private_file(dir.at("key"), "other"), wire_error,
                        [](const wire_error& e) { return says(e, "File exists"); });
  BOOST_TEST(text_of(dir.at("key")) == "secret");
}

BOOST_AUTO_TEST_CASE(credentials_that_can_not_be_used_are_named) {
  const directory dir;
  const auto ca = authority::open_or_create(dir.at("ca"));
  const auto mine = ca.issue(kind::server, "q1"), other = ca.issue(kind::mom, "n1");
  create_private_file(dir.at("good.pem"), mine.bundle());
  create_private_file(dir.at("no-key.pem"), mine.ca_pem + mine.certificate_pem);
  create_private_file(dir.at("other-key.pem"), mine.ca_pem + mine.certificate_pem + other.key_pem);
  create_private_file(dir.at("open.pem"), mine.bundle());
  ::chmod(dir.at("open.pem").c_str(), 0644);
  io_pool pool;
  const auto refused = [&](const std::string& file, const std::string& why) {
    BOOST_CHECK_EXCEPTION(pool.listen_tls("127.0.0.1", 0, credentials::bundle(dir.at(file)), {}), wire_error,
                          [&](const wire_error& e) { return says(e, file) && says(e, why); });
  };
  BOOST_CHECK_NO_THROW(pool.listen_tls("127.0.0.1", 0, credentials::bundle(dir.at("good.pem")), {}));
  refused("missing.pem", "No such file");
  refused("no-key.pem", "no private key");
  refused("other-key.pem", "not the key of");
  refused("open.pem", "chmod 600");
}

BOOST_AUTO_TEST_SUITE_END()
