#include "events/log/blob_upload.hpp"

#include "events/log/memory_event_store.hpp"
#include "events/model/limits.hpp"
#include "test/unit/events/log/log_fixture.hpp"

using namespace annals;
using namespace annals::log;

BOOST_AUTO_TEST_SUITE(upload)

BOOST_AUTO_TEST_CASE(pieces_of_any_size_become_one_blob) {
  own_directory d;
  memory_event_store store;
  blob_upload u(d.path);
  std::string whole;
  for (std::size_t size :
       {std::size_t{1}, std::size_t{70'000}, limits::blob_piece_bytes, limits::blob_piece_bytes + 7}) {
    const std::string piece(size, static_cast<char>('a' + size % 26));
    BOOST_REQUIRE(u.add(bytes_of(piece)));
    whole += piece;
  }
  BOOST_TEST(u.size() == whole.size());
  BOOST_REQUIRE(u.finish(store));
  const auto hash = u.hash();
  BOOST_TEST((hash == blob_of(whole).hash));
  BOOST_TEST((store.read_blob(hash).value() == bytes_of(whole)));
  BOOST_TEST(std::filesystem::is_empty(d.path));
}

BOOST_AUTO_TEST_CASE(an_upload_of_nothing_is_the_empty_blob) {
  own_directory d;
  memory_event_store store;
  blob_upload u(d.path);
  BOOST_REQUIRE(u.finish(store));
  BOOST_TEST(store.read_blob(u.hash()).value().empty());
}

BOOST_AUTO_TEST_CASE(the_largest_blob_is_taken_and_one_byte_more_is_not) {
  own_directory d;
  blob_upload u(d.path);
  const std::vector<std::byte> piece(limits::blob_piece_bytes);
  for (std::size_t i = 0; i < limits::blob_bytes_max / piece.size(); ++i) BOOST_REQUIRE(u.add(piece));
  const auto refused = u.add(bytes_of("x"));
  BOOST_TEST(refused.text.find("blob_bytes_max") != std::string::npos);
  memory_event_store store;
  BOOST_TEST(!u.finish(store));
}

BOOST_AUTO_TEST_CASE(a_blob_that_is_there_and_damaged_is_whole_again) {
  own_directory d;
  memory_event_store store;
  const auto script = blob_of("#!/bin/sh\n");
  ports::write_batch b;
  b.blobs.push_back({script.hash, bytes_of("#!/bin/rm\n")});
  BOOST_REQUIRE(store.append(b));
  BOOST_REQUIRE(!store.read_blob(script.hash));
  blob_upload u(d.path);
  BOOST_REQUIRE(u.add(script.bytes));
  BOOST_REQUIRE(u.finish(store));
  BOOST_TEST((store.read_blob(script.hash).value() == script.bytes));
  store.sweep();  // a job has named it before: it is not the upload's
  BOOST_TEST(store.read_blob(script.hash).has_value());
}

BOOST_AUTO_TEST_CASE(a_directory_that_is_not_there_is_named) {
  blob_upload u("/nonexistent/uploads");
  BOOST_TEST(u.add(bytes_of("x")).text.find("/nonexistent/uploads") != std::string::npos);
}

BOOST_AUTO_TEST_SUITE_END()
