package org.keyline.stores.duckdb.session;

import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import org.keyline.planner.StatementRefusedException;
import org.keyline.planner.digest.TokenType;
import org.keyline.stores.ddl.SqlText;

/** ADMIN SHOW and ADMIN SET of Doris: the settings of a frontend, which are what they are here. */
final class AdminStatements {
    /** Settings of a frontend that mean something here: name, value. Both are as Doris has them where it is told nothing. */
    private static final List<List<String>> CONFIG = List.of(
            List.of("enable_date_conversion", "true"),
            List.of("enable_decimal_conversion", "true"),
            List.of("lower_case_table_names", "2"),
            List.of("prepared_stmt_start_id", "-1"),
            List.of("skip_localhost_auth_check", "false"));

    private final Words words;

    AdminStatements(Words words) {
        this.words = words;
    }

    /** ADMIN SHOW FRONTEND CONFIG [LIKE 'pattern'], as a SELECT, after the word ADMIN; null if it is something else. */
    @Nullable
    String show() {
        if (!words.take("SHOW")) {
            return null;
        }
        if (!words.takeAll("FRONTEND", "CONFIG")) {
            throw StatementRefusedException.unsupported(
                    ("ADMIN SHOW " + words.token().text()).toUpperCase(Locale.ROOT));
        }
        StringBuilder rows = new StringBuilder();
        for (List<String> config : CONFIG) {
            rows.append(rows.isEmpty() ? "" : " UNION ALL ")
                    .append("SELECT " + SqlText.quoted(config.get(0)) + " AS `Key`, " + SqlText.quoted(config.get(1))
                            + " AS Value, '" + (config.get(1).matches("-?[0-9]+") ? "int" : "boolean")
                            + "' AS Type, 'false' AS IsMutable, 'false' AS MasterOnly, '' AS Comment");
        }
        String like = words.take("LIKE") ? words.string() : "%";
        words.expectEnd();
        return "SELECT * FROM (" + rows + ") AS c WHERE `Key` LIKE " + SqlText.quoted(like);
    }

    /** ADMIN SET FRONTEND CONFIG ("key" = "value"): what it has already is set. */
    void set() {
        words.expect("SET");
        words.take("ALL");
        if (!words.take("FRONTEND") && !words.take("FRONTENDS")) {
            throw StatementRefusedException.unsupported(
                    ("ADMIN SET " + words.token().text()).toUpperCase(Locale.ROOT));
        }
        words.expect("CONFIG");
        if (words.next().type() != TokenType.LEFT_PARENTHESIS) {
            throw words.error("'('");
        }
        String key = words.nameOrString();
        words.expectSymbol("=");
        String value = words.token().type() == TokenType.STRING
                ? words.string()
                : words.next().text();
        for (List<String> config : CONFIG) {
            if (config.get(0).equals(key) && config.get(1).equalsIgnoreCase(value)) {
                return;
            }
        }
        throw StatementRefusedException.unsupported("ADMIN SET FRONTEND CONFIG of " + key + " to " + value);
    }
}
