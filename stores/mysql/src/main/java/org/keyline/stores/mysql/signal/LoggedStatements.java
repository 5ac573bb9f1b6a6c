package org.keyline.stores.mysql.signal;

import java.nio.charset.StandardCharsets;
import java.util.List;
import org.keyline.planner.Catalog;
import org.keyline.planner.Effect;
import org.keyline.planner.Forward;
import org.keyline.planner.Plan;
import org.keyline.planner.Planner;
import org.keyline.planner.StatementKind;
import org.keyline.planner.TableName;
import org.keyline.planner.digest.Digester;
import org.keyline.planner.digest.Outcome;
import org.keyline.planner.digest.SqlMode;
import org.keyline.planner.statement.StatementClassifier;
import org.keyline.stores.ChangeListener;

/** Reports logged definitions, and writes of sessions that log statements instead of rows. */
final class LoggedStatements {
    private final Planner planner = new Planner(List.of(new StatementClassifier()));
    private final Digester digester = new Digester();
    private final Catalog catalog;
    private final ChangeListener listener;

    LoggedStatements(Catalog catalog, ChangeListener listener) {
        this.catalog = catalog;
        this.listener = listener;
    }

    void report(LoggedQuery query) {
        String sql = query.getSql();
        String schema = query.getDatabase();
        SqlMode mode = query.mode();
        byte[] text = sql.getBytes(StandardCharsets.UTF_8);
        // The event does not show the character set of its text, so only ASCII is understood.
        if (text.length != sql.length()
                || !schema.chars().allMatch(at -> at < 0x80)
                || mode == null
                || digester.digest(text, 0, text.length, mode) != Outcome.DIGESTED) {
            unknown();
            return;
        }
        Plan plan = planner.plan(digester, schema, catalog).plan();
        if (plan instanceof Forward forward) {
            report(forward.kind(), forward.effect());
        } else {
            unknown();
        }
    }

    private void report(StatementKind kind, Effect effect) {
        switch (kind) {
            case DDL, TEMPORARY_TABLE -> {
                if (effect instanceof Effect.Tables named) {
                    // A dropped table is unknown, so this CREATE of a known table had no effect.
                    if (!named.ifAbsent() || !named.tables().stream().allMatch(this::isKnown)) {
                        listener.definitions(named.tables());
                    }
                } else if (effect instanceof Effect.StoredCode) {
                    listener.storedCode();
                } else if (!(effect instanceof Effect.None)) {
                    listener.allDefinitions();
                    if (effect instanceof Effect.Everything) {
                        listener.everything();
                    }
                }
            }
            case PRIVILEGE -> listener.privileges();
            // For example FLUSH PRIVILEGES, which activates direct writes to the grant tables.
            case OTHER -> {
                listener.privileges();
                rows(effect);
            }
            case CALL, EXECUTE, MULTI, UNKNOWN -> unknown();
            default -> rows(effect);
        }
    }

    private boolean isKnown(TableName name) {
        return catalog.known(name.schema(), name.table()) != null;
    }

    private void rows(Effect effect) {
        if (effect instanceof Effect.Rows rows) {
            listener.table(rows.table().name());
        } else if (effect instanceof Effect.Tables named) {
            for (TableName table : named.tables()) {
                listener.table(table);
            }
        } else if (effect instanceof Effect.Everything) {
            listener.everything();
        }
    }

    private void unknown() {
        listener.allDefinitions();
        listener.privileges();
        listener.everything();
    }
}
