package org.keyline.planner.statement;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.keyline.planner.Catalog;
import org.keyline.planner.Effect;
import org.keyline.planner.TableName;
import org.keyline.planner.TableSchema;
import org.keyline.planner.TriggerText;
import org.keyline.planner.WriteScope;
import org.keyline.planner.digest.Token;
import org.keyline.planner.digest.TokenType;

/** Resolves the table names of a statement. Immutable. */
final class Targets {
    private static final int MAX_ASCII = 0x7F;

    private final String currentSchema;
    private final Catalog catalog;
    /** The tables whose triggers are being read, to stop recursion. */
    private final Set<TableName> triggered;

    Targets(String currentSchema, Catalog catalog) {
        this(currentSchema, catalog, Set.of());
    }

    private Targets(String currentSchema, Catalog catalog, Set<TableName> triggered) {
        this.currentSchema = currentSchema;
        this.catalog = catalog;
        this.triggered = triggered;
    }

    private Targets ofTriggers(TableName table) {
        Set<TableName> more = new HashSet<>(triggered);
        more.add(table);
        return new Targets(table.schema(), catalog, more);
    }

    /** Returns the targets after a USE of the name in these tokens. */
    Targets in(List<Token> name) {
        boolean plain = name.size() == 1 && name.get(0).type().isName();
        return new Targets(plain ? name.get(0).name() : "", catalog, triggered);
    }

    /** Returns whether the tokens at the cursor can call a stored function, also through a view. */
    boolean mayCall(Cursor at) {
        return catalog.storedFunctions() && at.mayCallStored(at.index(), catalog);
    }

    /**
     * Returns whether the store may accept the next token in a place for keywords. In some
     * dialects, a label or a variable may be in this place, with a sign after it.
     */
    boolean mayContinue(Cursor at) {
        TokenType next = at.token(1).type();
        boolean plain = next == TokenType.END
                || next == TokenType.WORD
                || next.isValue()
                || at.token(1).isSymbol("*");
        return at.atEnd()
                || at.token().type() != TokenType.WORD
                || !plain
                || catalog.isKeyword(at.token().text().toUpperCase(Locale.ROOT));
    }

    /** Returns the table of a name; null if the name is unknown. */
    @Nullable
    TableSchema table(@Nullable List<String> parts) {
        TableName name = tableName(parts);
        return name == null ? null : catalog.table(name.schema(), name.table());
    }

    WriteScope scope(TableSchema table) {
        return catalog.writeScopeUnknown() ? WriteScope.ANYWHERE : table.writeScope();
    }

    /** Returns the effect of a write to a name that may be a view of any table. */
    Effect unknown(@Nullable List<String> parts) {
        TableName name = tableName(parts);
        return name == null ? Effect.EVERYTHING : anywhere(name);
    }

    private Effect anywhere(TableName name) {
        return catalog.isUnread(name.schema(), name.table()) ? Effect.UNREAD : Effect.EVERYTHING;
    }

    /**
     * Returns the effect of a write to any row of a table, without cascades of foreign keys.
     */
    Effect rows(TableSchema table) {
        if (scope(table) == WriteScope.ANYWHERE) {
            return anywhere(table.name());
        }
        return Effect.union(new Effect.Tables(List.of(table.name())), byTriggers(table));
    }

    /** Returns the effect of a write to any row of a table, with cascades of foreign keys. */
    Effect cascadingRows(TableSchema table) {
        List<TableName> cascades = table.cascades();
        return cascades.isEmpty() ? rows(table) : Effect.union(rows(table), new Effect.Tables(cascades));
    }

    /**
     * Returns the effect of a table's triggers, except on the statement's row. Includes the row's
     * table if its key may change.
     */
    Effect byTriggers(TableSchema table) {
        Effect effect = Effect.NONE;
        if (!triggered.contains(table.name())) {
            for (TriggerText trigger : table.triggers()) {
                effect = Effect.union(effect, ProcedureBody.effect(trigger, table, ofTriggers(table.name())));
            }
        }
        return effect;
    }

    /**
     * Returns the effect of a change of these tables' definitions. A null name is unreadable. If
     * the store folds names, an unknown name beyond ASCII can be another spelling of a known name.
     */
    Effect definitions(List<@Nullable List<String>> names) {
        Set<TableName> tables = new LinkedHashSet<>();
        for (@Nullable List<String> parts : names) {
            TableName name = tableName(parts);
            if (name == null) {
                return Effect.EVERYTHING;
            }
            TableSchema known = catalog.known(name.schema(), name.table());
            if (known == null && !(isAscii(name.schema()) && isAscii(name.table()))) {
                return Effect.EVERYTHING;
            }
            tables.add(known == null ? name : known.name());
        }
        return tables.isEmpty() ? Effect.EVERYTHING : new Effect.Tables(new ArrayList<>(tables));
    }

    private static boolean isAscii(String name) {
        return name.chars().allMatch(at -> at <= MAX_ASCII);
    }

    private @Nullable TableName tableName(@Nullable List<String> parts) {
        if (parts == null || (parts.size() > 2 && !parts.get(0).equals(catalog.ownName()))) {
            return null;
        }
        if (parts.size() > 1) {
            return new TableName(parts.get(parts.size() - 2), parts.get(parts.size() - 1));
        }
        return currentSchema.isEmpty() ? null : new TableName(currentSchema, parts.get(0));
    }
}
