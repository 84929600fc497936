@0xc1d4a7e2b96f3001;
# What a daemon and its hook workers tell each other. A worker first gets one Bind: from then on it belongs to that hook.
# Then, for each run, one Request goes in; Lines and Questions may come out and Answers go in; one Reply comes out.
# Request and Reply are also what an event keeps of a run: a re-run needs the Request, an auditor reads the Reply.
# Governed by docs/design/0019-hook-workers.md.

using Cxx = import "/capnp/c++.capnp";
$Cxx.namespace("annals::hooks::protocol");
using Common = import "/events/schema/common.capnp";

struct ToWorker {
  union {
    bind    @0 :Bind;
    request @1 :Request;
    answer  @2 :Answer;
  }
}

struct FromWorker {
  nonce @0 :UInt64;   # of the request; nothing that an earlier run left in the pipe can have it
  union {
    bound    @1 :Text;       # empty: the code compiled; otherwise the message of the compiler
    question @2 :Question;
    reply    @3 :Reply;
    line     @4 :LogLine;    # said now, in case the run is killed; the Reply has it again
  }
}

struct Bind {
  # What does not change from run to run. The worker puts on its sandbox, then compiles the code.
  hookName      @0 :Text;
  source        @1 :Data;
  configuration @2 :Data;
  hasConfiguration @3 :Bool;
  runAs         @4 :Text;      # user to run as; empty: the daemon's own
  sandbox       @5 :Sandbox;
  limits        @6 :Limits;
  resources     @7 :List(ResourceType);   # the custom ones, so that values have their types
  localNode     @8 :Text;      # pbs.get_local_nodename()
  pbsConf       @9 :List(Pair);           # pbs.pbs_conf
  compileOnly   @10 :Bool;     # for an import: say whether it compiles and end
  onMom         @11 :Bool;
}

struct Sandbox {
  network    @0 :Bool;   # sockets may be made
  processes  @1 :Bool;   # threads and programs may be started
  signals    @2 :Bool;   # other processes may be signalled
  capabilities @3 :Bool; # root stays root; without it a hook of root's keeps the user id and no power over others' files
  hidden     @4 :List(Text);   # directories that are not to be seen (needs root)
  writable   @5 :List(Text);   # of the server's hooks: what they may write to beside their scratch directory
  processMemory @6 :Bool;      # of hooks on hosts: they may look into other processes
  seen       @7 :List(Text);   # of the server's hooks: below what is hidden, but seen, and written to only where it is writable
}

struct Limits {
  memoryBytes @0 :UInt64;   # address space; where programs may be started: what a process may write to
  cpuSeconds  @1 :UInt32;   # of one run
  openFiles   @2 :UInt32;
  processes   @3 :UInt32;   # of the hook's tree, itself included
  fileBytes   @4 :UInt64;   # largest file it may write
  outputBytes @5 :UInt64;   # log lines and changes of one run
}

struct ResourceType {
  name @0 :Text;
  type @1 :Text;   # "long", "float", "size", "string", "string_array", "boolean", "duration"
}

struct Pair {
  name  @0 :Text;
  value @1 :Text;
}

enum ObjectKind { job @0; vnode @1; queue @2; server @3; reservation @4; management @5; serverAttribute @6; scheduler @7; }

struct Object {
  kind       @0 :ObjectKind;
  name       @1 :Text;                      # job id, vnode name, ...
  attributes @2 :List(Common.Attribute);    # canonical text, as a status reply has it; op is not used
  # A management object has cmd, objtype, objname ... and, for each attribute of the request, one named "attribs.<name>"
  # with its resource, value and op.
}

struct Parameter {
  # One field of pbs.event(): "job", "job_o", "vnode_list", "src_queue", "argv" ...: hooks-runtime/catalog.
  name @0 :Text;
  union {
    object  @1 :Object;
    objects @2 :List(Object);   # a dict by name
    text    @3 :Text;
    number  @4 :Int64;
    texts   @5 :List(Text);     # argv
    pairs   @6 :List(Pair);     # env
  }
}

struct Request {
  event         @0 :UInt32;    # the event's bit: hooks-runtime/catalog
  hookName      @1 :Text;
  codeHash      @2 :Data;      # SHA-256 of source, a zero byte, configuration
  requestor     @3 :Text;
  requestorHost @4 :Text;
  parameters    @5 :List(Parameter);
  sequence      @6 :UInt64;    # position of the log the payload was read at; recorded: at which questions were answered, if any were
  alarmMillis   @7 :UInt32;
  hook          @8 :HookSettings;
  primary       @9 :Bool;      # this host is the job's primary one: job.in_ms_mom()
  nonce         @10 :UInt64;   # made by the pool; 0 in what is recorded
  measureCpu    @11 :Bool;     # the reply says cpuMicros
}

struct HookSettings {
  # What pbs.event() tells about the hook itself.
  type       @0 :Text;   # "site" or "pbs"
  user       @1 :Text;   # "pbsadmin" or "pbsuser"
  euser      @2 :Text;   # hook_euser: the name it runs as when user is pbsuser
  freq       @3 :UInt32;
  alarm      @4 :UInt32; # seconds
  debug      @5 :Bool;
  failAction @6 :Text;   # "none", "offline_vnodes", ...
  order      @7 :Int32;
}

enum Verdict {
  accept @0;
  reject @1;   # the hook said so
  error  @2;   # an exception, a script that ends itself, a dead worker
  alarm  @3;   # not done in time, killed
}

struct Reply {
  verdict        @0 :Verdict;
  message        @1 :Text;     # reject: the hook's words, may be empty; error: what happened, one line
  code           @2 :Int32;    # reject: its ecode
  changes        @3 :List(Change);
  log            @4 :List(LogLine);
  logDropped     @5 :UInt32;   # lines beyond outputBytes
  durationMicros @6 :UInt64;   # in the worker; for a killed one: until the kill
  actions        @7 :List(Action);
  questions      @8 :List(Asked);
  traceback      @9 :Text;     # error: all lines, for the log
  cpuMicros      @11 :UInt64;  # of the worker; where the request asked for it
  customResources @10 :List(ResourceType);   # named in resources_available by an exechost_startup hook, type from the value
}

struct Change {
  # In the order in which the hook made them; one per attribute and object, the last value wins.
  parameter @0 :Text;        # "job", "resv", "vnode_list", "vnode_list_fail", "job_list", "progname", "argv", "env"
  object    @1 :Text;        # job id, vnode name; empty for argv and the like
  kind      @2 :ObjectKind;
  attribute @3 :Text;        # "Priority"; for env the name of the variable
  resource  @4 :Text;
  hadValue  @5 :Bool;
  before    @6 :Text;
  hasValue  @7 :Bool;        # false: unset
  after     @8 :Text;
  afterTexts @9 :List(Text); # argv
}

struct LogLine {
  level   @0 :UInt32;   # bits of the PBS log classes; PBS's LOG_DEBUG and the like are translated
  job     @1 :Text;     # logjobmsg: class Job, object the job; else class Hook, object the hook
  message @2 :Text;
}

struct Action {
  union {
    rerun             @0 :Text;   # job id
    delete            @1 :Text;   # job id
    releaseNodes      @2 :ReleaseNodes;
    restartCycle      @3 :Void;   # pbs.server().scheduler_restart_cycle()
    reboot            @4 :Text;   # the command, empty: the default one
  }
}

struct ReleaseNodes {
  job        @0 :Text;
  keepSelect @1 :Text;         # empty: by vnodes
  vnodes     @2 :List(Text);
}

struct Question {
  # Asked while the script runs; the script waits.
  union {
    object   @0 :Named;       # pbs.server().job(id) ...; name empty for the server itself
    names    @1 :ObjectKind;  # pbs.server().jobs() ...: every name
    jobsOf   @2 :Text;        # queue.jobs(): names of the queue's jobs
    releaseNodes @3 :ReleaseNodes;   # answered with the job as it will be, or nothing
  }
}

struct Named {
  kind @0 :ObjectKind;
  name @1 :Text;
}

struct Answer {
  union {
    none    @0 :Void;          # no such object; release_nodes failed
    object  @1 :Object;
    names   @2 :List(Text);
    unknown @3 :Text;          # nobody can say: why not; the script raises
  }
}

struct Asked {
  question   @0 :Question;
  answerHash @1 :Data;         # SHA-256 of the Answer's bytes: a re-run asks again at the same sequence and compares
}

struct SiteData {
  # What questions are answered from when there is no server: pbs_python --hook -s. release_nodes is answered with the event's job,
  # as the release leaves it.
  objects @0 :List(Object);
}
