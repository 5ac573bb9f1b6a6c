package org.keyline.gateway.session.command;

import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.keyline.gateway.session.settings.SessionSettings;
import org.keyline.gateway.session.settings.SqlStatement;
import org.keyline.planner.Effect;
import org.keyline.planner.Forward;
import org.keyline.planner.StatementKind;
import org.keyline.planner.digest.SqlMode;

/** The statements that a session has prepared in SQL. Bounded; confined to one event loop. */
final class NamedStatements {
    /*
     * A PREPARE is recorded only if its text has the same meaning under all settings: one literal
     * of printable ASCII without quotes, backslashes and comments. Any other text that can prepare
     * a statement (a CALL, several statements, an unreadable text) removes all recorded names. The
     * values of EXECUTE must be plain as well, because MariaDB accepts expressions there, which may
     * call functions.
     */

    /** @param schema the schema to which unqualified names refer */
    @SuppressWarnings("ArrayRecordComponent") // never compared
    record Named(byte[] sql, String schema, SqlMode mode) {}

    /** Maximum size of a session's texts and names. Each name counts as {@link #NAME_BYTES}. */
    private static final int MAX_BYTES = 8 << 10;

    private static final int NAME_BYTES = 200;
    private static final String NAME = "([A-Za-z_][A-Za-z0-9_]*)";
    private static final String TEXT = "'([ !#-&(-\\[\\]-~\\s]*)'";
    private static final String VALUE = "(?:@[A-Za-z0-9_$.]+|-?[0-9]+(?:\\.[0-9]+)?|'[^'\\\\]*'|NULL)";
    private static final String USING = "(?:\\s+USING\\s+" + VALUE + "(?:\\s*,\\s*" + VALUE + ")*+)?";

    private static final Pattern PREPARE = pattern("PREPARE\\s+" + NAME + "\\s+FROM\\s*" + TEXT);
    private static final Pattern DEALLOCATE = pattern("(?:DEALLOCATE|DROP)\\s+PREPARE\\s+" + NAME);
    private static final Pattern EXECUTE = pattern("EXECUTE\\s+" + NAME + USING);
    private static final Pattern IMMEDIATE = pattern("EXECUTE\\s+IMMEDIATE\\s*" + TEXT + USING);

    private final SessionSettings settings;
    private final Map<String, Named> statements = new HashMap<>();
    private int bytes;

    NamedStatements(SessionSettings settings) {
        this.settings = settings;
    }

    private static Pattern pattern(String statement) {
        return Pattern.compile("\\s*" + statement + "\\s*;?\\s*", Pattern.CASE_INSENSITIVE);
    }

    /** Returns the statement of an EXECUTE; null if it is unknown. */
    @Nullable
    Named executed(SqlStatement executed) {
        String text = text(executed);
        Matcher immediate = IMMEDIATE.matcher(text);
        if (immediate.matches()) {
            return named(immediate.group(1));
        }
        Matcher execute = EXECUTE.matcher(text);
        return execute.matches() ? statements.get(key(execute.group(1))) : null;
    }

    /**
     * Called after the reply to a statement that is not a point read.
     *
     * @param ok false if the store returned an error
     */
    void received(Forward forward, SqlStatement text, boolean ok) {
        if (forward.kind() == StatementKind.PREPARE) {
            prepared(text(text), ok);
        } else if (mayPrepare(forward)) {
            forget();
        }
    }

    private static boolean mayPrepare(Forward forward) {
        return switch (forward.kind()) {
            case CALL, EXECUTE, UNKNOWN, MULTI, MULTI_PRIVILEGE -> true;
            default -> forward.effect() instanceof Effect.Everything;
        };
    }

    private void prepared(String text, boolean ok) {
        Matcher prepare = PREPARE.matcher(text);
        Matcher deallocate = DEALLOCATE.matcher(text);
        if (prepare.matches()) {
            // A failed PREPARE also removes the name.
            remove(prepare.group(1));
            Named named = ok ? named(prepare.group(2)) : null;
            if (named != null && bytes + size(named) <= MAX_BYTES) {
                bytes += size(named);
                statements.put(key(prepare.group(1)), named);
            }
        } else if (deallocate.matches()) {
            remove(deallocate.group(1));
        } else {
            forget();
        }
    }

    /** Returns a statement with this text; null if its meaning may depend on unknown settings. */
    private @Nullable Named named(String text) {
        boolean plain = !text.contains("/*") && !text.contains("--") && !text.contains("#");
        return plain
                        && settings.verified()
                        && settings.schemaKnown()
                        && !settings.variables().foreignMode()
                ? new Named(
                        text.getBytes(StandardCharsets.US_ASCII),
                        Objects.requireNonNullElse(settings.schema(), ""),
                        settings.variables().sqlMode())
                : null;
    }

    private static int size(Named named) {
        return NAME_BYTES + named.sql().length;
    }

    private void remove(String name) {
        Named named = statements.remove(key(name));
        bytes -= named == null ? 0 : size(named);
    }

    void forget() {
        statements.clear();
        bytes = 0;
    }

    private static String key(String name) {
        return name.toLowerCase(Locale.ROOT);
    }

    private static String text(SqlStatement text) {
        return text.length() > MAX_BYTES ? "" : text.latin();
    }
}
