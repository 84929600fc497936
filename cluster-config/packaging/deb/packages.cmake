# The Debian packages, made by `cpack` or the target `package`: docs/design/0060-packages.md. What belongs to which package say the install
# lines of the tree (PACKAGE); here is what packages have besides, outside of /opt/pbs, and what dpkg is told.
set(prefix /opt/pbs)
set(for_all OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)

# ---- files outside of the prefix: a plain `cmake --install` has none of them
function(annals_package_file package directory)
  install(FILES ${ARGN} DESTINATION ${directory} COMPONENT ${package} EXCLUDE_FROM_ALL)
endfunction()
function(annals_package_link package directory name target)
  set(link ${PROJECT_BINARY_DIR}/packaging/links/${name})
  file(MAKE_DIRECTORY ${PROJECT_BINARY_DIR}/packaging/links)
  file(CREATE_LINK ${target} ${link} SYMBOLIC)
  annals_package_file(${package} ${directory} ${link})
endfunction()
annals_package_link(client /etc/profile.d pbs.sh ${prefix}/etc/pbs.sh)
annals_package_link(client /etc/profile.d pbs.csh ${prefix}/etc/pbs.csh)
annals_package_link(client /usr/share/zsh/vendor-completions _annals ${prefix}/share/zsh/site-functions/_annals)
annals_package_file(client /usr/share/doc/annals-client ${PROJECT_SOURCE_DIR}/CHANGELOG.md)
annals_package_file(server /lib/systemd/system systemd/annals-server.service systemd/annals-comm.service systemd/annals-follow.service
  systemd/annals-export.service)
annals_package_file(execution /lib/systemd/system systemd/annals-mom.service)
foreach(package ${ANNALS_PACKAGES})
  annals_package_file(${package} /usr/share/doc/annals-${package} ${PROJECT_SOURCE_DIR}/LICENSE RENAME copyright)
endforeach()

# ---- what dpkg runs: one text for all packages, each knows which it is
file(READ deb/functions.bash functions)
string(REPLACE "@prefix@" "${prefix}" functions "${functions}")
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/deb/functions.bash)
function(annals_maintainer_scripts package part units)
  foreach(script postinst prerm postrm)
    set(made ${PROJECT_BINARY_DIR}/packaging/${package}/${script})
    configure_file(deb/${script}.in ${made} @ONLY FILE_PERMISSIONS ${for_all})
    list(APPEND scripts ${made})
  endforeach()
  string(TOUPPER ${package} upper)
  set(CPACK_DEBIAN_${upper}_PACKAGE_CONTROL_EXTRA ${scripts} PARENT_SCOPE)
endfunction()
annals_maintainer_scripts(client "" "")
annals_maintainer_scripts(execution mom annals-mom.service)
annals_maintainer_scripts(server server "annals-server.service annals-comm.service annals-follow.service annals-export.service")

# ---- what CPack is told
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME annals)
set(CPACK_PACKAGE_VENDOR Annals)
set(CPACK_PACKAGE_CONTACT "The makers of this build <root@localhost>" CACHE STRING "whom the packages name as their maintainer")
set(CPACK_PACKAGE_DIRECTORY ${PROJECT_BINARY_DIR}/packages)
set(CPACK_COMPONENTS_ALL ${ANNALS_PACKAGES})
set(CPACK_COMPONENTS_GROUPING IGNORE)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_SET_DESTDIR ON)              # there are absolute paths
set(CPACK_INSTALL_PREFIX ${prefix})
set(CPACK_STRIP_FILES ON)
set(CPACK_THREADS 0)
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS ${for_all})
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_COMPRESSION_TYPE xz)
set(CPACK_DEBIAN_PACKAGE_SECTION admin)
set(CPACK_DEBIAN_PACKAGE_PRIORITY optional)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
set(CPACK_DEBIAN_ENABLE_COMPONENT_DEPENDS ON)
set(CPACK_COMPONENT_EXECUTION_DEPENDS client)
set(CPACK_COMPONENT_SERVER_DEPENDS execution)
set(CPACK_COMPONENT_DEVEL_DEPENDS client)

foreach(package ${ANNALS_PACKAGES})
  string(TOUPPER ${package} upper)
  set(CPACK_DEBIAN_${upper}_PACKAGE_NAME annals-${package})
endforeach()
# They have the same files, those of /opt/pbs and /etc/pbs.conf.
set(CPACK_DEBIAN_CLIENT_PACKAGE_CONFLICTS "openpbs-client, openpbs-execution, openpbs-server, pbspro-client, pbspro-execution, pbspro-server")
set(CPACK_DEBIAN_EXECUTION_PACKAGE_RECOMMENDS openssh-client)           # scp
set(CPACK_DEBIAN_SERVER_PACKAGE_DEPENDS "python3, tzdata")              # pbs_minicluster; standing reservations
set(CPACK_DEBIAN_SERVER_PACKAGE_SUGGESTS "default-mta | mail-transport-agent, iproute2")
set(CPACK_DEBIAN_DEVEL_PACKAGE_SECTION libdevel)
# Without a program or a library there is nothing to ask dpkg-shlibdeps for.
set(CPACK_DEBIAN_DEVEL_PACKAGE_SHLIBDEPS OFF)

set(CPACK_COMPONENT_CLIENT_DESCRIPTION "PBS workload manager Annals: commands
qsub, qstat, qdel, qmgr and the other commands of PBS, their manual pages
and completions, and the library libpbs. Commands reach the server on its
own host, in jobs through the MoM of theirs, and on login hosts through
their pbs_comm (annals-server).")
set(CPACK_COMPONENT_EXECUTION_DESCRIPTION "PBS workload manager Annals: hosts that run jobs
The MoM (pbs_mom), which runs jobs on its host, with the init script and
what hooks need. It starts where /etc/pbs.conf says PBS_START_MOM=1.")
set(CPACK_COMPONENT_SERVER_DESCRIPTION "PBS workload manager Annals: server and scheduler
The server (pbs_server), its schedulers (pbs_sched), and what
administrators use beside them; pbs_comm for hosts where people log in,
which starts where /etc/pbs.conf says PBS_START_COMM=1; pbs_follow for hosts
that read much (PBS_START_FOLLOW=1); pbs_export for accounting in databases.
All that the server knows is a log of events: queues, jobs, accounting and
history follow from it.")
set(CPACK_COMPONENT_DEVEL_DESCRIPTION "PBS workload manager Annals: C interface
Headers of the library libpbs and of the task manager's interface, and
their manual pages.")

include(CPack)
