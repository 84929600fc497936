#include "actors/mom/mom_schedulers.hpp"

#include <algorithm>
#include <exception>
#include <filesystem>
#include <fstream>
#include <stdexcept>

#include "events/model/limits.hpp"

namespace annals::actors {

namespace fs = std::filesystem;

namespace {

using outcome = ports::scheduler_start_result::outcome;

// The name of a scheduler becomes that of a file.
bool is_file_name(const std::string& name) {
  const auto fits = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' || c == '_' || c == '-';
  };
  return !name.empty() && name.front() != '.' && std::ranges::all_of(name, fits);
}

// PBS_HOME may be another directory here than on the server's host: the last part of the path tells whether a new scheduler is given it.
bool are_own_directories(const ports::scheduler_start& what) {
  return fs::path(what.priv).filename() == "sched_priv_" + what.name && fs::path(what.logs).filename() == "sched_log_" + what.name;
}

void remember(const std::string& directory, const ports::scheduler_start& what) {
  fs::create_directories(directory);
  fs::permissions(directory, fs::perms(0750));
  const auto file = directory + "/" + what.name;
  std::ofstream out(file + ".new");
  out << what.priv << '\n';
  out.close();
  if (!out) throw std::runtime_error("cannot write " + file);
  fs::rename(file + ".new", file);
}

std::string remembered(const std::string& directory, const std::string& name) {
  std::ifstream in(directory + "/" + name);
  std::string priv;
  std::getline(in, priv);
  return priv;
}

}  // namespace

mom_schedulers::mom_schedulers(caf::event_based_actor* self, mom_schedulers_parts parts, answer to_server)
    : parts_(std::move(parts)),
      to_server_(std::move(to_server)),
      helpers_(self, "starts", limits::scheduler_starts_at_once, 0, parts_.detached) {}

void mom_schedulers::start(schema::StartScheduler::Reader order) {
  ports::scheduler_start what;
  what.name = schema::str(order.getName());
  if (!parts_.processes || !is_file_name(what.name))
    return started(what.name, {outcome::failed, "this host starts no scheduler of this name"});
  if (!starting_.insert(what.name).second) return;  // the server asks again while it waits
  const auto certificate = schema::bytes_of(order.getCertificate());
  what.host = parts_.host;
  what.certificate.assign(reinterpret_cast<const char*>(certificate.data()), certificate.size());
  what.priv = schema::str(order.getPriv());
  what.logs = schema::str(order.getLogs());
  what.port = order.getPort();
  what.own_directories = are_own_directories(what);
  helpers_.ask_always([this, what, processes = parts_.processes, directory = parts_.directory] {
    ports::scheduler_start_result result;
    try {
      remember(directory, what);
      result = processes->start(what);
    } catch (const std::exception& e) {
      result = {outcome::failed, e.what()};
    }
    return [this, name = what.name, result] {
      starting_.erase(name);
      started(name, result);
    };
  });
}

// That it runs it says itself, to the server.
void mom_schedulers::started(const std::string& name, const ports::scheduler_start_result& result) {
  if (result.what == outcome::started) return note(log_event::admin, name, "scheduler started");
  if (result.what == outcome::runs_already) return;
  note(log_event::error, name, "scheduler not started: " + result.text);
  to_server_(schema::make<schema::FromMom>([&](schema::FromMom::Builder m) {
    auto failed = m.initSchedulerFailed();
    failed.setName(name);
    failed.setText(result.text);
  }));
}

void mom_schedulers::stop(const std::string& name) {
  if (!parts_.processes || !is_file_name(name)) return;
  note(log_event::admin, name, "the server wants this scheduler to end");
  helpers_.ask_always([name, processes = parts_.processes, directory = parts_.directory] {
    try {
      if (const auto priv = remembered(directory, name); !priv.empty()) processes->stop(name, priv);
      fs::remove(directory + "/" + name);
    } catch (const std::exception&) {}  // whether it is gone the server sees by its connection
    return [] {};
  });
}

}  // namespace annals::actors
