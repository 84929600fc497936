#!/bin/bash
### BEGIN INIT INFO
# Provides:          pbs
# Required-Start:    $network $remote_fs
# Required-Stop:     $network $remote_fs
# Default-Start:     2 3 4 5
# Default-Stop:      0 1 6
# Short-Description: PBS server and MoM
### END INIT INFO
#
# usage: pbs_init.d --version
#        pbs_init.d {start|stop|restart|status}
#
# Starts or stops the daemons for which pbs.conf, or the environment, says PBS_START_SERVER, _MOM, _COMM or _FOLLOW = 1. `start`
# returns when each answers; `status` prints what runs. The server starts its schedulers, `start` waits for the default one,
# and `stop` of the server ends them all. PBS_START_SCHED of pbs.conf is deprecated and has no effect; in the environment it
# means the default scheduler, for tools that start and stop daemons one by one.
#
# A start on a host that had no home yet makes one, and the host's own node with its MoM's certificate; where a home is missing that this host
# had, it is refused (pbs_habitat; docs/design/0028-lost-logs.md).
set -uo pipefail

conf_file=${PBS_CONF_FILE:-/etc/pbs.conf}
if [ -n "${PBS_CONF_FILE-}" ] && [ ! -r "$conf_file" ]; then
  echo "$(basename "$0"): PBS_CONF_FILE names $conf_file, which can't be read" >&2
  exit 1
fi
conf() {   # KEY DEFAULT
  local value=${!1-}
  if [ -z "$value" ] && [ -r "$conf_file" ]; then
    value=$(sed -n "s/^[[:space:]]*$1[[:space:]]*=[[:space:]]*\(.*[^[:space:]]\)[[:space:]]*\$/\1/p" "$conf_file" | tail -n 1)
    value=${value#\"} value=${value%\"}
  fi
  printf '%s' "${value:-$2}"
}

exec_dir=$(conf PBS_EXEC /opt/pbs)
home=$(conf PBS_HOME /var/spool/pbs)
mom_home=$(conf PBS_MOM_HOME "$home")
declare -A lock=([pbs_server]="$home/server_priv/server.lock" [pbs_mom]="$mom_home/mom_priv/mom.lock"
                 [pbs_sched]="$home/sched_priv/sched.lock" [pbs_comm]="$home/server_priv/comm.lock"
                 [pbs_follow]="$home/follow_priv/follow.lock")
stop_deadline_s=60 qterm_deadline_s=20 qmgr_deadline_s=20 scheduler_deadline_s=30

wanted() {   # DAEMON
  case $1 in
    pbs_server) [ "$(conf PBS_START_SERVER 0)" = 1 ] ;;
    pbs_mom) [ "$(conf PBS_START_MOM 0)" = 1 ] ;;
    pbs_sched) [ "${PBS_START_SCHED-}" = 1 ] ;;
    pbs_comm) [ "$(conf PBS_START_COMM 0)" = 1 ] && [ -x "$exec_dir/sbin/pbs_comm" ] ;;
    pbs_follow) [ "$(conf PBS_START_FOLLOW 0)" = 1 ] && [ -x "$exec_dir/sbin/pbs_follow" ] ;;
  esac
}

# Whether the process is the daemon and runs. One that has ended and is only not waited for yet (Z) does not, when the last of its
# threads has let go of its files and ports.
lives() {   # DAEMON PID
  local stat= rest
  read -r stat 2>/dev/null < "/proc/$2/stat"
  [[ $stat = "$2 ($1) "* ]] || return 1
  read -ra rest <<< "${stat##*) }"   # proc(5): the state, ..., the 18th is the number of threads
  [[ ${rest[0]} != [ZX] || ${rest[17]} -gt 1 ]]
}
# Prints the pid of the daemon if it runs. A lock file may outlive its daemon, and its pid may then be anybody's.
pid_in() {   # DAEMON FILE
  local pid=
  read -r pid 2>/dev/null < "$2" && [[ $pid =~ ^[0-9]+$ ]] || return 1
  lives "$1" "$pid" && echo "$pid"
}
pid_of() { pid_in "$1" "${lock[$1]}"; }
runs() { pid_of "$1" >/dev/null; }

# The words of the transcripts of PBS.
declare -A running=([pbs_server]="PBS Server" [pbs_mom]="PBS mom" [pbs_sched]="PBS scheduler" [pbs_comm]="PBS comm"
                    [pbs_follow]="PBS follow")

start_daemon() {   # DAEMON
  local status=0
  if runs "$1"; then
    echo "${running[$1]} already running."
    return 0
  fi
  "$exec_dir/sbin/$1" || status=$?   # returns when it is ready
  # Two starts at a time: the other one was first.
  if [ $status != 0 ] && ! runs "$1"; then
    echo "$1 startup failed, exit $status aborting." >&2
    return 1
  fi
  if ! runs "$1"; then
    echo "$1 has ended again: its log says why." >&2
    return 1
  fi
  echo "PBS ${1#pbs_}"
}

start_mom() {
  "$exec_dir/libexec/pbs_habitat" node || return 1
  start_daemon pbs_mom && return 0
  [ -e "$mom_home/mom_priv/daemon.pem" ] ||
    echo "This host has no certificate: what \`pbs_enroll $(conf PBS_MOM_NODE_NAME "$(uname -n)")\` prints on the server's host" \
         "belongs into $mom_home/mom_priv/daemon.pem, mode 600." >&2
  return 1
}

ask_qmgr() { PBS_READ_FROM=server timeout $qmgr_deadline_s "$exec_dir/bin/qmgr" -c "$1" 2>/dev/null; }

# Whether the server that runs here starts the default scheduler.
server_starts_it() {
  runs pbs_server || return 1
  ! grep -qs '^[[:space:]]*start_schedulers[[:space:]]*=[[:space:]]*off' "$home/annals.conf" || return 1
  [[ $(ask_qmgr 'list sched default scheduling') != *"scheduling = False"* ]]
}
scheduler_is_ready() { runs pbs_sched && [[ $(ask_qmgr 'list sched default state') != *"state = down"* ]]; }

start_scheduler() {   # PID of the default one, if it ran before
  local deadline=$((SECONDS + scheduler_deadline_s))
  if [ -n "$1" ] && [ "$(pid_of pbs_sched)" = "$1" ]; then
    echo "${running[pbs_sched]} already running."
  elif server_starts_it; then
    until scheduler_is_ready; do
      if [ $SECONDS -ge $deadline ] || ! runs pbs_server; then
        echo "pbs_sched is not there, though the server is to start it: see $home/server_logs and $home/sched_log." >&2
        return 1
      fi
      sleep 0.05
    done
    echo "PBS sched"
  elif wanted pbs_sched; then
    start_daemon pbs_sched
  fi
}

# The server first: the host's node and its MoM's certificate come from it.
start() {
  local scheduler
  scheduler=$(pid_of pbs_sched)
  echo "Starting PBS"
  [ -n "${PBS_START_SCHED-}" ] || [ -z "$(conf PBS_START_SCHED "")" ] ||
    echo "PBS_START_SCHED is deprecated: the server starts each scheduler whose scheduling is True (qmgr: set sched)."
  "$exec_dir/libexec/pbs_habitat" --start || return 1
  if wanted pbs_comm; then start_daemon pbs_comm || return 1; fi
  if wanted pbs_server; then start_daemon pbs_server || return 1; fi
  if wanted pbs_follow; then start_daemon pbs_follow || return 1; fi
  if wanted pbs_mom; then start_mom || return 1; fi
  if wanted pbs_sched || wanted pbs_server; then start_scheduler "$scheduler" || return 1; fi
}

await_end() {   # DAEMON PID: waits until it is gone
  local deadline=$((SECONDS + stop_deadline_s))
  while lives "$1" "$2"; do
    if [ $SECONDS -ge $deadline ]; then
      echo "$1 (pid $2) does not end" >&2
      return 1
    fi
    sleep 0.05
  done
}

ending=()   # "DAEMON PID" of each that was told to end
failed=0
say_was() { echo "PBS ${1#pbs_} - was pid: $2"; }

# One that has ended by itself meanwhile, as schedulers do when their server ends, is told too.
tell() {   # DAEMON PID FILE: to end, by a signal
  local said
  said=$(kill -TERM "$2" 2>&1) || [ "$(pid_in "$1" "$3")" != "$2" ] || { echo "$1 (pid $2) can't be told to end: $said" >&2; return 1; }
}

tell_to_end() {   # DAEMON FILE
  local pid
  pid=$(pid_in "$1" "$2") || return 0
  if tell "$1" "$pid" "$2"; then ending+=("$1 $pid"); else failed=1; fi
}

stop_daemon() {   # DAEMON
  local pid
  pid=$(pid_of "$1") || return 0
  tell_to_end "$1" "${lock[$1]}"
  say_was "$1" "$pid"
}

# A server that does not answer is told by a signal, and starts schedulers again until it is gone.
stop_server() {
  local pid
  pid=$(pid_of pbs_server) || return 0
  echo "Shutting server down with qterm."
  if timeout $qterm_deadline_s "$exec_dir/bin/qterm" -s >/dev/null 2>&1; then
    ending+=("pbs_server $pid")
  elif tell pbs_server "$pid" "${lock[pbs_server]}"; then
    await_end pbs_server "$pid" || failed=1
  else
    failed=1
  fi
  say_was pbs_server "$pid"
}

# With the server its schedulers end, wherever they run; those of this host are told by a signal too.
stop_schedulers() {   # PID of the default one, if it ran
  local priv
  tell_to_end pbs_sched "${lock[pbs_sched]}"
  if wanted pbs_server; then
    for priv in "$home"/sched_priv_*; do tell_to_end pbs_sched "$priv/sched.lock"; done
  fi
  [ -z "$1" ] || say_was pbs_sched "$1"
}

stop() {
  echo "Stopping PBS"
  local scheduler daemon pid
  scheduler=$(pid_of pbs_sched)
  if wanted pbs_server; then stop_server; fi
  if wanted pbs_mom; then stop_daemon pbs_mom; fi
  if wanted pbs_server || wanted pbs_sched; then stop_schedulers "$scheduler"; fi
  if wanted pbs_follow; then stop_daemon pbs_follow; fi
  if wanted pbs_comm; then stop_daemon pbs_comm; fi
  echo "Waiting for shutdown to complete"
  while read -r daemon pid; do
    await_end "$daemon" "$pid" || failed=1
  done < <(printf '%s\n' ${ending[@]+"${ending[@]}"} | grep .)
  return $failed
}

# Who is not running is no failure: the exit status is PBS's. Tools know the line of comm by the missing word pid. Schedulers are
# the server's (qmgr -c 'list sched') and not named unless they are asked for.
status() {
  local daemon pid
  for daemon in pbs_server pbs_mom pbs_sched pbs_comm pbs_follow; do
    wanted $daemon || continue
    if pid=$(pid_of $daemon); then
      if [ $daemon = pbs_comm ]; then echo "pbs_comm is $pid"; else echo "$daemon is pid $pid"; fi
    else
      echo "$daemon is not running"
    fi
  done
  return 0
}

case "${1:-}" in
  start) start ;;
  stop) stop ;;
  restart) echo "Restarting PBS"; stop && start ;;
  status) status ;;
  --version) exec "$exec_dir/bin/qstat" --version ;;
  *) printf 'Usage: %s --version\nUsage: %s {start|stop|restart|status}\n' "$(basename "$0")" "$(basename "$0")"; exit 1 ;;
esac
