// Room for uploads, and what a client may claim of them: the book alone, without actors.
#include <boost/test/unit_test.hpp>

#include "actors/gateway/callers/upload_book.hpp"
#include "events/log/memory_event_store.hpp"
#include "events/log/record.hpp"
#include "events/model/limits.hpp"
#include "test/support/temporary_directory.hpp"

using namespace annals;

namespace {

std::string hash_of(const std::string& text) { return log::content_hash(std::as_bytes(std::span(text))); }

struct book {
  test::temporary_directory directory;
  log::memory_event_store store;
  actors::upload_book uploads{&store, directory.path};

  // "taken", or why not.
  std::string put(std::uint64_t client, const std::string& hash, const std::string& data, std::uint64_t offset = 0, bool last = true,
                  const std::string& user = "alice") {
    const auto request = schema::make<schema::Request>([&](schema::Request::Builder r) {
      auto p = r.initPutBlob();
      p.setHash({reinterpret_cast<const kj::byte*>(hash.data()), hash.size()});
      p.setOffset(offset);
      p.setData({reinterpret_cast<const kj::byte*>(data.data()), data.size()});
      p.setLast(last);
    });
    const auto why = uploads.take(client, user, request.get().getPutBlob());
    return why ? why->text : "taken";
  }
  std::string claim(std::uint64_t client, const std::string& text) {
    const auto why = uploads.claim(client, hash_of(text), text.size());
    return why ? why->upload_again ? "again" : why->text : "yes";
  }
};

const std::string script(1000, '#');

}  // namespace

BOOST_AUTO_TEST_SUITE(book_of_uploads)

BOOST_AUTO_TEST_CASE(a_client_claims_what_it_sent_and_nobody_else_does) {
  book b;
  BOOST_TEST(b.put(1, hash_of(script), script) == "taken");
  BOOST_TEST(b.claim(1, script) == "yes");
  BOOST_TEST(b.claim(1, script) == "yes");
  BOOST_TEST(b.claim(2, script) == "again");
  BOOST_TEST(b.claim(1, "another") == "again");
  BOOST_TEST(b.store.read_blob(hash_of(script)).has_value());
}

BOOST_AUTO_TEST_CASE(a_claim_of_another_size_is_told_the_right_one) {
  book b;
  b.put(1, hash_of(script), script);
  const auto why = b.uploads.claim(1, hash_of(script), 999);
  BOOST_REQUIRE(why.has_value());
  BOOST_TEST(why->text == "Batch protocol error: the job's script has 1000 bytes, not 999");
  BOOST_TEST(!why->upload_again);
}

BOOST_AUTO_TEST_CASE(pieces_come_in_order_or_the_upload_ends) {
  book b;
  const auto hash = hash_of(script);
  BOOST_TEST(b.put(1, hash, script.substr(0, 400), 0, false) == "taken");
  BOOST_TEST(b.claim(1, script) == "again");  // not whole
  BOOST_TEST(b.put(1, hash, script.substr(400), 400, true) == "taken");
  BOOST_TEST(b.claim(1, script) == "yes");
  BOOST_TEST(b.put(2, hash, script.substr(0, 400), 0, false) == "taken");
  BOOST_TEST(b.put(2, hash, script.substr(500), 500, true) ==
             "System error: the piece before offset 500 is not here: upload the script again");
  BOOST_TEST(b.put(2, hash, script.substr(400), 400, true).starts_with("System error"));
  BOOST_TEST(b.uploads.clients() == 1u);  // nothing of the second is left
}

BOOST_AUTO_TEST_CASE(an_upload_that_begins_anew_replaces_the_old_one) {
  book b;
  const auto hash = hash_of(script);
  b.put(1, hash, script.substr(0, 400), 0, false);
  BOOST_TEST(b.put(1, hash, script) == "taken");
  BOOST_TEST(b.claim(1, script) == "yes");
}

BOOST_AUTO_TEST_CASE(bytes_of_another_hash_and_a_hash_of_another_size_are_refused) {
  book b;
  BOOST_TEST(b.put(1, hash_of("other"), script) == "System error: the script's bytes are not those its hash was made of");
  BOOST_TEST(b.put(1, "short", script) == "Batch protocol error: the hash of an upload has 32 bytes, not 5");
  BOOST_TEST(b.uploads.clients() == 0u);
}

BOOST_AUTO_TEST_CASE(a_client_that_is_gone_is_forgotten) {
  book b;
  b.put(1, hash_of(script), script);
  b.put(2, hash_of(script), script.substr(0, 10), 0, false);
  b.uploads.forget(1);
  b.uploads.forget(2);
  b.uploads.forget(3);
  BOOST_TEST(b.claim(1, script) == "again");
  BOOST_TEST(b.put(2, hash_of(script), script.substr(10), 10, true).starts_with("System error"));
  BOOST_TEST(b.uploads.clients() == 0u);
}

BOOST_AUTO_TEST_CASE(so_many_are_open_at_once_as_the_limits_say) {
  book b;
  const auto open = [&](std::uint64_t client, std::size_t n, const std::string& user = "alice") {
    return b.put(client, std::string(32, static_cast<char>(n)), "x", 0, false, user);
  };
  std::uint64_t client = 0;
  for (std::size_t of_user = 0; of_user < limits::open_uploads_of_user_max; ++client)
    for (std::size_t n = 0; n < limits::open_uploads_of_client_max && of_user < limits::open_uploads_of_user_max; ++n, ++of_user)
      BOOST_REQUIRE(open(client, n) == "taken");
  BOOST_TEST(open(0, 100) == "System error: too many uploads of one client at once (limit 4)");
  BOOST_TEST(open(client, 0) == "System error: too many uploads of one user at once (limit 64)");
  BOOST_TEST(open(client, 0, "bob") == "taken");
}

BOOST_AUTO_TEST_CASE(the_oldest_of_many_is_forgotten) {
  book b;
  std::vector<std::string> texts;
  for (std::size_t n = 0; n <= limits::remembered_uploads_max; ++n) texts.push_back(std::string(10, static_cast<char>('a' + n)));
  for (std::size_t n = 0; n < limits::remembered_uploads_max; ++n) b.put(1, hash_of(texts[n]), texts[n]);
  BOOST_TEST(b.claim(1, texts[0]) == "yes");
  b.put(1, hash_of(texts[0]), texts[0]);  // again: now the newest
  b.put(1, hash_of(texts.back()), texts.back());
  BOOST_TEST(b.claim(1, texts[0]) == "yes");
  BOOST_TEST(b.claim(1, texts[1]) == "again");
}

BOOST_AUTO_TEST_SUITE_END()
