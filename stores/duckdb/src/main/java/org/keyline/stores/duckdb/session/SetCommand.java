package org.keyline.stores.duckdb.session;

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

/**
 * Runs SET of system and user variables, NAMES, CHARACTER SET and TRANSACTION. Computes all values
 * before any takes effect, so that nothing is set if an expression fails.
 */
final class SetCommand {
    private final Words words;
    private final SetVariables variables;
    private final Function<String, @Nullable Object> evaluator;
    private final List<Runnable> effects = new ArrayList<>();
    private @Nullable Boolean autocommit;

    SetCommand(Words words, SetVariables variables, Function<String, @Nullable Object> evaluator) {
        this.words = words;
        this.variables = variables;
        this.evaluator = evaluator;
    }

    /**
     * Runs the statement; the position is after the word SET. Returns the new value of autocommit,
     * or null if it was not set.
     */
    @Nullable
    Boolean run() {
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
        effects.forEach(Runnable::run);
        return autocommit;
    }

    /**
     * Reads SET [scope] TRANSACTION; returns false if another SET follows. Accepts all levels,
     * because every transaction reads one snapshot.
     */
    private boolean transaction() {
        int start = words.index();
        boolean global = words.take("GLOBAL");
        boolean scoped = global || words.take("SESSION") || words.take("LOCAL");
        if (!words.take("TRANSACTION")) {
            words.go(start);
            return false;
        }
        do {
            if (words.takeAll("ISOLATION", "LEVEL")) {
                String level = level();
                if (scoped) {
                    effects.add(() -> variables.set("transaction_isolation", level, global));
                }
            } else {
                words.expect("READ");
                boolean readOnly = words.take("ONLY");
                if (!readOnly) {
                    words.expect("WRITE");
                }
                effects.add(() -> variables.set("transaction_read_only", readOnly ? "ON" : "OFF", global));
            }
        } while (words.takeSymbol(","));
        return true;
    }

    private String level() {
        if (words.take("SERIALIZABLE")) {
            return "SERIALIZABLE";
        }
        if (words.takeAll("REPEATABLE", "READ")) {
            return "REPEATABLE-READ";
        }
        if (words.takeAll("READ", "COMMITTED")) {
            return "READ-COMMITTED";
        }
        words.expect("READ");
        words.expect("UNCOMMITTED");
        return "READ-UNCOMMITTED";
    }

    private void assignment() {
        if (words.take("NAMES")) {
            names();
            return;
        }
        if (words.takeAll("CHARACTER", "SET") || words.takeAll("CHAR", "SET") || words.take("CHARSET")) {
            String charset = words.take("DEFAULT") ? "utf8mb4" : words.nameOrString();
            effects.add(() -> variables.names(charset, null));
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
        String name;
        if (token.type() == TokenType.SYSTEM_VARIABLE) {
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
        if (lower.startsWith("global.")) {
            global = true;
        }
        system(lower.substring(lower.indexOf('.') + 1), global);
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
            effects.add(() -> variables.names("utf8mb4", null));
            return;
        }
        String charset = words.nameOrString();
        String collation = words.take("COLLATE") ? words.nameOrString() : null;
        effects.add(() -> variables.names(charset, collation));
    }

    private void system(String name, boolean global) {
        assign();
        Object value = systemValue();
        if (name.equals("autocommit") && !global) {
            String text = String.valueOf(value).toUpperCase(Locale.ROOT);
            autocommit = value == null || text.equals("1") || text.equals("ON") || text.equals("TRUE");
        }
        effects.add(() -> variables.set(name, value, global));
    }

    /** Reads the value of a system variable. A bare word is its own value, DEFAULT is null. */
    @Nullable
    private Object systemValue() {
        Token token = words.token();
        Token after = words.token(1);
        boolean alone =
                after.type() == TokenType.END || after.type() == TokenType.COMMA || after.type() == TokenType.SEMICOLON;
        if (alone && token.type().isName()) {
            words.next();
            if (token.is("DEFAULT")) {
                return null;
            }
            return token.is("NULL") ? "" : token.name();
        }
        Object value = evaluator.apply(words.expression());
        return value == null ? "" : value;
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
