// Cgroups of subjobs that come one after the other. Needs root; skipped elsewhere.
#include <sys/stat.h>
#include <unistd.h>

#include <boost/test/unit_test.hpp>
#include <filesystem>

#include "actors/mom/host/run_files.hpp"
#include "cgroup_fixture.hpp"

using namespace annals;

BOOST_FIXTURE_TEST_SUITE(cgroups_handed_on, test::cgroup_fixture)

// Each run is as if its cgroup were new; only those of v1 are handed on, and not while the kernel still charges memory to them, which it
// gives back when it likes.
BOOST_AUTO_TEST_CASE(a_subjob_gets_the_cgroup_of_an_earlier_one_with_the_same_limits_without_its_usage) {
  const ports::host_share same{64 * mb, {}, 2, true}, other{{}, {}, 1, false};
  int index = 0;
  const auto begin = [&](const std::string& before, const ports::host_share& share) {
    auto o = script("12[" + std::to_string(++index) + "].b.1", before + "echo $$ > pid; read y < go; exit 4");
    o.share = share;
    start(o);
    (void)number_in("pid");
    return print(o.key);
  };
  const auto end = [&](const std::string& of) {
    test::write_whole(work() + "/go", "x\n");
    const auto ended = wait_ended(of).ended.at(0);
    BOOST_TEST(ended.exit_status == 4);
    test::wait_until([&] { return mom::held_run::take(run_file(of), false).has_value(); }, "the shepherd to be free");
    forget_and_wait(of);
    return ended.usage;
  };
  const auto place = [&](const mom::cgroup_root& r, const std::string& of) { return r.path + '/' + options.cgroup_parent + '/' + of; };
  const auto inodes = [&](const std::string& of) {
    std::vector<ino_t> all;
    for (const auto& r : parsed()) {
      struct stat st {};
      BOOST_REQUIRE(stat(place(r, of).c_str(), &st) == 0);
      all.push_back(r.v2 ? 0 : st.st_ino);
    }
    return all;
  };
  const auto check_limits = [&](const std::string& of, bool limited) {
    for (const auto& r : parsed()) {
      const auto at = place(r, of);
      if (r.v2) continue;
      if (r.memory) BOOST_TEST((mom::cgroup_files::number(at + "/memory.limit_in_bytes") == 64 * mb) == limited);
      if (r.cpu) BOOST_TEST(mom::cgroup_files::read(at + "/cpu.cfs_quota_us").value() == (limited ? "200000\n" : "-1\n"));
      if (r.cpu) BOOST_TEST(mom::cgroup_files::number(at + "/cpu.shares").value() == (limited ? 2048u : 1024u));
    }
  };
  with_each([&] {
    run(limited("exit 0"));  // for forget
    BOOST_REQUIRE(mkfifo((work() + "/go").c_str(), 0666) == 0);
    bool handed_on = false;
    for (int tries = 0; !handed_on && tries < 50; ++tries) {
      const auto first = begin("x=$(head -c 20000000 /dev/zero | tr '\\0' x); ", same);
      const auto before = inodes(first);
      const auto used = end(first);
      const auto second = begin("", same);
      handed_on = inodes(second) == before;
      for (const auto& r : parsed())
        for (const auto& gone : {first, first + ".next"}) BOOST_TEST(!std::filesystem::exists(place(r, gone)));
      check_limits(second, true);
      const auto then = end(second);
      if (has_memory()) {
        BOOST_TEST(used.mem_kb >= 20000u);
        BOOST_TEST(then.mem_kb < 10000u);
      }
    }
    BOOST_TEST(handed_on);

    const auto third = begin("", other);
    check_limits(third, false);
    end(third);
    unlink((work() + "/go").c_str());
    restart_mom();  // who is kept goes home, and takes along what was kept
  });
}

BOOST_AUTO_TEST_CASE(a_cgroup_in_which_a_process_was_killed_for_its_memory_is_not_handed_on) {
  const std::string first = "12[1].b.1", second = "12[2].b.1";
  with_each([&] {
    run(limited("exit 0"));  // for forget
    if (!has_memory()) return;
    for (const auto& of : {first, second}) {
      auto o = script(of, of == first ? "head -c 200000000 /dev/zero | tail -c 190000000 > /dev/null; exit 0" : "exit 0");
      o.share = ports::host_share{40 * mb, 40 * mb, 1, false};
      run(o);
      test::wait_until([&] { return mom::held_run::take(run_file(of), false).has_value(); }, "the shepherd to be free");
      BOOST_TEST((stderr_of(of).find("Cgroup mem limit exceeded") != std::string::npos) == (of == first));
      forget_and_wait(of);
    }
    restart_mom();
  });
}

BOOST_AUTO_TEST_SUITE_END()
