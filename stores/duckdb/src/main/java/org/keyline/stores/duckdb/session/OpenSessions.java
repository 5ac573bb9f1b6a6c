package org.keyline.stores.duckdb.session;

import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/** The open sessions of clients, by connection id. Thread-safe. */
public final class OpenSessions {
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

    /** Returns the rows of PROCESSLIST. */
    List<List<@Nullable Object>> processes() {
        return members.values().stream().map(DuckDbSession::process).toList();
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
