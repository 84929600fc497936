// The calls of drmaa.h: arguments are checked, the work is the session's and the template's, and what goes wrong is told.
#include <csignal>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "tools/client/session.hpp"
#include "tools/client/version.hpp"
#include "tools/libdrmaa/error.hpp"
#include "tools/libdrmaa/include/drmaa.h"
#include "tools/libdrmaa/session.hpp"

using namespace annals;
using drmaa::error;
using drmaa::guarded;
using drmaa::job_end;
using drmaa::put;

namespace {

struct text_list {
  std::vector<std::string> texts;
  std::size_t next = 0;
};

}  // namespace

struct drmaa_attr_names_s : text_list {};
struct drmaa_attr_values_s : text_list {};
struct drmaa_job_ids_s : text_list {};

struct drmaa_job_template_s {
  mutable std::mutex guard;
  drmaa::job_template content;

  drmaa::job_template copy() const {
    const std::lock_guard held(guard);
    return content;
  }
};

namespace {

// -- arguments --------------------------------------------------------------------------------------------------------------

template <class T>
T* needed(T* pointer, const char* name) {
  if (!pointer) throw error{DRMAA_ERRNO_INVALID_ARGUMENT, std::string(name) + " is null"};
  return pointer;
}

int next_text(text_list* list, char* into, std::size_t size) noexcept {
  return guarded(nullptr, 0, [&] {
    needed(list, "values");
    if (list->next == list->texts.size()) throw error{DRMAA_ERRNO_NO_MORE_ELEMENTS, {}};
    put(list->texts[list->next++], needed(into, "value"), size);
  });
}

int count_texts(const text_list* list, std::size_t* size) noexcept {
  return guarded(nullptr, 0, [&] { *needed(size, "size") = needed(list, "values")->texts.size(); });
}

template <class List>
List* new_list(std::vector<std::string> texts) {
  auto list = std::make_unique<List>();
  list->texts = std::move(texts);
  return list.release();
}

// -- the one session of the process ---------------------------------------------------------------------------------------------

struct session_holder {
  std::mutex guard;
  std::shared_ptr<drmaa::session> active;
};

// Never destroyed: threads may use the library while the process ends.
session_holder& holder() {
  static auto* one = new session_holder;
  return *one;
}

std::shared_ptr<drmaa::session> active_session() {
  const std::lock_guard held(holder().guard);
  if (!holder().active) throw error{DRMAA_ERRNO_NO_ACTIVE_SESSION, {}};
  return holder().active;
}

drmaa::session::deadline deadline_of(long timeout_s) {
  if (timeout_s == DRMAA_TIMEOUT_WAIT_FOREVER) return std::nullopt;
  if (timeout_s < 0) throw error{DRMAA_ERRNO_INVALID_ARGUMENT, "a timeout below 0"};
  constexpr long longest_s = 10L * 365 * 24 * 3600;  // what the clock can still add
  return drmaa::session::clock::now() + std::chrono::seconds(std::min(timeout_s, longest_s));
}

drmaa::bulk_range range_of(int start, int end, int incr) {
  if (start < 1 || end < 1 || incr == 0 || (incr > 0 ? end < start : start < end))
    throw error{DRMAA_ERRNO_INVALID_ARGUMENT, "no range: from " + std::to_string(start) + " to " + std::to_string(end) + " in steps of " +
                                                  std::to_string(incr)};
  const int steps = (end - start) / incr, last = start + steps * incr;
  return {std::min(start, last), std::max(start, last), incr < 0 ? -incr : incr};
}

// -- signals ----------------------------------------------------------------------------------------------------------------

std::string signal_name(int number) {
  const char* short_name = sigabbrev_np(number);
  return short_name ? "SIG" + std::string(short_name) : std::to_string(number);
}

int is_kind(int* answer, int stat, job_end::kind wanted, char* diagnosis, std::size_t size) noexcept {
  return guarded(diagnosis, size, [&] { *needed(answer, "the place for the answer") = job_end::kind_of(stat) == wanted ? 1 : 0; });
}

void need_kind(int stat, job_end::kind wanted, const char* what) {
  if (job_end::kind_of(stat) != wanted) throw error{DRMAA_ERRNO_INVALID_ARGUMENT, std::string("the job was not ") + what};
}

// Programs ask for it whatever ended the job: of a signal, and of a job that was aborted, it is what a shell would have.
int exit_status_of(int stat) {
  switch (job_end::kind_of(stat)) {
    case job_end::kind::exited: return job_end::number_of(stat);
    case job_end::kind::signaled: return 128 + job_end::number_of(stat);
    case job_end::kind::aborted: return 1;
    case job_end::kind::unknown: break;
  }
  throw error{DRMAA_ERRNO_INVALID_ARGUMENT, "nobody knows how the job ended"};
}

template <class Text>
int tell(Text&& text, char* into, std::size_t into_size, char* diagnosis, std::size_t size) noexcept {
  return guarded(diagnosis, size, [&] { put(text(), needed(into, "the buffer"), into_size); });
}

}  // namespace

extern "C" {

// -- lists ------------------------------------------------------------------------------------------------------------------

int drmaa_get_next_attr_name(drmaa_attr_names_t* values, char* value, size_t value_len) { return next_text(values, value, value_len); }
int drmaa_get_next_attr_value(drmaa_attr_values_t* values, char* value, size_t value_len) { return next_text(values, value, value_len); }
int drmaa_get_next_job_id(drmaa_job_ids_t* values, char* value, size_t value_len) { return next_text(values, value, value_len); }
int drmaa_get_num_attr_names(drmaa_attr_names_t* values, size_t* size) { return count_texts(values, size); }
int drmaa_get_num_attr_values(drmaa_attr_values_t* values, size_t* size) { return count_texts(values, size); }
int drmaa_get_num_job_ids(drmaa_job_ids_t* values, size_t* size) { return count_texts(values, size); }
void drmaa_release_attr_names(drmaa_attr_names_t* values) { delete values; }
void drmaa_release_attr_values(drmaa_attr_values_t* values) { delete values; }
void drmaa_release_job_ids(drmaa_job_ids_t* values) { delete values; }

// -- the session ------------------------------------------------------------------------------------------------------------

int drmaa_init(const char* contact, char* error_diagnosis, size_t error_diag_len) {
  return guarded(error_diagnosis, error_diag_len, [&] {
    const std::lock_guard held(holder().guard);
    if (holder().active) throw error{DRMAA_ERRNO_ALREADY_ACTIVE_SESSION, {}};
    holder().active = std::make_shared<drmaa::session>(contact ? contact : "");
  });
}

int drmaa_exit(char* error_diagnosis, size_t error_diag_len) {
  return guarded(error_diagnosis, error_diag_len, [&] {
    std::shared_ptr<drmaa::session> gone;
    {
      const std::lock_guard held(holder().guard);
      gone.swap(holder().active);
    }
    if (!gone) throw error{DRMAA_ERRNO_NO_ACTIVE_SESSION, {}};
    gone->close();
  });
}

// -- job templates ------------------------------------------------------------------------------------------------------------

int drmaa_allocate_job_template(drmaa_job_template_t** jt, char* error_diagnosis, size_t error_diag_len) {
  return guarded(error_diagnosis, error_diag_len, [&] {
    active_session();
    *needed(jt, "jt") = std::make_unique<drmaa_job_template_s>().release();
  });
}

// A template outlives its session: what was allocated can be freed.
int drmaa_delete_job_template(drmaa_job_template_t* jt, char* error_diagnosis, size_t error_diag_len) {
  return guarded(error_diagnosis, error_diag_len, [&] { delete needed(jt, "jt"); });
}

int drmaa_set_attribute(drmaa_job_template_t* jt, const char* name, const char* value, char* error_diagnosis, size_t error_diag_len) {
  return guarded(error_diagnosis, error_diag_len, [&] {
    const std::lock_guard held(needed(jt, "jt")->guard);
    jt->content.set(needed(name, "name"), std::string_view(needed(value, "value")));
  });
}

int drmaa_get_attribute(drmaa_job_template_t* jt, const char* name, char* value, size_t value_len, char* error_diagnosis,
                        size_t error_diag_len) {
  return guarded(error_diagnosis, error_diag_len, [&] {
    const std::lock_guard held(needed(jt, "jt")->guard);
    put(jt->content.get(needed(name, "name")), needed(value, "value"), value_len);
  });
}

int drmaa_set_vector_attribute(drmaa_job_template_t* jt, const char* name, const char* value[], char* error_diagnosis,
                               size_t error_diag_len) {
  return guarded(error_diagnosis, error_diag_len, [&] {
    std::vector<std::string> values;
    for (const char** v = needed(value, "value"); *v; ++v) values.emplace_back(*v);
    const std::lock_guard held(needed(jt, "jt")->guard);
    jt->content.set(needed(name, "name"), std::move(values));
  });
}

int drmaa_get_vector_attribute(drmaa_job_template_t* jt, const char* name, drmaa_attr_values_t** values, char* error_diagnosis,
                               size_t error_diag_len) {
  return guarded(error_diagnosis, error_diag_len, [&] {
    const std::lock_guard held(needed(jt, "jt")->guard);
    *needed(values, "values") = new_list<drmaa_attr_values_s>(jt->content.get_vector(needed(name, "name")));
  });
}

int drmaa_get_attribute_names(drmaa_attr_names_t** values, char* error_diagnosis, size_t error_diag_len) {
  return guarded(error_diagnosis, error_diag_len, [&] {
    active_session();
    const auto names = drmaa::attribute_names();
    *needed(values, "values") = new_list<drmaa_attr_names_s>({names.begin(), names.end()});
  });
}

int drmaa_get_vector_attribute_names(drmaa_attr_names_t** values, char* error_diagnosis, size_t error_diag_len) {
  return guarded(error_diagnosis, error_diag_len, [&] {
    active_session();
    const auto names = drmaa::vector_attribute_names();
    *needed(values, "values") = new_list<drmaa_attr_names_s>({names.begin(), names.end()});
  });
}

// -- jobs -------------------------------------------------------------------------------------------------------------------

int drmaa_run_job(char* job_id, size_t job_id_len, const drmaa_job_template_t* jt, char* error_diagnosis, size_t error_diag_len) {
  return guarded(error_diagnosis, error_diag_len, [&] {
    const auto session = active_session();
    needed(job_id, "job_id");
    put(session->run(needed(jt, "jt")->copy()), job_id, job_id_len);
  });
}

int drmaa_run_bulk_jobs(drmaa_job_ids_t** jobids, const drmaa_job_template_t* jt, int start, int end, int incr, char* error_diagnosis,
                        size_t error_diag_len) {
  return guarded(error_diagnosis, error_diag_len, [&] {
    const auto session = active_session();
    needed(jobids, "jobids");
    *jobids = new_list<drmaa_job_ids_s>(session->run_bulk(needed(jt, "jt")->copy(), range_of(start, end, incr)));
  });
}

int drmaa_control(const char* jobid, int action, char* error_diagnosis, size_t error_diag_len) {
  return guarded(error_diagnosis, error_diag_len, [&] { active_session()->control(needed(jobid, "jobid"), action); });
}

int drmaa_job_ps(const char* job_id, int* remote_ps, char* error_diagnosis, size_t error_diag_len) {
  return guarded(error_diagnosis, error_diag_len,
                 [&] { *needed(remote_ps, "remote_ps") = active_session()->state(needed(job_id, "job_id")); });
}

int drmaa_synchronize(const char* job_ids[], signed long timeout, int dispose, char* error_diagnosis, size_t error_diag_len) {
  return guarded(error_diagnosis, error_diag_len, [&] {
    const auto session = active_session();
    std::vector<std::string> ids;
    for (const char** id = needed(job_ids, "job_ids"); *id; ++id) ids.emplace_back(*id);
    session->synchronize(ids, deadline_of(timeout), dispose != 0);
  });
}

int drmaa_wait(const char* job_id, char* job_id_out, size_t job_id_out_len, int* stat, signed long timeout, drmaa_attr_values_t** rusage,
               char* error_diagnosis, size_t error_diag_len) {
  return guarded(error_diagnosis, error_diag_len, [&] {
    const auto session = active_session();
    auto ended = session->wait(needed(job_id, "job_id"), deadline_of(timeout));
    put(ended.id, job_id_out, job_id_out_len);
    if (stat) *stat = ended.end.stat();
    if (rusage) *rusage = nullptr;
    if (ended.end.how == job_end::kind::unknown) throw error{DRMAA_ERRNO_NO_RUSAGE, "the server knows job " + ended.id + " no longer"};
    if (rusage) *rusage = new_list<drmaa_attr_values_s>(std::move(ended.end.usage));
  });
}

int drmaa_wifexited(int* exited, int stat, char* error_diagnosis, size_t error_diag_len) {
  return is_kind(exited, stat, job_end::kind::exited, error_diagnosis, error_diag_len);
}
int drmaa_wifsignaled(int* signaled, int stat, char* error_diagnosis, size_t error_diag_len) {
  return is_kind(signaled, stat, job_end::kind::signaled, error_diagnosis, error_diag_len);
}
int drmaa_wifaborted(int* aborted, int stat, char* error_diagnosis, size_t error_diag_len) {
  return is_kind(aborted, stat, job_end::kind::aborted, error_diagnosis, error_diag_len);
}

int drmaa_wexitstatus(int* exit_status, int stat, char* error_diagnosis, size_t error_diag_len) {
  return guarded(error_diagnosis, error_diag_len, [&] {
    *needed(exit_status, "exit_status") = exit_status_of(stat);
  });
}

int drmaa_wtermsig(char* signal, size_t signal_len, int stat, char* error_diagnosis, size_t error_diag_len) {
  return guarded(error_diagnosis, error_diag_len, [&] {
    need_kind(stat, job_end::kind::signaled, "ended by a signal");
    put(signal_name(job_end::number_of(stat)), needed(signal, "signal"), signal_len);
  });
}

// PBS does not tell of cores.
int drmaa_wcoredump(int* core_dumped, int stat, char* error_diagnosis, size_t error_diag_len) {
  return guarded(error_diagnosis, error_diag_len, [&] {
    need_kind(stat, job_end::kind::signaled, "ended by a signal");
    *needed(core_dumped, "core_dumped") = 0;
  });
}

// -- what this is -------------------------------------------------------------------------------------------------------------

int drmaa_get_contact(char* contact, size_t contact_len, char* error_diagnosis, size_t error_diag_len) {
  return guarded(error_diagnosis, error_diag_len, [&] {
    const std::lock_guard held(holder().guard);
    put(holder().active ? holder().active->contact() : client::server_name(), needed(contact, "contact"), contact_len);
  });
}

int drmaa_version(unsigned int* major, unsigned int* minor, char* error_diagnosis, size_t error_diag_len) {
  return guarded(error_diagnosis, error_diag_len, [&] {
    *needed(major, "major") = 1;
    *needed(minor, "minor") = 0;
  });
}

int drmaa_get_DRM_system(char* drm_system, size_t drm_system_len, char* error_diagnosis, size_t error_diag_len) {
  return tell([] { return "PBS " + client::pbs_version(); }, drm_system, drm_system_len, error_diagnosis, error_diag_len);
}

int drmaa_get_DRMAA_implementation(char* drmaa_impl, size_t drmaa_impl_len, char* error_diagnosis, size_t error_diag_len) {
  return tell([] { return "Annals " + std::string(client::annals_version); }, drmaa_impl, drmaa_impl_len, error_diagnosis, error_diag_len);
}

}  // extern "C"
