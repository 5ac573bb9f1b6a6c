package org.keyline.stores.duckdb.session;

import java.sql.SQLException;
import org.keyline.planner.StatementRefusedException;

/** BEGIN, START TRANSACTION, COMMIT and ROLLBACK. Used once. */
final class TransactionStatements {
    private final Words words;
    private final DuckDbState session;

    TransactionStatements(Words words, DuckDbState session) {
        this.words = words;
        this.session = session;
    }

    /** BEGIN, after this word. */
    void begin() throws SQLException {
        words.take("WORK");
        if (words.is("WITH")) {
            throw StatementRefusedException.unsupported("labels of transactions");
        }
        words.expectEnd();
        session.unlockTables();
        session.begin(session.variables().isOn("transaction_read_only"));
    }

    /** START TRANSACTION, after its first word. */
    void start() throws SQLException {
        words.expect("TRANSACTION");
        boolean readOnly = session.variables().isOn("transaction_read_only");
        boolean snapshot = false;
        do {
            if (words.take("READ")) {
                readOnly = words.take("ONLY");
                if (!readOnly) {
                    words.expect("WRITE");
                }
            } else if (words.take("WITH")) {
                words.expect("CONSISTENT");
                words.expect("SNAPSHOT");
                snapshot = true;
            }
        } while (words.takeSymbol(","));
        words.expectEnd();
        session.unlockTables();
        if (snapshot) {
            session.beginSnapshot(readOnly);
        } else {
            session.begin(readOnly);
        }
    }

    /** COMMIT or ROLLBACK, after this word. */
    void end(boolean commit) throws SQLException {
        words.take("WORK");
        if (!commit && words.take("TO")) {
            new LockStatements(words, session).returnTo();
            return;
        }
        boolean chain = words.takeAll("AND", "CHAIN");
        words.takeAll("AND", "NO", "CHAIN");
        boolean release = !words.takeAll("NO", "RELEASE") && words.take("RELEASE");
        words.expectEnd();
        if (release) {
            throw StatementRefusedException.unsupported("RELEASE after COMMIT or ROLLBACK");
        }
        if (commit) {
            session.commit();
        } else if (!session.tables().readsSnapshot()) {
            session.rollback();
        }
        if (chain) {
            session.unlockTables();
            session.begin(false);
        }
    }
}
