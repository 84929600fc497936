// How far a follower is behind the server whose log it follows, as `qstat -B` through it says. Any thread.
#pragma once

#include <chrono>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string>

namespace annals::actors {

class follow_standing {
 public:
  using time_point = std::chrono::steady_clock::time_point;
  // The follower on `host`, which is not connected yet.
  follow_standing(std::string host, std::string server, time_point now);

  void has(std::uint64_t sequence, time_point now);   // its copy goes up to this record
  void told(std::uint64_t last, time_point now);      // the server is there, and its log goes up to this record
  void lost(const std::string& why, time_point now);  // the server is not there
  void ended(const std::string& why);                 // it follows no more

  // "portal, 12 events and 3 s behind server borg"; "portal, up to record 812; server borg is not there since 40 s: connect to ...";
  // "portal, up to record 812 and no further: ...".
  std::string text(time_point now) const;

 private:
  void look(time_point now);

  const std::string host_, server_;
  mutable std::mutex guard_;
  std::uint64_t has_ = 0, last_ = 0;
  bool connected_ = false;
  time_point lost_at_;
  std::optional<time_point> behind_since_;  // it lacks something that it was told of
  std::string why_;                         // of what is not there
  bool ended_ = false;
};

}  // namespace annals::actors
