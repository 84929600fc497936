// Mailers as processes: what they get, and how they end.
#include "tools/daemons/real_mailers.hpp"

#include <boost/test/unit_test.hpp>

#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <future>
#include <iterator>

#include "test/support/temporary_directory.hpp"

using namespace annals;
using namespace std::chrono_literals;
namespace fs = std::filesystem;

namespace {

struct mailing {
  test::temporary_directory dir;

  std::string script(const std::string& body) const {
    const auto path = dir.at("mailer");
    std::ofstream(path) << "#!/bin/sh\n"
                        << body << "\n";
    ::chmod(path.c_str(), 0755);
    return path;
  }
  // Why the mail was not taken.
  std::string sent_by(const std::string& mailer, std::chrono::milliseconds patience = 60s) const {
    return sent({{17, 0}, "1.vm", mailer, "adm", "u@vm; touch x ", "unused", {}}, patience);
  }
  std::string sent(const projections::mail& m, std::chrono::milliseconds patience = 60s) const {
    daemons::real_mailers programs(dir.at(""), patience);
    const auto file = dir.at("17.0");
    std::ofstream(file) << "To: u@vm\n\nhello\n";
    std::promise<std::string> why;
    programs.begin(m, file, [&](std::string w) { why.set_value(std::move(w)); });
    return why.get_future().get();
  }
  std::string read(const char* name) const {
    std::ifstream in(dir.at(name));
    return {std::istreambuf_iterator<char>(in), {}};
  }
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(mailers_as_processes, mailing)

BOOST_AUTO_TEST_CASE(one_gets_its_arguments_and_the_mail_and_nothing_else) {
  BOOST_TEST(
      sent_by(script("for a; do echo \"<$a>\"; done > told; cat >> told; ls /proc/$$/fd > descriptors; cat /proc/$$/environ > variables; "
                     "ls 17.0 2>/dev/null >> told; true")) == "");
  BOOST_TEST(read("told") == "<-f>\n<adm>\n<u@vm; touch x >\nTo: u@vm\n\nhello\n");
  const auto variables = read("variables");  // each with a NUL behind it
  BOOST_TEST(variables.starts_with("PATH="));
  BOOST_TEST(variables.find('\0') + 1 == variables.size());
  for (const auto& descriptor : {"3\n", "4\n", "5\n", "6\n"})
    BOOST_TEST(read("descriptors").find(descriptor) == std::string::npos, descriptor);
  BOOST_TEST(!fs::exists(dir.at("x")));
}

BOOST_AUTO_TEST_CASE(trouble_is_said) {
  const auto mailer = dir.at("mailer");
  BOOST_TEST(sent_by(mailer) == mailer + " for 1.vm: not found");
  std::ofstream(mailer) << "no program";
  BOOST_TEST(sent_by(mailer) == mailer + " for 1.vm: " + mailer + " is not executable");
  std::ofstream(mailer) << "#!/nosuch/interpreter";
  ::chmod(mailer.c_str(), 0755);
  BOOST_TEST(sent_by(mailer) == mailer + " for 1.vm: not found");
  BOOST_TEST(sent_by(script("exit 3")) == mailer + " for 1.vm: exit status 3");
  BOOST_TEST(sent_by(script("kill -9 $$")) == mailer + " for 1.vm: ended by signal 9");
}

// It would run with the server's rights.
BOOST_AUTO_TEST_CASE(one_that_others_may_change_is_not_run) {
  const auto mailer = script("touch ran");
  ::chmod(mailer.c_str(), 0757);
  BOOST_TEST(sent_by(mailer) == mailer + " for 1.vm: " + mailer + " may be written by others");
  ::chmod(mailer.c_str(), 0755);
  ::chmod(dir.path.c_str(), 0777);
  BOOST_TEST(sent_by(mailer) == mailer + " for 1.vm: " + fs::canonical(dir.path).string() + " may be written by others");
  ::chmod(dir.path.c_str(), 0700);
  BOOST_TEST(sent_by("mailer") == "mailer for 1.vm: mailer is no absolute path");
  BOOST_TEST(!fs::exists(dir.at("ran")));
  BOOST_TEST(!fs::exists(dir.at("17.0")));  // a server that comes back does not try it again
}

BOOST_AUTO_TEST_CASE(nor_is_one_that_was_not_roots_choice) {
  // `awk -f FILE` runs what is in the file: the program is root's own, the choice was not.
  BOOST_TEST(sent({{17, 0}, "1.vm", "/usr/bin/awk", dir.at("evil"), "u@vm", "unused", "mgr@vm"}) ==
             "/usr/bin/awk for 1.vm: it was set by mgr@vm, who is not root; let root set it again");
  BOOST_TEST(sent({{17, 0}, "1.vm", script("touch ran"), "-X/etc/passwd", "u@vm", "unused", {}}) ==
             dir.at("mailer") + " for 1.vm: the sender -X/etc/passwd would be an option");
  BOOST_TEST(!fs::exists(dir.at("ran")));
}

BOOST_AUTO_TEST_CASE(one_that_hangs_is_killed_with_its_children) {
  BOOST_TEST(sent_by(script("sleep 1000 & sleep 1000"), 100ms) == dir.at("mailer") + " for 1.vm: killed, it took more than 0 s");
}

BOOST_AUTO_TEST_CASE(one_that_runs_is_not_waited_for_at_the_end) {
  {
    daemons::real_mailers programs(dir.at(""), 60s);
    std::ofstream(dir.at("17.0")) << "x";
    programs.begin({{17, 0}, "1.vm", script("read word; echo $word > told"), "adm", "u@vm", "", {}}, dir.at("17.0"),
                   [](const std::string&) {});
  }
  BOOST_TEST(true);
}

BOOST_AUTO_TEST_SUITE_END()
