#include "test/unit/actors/server/reactions/job_site.hpp"

namespace annals::test {

namespace {

std::unique_ptr<reactions::reaction_set> connecting_jobs() {
  std::vector<reactions::named_reaction> all;
  all.push_back({"arrays", reactions::arrays()});
  all.push_back({"dependencies", reactions::dependencies()});
  all.push_back({"history_expiry", reactions::history_expiry()});
  all.push_back({"routing", reactions::routing()});
  return std::make_unique<reactions::reaction_set>("", std::move(all));
}

std::uint64_t told_by(const reactions::order& order) {
  if (const auto* route = std::get_if<reactions::route_job>(&order.what)) return route->serial;
  return std::get<reactions::tell_job>(order.what).serial;
}

model::event changed_queue(const given_values& attributes) {
  return model::make_event(
      [&](auto e) { fill(e.initQueue().initChanged().initChanges(static_cast<unsigned>(attributes.size())), attributes); });
}

}  // namespace

// One host, with room for all.
job_site::job_site() : reactions_(connecting_jobs()) {
  const auto server = write(0, model::make_event([](auto e) {
                              auto s = e.initServer().initStarted();
                              s.setServerName("borg");
                              s.setHostName("borg");
                            }));
  const given_values settings{{"default_chunk", "ncpus", "1"}, {"resources_default", "ncpus", "1"}, {"job_history_enable", "", "True"}};
  write(server, model::make_event([&](auto e) {
          fill(e.initServer().initChanged().initChanges(static_cast<unsigned>(settings.size())), settings);
        }));
  const auto host = write(0, model::make_event([](auto e) { e.initHost().initAdded().setName("borg"); }));
  write(host, model::make_event([](auto e) { e.initHost().initVnodeCreated().setName("borg"); }));
  write(host, model::make_event([](auto e) {
          auto v = e.initHost().initCameUp().initVnodes(1)[0];
          v.setName("borg");
          fill(v.initAttributes(1), {{"resources_available", "ncpus", "100000"}});
        }));
}

void job_site::queue(const std::string& name, const given_values& attributes) {
  queues_[name] = write(0, model::make_event([&](auto e) { e.initQueue().initCreated().setName(name); }));
  change_queue(name, attributes);
}
void job_site::change_queue(const std::string& name, const given_values& attributes) { write(queues_.at(name), changed_queue(attributes)); }

// -- the log -------------------------------------------------------------------------------------------------------------------

std::uint64_t job_site::write(std::uint64_t stream, model::event event) {
  log::append a;
  a.stream = stream;
  a.expected_version = log_.last_version(stream);
  a.events.push_back(std::move(event));
  const auto done = write(std::move(a));
  BOOST_REQUIRE_MESSAGE(done.accepted, done.text);
  return stream != 0 ? stream : std::stoull(done.text);
}

// All of it or nothing; accepted, the answer's text is the stream.
job_site::answer job_site::write(log::append what) {
  const auto staged = log_.stage(std::move(what));
  if (std::holds_alternative<log::repeated>(staged)) return {true, false, ""};
  model::ledger::newborn born;
  for (auto i = log_.last_staged_begin(); i < log_.staged_records().size(); ++i) {
    const auto& r = *log_.staged_records()[i];
    const auto why = ledger_.check(log::place_of(r), r.event(), &born);
    if (!why) continue;
    log_.unstage_last();
    return {false, false, std::to_string(why->code) + " " + why->text};
  }
  std::vector<log::record_ptr> records;
  BOOST_REQUIRE(static_cast<bool>(log_.commit(records)));
  for (const auto& r : records) {
    ledger_.apply(log::place_of(*r), r->event());
    fold_job(*r);
    fold(*r);
  }
  return {true, true, std::to_string(std::get<log::staged>(staged).stream)};
}

void job_site::fold(const log::record& record) {
  const auto event = record.event();
  if (event.isServer() || event.isQueue() || event.isScheduler()) settings_.fold(log::place_of(record), event);
  reactions_->fold(record);
}

void job_site::fold_job(const log::record& record) {
  if (!record.event().isJob()) return;
  const auto at = log::place_of(record);
  auto& job = jobs_[at.stream];
  model::apply(job, at, record.event());
  if (record.event().getJob().isQueued()) streams_[job.number] = at.stream;
  if (!record.event().getJob().isForgotten()) return;
  streams_.erase(job.number);
  jobs_.erase(at.stream);
}

void job_site::restart() {
  on_way_.clear();
  const auto folded = stored_bytes(*reactions_);
  const auto checkpoint = log_.last_sequence() / 2;
  reactions_ = connecting_jobs();
  settings_ = model::settings_fold();
  model::ledger anew;
  BOOST_REQUIRE(static_cast<bool>(log::log_reader(store_).read(1, [&](const log::record_ptr& r) {
    anew.apply(log::place_of(*r), r->event());
    fold(*r);
    if (r->sequence() == checkpoint) go_on_from(stored_bytes(*reactions_));
    return true;
  })));
  BOOST_REQUIRE_MESSAGE(anew == ledger_, "the ledger is another one after a restart");
  BOOST_REQUIRE_MESSAGE(stored_bytes(*reactions_) == folded, "the reactions have folded something else after a restart");
}

void job_site::go_on_from(const std::string& checkpoint) {
  reactions_ = connecting_jobs();
  stored::restore_whole(checkpoint, *reactions_);
}

// -- jobs ------------------------------------------------------------------------------------------------------------------------

job_site::answer job_site::submit(std::uint64_t number, const given_values& attributes, const std::string& queue) {
  const auto decided = model::decide({}, submission(number, attributes, queue), {clock.ns, user()}, *settings_.settings());
  if (!decided.accepted()) return {false, false, said(decided)};
  log::append a;
  a.by = {user().user, user().host, user().role};
  a.events = decided.events();
  return write(std::move(a));
}

job_site::answer job_site::tell(std::uint64_t number, const model::job_command& command, const model::requester& by,
                                const std::string& command_id, std::uint64_t cause) {
  log::append a;
  a.by = {by.user, by.host, by.role};
  if (log_.find_command(a.by, command_id)) return {true, false, "again"};
  const auto& job = this->job(number);
  auto decided = model::decide(job, command, {clock.ns, by}, *settings_.settings());
  if (!decided.accepted() || decided.events().empty()) return {decided.accepted(), false, said(decided)};
  a.command_id = command_id;
  a.cause = cause;
  a.stream = job.serial;
  a.expected_version = job.version;
  a.events = decided.events();
  a.born = decided.born;
  return write(std::move(a));
}

job_site::answer job_site::route(std::uint64_t number, const std::string& queue) {
  return tell(number, move(queue), {"pbs_server", "borg", schema::Role::SERVER});
}

std::uint64_t job_site::number_of(std::uint64_t stream) const {
  const auto at = jobs_.find(stream);
  return at == jobs_.end() ? 0 : at->second.number;
}

// -- orders ------------------------------------------------------------------------------------------------------------------------

std::size_t job_site::give_orders() {
  auto orders = reactions_->due(clock.ns);
  for (auto& o : orders) on_way_[told_by(*o.what)].push_back(o);
  return orders.size();
}

std::vector<std::uint64_t> job_site::on_their_way() const {
  std::vector<std::uint64_t> streams;
  for (const auto& [stream, orders] : on_way_) streams.push_back(stream);
  return streams;
}

job_site::given job_site::next_order(std::uint64_t stream) {
  auto& orders = on_way_.at(stream);
  auto first = orders.front();
  orders.pop_front();
  if (orders.empty()) on_way_.erase(stream);
  return first;
}

}  // namespace annals::test
