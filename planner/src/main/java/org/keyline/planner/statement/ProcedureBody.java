package org.keyline.planner.statement;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.keyline.planner.Catalog;
import org.keyline.planner.Effect;
import org.keyline.planner.TableSchema;
import org.keyline.planner.TriggerText;
import org.keyline.planner.digest.Digester;
import org.keyline.planner.digest.Shape;
import org.keyline.planner.digest.SqlMode;
import org.keyline.planner.digest.Token;
import org.keyline.planner.digest.TokenType;

/** Derives the effect of a stored procedure or a trigger from its text. Confined to one thread. */
public final class ProcedureBody {
    /*
     * The effect of a body is known if the body is one statement that reads or writes rows. It may
     * also be a block of such statements with IF, WHILE and local variables. With any other
     * statement, the body may write anything. A name without schema is in the procedure's own
     * schema. A trigger may also set columns of its row (NEW).
     *
     * No other session sees temporary tables, so writes to them change no cached row.
     */

    private final Targets targets;
    /** The trigger's table; null for a procedure. */
    private final @Nullable TableSchema table;

    private final Set<String> variables = new HashSet<>();
    private final Set<String> temporary = new HashSet<>();
    private boolean branches;
    private Effect effect = Effect.NONE;

    private ProcedureBody(Targets targets, @Nullable TableSchema table) {
        this.targets = targets;
        this.table = table;
    }

    /**
     * Derives the effect of a call: nothing, any row of some tables, or everything if unknown.
     *
     * @param body the body as the store returns it
     * @param sqlMode the mode in which the store parses it
     * @param schema the schema of the procedure
     */
    public static Effect effect(String body, String sqlMode, String schema, Catalog catalog) {
        return effect(body, sqlMode, new Targets(schema, catalog), null);
    }

    /**
     * Derives the effect of a trigger, except on the row that fires it. Includes the row's table if
     * the row's key may change.
     */
    static Effect effect(TriggerText trigger, TableSchema table, Targets targets) {
        return effect(trigger.body(), trigger.sqlMode(), targets, table);
    }

    public static List<String> unknownTriggers(TableSchema table, Catalog catalog) {
        Targets targets = new Targets(table.name().schema(), catalog);
        return table.triggers().stream()
                .filter(trigger -> effect(trigger, table, targets) instanceof Effect.Everything)
                .map(TriggerText::name)
                .toList();
    }

    private static Effect effect(String body, String sqlMode, Targets targets, @Nullable TableSchema table) {
        Optional<SqlMode> mode = SqlMode.parse(sqlMode);
        byte[] text = body.getBytes(UTF_8);
        if (mode.isEmpty() || text.length > Digester.DEFAULT_MAX_BYTES) {
            return Effect.EVERYTHING;
        }
        Digester digester = new Digester();
        digester.digest(text, 0, text.length, mode.get());
        Shape shape = Shape.of(digester);
        if (shape == null || !shape.whole() || shape.tokens().isEmpty()) {
            return Effect.EVERYTHING;
        }
        ProcedureBody read = new ProcedureBody(targets, table);
        boolean known = read.statements(shape.tokens());
        // A temporary table that a trigger leaves behind hides a table from the session that fires
        // the trigger. This session must notice that code has run.
        return known && (table == null || read.temporary.isEmpty()) ? read.effect : Effect.EVERYTHING;
    }

    private boolean statements(List<Token> tokens) {
        branches = tokens.stream().anyMatch(token -> token.is("THEN") || token.is("WHILE"));
        int from = 0;
        for (int i = 0; i <= tokens.size(); i++) {
            if (i == tokens.size() || tokens.get(i).type() == TokenType.SEMICOLON) {
                Cursor at = new Cursor(tokens, from, i, 0);
                if (!at.atEnd() && !isKnown(at)) {
                    return false;
                }
                from = i + 1;
            }
        }
        return true;
    }

    /** Reads a statement, block or branch. Returns false if its effect is unknown. */
    private boolean isKnown(Cursor at) {
        boolean more = true;
        while (more) {
            if (at.accept("IF", "ELSEIF", "WHILE")) {
                if (targets.mayCall(at) || !passesCondition(at)) {
                    return false;
                }
            } else {
                more = at.accept("BEGIN", "ELSE");
            }
        }
        if (at.accept("END")) {
            at.accept("IF", "WHILE");
            return at.atEnd();
        }
        if (at.accept("DECLARE")) {
            return !targets.mayCall(at) && isVariable(at);
        }
        if (at.accept("SET")) {
            return !targets.mayCall(at) && isAssignment(at);
        }
        if (at.accept("SIGNAL", "RESIGNAL")) {
            return !targets.mayCall(at);
        }
        if (isOfTemporary(at.copy())) {
            return true;
        }
        // In a body, a name in a condition may be a variable, so the statement may write any row.
        Effect one = StatementClassifier.rows(at, targets);
        effect = one == null ? Effect.EVERYTHING : Effect.union(effect, Effect.tables(one));
        return !(effect instanceof Effect.Everything);
    }

    /** Skips the condition before THEN or DO. Returns false if it can contain a THEN itself. */
    private static boolean passesCondition(Cursor at) {
        while (!at.atEnd() && !at.at("CASE")) {
            if (at.accept("THEN", "DO")) {
                return true;
            }
            if (!at.acceptParenthesised()) {
                at.advance();
            }
        }
        return false;
    }

    private boolean isVariable(Cursor at) {
        if (!at.token().type().isName() || at.ahead("HANDLER", "CURSOR", "CONDITION")) {
            return false;
        }
        do {
            List<String> name = at.name();
            if (name == null || name.size() > 1) {
                return false;
            }
            variables.add(name.get(0));
        } while (at.acceptSymbol(","));
        return true;
    }

    /** Returns whether SET assigns only variables and columns of a trigger's row. */
    private boolean isAssignment(Cursor at) {
        do {
            if (!isOwn(at) || !(at.acceptSymbol("=") || at.acceptSymbol(":="))) {
                return false;
            }
            while (!at.atEnd() && !at.atSymbol(",")) {
                if (!at.acceptParenthesised()) {
                    at.advance();
                }
            }
        } while (at.acceptSymbol(","));
        return at.atEnd();
    }

    /** Skips an assignment's target. Returns whether it is a variable or a column of the row. */
    private boolean isOwn(Cursor at) {
        if (at.token().type() == TokenType.USER_VARIABLE) {
            at.advance();
            return true;
        }
        List<String> name = at.name();
        if (name == null || name.size() > 2) {
            return false;
        }
        if (name.size() == 1) {
            return variables.contains(name.get(0));
        }
        TableSchema row = table;
        if (row == null || !name.get(0).equalsIgnoreCase("NEW")) {
            return false;
        }
        int ordinal = row.ordinal(name.get(1));
        if (ordinal < 0 || row.keyPosition(ordinal) >= 0) {
            effect = Effect.union(effect, new Effect.Tables(List.of(row.name())));
        }
        return true;
    }

    /** Returns whether the statement creates, drops or writes a temporary table of the body. */
    private boolean isOfTemporary(Cursor at) {
        if (at.accept("CREATE")) {
            at.acceptAll("OR", "REPLACE");
            if (branches || !at.acceptAll("TEMPORARY", "TABLE")) {
                return false;
            }
            at.acceptAll("IF", "NOT", "EXISTS");
            String name = unqualified(at);
            if (name == null || (at.ahead("SELECT") && targets.mayCall(at))) {
                return false;
            }
            temporary.add(name);
            return true;
        }
        if (at.accept("DROP")) {
            if (!at.acceptAll("TEMPORARY", "TABLE")) {
                return false;
            }
            at.acceptAll("IF", "EXISTS");
            String name = unqualified(at);
            return name != null && at.atEnd() && temporary.remove(name);
        }
        if (at.accept("INSERT", "REPLACE")) {
            at.skip("IGNORE", "INTO");
            if (!isTemporary(at)) {
                return false;
            }
            if (!at.token(1).is("SELECT")) {
                at.acceptParenthesised();
            }
            return !targets.mayCall(at);
        }
        if (at.accept("UPDATE")) {
            return isTemporary(at) && at.at("SET") && !targets.mayCall(at);
        }
        return at.acceptAll("DELETE", "FROM")
                && isTemporary(at)
                && (at.atEnd() || at.at("WHERE"))
                && !targets.mayCall(at);
    }

    private boolean isTemporary(Cursor at) {
        String name = unqualified(at);
        return name != null && temporary.contains(name);
    }

    private static @Nullable String unqualified(Cursor at) {
        List<String> name = at.name();
        return name == null || name.size() > 1 ? null : name.get(0);
    }
}
