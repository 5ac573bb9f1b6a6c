package org.keyline.stores.duckdb.session;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/** The open sessions of clients, by connection id. Thread-safe. */
public final class OpenSessions {
    /**
     * A session in SHOW PROCESSLIST.
     *
     * @param info the running statement; null if no statement runs
     */
    record ProcessRow(
            int id,
            String user,
            String host,
            @Nullable String database,
            String command,
            long seconds,
            @Nullable String info) {}

    private final Map<Integer, DuckDbSession> members = new ConcurrentHashMap<>();
    private final AtomicLong statements = new AtomicLong();
    private final AtomicLong opened = new AtomicLong();

    void add(int id, DuckDbSession member) {
        opened.incrementAndGet();
        if (id != 0) {
            members.put(id, member);
        }
    }

    void remove(int id, DuckDbSession member) {
        members.remove(id, member);
    }

    @Nullable
    DuckDbSession find(int id) {
        return members.get(id);
    }

    /** Closes all sessions of clients. */
    void endAll() {
        members.values().forEach(DuckDbSession::killConnection);
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
