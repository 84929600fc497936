// A job array and its subjobs, and the records of them so far.
#pragma once

#include "test/unit/projections/accounting/accounting_fixture.hpp"

namespace annals::test {

inline model::client_request remove_subjobs(const std::string& id) {
  return {make_request([&](schema::Request::Builder r) { r.initDeleteJob().setJob(id); })};
}

struct told_array {
  told_log log;
  job_story story = log.job();
  const model::requester owner{"pbsuser", "q1", schema::Role::USER};

  void submit(const std::string& indices, given_values s = {{"Resource_List", "select", "1:host=q1"}}) {
    story.settings.server_name = "q1";
    s.push_back({"array_indices_submitted", "", indices});
    auto c = submission(602, s);
    c.euser = "pbsuser";
    c.egroup = "tstgrp00";
    BOOST_REQUIRE_EQUAL(story.when(c, owner), "queued");
    log.told(story);
  }
  std::string asks(const model::job_command& command, const model::requester& by) {
    const auto said = story.when(command, by);
    log.told(story);
    return said;
  }
  // It is assigned.
  job_story begins(std::uint32_t index) {
    const auto o = story.ask(propose_subjob(index, "q1"), the_scheduler());
    BOOST_REQUIRE_EQUAL(said(o), "subjobBegan");
    for (const auto& e : o.events()) story.happens(e, the_scheduler());
    log.told(story);
    auto subjob = log.job();
    subjob.settings = story.settings;
    subjob.now_s = story.now_s;
    for (const auto& e : o.born) subjob.happens(e, the_scheduler());
    log.told(subjob);
    return subjob;
  }
  job_story runs(std::uint32_t index) {
    auto subjob = begins(index);
    subjob.starts();
    log.told(subjob);
    return subjob;
  }
  // Three seconds later.
  void ends(job_story& subjob, std::int32_t code) {
    subjob.later(3).exits(code, {0, 0, 2, 1});
    subjob.leaves();
    leaves(subjob, {.failed = code != 0});
  }
  // What happened to the subjob, and what its array makes of it.
  void leaves(job_story& subjob, model::subjob_told told) {
    log.told(subjob);
    story.now_s = subjob.now_s;
    told.index = values::index_of(subjob.job.number);
    told.run = subjob.job.run;
    asks(told, the_server());
  }
};

}  // namespace annals::test
