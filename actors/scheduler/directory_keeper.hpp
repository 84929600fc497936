// Which directories a scheduler works in, and what it does when its object names others (MS-50 to MS-54, MS-58). No files: the
// daemon tries a directory and says whether it works in it now.
//
// Promises: of a directory that can't be used the old one stays in use; the server is told once for each try; one that failed is
// tried again when another is named, when scheduling is on, or after again(), and never by itself.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "events/schema/daemon/from_scheduler.capnp.h"
#include "events/schema/message.hpp"

namespace annals::actors {

struct scheduler_directories {
  std::string priv, logs;
};

// What the server is told: where it works, and of what it was told to use and can't, why not.
schema::sealed<schema::FromScheduler> directories_message(const scheduler_directories& used, schema::SchedDirectories::PrivTrouble priv,
                                                          bool log_trouble);

class directory_keeper {
 public:
  using trouble = schema::SchedDirectories::PrivTrouble;
  struct outlets {
    // Works in this directory from now on, or says why not and goes on in the old one.
    std::function<trouble(const std::string&)> use_priv;
    // Where it logs now; nothing: it can't there. Another path than the one named: the older name of the directory (MS-09).
    std::function<std::optional<std::string>(const std::string&)> use_logs;
    std::function<void(const schema::sealed<schema::FromScheduler>&)> send;
    std::function<void(std::uint32_t event, std::string_view cls, std::string_view object, std::string_view text)> log;
  };

  // `used`: those it works in, without trouble.
  directory_keeper(scheduler_directories used, outlets out) : used_(std::move(used)), out_(std::move(out)) {}

  const scheduler_directories& used() const { return used_; }
  // A new connection: what the server knew may be of an earlier process.
  void connected() { told_ = false; }
  // What the object says; empty: nothing, and what is used is right.
  void wanted(const scheduler_directories& by_object, bool scheduling);
  void again();  // whatever failed is tried once more with what the object said last

 private:
  bool is_due(const std::string& wanted, const std::string& used, const std::string& failed) const;
  bool take_priv(const std::string& wanted);
  bool take_logs(const std::string& wanted);
  void tell();

  scheduler_directories used_, wanted_, failed_;  // failed: the last that could not be used; empty: no trouble
  trouble priv_trouble_ = trouble::NONE;
  bool scheduling_ = false, told_ = false;
  outlets out_;
};

}  // namespace annals::actors
