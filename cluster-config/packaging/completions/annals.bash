# Completions of bash for the commands of Annals: options, and what the server is asked for (jobs, queues, vnodes, reservations).
# bash-completion loads it by the name of a command; it needs nothing of bash-completion and may be sourced by itself.
# Where no server answers within a second (ANNALS_COMPLETION_S) there is nothing to choose from, and nothing is printed.

# What the server has of a kind, a line each.
__annals_ask() {
  case $1 in
    job) command timeout "${ANNALS_COMPLETION_S:-1}" qselect ;;
    anyjob) command timeout "${ANNALS_COMPLETION_S:-1}" qselect -x || command timeout "${ANNALS_COMPLETION_S:-1}" qselect ;;
    queue) command timeout "${ANNALS_COMPLETION_S:-1}" qstat -Q -f -F dsv | sed -n 's/^Queue: \([^|]*\)|.*/\1/p' ;;
    node) command timeout "${ANNALS_COMPLETION_S:-1}" pbsnodes -av -F dsv | sed -n 's/^Name=\([^|]*\)|.*/\1/p' ;;
    reservation) command timeout "${ANNALS_COMPLETION_S:-1}" pbs_rstat -B | sed -n 's/^Resv ID: *//p' ;;
    scheduler | sched) command timeout "${ANNALS_COMPLETION_S:-1}" qmgr -c 'list sched' | sed -n 's/^Sched //p' ;;
    resource) command timeout "${ANNALS_COMPLETION_S:-1}" qmgr -c 'list resource' | sed -n 's/^Resource //p' ;;
    hook) command timeout "${ANNALS_COMPLETION_S:-1}" qmgr -c 'list hook' | sed -n 's/^Hook //p' ;;
  esac 2>/dev/null </dev/null
}

# Adds those of the lines of standard input to COMPREPLY that begin with $1, with $2 before and $3 behind each.
__annals_add() {
  local line
  while IFS= read -r line; do
    [[ $line && $line == "$1"* ]] && COMPREPLY+=("$2$line$3")
  done
}

# Adds what a value or word of kind $1 may be, if it begins with $2.
__annals_add_kind() {
  local IFS=$' \t\n'
  case $1 in
    =*)
      local words=${1#=}
      words=${words//\\/}
      __annals_add "$2" < <(printf '%s\n' ${words//,/ })
      ;;
    file) compopt -o filenames 2>/dev/null; __annals_add '' < <(compgen -f -- "$2") ;;
    directory) compopt -o filenames 2>/dev/null; __annals_add '' < <(compgen -d -- "$2") ;;
    user) __annals_add '' < <(compgen -u -- "$2") ;;
    variable) __annals_add '' < <(compgen -e -- "$2") ;;
    command) __annals_add '' < <(compgen -c -- "$2") ;;
    signal)
      __annals_add "$2" < <(printf '%s\n' suspend resume admin-suspend admin-resume; compgen -A signal SIG | sed 's/^SIG//')
      ;;
    resource)
      # -l select=1:ncpus=2,walltime=1:0:0: the last name; the words of bash end at = and :
      local last=${2##*,}
      __annals_add "$last" "${2%"$last"}" = < <(printf '%s\n' select place $__annals_resources; __annals_ask resource)
      compopt -o nospace 2>/dev/null
      ;;
    '') ;;
    *) __annals_add "$2" < <(__annals_ask "$1") ;;
  esac
  case ${COMPREPLY[0]} in *=) compopt -o nospace 2>/dev/null ;; esac
}

# The next word of a command of qmgr, $1: all that is typed so far. Inside quotes it is one word, which is completed as a whole.
__annals_qmgr() {
  local typed=$1 last before thing words
  last=${typed##*[ ,]}
  before=${typed%"$last"}
  read -ra words <<<"$before"
  thing=${words[1]}
  case $thing in s | se | ser*) thing=server ;; q*) thing=queue ;; n*) thing=node ;; sc*) thing=sched ;; r*) thing=resource ;; h*) thing=hook ;; esac
  case ${#words[@]},$before in
    0,*) __annals_add "$last" "$before" ' ' < <(printf '%s\n' active create delete set unset list print import export help quit) ;;
    1,*) __annals_add "$last" "$before" ' ' < <(printf '%s\n' server queue node sched resource hook) ;;
    2,* | 3,*,)
      if [[ $thing == server ]]; then
        __annals_add "$last" "$before" ' ' < <(__annals_attributes server)
      else
        __annals_add "$last" "$before" ' ' < <(__annals_ask "$thing"; echo @default)
      fi
      ;;
    3,* | *,*,) [[ ${words[0]} == [dh]* ]] || __annals_add "$last" "$before" ' ' < <(__annals_attributes "$thing") ;;
  esac
  compopt -o nospace 2>/dev/null
  # A second one, which only has a blank more: a single one would close the quotes.
  ((${#COMPREPLY[@]} != 1)) || COMPREPLY+=("${COMPREPLY[0]} ")
}

__annals_complete() {
  local IFS=$' \t\n' command=${1##*/} current=$2 previous options words kind key token word flags ended=0 n=0 i start
  COMPREPLY=()
  __annals_table "$command" || return 0
  key=$command
  # The words before: a subcommand is the first that is one, and `--` ends the options.
  for ((i = 1; i < COMP_CWORD; i++)); do
    word=${COMP_WORDS[i]}
    if [[ $key == "$command" && $words == =* && ,${words#=}, == *",$word,"* ]] && __annals_table "$command/$word"; then
      key=$command/$word
      n=0
      continue
    fi
    [[ $word != -- ]] || ended=1
    if [[ $word != -* ]]; then
      # not the value of the option before it
      flags=${COMP_WORDS[i - 1]}
      [[ $flags == --* ]] || flags=-${flags: -1}
      [[ ${COMP_WORDS[i - 1]} == -?* && " $options" == *" $flags:"* ]] || ((++n))
    fi
  done
  # Words end at = and : in bash: the value of an option begins where none of them stands between.
  start=$COMP_CWORD
  while ((start > 1)) && [[ ${COMP_WORDS[start]} == [=:]* || ${COMP_WORDS[start - 1]} == *[=:] ]]; do
    ((start--))
  done
  previous=${COMP_WORDS[start - 1]}
  if [[ $command == qmgr && $previous == -c ]]; then
    __annals_qmgr "$current"
    return 0
  fi
  if ((!ended)) && [[ $previous == -?* ]]; then
    flags=$previous
    [[ $previous == --* ]] || flags=-${previous: -1}
    for token in $options; do
      if [[ $token == "$flags:"* ]]; then
        # of -l select=1:ncpus=2,walltime=1: names stand behind : and ,
        [[ $start == "$COMP_CWORD" || ($token == *:resource && $current == *,*) ||
          ($token == *:resource && ${COMP_WORDS[COMP_CWORD]}${COMP_WORDS[COMP_CWORD - 1]} == *:*) ]] || return 0
        __annals_add_kind "${token#*:}" "$current"
        return 0
      fi
    done
  fi
  if ((!ended)) && [[ $current == -* ]]; then
    __annals_add "$current" < <(for token in $options; do printf '%s\n' "${token%%:*}"; done)
    return 0
  fi
  kind=$words
  case $words in
    queue_then_job) kind=job; ((n)) || kind=queue ;;
    node_then_command) kind=command; ((n)) || kind=node ;;
    script) kind=file; ((!ended || n)) || kind=command ;;
    command) ((!n)) || kind=file ;;
    job) [[ $command != qdel || " ${COMP_WORDS[*]} " != *' -x '* ]] || kind=anyjob ;;
    stat)
      kind=job
      [[ " ${COMP_WORDS[*]} " == *' -'*[Qq]* ]] && kind=queue
      [[ $kind == job && " ${COMP_WORDS[*]} " == *' -'*[xH]* ]] && kind=anyjob
      [[ $kind == queue ]] || __annals_add_kind queue "$current"
      ;;
  esac
  __annals_add_kind "$kind" "$current"
  return 0
}

# Made by make_completions.py from here
__annals_table() {
  case $1 in
    pbs_attach)
      options='--version -P -j:job -m: -p: -s'
      words='command' ;;
    pbs_audit)
      options='--log:directory --version'
      words='=log,hosts,replay,job,startup,cycle,hook,usage,efficiency,verify,salvage,status,accounting' ;;
    pbs_audit/log)
      options='--follow --job:anyjob --json --kind:=server,queue,host,job,scheduler,run,part,hook,log --since: --until: --user:user -f -n:'
      words='' ;;
    pbs_audit/hosts)
      options='--all --json --since: --until:'
      words='' ;;
    pbs_audit/replay)
      options='--json --until:'
      words='' ;;
    pbs_audit/job)
      options='--json'
      words='anyjob' ;;
    pbs_audit/startup)
      options='--json'
      words='anyjob' ;;
    pbs_audit/cycle)
      options='--json --scheduler:scheduler'
      words='' ;;
    pbs_audit/hook)
      options='--json --rerun:'
      words='anyjob' ;;
    pbs_audit/usage)
      options='--by:=host --csv --json --plot --resource: --since: --until:'
      words='anyjob' ;;
    pbs_audit/efficiency)
      options='--csv --json --queue:queue --since: --until: --user:user'
      words='anyjob' ;;
    pbs_audit/verify)
      options=''
      words='' ;;
    pbs_audit/salvage)
      options=''
      words='directory' ;;
    pbs_audit/status)
      options='--json'
      words='' ;;
    pbs_audit/accounting)
      options='--check --rebuild:directory'
      words='' ;;
    pbs_comm)
      options='--version -N -e: -r: -t:'
      words='' ;;
    pbs_efficiency)
      options='--since: --version -F:=json -u:user'
      words='anyjob' ;;
    pbs_enroll)
      options='--follower:node --login:node --scheduler:scheduler --version -o:file'
      words='node' ;;
    pbs_export)
      options='--follow --format:=csv,jsonl,ur2 --gzip --log:directory --quiet --rebuild --schema: --version -f -q'
      words='file' ;;
    pbs_follow)
      options='--checkpoint --version -N -e:'
      words='' ;;
    pbs_habitat)
      options='--list --start'
      words='=server,sched,mom' ;;
    pbs_hostn)
      options='--version -v'
      words='' ;;
    pbs_iff)
      options='--version -t'
      words='' ;;
    pbs_init.d)
      options='--version'
      words='' ;;
    pbs_minicluster)
      options=''
      words='=up,env,status,kill,start,pause,resume,unplug,plug,exec,down' ;;
    pbs_minicluster/up)
      options='--dir:directory --exec:directory --hosts: --plain --server:'
      words='' ;;
    pbs_minicluster/env)
      options='--dir:directory'
      words='' ;;
    pbs_minicluster/status)
      options='--dir:directory --json'
      words='' ;;
    pbs_minicluster/kill)
      options='--dir:directory'
      words='=server,sched' ;;
    pbs_minicluster/start)
      options='--dir:directory'
      words='=server,sched' ;;
    pbs_minicluster/pause)
      options='--dir:directory'
      words='=server,sched' ;;
    pbs_minicluster/resume)
      options='--dir:directory'
      words='=server,sched' ;;
    pbs_minicluster/unplug)
      options='--dir:directory'
      words='=server' ;;
    pbs_minicluster/plug)
      options='--dir:directory'
      words='=server' ;;
    pbs_minicluster/exec)
      options='--dir:directory'
      words='command' ;;
    pbs_minicluster/down)
      options='--dir:directory --keep'
      words='' ;;
    pbs_mom)
      options='--version -C:directory -L:file -M: -N -R: -S: -c:file -d:directory -n: -p -r -s:=list,show,insert,replace,remove'
      words='' ;;
    pbs_output)
      options='--version -e -f:file -l'
      words='anyjob' ;;
    pbs_probe)
      options='--version -f -v'
      words='' ;;
    pbs_python)
      options='--hook --version -c: -i:file -m: -o:file -s:file'
      words='file' ;;
    pbs_ralter)
      options='--version -D: -E: -G: -I: -M: -N: -R: -U:user -W:=force -l: -m:'
      words='reservation' ;;
    pbs_rcp)
      options='--version -E -p -r'
      words='file' ;;
    pbs_rdel)
      options='--version -q:queue'
      words='reservation' ;;
    pbs_release_nodes)
      options='--version -a -j:job -k:'
      words='node' ;;
    pbs_report)
      options='--by:=user,group,project,account,queue,reservation,day,month --format:=text,csv,json,html --from: --rates:file --resource:resource --schema: --title: --to: --version'
      words='file' ;;
    pbs_rstat)
      options='--at: --version -B -F -S -f'
      words='reservation' ;;
    pbs_rsub)
      options='--hosts:node --job:job --version -D: -E: -G: -H: -I: -M: -N: -R: -U:user -W:=qmove\=,delete_idle_time\= -g: -l:resource -m: -q: -r: -u:user'
      words='' ;;
    pbs_sched)
      options='--holidays:file --json --policy:file --replay:directory --resource-group:file --scheduler:scheduler --since: --until: --version -I:scheduler -L:file -N -P:directory -R: -S: -a: -c:file -d:directory -l:directory -n -p:file -t:'
      words='' ;;
    pbs_server)
      options='--accept-clock --accept-loss --checkpoint --discard-unknown-runs --version -L:file -N -d:directory -e: -p: -t:=warm,create'
      words='' ;;
    pbs_sleep)
      options='--version'
      words='' ;;
    pbs_snapshot)
      options='--accounting-logs: --additional-hosts: --basic --daemon-logs: --map:file --obfuscate --version --with-sudo -H:node -l:=DEBUG2,DEBUG,INFOCLI2,INFOCLI,INFO,WARNING,ERROR,FATAL -o:directory'
      words='' ;;
    pbs_tmrsh)
      options='--input --version -l:user -n'
      words='node_then_command' ;;
    pbs_topologyinfo)
      options='--all --license --sockets -a -l -s'
      words='node' ;;
    pbsdsh)
      options='--version -c: -h:node -n: -o -s -u -v'
      words='command' ;;
    pbsfs)
      options='--version --why:user -I:scheduler -c: -d -e -g:user -p -s:user -t'
      words='' ;;
    pbsnodes)
      options='--at: --version -C: -D: -F:=json,dsv -H -L -S -a -j -l -o -q -r -s: -v'
      words='node' ;;
    printjob)
      options='--version -a -s'
      words='' ;;
    qalter)
      options='--version -A: -M:user -N: -P: -R:=o,e,oe -S:file -W:=depend\=,group_list\=,stagein\=,stageout\=,umask\=,sandbox\=,run_count\= -a: -c:=n,s,c,w -e:file -h:=u,o,s,p,n -j:=oe,eo,n -k:=n,o,e,oe,od,ed,oed -l:resource -m:=n,a,b,e,ab,ae,be,abe -o:file -p: -r:=y,n -u:user'
      words='job' ;;
    qdel)
      options='--version -W:=force,suppress_email\= -x'
      words='job' ;;
    qdisable)
      options='--version'
      words='queue' ;;
    qenable)
      options='--version'
      words='queue' ;;
    qhold)
      options='--version -h:=u,o,s,n'
      words='job' ;;
    qmgr)
      options='--version -a -c: -e -n -z'
      words='' ;;
    qmove)
      options='--version'
      words='queue_then_job' ;;
    qmsg)
      options='--version -E -O'
      words='job' ;;
    qorder)
      options='--version'
      words='job' ;;
    qrerun)
      options='--version -W:=force'
      words='job' ;;
    qrls)
      options='--version -h:=u,o,s,n'
      words='job' ;;
    qrun)
      options='--version -H:node -a'
      words='job' ;;
    qselect)
      options='--version -A: -H -J -N: -P: -T -a: -c: -h:=u,o,s,p,n -l:resource -p: -q:queue -r:=y,n -s:=Q,R,H,W,E,T,S,U,B,X,F,M -t: -u:user -x'
      words='' ;;
    qsig)
      options='--version -s:signal'
      words='job' ;;
    qstart)
      options='--version'
      words='queue' ;;
    qstat)
      options='--at: --newest: --since: --version --why -1 -B -D: -E -F:=json,dsv -G -H -J -M -Q -T -a -f -i -n -p -q -r -s -t -u:user -w -x'
      words='stat' ;;
    qstop)
      options='--version'
      words='queue' ;;
    qsub)
      options='--version -A: -C: -I -J: -M:user -N: -P: -R:=o,e,oe -S:file -V -W:=depend\=,group_list\=,stagein\=,stageout\=,umask\=,block\=,sandbox\=,run_count\=,tolerate_node_failures\=,indexed_output\= -X -a: -c:=n,s,c,w -e:file -f -h -j:=oe,eo,n -k:=n,o,e,oe,od,ed,oed -l:resource -m:=n,a,b,e,ab,ae,be,abe -o:file -p: -q:queue -r:=y,n -u:user -v:variable -z'
      words='script' ;;
    qterm)
      options='--version -F -f -i -m -s -t:=immediate,delay,quick'
      words='' ;;
    tracejob)
      options='--version -a -c: -f:=error,system,admin,job,job_usage,security,sched,debug,debug2,resv,debug3,debug4 -l -m -n: -p:directory -s -v -w: -z'
      words='anyjob' ;;
    *) return 1 ;;
  esac
}
__annals_attributes() {
  case $1 in
    server) printf '%s\n' scheduling max_running max_queued max_queued_res max_run max_run_res max_run_soft max_run_res_soft max_user_run max_group_run max_user_res max_group_res max_user_run_soft max_group_run_soft max_user_res_soft max_group_res_soft pnames acl_host_enable acl_hosts acl_host_moms_enable acl_resv_host_enable acl_resv_hosts acl_resv_group_enable acl_resv_groups acl_user_enable acl_users acl_resv_user_enable acl_resv_users acl_roots managers operators default_queue log_events mailer mail_from mail_efficiency query_other_jobs resources_available resources_default default_chunk resources_max resources_cost system_cost scheduler_iteration comment default_node node_pack flatuid resv_enable node_fail_requeue max_array_size resend_term_delay require_cred_enable require_cred node_group_enable node_group_key default_qdel_arguments default_qsub_arguments rpp_retry rpp_highwater pbs_license_info pbs_license_min pbs_license_max pbs_license_linger_time job_sort_formula eligible_time_enable reserve_retry_time reserve_retry_init job_history_enable job_history_duration max_concurrent_provision provision_timeout resv_post_processing_time backfill_depth clear_topjob_estimates_enable job_requeue_timeout python_restart_max_hooks python_restart_max_objects python_restart_min_interval queued_jobs_threshold queued_jobs_threshold_res jobscript_max_size restrict_res_to_release_on_suspend show_hidden_attribs show_other_variables sync_mom_hookfiles_timeout rpp_max_pkt_check max_job_sequence_id has_runjob_hook acl_krb_realm_enable acl_krb_realms acl_krb_submit_realms cred_renew_enable cred_renew_tool cred_renew_period cred_renew_cache_period max_vnodes_per_host ;;
    queue) printf '%s\n' queue_type Priority max_queuable max_running max_queued max_queued_res acl_host_enable acl_hosts acl_user_enable acl_users from_route_only resources_max resources_min resources_default require_cred_enable require_cred max_array_size comment acl_group_enable acl_groups checkpoint_min default_chunk resources_available kill_delay max_user_run max_group_run max_run max_run_res max_run_soft max_run_res_soft max_user_res max_group_res max_user_run_soft max_group_run_soft max_user_res_soft max_group_res_soft node_group_key backfill_depth route_destinations alt_router route_held_jobs route_waiting_jobs route_retry_time route_lifetime enabled started queued_jobs_threshold queued_jobs_threshold_res partition ;;
    node) printf '%s\n' Mom Port state Priority max_running max_user_run max_group_run no_tasks pnames resources_available queue comment resv_enable no_multinode_jobs provision_enable current_aoe in_multivnode_host vnode_pool power_provisioning poweroff_eligible partition ;;
    sched) printf '%s\n' sched_host sched_cycle_length do_not_span_psets only_explicit_psets sched_preempt_enforce_resumption preempt_targets_enable job_sort_formula_threshold throughput_mode job_run_wait opt_backfill_fuzzy partition sched_priv sched_log scheduling scheduler_iteration sched_user comment preempt_queue_prio preempt_prio preempt_order preempt_sort log_events job_sort_formula server_dyn_res_alarm attr_update_period sched_port job_accumulation_time ;;
    hook) printf '%s\n' event enabled order alarm freq user fail_action debug type ;;
    resource) printf '%s\n' type flag ;;
  esac
}
__annals_resources='ncpus mem vmem naccelerators accelerator accelerator_model accelerator_memory accelerator_group hbmem arch host vnode vntype aoe eoe mpiprocs ompthreads nchunk walltime cput pcput pmem pvmem file nice min_walltime max_walltime soft_walltime select select_reliable_startup rjselect select_requested place nodes nodect cpupercent energy start_time exec_vnode software site partition nodemask pe_mask hpm ssinodes resc preempt_targets pstate pgov pcap_node pcap_accelerator'
complete -F __annals_complete pbs_attach pbs_audit pbs_comm pbs_efficiency pbs_enroll pbs_export pbs_follow pbs_habitat pbs_hostn pbs_iff pbs_init.d pbs_minicluster pbs_mom pbs_output pbs_probe pbs_python pbs_ralter pbs_rcp pbs_rdel pbs_release_nodes pbs_report pbs_rstat pbs_rsub pbs_sched pbs_server pbs_sleep pbs_snapshot pbs_tmrsh pbs_topologyinfo pbsdsh pbsfs pbsnodes printjob qalter qdel qdisable qenable qhold qmgr qmove qmsg qorder qrerun qrls qrun qselect qsig qstart qstat qstop qsub qterm tracejob
# Made by make_completions.py to here
