package org.keyline.stores.duckdb.session;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/** The open sessions, by connection id. Thread-safe. */
public final class OpenSessions {
    /** A session, as other sessions see it. Thread-safe. */
    public interface Member {
        /** One row of SHOW PROCESSLIST. */
        ProcessRow process();

        /** Executes KILL QUERY. */
        void killQuery();

        /** Executes KILL CONNECTION, which closes the session. */
        void killConnection();
    }

    /**
     * A session in SHOW PROCESSLIST.
     *
     * @param info the running statement; null if no statement runs
     */
    public record ProcessRow(
            int id,
            String user,
            String host,
            @Nullable String database,
            String command,
            long seconds,
            @Nullable String info) {}

    private final Map<Integer, Member> members = new ConcurrentHashMap<>();
    private final AtomicLong statements = new AtomicLong();
    private final AtomicLong opened = new AtomicLong();

    public void add(int id, Member member) {
        opened.incrementAndGet();
        if (id != 0) {
            members.put(id, member);
        }
    }

    public void remove(int id, Member member) {
        members.remove(id, member);
    }

    @Nullable
    public Member find(int id) {
        return members.get(id);
    }

    /** Closes all sessions of clients. */
    void endAll() {
        members.values().forEach(Member::killConnection);
    }

    List<ProcessRow> processes() {
        List<ProcessRow> processes = new ArrayList<>();
        members.values().forEach(member -> processes.add(member.process()));
        processes.sort((a, b) -> Integer.compareUnsigned(a.id(), b.id()));
        return processes;
    }

    void countStatement() {
        statements.incrementAndGet();
    }

    long statements() {
        return statements.get();
    }

    long opened() {
        return opened.get();
    }

    int open() {
        return members.size();
    }
}
