/*
 * The C interface of PBS (libpbs): connections, jobs, objects, status. Names, structures, constants and memory rules are those
 * of the PBS Programmer's Guide; docs/howto/c-api.md says what Annals does with them.
 *
 * Every call is thread-safe: pbs_errno belongs to the calling thread, and calls on one connection take turns.
 */
#ifndef PBS_IFL_H
#define PBS_IFL_H

#ifdef __cplusplus
extern "C" {
#endif

/* -- structures --------------------------------------------------------------------------------------------------------- */

enum batch_op { SET,
                UNSET,
                INCR,
                DECR,
                EQ,
                NE,
                GE,
                GT,
                LE,
                LT,
                DFLT };

/* An attribute in a list. resource: of a resource list ("ncpus" of Resource_List), else null or empty. */
struct attrl {
  struct attrl* next;
  char* name;
  char* resource;
  char* value;
  enum batch_op op;
};

/* The same, where the operator counts: submission, selection, management. */
struct attropl {
  struct attropl* next;
  char* name;
  char* resource;
  char* value;
  enum batch_op op;
};

/* One object of a status answer. text: null, or a remark of the server. Freed, with all behind it, by pbs_statfree. */
struct batch_status {
  struct batch_status* next;
  char* name;
  struct attrl* attribs;
  char* text;
};

/* A job that pbs_deljoblist did not delete, and the number of the error. Freed, with all behind it, by pbs_delstatfree. */
struct batch_deljob_status {
  struct batch_deljob_status* next;
  char* name;
  int code;
};

/* An attribute that was refused, the number of the error and its text. */
struct ecl_attrerr {
  struct attropl* ecl_attribute;
  int ecl_errcode;
  char* ecl_errmsg;
};
struct ecl_attribute_errors {
  int ecl_numerrors;
  struct ecl_attrerr* ecl_attrerr; /* so many, one behind the other */
};

/* -- the calling thread's error ------------------------------------------------------------------------------------------ */

int* __pbs_errno_location(void);
#define pbs_errno (*__pbs_errno_location()) /* 0 or a PBSE_ number (pbs_error.h) of this thread's last call */
char* pbse_to_txt(int number);              /* the text of a PBSE_ number, not to be freed; null: there is no such error */

/* -- connections --------------------------------------------------------------------------------------------------------- */

int pbs_connect(const char* server);                                 /* null or "": the default server; answers a positive number, or -1 */
int pbs_connect_extend(const char* server, const char* extend_data); /* extend_data: null or ""; the server takes none */
int pbs_query_max_connections(void);                                 /* that this process can have at a time */
int pbs_disconnect(int connect);
char* pbs_default(void);          /* the default server's name; not to be freed */
char* pbs_geterrmsg(int connect); /* the text of the connection's last error, or null; lives until its next call */

/* The server that this thread's last pbs_connect connected to, or tried to; not to be freed; null before the first. */
char** __pbs_server_location(void);
#define pbs_server (*__pbs_server_location())

/*
 * Which attributes of the connection's last call were refused, and why; null: none, or it is not known. The server stops at the first
 * that is wrong. Not to be freed; lives until the connection's next call.
 */
struct ecl_attribute_errors* pbs_get_attribute_errors(int connect);

/* -- jobs ---------------------------------------------------------------------------------------------------------------- */

/* script: the name of a file, or null. The answer, the new job's id, is to be freed; null: failed. */
char* pbs_submit(int connect, struct attropl* attributes, const char* script, const char* destination, const char* extend);
int pbs_alterjob(int connect, const char* job, struct attrl* attributes, const char* extend);
int pbs_asyalterjob(int connect, const char* job, struct attrl* attributes, const char* extend);
/* Name of the server that has the job; free() takes it. null with pbs_errno PBSE_UNKJOBID: this server has no such job. */
char* pbs_locjob(int connect, const char* job, const char* extend);
int pbs_deljob(int connect, const char* job, const char* extend); /* extend: null, FORCE, DELETEHISTORY, or both in one text */
/* Deletes numjobs jobs; extend as above. The jobs that were not deleted, or null; pbs_errno is the first one's. */
struct batch_deljob_status* pbs_deljoblist(int connect, char** jobids, int numjobs, const char* extend);
void pbs_delstatfree(struct batch_deljob_status* status);
int pbs_holdjob(int connect, const char* job, const char* holds, const char* extend); /* null: USER_HOLD */
int pbs_rlsjob(int connect, const char* job, const char* holds, const char* extend);
int pbs_runjob(int connect, const char* job, const char* location, const char* extend); /* null: the scheduler finds it */
int pbs_asyrunjob(int connect, const char* job, const char* location, const char* extend);
int pbs_rerunjob(int connect, const char* job, const char* extend); /* extend: null or FORCE */
int pbs_movejob(int connect, const char* job, const char* destination, const char* extend);
int pbs_sigjob(int connect, const char* job, const char* signal, const char* extend);
int pbs_msgjob(int connect, const char* job, int file, const char* message, const char* extend); /* MSG_OUT, MSG_ERR */
/*
 * A running job goes on without nodes: vnodes or hosts of it, '+' between them; null or "": all but its first host. extend, with no
 * nodes: null, or what is kept of them, "select=..." or a number of hosts.
 */
int pbs_relnodesjob(int connect, const char* job, const char* nodes, const char* extend);
int pbs_orderjob(int connect, const char* job1, const char* job2, const char* extend);

/* Ids of the jobs that meet every criterion, ended by a null; one free() takes all of it. extend: as of pbs_statjob. */
char** pbs_selectjob(int connect, struct attropl* criteria, const char* extend);

/* -- status -------------------------------------------------------------------------------------------------------------- */

/*
 * Lists to be given to pbs_statfree; null with pbs_errno 0: there is nothing. id null or "": all. attributes null: all.
 * extend of jobs: "x" finished jobs too, "t" behind each array its subjobs; of selections also "T": subjobs in place of their arrays.
 */
struct batch_status* pbs_statjob(int connect, const char* id, struct attrl* attributes, const char* extend);
struct batch_status* pbs_selstat(int connect, struct attropl* criteria, struct attrl* attributes, const char* extend);
struct batch_status* pbs_statque(int connect, const char* id, struct attrl* attributes, const char* extend);
struct batch_status* pbs_statserver(int connect, struct attrl* attributes, const char* extend);
struct batch_status* pbs_statsched(int connect, struct attrl* attributes, const char* extend); /* one per scheduler */
struct batch_status* pbs_stathost(int connect, const char* id, struct attrl* attributes, const char* extend);
struct batch_status* pbs_statnode(int connect, const char* id, struct attrl* attributes, const char* extend);
struct batch_status* pbs_statvnode(int connect, const char* id, struct attrl* attributes, const char* extend);
struct batch_status* pbs_statrsc(int connect, const char* id, struct attrl* attributes, const char* extend);
struct batch_status* pbs_stathook(int connect, const char* id, struct attrl* attributes, const char* extend);
struct batch_status* pbs_statresv(int connect, const char* id, struct attrl* attributes, const char* extend);
void pbs_statfree(struct batch_status* status);

/* -- reservations: pbs_reservations(3) -------------------------------------------------------------------------------------- */

char* pbs_submit_resv(int connect, struct attropl* attributes, const char* extend);                          /* its id: free() it */
char* pbs_modify_resv(int connect, const char* reservation, struct attropl* attributes, const char* extend); /* the same */
int pbs_delresv(int connect, const char* reservation, const char* extend);

/* -- vnodes: pbs_rescquery(3) ------------------------------------------------------------------------------------------------- */

/*
 * How many vnodes are free, taken by jobs, taken by reservations, and down or offline: one number in each of the four arrays for each
 * of count names, which are "nodes" or "nodes=". 0, or the error number.
 */
int pbs_rescquery(int connect, char** names, int count, int* available, int* allocated, int* reserved, int* down);

/* -- not supported: pbs_refused(3) ------------------------------------------------------------------------------------------- */

/* For programs that link them: each fails with PBSE_NOSUP, and pbs_geterrmsg says what there is in its place. */
typedef int pbs_resource_t;
#define RESOURCE_T_NULL ((pbs_resource_t)0)
#define RESOURCE_T_ALL ((pbs_resource_t)-1)
int pbs_rescreserve(int connect, char** names, int count, pbs_resource_t* reservation);
int pbs_rescrelease(int connect, pbs_resource_t reservation);
int pbs_stagein(int connect, const char* job, const char* location, const char* extend);
int pbs_confirmresv(int connect, const char* reservation, const char* location, unsigned long start, const char* extend);
struct preempt_job_info;                                               /* never seen */
struct preempt_job_info* pbs_preempt_jobs(int connect, char** jobids); /* null */

/* -- management ---------------------------------------------------------------------------------------------------------- */

int pbs_manager(int connect, int command, int object, const char* name, struct attropl* attributes, const char* extend);
int pbs_terminate(int connect, int manner, const char* extend);

#define MGR_CMD_CREATE 0
#define MGR_CMD_DELETE 1
#define MGR_CMD_SET 2
#define MGR_CMD_UNSET 3
#define MGR_CMD_LIST 4
#define MGR_CMD_PRINT 5
#define MGR_CMD_ACTIVE 6
#define MGR_CMD_IMPORT 7
#define MGR_CMD_EXPORT 8

#define MGR_OBJ_NONE -1
#define MGR_OBJ_SERVER 0
#define MGR_OBJ_QUEUE 1
#define MGR_OBJ_JOB 2
#define MGR_OBJ_NODE 3
#define MGR_OBJ_RESV 4
#define MGR_OBJ_RSC 5
#define MGR_OBJ_SCHED 6
#define MGR_OBJ_HOST 7
#define MGR_OBJ_HOOK 8
#define MGR_OBJ_PBS_HOOK 9

#define SHUT_IMMEDIATE 0
#define SHUT_DELAY 1
#define SHUT_QUICK 2

/* -- words --------------------------------------------------------------------------------------------------------------- */

#define MSG_OUT 1
#define MSG_ERR 2

#define USER_HOLD "u"
#define OTHER_HOLD "o"
#define SYSTEM_HOLD "s"
#define BAD_PASSWORD_HOLD "p"
#define NO_HOLD "n"

#define FORCE "force"
#define DELETEHISTORY "deletehist"

#define PBS_MAXQUEUENAME 15
#define PBS_MAXJOBNAME 230
#define PBS_MAXUSER 256
#define PBS_MAXHOSTNAME 255
#define PBS_MAXSERVERNAME 255
#define PBS_MAXDEST 256
#define PBS_MAXSEQNUM 12
#define PBS_MAXSVRJOBID (PBS_MAXSEQNUM + PBS_MAXSERVERNAME + 2)

/* Job attributes, by the letter of qsub where there is one. */
#define ATTR_a "Execution_Time"
#define ATTR_A "Account_Name"
#define ATTR_c "Checkpoint"
#define ATTR_e "Error_Path"
#define ATTR_g "group_list"
#define ATTR_h "Hold_Types"
#define ATTR_j "Join_Path"
#define ATTR_J "array_indices_submitted"
#define ATTR_k "Keep_Files"
#define ATTR_l "Resource_List"
#define ATTR_m "Mail_Points"
#define ATTR_M "Mail_Users"
#define ATTR_N "Job_Name"
#define ATTR_o "Output_Path"
#define ATTR_p "Priority"
#define ATTR_q "destination"
#define ATTR_r "Rerunable"
#define ATTR_R "Remove_Files"
#define ATTR_S "Shell_Path_List"
#define ATTR_u "User_List"
#define ATTR_v "Variable_List"
#define ATTR_args "argument_list"
#define ATTR_array "array"
#define ATTR_array_id "array_id"
#define ATTR_array_index "array_index"
#define ATTR_array_indices_remaining "array_indices_remaining"
#define ATTR_array_indices_submitted "array_indices_submitted"
#define ATTR_array_state_count "array_state_count"
#define ATTR_block "block"
#define ATTR_comment "comment"
#define ATTR_ctime "ctime"
#define ATTR_depend "depend"
#define ATTR_egroup "egroup"
#define ATTR_eligible_time "eligible_time"
#define ATTR_estimated "estimated"
#define ATTR_etime "etime"
#define ATTR_euser "euser"
#define ATTR_exechost "exec_host"
#define ATTR_exechost2 "exec_host2"
#define ATTR_execvnode "exec_vnode"
#define ATTR_executable "executable"
#define ATTR_exit_status "Exit_status"
#define ATTR_hashname "hashname"
#define ATTR_history_timestamp "history_timestamp"
#define ATTR_inter "interactive"
#define ATTR_jobdir "jobdir"
#define ATTR_max_run_subjobs "max_run_subjobs"
#define ATTR_mtime "mtime"
#define ATTR_name "Job_Name"
#define ATTR_owner "Job_Owner"
#define ATTR_project "project"
#define ATTR_qrank "queue_rank"
#define ATTR_qtime "qtime"
#define ATTR_queue "queue"
#define ATTR_qtype "queue_type"
#define ATTR_rel_list "resource_released_list"
#define ATTR_released "resources_released"
#define ATTR_runcount "run_count"
#define ATTR_run_version "run_version"
#define ATTR_sandbox "sandbox"
#define ATTR_SchedSelect "schedselect"
#define ATTR_server "server"
#define ATTR_session "session_id"
#define ATTR_stagein "stagein"
#define ATTR_stageout "stageout"
#define ATTR_state "job_state"
#define ATTR_stime "stime"
#define ATTR_submit_arguments "Submit_arguments"
#define ATTR_submit_host "Submit_Host"
#define ATTR_substate "substate"
#define ATTR_tolerate_node_failures "tolerate_node_failures"
#define ATTR_umask "umask"
#define ATTR_used "resources_used"

/* Attributes of reservations. */
#define ATTR_auth_g "Authorized_Groups"
#define ATTR_auth_h "Authorized_Hosts"
#define ATTR_auth_u "Authorized_Users"
#define ATTR_resv_duration "reserve_duration"
#define ATTR_resv_end "reserve_end"
#define ATTR_resv_name "Reserve_Name"
#define ATTR_resv_nodes "resv_nodes"
#define ATTR_resv_owner "Reserve_Owner"
#define ATTR_resv_rrule "reserve_rrule"
#define ATTR_resv_start "reserve_start"
#define ATTR_resv_state "reserve_state"
#define ATTR_resv_substate "reserve_substate"
#define ATTR_resv_timezone "reserve_timezone"

/* Attributes of queues and of the server. */
#define ATTR_aclgren "acl_group_enable"
#define ATTR_aclgroup "acl_groups"
#define ATTR_aclhost "acl_hosts"
#define ATTR_aclhten "acl_host_enable"
#define ATTR_aclroot "acl_roots"
#define ATTR_acluren "acl_user_enable"
#define ATTR_acluser "acl_users"
#define ATTR_chkptmin "checkpoint_min"
#define ATTR_count "state_count"
#define ATTR_DefaultChunk "default_chunk"
#define ATTR_dfltque "default_queue"
#define ATTR_enable "enabled"
#define ATTR_flatuid "flatuid"
#define ATTR_fromroute "from_route_only"
#define ATTR_FLicenses "FLicenses"
#define ATTR_HasNodes "hasnodes"
#define ATTR_JobHistoryDuration "job_history_duration"
#define ATTR_JobHistoryEnable "job_history_enable"
#define ATTR_killdelay "kill_delay"
#define ATTR_logevents "log_events"
#define ATTR_mailfrom "mail_from"
#define ATTR_managers "managers"
#define ATTR_maxgrprun "max_group_run"
#define ATTR_max_queued "max_queued"
#define ATTR_max_queued_res "max_queued_res"
#define ATTR_max_run "max_run"
#define ATTR_max_run_res "max_run_res"
#define ATTR_max_run_soft "max_run_soft"
#define ATTR_maxque "max_queuable"
#define ATTR_maxrun "max_running"
#define ATTR_maxuserrun "max_user_run"
#define ATTR_nodefailrequeue "node_fail_requeue"
#define ATTR_NodeGroupEnable "node_group_enable"
#define ATTR_NodeGroupKey "node_group_key"
#define ATTR_operators "operators"
#define ATTR_partition "partition"
#define ATTR_queryother "query_other_jobs"
#define ATTR_rescassn "resources_assigned"
#define ATTR_rescavail "resources_available"
#define ATTR_rescdflt "resources_default"
#define ATTR_rescmax "resources_max"
#define ATTR_rescmin "resources_min"
#define ATTR_restrict_res_to_release_on_suspend "restrict_res_to_release_on_suspend"
#define ATTR_routedest "route_destinations"
#define ATTR_schedit "scheduler_iteration"
#define ATTR_scheduling "scheduling"
#define ATTR_start "started"
#define ATTR_status "server_state"
#define ATTR_total "total_jobs"
#define ATTR_version "pbs_version"

/* Attributes of vnodes, and words of their state. */
#define ATTR_NODE_Host "Host"
#define ATTR_NODE_Mom "Mom"
#define ATTR_NODE_Port "Port"
#define ATTR_NODE_state "state"
#define ATTR_NODE_ntype "ntype"
#define ATTR_NODE_jobs "jobs"
#define ATTR_NODE_resvs "resv"
#define ATTR_NODE_pcpus "pcpus"
#define ATTR_NODE_Sharing "sharing"
#define ATTR_NODE_NoMultiNode "no_multinode_jobs"
#define ATTR_NODE_last_state_change_time "last_state_change_time"
#define ATTR_NODE_last_used_time "last_used_time"

#define ND_free "free"
#define ND_offline "offline"
#define ND_down "down"
#define ND_state_unknown "state-unknown"
#define ND_Stale "Stale"
#define ND_jobbusy "job-busy"
#define ND_jobexclusive "job-exclusive"
#define ND_resv_exclusive "resv-exclusive"
#define ND_busy "busy"
#define ND_provisioning "provisioning"
#define ND_maintenance "maintenance"

/* Attributes of schedulers. */
#define ATTR_SchedHost "sched_host"
#define ATTR_sched_cycle_len "sched_cycle_length"
#define ATTR_sched_log "sched_log"
#define ATTR_sched_priv "sched_priv"
#define ATTR_sched_state "state"

/* Attributes of resources (pbs_statrsc). */
#define ATTR_RESC_TYPE "type"
#define ATTR_RESC_FLAG "flag"

#ifdef __cplusplus
}
#endif

#endif
