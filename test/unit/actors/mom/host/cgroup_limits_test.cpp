// What is written into cgroups and read from them, on a tree of plain files.
#include <unistd.h>

#include <boost/test/unit_test.hpp>
#include <filesystem>

#include "actors/mom/host/cgroup_files.hpp"
#include "actors/mom/host/cgroup_v1.hpp"
#include "actors/mom/host/cgroup_v2.hpp"
#include "actors/mom/host/host_share.hpp"
#include "events/model/host/host_limits.hpp"
#include "host_fixture.hpp"

using namespace annals;
using namespace annals::mom;

namespace {

// A directory whose files are there as the kernel makes them, empty.
struct made_tree {
  void have(const std::string& name, const std::string& text = "") const { test::write_whole(directory + '/' + name, text); }
  std::string text(const std::string& name) const { return test::read_whole(directory + '/' + name); }
  test::temporary_directory tree;
  const std::string& directory = tree.path;
};

constexpr std::uint64_t mb = 1024 * 1024;
const cgroup_root v2_all{"/", true, true, true}, v1_all{"/", false, true, true, true, true};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(cgroup_limits_on_disk, made_tree)

BOOST_AUTO_TEST_CASE(v2_limits_memory_swap_and_weight) {
  for (const char* name : {"memory.max", "memory.swap.max", "cpu.weight", "cpu.max"}) have(name, "max");
  BOOST_TEST(cgroup_v2::limit(directory, v2_all, {10 * mb, 25 * mb, 3, false}) == "");
  BOOST_TEST(text("memory.max").starts_with("10485760"));
  BOOST_TEST(text("memory.swap.max").starts_with("15728640"));
  BOOST_TEST(text("cpu.weight").starts_with("300"));
  BOOST_TEST(text("cpu.max") == "max");
}

BOOST_AUTO_TEST_CASE(v2_holds_a_job_to_its_cpus_only_if_asked) {
  have("cpu.weight");
  have("cpu.max");
  BOOST_TEST(cgroup_v2::limit(directory, v2_all, {{}, {}, 2, true}) == "");
  BOOST_TEST(text("cpu.max") == "200000 100000");
  BOOST_TEST(cgroup_v2::limit(directory, v2_all, {{}, {}, 0, true}) == "");
  BOOST_TEST(text("cpu.max").starts_with("20000 100000"));
}

BOOST_AUTO_TEST_CASE(v2_weights_stay_in_the_kernels_range) {
  have("cpu.weight");
  BOOST_TEST(cgroup_v2::limit(directory, v2_all, {{}, {}, 1000, false}) == "");
  BOOST_TEST(text("cpu.weight") == "10000");
}

BOOST_AUTO_TEST_CASE(v1_limits_memory_before_memory_and_swap_and_sets_shares) {
  for (const char* name : {"memory.limit_in_bytes", "memory.memsw.limit_in_bytes", "cpu.shares", "cpu.cfs_quota_us"}) have(name);
  BOOST_TEST(cgroup_v1::limit(directory, v1_all, {10 * mb, 5 * mb, 3, true}) == "");
  BOOST_TEST(text("memory.limit_in_bytes") == "10485760");
  BOOST_TEST(text("memory.memsw.limit_in_bytes") == "10485760");  // less than memory alone makes no sense to the kernel
  BOOST_TEST(text("cpu.shares") == "3072");
  BOOST_TEST(text("cpu.cfs_quota_us") == "300000");
}

BOOST_AUTO_TEST_CASE(v1_counts_the_memory_of_the_cgroups_below) {
  cgroup_v1::count_children(directory, v1_all);  // a kernel without the file does so anyway
  have("memory.use_hierarchy", "0");
  cgroup_v1::count_children(directory, {"/", false, false, true, true, true});
  BOOST_TEST(text("memory.use_hierarchy") == "0");
  cgroup_v1::count_children(directory, v1_all);
  BOOST_TEST(text("memory.use_hierarchy") == "1");
}

BOOST_AUTO_TEST_CASE(a_chunk_without_memory_or_cpus_has_no_memory_limit_and_the_smallest_share) {
  for (const char* name : {"memory.limit_in_bytes", "cpu.shares", "cpu.weight", "memory.max"}) have(name);
  BOOST_TEST(cgroup_v1::limit(directory, v1_all, {}) == "");
  BOOST_TEST(cgroup_v2::limit(directory, v2_all, {}) == "");
  BOOST_TEST(text("memory.limit_in_bytes") == "");
  BOOST_TEST(text("memory.max") == "");
  BOOST_TEST(text("cpu.shares") == "2");
  BOOST_TEST(text("cpu.weight") == "1");
}

BOOST_AUTO_TEST_CASE(a_limit_that_cannot_be_set_is_named) {
  BOOST_TEST(cgroup_v1::limit(directory, {"/", false, true}, {mb, {}, 1, false}) ==
             directory + "/memory.limit_in_bytes: No such file or directory");
  BOOST_TEST(cgroup_v2::limit(directory, {"/", true, true}, {mb, {}, 1, false}) == directory + "/memory.max: No such file or directory");
}

BOOST_AUTO_TEST_CASE(v2_tells_cpu_time_without_controllers_and_memory_with_them) {
  have("cpu.stat", "usage_usec 1500999\nuser_usec 1\n");
  have("memory.peak", "2097152\n");
  have("memory.swap.peak", "1024\n");
  have("memory.events", "low 0\noom 3\noom_kill 2\noom_group_kill 0\n");
  cgroup_usage bare, all;
  cgroup_v2::add_usage(directory, {"/", true}, bare);
  BOOST_TEST(bare.cpu_ms.value() == 1500u);
  BOOST_TEST(!bare.mem_kb.has_value());
  cgroup_v2::add_usage(directory, v2_all, all);
  BOOST_TEST(all.mem_kb.value() == 2048u);
  BOOST_TEST(all.vmem_kb.value() == 2049u);
  BOOST_TEST(all.oom_kills == 2u);
}

BOOST_AUTO_TEST_CASE(v1_tells_cpu_time_memory_and_what_the_kernel_killed) {
  have("cpuacct.usage", "1500999999\n");
  have("memory.max_usage_in_bytes", "2097152\n");
  have("memory.oom_control", "oom_kill_disable 0\nunder_oom 0\noom_kill 1\n");
  cgroup_usage used;
  cgroup_v1::add_usage(directory, v1_all, used);
  BOOST_TEST(used.cpu_ms.value() == 1500u);
  BOOST_TEST(used.mem_kb.value() == 2048u);
  BOOST_TEST(!used.vmem_kb.has_value());
  BOOST_TEST(used.oom_kills == 1u);
}

BOOST_AUTO_TEST_CASE(members_are_numbers_of_processes_and_nothing_else) {
  have("cgroup.procs", "12\n0\n1\nx\n99999999999\n\n13");  // 0: a process of another pid namespace. Nobody signals init
  std::filesystem::create_directory(directory + "/below");
  have("below/cgroup.procs", "14\n");
  BOOST_TEST(cgroup_files::members(directory) == (std::vector<int>{12, 13, 14}));
  BOOST_TEST(cgroup_files::members("/nonexistent").empty());
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE(host_shares)

namespace {
ports::host_share share(const std::string& exec_vnode, const std::string& exec_host) {
  return share_of_host(exec_vnode, exec_host, [](const std::string& host) { return host == "a"; });
}
}  // namespace

BOOST_AUTO_TEST_CASE(the_chunks_of_this_host_count_and_no_others) {
  const auto s = share("(a[0]:ncpus=2:mem=3072kb+a[1]:ncpus=1:mem=1mb)+(b:ncpus=8:mem=8gb)+(a[1]:ncpus=1:mem=1mb)", "a/0*3+b/0*8+a/1");
  BOOST_TEST(s.ncpus == 4u);
  BOOST_TEST(s.memory_bytes.value() == 5 * mb);
  BOOST_TEST(!s.vmem_bytes.has_value());
}

BOOST_AUTO_TEST_CASE(one_chunk_without_memory_leaves_the_host_without_a_limit) {
  BOOST_TEST(!share("(a:ncpus=1:mem=1mb)+(a:ncpus=1)", "a/0+a/1").memory_bytes.has_value());
  BOOST_TEST(share("(a:ncpus=1:vmem=20mb)", "a/0").vmem_bytes.value() == 20 * mb);
  BOOST_TEST(!share("(b:ncpus=1:mem=1mb)", "b/0").memory_bytes.has_value());
}

BOOST_AUTO_TEST_CASE(there_is_always_memory_for_a_program_to_start) {
  const auto s = share("(a:ncpus=1:mem=1kb:vmem=2kb)", "a/0");
  BOOST_TEST(s.memory_bytes.value() == limits::cgroup_memory_bytes_min);
  BOOST_TEST(s.vmem_bytes.value() == limits::cgroup_memory_bytes_min);
}

BOOST_AUTO_TEST_CASE(an_order_that_cannot_be_read_gives_the_share_of_one_cpu) {
  for (const char* text : {"", "(", "(a:ncpus=1)+(a:ncpus=1)"})
    BOOST_TEST((share(text, "a/0") == ports::host_share{{}, {}, 1, false}), text);
}

BOOST_AUTO_TEST_SUITE_END()
