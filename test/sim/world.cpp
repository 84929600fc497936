#include "test/sim/world.hpp"

#include <algorithm>
#include <cstdio>
#include <sstream>

#include "events/attributes/ids.hpp"
#include "events/log/log_reader.hpp"
#include "events/model/limits.hpp"
#include "projections/status/status.hpp"
#include "test/sim/array_checks.hpp"
#include "test/sim/dependent_jobs.hpp"
#include "test/sim/network.hpp"
#include "test/sim/processes.hpp"

namespace annals::sim {

namespace {
constexpr std::int64_t fault_time = 120 * second;  // faults happen this long
constexpr std::int64_t patience = 3600 * second;   // after which a world that is not quiet has lost something
}  // namespace

world::world(options options)
    : random(options.seed),
      net(*this),
      o(options),
      hooks_(options),
      partitions_(options.partitions, options.moms),
      express_(options.preempt_order),
      users_(options.reservations, options.reserved_kind, random),
      start_(options.start) {
  processes_.push_back(std::make_unique<server_process>(*this));
  processes_.push_back(std::make_unique<scheduler_process>(*this, "default"));
  if (o.partitions)
    for (const char* name : {"s1", "s2"}) processes_.push_back(std::make_unique<scheduler_process>(*this, name));
  for (int i = 0; i < o.moms; ++i) processes_.push_back(std::make_unique<mom_process>(*this, "n" + std::to_string(i + 1)));
  for (std::size_t i = 0; i < processes_.size(); ++i)
    if (!o.late_scheduler || i != late_one) processes_[i]->start();
  for (int i = 0; i < o.jobs; ++i) {
    std::string id(16, '\0');
    for (auto& c : id) c = static_cast<char>(random());
    submissions_.push_back({.command_id = id, .acknowledged = "", .staged = chance(o.staging)});
    auto& s = submissions_.back();
    if (o.partitions) s.queue = partitioned_queues[random() % partitioned_queues.size()];
    if (chance(o.express)) s.queue = "express";
    s.words = {{"Job_Name", "", "j" + std::to_string(i)}};
    for (auto& word : drawn_words(*this)) s.words.push_back(std::move(word));
    s.may_depend = chance(o.dependent);
    if (chance(o.arrays))
      for (auto& word : drawn_array(*this)) s.words.push_back(std::move(word));
    if (s.staged) s.words.push_back({"stagein", "", "in@store:/data/in"});
    if (o.walltime_s > 0) s.words.push_back({"Resource_List", "walltime", std::to_string(o.walltime_s)});
    if (!o.preempt_order.empty() && o.wide == 0)
      s.words.push_back({"Resource_List", "select", "1:ncpus=" + std::to_string(1 + random() % 2)});
    if (!chance(o.stage_out)) continue;
    s.words.push_back({"stageout", "", "out@store:/data/out"});
    s.words.push_back({"release_nodes_on_stageout", "", "True"});
  }
  net.loss_rate = o.lost_effect;
  server_store().set_sync_failure_rate(o.sync_failure);
  server_store().set_uncertain_rate(o.uncertain);
}

world::~world() {
  faults_on_ = false;
  for (auto& p : processes_) p->crash();
}

log::fault_store& world::server_store() { return static_cast<server_process&>(*processes_[0]).store; }

void world::at(std::int64_t when, const life& of, std::function<void()> what) { timers_.emplace(when, timer{of, std::move(what)}); }

void world::drop_timers_of(const life& process) {
  std::erase_if(timers_, [&](const auto& t) { return t.second.of == process; });
}

// -- several schedulers ------------------------------------------------------------------------------------------------------

scheduler_process& world::scheduler(std::size_t i) const { return static_cast<scheduler_process&>(*processes_[i]); }

void world::alter_partitions() {
  if (o.alterations == 0 || !client_link_ || client_link_->broken()) return;
  if (!faults_on_ && std::exchange(altered_, false)) partitions_.restore();
  if (!faults_on_ || !partitions_.done() || !chance(o.alterations)) return;
  altered_ = true;
  client_link_->put(1, partitions_.drawn_change(next_request_++, random));
}

// Every job of the partitions whose schedulers are there has ended, although one is not.
bool world::only_late_jobs_left() {
  for (const auto& s : submissions_)
    if (s.acknowledged.empty()) return false;
  projections::status now;
  log::log_reader reader(server_store());
  (void)reader.read(1, [&](const log::record_ptr& r) { now.fold(*r); return true; });
  bool others = false;
  now.each_job([&](const model::job_state& j) {
    others |= !j.ended() && j.queue() != "q2";
    return !others;
  });
  return !others;
}

// -- links -------------------------------------------------------------------------------------------------------------------

void world::connect_everybody() {
  auto& server = static_cast<server_process&>(*processes_[0]);
  if (!server.up() || !server.parts()) return;
  for (std::size_t i = 1; i < processes_.size(); ++i) {
    if (!processes_[i]->up() || processes_[i]->wants_crash || !can_talk(0, i)) continue;
    auto& l = links_[i];
    if (l && !l->broken()) continue;
    if (chance(0.5)) continue;  // not everybody is equally quick
    l = i < first_mom() ? net.connect(server.end(wire::identity::kind::scheduler), scheduler(i).end())
                        : net.connect(server.end(wire::identity::kind::mom), static_cast<mom_process&>(*processes_[i]).end());
  }
  connect_moms();
  if (o.hostile_node) play_hostile_node();
  if ((client_link_ && !client_link_->broken()) || stands_still(0)) return;
  for (auto& s : submissions_) s.sent = s.sent && s.answered();  // unanswered: asked again, same command id
  for (auto& [mom, state] : nodes_)
    if (state == node::asked) state = node::unknown;
  if (settings_ == node::asked) settings_ = node::unknown;
  hooks_.link_broken();
  partitions_.link_broken();
  express_.link_broken();
  users_.link_broken();
  endpoint client;
  client.seen_as = {wire::identity::kind::local, "alice", 1000, 1000, 1, "", "users"};
  client.alive = client_alive_;
  client.received = [this](const wire::connection_ptr&, schema::sealed_message m) { on_reply(m.root<schema::Reply>()); };
  client_link_ = net.connect(server.end(wire::identity::kind::local), client);
}

double world::load_of(const std::string& mom) const {
  if (!faults_on_) return 0;
  const auto part = static_cast<std::uint64_t>(clock.now / 10'000'000'000);
  std::mt19937_64 drawn(o.seed * 1'000'003 + index_of(mom) * 7919 + part);
  return std::uniform_real_distribution<double>(0, 1)(drawn) < o.loads ? 10 : 0;
}

std::size_t world::index_of(const std::string& mom) const {
  for (std::size_t i = first_mom(); i < processes_.size(); ++i)
    if (static_cast<mom_process&>(*processes_[i]).name() == mom) return i;
  return 0;
}

void world::dial_mom(const std::string& from, const std::string& to, std::weak_ptr<bool> wanted) {
  mom_dials_.push_back({index_of(from), index_of(to), std::move(wanted), nullptr});
}

void world::connect_moms() {
  for (auto& d : mom_dials_)
    if (d.wanted.expired() && d.made) d.made->break_with("no longer wanted");
  std::erase_if(mom_dials_, [](const mom_dial& d) { return d.wanted.expired(); });
  for (std::size_t i = 0; i < mom_dials_.size(); ++i) {
    if (mom_dials_[i].made && !mom_dials_[i].made->broken()) continue;
    auto& from = *processes_[mom_dials_[i].from];
    auto& to = *processes_[mom_dials_[i].to];
    if (!from.up() || !to.up() || from.wants_crash || to.wants_crash || !can_talk(mom_dials_[i].from, mom_dials_[i].to) || chance(0.5))
      continue;
    auto& listens = static_cast<mom_process&>(to);
    mom_dials_[i].made = net.connect(listens.end(), static_cast<mom_process&>(from).sister_end(listens.name()));
  }
}

// The administrator's part: every host becomes a node.
void world::create_node(std::size_t mom) {
  const auto id = next_request_++;
  asked_node_[id] = mom;
  nodes_[mom] = node::asked;
  client_link_->put(1, schema::make<schema::Request>([&](schema::Request::Builder r) {
                      r.setId(id);
                      auto m = r.initManage();
                      m.setVerb(schema::ManageVerb::CREATE);
                      m.setKind(schema::ObjectKind::NODE);
                      m.setName(static_cast<mom_process&>(*processes_[mom]).name());
                    }));
}

void world::set_server() {
  std::vector<std::pair<const char*, std::string>> wanted;
  if (o.history_s > 0) wanted = {{"job_history_enable", "True"}, {"job_history_duration", std::to_string(o.history_s)}};
  if (o.node_fail_s > 0) wanted.emplace_back("node_fail_requeue", std::to_string(o.node_fail_s));
  if (o.reservations > 0) wanted.emplace_back("reserve_retry_time", "5");
  settings_ = wanted.empty() ? node::there : node::asked;
  if (wanted.empty()) return;
  asked_settings_ = next_request_++;
  client_link_->put(1, schema::make<schema::Request>([&](schema::Request::Builder r) {
                      r.setId(asked_settings_);
                      auto m = r.initManage();
                      m.setVerb(schema::ManageVerb::SET);
                      m.setKind(schema::ObjectKind::SERVER);
                      auto changes = m.initChanges(static_cast<unsigned>(wanted.size()));
                      for (unsigned i = 0; i < wanted.size(); ++i) {
                        changes[i].setName(wanted[i].first);
                        changes[i].setValue(wanted[i].second);
                      }
                    }));
}

void world::submit_what_is_open() {
  if (!client_link_ || client_link_->broken()) return;
  if (settings_ == node::unknown) set_server();
  for (std::size_t i = first_mom(); i < processes_.size(); ++i)
    if (nodes_[i] == node::unknown) create_node(i);
  if (const auto* request = hooks_.next_to_send(next_request_)) {
    ++next_request_;
    client_link_->put(1, *request);
  }
  if (!partitions_.done() && chance(0.2))
    if (const auto* request = partitions_.next_to_send(next_request_)) {
      ++next_request_;
      client_link_->put(1, *request);
    }
  if (const auto* request = express_.next_to_send(next_request_)) {
    ++next_request_;
    client_link_->put(1, *request);
  }
  if (!hooks_.done() || !partitions_.done() || !express_.done()) return;
  for (std::size_t i = 0; i < submissions_.size(); ++i) {
    auto& s = submissions_[i];
    const bool too_early = s.may_depend && i > 0 && !submissions_[i - 1].answered();  // there is nothing yet that it could depend on
    if (s.sent || too_early || !chance(0.05)) continue;
    s.sent = true;
    if (std::exchange(s.may_depend, false)) add_dependencies(s);
    const auto id = next_request_++;
    asked_[id] = i;
    client_link_->put(1, schema::make<schema::Request>([&](schema::Request::Builder r) {
                        r.setId(id);
                        r.setCommandId({reinterpret_cast<const kj::byte*>(s.command_id.data()), s.command_id.size()});
                        auto q = r.initQueueJob();
                        q.setQueue(s.queue);
                        auto list = q.initAttributes(static_cast<unsigned>(s.words.size()));
                        for (unsigned n = 0; n < list.size(); ++n) {
                          list[n].setName(s.words[n].name);
                          list[n].setResource(s.words[n].resource);
                          list[n].setValue(s.words[n].value);
                        }
                      }));
  }
}

void world::add_dependencies(submission& to) {
  std::vector<std::string> jobs;
  for (const auto& s : submissions_)
    if (!s.acknowledged.empty()) jobs.push_back(s.acknowledged);
  for (auto& word : drawn_dependencies(*this, jobs)) to.words.push_back(std::move(word));
}

// -- reservations ------------------------------------------------------------------------------------------------------------

void world::add_job(const std::string& queue) {
  std::string id(16, '\0');
  for (auto& c : id) c = static_cast<char>(random());
  submissions_.push_back({.command_id = id, .acknowledged = "", .queue = queue, .may_be_refused = true});
  submissions_.back().words = {{"Job_Name", "", "r" + std::to_string(submissions_.size())},
                               {"Resource_List", "walltime", std::to_string(10 + random() % 50)}};
}

void world::reserve() {
  if (o.reservations == 0 || !client_link_ || client_link_->broken() || settings_ != node::there) return;
  for (std::size_t i = first_mom(); i < processes_.size(); ++i)
    if (nodes_[i] != node::there) return;
  std::vector<std::string> jobs;
  for (const auto& s : submissions_)
    if (!s.acknowledged.empty()) jobs.push_back(s.acknowledged);
  if (const auto request = users_.ask(next_request_, clock.now, jobs, reserved_, o.moms)) {
    ++next_request_;
    client_link_->put(1, *request);
  }
  if (const auto queue = users_.take_job_for(); !queue.empty()) add_job(queue);
}

std::string world::check_reserved() {
  if (server_store().last_sequence() != reserved_.sequence())
    (void)log::log_reader(server_store()).read(reserved_.sequence() + 1, [&](const log::record_ptr& r) {
      reserved_.fold(*r);
      return true;
    });
  return reserved_.fault();
}

// An operator who does anything with anybody's job; what comes of it is of no interest, only that nothing breaks.
void world::act_by_hand() {
  if (!faults_on_ || !chance(o.by_hand) || !client_link_ || client_link_->broken()) return;
  const auto job = [&] { return submissions_[random() % submissions_.size()].acknowledged; };
  const auto whole = job(), other = job();
  if (whole.empty() || other.empty()) return;
  const auto one = o.arrays > 0 ? drawn_part(*this, whole) : whole;
  const auto what = o.watch_suspension && chance(0.8) ? random() % 2 : random() % 13;
  client_link_->put(1, schema::make<schema::Request>([&](schema::Request::Builder r) {
                      r.setId(next_request_++);
                      const auto signal = [&](const char* name) {
                        auto s = r.initSignalJob();
                        s.setJob(one);
                        s.setSignal(name);
                      };
                      const auto run = [&](const std::string& where) {
                        auto q = r.initRunJob();
                        q.setJob(one);
                        q.setExecVnode(where);
                      };
                      switch (what) {
                        case 0: return signal("suspend");
                        case 1: return signal("resume");
                        case 2:
                        case 3: {
                          auto again = r.initRerunJob();
                          again.setJob(one);
                          return again.setForce(what == 3);
                        }
                        case 4: {
                          auto m = r.initMoveJob();
                          m.setJob(one);
                          return m.setDestination(o.partitions ? partitioned_queues[random() % partitioned_queues.size()] : "workq");
                        }
                        case 5: {
                          auto order = r.initOrderJobs();
                          order.setFirst(one);
                          return order.setSecond(other);
                        }
                        case 6: return run("");
                        case 7: return signal("TERM");
                        case 8:
                        case 9: {
                          auto d = r.initDeleteJob();
                          d.setJob(one);
                          return d.setForce(what == 9);
                        }
                        case 10: {
                          auto m = r.initMessageJob();
                          m.setJob(one);
                          m.setToErrors(true);
                          return m.setText("hello");
                        }
                        case 11: {
                          auto a = r.initAlterJob();
                          a.setJob(one);
                          auto change = a.initChanges(1)[0];
                          change.setName("Priority");
                          return change.setValue(std::to_string(random() % 1000));
                        }
                        default:
                          return run(
                              static_cast<mom_process&>(*processes_[first_mom() + random() % (processes_.size() - first_mom())]).name());
                      }
                    }));
}

// Of any job in any state: most are refused.
void world::release_vnodes() {
  if (!faults_on_ || !chance(o.releases) || !client_link_ || client_link_->broken()) return;
  const auto job = submissions_[random() % submissions_.size()].acknowledged;
  if (job.empty()) return;
  const auto what = random() % 4;
  const auto kept = std::to_string(1 + random() % 2) + ":ncpus=1";
  const auto host = static_cast<mom_process&>(*processes_[first_mom() + random() % (processes_.size() - first_mom())]).name();
  client_link_->put(1, schema::make<schema::Request>([&](schema::Request::Builder r) {
                      r.setId(next_request_++);
                      auto release = r.initReleaseNodes();
                      release.setJob(job);
                      switch (what) {
                        case 0: return release.setAll();
                        case 1: return release.setKeepHosts(1);
                        case 2: return release.setKeepSelect(kept);
                        default: release.initNamed(1).set(0, host);
                      }
                    }));
}

void world::on_reply(schema::Reply::Reader r) {
  if (const auto node = asked_node_.find(r.getId()); node != asked_node_.end()) {
    const bool there = r.isDone() || r.getRejected().getCode() == 15066;  // a repeat finds it there
    nodes_[node->second] = there ? node::there : node::unknown;
    return;
  }
  if (hooks_.on_reply(r.getId()) || partitions_.on_reply(r) || express_.on_reply(r) || users_.on_reply(r)) return;
  if (r.getId() == asked_settings_) {
    settings_ = r.isDone() ? node::there : node::unknown;
    return;
  }
  const auto at = asked_.find(r.getId());
  if (at == asked_.end()) return;
  auto& s = submissions_[at->second];
  if (r.isDone()) s.acknowledged = schema::str(r.getDone());
  else if (s.may_be_refused) s.refused = true;
  else s.sent = false;  // refused (a full disk): asked again later
}

// -- time --------------------------------------------------------------------------------------------------------------------

bool world::fire_one() {
  const auto t = timers_.begin();
  if (t == timers_.end() || t->first > clock.now) return false;
  const auto what = std::move(t->second);
  timers_.erase(t);
  if (*what.of) what.what();
  return true;
}

bool world::step() {
  maybe_fault();
  connect_everybody();
  submit_what_is_open();
  act_by_hand();
  release_vnodes();
  reserve();
  alter_partitions();
  if (fire_one()) return true;
  const std::size_t first = random() % (processes_.size() + 1);
  for (std::size_t i = 0; i <= processes_.size(); ++i) {
    const std::size_t at = (first + i) % (processes_.size() + 1);
    if (at == processes_.size() ? net.deliver_one() : !stands_still(at) && processes_[at]->step()) return true;
  }
  return false;
}

void world::pass_time() {
  std::int64_t next = std::min(clock.now + second / 4, net.next_due());
  if (!timers_.empty()) next = std::min(next, timers_.begin()->first);
  for (const auto& [i, when] : restart_at_) next = std::min(next, when);
  for (const auto& [i, when] : still_until_)
    if (when > clock.now) next = std::min(next, when);
  const auto by = std::max<std::int64_t>(next - clock.now, 1000);
  clock.now += by;
  for (std::size_t i = 0; i < processes_.size(); ++i) let_time_pass(i, by);
}

bool world::quiet() {
  if (o.late_scheduler && !late_one_came_) {
    late_one_came_ = only_late_jobs_left();
    if (late_one_came_) processes_[late_one]->start();
    return false;
  }
  if (!partitions_.done() || !express_.done() || !users_.done() || !reserved_.all_over()) return false;
  for (const auto& s : submissions_)
    if (!s.answered()) return false;
  for (std::size_t i = 0; i < processes_.size(); ++i)
    if (!processes_[i]->up() || processes_[i]->wants_crash || stands_still(i)) return false;
  bool any_left = false;  // a finished job stays until its history is over
  status_now().each_stream([&](const model::job_state&) { return !(any_left = true); });
  for (std::size_t i = first_mom(); i < processes_.size(); ++i)
    if (static_cast<mom_process&>(*processes_[i]).has_runs()) return false;
  if (o.site_hooks && !check_hooks(server_store()).empty()) return false;  // a look may still be under way
  return !any_left;
}

// A server that crashed may have lost what it had not synced: then everything is read again.
const projections::status& world::status_now() {
  if (const auto& life_of_server = processes_[0]->alive(); life_of_server != folded_in_) {
    folded_in_ = life_of_server;
    folded_ = std::make_unique<projections::status>();
    fold_next_ = 1;
  }
  log::log_reader reader(server_store());
  (void)reader.read(fold_next_, [&](const log::record_ptr& r) {
    folded_->fold(*r);
    fold_next_ = r->sequence() + 1;
    return true;
  });
  return *folded_;
}

// What a world that is not quiet still waits for.
std::string world::unfinished() {
  std::string text = reserved_.unfinished();
  if (!users_.done()) text += "a reservation was not answered; ";
  for (std::size_t i = 0; i < submissions_.size(); ++i)
    if (!submissions_[i].answered()) text += "submission " + std::to_string(i) + " unanswered; ";
  const auto& now = status_now();
  now.each_stream([&](const model::job_state& j) {
    if (!j.ended() && text.size() < 500)
      text += j.id + " is " + model::state_letter(j) + " (" + now.shown(j, attributes::job::comment) + "); ";
    return true;
  });
  for (const auto& [serial, h] : now.hosts()) text += h.name + (h.up ? " up; " : " down; ");
  for (std::size_t i = 1; i < first_mom(); ++i)
    if (!processes_[i]->up() || stands_still(i))
      text += scheduler(i).name() + (processes_[i]->up() ? " stands still; " : " does not run; ");
  for (const auto& [name, s] : now.schedulers())
    text += name + " is " + std::string(s.attributes.get(attributes::scheduler::state).value_or("")) + "; ";
  for (std::size_t i = first_mom(); i < processes_.size(); ++i) {
    const auto contents = actors::read_mom_log(log::log_reader(*static_cast<mom_process&>(*processes_[i]).store));
    for (const auto& k : contents.known) text += "run " + print(k.key) + " has not left; ";
    for (const auto& p : contents.known_parts) text += "the part of " + print(p.what.key) + " has not left; ";
  }
  return text;
}

std::string world::run() {
  const auto begin = clock.now;
  auto look_again = clock.now;
  while (true) {
    faults_on_ = clock.now - begin < fault_time;
    if (faults_on_) calm_since_ns_ = clock.now;
    if (!faults_on_ && o.sync_failure > 0) server_store().set_sync_failure_rate(0);
    if (!faults_on_ && o.uncertain > 0) server_store().set_uncertain_rate(0);
    const bool went_on = step();
    auto why = o.watch_hosts ? check_vnodes() : std::string();
    if (why.empty() && o.reservations > 0) why = check_reserved();
    if (why.empty() && !went_on && o.reduces()) why = check_sums();
    if (!why.empty()) return why + " [repeat with ANNALS_SIM_SEED=" + std::to_string(o.seed) + "]";
    if (went_on) continue;
    if (clock.now >= look_again) {
      if (quiet()) break;
      look_again = clock.now + 2 * second;
    }
    if (clock.now - begin > patience) return "something was lost: not quiet after an hour: " + unfinished() + check();
    pass_time();
  }
  return check();
}

// -- checks ------------------------------------------------------------------------------------------------------------------

std::string world::check() {
  auto why = found_;
  if (why.empty()) why = check_history();
  if (why.empty()) why = check_executions();
  if (why.empty()) why = check_times();
  if (why.empty()) why = check_checkpoints();
  if (why.empty() && o.reservations > 0) why = users_.check(reserved_);
  if (why.empty() && o.dependent > 0) why = check_dependencies(server_store(), depended_);
  if (why.empty() && o.arrays > 0) why = check_arrays(server_store(), of_arrays_);
  if (why.empty() && o.partitions) why = check_partitions(server_store());
  if (why.empty() && o.hostile_node) why = check_hostile_node();
  if (why.empty() && o.any_hooks()) why = check_hooks(server_store());
  if (why.empty() && o.watch_hosts) why = check_leaks();
  if (why.empty() && o.watch_hosts) why = check_accounting();
  if (why.empty() && o.watch_hosts) why = check_usage();
  if (why.empty() && o.watch_hosts) why = check_output();
  if (why.empty() && o.watch_hosts) why = check_reductions();
  if (!why.empty()) why += " [repeat with ANNALS_SIM_SEED=" + std::to_string(o.seed) + "]";
  return why;
}

std::string world::check_history() {
  std::map<std::uint64_t, int> ended;
  std::map<std::uint64_t, std::int64_t> ended_ns;
  std::map<std::string, std::string> id_of_command;
  std::set<std::string> ids;
  std::set<std::uint64_t> subjobs;
  std::string fault;
  model::ledger ledger;
  std::map<std::string, std::map<std::uint64_t, int>> on_vnode;  // a slow recount of what the ledger keeps
  log::log_reader reader(server_store());
  const auto status = reader.read(1, [&](const log::record_ptr& r) {
    const auto e = r->event();
    const auto stream = r->get().getStream();
    const model::event_place place{r->sequence(), stream, r->get().getStreamVersion(), r->get().getWallNs(), {}};
    const bool queued = schema::is(e, schema::JobEvent::QUEUED);
    if (queued && values::is_subjob(e.getJob().getQueued().getNumber())) {
      subjobs.insert(stream);  // not submitted, and again on another stream when it is run again (check_arrays)
    } else if (queued) {
      const auto id = schema::str(e.getJob().getQueued().getId());
      if (!ids.insert(id).second) fault = "the id " + id + " was given twice";
      const auto c = r->get().getCommandId();
      if (!id_of_command.emplace(std::string(reinterpret_cast<const char*>(c.begin()), c.size()), id).second)
        fault = "a submission became two jobs: " + id;
    } else if (schema::is(e, schema::JobEvent::ASSIGNED) || schema::is(e, schema::JobEvent::VNODES_TAKEN)) {
      for (const auto& part : model::parts_of(schema::text(e.getJob().isAssigned() ? e.getJob().getAssigned().getExecVnode()
                                                                                   : e.getJob().getVnodesTaken().getExecVnode())))
        on_vnode[part.vnode][stream] += static_cast<int>(part.cpus);
      for (const auto& [vnode, jobs] : on_vnode) {
        int cpus = 0;
        for (const auto& [job, n] : jobs) cpus += n;
        if (cpus > 2)
          fault = "vnode " + vnode + " holds " + std::to_string(cpus) + " of 2 cpus at sequence " + std::to_string(r->sequence());
      }
    } else if (schema::is(e, schema::JobEvent::VNODES_RELEASED)) {
      for (const auto& part : model::parts_of(schema::text(e.getJob().getVnodesReleased().getExecVnode()))) {
        auto& cpus = on_vnode[part.vnode][stream];
        cpus = std::max(0, cpus - static_cast<int>(part.cpus));  // what ends while it is suspended holds nothing
      }
    } else if (schema::is(e, schema::JobEvent::ENDED)) {
      if (++ended[stream] > 1) fault = "a job ended twice, stream " + std::to_string(stream);
      ended_ns[stream] = place.wall_ns;
    } else if (schema::is(e, schema::JobEvent::FORGOTTEN) && !subjobs.contains(stream)) {
      const auto kept = place.wall_ns - ended_ns[stream];  // 0: it ended before the history was turned on
      if (kept != 0 && kept < o.history_s * second)
        fault = "a job was forgotten after " + std::to_string(kept) + " ns, stream " + std::to_string(stream);
    }
    ledger.apply(place, e);
    return fault.empty();
  });
  if (!status) return "the log is damaged: " + status.text;
  if (!fault.empty()) return fault;
  for (const auto& s : submissions_) {
    if (s.acknowledged.empty()) continue;
    const auto at = id_of_command.find(s.command_id);
    if (at == id_of_command.end()) return "the acknowledged job " + s.acknowledged + " is not in the log";
    if (at->second != s.acknowledged) return "acknowledged as " + s.acknowledged + " but logged as " + at->second;
  }
  const auto* parts = static_cast<server_process&>(*processes_[0]).parts();
  if (parts && !o.blind_ledger && !(parts->ledger() == ledger)) return "the live ledger differs from its replay";
  const auto report = log::verify(server_store());
  return report.ok() ? "" : "verify: " + report.faults.front();
}

// Every record has the time that its machine's clock had then, or the log holds its time for a moment.
std::string world::check_times() {
  std::string fault;
  (void)log::log_reader(server_store()).read(1, [&](const log::record_ptr& r) {
    if (r->get().getWallNs() - r->get().getRawNs() > limits::clock_held_ns)
      fault = "record " + std::to_string(r->sequence()) + " has a time that was over";
    return fault.empty();
  });
  return fault;
}

std::string world::check_executions() {
  for (std::size_t i = first_mom(); i < processes_.size(); ++i)
    for (const auto& [key, times] : static_cast<mom_process&>(*processes_[i]).machine().executions)
      if (times > 1) return "run " + print(key) + " was executed " + std::to_string(times) + " times";
  for (std::size_t i = first_mom(); i < processes_.size(); ++i) {
    const auto& mom = static_cast<mom_process&>(*processes_[i]);
    for (const auto& [key, p] : mom.machine().programs)
      if (p.ends > clock.now) return mom.name() + " still has processes of " + print(key);
    if (!mom.machine().staged.empty()) return mom.name() + " still has staged files of " + print(*mom.machine().staged.begin());
    if (!mom.machine().places.empty()) return mom.name() + " still has a place for " + print(mom.machine().places.begin()->first);
  }
  return "";
}

std::size_t world::preemptions() const {
  std::size_t times = 0;
  (void)log::log_reader(static_cast<server_process&>(*processes_[0]).store).read(1, [&](const log::record_ptr& r) {
    const auto e = r->event();
    times += schema::is(e, schema::JobEvent::SUSPENDED) || schema::is(e, schema::JobEvent::RERUN_REQUESTED) ||
             schema::is(e, schema::JobEvent::DELETE_REQUESTED);
    return true;
  });
  return times;
}

std::string world::digest() const {
  std::ostringstream text;
  log::log_reader reader(static_cast<server_process&>(*processes_[0]).store);
  (void)reader.read(1, [&](const log::record_ptr& r) {
    text.str("");
    for (auto b : r->hash()) {
      char two[3];
      std::snprintf(two, sizeof two, "%02x", static_cast<unsigned>(b));
      text << two;
    }
    return true;
  });
  return text.str();
}

}  // namespace annals::sim
