// A daemon's log in PBS's form: "MM/DD/YYYY HH:MM:SS[.uuuuuu];EEEE;daemon;class;object;text", one file a day named
// YYYYMMDD. Any thread. Source: pbs guide, "logs".
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>

namespace annals::actors {

// Event bits of a line; a line is written when its bit is in the mask, or always for `force`.
namespace log_event {
inline constexpr std::uint32_t error = 0x1, system = 0x2, admin = 0x4, job = 0x8, job_usage = 0x10, security = 0x20,
                               sched = 0x40, debug = 0x80, debug2 = 0x100, resv = 0x200, debug3 = 0x400, debug4 = 0x800,
                               force = 0x8000;
}

class daemon_log {
 public:
  // directory: "$PBS_HOME/server_logs"; daemon: "Server@borg", "pbs_mom". Throws std::runtime_error when the file can't
  // be written, naming it.
  // one_file: it is that file, which never changes its name (-L of the daemons).
  daemon_log(std::string directory, std::string daemon, std::uint32_t mask, bool microseconds, bool one_file = false);
  ~daemon_log();

  // Each line of the text is one of the log; control characters are shown as ^A.
  // cls: "Svr", "Job", "Req", "Node", "Sched", "Hook", "Fil", "Que", "TPP", ... (pbs guide: classes).
  void write(std::uint32_t event, std::string_view cls, std::string_view object, std::string_view text);
  // The same, written together with others at most 20 ms later: of what there may be thousands a second. One that dies within this
  // time has not said it.
  void write_soon(std::uint32_t event, std::string_view cls, std::string_view object, std::string_view text);
  // While one exists, lines are kept and then written together: a cycle over 10,000 jobs has 20,000 of them.
  class gathering {
   public:
    explicit gathering(daemon_log& log);
    ~gathering();
    gathering(const gathering&) = delete;
    gathering& operator=(const gathering&) = delete;

   private:
    daemon_log& log_;
  };
  void write_gathered();  // now, whoever still gathers: what comes next takes long
  void set_mask(std::uint32_t mask) { mask_ = mask; }
  bool wants(std::uint32_t events) const { return events & mask_; }  // any of them: for lines that cost something to make
  void reopen();                                                     // on HUP: "Log closed", "Log opened"
  // Goes on in another directory, between the same lines. False: its file can't be written, and all stays.
  bool move_to(const std::string& directory);

 private:
  struct sink;
  bool put(std::unique_lock<std::mutex>& held, std::uint32_t event, std::string_view cls, std::string_view object, std::string_view text);
  std::string directory_, daemon_;
  std::atomic<std::uint32_t> mask_;
  const bool microseconds_, one_file_;
  std::unique_ptr<sink> sink_;
};

}  // namespace annals::actors
