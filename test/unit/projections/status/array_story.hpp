// The life of a job array and of its subjobs, told event by event.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <utility>

#include "events/model/usage.hpp"
#include "events/schema/message.hpp"
#include "events/values/job_id.hpp"

namespace annals::test {

class array_story {
 public:
  using fill = std::function<void(schema::Event::Builder)>;
  using tell = std::function<std::uint64_t(std::uint64_t stream, const fill&)>;  // 0 begins a stream; answers which

  // On a vnode that is named as its host.
  array_story(tell t, std::uint64_t number, std::string server, std::string vnode)
      : tell_(std::move(t)), number_(number), server_(std::move(server)), vnode_(std::move(vnode)) {}

  std::uint64_t array = 0;                         // its stream
  std::map<std::uint32_t, std::uint64_t> streams;  // of subjobs, by index: the last one

  void submit(const std::string& indices, const std::string& owner = "ann@front") {
    array = tell_(0, [&](auto e) {
      auto q = e.initJob().initQueued();
      q.setId(values::array_id(number_, server_));
      q.setNumber(number_);
      q.setOwner(owner);
      q.setEuser(owner.substr(0, owner.find('@')));
      q.setQueue("workq");
      q.setQueueRank(static_cast<std::int64_t>(number_));
      q.setIndices(indices);
      auto a = q.initAttributes(5);
      set(a[0], "Job_Name", "", "arr");
      set(a[1], "Resource_List", "ncpus", "1");
      set(a[2], "array", "", "True");
      set(a[3], "array_indices_submitted", "", indices);
      set(a[4], "max_run_subjobs", "", "2");
    });
  }

  void begin(std::uint32_t index) {
    const auto run = ++runs_[index];
    tell_(array, [&](auto e) {
      auto b = e.initJob().initSubjobBegan();
      b.setIndex(index);
      b.setRun(run);
    });
    be_born(index, run);
  }

  void be_born(std::uint32_t index, std::uint32_t run) {
    const auto number = values::subjob_number(number_, index);
    streams[index] = tell_(0, [&](auto e) {
      auto q = e.initJob().initQueued();
      q.setId(values::id_of_number(number, server_));
      q.setNumber(number);
      q.setOwner("ann@front");
      q.setEuser("ann");
      q.setQueue("workq");
      q.setRuns(run - 1);
      auto a = q.initAttributes(4);
      set(a[0], "Job_Name", "", "arr");
      set(a[1], "Resource_List", "ncpus", "1");
      set(a[2], "array_id", "", values::array_id(number_, server_));
      set(a[3], "array_index", "", std::to_string(index));
    });
    tell_(streams[index], [&](auto e) {
      auto a = e.initJob().initAssigned();
      a.setRun(run);
      a.setExecVnode("(" + vnode_ + ":ncpus=1)");
      a.setExecHost(vnode_ + "/0");
      a.initHosts(1).set(0, vnode_);
      a.setPlace("free");
      a.setComment("Job run");
    });
  }

  void start(std::uint32_t index) {
    tell_(streams[index], [&](auto e) { e.initJob().initStarted().setRun(runs_[index]); });
  }

  void exit(std::uint32_t index) {
    tell_(streams[index], [&](auto e) {
      auto x = e.initJob().initExited();
      x.setRun(runs_[index]);
      model::write_usage(model::measured_usage({.ncpus = 1}), x.initUsage());
      x.setCommentSuffix(" and finished");
    });
  }

  void finish(std::uint32_t index) {
    release(index);
    end_stream(streams[index]);
  }

  void end(std::uint32_t index) {
    exit(index);
    finish(index);
  }

  // Its array has heard of it.
  void leave(std::uint32_t index, bool requeued = false) {
    tell_(array, [&](auto e) {
      auto l = e.initJob().initSubjobLeft();
      l.setIndex(index);
      l.setRun(runs_[index]);
      l.setRequeued(requeued);
      l.setRunCount(requeued ? 1 : 0);
    });
  }

  void requeue(std::uint32_t index) {
    exit(index);
    release(index);
    tell_(streams[index], [&](auto e) { e.initJob().initRequeued().setRun(runs_[index]); });
    forget(streams[index]);
  }

  // Those that have not begun.
  void remove(const std::string& indices) {
    tell_(array, [&](auto e) {
      auto a = e.initJob().initSubjobsAsked();
      a.setIndices(indices);
      a.setWaiting(indices);
    });
  }

  void end_stream(std::uint64_t stream) {
    tell_(stream, [&](auto e) {
      auto x = e.initJob().initEnded();
      x.setHasExitStatus(true);
      x.setSubstate(92);
      if (stream == array) x.setCommentSuffix(" and finished");
    });
  }

  void forget(std::uint64_t stream) {
    tell_(stream, [](auto e) { e.initJob().setForgotten(); });
  }

 private:
  static void set(schema::Attribute::Builder a, const std::string& name, const std::string& resource, const std::string& value) {
    a.setName(name);
    a.setResource(resource);
    a.setValue(value);
  }

  void release(std::uint32_t index) {
    tell_(streams[index], [&](auto e) {
      auto r = e.initJob().initVnodesReleased();
      r.setRun(runs_[index]);
      r.setExecVnode("(" + vnode_ + ":ncpus=1)");
      r.initHosts(1).set(0, vnode_);
    });
  }

  tell tell_;
  std::uint64_t number_;
  std::string server_, vnode_;
  std::map<std::uint32_t, std::uint32_t> runs_;
};

}  // namespace annals::test
