"""Keeps a listening socket, and runs a command that is passed it (sd_listen_fds(3)), anew for each line that it reads.

Its first line is the port. Then the command's own lines follow, and "ended STATUS" for each end of it.
"""
import os
import signal
import socket
import sys

listening = socket.socket()
listening.bind(("127.0.0.1", 0))
listening.listen(4096)
listening.setblocking(False)
print(listening.getsockname()[1], flush=True)


def start():
    pid = os.fork()
    if pid == 0:
        os.dup2(listening.fileno(), 3)
        os.set_inheritable(3, True)
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        os.environ.update(LISTEN_FDS="1", LISTEN_PID=str(os.getpid()))
        os.execvp(sys.argv[1], sys.argv[1:])
    return pid


def end(pid):
    os.kill(pid, signal.SIGTERM)
    print("ended", os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]), flush=True)


running = start()
for _ in sys.stdin:
    end(running)
    running = start()
end(running)
