@0xb5b1f6d1a8c3e018;
# What events of several aggregates are made of.
using Cxx = import "/capnp/c++.capnp";
$Cxx.namespace("annals::schema");
using Common = import "../common.capnp";

struct Named { name @0 :Text; }
struct Reason { text @0 :Text; }
struct AttributesChanged { changes @0 :List(Common.Attribute);
                           request @1 :UInt64; }   # of a job: its run is told of those that concern it; 0: of none
struct RunRefused { code @0 :Int32; text @1 :Text; }
struct OutputDelivered { ok @0 :Bool; text @1 :Text; }
struct UsageReported { run @0 :UInt32; usage @1 :Common.Usage; session @2 :Int64; jobdir @3 :Text;
                       hosts @4 :List(Common.HostUsage); }   # of a run on several hosts, which `usage` was made of
struct HookUsed {
  # What hooks on a host have set there of the resources_used of a job that has something there: theirs from then on, in place of
  # what is measured.
  changes @0 :List(Common.Attribute);   # the attribute's name is left out, it is always that one; unset: measured again
  closing @1 :Bool;                     # of the job's last hooks there (execjob_epilogue, execjob_end)
}
struct HookRan {
  # A run of a hook that no other event tells of: it rejected, it ran on a MoM, or its event only looks on. In a MoM's log, in
  # the stream of the run it was for.
  run      @0 :Common.HookRun;
  subject  @1 :Text;        # what it was about: a job's id, a vnode, who asked
  host     @2 :Text;        # of the MoM it ran on; empty: the server
  position @3 :UInt64;      # of the MoM's report, so that a repeat is recognised; 0 at the server
}
