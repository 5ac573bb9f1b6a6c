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
import org.keyline.planner.TableSchema;
import org.keyline.planner.digest.SettingPrefix;
import org.keyline.planner.digest.Shape;
import org.keyline.planner.digest.Token;
import org.keyline.planner.digest.TokenType;

/** Classifies every statement except plain SELECTs by its tokens. Immutable. */
public final class StatementClassifier implements StatementMatcher {
    /*
     * An effect may be wider than the real effect, never narrower. For an unknown table, a function
     * that is not built in, and an unrecognised statement, the effect is everything. If the first
     * word is no keyword of the store, there is no effect, because the store rejects the statement.
     */

    private final boolean views;

    public StatementClassifier() {
        this(true);
    }

    /** @param views whether the gateway answers reads of its views if the store lacks the schema */
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
        if (shape.statements() > 1 && !(shape.whole() && CompoundBody.end(tokens) == tokens.size())) {
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
            classified = calls ? Classified.unknown() : withSettings(prefix, classified);
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
                    // Only the store knows the schema after a SWITCH.
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
            // The other statements of the batch write no rows, but they can have other effects.
            effect = rows.notPlain();
        }
        StatementKind kind = rights ? StatementKind.MULTI_PRIVILEGE : StatementKind.MULTI;
        return new Forward(ForwardReason.MULTI_STATEMENT, kind, effect, diagnostics);
    }

    private record Classified(StatementKind kind, Effect effect, boolean showsDiagnostics) {
        static Classified of(StatementKind kind, Effect effect) {
            return new Classified(kind, effect, false);
        }

        /** Classifies a statement that writes only through functions that it calls. */
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

    /** Returns the effect of a statement that only reads or writes rows; null for any other. */
    static @Nullable Effect rows(Cursor at, Targets targets) {
        Classified one = classify(at, targets, true);
        return switch (one.kind) {
            case SELECT -> one.effect;
            // The store accepted this text when it stored the body. If the text seems to have no
            // effect, the store parses it differently.
            case INSERT, UPDATE, DELETE -> one.effect instanceof Effect.None ? null : one.effect;
            default -> null;
        };
    }

    /** Classifies a statement after settings, which can change its values or its added row. */
    private static Classified withSettings(SettingPrefix prefix, Classified statement) {
        return switch (statement.kind) {
            case SELECT, INSERT, UPDATE, DELETE ->
                new Classified(
                        statement.kind, narrower(statement.effect, prefix.harmless()), statement.showsDiagnostics);
            default -> Classified.unknown();
        };
    }

    private static Effect narrower(Effect effect, boolean sameValues) {
        return sameValues && effect instanceof Effect.Rows rows
                ? new Effect.Rows(
                        rows.table(),
                        rows.prefixes(),
                        List.of(),
                        List.of(),
                        rows.notPlain().adds(),
                        null)
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
            // MariaDB does not treat this as a SELECT: FOUND_ROWS() after it refers to an earlier
            // statement.
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
            // XA COMMIT may commit a transaction that another session prepared.
            case "XA" -> Classified.of(StatementKind.XA, at.at("COMMIT") ? Effect.EVERYTHING : Effect.NONE);
            case "DO" -> Classified.reads(StatementKind.OTHER, at, targets);
            default -> session(verb, at, targets.mayContinue(from));
        };
    }

    /**
     * Classifies statements on the session, its transaction, or the server.
     *
     * @param known false only if the verb is no keyword of the store
     */
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
            // Doris's SWITCH selects another catalog.
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

    /**
     * Returns the kind of a FLUSH. FLUSH PRIVILEGES activates direct writes to the grant tables.
     */
    private static StatementKind flush(Cursor at) {
        if (at.ahead("PRIVILEGES")) {
            return StatementKind.PRIVILEGE;
        }
        return at.ahead("LOCK", "EXPORT") ? StatementKind.LOCK : StatementKind.OTHER;
    }

    /** Returns whether a statement that writes follows. Ignores functions and locking clauses. */
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
        if (!targets.mayContinue(at) && !verb.equals("TRUNCATE")) {
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

    /**
     * Classifies an EXPLAIN, which may call functions. With ANALYZE, some stores run the explained
     * statement.
     */
    private static Classified explain(String verb, Cursor at, Targets targets) {
        boolean analyze = verb.equals("ANALYZE");
        if ((analyze || at.ahead("ANALYZE", "ANALYSE")) && writesAhead(at)) {
            return Classified.unknown();
        }
        return Classified.reads(analyze ? StatementKind.OTHER : StatementKind.EXPLAIN, at, targets);
    }

    /**
     * Returns the effect of a LOAD. LOAD DATA writes one table; other forms name their tables at
     * other places.
     */
    private static Effect load(Cursor at, Targets targets) {
        if (!at.accept("DATA", "XML")) {
            return Effect.EVERYTHING;
        }
        if (targets.mayCall(at) && at.ahead("SET")) {
            return Effect.EVERYTHING;
        }
        while (!at.atEnd()) {
            if (at.acceptAll("INTO", "TABLE")) {
                List<String> name = at.name();
                TableSchema table = targets.table(name);
                return table == null ? targets.unknown(name) : targets.cascadingRows(table);
            }
            at.advance();
        }
        return Effect.EVERYTHING;
    }
}
