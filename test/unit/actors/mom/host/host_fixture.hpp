// A real_process_host on a $PBS_HOME of its own, and what it has told so far. Tests wait for conditions, never for
// time.
#pragma once

#include <condition_variable>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "actors/mom/host/real_process_host.hpp"
#include "test/support/temporary_directory.hpp"

namespace annals::test {

struct told {  // what was said about one run
  std::vector<ports::program_started> started;
  std::vector<ports::start_failed> failed;
  std::vector<ports::program_ended> ended;
  std::vector<ports::delivery_result> delivered, staged_in;
  unsigned appended = 0, acted = 0;
  std::vector<std::string> log;
};

// A key that a test gives as files show it, or as it is.
struct named {
  values::program_key key;
  named(const char* text);  // fails the test if it is no key
  named(const std::string& text) : named(text.c_str()) {}
  named(values::program_key k) : key(std::move(k)) {}
  named(values::run_key k) : key(std::move(k)) {}
};
values::program_key program_of(const named& text);
values::run_key run_of(const named& text);

class host_fixture {
 public:
  host_fixture();
  ~host_fixture();  // see end_runs(); fails the test if a host complained

  // A script job, or a program job if `program` is given; runs as this process's user in `work`.
  ports::run_order order(const named& key, std::vector<std::string> program = {}) const;
  ports::run_order script(const named& key, const std::string& text) const;
  void start(const ports::run_order& o);
  ports::program_ended run(const ports::run_order& o);  // starts it and waits for its end
  ports::start_failed run_failing(const ports::run_order& o);

  told wait(const named& key, const std::function<bool(const told&)>& until);  // fails the test after two minutes
  told wait_started(const named& key);
  told wait_ended(const named& key);
  told wait_failed(const named& key);
  told so_far(const named& key);
  void forget_and_wait(const named& key);  // until its file is gone
  // Forgets all; what is left after a minute is an error of the test and is killed. Throws nothing.
  void end_runs();

  void crash_mom();  // the object goes, the runs stay, what was told is forgotten
  void new_mom();
  void restart_mom() {
    crash_mom();
    new_mom();
  }

  std::string stdout_of(const named& key) const;
  std::string stderr_of(const named& key) const;
  std::string run_file(const named& key) const;
  std::string journal_of(const named& key) const;
  std::string home() const { return root_.at("home"); }  // $PBS_HOME
  std::string work() const { return root_.at("work"); }

  mom::host_options options;  // used by the next new_mom()
  std::unique_ptr<mom::real_process_host> host;

 private:
  void listen();
  std::string name() const { return std::filesystem::path(root_.path).filename(); }  // nobody else's
  temporary_directory root_;
  std::vector<values::program_key> keys_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::map<values::program_key, told> told_;
  std::string complaints_;
};

std::string own_user();
std::string read_whole(const std::string& path);  // "" if there is none
void write_whole(const std::string& path, const std::string& text, unsigned mode = 0644);
bool alive(long pid);                                                       // and no zombie
void wait_until(const std::function<bool()>& condition, const char* what);  // fails the test after two minutes

}  // namespace annals::test
