/* Makes a session of this host a task of a job (tm_attach). attach JOB PID: prints the task's number. */
#include "check.h"

int main(int argc, char** argv) {
  tm_task_id task = TM_NULL_TASK;
  CHECK(argc == 3);
  CHECK(tm_attach("99.nowhere", NULL, atoi(argv[2]), &task, NULL, 0) == TM_ENOTFOUND);
  CHECK(tm_attach(argv[1], "0", atoi(argv[2]), &task, NULL, 0) == TM_ENOTFOUND); /* another job's cookie */
  CHECK(tm_attach(argv[1], NULL, 4194305, &task, NULL, 0) == TM_ENOPROC);
  CHECK(task == TM_NULL_TASK);
  CHECK(tm_attach(argv[1], NULL, atoi(argv[2]), &task, NULL, 0) == TM_SUCCESS);
  printf("%u\n", (unsigned)task);
  CHECK(tm_attach(argv[1], NULL, atoi(argv[2]), &task, NULL, 0) == TM_ESESSION);
  return 0;
}
