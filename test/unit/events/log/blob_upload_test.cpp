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
  const auto hash = std::get<std::string>(u.finish(store));
  BOOST_TEST((hash == blob_of(whole).hash));
  BOOST_TEST((store.read_blob(hash).value() == bytes_of(whole)));
  BOOST_TEST(std::filesystem::is_empty(d.path));
}

BOOST_AUTO_TEST_CASE(an_upload_of_nothing_is_the_empty_blob) {
  own_directory d;
  memory_event_store store;
  blob_upload u(d.path);
  const auto hash = std::get<std::string>(u.finish(store));
  BOOST_TEST(store.read_blob(hash).value().empty());
}

BOOST_AUTO_TEST_CASE(the_largest_blob_is_taken_and_one_byte_more_is_not) {
  own_directory d;
  blob_upload u(d.path);
  const std::vector<std::byte> piece(limits::blob_piece_bytes);
  for (std::size_t i = 0; i < limits::blob_bytes_max / piece.size(); ++i) BOOST_REQUIRE(u.add(piece));
  const auto refused = u.add(bytes_of("x"));
  BOOST_TEST(refused.text.find("blob_bytes_max") != std::string::npos);
  memory_event_store store;
  BOOST_TEST(std::holds_alternative<ports::store_status>(u.finish(store)));
}

BOOST_AUTO_TEST_CASE(a_directory_that_is_not_there_is_named) {
  blob_upload u("/nonexistent/uploads");
  BOOST_TEST(u.add(bytes_of("x")).text.find("/nonexistent/uploads") != std::string::npos);
}

BOOST_AUTO_TEST_SUITE_END()
