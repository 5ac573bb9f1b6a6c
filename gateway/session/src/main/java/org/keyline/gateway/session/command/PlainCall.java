package org.keyline.gateway.session.command;

import java.nio.charset.StandardCharsets;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.keyline.gateway.session.settings.SessionSettings;

/** A CALL that has the same meaning under all settings, and whose arguments call no function. */
record PlainCall(String schema, String name) {
    private static final int MAX_BYTES = 1 << 10;
    private static final String NAME = "(?:([A-Za-z_][A-Za-z0-9_]*+)|`([A-Za-z0-9_$ -]++)`)";
    private static final String VALUE =
            "(?:@[A-Za-z0-9_$.]++|[-+]?[0-9]++(?:\\.[0-9]++)?|'[ -&(-\\[\\]-~]*+'|NULL|TRUE|FALSE)";
    private static final Pattern CALL = Pattern.compile(
            "\\s*+CALL\\s++(?:" + NAME + "\\s*+\\.\\s*+)?" + NAME + "\\s*+(?:\\(\\s*+(?:" + VALUE + "\\s*+(?:,\\s*+"
                    + VALUE + "\\s*+)*+)?\\)\\s*+)?;?\\s*+",
            Pattern.CASE_INSENSITIVE);

    /** Returns the call in a text; null if the text is not plain, or if its schema is unknown. */
    static @Nullable PlainCall of(byte[] sql, int from, int to, SessionSettings settings) {
        if (to - from > MAX_BYTES) {
            return null;
        }
        Matcher call = CALL.matcher(new String(sql, from, to - from, StandardCharsets.ISO_8859_1));
        if (!call.matches()) {
            return null;
        }
        String schema = either(call, 1);
        if (schema == null) {
            schema = settings.verified() && settings.schemaKnown() ? settings.schema() : null;
        }
        String name = either(call, 3);
        return schema == null || name == null ? null : new PlainCall(schema, name);
    }

    private static @Nullable String either(Matcher call, int plain) {
        String name = call.group(plain);
        return name == null ? call.group(plain + 1) : name;
    }
}
