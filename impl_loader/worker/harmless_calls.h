// The system calls of the strict sandbox mode.
#ifndef IMPL_LOADER_WORKER_HARMLESS_CALLS_H_
#define IMPL_LOADER_WORKER_HARMLESS_CALLS_H_

#include <array>

namespace diopi::loader {

// Calls of drivers and the libraries under them that affect nobody outside the process: memory, threads,
// time, files (restricted by Landlock), devices, descriptors. What sandbox.cc forbids stays forbidden.
// clang-format off
inline constexpr std::array kHarmlessCalls = {
    "read", "write", "readv", "writev", "pread64", "pwrite64", "preadv", "pwritev", "preadv2",
    "pwritev2", "open", "openat", "openat2", "creat", "close", "close_range", "stat", "fstat", "lstat",
    "newfstatat", "statx", "statfs", "fstatfs", "access", "faccessat", "faccessat2", "lseek", "readlink",
    "readlinkat", "getdents", "getdents64", "getcwd", "chdir", "fchdir", "umask", "mkdir", "mkdirat",
    "rmdir", "unlink", "unlinkat", "rename", "renameat", "renameat2", "link", "linkat", "symlink",
    "symlinkat", "mknod", "mknodat", "truncate", "ftruncate", "fallocate", "fadvise64", "readahead",
    "fsync", "fdatasync", "sync_file_range", "syncfs", "sync", "msync", "flock", "getxattr", "lgetxattr",
    "fgetxattr", "listxattr", "llistxattr", "flistxattr", "copy_file_range", "sendfile", "splice", "tee",
    "vmsplice", "dup", "dup2", "dup3", "fcntl", "ioctl", "pipe", "pipe2", "memfd_create", "inotify_init",
    "inotify_init1", "inotify_add_watch", "inotify_rm_watch", "poll", "ppoll", "select", "pselect6",
    "epoll_create", "epoll_create1", "epoll_ctl", "epoll_ctl_old", "epoll_wait", "epoll_wait_old",
    "epoll_pwait", "epoll_pwait2", "eventfd", "eventfd2", "signalfd", "signalfd4", "timerfd_create",
    "timerfd_settime", "timerfd_gettime", "io_setup", "io_destroy", "io_submit", "io_cancel",
    "io_getevents", "io_pgetevents", "brk", "mmap", "munmap", "mremap", "mprotect", "madvise", "mincore",
    "mlock", "mlock2", "munlock", "mlockall", "munlockall", "membarrier", "pkey_alloc", "pkey_free",
    "pkey_mprotect", "mseal", "map_shadow_stack", "remap_file_pages", "cachestat", "mbind",
    "set_mempolicy", "get_mempolicy", "set_mempolicy_home_node", "move_pages", "shmget", "shmat",
    "shmdt", "shmctl", "semget", "semop", "semtimedop", "semctl",
    "clone", "clone3", "fork", "vfork", "exit", "exit_group", "wait4", "waitid", "waitpid",
    "set_tid_address", "set_robust_list", "get_robust_list", "futex", "futex_waitv", "futex_wake",
    "futex_wait", "futex_requeue", "rseq", "arch_prctl", "prctl", "seccomp", "gettid", "getpid",
    "getppid", "getpgid", "getpgrp", "getsid", "getuid", "geteuid", "getgid", "getegid", "getresuid",
    "getresgid", "getgroups", "capget", "setuid", "setgid", "setreuid", "setregid", "setresuid",
    "setresgid", "setgroups", "setfsuid", "setfsgid", "capset", "kill", "tgkill", "rt_sigaction",
    "rt_sigprocmask", "rt_sigpending", "rt_sigsuspend", "rt_sigtimedwait", "rt_sigreturn",
    "rt_sigqueueinfo", "rt_tgsigqueueinfo", "sigaltstack", "sigreturn", "pause", "restart_syscall",
    "alarm", "getitimer", "setitimer", "timer_create", "timer_settime", "timer_gettime",
    "timer_getoverrun", "timer_delete", "nanosleep", "clock_nanosleep", "clock_gettime", "clock_getres",
    "gettimeofday", "time", "times", "sched_yield", "sched_getaffinity", "sched_setaffinity",
    "sched_getparam", "sched_setparam", "sched_getscheduler", "sched_setscheduler", "sched_getattr",
    "sched_setattr", "sched_get_priority_max", "sched_get_priority_min", "sched_rr_get_interval",
    "getpriority", "setpriority", "ioprio_get", "ioprio_set", "getcpu", "getrusage", "getrlimit",
    "setrlimit", "prlimit64", "uname", "sysinfo", "getrandom", "pidfd_open", "socketpair",
    "getsockname", "getpeername", "getsockopt", "setsockopt", "shutdown",
    "sendto", "recvfrom", "sendmsg", "recvmsg", "sendmmsg", "recvmmsg", "landlock_create_ruleset",
    "landlock_add_rule", "landlock_restrict_self",
};
// clang-format on

}  // namespace diopi::loader

#endif  // IMPL_LOADER_WORKER_HARMLESS_CALLS_H_
