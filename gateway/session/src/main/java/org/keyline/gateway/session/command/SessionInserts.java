package org.keyline.gateway.session.command;

import java.nio.charset.StandardCharsets;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.keyline.gateway.key.SlotValues;
import org.keyline.gateway.merge.MergeKey;
import org.keyline.gateway.merge.MergedInserts;
import org.keyline.gateway.session.relay.Forwarding;
import org.keyline.gateway.session.relay.HeldInsert;
import org.keyline.gateway.session.relay.Preamble;
import org.keyline.gateway.session.settings.SessionSettings;
import org.keyline.gateway.session.settings.SqlStatement;
import org.keyline.planner.Assignment;
import org.keyline.planner.Effect;
import org.keyline.planner.Forward;
import org.keyline.planner.KeyPart;
import org.keyline.planner.StatementKind;
import org.keyline.planner.TableSchema;
import org.keyline.protocol.ErrPacket;
import org.keyline.protocol.ErrorCode;
import org.keyline.protocol.client.ReplyScanner;
import org.keyline.protocol.client.ReplySummary;

/** Merges INSERTs of a session, and emulates their diagnostics. Confined to one event loop. */
final class SessionInserts extends SessionCommands {
    /*
     * An INSERT is merged only if its values and its MergeKey (table, columns, account, settings)
     * determine its whole effect. Allowed values are whole and decimal numbers, text in UTF-8 and
     * NULL, because such literals have the same meaning in any statement.
     *
     * Sessions of one account can have different rights, because a store reads some rights when a
     * session begins. So a session sends its first INSERT with each MergeKey alone.
     *
     * After a merged INSERT, the gateway emulates the diagnostics. The client sees no warnings, as
     * after a hit. LAST_INSERT_ID() and FOUND_ROWS() do not change. ROW_COUNT() is emulated.
     */
    private static final int MAX_SHOWN = 64;

    private static final ErrPacket ROW_COUNT = ErrPacket.of(
            ErrorCode.ER_NOT_SUPPORTED_YET,
            "ROW_COUNT() is not supported in this statement after an INSERT that Keyline merged (mergeWrites)");

    private static final ErrPacket LAST_GTID = ErrPacket.of(
            ErrorCode.ER_NOT_SUPPORTED_YET,
            "@@last_gtid is not supported in a session in which Keyline merged an INSERT (mergeWrites)");

    private final @Nullable MergedInserts merges;
    private final Set<MergeKey> shown = new HashSet<>();

    // The inputs of the last key: the number of changes of settings, and the rows to write.
    private int changes = -1;
    private Effect.@Nullable Rows rows;
    private @Nullable MergeKey key;

    SessionInserts(SessionCommands shared) {
        super(shared);
        merges = state.context().merges();
    }

    /**
     * Merges an INSERT if possible. The caller ensures that the text and values are complete, that
     * the fences are closed, and that no transaction is open.
     *
     * @return false if the caller must forward the INSERT
     */
    boolean take(Forwarding forwarding, Effect effect, SlotValues values) {
        if (merges == null
                || forwarding.kind() != StatementKind.INSERT
                || !(effect instanceof Effect.Rows written)
                || written.adds() != Effect.Rows.Adds.PLAIN_ROW
                || !merges.isFor(written.table().name())
                || relay.late().isBehind()
                || !state.authorityHolds()) {
            return false;
        }
        MergeKey common = key(written);
        String row = common == null ? null : row(written.added().get(0), values);
        if (common == null || row == null) {
            return false;
        }
        if (shown.contains(common)) {
            HeldInsert insert = new HeldInsert(relay, forwarding, row, storeStatements::query);
            relay.hold(insert, merges, common);
        } else {
            relay.forward(forwarding.first(done -> show(common, done)));
        }
        return true;
    }

    private void show(MergeKey common, ReplyScanner done) {
        ReplySummary summary = done.summary();
        if (summary.error() == null && summary.affectedRows() == 1) {
            if (shown.size() == MAX_SHOWN) {
                shown.clear();
            }
            shown.add(common);
        }
    }

    /**
     * Returns the key of INSERTs that can be merged with this INSERT; null if this INSERT might
     * have another meaning in other sessions.
     */
    @SuppressWarnings("ReferenceEquality") // a plan is the same object while it is cached
    private @Nullable MergeKey key(Effect.Rows written) {
        SessionSettings settings = state.settings();
        if (changes != settings.changes() || rows != written) {
            changes = settings.changes();
            rows = written;
            String meaning = settings.insertMeaning();
            String account = settings.account();
            TableSchema table = written.table();
            List<String> columns = written.added().get(0).stream()
                    .map(cell -> table.columns().get(cell.column()).name())
                    .toList();
            key = meaning == null || account == null
                    ? null
                    : new MergeKey(table.name(), table.id(), columns, state.account(), meaning);
        }
        return key;
    }

    // ---------------------------------------------------------------- rows

    /**
     * Returns the row as literals; null if a value might have another meaning as a literal, or if
     * the row is too long.
     */
    private @Nullable String row(List<Assignment> cells, SlotValues values) {
        StringBuilder row = new StringBuilder("(");
        for (Assignment cell : cells) {
            if (row.length() > 1) {
                row.append(", ");
            }
            if (!append(row, cell.value(), values) || row.length() > MergedInserts.MAX_ROW_CHARS) {
                return null;
            }
        }
        return row.append(')').toString();
    }

    private boolean append(StringBuilder row, KeyPart value, SlotValues values) {
        int slot = value.slot();
        String sign = value.negated() ? "-" : "";
        switch (values.kind(slot)) {
            case INTEGER -> {
                long number = values.integer(slot);
                row.append(sign).append(number);
                return !value.negated() || number >= 0;
            }
            case DECIMAL -> {
                String digits = text(values, slot);
                row.append(sign).append(digits);
                return isDecimal(digits, value.negated());
            }
            case TEXT -> {
                if (values.length(slot) <= MergedInserts.MAX_ROW_CHARS) {
                    quote(row, text(values, slot));
                }
                return !value.negated() && values.length(slot) <= MergedInserts.MAX_ROW_CHARS;
            }
            case NULL -> {
                row.append("NULL");
                return !value.negated();
            }
            default -> {
                return false;
            }
        }
    }

    private static String text(SlotValues values, int slot) {
        return new String(values.bytes(slot), values.offset(slot), values.length(slot), StandardCharsets.UTF_8);
    }

    /**
     * Returns whether the text consists of digits and at most one point. A minus sign may precede
     * them, unless the statement already negates the value.
     */
    private static boolean isDecimal(String text, boolean negated) {
        int from = !negated && text.startsWith("-") ? 1 : 0;
        boolean point = false;
        boolean digit = false;
        for (int i = from; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c == '.' && !point) {
                point = true;
            } else if (c >= '0' && c <= '9') {
                digit = true;
            } else {
                return false;
            }
        }
        return digit;
    }

    private void quote(StringBuilder row, String text) {
        boolean escapes = !state.settings().variables().sqlMode().noBackslashEscapes();
        row.append('\'');
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c == '\'' || (escapes && c == '\\')) {
                row.append(c);
            }
            row.append(c);
        }
        row.append('\'');
    }

    // ---------------------------------------------------------------- after a merged INSERT

    /**
     * Returns internal commands that give the store session the diagnostics of a merged INSERT, if
     * the next statement needs them.
     */
    List<Preamble> before(Forward forward, SqlStatement text) {
        if (relay.diagnostics().everMerged() && mayAskForGtid(forward) && text.indexOf("LAST_GTID") >= 0) {
            return List.of(storeStatements.refusal(LAST_GTID));
        }
        if (!relay.diagnostics().isMerged()) {
            return List.of();
        }
        if (!forward.readsDiagnostics() || forward.kind() == StatementKind.MULTI) {
            return mayAsk(forward) ? List.of(storeStatements.one()) : List.of();
        }
        boolean asks = forward.kind() == StatementKind.OTHER || text.indexOf("ROW_COUNT") >= 0;
        if (!asks) {
            return List.of();
        }
        // The emulation of ROW_COUNT() changes FOUND_ROWS() to 1. This is harmless before a SELECT,
        // which sets FOUND_ROWS() itself, or if the value is 1 already.
        boolean exact = relay.diagnostics().foundRows() == 1
                || (forward.kind() == StatementKind.SELECT && text.indexOf("FOUND_ROWS") < 0);
        return List.of(exact ? storeStatements.one() : storeStatements.refusal(ROW_COUNT));
    }

    private static boolean mayAskForGtid(Forward forward) {
        return switch (forward.kind()) {
            case INSERT, UPDATE, DELETE, BEGIN, COMMIT, ROLLBACK, SAVEPOINT, USE -> false;
            default -> true;
        };
    }

    /** Returns whether a statement, or stored code or a view in it, may read ROW_COUNT(). */
    private static boolean mayAsk(Forward forward) {
        return switch (forward.kind()) {
            case SELECT, CALL, EXECUTE, MULTI, MULTI_PRIVILEGE, UNKNOWN, XA -> true;
            default -> forward.effect() instanceof Effect.Everything;
        };
    }
}
