@0xb5b1f6d1a8c3e004;
# Parts of several messages between daemons: a run, the order to start it, a mark in the log.
using Cxx = import "/capnp/c++.capnp";
$Cxx.namespace("annals::schema");
using Common = import "../common.capnp";

struct RunRef { jobSerial @0 :UInt64; run @1 :UInt32; job @2 :Text; }
struct StartRun {
  ref         @0 :RunRef;
  owner       @1 :Text;
  euser       @2 :Text;
  egroup      @3 :Text;
  execVnode   @4 :Text;
  execHost    @5 :Text;
  queue       @6 :Text;
  attributes  @7 :List(Common.Attribute);    # the job's own: Job_Name, Resource_List, Variable_List, paths, ...; not exec_vnode and exec_host
  script      @8 :Common.BlobRef;
  inlineScript @9 :Data;                     # when small; else the MoM asks with wantBlob
  serverName  @10 :Text;
  killDelaySeconds @11 :UInt32;
  sisters     @12 :List(Common.SisterAddress);    # the other hosts of the run, in the order of their node numbers
  ticket      @13 :Common.SignedTicket;           # what these hosts ask for; absent when there are none
  restart     @14 :Bool;                     # it goes on from its checkpoint: $action restart in place of the program
  words       @15 :List(VnodeWords);         # of a run that may be reduced before its program: what its vnodes have that is not used up
}
struct VnodeWords {
  words       @0 :List(Common.Attribute);    # resource and value
  vnodes      @1 :List(Text);                # that have them, and no others
}
struct UsageNow {
  # Asks what this run, or its part on a host, has used until now. The answer has the question's number.
  ref      @0 :RunRef;
  question @1 :UInt64;
}
struct LogMark {
  # How far the server's log was durable, in the server's own words: nobody else reads them (docs/design/0028-lost-logs.md).
  text        @0 :Data;          # as events/log/log_mark.hpp prints it
  signature   @1 :Data;          # of the server
  certificate @2 :Text;
}
