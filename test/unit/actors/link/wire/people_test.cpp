// Names of users and groups: asked of a name service that may hang, on threads of their own.
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <condition_variable>
#include <future>
#include <iostream>
#include <mutex>
#include <set>
#include <thread>

#include "actors/link/wire/people.hpp"
#include "test/unit/actors/link/wire/wire_fixture.hpp"

using namespace annals;
using namespace annals::wire;
using namespace annals::wire::testing;

namespace {

// A directory server that answers nothing about some users until it is let.
class slow_directory : public std::enable_shared_from_this<slow_directory> {
 public:
  look_up_person look_up() {
    return [self = shared_from_this()](uid_t uid, gid_t gid) { return self->answer(uid, gid); };
  }
  void hang_for_user(uid_t uid) {
    change([&] { slow_users_.insert(uid); });
  }
  void hang_for_group(gid_t gid) {
    change([&] { slow_groups_.insert(gid); });
  }
  void open() {
    change([&] { open_ = true; });
  }
  void unreachable(bool is) {
    change([&] { unreachable_ = is; });
  }
  std::size_t asked() {
    const std::lock_guard held(guard_);
    return asked_;
  }
  void until_asked(std::size_t times) {
    std::unique_lock held(guard_);
    BOOST_REQUIRE(changed_.wait_for(held, std::chrono::seconds(60), [&] { return asked_ >= times; }));
  }

 private:
  std::optional<person> answer(uid_t uid, gid_t gid) {
    std::unique_lock held(guard_);
    ++asked_;
    changed_.notify_all();
    changed_.wait(held, [&] { return open_ || (!slow_users_.contains(uid) && !slow_groups_.contains(gid)); });
    if (unreachable_) return std::nullopt;
    return person{"u" + std::to_string(uid), "g" + std::to_string(gid)};
  }
  template <class F>
  void change(F f) {
    const std::lock_guard held(guard_);
    f();
    changed_.notify_all();
  }
  std::mutex guard_;
  std::condition_variable changed_;
  std::set<uid_t> slow_users_;
  std::set<gid_t> slow_groups_;
  bool open_ = false, unreachable_ = false;
  std::size_t asked_ = 0;
};

using answer = std::future<person>;
answer ask(people& them, uid_t uid, gid_t gid = 100) {
  const auto said = std::make_shared<std::promise<person>>();
  BOOST_REQUIRE(them.ask(uid, gid, [said](const person& p) { said->set_value(p); }));
  return said->get_future();
}
bool is_there(const answer& a) { return a.wait_for(std::chrono::seconds(0)) == std::future_status::ready; }
std::string user_of(answer a) {
  BOOST_REQUIRE((a.wait_for(std::chrono::seconds(60)) == std::future_status::ready));
  return a.get().user;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(names_of_people)

BOOST_AUTO_TEST_CASE(the_hosts_own_files_are_asked) {
  const auto root = person_by_name_service(0, 0);
  BOOST_REQUIRE(root.has_value());
  BOOST_TEST(root->user == "root");
  BOOST_TEST(root->group == "root");
  const auto nobody_has = person_by_name_service(3'999'999'999u, 3'999'999'999u);
  BOOST_REQUIRE(nobody_has.has_value());
  BOOST_TEST(nobody_has->user == "3999999999");
  BOOST_TEST(nobody_has->group == "3999999999");
}

BOOST_AUTO_TEST_CASE(who_is_known_is_answered_at_once) {
  const auto directory = std::make_shared<slow_directory>();
  people them(directory->look_up());
  BOOST_TEST(user_of(ask(them, 7)) == "u7");
  auto again = ask(them, 7);
  BOOST_TEST(is_there(again));
  BOOST_TEST(again.get().group == "g100");
  BOOST_TEST(directory->asked() == 1u);
  BOOST_TEST(user_of(ask(them, 7, 200)) == "u7");  // in another group: somebody else
  BOOST_TEST(directory->asked() == 2u);
  BOOST_TEST(them.name_of(7) == "u7");
  BOOST_TEST(them.name_of(8) == "8");  // nobody is asked
  BOOST_TEST(directory->asked() == 2u);
}

BOOST_AUTO_TEST_CASE(a_look_up_that_hangs_keeps_nobody_else_waiting) {
  const auto directory = std::make_shared<slow_directory>();
  people them(directory->look_up());
  directory->hang_for_user(1);
  auto slow = ask(them, 1), same = ask(them, 1);
  BOOST_TEST(user_of(ask(them, 2)) == "u2");
  BOOST_TEST(user_of(ask(them, 3)) == "u3");
  BOOST_TEST(!is_there(slow));
  directory->open();
  BOOST_TEST(user_of(std::move(slow)) == "u1");
  BOOST_TEST(user_of(std::move(same)) == "u1");
  BOOST_TEST(directory->asked() == 3u);  // two that ask for one are one look-up
}

BOOST_AUTO_TEST_CASE(root_comes_in_when_every_thread_hangs) {
  const auto directory = std::make_shared<slow_directory>();
  people them(directory->look_up());
  std::vector<answer> hang;
  for (uid_t uid = 1; uid <= limits::lookup_threads_max; ++uid) {
    directory->hang_for_user(uid);
    hang.push_back(ask(them, uid));
  }
  directory->until_asked(limits::lookup_threads_max);
  auto waits = ask(them, 5000);
  BOOST_TEST(user_of(ask(them, 0)) == "u0");
  directory->open();
  for (auto& a : hang) user_of(std::move(a));
  BOOST_TEST(user_of(std::move(waits)) == "u5000");
}

BOOST_AUTO_TEST_CASE(as_many_wait_as_the_limit_says) {
  const auto directory = std::make_shared<slow_directory>();
  people them(directory->look_up());
  for (uid_t uid = 1; uid <= limits::lookup_threads_max; ++uid) directory->hang_for_user(uid);
  for (uid_t uid = 1; uid <= limits::lookup_threads_max; ++uid) ask(them, uid);
  directory->until_asked(limits::lookup_threads_max);
  std::vector<answer> wait;
  for (uid_t n = 0; n < limits::lookups_waiting_max; ++n) wait.push_back(ask(them, 1000 + n));
  BOOST_TEST(!them.ask(5000, 100, [](const person&) { BOOST_ERROR("it was not taken"); }));
  wait.push_back(ask(them, 1000));  // one that waits already needs no room
  directory->open();
  for (auto& a : wait) user_of(std::move(a));
}

BOOST_AUTO_TEST_CASE(who_can_not_be_looked_up_now_is_asked_for_again) {
  const auto directory = std::make_shared<slow_directory>();
  people them(directory->look_up());
  directory->unreachable(true);
  BOOST_TEST(user_of(ask(them, 7)) == "7");
  directory->unreachable(false);
  BOOST_TEST(user_of(ask(them, 7)) == "u7");
}

BOOST_AUTO_TEST_CASE(who_is_known_keeps_his_names_while_nobody_can_be_asked) {
  const auto directory = std::make_shared<slow_directory>();
  people them(directory->look_up());
  user_of(ask(them, 7, 100));
  user_of(ask(them, 8, 200));
  directory->unreachable(true);
  const auto in_another_group = ask(them, 7, 200).get();
  BOOST_TEST(in_another_group.user == "u7");
  BOOST_TEST(in_another_group.group == "g200");
  BOOST_TEST(user_of(ask(them, 9)) == "9");  // never heard of
}

BOOST_AUTO_TEST_CASE(only_an_answer_of_the_name_service_takes_a_name_away) {
  for (const int says_no : {0, ENOENT, ESRCH, EBADF, EPERM}) BOOST_TEST(has_no_name(says_no));
  for (const int down : {EAGAIN, ECONNREFUSED, EINTR, EINVAL, EIO, EMFILE, ENFILE, ENOMEM, ETIMEDOUT}) BOOST_TEST(!has_no_name(down));
}

BOOST_AUTO_TEST_CASE(what_waits_is_forgotten_with_its_owner) {
  const auto directory = std::make_shared<slow_directory>();
  directory->hang_for_user(1);
  const auto held = std::make_shared<int>(0);
  {
    people them(directory->look_up());
    BOOST_TEST(them.ask(1, 1, [held](const person&) { BOOST_ERROR("nobody is there to hear it"); }));
    directory->until_asked(1);
    BOOST_TEST(held.use_count() == 2);
  }
  BOOST_TEST(held.use_count() == 1);
  directory->open();
}

// The kernel tells a connection's owner by the thread that connects.
BOOST_AUTO_TEST_CASE(a_server_whose_directory_hangs_for_one_user_serves_the_others) {
  if (::geteuid() != 0) {
    std::cout << "\nskipped: only root has two groups to connect with\n";
    return;
  }
  const auto directory = std::make_shared<slow_directory>();
  directory->hang_for_group(4711);
  io_options o;
  o.who_is = directory->look_up();
  wire::testing::directory dir;
  record server;
  io_pool pool(1, o);
  const auto door = pool.listen_unix(dir.at("s"), 0666, server.echoing());
  std::promise<void> connected;
  std::thread slow([&] {
    ::syscall(SYS_setresgid, 4711, 4711, 4711);
    auto client = blocking_client::connect_unix(dir.at("s"));
    client.send(message(1));
    connected.set_value();
    BOOST_TEST(number_of(client.receive(60000)) == 1u);
  });
  connected.get_future().wait();
  directory->until_asked(1);
  auto other = blocking_client::connect_unix(dir.at("s"));
  other.send(message(2));
  BOOST_TEST(number_of(other.receive(60000)) == 2u);
  BOOST_TEST(server.first()->peer().group == "g" + std::to_string(::getgid()));
  directory->open();
  slow.join();
}

BOOST_AUTO_TEST_SUITE_END()
