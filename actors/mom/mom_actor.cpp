#include "actors/mom/mom_actor.hpp"

#include <deque>
#include <set>

#include "events/model/limits.hpp"

namespace annals::actors {

namespace {

using poll_atom = caf::atom_constant<caf::atom("poll")>;
constexpr auto poll_period = std::chrono::seconds(1);

class mom {
 public:
  mom(caf::event_based_actor* self, mom_actor_parts parts) : self_(self), parts_(std::move(parts)) {
    for (const auto& l : parts_.left) remember_left(l.job_serial, l.run);
  }

  // The process host is ready to tell: the runs of the log come to life.
  void begin() {
    for (const auto& k : parts_.known) {
      refs_[k.key] = k;
      spawn(k.key, k.stream);
    }
    self_->delayed_send(self_, poll_period, poll_atom::value);
  }

  // -- the link to the server ------------------------------------------------------------------------------------------------

  void on_opened(const peer_opened& o) {
    server_ = o.peer;
    server_->send(schema::make<schema::FromMom>([&](schema::FromMom::Builder m) {
      auto hello = m.initHello();
      hello.setHost(parts_.host);
      hello.setVersion(parts_.version);
      hello.setLogUuid({reinterpret_cast<const kj::byte*>(parts_.log_uuid.data()), parts_.log_uuid.size()});
      hello.setPort(parts_.port);
      parts_.describe(hello);
      auto runs = hello.initRuns(static_cast<unsigned>(refs_.size()));
      unsigned i = 0;
      for (const auto& [key, k] : refs_) {
        auto ref = runs[i++];
        ref.setJobSerial(k.job_serial);
        ref.setRun(k.run);
        ref.setJob(k.job);
      }
    }));
    note(log_event::system, "Svr", "pbs_mom", "HELLO sent to server");
    for (const auto& [key, run] : runs_) self_->send(run, server_is_here{});
    for (const auto& [hash, waiting] : scripts_) ask_for(hash);
  }

  void on_closed(const peer_closed& c) {
    if (c.peer != server_) return;
    server_ = nullptr;
    note(log_event::system, "Svr", "pbs_mom", "lost the server: " + c.why);
  }

  void on_frame(peer_frame& f) {
    const auto peer = f.peer;
    try {
      route(f);
    } catch (const kj::Exception& e) {
      peer->close(std::string("a message that can't be read: ") + e.getDescription().cStr());
    }
  }

  void route(peer_frame& f) {
    schema::sealed<schema::ToMom> message(std::move(f.message));
    const auto m = message.get();
    switch (m.which()) {
      case schema::ToMom::WELCOME:
        report_interval_s_ = m.getWelcome().getUsageIntervalSeconds();
        return note(log_event::system, "Svr", "pbs_mom", "ReplyHello from server " + schema::str(m.getWelcome().getServerName()));
      case schema::ToMom::START_RUN: return to_run(m.getStartRun().getRef(), model::take_order{message});
      case schema::ToMom::SIGNAL_RUN: return to_run(m.getSignalRun().getRef(), model::kill_order{message});
      case schema::ToMom::TELL_RUN: return to_run(m.getTellRun().getRef(), model::tell_order{message});
      case schema::ToMom::DISCARD_RUN: return discard(m.getDiscardRun(), message);
      case schema::ToMom::ACK:
        if (const auto at = runs_.find(annals::mom::run_key(m.getAck().getRef())); at != runs_.end())
          self_->send(at->second, m.getAck().getWhat());
        return;
      case schema::ToMom::BLOB: return on_blob(m.getBlob());
    }
    f.peer->close("an unknown message");
  }

  // -- runs ------------------------------------------------------------------------------------------------------------------

  void on_host_event(host_event& e) {
    if (const auto at = runs_.find(e.key); at != runs_.end()) self_->send(at->second, wrap(std::move(e.command)));
  }

  void on_gone(const run_gone& g) {
    runs_.erase(g.key);
    refs_.erase(g.key);
    if (discarding_.erase(g.key) > 0) tell_discarded(g.job_serial, g.run);
    remember_left(g.job_serial, g.run);
  }

  void on_to_server(const to_server& t) {
    if (server_) server_->send(t.message);
  }

  void on_want_script(const want_script& w) {
    scripts_[w.hash].keys.insert(w.key);
    ask_for(w.hash);
  }

  void on_settings(const new_settings& s) {
    parts_.runs.settings = s.settings;
    for (const auto& [key, run] : runs_) self_->send(run, s);
  }

  void on_poll() {
    for (const auto& [key, run] : runs_) self_->send(run, poll_usage{report_interval_s_});
    self_->delayed_send(self_, poll_period, poll_atom::value);
  }

 private:
  struct script_wait { std::string text; std::set<std::string> keys; };

  void note(std::uint32_t event, const char* cls, const std::string& object, const std::string& text) {
    if (parts_.notes) parts_.notes->write(event, cls, object, text);
  }

  envelope<model::run_command> wrap(model::run_command c) {
    return {std::move(c), {"pbs_mom", parts_.host, schema::Role::MOM}, {}, nullptr, site_, {}, 0, {}};
  }

  caf::actor spawn(const std::string& key, std::uint64_t stream) {
    auto a = self_->spawn<run_actor>(parts_.runs, caf::actor(self_), key, stream, site_);
    runs_[key] = a;
    return a;
  }

  // A run that has left stays left, even if an old order for it comes late.
  void to_run(schema::RunRef::Reader ref, model::run_command command) {
    if (left_.contains({ref.getJobSerial(), ref.getRun()})) return;
    const auto key = annals::mom::run_key(ref);
    auto at = runs_.find(key);
    if (at == runs_.end()) {
      refs_[key] = {key, 0, ref.getJobSerial(), ref.getRun(), schema::str(ref.getJob())};
      spawn(key, 0);
      at = runs_.find(key);
    }
    self_->send(at->second, wrap(std::move(command)));
  }

  void discard(schema::RunRef::Reader ref, const schema::sealed<schema::ToMom>& message) {
    const auto key = annals::mom::run_key(ref);
    const auto at = runs_.find(key);
    if (at == runs_.end()) return tell_discarded(ref.getJobSerial(), ref.getRun());
    discarding_.insert(key);
    self_->send(at->second, wrap(model::discard_order{message}));
  }

  // If nobody hears it the next hello says the same: the run is not in it.
  void tell_discarded(std::uint64_t serial, std::uint32_t run) {
    if (!server_) return;
    server_->send(schema::make<schema::FromMom>([&](schema::FromMom::Builder m) {
      auto ref = m.initSignalDone().initRef();
      ref.setJobSerial(serial);
      ref.setRun(run);
    }));
  }

  void remember_left(std::uint64_t serial, std::uint32_t run) {
    if (!left_.emplace(serial, run).second) return;
    left_order_.emplace_back(serial, run);
    if (left_order_.size() <= limits::left_runs_max) return;
    left_.erase(left_order_.front());
    left_order_.pop_front();
  }

  void ask_for(const std::string& hash) {
    scripts_[hash].text.clear();
    if (!server_) return;
    server_->send(schema::make<schema::FromMom>([&](schema::FromMom::Builder m) {
      m.initWantBlob().setHash({reinterpret_cast<const kj::byte*>(hash.data()), hash.size()});
    }));
  }

  void on_blob(schema::Blob::Reader b) {
    const auto h = b.getHash();
    const auto at = scripts_.find(std::string(reinterpret_cast<const char*>(h.begin()), h.size()));
    if (at == scripts_.end() || b.getOffset() != at->second.text.size()) return;     // of an older request
    at->second.text.append(reinterpret_cast<const char*>(b.getData().begin()), b.getData().size());
    if (!b.getLast() && !b.getMissing()) return;
    for (const auto& key : at->second.keys)
      if (const auto run = runs_.find(key); run != runs_.end()) self_->send(run->second, script_text{at->second.text, b.getMissing()});
    scripts_.erase(at);
  }

  caf::event_based_actor* self_;
  mom_actor_parts parts_;
  model::site_ptr site_ = std::make_shared<model::site>();      // a MoM has no settings of the server's kind
  wire::connection_ptr server_;
  std::uint32_t report_interval_s_ = 10;
  std::map<std::string, caf::actor> runs_;
  std::map<std::string, known_run> refs_;
  std::set<std::string> discarding_;                            // keys of runs that go because the server does not want them
  std::set<std::pair<std::uint64_t, std::uint32_t>> left_;
  std::deque<std::pair<std::uint64_t, std::uint32_t>> left_order_;
  std::map<std::string, script_wait> scripts_;                  // by hash
};

}  // namespace

mom_log_contents read_mom_log(const log::log_reader& reader) {
  mom_log_contents contents;
  std::map<std::uint64_t, known_run> runs;
  const auto status = reader.read(1, [&](const log::record_ptr& r) {
    const auto stream = r->get().getStream();
    const auto event = r->event();
    if (event.isRunReceived()) {
      const auto e = event.getRunReceived();
      const auto job = schema::str(e.getJob());
      runs[stream] = {job + "." + std::to_string(e.getRun()), stream, e.getJobSerial(), e.getRun(), job};
    } else if (event.isRunLeft()) {
      contents.left.push_back({runs[stream].job_serial, runs[stream].run});
      runs.erase(stream);
    }
    return true;
  });
  if (!status) throw log::log_damaged(status.text);
  for (auto& [stream, run] : runs) contents.known.push_back(std::move(run));
  return contents;
}

caf::behavior mom_actor(caf::event_based_actor* self, mom_actor_parts parts) {
  auto m = std::make_shared<mom>(self, std::move(parts));
  return {
      [m](begin_work) { m->begin(); },
      [m](const peer_opened& o) { m->on_opened(o); },
      [m](peer_frame& f) { m->on_frame(f); },
      [m](const peer_closed& c) { m->on_closed(c); },
      [m](host_event& e) { m->on_host_event(e); },
      [m](const run_gone& g) { m->on_gone(g); },
      [m](const to_server& t) { m->on_to_server(t); },
      [m](const want_script& w) { m->on_want_script(w); },
      [m](const new_settings& s) { m->on_settings(s); },
      [m](poll_atom) { m->on_poll(); },
      [](const disk_state&) {},
      [](const committed&) {},
  };
}

}  // namespace annals::actors
