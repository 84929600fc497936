/*
 * The task manager interface of PBS (libpbs): a program of a job starts others on the job's hosts, signals them, waits for
 * their end. Names, types and numbers are those of PBS; the page tm(3) says what each call does. For one thread.
 *
 * A call with an event returns at once; tm_poll tells later that it is done, and only then are its results written.
 */
#ifndef TM_H
#define TM_H

#include <sys/types.h>

#include "tm_.h"

#ifdef __cplusplus
extern "C" {
#endif

#define TM_SUCCESS 0
#define TM_ESYSTEM 17000
#define TM_ENOEVENT 17001
#define TM_ENOTCONNECTED 17002
#define TM_EUNKNOWNCMD 17003
#define TM_ENOTIMPLEMENTED 17004
#define TM_EBADENVIRONMENT 17005
#define TM_ENOTFOUND 17006
#define TM_BADINIT 17007
#define TM_ESESSION 17008
#define TM_EUSER 17009
#define TM_EOWNER 17010
#define TM_ENOPROC 17011
#define TM_EHOOK 17012

int tm_init(void* info, struct tm_roots* roots);
int tm_finalize(void);

/* The nodes of the job, ended by TM_ERROR_NODE, which is not counted. free() the list. */
int tm_nodeinfo(tm_node_id** list, int* nnodes);

int tm_poll(tm_event_t poll_event, tm_event_t* result_event, int wait, int* tm_errno);
/* This signal is sent to the process whenever tm_poll may have something to tell; 0: none. */
int tm_notify(int tm_signal);

int tm_spawn(int argc, char* argv[], char* envp[], tm_node_id where, tm_task_id* tid, tm_event_t* event);
int tm_kill(tm_task_id tid, int sig, tm_event_t* event);
int tm_obit(tm_task_id tid, int* obitval, tm_event_t* event);
int tm_taskinfo(tm_node_id node, tm_task_id* tid_list, int list_size, int* ntasks, tm_event_t* event);
int tm_atnode(tm_task_id tid, tm_node_id* node);
int tm_rescinfo(tm_node_id node, char* resource, int len, tm_event_t* event);
int tm_publish(char* name, void* info, int nbytes, tm_event_t* event);
int tm_subscribe(tm_task_id tid, char* name, void* info, int len, int* info_len, tm_event_t* event);

/* host and port: null and 0; a process is attached on its own host. */
int tm_attach(char* jobid, char* cookie, pid_t pid, tm_task_id* tid, char* host, int port);

/* Not implemented, as in PBS. */
int tm_alloc(char* resources, tm_event_t* event);
int tm_dealloc(tm_node_id node, tm_event_t* event);
int tm_create_event(tm_event_t* event);
int tm_destroy_event(tm_event_t* event);
int tm_register(struct tm_whattodo* what, tm_event_t* event);

#ifdef __cplusplus
}
#endif

#endif
