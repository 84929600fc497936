// Whether the other hosts of a run are there: before some are let go and before its program starts each is asked, all at once. Who
// has not answered in time is absent, and so is one whose link is broken. docs/design/0037-failures-that-a-job-bears.md.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace annals::actors {

struct called_host {
  std::string name;
  std::int64_t linked_ns = 0;  // since when there is a link to it; 0: there is none
  bool was_linked = false;     // in this life of the process
  bool is_told = false;        // what the run has now was told to it, and is not taken in yet
};

class roll_call {
 public:
  struct result {
    bool complete = false;            // all are there
    std::vector<std::string> ask;     // whether they are there, with question()
    std::vector<std::string> absent;  // told once
    std::int64_t again_ns = 0;        // the next look; 0: when something happens
  };
  // `moment` is another one whenever answers so far no longer count.
  result look(std::uint64_t moment, const std::vector<called_host>& hosts, std::int64_t now_ns);
  bool was_complete(std::uint64_t moment) const { return phase_ == phase::complete && moment == moment_; }

  std::uint32_t question() const { return question_; }
  // True: nobody else is missing.
  bool on_answer(const std::string& host, std::uint32_t question);
  bool on_taken_in(const std::string& host);  // what it was told

 private:
  enum class phase : std::uint8_t { none,
                                    asking,
                                    absent,  // told; the run's next moment follows
                                    complete };
  struct missing_host {
    bool is_told = false;
    std::int64_t asked_ns = 0;  // 0: not yet
  };
  void begin(std::uint64_t moment, const std::vector<called_host>& hosts, std::int64_t now_ns);
  void ask(const called_host& host, missing_host& missing, std::int64_t now_ns, result& to) const;
  std::int64_t since_ns(const called_host& host) const;
  std::int64_t given_up_ns(const called_host& host) const;
  bool remove(std::map<std::string, missing_host>::iterator at);

  phase phase_ = phase::none;
  std::uint64_t moment_ = 0;
  std::uint32_t question_ = 0;
  std::int64_t began_ns_ = 0, looked_ns_ = 0, over_ns_ = 0;
  std::map<std::string, missing_host> missing_;
};

}  // namespace annals::actors
