#include "actors/mom/host/real_job_places.hpp"

#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <mutex>
#include <set>

#include "actors/mom/host/account.hpp"
#include "actors/mom/host/event_loop.hpp"
#include "actors/mom/host/run_files.hpp"
#include "actors/mom/host/user_work.hpp"

namespace annals::mom {

namespace {

constexpr std::chrono::seconds ask_again{1};  // of a name service that is ill

std::string private_jobdir(const ports::job_place& place, const account& user) {
  const auto& root = place.private_jobdir_root;
  return (root == "~" ? user.home : root) + '/' + place.private_jobdir;
}

user_request request_of(const account& user) {
  user_request r;
  r.change_user = user.change_user;
  r.uid = user.uid;
  r.gid = user.gid;
  r.groups = user.groups;
  return r;
}

std::vector<std::string> directories_of(const ports::job_place& place, const account& user) {
  std::vector<std::string> directories;
  if (!place.tmpdir.empty()) directories.push_back(place.tmpdir);
  if (!place.private_jobdir_root.empty()) directories.push_back(private_jobdir(place, user));
  return directories;
}

}  // namespace

class real_job_places::impl {
 public:
  impl(const std::string& pbs_home, std::string shepherd, event_loop::complaint complain)
      : files_(pbs_home),
        loop_(std::make_unique<event_loop>("loop.places", std::move(complain))),
        work_(std::make_unique<user_work>(*loop_, shepherd)),
        shepherd_(std::move(shepherd)) {
    files_.make_directories();
  }
  ~impl() { loop_->stop(); }

  void listen(events e) {
    const std::lock_guard lock(mutex_);
    events_ = std::move(e);
  }
  void post(event_loop::task t) { loop_->post(std::move(t)); }

  void set_up(const ports::job_place& place) {
    if (!names_a_file(place.key) || !is_file_name(place.job_id)) return ready(place.key, -2, "no file can be named " + print(place.key));
    if (work_->asking({place.key, work::directories})) return;  // told when that one is done
    const auto found = accounts_.find(place.user, place.group);
    if (const auto* none = std::get_if<no_account>(&found)) return ready(place.key, none->ask_again ? -3 : -10, none->why);
    if (!place.node_file.empty())
      if (const int e = write_file(place.node_file, place.node_file_text, 0644))
        return ready(place.key, -3, place.node_file + ": " + std::strerror(e));
    const auto& user = std::get<account>(found);
    auto request = request_of(user);
    request.directories = directories_of(place, user);
    if (request.directories.empty()) return ready(place.key, 0, {});
    const auto wanted = request.directories.size();
    const auto told = [this, key = place.key, wanted](const std::optional<user_answer>& answer) {
      if (answer && answer->delivered == wanted) ready(key, 0, {});
      else ready(key, -3, answer ? answer->text : "the process that makes directories died");
    };
    if (!work_->ask({place.key, work::directories}, request, told)) ready(place.key, -3, shepherd_ + ": " + std::strerror(errno));
  }

  void update(const ports::job_place& place, std::uint32_t number) {
    const int e = write_node_file(place);
    const auto to = listener();
    if (to.updated) to.updated(place.key, number, e ? place.node_file + ": " + std::strerror(e) : std::string());
  }

  // Told as removed when the directories are gone: until then a primary that shares them must not work in them.
  void tear_down(const ports::job_place& place) {
    if (!names_a_file(place.key) || !is_file_name(place.job_id)) return removed(place.key);
    const work_name name{place.key, work::removal};
    if (work_->asking(name)) return;  // told when that one is done
    work_->stop({place.key, work::directories});
    if (!place.node_file.empty()) ::unlink(place.node_file.c_str());
    const auto found = accounts_.find(place.user, place.group);
    if (const auto* none = std::get_if<no_account>(&found); none && none->ask_again) return tear_down_later(place);
    const auto request = removal_of(place, found);
    const auto told = [this, key = place.key](const std::optional<user_answer>&) { removed(key); };
    if (request.removals.empty() || !work_->ask(name, request, told)) removed(place.key);
  }

 private:
  static int write_node_file(const ports::job_place& place) {
    if (!is_file_name(place.job_id) || place.node_file.empty()) return 0;
    if (!place.node_file_is_read && overwrite_file(place.node_file, place.node_file_text) == 0) return 0;
    return write_file(place.node_file, place.node_file_text, 0644);
  }

  // The name service is ill. A repeat from our side or another's is one more look, not two.
  void tear_down_later(const ports::job_place& place) {
    if (!waiting_.insert(place.key).second) return;
    loop_->after(ask_again, [this, place] {
      waiting_.erase(place.key);
      tear_down(place);
    });
  }

  static user_request removal_of(const ports::job_place& place, const std::variant<account, no_account>& found) {
    const auto* user = std::get_if<account>(&found);
    if (!user) return {};  // nothing was made either
    auto request = request_of(*user);
    auto mine = place;
    if (place.run_goes_on) mine.private_jobdir_root.clear();
    request.removals = directories_of(mine, *user);
    // A private directory in a home that the hosts share is the primary's as well, with the job's output in it.
    request.kept_with = {place.job_id + ".OU", place.job_id + ".ER"};
    return request;
  }

  events listener() {
    const std::lock_guard lock(mutex_);
    return events_;
  }

  void removed(const values::run_key& key) {
    const auto to = listener();
    if (to.removed) to.removed(key);
  }

  void ready(const values::run_key& key, std::int32_t code, const std::string& text) {
    const auto to = listener();
    if (to.ready) to.ready(key, code, text);
  }

  const run_files files_;
  std::mutex mutex_;  // of events_
  events events_;
  accounts accounts_;                  // the rest: on the loop's thread only
  std::set<values::run_key> waiting_;  // of places to tear down
  std::unique_ptr<event_loop> loop_;
  std::unique_ptr<user_work> work_;
  const std::string shepherd_;
};

real_job_places::real_job_places(const std::string& pbs_home, const std::string& shepherd, event_loop::complaint complain)
    : impl_(std::make_unique<impl>(pbs_home, shepherd, std::move(complain))) {}
real_job_places::~real_job_places() = default;
void real_job_places::listen(events e) { impl_->listen(std::move(e)); }
void real_job_places::set_up(const ports::job_place& place) {
  impl_->post([this, place] { impl_->set_up(place); });
}
void real_job_places::update(const ports::job_place& place, std::uint32_t number) {
  impl_->post([this, place, number] { impl_->update(place, number); });
}
void real_job_places::tear_down(const ports::job_place& place) {
  impl_->post([this, place] { impl_->tear_down(place); });
}

}  // namespace annals::mom
