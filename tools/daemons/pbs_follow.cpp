// pbs_follow: on a host that reads much of what a server on another host knows (a portal, monitoring) it keeps a copy of the server's log,
// and answers questions of the host's users from it, so that they cost the server nothing. docs/design/0069-the-feed.md.
#include <caf/actor_system.hpp>
#include <caf/send.hpp>

#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

#include "actors/follow/follow_actor.hpp"
#include "actors/follow/follower_door.hpp"
#include "actors/follow/follower_folds.hpp"
#include "actors/link/wire/signing.hpp"
#include "actors/link/wire/wire.hpp"
#include "actors/queries/past_actor.hpp"
#include "actors/queries/query_actor.hpp"
#include "actors/runtime/daemon_log.hpp"
#include "actors/runtime/system_clock.hpp"
#include "actors/runtime/thread_share.hpp"
#include "events/log/event_log.hpp"
#include "events/log/log_copy.hpp"
#include "events/log/log_reader.hpp"
#include "events/log/rocksdb_event_store.hpp"
#include "tools/client/options.hpp"
#include "tools/client/pbs_conf.hpp"
#include "tools/client/session.hpp"
#include "tools/client/version.hpp"
#include "tools/daemons/caf_system.hpp"
#include "tools/daemons/checkpoint_maker.hpp"
#include "tools/daemons/daemon_process.hpp"
#include "tools/daemons/end_of_process.hpp"
#include "tools/daemons/home.hpp"
#include "tools/daemons/home_check.hpp"
#include "tools/daemons/last_words.hpp"
#include "tools/daemons/log_mask.hpp"
#include "tools/daemons/peer_feed.hpp"

namespace {

using namespace annals;

constexpr client::option options[] = {
    {'e', "mask", "events that are logged (default 511)"},
    {'N', nullptr, "stay in the foreground"},
};
constexpr client::command command = {"pbs_follow",
                                     "usage: pbs_follow [-e mask][-N]\n"
                                     "       pbs_follow --checkpoint\n"
                                     "       pbs_follow --version\n",
                                     options};

std::optional<std::string> check(const client::given& g) {
  if (g.letter == 'e' && !daemons::log_mask_of(g.value)) return std::string();
  return std::nullopt;
}

// The word that is none of the letters.
bool take_checkpoint_word(int& argc, char** argv) {
  char** const end = std::remove_if(argv + 1, argv + argc, [](const char* word) { return std::string_view(word) == "--checkpoint"; });
  const bool found = end != argv + argc;
  argc = static_cast<int>(end - argv);
  argv[argc] = nullptr;
  return found;
}

struct setup {
  client::pbs_conf conf;
  client::annals_conf ours;
  std::string priv, server;
  std::uint32_t mask = daemons::default_log_mask;
  bool in_foreground = false;

  std::string certificate() const { return priv + "/daemon.pem"; }
};

setup read_setup(const client::command_line& line) {
  setup s;
  s.conf = client::read_pbs_conf();
  s.ours = client::read_annals_conf(s.conf.pbs_home);
  s.priv = s.conf.pbs_home + "/follow_priv";
  s.server = client::short_server_name(s.conf.pbs_server);
  if (line.has('e')) s.mask = *daemons::log_mask_of(*line.find('e'));
  s.in_foreground = line.has('N');
  daemons::check_home(s.conf, s.conf.pbs_home, "follow_priv", "pbs_habitat follow");
  if (s.server.empty()) throw std::runtime_error("PBS_SERVER of " + s.conf.file + " names no server to follow");
  return s;
}

// The name of this host in its certificate, whose key must be there for this process alone.
std::string host_in(const std::string& certificate) {
  const auto who = wire::identity_in_file(certificate);
  if (who.what != wire::identity::kind::follower)
    throw wire::wire_error(certificate + ": is for " + wire::word_of(who.what) + " " + who.name +
                           ", and not for a follower (pbs_enroll --follower makes one)");
  (void)wire::signer(wire::credentials::bundle(certificate));
  return who.name;
}

class follow_log {
 public:
  follow_log(const setup& s)
      : name_("Follow@" + daemons::own_host_name()), log_(s.conf.pbs_home + "/follow_logs", name_, s.mask, s.conf.log_highres_timestamp) {
    say("pbs_version=" + client::pbs_version());
    for (const auto& problem : s.conf.problems) log_.write(actors::log_event::error, "Fil", "pbs.conf", problem);
    for (const auto& problem : s.ours.problems) unfit_setting(problem);
  }
  void say(const std::string& text) { log_.write(actors::log_event::system, "Svr", name_, text); }
  void unfit_setting(const std::string& text) { log_.write(actors::log_event::error, "Fil", "annals.conf", text); }
  void failed(const std::string& why) { log_.write(actors::log_event::force | actors::log_event::error, "Svr", name_, why); }
  void reopen() { log_.reopen(); }

 private:
  const std::string name_;
  actors::daemon_log log_;
};

std::unique_ptr<ports::event_store> open_copy(const std::string& path) {
  auto opened = log::open_event_store(path);
  if (const auto* failed = std::get_if<ports::store_status>(&opened)) {
    if (failed->error == ports::store_error::damaged) throw log::log_damaged(failed->text);
    throw std::runtime_error(failed->text);
  }
  return std::move(std::get<std::unique_ptr<ports::event_store>>(opened));
}

// The copy of the log, and what is folded of it. Throws log::log_damaged, or std::runtime_error if it can't be opened.
class followed_log {
 public:
  followed_log(const std::string& priv, const std::function<void(const std::string&)>& note)
      : store_(open_copy(priv + "/log")),
        reader_(*store_),
        copy_(std::make_shared<log::log_copy>(*store_)),
        start_(actors::fold_copy({&reader_, store_.get(), daemons::checkpoint_directory(priv), priv, note})) {}

  const ports::record_log& records() const { return *store_; }
  const std::shared_ptr<log::log_copy>& copy() const { return copy_; }
  const model::settings_fold& settings() const { return *start_.folds.settings; }

  caf::actor spawn_queries(caf::actor_system& system, const ports::clock& clock, std::shared_ptr<actors::commit_inbox> inbox,
                           const std::function<void(const std::string&)>& stop) const {
    actors::query_parts parts{};
    parts.now = start_.folds.status;
    parts.index = start_.past;
    parts.past = system.spawn<caf::detached>(actors::past_actor, &reader_, ports::storage(store_.get()), &clock);
    parts.clock = &clock;
    parts.inbox = std::move(inbox);
    parts.stop_process = stop;
    return system.spawn<caf::detached>(actors::query_actor, parts);
  }

 private:
  std::unique_ptr<ports::event_store> store_;
  log::log_reader reader_;
  std::shared_ptr<log::log_copy> copy_;
  actors::folded_copy start_;
};

// A copy is not restored as a log is: the server has all of it.
std::string damage_text(const std::string& priv, std::string text) {
  const std::string_view of_logs = log::what_to_run;
  if (text.ends_with(of_logs)) text.resize(text.size() - of_logs.size());
  return "the copy of the log in " + priv + "/log: " + text + "\nRemove the directory to follow the log from its beginning.";
}

int make_checkpoint(const setup& s) {
  return daemons::make_checkpoint({s.priv, [] { return std::make_unique<actors::follower_maker_folds>(); }, [] { return UINT64_MAX; },
                                   "no record came since the last one"});
}

daemons::checkpoint_maker_parts checkpoint_parts(const setup& s, const ports::record_log& log, follow_log& notes) {
  const auto wrong = [&](const std::string& text) { notes.unfit_setting(text); };
  return {s.priv,
          {"pbs_follow", "--checkpoint"},
          daemons::read_checkpoint_pace(s.ours, wrong),
          [&log] { return log.last_sequence(); },
          &log,
          [&notes](const std::string& text) { notes.failed(text); }};
}

[[noreturn]] void run(const setup& s) {
  daemons::background process(s.in_foreground);
  const daemons::lock_file lock(s.priv + "/follow.lock", 0600, "pbs_follow: another follower running");
  daemons::raise_open_files();
  daemons::end_of_process end;
  follow_log notes(s);
  const daemons::signal_watch signals([&](int signal) {
    if (signal == SIGHUP) return notes.reopen();
    end.come(0, "pbs_follow ends on signal " + std::to_string(signal));
  });
  const auto stop = [&](const std::string& text) {
    notes.failed(text);
    daemons::stop_at_once("pbs_follow", text);
  };
  const auto refuse = [&](const std::string& why) {
    notes.failed(why);
    daemons::give_up("pbs_follow", std::runtime_error(why));
  };
  if (const auto why = daemons::why_open_to_others({s.conf.pbs_home, s.priv}); !why.empty()) refuse(why);
  std::string host;
  std::unique_ptr<followed_log> log;
  try {
    host = host_in(s.certificate());
    log = std::make_unique<followed_log>(s.priv, [&notes](const std::string& text) { notes.say(text); });
  } catch (const log::log_damaged& e) {
    refuse(damage_text(s.priv, e.what()));
  } catch (const std::exception& e) {
    refuse(e.what());
  }

  const actors::system_clock clock;
  daemons::next_first_config config;
  caf::actor_system system(config);
  daemons::or_give_up("pbs_follow", [&] {
    wire::io_pool pool;
    const auto standing = std::make_shared<actors::follow_standing>(host, s.server, std::chrono::steady_clock::now());
    actors::follow_parts follow;
    follow.copy = log->copy();
    follow.standing = standing;
    follow.inbox = std::make_shared<actors::commit_inbox>();
    follow.queries = log->spawn_queries(system, clock, follow.inbox, stop);
    follow.door =
        system.spawn(actors::follower_door, actors::follower_door_parts{host, s.server, log->settings(), follow.queries, standing, stop});
    follow.server = s.server;
    follow.dial = [&](const caf::actor& to) {
      auto handler = daemons::feed(to);
      handler.failed = [to](const std::string& why) { caf::anon_send(to, actors::feed_unreachable{why}); };
      return pool.dial_tls(s.conf.server_host(), s.conf.batch_service_port, wire::credentials::bundle(s.certificate()),
                           wire::identity::kind::server, handler);
    };
    follow.note = [&notes](bool is_error, const std::string& text) { is_error ? notes.failed(text) : notes.say(text); };
    follow.stop_process = stop;
    const auto has = "has the log of server " + s.server + " up to record " + std::to_string(log->copy()->last_sequence());
    (void)system.spawn<caf::detached>(actors::follow_actor, follow);

    auto users = daemons::feed(follow.door);
    daemons::handle_lone_frames_here(system, users);
    users.failed = [&notes](const std::string& why) { notes.failed(why); };
    users.last_words = daemons::server_last_words;
    auto door = pool.listen_unix(client::follower_socket(s.conf.pbs_home), 0666, users);
    daemons::checkpoint_maker checkpoints(checkpoint_parts(s, log->records(), notes));
    notes.say("pbs_follow ready (pid=" + std::to_string(getpid()) + "): " + has);
    process.ready("/dev/null");
    std::string text;
    const int status = end.wait(&text);
    door.reset();  // nobody else is let in while the last checkpoint is made
    if (status == 0) checkpoints.make_last();
    notes.say(text);
    daemons::end_process(status);
  });
}

}  // namespace

int main(int argc, char** argv) {
  const bool only_checkpoint = take_checkpoint_word(argc, argv);
  const auto line = client::parse_options_or_exit(command, argc, argv, check);
  if (!line.words.empty() || (only_checkpoint && !line.options.empty())) return client::usage(command);
  try {
    const auto s = read_setup(line);
    if (only_checkpoint) daemons::end_process(make_checkpoint(s));
    run(s);
  } catch (const std::exception& e) {
    daemons::give_up("pbs_follow", e);
  }
}
