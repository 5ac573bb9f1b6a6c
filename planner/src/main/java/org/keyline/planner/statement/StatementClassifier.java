package org.keyline.planner.statement;

import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import org.keyline.planner.Catalog;
import org.keyline.planner.Effect;
import org.keyline.planner.Forward;
import org.keyline.planner.ForwardReason;
import org.keyline.planner.Plan;
import org.keyline.planner.StatementKind;
import org.keyline.planner.StatementMatcher;
import org.keyline.planner.digest.SettingPrefix;
import org.keyline.planner.digest.Shape;
import org.keyline.planner.digest.Token;
import org.keyline.planner.digest.TokenType;

/**
 * Forwards everything that its tokens show to be no point read, with its kind and effect; leaves plain SELECTs to the next
 * matcher. Immutable.
 */
public final class StatementClassifier implements StatementMatcher {
    /*
     * The leading keyword decides the kind. An effect may be wider than the truth, never narrower: a name that is not known to be a
     * base table, a function that no store has built in, and a statement that is not recognised close everything. One that begins with a
     * word that the store itself does not call a keyword is a typing error, which it refuses without having run anything.
     */

    private final boolean views;

    /** A classifier that knows the gateway's views. */
    public StatementClassifier() {
        this(true);
    }

    /** @param views whether the gateway answers reads of its views, where the store has no tables in a schema of that name */
    public StatementClassifier(boolean views) {
        this.views = views;
    }

    @Override
    public @Nullable Plan match(Shape shape, String currentSchema, Catalog catalog) {
        Targets targets = new Targets(currentSchema, catalog);
        List<Token> tokens = shape.tokens();
        if (shape.statements() == 0) {
            return new Forward(ForwardReason.EMPTY, StatementKind.EMPTY, Effect.NONE, false);
        }
        if (shape.statements() > 1) {
            return several(tokens, targets);
        }
        if (views && shape.whole() && KeylineViews.mentions(tokens) && !catalog.hasSchema(KeylineViews.SCHEMA)) {
            return new Forward(ForwardReason.KEYLINE_STATEMENT, StatementKind.KEYLINE, Effect.NONE, false);
        }
        SettingPrefix prefix = SettingPrefix.of(tokens);
        Cursor all = new Cursor(tokens, prefix.end(), tokens.size(), 0);
        Classified classified = classify(all.copy(), targets, shape.whole());
        if (prefix.end() > 0) {
            boolean calls = targets.mayCall(new Cursor(tokens, 0, prefix.end(), 0));
            classified = calls ? Classified.unknown() : behind(prefix, classified);
        }
        if (classified.kind == StatementKind.KEYLINE) {
            return new Forward(ForwardReason.KEYLINE_STATEMENT, StatementKind.KEYLINE, Effect.NONE, false);
        }
        ForwardReason reason = !prefix.harmless()
                ? ForwardReason.SYSTEM_VARIABLE
                : classified.kind == StatementKind.SELECT
                        ? SelectScreen.reason(
                                OpaqueForm.of(ReadForm.of(ReadThrough.of(tokens).tokens())
                                                .tokens())
                                        .tokens())
                        : ForwardReason.NOT_A_SELECT;
        if (reason == null && shape.whole()) {
            if (classified.effect instanceof Effect.None || readsBaseTable(all.copy(), targets)) {
                return null;
            }
            reason = ForwardReason.TABLE_UNKNOWN;
        }
        return new Forward(
                reason == null ? ForwardReason.TOO_LONG : reason,
                classified.kind,
                classified.effect,
                all.readsDiagnostics() || classified.showsDiagnostics);
    }

    /** Whether the one table of a plain SELECT is no view. */
    private static boolean readsBaseTable(Cursor at, Targets targets) {
        while (!at.atEnd() && !at.accept("FROM")) {
            at.advance();
        }
        return targets.table(at.name()) != null;
    }

    private static Forward several(List<Token> tokens, Targets first) {
        Targets targets = first;
        Effect effect = Effect.NONE;
        boolean diagnostics = new Cursor(tokens, 0, tokens.size(), 0).readsDiagnostics();
        boolean rights = false;
        int from = 0;
        int slot = 0;
        for (int i = 0; i <= tokens.size(); i++) {
            if (i == tokens.size() || tokens.get(i).type() == TokenType.SEMICOLON) {
                Classified one = classify(new Cursor(tokens, from, i, slot), targets, true);
                if (one.kind == StatementKind.USE) {
                    // Which schema a SWITCH leads to is for the store to say.
                    targets = targets.in(tokens.get(from).is("USE") ? tokens.subList(from + 1, i) : List.of());
                }
                effect = Effect.union(effect, one.effect);
                diagnostics |= one.showsDiagnostics;
                rights |= one.kind == StatementKind.PRIVILEGE;
                slot += (int) tokens.subList(from, i).stream()
                        .filter(token -> token.type() == TokenType.PLACEHOLDER)
                        .count();
                from = i + 1;
            }
        }
        if (effect instanceof Effect.Rows rows) {
            // It may be all that is written, but is not all that is done.
            effect = new Effect.Rows(rows.table(), rows.prefixes(), rows.assigned(), rows.added());
        }
        StatementKind kind = rights ? StatementKind.MULTI_PRIVILEGE : StatementKind.MULTI;
        return new Forward(ForwardReason.MULTI_STATEMENT, kind, effect, diagnostics);
    }

    /** What one statement is. */
    private record Classified(StatementKind kind, Effect effect, boolean showsDiagnostics) {
        static Classified of(StatementKind kind, Effect effect) {
            return new Classified(kind, effect, false);
        }

        /** A statement that writes nothing but by what it calls. */
        static Classified reads(StatementKind kind, Cursor at, Targets targets) {
            boolean calls = targets.mayCall(at);
            return of(kind, calls ? Effect.EVERYTHING : Effect.NONE);
        }

        static Classified none(StatementKind kind) {
            return of(kind, Effect.NONE);
        }

        static Classified unknown() {
            return of(StatementKind.UNKNOWN, Effect.EVERYTHING);
        }
    }

    /** What a statement writes that only reads or writes rows; null for any other. */
    static @Nullable Effect rows(Cursor at, Targets targets) {
        Classified one = classify(at, targets, true);
        return switch (one.kind) {
            case SELECT -> one.effect;
            // One that the store would refuse is none of what it keeps: it was read otherwise than the store reads it.
            case INSERT, UPDATE, DELETE -> one.effect instanceof Effect.None ? null : one.effect;
            default -> null;
        };
    }

    /** A statement behind settings of its own: under them its values may be others, and what it adds. */
    private static Classified behind(SettingPrefix prefix, Classified statement) {
        return switch (statement.kind) {
            case SELECT, INSERT, UPDATE, DELETE ->
                new Classified(
                        statement.kind, narrower(statement.effect, prefix.harmless()), statement.showsDiagnostics);
            default -> Classified.unknown();
        };
    }

    private static Effect narrower(Effect effect, boolean sameValues) {
        return sameValues && effect instanceof Effect.Rows rows
                ? new Effect.Rows(rows.table(), rows.prefixes())
                : Effect.tables(effect);
    }

    private static Classified classify(Cursor at, Targets targets, boolean whole) {
        if (at.atEnd()) {
            return Classified.none(StatementKind.EMPTY);
        }
        if (at.atSymbol("(")) {
            return writesAhead(at) ? Classified.unknown() : Classified.reads(StatementKind.SELECT, at, targets);
        }
        if (at.token().type() != TokenType.WORD) {
            return Classified.unknown();
        }
        String verb = at.token().text().toUpperCase(Locale.ROOT);
        Cursor from = at.copy();
        at.advance();
        return switch (verb) {
            case "SELECT" ->
                KeylineReader.selectsMaxStaleness(at)
                        ? Classified.none(StatementKind.KEYLINE)
                        : Classified.reads(StatementKind.SELECT, from, targets);
            case "TABLE" -> Classified.reads(StatementKind.SELECT, from, targets);
            // Not a SELECT to MariaDB, where FOUND_ROWS() tells of another statement behind it.
            case "VALUES" -> Classified.reads(StatementKind.OTHER, from, targets);
            case "WITH" ->
                writesAhead(at) ? Classified.unknown() : Classified.reads(StatementKind.SELECT, from, targets);
            case "INSERT", "REPLACE" ->
                Classified.of(StatementKind.INSERT, InsertEffect.of(at, targets, whole, verb.equals("INSERT")));
            case "UPDATE" -> Classified.of(StatementKind.UPDATE, UpdateEffect.update(at, targets, whole));
            case "DELETE" -> Classified.of(StatementKind.DELETE, UpdateEffect.delete(at, targets, whole));
            case "LOAD" -> Classified.of(StatementKind.LOAD, load(at, targets));
            case "KEYLINE" -> Classified.none(StatementKind.KEYLINE);
            case "CREATE", "ALTER", "DROP", "RENAME", "TRUNCATE" -> definition(verb, at, targets);
            case "SET" -> set(at, targets);
            case "SHOW" -> show(at, targets);
            case "EXPLAIN", "DESCRIBE", "DESC", "ANALYZE" -> explain(verb, at, targets);
            case "HANDLER" -> Classified.reads(StatementKind.OTHER, at, targets);
            case "GET" -> new Classified(StatementKind.OTHER, Effect.NONE, true);
            case "CALL" -> Classified.of(StatementKind.CALL, Effect.EVERYTHING);
            case "EXECUTE" -> Classified.of(StatementKind.EXECUTE, Effect.EVERYTHING);
            // What others have prepared may be committed.
            case "XA" -> Classified.of(StatementKind.XA, at.at("COMMIT") ? Effect.EVERYTHING : Effect.NONE);
            case "DO" -> Classified.reads(StatementKind.OTHER, at, targets);
            default -> session(verb, at, targets.goesOn(from));
        };
    }

    /** Statements about the session, its transaction, or the server; {@code known}: the store may know the verb. */
    private static Classified session(String verb, Cursor at, boolean known) {
        return switch (verb) {
            case "BEGIN" ->
                at.atEnd() || (at.accept("WORK") && at.atEnd())
                        ? Classified.none(StatementKind.BEGIN)
                        : Classified.unknown();
            case "START" -> at.accept("TRANSACTION") ? Classified.none(StatementKind.BEGIN) : Classified.unknown();
            case "COMMIT" -> Classified.none(StatementKind.COMMIT);
            case "ROLLBACK" -> {
                at.accept("WORK");
                yield Classified.none(at.at("TO") ? StatementKind.SAVEPOINT : StatementKind.ROLLBACK);
            }
            case "SAVEPOINT", "RELEASE" -> Classified.none(StatementKind.SAVEPOINT);
            // Doris: another catalog.
            case "USE", "SWITCH" -> Classified.none(StatementKind.USE);
            case "LOCK" -> Classified.none(StatementKind.LOCK);
            case "UNLOCK" -> Classified.none(StatementKind.UNLOCK);
            case "FLUSH" -> Classified.none(flush(at));
            case "KILL" -> Classified.none(StatementKind.KILL);
            case "PREPARE", "DEALLOCATE" -> Classified.none(StatementKind.PREPARE);
            case "GRANT", "REVOKE" -> Classified.none(StatementKind.PRIVILEGE);
            case "HELP", "CHECK", "CHECKSUM", "OPTIMIZE", "CACHE", "SYNC" -> Classified.none(StatementKind.OTHER);
            default -> known ? Classified.unknown() : Classified.none(StatementKind.UNKNOWN);
        };
    }

    /** What was written into the tables of rights counts from FLUSH PRIVILEGES on. */
    private static StatementKind flush(Cursor at) {
        if (at.ahead("PRIVILEGES")) {
            return StatementKind.PRIVILEGE;
        }
        return at.ahead("LOCK", "EXPORT") ? StatementKind.LOCK : StatementKind.OTHER;
    }

    /** Whether a verb that writes comes later, as neither a function nor a lock. */
    private static boolean writesAhead(Cursor at) {
        Cursor rest = at.copy();
        while (!rest.atEnd()) {
            if (rest.accept("FOR")) {
                rest.accept("UPDATE");
            }
            boolean verb = rest.at("INSERT")
                    || rest.at("REPLACE")
                    || rest.at("UPDATE")
                    || rest.at("DELETE")
                    || rest.at("MERGE");
            if (verb && !rest.token(1).isSymbol("(")) {
                return true;
            }
            rest.advance();
        }
        return false;
    }

    private static Classified definition(String verb, Cursor at, Targets targets) {
        if (!targets.goesOn(at) && !verb.equals("TRUNCATE")) {
            return Classified.none(StatementKind.UNKNOWN);
        }
        if (isPrivilege(at)) {
            return Classified.none(StatementKind.PRIVILEGE);
        }
        if (verb.equals("DROP") && at.at("PREPARE")) {
            return Classified.none(StatementKind.PREPARE);
        }
        Cursor modifiers = at.copy();
        modifiers.acceptAll("OR", "REPLACE");
        boolean temporary = verb.equals("CREATE") && modifiers.at("TEMPORARY");
        Effect effect = switch (verb) {
            case "CREATE" -> DefinitionEffect.create(at, targets);
            case "ALTER" -> DefinitionEffect.alter(at, targets);
            case "DROP" -> DefinitionEffect.drop(at, targets);
            case "RENAME" -> DefinitionEffect.rename(at, targets);
            default -> DefinitionEffect.truncate(at, targets);
        };
        return Classified.of(temporary ? StatementKind.TEMPORARY_TABLE : StatementKind.DDL, effect);
    }

    /** Whether the thing defined is a right or what rights hang on. */
    private static boolean isPrivilege(Cursor at) {
        Cursor what = at.copy();
        what.acceptAll("OR", "REPLACE");
        return what.at("USER")
                || what.at("ROLE")
                || (what.at("ROW") && what.token(1).is("POLICY"));
    }

    private static Classified set(Cursor at, Targets targets) {
        if (at.at("STATEMENT")) {
            return Classified.unknown();
        }
        if (KeylineReader.setsMaxStaleness(at.copy())) {
            return Classified.none(StatementKind.KEYLINE);
        }
        if (at.at("ROLE")) {
            return Classified.none(StatementKind.ROLE);
        }
        if (at.at("PASSWORD") || (at.at("DEFAULT") && at.token(1).is("ROLE"))) {
            return Classified.none(StatementKind.PRIVILEGE);
        }
        return Classified.reads(StatementKind.SET, at, targets);
    }

    private static Classified show(Cursor at, Targets targets) {
        if (at.at("WARNINGS") || at.at("ERRORS") || at.at("COUNT")) {
            return new Classified(StatementKind.SHOW, Effect.NONE, true);
        }
        at.accept("SESSION", "GLOBAL", "LOCAL");
        return Classified.reads(at.at("STATUS") ? StatementKind.SHOW_STATUS : StatementKind.SHOW, at, targets);
    }

    /** EXPLAIN tells, but may call functions on the way; with ANALYZE, some stores run what they tell about. */
    private static Classified explain(String verb, Cursor at, Targets targets) {
        boolean analyze = verb.equals("ANALYZE");
        if ((analyze || at.ahead("ANALYZE", "ANALYSE")) && writesAhead(at)) {
            return Classified.unknown();
        }
        return Classified.reads(analyze ? StatementKind.OTHER : StatementKind.EXPLAIN, at, targets);
    }

    /** LOAD DATA writes one table; other LOADs write what their text names elsewhere. */
    private static Effect load(Cursor at, Targets targets) {
        if (!at.accept("DATA", "XML")) {
            return Effect.EVERYTHING;
        }
        if (targets.mayCall(at) && at.ahead("SET")) {
            return Effect.EVERYTHING;
        }
        while (!at.atEnd()) {
            if (at.acceptAll("INTO", "TABLE")) {
                return targets.rows(targets.table(at.name()));
            }
            at.advance();
        }
        return Effect.EVERYTHING;
    }
}
