package org.keyline.stores.duckdb.session;

import java.sql.SQLException;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import org.keyline.planner.StatementRefusedException;
import org.keyline.planner.TableName;
import org.keyline.stores.duckdb.engine.Errors;
import org.keyline.stores.duckdb.meta.DuckDbCatalog;
import org.keyline.stores.duckdb.meta.StoredTable;
import org.keyline.stores.duckdb.session.TableLocks.Use;

/** LOCK TABLES, UNLOCK TABLES and the statements about savepoints. */
final class LockStatements {
    private final Words words;
    private final DuckDbState session;

    LockStatements(Words words, DuckDbState session) {
        this.words = words;
        this.session = session;
    }

    /**
     * LOCK TABLES, after the word LOCK. What it locked before and the open transaction end first. Where all locks are READ LOCAL, the
     * session reads the tables as they are now, and others go on writing; a READ LOCAL beside other locks is a READ.
     */
    void lock() throws SQLException {
        if (!words.take("TABLES") && !words.take("TABLE")) {
            throw StatementRefusedException.unsupported(
                    "LOCK " + words.token().text().toUpperCase(Locale.ROOT));
        }
        Map<TableName, Use> wanted = new LinkedHashMap<>();
        do {
            TableName name = table();
            Use use = use();
            wanted.merge(name, use, (before, now) -> before.compareTo(now) > 0 ? before : now);
        } while (words.takeSymbol(","));
        words.expectEnd();
        boolean snapshot = wanted.values().stream().allMatch(use -> use == Use.LOCK_READ_LOCAL);
        if (!snapshot) {
            wanted.replaceAll((table, use) -> use == Use.LOCK_READ_LOCAL ? Use.LOCK_READ : use);
        }
        session.unlockTables();
        session.commit();
        session.tables().lock(wanted);
        if (snapshot) {
            try {
                session.beginSnapshot(true);
            } catch (SQLException e) {
                session.unlockTables();
                throw e;
            }
        }
    }

    private TableName table() {
        TableName name = new ShowStatements(words, session).name();
        boolean named = words.take("AS");
        if (named || (!words.is("READ") && !words.is("WRITE") && !words.is("LOW_PRIORITY"))) {
            words.name();
        }
        DuckDbCatalog catalog = session.services().catalog();
        StoredTable stored = catalog.stored(name);
        if (stored != null) {
            return stored.definition().name();
        }
        throw catalog.relation(name) == null
                ? Errors.error(1146, "42S02", "Table '" + name + "' doesn't exist")
                : Errors.error(1044, "42000", "Access denied to database '" + name.schema() + "'");
    }

    private Use use() {
        if (words.take("READ")) {
            return words.take("LOCAL") ? Use.LOCK_READ_LOCAL : Use.LOCK_READ;
        }
        words.take("LOW_PRIORITY");
        words.expect("WRITE");
        return Use.LOCK_WRITE;
    }

    /** UNLOCK TABLES, after the word UNLOCK. */
    void unlock() throws SQLException {
        if (!words.take("TABLES")) {
            words.expect("TABLE");
        }
        words.expectEnd();
        session.unlockTables();
    }

    /** SAVEPOINT name, after the word. Outside a transaction it is gone at once, as in MySQL. */
    void savepoint() throws SQLException {
        String name = words.name();
        words.expectEnd();
        session.requireUsableTransaction(false);
        if (!session.autocommit() && !session.inTransaction()) {
            session.begin(false);
        }
        if (session.inTransaction()) {
            session.savepoints().set(name);
        }
    }

    /** RELEASE SAVEPOINT name, after the word RELEASE. */
    void release() {
        words.expect("SAVEPOINT");
        String name = words.name();
        words.expectEnd();
        session.savepoints().release(name);
    }

    /** ROLLBACK TO [SAVEPOINT] name, after TO. What was to be undone and is not must not be committed either. */
    void returnTo() {
        words.take("SAVEPOINT");
        String name = words.name();
        words.expectEnd();
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
}
