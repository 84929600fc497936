// Who speaks TM on a host (docs/design/0022-task-manager.md): requests from outside and their bounds; attached sessions.
#include <boost/test/unit_test.hpp>

#include <unistd.h>

#include "actors/mom/attached.hpp"
#include "actors/mom/tm_requests.hpp"
#include "events/model/task_limits.hpp"
#include "events/schema/message.hpp"

using namespace annals;
using namespace annals::actors;

namespace {

template <class Fill>
tm_request read(Fill&& fill) {
  const auto message = schema::make<schema::TmRequest>(std::forward<Fill>(fill));
  return read_tm_request(message.get());
}

std::uint32_t code_of(const tm_request& request) {
  const auto* wrong = std::get_if<tm_wrong>(&request);
  return wrong ? wrong->code : 0;
}

tm_request spawn(std::vector<std::string> argv, std::vector<std::string> environment) {
  return read([&](schema::TmRequest::Builder r) {
    auto s = r.initSpawn();
    s.setNode(1);
    auto a = s.initArgv(static_cast<unsigned>(argv.size()));
    for (unsigned i = 0; i < a.size(); ++i) a.set(i, capnp::Text::Reader(argv[i].data(), argv[i].size()));
    auto e = s.initEnvironment(static_cast<unsigned>(environment.size()));
    for (unsigned i = 0; i < e.size(); ++i) e.set(i, capnp::Text::Reader(environment[i].data(), environment[i].size()));
  });
}

}  // namespace

BOOST_AUTO_TEST_SUITE(task_manager)

BOOST_AUTO_TEST_CASE(a_spawn_has_a_program_and_variables_that_an_order_can_hold) {
  const auto good = spawn({"/bin/true", ""}, {"A=", "B=c=d"});
  BOOST_REQUIRE(std::holds_alternative<tm_spawn>(good));
  BOOST_TEST(std::get<tm_spawn>(good).argv.size() == 2u);
  BOOST_TEST(code_of(spawn({}, {})) == tm_error::system);
  BOOST_TEST(code_of(spawn({""}, {})) == tm_error::system);
  BOOST_TEST(code_of(spawn({std::string("a\0b", 3)}, {})) == tm_error::system);
  BOOST_TEST(code_of(spawn({"a"}, {"=b"})) == tm_error::bad_environment);
  BOOST_TEST(code_of(spawn({"a"}, {"b"})) == tm_error::bad_environment);
  BOOST_TEST(code_of(spawn({"a"}, {std::string("b=\0", 3)})) == tm_error::bad_environment);
}

BOOST_AUTO_TEST_CASE(what_is_published_has_a_size) {
  const auto publish = [](std::size_t name, std::size_t value) {
    const std::string n(name, 'n'), v(value, 'v');
    return code_of(read([&](schema::TmRequest::Builder r) {
      r.initPublish().setName(n);
      r.getPublish().setValue({reinterpret_cast<const kj::byte*>(v.data()), v.size()});
    }));
  };
  BOOST_TEST(publish(limits::published_name_bytes_max, limits::published_value_bytes_max) == 0u);
  BOOST_TEST(publish(limits::published_name_bytes_max + 1, 0) == tm_error::system);
  BOOST_TEST(publish(1, limits::published_value_bytes_max + 1) == tm_error::system);
}

BOOST_AUTO_TEST_CASE(only_signals_are_signals) {
  const auto signal = [](int number) {
    return code_of(read([&](schema::TmRequest::Builder r) { r.initSignal().setSignal(number); }));
  };
  BOOST_TEST(signal(0) == 0u);
  BOOST_TEST(signal(9) == 0u);
  BOOST_TEST(signal(-1) == tm_error::system);
  BOOST_TEST(signal(1000) == tm_error::system);
}

BOOST_AUTO_TEST_CASE(an_attached_session_is_told_from_a_program) {
  const ports::attached_session session{12, 10, 12345678901};
  const auto text = print_attached(session);
  BOOST_TEST((attached_of({}, {text}) == session));
  BOOST_TEST(!attached_of({"program"}, {text}));
  BOOST_TEST(!attached_of({}, {}));
  BOOST_TEST(!attached_of({}, {"A=b"}));
}

BOOST_AUTO_TEST_CASE(a_process_that_is_not_there_or_is_anothers_is_not_attached) {
  ports::attached_session found;
  BOOST_TEST(look_up_session(0, "root", "/no/shepherd", found).code == tm_error::no_process);
  BOOST_TEST(look_up_session(1 << 30, "root", "/no/shepherd", found).code == tm_error::no_process);
  BOOST_TEST(look_up_session(getpid(), "no such user", "/no/shepherd", found).code == tm_error::owner);
}

BOOST_AUTO_TEST_SUITE_END()
