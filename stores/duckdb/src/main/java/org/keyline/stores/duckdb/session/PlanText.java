package org.keyline.stores.duckdb.session;

import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.keyline.stores.duckdb.engine.Database;

/** DuckDB's drawing of a plan, with tables under the names that clients know. Lines keep their length, as they are parts of boxes. */
final class PlanText {
    private static final Pattern TABLE =
            Pattern.compile(Database.CATALOG + "\\.(__keyline_info\\.)?(?:DECLARED_)?(\\S+)");

    /** How DuckDB packs values for sorting and grouping: of no interest to who asks for a plan. */
    private static final Pattern PACKING = Pattern.compile("__internal_(?:de)?compress_\\w+\\(([^()]*)\\)");

    private PlanText() {}

    static String of(String line) {
        Matcher table = TABLE.matcher(line);
        String named = table.replaceAll(
                found -> padded(found.group(), (found.group(1) == null ? "" : "information_schema.") + found.group(2)));
        return PACKING.matcher(named).replaceAll(found -> padded(found.group(), found.group(1)));
    }

    private static String padded(String before, String after) {
        return Matcher.quoteReplacement(after + " ".repeat(Math.max(0, before.length() - after.length())));
    }
}
