// Every limit of Annals, with its reason and its relations to the others. A refused request names the limit it met.
#pragma once

#include <cstddef>
#include <cstdint>

namespace annals::limits {

// A batch is one write and one sync of the log; larger ones add latency for everybody who waits for it.
constexpr std::size_t batch_bytes_max = 8u << 20;
// Largest single event: a submission with its full environment.
constexpr std::size_t event_bytes_max = 4u << 20;
static_assert(event_bytes_max <= batch_bytes_max, "any event fits in a batch");
// Scripts and other blobs up to this size travel and are stored with the event that names them; larger ones go ahead in pieces.
constexpr std::size_t inline_blob_bytes_max = 64u << 10;
static_assert(inline_blob_bytes_max < event_bytes_max);
// A larger script is data that belongs in a file of its own; and a blob is read as a whole.
constexpr std::size_t blob_bytes_max = 100u << 20;
// A large blob goes to the store in pieces of this size, so that other writes get in between.
constexpr std::size_t blob_piece_bytes = 1u << 20;
static_assert(inline_blob_bytes_max <= blob_piece_bytes && blob_piece_bytes <= batch_bytes_max);
// Uploads that one client or one user may have begun and not finished: each is an open file of the server with up to
// blob_bytes_max. A client sends one script after another; a user's 64 clients keep the disk busy.
constexpr std::size_t open_uploads_of_client_max = 4;
constexpr std::size_t open_uploads_of_user_max = 64;
// Finished uploads that a connection's next jobs may refer to. A job follows its upload at once; who sends many scripts ahead
// is asked to send the oldest again.
constexpr std::size_t remembered_uploads_max = 16;
// A start folds so many records in 20 ms: a checkpoint that saves less is not worth its process, if the site does not say otherwise. With
// more than the second number a start would take minutes, as without checkpoints.
constexpr std::int64_t checkpoint_records_min = 10'000, checkpoint_records_max = 100'000'000;
// How often checkpoints are made if the site does not say it: a busy server writes a million records in that time, which a start folds in
// two seconds. With less than one a day a site may as well have none.
constexpr std::int64_t checkpoint_interval_s = 900, checkpoint_interval_s_max = 86'400;
// An orderly stop waits so long for a last checkpoint. Who stops a server takes it for one that hangs after a minute (pbs_init.d) or more.
constexpr int last_checkpoint_s = 20;
// Reasons of one scheduling cycle are written in events of at most this size, so that no single event delays a batch.
constexpr std::size_t cycle_reasons_bytes_max = 64u << 10;
// Occurrences of a standing reservation: ten years of days. Each is four bytes of its submission and of each of the server's folds.
constexpr std::size_t occurrences_max = 4000;
// For so many of them, the next ones, there are vnodes: three months of days, two years of weeks. Each is stored with its vnodes and
// looked at in every cycle. One of many chunks has fewer ahead, so that its places stay a megabyte.
constexpr std::size_t occurrences_ahead_max = 100, occurrences_ahead_min = 2, chunks_ahead_max = 5000;
static_assert(occurrences_ahead_max <= occurrences_max && occurrences_ahead_min >= 2);
// A cycle spends so many steps on questions about reservations before it looks at jobs; a step is a vnode or a booking that is looked at,
// and all of them take some 20 ms. It answers one question at least; the next cycle goes on.
constexpr std::uint64_t confirmation_work_max = 400'000;
// A time for a top job is looked for around the first so many bookings and behind the last, and so many tries are made in a cycle: a
// hundred top jobs take some 1,500. A job for which none was found is no top job.
constexpr std::size_t turning_bookings_max = 1000, searches_of_cycle_max = 5000;
// Reservations of one user that are not over: a thousand of them, each with a hundred occurrences, make a cycle of 50 ms. Those that are
// made of his jobs are not counted, since jobs have limits of their own, and operators may have more.
constexpr std::size_t reservations_of_user_max = 200;
// A recurrence rule may cost so many steps: one for each day, hour or minute up to its horizon, and for each time that it names in a day. A
// step takes some 20 ns.
constexpr std::size_t recurrence_steps_max = 300'000;
// Submissions whose rules wait to be expanded. One takes 20 ms at most, mostly one: who comes then is told to try again.
constexpr std::size_t recurrences_waiting_max = 64;
// A recurrence rule that names all that can be named is shorter; so are the names of time zones.
constexpr std::size_t rrule_chars_max = 4096, zone_name_chars_max = 100;
// Queue and scheduler names (pbs guide: 15 characters).
constexpr std::size_t queue_name_chars_max = 15;
// Hook names become names of files with three letters behind them; NAME_MAX is 255.
constexpr std::size_t hook_name_chars_max = 200;
// A hook's script or configuration travels in one request and is stored with its event; the longest that sites publish have
// 300 KB.
constexpr std::size_t inline_hook_bytes_max = 1u << 20;
static_assert(inline_hook_bytes_max < event_bytes_max);
// Threads of the server that ask which groups a user is in (group_list), and submissions that wait for one: so many look-ups may
// hang at a directory server at once, and who comes then is told to try again.
constexpr std::size_t group_lookup_threads_max = 4, group_lookups_waiting_max = 256;
// Exports of hooks that wait to be read from the log; each may be inline_hook_bytes_max.
constexpr std::size_t hook_exports_waiting_max = 256;
// What a clock may be behind the log's last record before the log says so: the log holds its time meanwhile. A clock that is kept by NTP
// is slewed, or stepped by less; and nobody misses a second. (docs/design/0061-clocks.md)
constexpr std::int64_t clock_held_ns = 1'000'000'000;
// How far a clock may go back at once. A mistake by hand is a zone, a day, a week, or the year (366 days); a board without a battery says
// 1970, or the year in which it was made: that is not the time, and the log holds its own.
constexpr std::int64_t clock_step_back_ns_max = 400LL * 24 * 60 * 60 * 1'000'000'000;
static_assert(clock_held_ns < clock_step_back_ns_max);
// A command id is remembered this long; older requests with one are refused as too old.
constexpr std::int64_t command_id_memory_s = 24 * 60 * 60;

// What a primary says its reduced run is to have: an item for each chunk of a run of several thousand hosts.
constexpr std::size_t keep_select_bytes_max = 256u << 10;
static_assert(keep_select_bytes_max < event_bytes_max);

// Signals and messages for a job that its host has not taken yet: a script that signals every second is refused when its
// host has been away for a quarter of an hour.
constexpr std::size_t open_requests_max = 1000;
// What qmsg writes into a job's output at once: a remark, no file.
constexpr std::size_t message_bytes_max = 64u << 10;

// Job actors that owe nothing and stay in memory; the rest are rebuilt from the log when somebody asks. 1000 actors cost
// about 4 MB and keep the jobs of a busy minute at hand.
constexpr std::size_t resident_idle_jobs_max = 1000;
// Finished jobs that are told at one time that their history is over. Each costs a read of its stream (50 us): others wait for
// a round 10 ms at most, and 100,000 jobs are gone in seconds when the history is turned off.
constexpr std::size_t history_round_jobs_max = 200;
// Runs that have left a MoM and that it remembers, so that an order which comes late is not taken for a new one. Orders
// are late by seconds; at 1000 jobs a second this covers ten.
constexpr std::size_t left_runs_max = 10'000;
// Ends of jobs that were submitted to be waited for, for who has not asked yet: he does within milliseconds, or minutes after his
// connection was lost. A hundred bytes each.
constexpr std::size_t ends_kept = 10'000;
// Who waits for ends of jobs, of all users; nobody has more places than are left, so one user waits for 10,000 at most, more than he has
// connections. Two hundred bytes each.
constexpr std::size_t end_waits_max = 20'000;
// A run's ticket may be used this long to join its hosts. The order is sent when it is signed; a run whose files or hooks take
// longer asks for a fresh one before it asks its sisters, when less than the rest is left: they have 30 s to join.
constexpr std::int64_t ticket_life_s = 600, ticket_rest_s = 60;
static_assert(ticket_rest_s < ticket_life_s);
// A host that has not removed a job after this, hooks at the end among it, is left to the server: the job's end is told.
constexpr std::int64_t leave_wait_s = 600;
// How often a host speaks to the server of a part it has: one that the primary has forgotten, or kept back, is discarded then.
constexpr std::int64_t part_word_s = 600;
// A host of a run that can't be reached this long is taken for gone when the run waits for it. Twice what a restarted MoM
// needs (a dialer asks at least every 5 s), and what the server gives a MoM to come back.
constexpr std::int64_t sister_silence_s = 10;
// Before the program each host of a run is asked whether it is there. One that lives answers in milliseconds, 500 on a busy machine in some
// tenths of a second; so long it may take, and so long all answers count.
constexpr std::int64_t presence_wait_s = 2, presence_counts_s = 1;
static_assert(presence_wait_s < sister_silence_s);
// A program of a job asks for a release before the server has heard that it runs: what it uses is first told a second after its start, and
// later by a host that is busy, or was cut off.
constexpr std::int64_t start_word_s = 30;
// It is answered when the first host has written the node file anew, milliseconds later, or when that takes longer than a MoM needs to be
// restarted. The release itself does not depend on it.
constexpr std::int64_t node_file_word_s = 10;
// A release ends a phase of accounting, so what was used until then is asked first. Hosts that are there answer in milliseconds; the first
// host waits so long for its others, and the server for the first host.
constexpr std::int64_t usage_of_hosts_wait_s = 1, usage_wait_s = 2;
static_assert(usage_of_hosts_wait_s < usage_wait_s);
// Names that pbs_release_nodes may give: more vnodes than a job has.
constexpr std::size_t released_names_max = 10'000;
// Before the program, for hosts to take what was let go of the run (RS-97).
constexpr std::int64_t update_wait_s = 5;

// A run's usage is reported when the last report is this old, in percent of the run's age, or when memory or cpu time have
// grown by so much since: 10 s apart at first, 14 minutes at the end of a day. A day's run is 550 events instead of 8,600,
// and what qstat shows of it is a hundredth off at most.
constexpr std::uint64_t usage_age_percent_max = 1, usage_growth_percent_max = 10;
// Words (values that are no amounts) that hooks set in resources_used: on one host, and of all hosts of a run together, which its primary
// tells in one report. 10,000 hosts may have a hundred bytes each; what the job shows of them may be as much again.
constexpr std::size_t hook_words_bytes_max = 64u << 10;
constexpr std::size_t run_words_bytes_max = 1u << 20;
static_assert(hook_words_bytes_max < run_words_bytes_max && 2 * run_words_bytes_max < event_bytes_max);
// A comment says in so many bytes why a job has ended as it has: two paths and an error of the system fit in.
constexpr std::size_t explained_bytes_max = 1024;
// Samples of one series (projections/usage). A run reports 100 times in its first 1000 s and then 100 times for each time
// its age grows by a factor e: 890 times in a month.
constexpr std::size_t usage_samples_max = 1000;

// What a log that was lost can have given beyond what its witnesses know. The mark beside the log is a second old at most, one
// that a MoM keeps five; in five seconds a fast server queues 160,000 jobs, with some events for each.
constexpr std::int64_t log_mark_s = 1, mom_log_mark_s = 5;
constexpr std::uint64_t lost_job_numbers_max = 200'000;
constexpr std::uint64_t lost_sequences_max = 1'000'000;  // of streams as well: each has an event
// A server whose log was put there from a copy hears nothing that gives numbers until every host has spoken, and no longer than this: a MoM
// dials at least every 5 s, and needs as long to start.
constexpr std::int64_t copy_wait_s = 10;
// Job numbers that a MoM's word can bring: max_job_sequence_id is 9999999 where nobody changed it.
constexpr std::uint64_t believed_job_numbers_max = 10'000'000;

// Followers that nobody waits for (accounting, the mark, the daemon's log) hear of commits so often at most, and of so many
// records at once. What accounting and the mark miss they read from the log at the next start.
constexpr int patience_ms = 20;
constexpr std::size_t untold_records_max = 1000;
// Runs of hosts' hooks that want nothing of the server are written down together. A sync for each costs more than its event, and their
// hosts repeat them after five seconds.
constexpr int hook_runs_wait_ms = 200;

// A job whose start has failed is not started again before this, and with each further failure before twice as long, up to the most: what
// is ill (a hook, a host) may be well then, and costs its hosts a start a minute, not one after the other. The tries that hold it (20) take
// a quarter of an hour.
constexpr std::int64_t failed_start_rest_s = 1, failed_start_rest_s_max = 60;

// A scheduler that ended is started again at once; if it ends again, after 1 s, 2 s, 4 s and so on: one that can't live costs a process a
// minute. Who has run so long has lived: the next end of it is a first one.
constexpr std::int64_t scheduler_pause_s_max = 60, scheduler_steady_s = 120;
// It ended so often within an hour, and somebody should look (MS-10).
constexpr std::size_t scheduler_ends_of_concern = 3;
// Starts that its MoM reports as failed, one after another: then it is started on the server's host.
constexpr std::size_t scheduler_starts_elsewhere_max = 2;
// A process is given this long to be ready; one that ends, and its log directory on a slow file system, take less.
constexpr int scheduler_start_s = 30;
// One that is told to end finishes its cycle first; after this it is killed. It proposes and keeps nothing, so nothing is lost.
constexpr int scheduler_end_s = 5;
// Schedulers that are started, or ended, at the same time; each waits for a process.
constexpr std::size_t scheduler_starts_at_once = 4;

// $restrict_user: a MoM looks for processes of users who have no job this often, as PBS polls, which costs some 20 us for each process;
// and it ends so many at a time, because it holds a descriptor of each until it knows whose jobs are here.
constexpr std::int64_t restrict_user_s = 10;
constexpr std::size_t restricted_processes_max = 256;
// Names in $restrict_user_exceptions (pbs guide).
constexpr std::size_t restrict_user_exceptions_max = 10;

}  // namespace annals::limits
