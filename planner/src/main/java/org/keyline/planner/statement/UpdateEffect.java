package org.keyline.planner.statement;

import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.keyline.planner.Effect;
import org.keyline.planner.KeyPart;
import org.keyline.planner.TableModel;
import org.keyline.planner.TableSchema;
import org.keyline.planner.WriteScope;
import org.keyline.planner.digest.ReservedWords;

/** Derives the effect of an UPDATE or DELETE. */
final class UpdateEffect {
    private UpdateEffect() {}

    /** @param whole whether all tokens of the statement are present */
    static Effect update(Cursor at, Targets targets, boolean whole) {
        at.skip("LOW_PRIORITY");
        boolean ignore = at.at("IGNORE");
        at.skip("LOW_PRIORITY", "IGNORE");
        if (at.lacksName()) {
            return Effect.NONE;
        }
        Target target = Target.read(at);
        if (target == null || !at.accept("SET")) {
            return Effect.EVERYTHING;
        }
        TableSchema table = targets.table(target.name());
        if (targets.mayCall(at)) {
            return Effect.EVERYTHING;
        }
        if (table == null) {
            return targets.unknown(target.name());
        }
        List<String> qualifiers = target.qualifiers(table);
        Assignments.Given assigned = Assignments.read(at, table, qualifiers);
        if (assigned == null || table.mayCascade(assigned.columns())) {
            return targets.cascadingRows(table);
        }
        Effect wholeTable = targets.rows(table);
        Effect effect = narrowed(at, table, qualifiers, wholeTable, whole && isOfRow(targets, table));
        WriteScope reach = targets.scope(table);
        boolean cells = reach == WriteScope.CELLS || (reach == WriteScope.TABLE && table.changesAsAssigned());
        if (!cells || !(effect instanceof Effect.Rows rows)) {
            return effect;
        }
        boolean exact = !ignore && rows.namesRows();
        return new Effect.Rows(
                table,
                rows.prefixes(),
                exact ? assigned.values() : List.of(),
                List.of(),
                Effect.Rows.Adds.MAY_CHANGE,
                assigned.columns());
    }

    /** Returns whether triggers write only the row that the statement writes. */
    private static boolean isOfRow(Targets targets, TableSchema table) {
        return targets.byTriggers(table) instanceof Effect.None;
    }

    /** @param whole whether all tokens of the statement are present */
    static Effect delete(Cursor at, Targets targets, boolean whole) {
        at.skip("LOW_PRIORITY", "QUICK", "IGNORE");
        if (!at.accept("FROM")) {
            return Effect.EVERYTHING;
        }
        if (at.lacksName()) {
            return Effect.NONE;
        }
        Target target = Target.read(at);
        boolean plain = at.atEnd() || at.at("WHERE") || at.at("ORDER") || at.at("LIMIT") || at.at("RETURNING");
        if (target == null || !plain) {
            return Effect.EVERYTHING;
        }
        TableSchema table = targets.table(target.name());
        if (targets.mayCall(at)) {
            return Effect.EVERYTHING;
        }
        if (table == null) {
            return targets.unknown(target.name());
        }
        if (!table.cascades().isEmpty()) {
            return targets.cascadingRows(table);
        }
        Effect effect =
                narrowed(at, table, target.qualifiers(table), targets.rows(table), whole && isOfRow(targets, table));
        return effect instanceof Effect.Rows rows
                ? new Effect.Rows(table, rows.prefixes(), List.of(), List.of(), Effect.Rows.Adds.MAY_CHANGE, Set.of())
                : effect;
    }

    private static Effect narrowed(
            Cursor at, TableSchema table, List<String> qualifiers, Effect wholeTable, boolean whole) {
        boolean narrow = whole && wholeTable instanceof Effect.Tables && table.model() == TableModel.UNIQUE;
        if (!narrow || !at.accept("WHERE")) {
            return wholeTable;
        }
        List<List<KeyPart>> prefixes = KeyConditions.prefixes(at, table, qualifiers);
        return prefixes == null ? wholeTable : new Effect.Rows(table, prefixes);
    }

    private record Target(List<String> name, @Nullable String alias) {
        /** Skips {@code name [PARTITION (…)] [[AS] alias]}; null if no name follows. */
        static @Nullable Target read(Cursor at) {
            List<String> name = at.name();
            if (name == null) {
                return null;
            }
            if (at.accept("PARTITION", "PARTITIONS")) {
                at.acceptParenthesised();
            }
            boolean as = at.accept("AS");
            boolean named = at.token().type().isName()
                    && (as || !ReservedWords.contains(at.token().text()))
                    && !at.at("RETURNING");
            List<String> alias = named ? at.name() : null;
            return new Target(name, alias == null ? null : alias.get(0));
        }

        List<String> qualifiers(TableSchema table) {
            return alias != null
                    ? List.of(alias)
                    : List.of(table.name().schema(), table.name().table());
        }
    }
}
