// What the MoM's log says of the start of a run on several hosts (pbs guide: MoM log).
#pragma once

#include <string>
#include <string_view>

#include "actors/mom/mom_messages.hpp"
#include "events/model/run/run.hpp"

namespace annals::actors {

// To be used at once: it keeps neither of them.
class start_lines {
 public:
  start_lines(const mom_parts& parts, const model::run_state& run, const model::run_waits& waits)
      : parts_(parts), run_(run), waits_(waits) {}

  void step(std::size_t number) const;               // of the run's steps, from 0
  void lost_link(const std::string& host) const;     // while the program runs
  bool asks_spare_chunks() const;                    // as in earlier PBS
  void launch_delay(const std::string& when) const;  // of a job that asks for spare chunks as in earlier PBS (RS-62)

 private:
  void note(std::uint32_t level, const std::string& text) const { parts_.note(level, run_.job, text); }
  void failed(schema::SisterStep::Reader failure) const;
  void borne(schema::SisterStep::Reader failure) const;
  void ignored(std::uint32_t level, const std::string& what) const;  // PBS's line, and the words of its design (RS-12, RS-13)
  void left(schema::SisterLeft::Reader left) const;
  void reduced(std::size_t number) const;

  const mom_parts& parts_;
  const model::run_state& run_;
  const model::run_waits waits_;
};

}  // namespace annals::actors
