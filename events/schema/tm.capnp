@0xd3a8f1c24b7e9056;
# What a process of a job says to the MoM of its host, over the Unix socket mom_priv/tm.sock, and hears from it: the task
# manager (tm.h, pbsdsh, pbs_tmrsh, pbs_attach). docs/design/0022-task-manager.md is its contract.

using Cxx = import "/capnp/c++.capnp";
$Cxx.namespace("annals::schema");

struct TmRequest {
  # `open` or `attach` comes first and says which job; the kernel says who asks.
  question @0 :UInt64;           # the caller's own number, in the reply again
  union {
    open        @1 :TmOpen;      # answered by opened
    spawn       @2 :TmSpawn;     # by spawned
    signal      @3 :TmSignal;    # by done
    tasks       @4 :Void;        # by tasks
    watch       @5 :UInt32;      # by over, when the task has ended and all its output was handed on
    resources   @6 :UInt32;      # of a node, by its number; by bytes
    publish     @7 :TmPublish;   # by done
    subscribe   @8 :TmSubscribe; # by bytes, once it is published
    outputTaken @9 :TmOutputTaken;   # not answered
    attach      @10 :TmAttach;   # by spawned
  }
}
struct TmOpen { job @0 :Text; cookie @1 :Text; }
struct TmSpawn {
  node        @0 :UInt32;        # line of the node file, from 0
  argv        @1 :List(Text);
  environment @2 :List(Text);    # NAME=value, on top of the job's
  output      @3 :Bool;          # the caller wants what the task writes; else it goes to the job's output
}
struct TmSignal { task @0 :UInt32; signal @1 :Int32; }
struct TmPublish { task @0 :UInt32; name @1 :Text; value @2 :Data; }
struct TmSubscribe { task @0 :UInt32; name @1 :Text; }
struct TmOutputTaken { task @0 :UInt32; errors @1 :Bool; upTo @2 :UInt64; }   # what comes next is asked for by this
struct TmAttach { job @0 :Text; cookie @1 :Text; pid @2 :Int64; }

struct TmReply {
  question @0 :UInt64;           # of output: the spawn's
  union {
    opened  @1 :TmOpened;
    spawned @2 :UInt32;          # the task's number
    done    @3 :Void;
    failed  @4 :TmFailure;
    tasks   @5 :List(TmTask);
    over    @6 :Int32;           # exit status
    bytes   @7 :Data;
    output  @8 :TmOutput;
  }
}
struct TmOpened { hosts @0 :List(Text); }     # of each node
struct TmFailure { code @0 :UInt32; text @1 :Text; }    # a number of tm.h
struct TmTask { task @0 :UInt32; node @1 :UInt32; over @2 :Bool; }
struct TmOutput { task @0 :UInt32; errors @1 :Bool; offset @2 :UInt64; bytes @3 :Data; }
