#include "actors/gateway/hosts/log_marks.hpp"

#include <chrono>

#include "events/model/limits.hpp"
#include "events/schema/daemon/from_mom.capnp.h"
#include "events/values/job_id.hpp"

namespace annals::actors {

namespace {
std::string bytes_of(capnp::Data::Reader d) { return {reinterpret_cast<const char*>(d.begin()), d.size()}; }
schema::byte_span span_of(const std::string& text) { return std::as_bytes(std::span(text.data(), text.size())); }

schema::sealed<schema::ToMom> signed_mark(const std::string& text, const wire::signature& signature) {
  return schema::make<schema::ToMom>([&](schema::ToMom::Builder m) {
    auto mark = m.initLogMark();
    mark.setText({reinterpret_cast<const kj::byte*>(text.data()), text.size()});
    mark.setSignature({reinterpret_cast<const kj::byte*>(signature.bytes.data()), signature.bytes.size()});
    mark.setCertificate(signature.certificate_pem);
  });
}
}  // namespace

// -- telling ---------------------------------------------------------------------------------------------------------------

void log_marks::on_marked(const log_marked& m, const teller& tell_all) {
  mark_ = m.mark;
  if (timer_runs_ || !board_.parts().witnesses.sign) return;
  timer_runs_ = true;
  if (!told_) tell(tell_all);
  board_.self()->delayed_send(board_.self(), std::chrono::seconds(limits::mom_log_mark_s), mark_told_atom::value);
}

void log_marks::on_timer(const teller& tell_all) {
  timer_runs_ = mark_ != told_;
  if (!timer_runs_) return;
  tell(tell_all);
  board_.self()->delayed_send(board_.self(), std::chrono::seconds(limits::mom_log_mark_s), mark_told_atom::value);
}

// One every mom_log_mark_s at most: that is the bound of what is asked for.
void log_marks::tell(const teller& tell_all) {
  told_ = mark_;
  board_.signatures().ask_always([this, tell_all, text = log::print(*mark_), sign = board_.parts().witnesses.sign] {
    auto message = signed_mark(text, sign(span_of(text)));
    return [this, tell_all, message = std::move(message)] {
      newest_ = message;
      tell_all(newest_);
    };
  });
}

// -- hearing ---------------------------------------------------------------------------------------------------------------

void log_marks::error(const std::string& host, const std::string& text) const {
  board_.note(log_event::error | log_event::admin | log_event::force, "Node", host, text);
}

namespace {

// Of one hello, as a helper reads it: nothing here belongs to the gateway.
struct reading {
  schema::sealed<schema::FromMom> hello;
  std::string host;
  log_witnesses with;
  log::accepted_losses losses;
  const log::log_reader* log = nullptr;
  std::vector<std::pair<std::uint64_t, std::uint32_t>> runs;  // that the log says are nowhere

  hello_findings operator()() const {
    hello_findings found;
    read_mark(found);
    for (const auto& [serial, run] : runs)
      if (!was_assigned(serial, run)) found.never_given.emplace(serial, run);
    return found;
  }

 private:
  void read_mark(hello_findings& found) const {
    const auto said = hello.get().getHello().getLogMark();
    const auto text = bytes_of(said.getText());
    if (text.empty() || !with.signed_by_us) return;
    if (!with.signed_by_us(span_of(text), bytes_of(said.getSignature()), schema::str(said.getCertificate()))) {
      found.ignored = "keeps a mark of a log that no server of this cluster has signed; it is ignored";
      return;
    }
    const auto mark = log::parse_log_mark(text);
    if (!mark) {
      found.ignored = "keeps a mark of the log that can't be read; it is ignored";
      return;
    }
    if (losses.cover(*mark, with.log)) return;
    const log::witness witness{"host " + host, *mark};
    const auto missing = log::lacking(log->records(), with.log, witness);
    if (!missing) return;
    found.witness = witness;
    found.lacking = *missing;
  }

  bool was_assigned(std::uint64_t serial, std::uint32_t run) const {
    bool found = false;
    (void)log->read_stream(serial, 1, [&](const log::record_ptr& r) {
      found = schema::is(r->event(), schema::JobEvent::ASSIGNED) && r->event().getJob().getAssigned().getRun() == run;
      return !found;
    });
    return found;
  }
};

}  // namespace

std::function<hello_findings()> log_marks::to_read(const schema::sealed<schema::FromMom>& hello, const std::string& host) const {
  const auto& parts = board_.parts();
  const auto said = hello.get().getHello();
  reading r{hello, host, parts.witnesses, board_.where().losses(), parts.base.reader, {}};
  if (!r.losses.empty() && !parts.witnesses.discard_unknown_runs)
    for (auto run : said.getRuns())
      if (!board_.where().has_run(host, run.getJobSerial(), run.getRun()) && board_.where().job_number(run.getJobSerial()))
        r.runs.emplace_back(run.getJobSerial(), run.getRun());
  const bool has_mark = said.getLogMark().getText().size() > 0 && parts.witnesses.signed_by_us;
  if (!has_mark && r.runs.empty()) return {};
  return r;
}

bool log_marks::agrees(const hello_findings& found, const std::string& host) const {
  if (!found.ignored.empty()) error(host, found.ignored);
  if (!found.witness) return true;
  error(host, found.lacking);
  board_.parts().witnesses.log_is_short(*found.witness, found.lacking);
  return false;
}

// -- runs of the lost part ---------------------------------------------------------------------------------------------------

// A run that was not asked about was in the log when its hello came, or its job is no more.
bool log_marks::may_be_lost(const std::string& host, schema::RunRef::Reader run, const hello_findings& found) {
  const auto& losses = board_.where().losses();
  if (losses.empty() || board_.parts().witnesses.discard_unknown_runs) return false;
  const auto serial = run.getJobSerial();
  const auto known = board_.where().job_number(serial);
  const bool lost = known ? found.never_given.contains({serial, run.getRun()}) : losses.may_have_given_stream(serial);
  if (!lost) return false;
  const auto job = schema::str(run.getJob());
  if (const auto id = values::parse_job_id(job)) board_.number_was_given(id->number);
  if (kept_.insert({host, serial, run.getRun()}).second)
    error(host, "runs job " + job + " (run " + std::to_string(run.getRun()) +
                    "), of which the log knows nothing: it may be of the part that was lost. It goes on, and the host stays down until it "
                    "has ended; "
                    "pbs_server --discard-unknown-runs would end it");
  return true;
}

bool log_marks::is_kept(const std::string& host, schema::RunRef::Reader run) const {
  return kept_.contains({host, run.getJobSerial(), run.getRun()});
}

void log_marks::on_exited(const std::string& host, schema::RunExited::Reader e) const {
  if (is_kept(host, e.getRef()))
    error(host, "job " + schema::str(e.getRef().getJob()) + ", of which the log knows nothing, has ended with exit status " +
                    std::to_string(e.getExitStatus()));
}

void log_marks::on_left(const std::string& host, schema::RunRef::Reader run) { kept_.erase({host, run.getJobSerial(), run.getRun()}); }

}  // namespace annals::actors
