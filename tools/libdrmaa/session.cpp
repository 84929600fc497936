#include "tools/libdrmaa/session.hpp"

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <memory>

#include "tools/client/job_ids.hpp"
#include "tools/libdrmaa/error.hpp"
#include "tools/libpbs/include/pbs_error.h"
#include "tools/libpbs/include/pbs_ifl.h"

namespace annals::drmaa {

namespace {

// From one question about all jobs to the next: short ones are reported soon, and long ones cost the server little.
constexpr std::chrono::milliseconds pause_min{50}, pause_max{1000};
// How long who wants to wait no time waits for the server's answer.
constexpr std::chrono::seconds first_answer{2};
// Ids in one question: their text stays far below a request's limit.
constexpr std::size_t ids_in_a_question_max = 1000;

using status_list = std::unique_ptr<batch_status, void (*)(batch_status*)>;

std::string value_of(const batch_status* s, const char* name) {
  for (const attrl* a = s->attribs; a; a = a->next)
    if (std::strcmp(a->name, name) == 0) return a->value;
  return {};
}

[[noreturn]] void refused(int number, const char* text) {
  throw error{code_of(number), text ? text : pbse_to_txt(number) ? pbse_to_txt(number)
                                                                 : "PBS error " + std::to_string(number)};
}

// A list in C of texts that live as long as it does.
class attribute_list {
 public:
  explicit attribute_list(const std::vector<client::job_attribute>& of) : links_(of.size()) {
    for (std::size_t i = 0; i < of.size(); ++i)
      links_[i] = {i + 1 < of.size() ? &links_[i + 1] : nullptr, const_cast<char*>(of[i].name.c_str()),
                   of[i].resource.empty() ? nullptr : const_cast<char*>(of[i].resource.c_str()), const_cast<char*>(of[i].value.c_str()),
                   SET};
  }
  attropl* first() { return links_.empty() ? nullptr : links_.data(); }

 private:
  std::vector<attropl> links_;
};

bool has_ended(const std::string& state) { return state == "F" || state == "X"; }

job_end end_of(const batch_status* s) {
  job_end end;
  const auto text = value_of(s, ATTR_exit_status);
  const int status = text.empty() ? -1 : std::atoi(text.c_str());
  if (status < 0 || status == 256 + could_not_begin_signal) end.how = job_end::kind::aborted;
  else if (status >= 256) end = {job_end::kind::signaled, (status - 256) & 127, {}};
  else end = {job_end::kind::exited, status, {}};
  for (const attrl* a = s->attribs; a; a = a->next)
    if (std::strcmp(a->name, ATTR_used) == 0 && a->resource) end.usage.push_back(std::string(a->resource) + "=" + a->value);
  if (const auto host = value_of(s, ATTR_exechost); !host.empty()) end.usage.push_back("exec_host=" + host);
  return end;
}

int state_of_held(const std::string& holds) {
  const bool by_user = holds.find('u') != holds.npos, by_others = holds.find_first_of("osp") != holds.npos;
  return by_user && by_others ? DRMAA_PS_USER_SYSTEM_ON_HOLD : by_user ? DRMAA_PS_USER_ON_HOLD
                                                                       : DRMAA_PS_SYSTEM_ON_HOLD;
}

int state_of(const batch_status* s) {
  const auto state = value_of(s, ATTR_state), substate = value_of(s, ATTR_substate);
  if (has_ended(state)) return end_of(s).how == job_end::kind::exited ? DRMAA_PS_DONE : DRMAA_PS_FAILED;
  switch (state.empty() ? '?' : state[0]) {
    case 'Q':
    case 'W':
    case 'T': return DRMAA_PS_QUEUED_ACTIVE;
    case 'H': return state_of_held(value_of(s, ATTR_h));
    case 'B':
    case 'E': return DRMAA_PS_RUNNING;
    case 'R': return substate == "41" ? DRMAA_PS_QUEUED_ACTIVE : DRMAA_PS_RUNNING;            // its host has not started it yet
    case 'S': return substate == "43" ? DRMAA_PS_USER_SUSPENDED : DRMAA_PS_SYSTEM_SUSPENDED;  // by qsig; by the scheduler
    case 'U': return DRMAA_PS_SYSTEM_SUSPENDED;
    default: return DRMAA_PS_UNDETERMINED;
  }
}

// What is asked about jobs.
class wanted_attributes {
 public:
  attrl* first() { return links_; }

 private:
  attrl links_[6] = {{&links_[1], const_cast<char*>(ATTR_state), nullptr, nullptr, SET},
                     {&links_[2], const_cast<char*>(ATTR_substate), nullptr, nullptr, SET},
                     {&links_[3], const_cast<char*>(ATTR_h), nullptr, nullptr, SET},
                     {&links_[4], const_cast<char*>(ATTR_exit_status), nullptr, nullptr, SET},
                     {&links_[5], const_cast<char*>(ATTR_used), nullptr, nullptr, SET},
                     {nullptr, const_cast<char*>(ATTR_exechost), nullptr, nullptr, SET}};
};

std::string joined(const std::vector<std::string>& ids) {
  std::string text;
  for (const auto& id : ids) text += (text.empty() ? "" : ",") + id;
  return text;
}

}  // namespace

// work() answers what its call of libpbs did; then pbs_errno says whether it failed.
template <class Work>
auto session::ask_server(Work&& work) {
  const std::lock_guard its_turn(asking_);
  auto answer = work();
  if (pbs_errno != 0) refused(pbs_errno, pbs_geterrmsg(connect_));
  return answer;
}

session::session(const std::string& contact) : contact_(contact), connect_(pbs_connect(contact.c_str())) {
  if (connect_ < 0) {
    const int code = contact.empty() ? DRMAA_ERRNO_DRM_COMMUNICATION_FAILURE : DRMAA_ERRNO_INVALID_CONTACT_STRING;
    const char* why = pbse_to_txt(pbs_errno);
    throw error{code, "no connection to the server " + std::string(pbs_server ? pbs_server : "") + ": " + (why ? why : "")};
  }
  if (contact_.empty()) contact_ = pbs_server;
  try {
    attrl history{nullptr, const_cast<char*>(ATTR_JobHistoryEnable), nullptr, nullptr, SET};
    const status_list server(ask_server([&] { return pbs_statserver(connect_, &history, nullptr); }), pbs_statfree);
    if (!server || value_of(server.get(), ATTR_JobHistoryEnable) != "True")
      throw error{
          DRMAA_ERRNO_DRMS_INIT_FAILED,
          "the server forgets jobs when they end, so that nobody could wait for them: qmgr -c 'set server job_history_enable = True'"};
  } catch (...) {
    pbs_disconnect(connect_);
    throw;
  }
}

session::~session() {
  if (asker_.joinable()) asker_.join();
  pbs_disconnect(connect_);
}

void session::close() {
  const std::lock_guard held(guard_);
  closed_ = true;
  changed_.notify_all();
}

// -- submission -------------------------------------------------------------------------------------------------------------

std::string session::submit(prepared_job what) {
  attribute_list attributes(what.attributes);
  const std::unique_ptr<char, void (*)(void*)> id(
      ask_server([&] { return pbs_submit(connect_, attributes.first(), nullptr, what.queue.c_str(), nullptr); }), std::free);
  return id.get();
}

void session::add(const std::vector<std::string>& ids) {
  const std::lock_guard held(guard_);
  for (const auto& id : ids) jobs_.try_emplace(id);
  changed_.notify_all();
}

std::string session::run(const job_template& t) {
  auto id = submit(prepare(t));
  add({id});
  return id;
}

// An array is held and released as a whole; jobs that begin with a hold, which DRMAA releases one by one, are no array, nor is a single
// one.
std::vector<std::string> session::run_bulk(const job_template& t, const bulk_range& range) {
  std::vector<std::string> ids;
  if (range.first == range.last || t.is(DRMAA_JS_STATE, DRMAA_SUBMISSION_STATE_HOLD)) {
    for (int i = range.first; i <= range.last; i += range.step) {
      ids.push_back(submit(prepare(t, i)));
      add({ids.back()});
    }
    return ids;
  }
  const auto array = submit(prepare(t, range));  // "12[].server"
  const auto bracket = array.find('[') + 1;
  for (int i = range.first; i <= range.last; i += range.step)
    ids.push_back(array.substr(0, bracket) + std::to_string(i) + array.substr(bracket));
  add(ids);
  return ids;
}

// -- what jobs do -----------------------------------------------------------------------------------------------------------

session::job_now session::look_at(const std::string& id) {
  if (!client::parse_job_name(id, contact_)) throw error{DRMAA_ERRNO_INVALID_JOB, {}};  // pbs_statjob takes queues too
  wanted_attributes wanted;
  const status_list found(ask_server([&] { return pbs_statjob(connect_, id.c_str(), wanted.first(), "x"); }), pbs_statfree);
  if (!found) throw error{DRMAA_ERRNO_INVALID_JOB, {}};
  return {state_of(found.get()), value_of(found.get(), ATTR_h).find('u') != std::string::npos};
}

int session::state(const std::string& id) { return look_at(id).state; }

std::vector<std::string> session::ids_of(const std::string& id) {
  if (id != DRMAA_JOB_IDS_SESSION_ALL) return {id};
  const std::lock_guard held(guard_);
  std::vector<std::string> ids;
  for (const auto& [name, job] : jobs_)
    if (!job.end) ids.push_back(name);
  return ids;
}

void session::control_one(const std::string& id, int action) {
  const auto [now, has_user_hold] = look_at(id);
  const auto needs = [&](bool so, int code) {
    if (!so) throw error{code, {}};
  };
  if (now == DRMAA_PS_DONE || now == DRMAA_PS_FAILED) throw error{DRMAA_ERRNO_INVALID_JOB, "job " + id + " has ended"};
  const bool waits = now == DRMAA_PS_QUEUED_ACTIVE || now == DRMAA_PS_SYSTEM_ON_HOLD;
  const auto ask = [&](auto call) { ask_server([&] { return call(connect_, id.c_str()); }); };
  switch (action) {
    case DRMAA_CONTROL_SUSPEND:
      needs(now == DRMAA_PS_RUNNING, DRMAA_ERRNO_SUSPEND_INCONSISTENT_STATE);
      return ask([](int c, const char* job) { return pbs_sigjob(c, job, "suspend", nullptr); });
    case DRMAA_CONTROL_RESUME:
      needs(now == DRMAA_PS_USER_SUSPENDED, DRMAA_ERRNO_RESUME_INCONSISTENT_STATE);
      return ask([](int c, const char* job) { return pbs_sigjob(c, job, "resume", nullptr); });
    case DRMAA_CONTROL_HOLD:
      needs(waits, DRMAA_ERRNO_HOLD_INCONSISTENT_STATE);
      return ask([](int c, const char* job) { return pbs_holdjob(c, job, USER_HOLD, nullptr); });
    case DRMAA_CONTROL_RELEASE:
      needs(has_user_hold, DRMAA_ERRNO_RELEASE_INCONSISTENT_STATE);  // it may run: the hold came while its host started it
      return ask([](int c, const char* job) { return pbs_rlsjob(c, job, USER_HOLD, nullptr); });
    case DRMAA_CONTROL_TERMINATE:
      return ask([](int c, const char* job) { return pbs_deljob(c, job, nullptr); });
    default:
      throw error{DRMAA_ERRNO_INVALID_ARGUMENT, "no action: " + std::to_string(action)};
  }
}

// Of all jobs those that end meanwhile are no error; the first other one is told when all have been tried.
void session::control(const std::string& id, int action) {
  if (id != DRMAA_JOB_IDS_SESSION_ALL) return control_one(id, action);
  std::optional<error> first;
  for (const auto& one : ids_of(id)) {
    try {
      control_one(one, action);
    } catch (const error& e) {
      if (e.code != DRMAA_ERRNO_INVALID_JOB && !first) first = e;
    }
  }
  if (first) throw *first;
}

// -- how jobs end -----------------------------------------------------------------------------------------------------------

void session::learn(const std::vector<std::string>& asked, const batch_status* answered) {
  std::map<std::string_view, const batch_status*> by_id;
  for (; answered; answered = answered->next) by_id.emplace(answered->name, answered);
  for (const auto& id : asked) {
    const auto at = jobs_.find(id);
    const auto found = by_id.find(id);
    if (at == jobs_.end()) continue;
    if (found == by_id.end()) at->second.end = job_end{};
    else if (has_ended(value_of(found->second, ATTR_state))) at->second.end = end_of(found->second);
  }
}

// Called and left with guard_ held; not while the server is asked.
void session::ask_about_jobs(std::unique_lock<std::mutex>& held) {
  std::vector<std::string> open;
  for (const auto& [id, job] : jobs_)
    if (!job.end) open.push_back(id);
  for (std::size_t at = 0; at < open.size(); at += ids_in_a_question_max) {
    const std::vector<std::string> some(open.begin() + static_cast<std::ptrdiff_t>(at),
                                        open.begin() + static_cast<std::ptrdiff_t>(std::min(open.size(), at + ids_in_a_question_max)));
    held.unlock();
    status_list answered(nullptr, pbs_statfree);
    try {
      const std::lock_guard its_turn(asking_);
      wanted_attributes wanted;
      answered.reset(pbs_statjob(connect_, joined(some).c_str(), wanted.first(), "x"));
      if (pbs_errno != 0 && pbs_errno != PBSE_UNKJOBID) refused(pbs_errno, pbs_geterrmsg(connect_));
    } catch (...) {
      held.lock();
      throw;
    }
    held.lock();
    learn(some, answered.get());
  }
}

// Begins a question if none is open, and answers its number; called with guard_ held.
std::uint64_t session::begin_asking() {
  if (asked_ != answered_) return asked_;
  if (asker_.joinable()) asker_.join();  // it has let go of guard_ for good
  ++asked_;
  asker_ = std::thread([this] { ask_in_turn(); });
  return asked_;
}

void session::ask_in_turn() {
  sigset_t all;
  sigfillset(&all);
  pthread_sigmask(SIG_BLOCK, &all, nullptr);  // signals are for the program's own threads
  std::unique_lock held(guard_);
  std::optional<error> trouble;
  try {
    ask_about_jobs(held);
  } catch (const error& e) {
    trouble = e;
  } catch (const std::exception& e) {
    trouble = error{DRMAA_ERRNO_INTERNAL_ERROR, e.what()};
  }
  trouble_ = std::move(trouble);
  answered_ = asked_;
  changed_.notify_all();
}

// Waits until find() answers something, which it may throw error instead. The server is asked once at least, and has a moment for its
// answer.
template <class Find>
auto session::wait_until(deadline until, Find&& find) {
  std::unique_lock held(guard_);
  auto first_end = until;
  if (first_end) first_end = std::max(*until, clock::now() + first_answer);
  auto pause = pause_min;
  for (bool first = true;; first = false) {
    if (closed_) throw error{DRMAA_ERRNO_NO_ACTIVE_SESSION, {}};
    if (auto found = find()) return *found;
    const auto number = begin_asking();
    const auto is_over = [&] { return closed_ || answered_ >= number; };
    const auto end = first ? first_end : until;
    if (!end) changed_.wait(held, is_over);
    else if (!changed_.wait_until(held, *end, is_over)) throw error{DRMAA_ERRNO_EXIT_TIMEOUT, {}};
    if (!closed_ && trouble_) throw error(*trouble_);
    if (auto found = find()) return *found;
    if (until && clock::now() >= *until) throw error{DRMAA_ERRNO_EXIT_TIMEOUT, {}};
    const auto next = clock::now() + pause;
    changed_.wait_until(held, until ? std::min(next, *until) : next);
    pause = std::min(pause * 3 / 2, pause_max);
  }
}

session::ended_job session::wait(const std::string& id, deadline until) {
  const bool any = id == DRMAA_JOB_IDS_SESSION_ANY;
  return wait_until(until, [&]() -> std::optional<ended_job> {
    const auto at = any ? std::find_if(jobs_.begin(), jobs_.end(), [](const auto& j) { return j.second.end.has_value(); }) : jobs_.find(id);
    if (any ? jobs_.empty() : at == jobs_.end())
      throw error{DRMAA_ERRNO_INVALID_JOB, any ? "the session has no job to wait for" : "the session has no job " + id + " to wait for"};
    if (at == jobs_.end() || !at->second.end) return std::nullopt;
    ended_job ended{at->first, std::move(*at->second.end)};
    jobs_.erase(at);
    return ended;
  });
}

void session::synchronize(const std::vector<std::string>& ids, deadline until, bool dispose) {
  std::vector<std::string> awaited;
  {
    const std::lock_guard held(guard_);
    for (const auto& id : ids) {
      if (id == DRMAA_JOB_IDS_SESSION_ALL)
        for (const auto& [name, job] : jobs_) awaited.push_back(name);
      else if (jobs_.contains(id)) awaited.push_back(id);
      else throw error{DRMAA_ERRNO_INVALID_JOB, "the session has no job " + id + " to wait for"};
    }
  }
  // One that another thread has waited for meanwhile has ended.
  wait_until(until, [&]() -> std::optional<bool> {
    for (const auto& id : awaited)
      if (const auto at = jobs_.find(id); at != jobs_.end() && !at->second.end) return std::nullopt;
    if (dispose)
      for (const auto& id : awaited) jobs_.erase(id);
    return true;
  });
}

}  // namespace annals::drmaa
