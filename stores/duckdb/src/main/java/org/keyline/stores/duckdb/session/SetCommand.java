package org.keyline.stores.duckdb.session;

import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.keyline.planner.StatementRefusedException;
import org.keyline.planner.digest.Token;
import org.keyline.planner.digest.TokenType;
import org.keyline.stores.ddl.Strings;
import org.keyline.stores.duckdb.engine.Errors;
import org.keyline.stores.duckdb.translate.Tokens;

/**
 * Runs SET of system and user variables, NAMES, CHARACTER SET and TRANSACTION. Computes and checks
 * all values first, so that an invalid value leaves every variable unchanged.
 */
final class SetCommand {
    private final Tokens words;
    private final DuckDbState session;
    private final SetVariables variables;
    private final Function<String, @Nullable Object> evaluator;
    private final List<Runnable> effects = new ArrayList<>();
    private boolean commits;

    SetCommand(Tokens words, DuckDbState session, Function<String, @Nullable Object> evaluator) {
        this.words = words;
        this.session = session;
        this.variables = session.variables();
        this.evaluator = evaluator;
    }

    /**
     * Runs the statement, from the token after SET on. If the statement turns autocommit on, it
     * commits first, so that autocommit stays off if the commit fails.
     */
    void run() throws SQLException {
        if (words.is("PASSWORD") || words.is("ROLE") || words.takeAll("DEFAULT", "ROLE")) {
            throw StatementRefusedException.unsupported(
                    "SET " + words.token().text().toUpperCase(Locale.ROOT));
        }
        if (!transaction()) {
            do {
                assignment();
            } while (words.takeSymbol(","));
        }
        words.expectEnd();
        if (commits && !session.autocommit()) {
            session.commit();
        }
        effects.forEach(Runnable::run);
    }

    /**
     * Reads SET [scope] TRANSACTION; returns false if this is a different SET. Accepts all
     * isolation levels, because every transaction reads one snapshot. Refuses an access mode
     * without a scope, because it would affect only the next transaction.
     */
    private boolean transaction() {
        int start = words.index();
        boolean global = words.take("GLOBAL");
        boolean scoped = global || words.take("SESSION") || words.take("LOCAL");
        if (!words.take("TRANSACTION")) {
            words.go(start);
            return false;
        }
        if (!scoped) {
            session.requireNoTransaction();
        }
        do {
            if (words.takeAll("ISOLATION", "LEVEL")) {
                String level = level();
                if (scoped) {
                    effects.add(variables.setting("transaction_isolation", level, global));
                }
            } else {
                words.expect("READ");
                boolean readOnly = words.take("ONLY");
                if (!readOnly) {
                    words.expect("WRITE");
                }
                if (!scoped) {
                    throw onlyForNext("SET TRANSACTION READ " + (readOnly ? "ONLY" : "WRITE"));
                }
                effects.add(variables.setting("transaction_read_only", readOnly ? "ON" : "OFF", global));
            }
        } while (words.takeSymbol(","));
        return true;
    }

    private String level() {
        for (String level : SetVariables.LEVELS) {
            if (words.takeAll(level.split("-", -1))) {
                return level;
            }
        }
        throw words.error("an isolation level");
    }

    private void assignment() {
        if (words.take("NAMES")) {
            names();
            return;
        }
        if (words.takeAll("CHARACTER", "SET") || words.takeAll("CHAR", "SET") || words.take("CHARSET")) {
            String charset = words.take("DEFAULT") ? "utf8mb4" : words.nameOrString();
            effects.add(variables.naming(charset, null));
            return;
        }
        Token token = words.token();
        if (token.type() == TokenType.USER_VARIABLE) {
            words.next();
            assign();
            String name = userName(token.text());
            Object value = evaluator.apply(words.expression());
            effects.add(() -> variables.setUser(name, value));
            return;
        }
        boolean global = false;
        boolean bare = token.type() == TokenType.SYSTEM_VARIABLE;
        String name;
        if (bare) {
            words.next();
            name = token.text().substring(2);
        } else {
            global = scope();
            name = words.name();
            if (words.takeSymbol(".")) {
                throw Errors.error(1193, "HY000", "Unknown system variable '" + name + "." + words.name() + "'");
            }
        }
        String lower = name.replace("`", "").toLowerCase(Locale.ROOT);
        if (lower.startsWith("global.") || lower.startsWith("persist.")) {
            global = true;
        }
        String variable = lower.substring(lower.indexOf('.') + 1);
        if (bare && variable.matches("(tx|transaction)_(read_only|isolation)") && variable.equals(lower)) {
            throw onlyForNext("SET @@" + variable);
        }
        system(variable, global);
    }

    private static StatementRefusedException onlyForNext(String statement) {
        return StatementRefusedException.unsupported(
                statement + " for the next transaction; write SET SESSION, or START TRANSACTION READ ONLY");
    }

    private boolean scope() {
        if (words.token(1).type().isName()) {
            if (words.take("GLOBAL") || words.take("PERSIST")) {
                return true;
            }
            if (words.take("SESSION") || words.take("LOCAL")) {
                return false;
            }
        }
        return false;
    }

    private void names() {
        // Doris also accepts NAMES = utf8mb4.
        words.takeSymbol("=");
        if (words.take("DEFAULT")) {
            effects.add(variables.naming("utf8mb4", null));
            return;
        }
        String charset = words.nameOrString();
        String collation = words.take("COLLATE") ? words.nameOrString() : null;
        effects.add(variables.naming(charset, collation));
    }

    private void system(String name, boolean global) {
        assign();
        Object value = systemValue(name);
        effects.add(variables.setting(name, value, global));
        if (name.equals("autocommit") && !global) {
            commits = variables.checked(name, value).equals("ON");
        }
    }

    /** Reads the value of a system variable. Returns an unquoted word as text; null for DEFAULT. */
    @Nullable
    private Object systemValue(String variable) {
        Token token = words.token();
        Token after = words.token(1);
        boolean alone =
                after.type() == TokenType.END || after.type() == TokenType.COMMA || after.type() == TokenType.SEMICOLON;
        if (alone && token.type().isName()) {
            words.next();
            if (token.is("DEFAULT")) {
                return null;
            }
            return token.is("NULL") ? withoutValue(variable) : token.name();
        }
        Object value = evaluator.apply(words.expression());
        return value == null ? withoutValue(variable) : value;
    }

    private static String withoutValue(String variable) {
        if (!variable.equals("character_set_results")) {
            throw Errors.error(1231, "42000", "Variable '" + variable + "' can't be set to the value of 'NULL'");
        }
        return "";
    }

    private void assign() {
        if (!words.takeSymbol("=") && !words.takeSymbol(":=")) {
            throw words.error("'='");
        }
    }

    private static String userName(String token) {
        String name = token.substring(1);
        if (!name.isEmpty() && (name.charAt(0) == '`' || name.charAt(0) == '\'' || name.charAt(0) == '"')) {
            char quote = name.charAt(0);
            name = quote == '`'
                    ? name.substring(1, name.length() - 1).replace("``", "`")
                    : Strings.value(name, org.keyline.planner.digest.SqlMode.DEFAULT);
        }
        return name.toLowerCase(Locale.ROOT);
    }
}
