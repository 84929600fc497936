/* Tasks of a job leave values for each other (tm_publish, tm_subscribe), and a signal says when tm_poll has something to tell.
   Started without a word it spawns itself, with one, on the second node; each waits for the other's value. */
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "check.h"

static volatile sig_atomic_t told_by_signal = 0;
static void on_signal(int number) { told_by_signal = number; }

int main(int argc, char** argv) {
  struct tm_roots roots;
  tm_event_t event, waited;
  tm_task_id other = 1;
  char value[16] = "";
  int length = 0, status = -1, told;
  const int first = argc == 1;
  CHECK(tm_init(NULL, &roots) == TM_SUCCESS);
  if (first) {
    char* again[] = {argv[0], "second", NULL};
    CHECK(tm_spawn(2, again, NULL, 1, &other, &event) == TM_SUCCESS && done(event) == TM_SUCCESS);
  }
  CHECK(tm_subscribe(other, "greeting", value, sizeof value, &length, &waited) == TM_SUCCESS);
  CHECK(tm_publish("greeting", first ? "from one\0!" : "from two\0!", 10, &event) == TM_SUCCESS);
  for (int i = 0; i < 2; ++i) {
    tm_event_t which;
    CHECK(tm_poll(TM_NULL_EVENT, &which, 1, &told) == TM_SUCCESS && told == TM_SUCCESS && (which == event || which == waited));
  }
  CHECK(length == 10 && memcmp(value, first ? "from two\0!" : "from one\0!", 10) == 0);
  if (first) {
    CHECK(tm_obit(other, &status, &event) == TM_SUCCESS && done(event) == TM_SUCCESS && status == 0);
    sigset_t usual, blocked;
    sigemptyset(&blocked);
    sigaddset(&blocked, SIGUSR1);
    sigprocmask(SIG_BLOCK, &blocked, &usual);
    signal(SIGUSR1, on_signal);
    CHECK(tm_notify(SIGUSR1) == TM_SUCCESS);
    CHECK(tm_taskinfo(0, &other, 1, &status, &event) == TM_SUCCESS);
    while (told_by_signal != SIGUSR1) sigsuspend(&usual);
    CHECK(done(event) == TM_SUCCESS && status == 1);
    CHECK(tm_notify(0) == TM_SUCCESS);
    puts("the values came");
  }
  CHECK(tm_finalize() == TM_SUCCESS);
  return 0;
}
