package org.keyline.stores.duckdb.session;

import java.sql.SQLException;
import org.jspecify.annotations.Nullable;
import org.keyline.planner.StatementRefusedException;
import org.keyline.stores.duckdb.translate.Tokens;

/** Runs one statement that controls transactions or savepoints. */
final class TransactionStatements {
    private final Tokens words;
    private final DuckDbState session;

    TransactionStatements(Tokens words, DuckDbState session) {
        this.words = words;
        this.session = session;
    }

    void begin() throws SQLException {
        words.take("WORK");
        if (words.is("WITH")) {
            throw StatementRefusedException.unsupported("labels of transactions");
        }
        words.expectEnd();
        session.begin(next());
    }

    /** Commits the open transaction, if any. Returns whether the next transaction is read-only. */
    private boolean next() throws SQLException {
        if (session.inTransaction()) {
            session.commit();
        }
        return session.readOnly();
    }

    void start() throws SQLException {
        words.expect("TRANSACTION");
        @Nullable Boolean access = null;
        boolean snapshot = false;
        do {
            if (words.take("READ")) {
                access = words.take("ONLY");
                if (!access) {
                    words.expect("WRITE");
                }
            } else if (words.take("WITH")) {
                words.expect("CONSISTENT");
                words.expect("SNAPSHOT");
                snapshot = true;
            }
        } while (words.takeSymbol(","));
        words.expectEnd();
        boolean readOnly = access == null ? next() : access;
        if (snapshot) {
            session.beginSnapshot(readOnly);
        } else {
            session.begin(readOnly);
        }
    }

    void end(boolean commit) throws SQLException {
        words.take("WORK");
        if (!commit && words.take("TO")) {
            returnTo();
            return;
        }
        boolean chain = words.takeAll("AND", "CHAIN");
        words.takeAll("AND", "NO", "CHAIN");
        boolean release = !words.takeAll("NO", "RELEASE") && words.take("RELEASE");
        words.expectEnd();
        if (release) {
            throw StatementRefusedException.unsupported("RELEASE after COMMIT or ROLLBACK");
        }
        boolean readOnly = session.readOnly();
        if (commit) {
            session.commit();
        } else {
            session.rollback();
        }
        if (chain) {
            session.begin(readOnly);
        }
    }

    /** Executes SAVEPOINT, after this word. As in MySQL, it has no effect outside a transaction. */
    void savepoint() throws SQLException {
        String name = savepointName();
        session.requireUsableTransaction(false);
        if (!session.autocommit() && !session.inTransaction()) {
            session.begin(session.readOnly());
        }
        if (session.inTransaction()) {
            session.savepoints().set(name);
        }
    }

    void release() {
        words.expect("SAVEPOINT");
        session.savepoints().release(savepointName());
    }

    /** Executes ROLLBACK TO. If writes cannot be undone, only a full rollback remains possible. */
    private void returnTo() {
        words.take("SAVEPOINT");
        String name = savepointName();
        session.requireUsableTransaction(false);
        try {
            session.savepoints().returnTo(name);
        } catch (StatementRefusedException e) {
            if (e.code() != 1305) {
                session.statementFailed(e);
            }
            throw e;
        }
    }

    private String savepointName() {
        String name = words.name();
        words.expectEnd();
        return name;
    }
}
