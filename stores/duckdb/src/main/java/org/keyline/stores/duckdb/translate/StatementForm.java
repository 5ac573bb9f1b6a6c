package org.keyline.stores.duckdb.translate;

import java.util.List;
import org.jspecify.annotations.Nullable;

/** A statement taken apart into its clauses, whose expressions are still tokens. */
public sealed interface StatementForm {

    /** SELECT, VALUES, WITH …, or one in parentheses. */
    record Query(ParserText text) implements StatementForm {}

    /**
     * INSERT or REPLACE.
     *
     * @param replace REPLACE
     * @param ignore IGNORE
     * @param columns as named; null where there is no list
     * @param rows of VALUES or SET; empty where a query gives them
     * @param expressions the cells that are expressions, as the items of one SELECT; null if there are none
     * @param query null where VALUES or SET give the rows
     * @param onDuplicate assignments; the value of each is the item of that index in {@code updates}
     * @param updates items of one SELECT; null without ON DUPLICATE KEY UPDATE
     * @param rowAlias name of the new row; null if it has none
     * @param label Doris's name of the load, which no two of a database have; null without one
     */
    record Insert(
            List<String> table,
            boolean replace,
            boolean ignore,
            @Nullable List<String> columns,
            List<List<Cell>> rows,
            @Nullable ParserText expressions,
            @Nullable ParserText query,
            List<List<String>> onDuplicate,
            @Nullable ParserText updates,
            @Nullable String rowAlias,
            @Nullable String label)
            implements StatementForm {}

    /**
     * UPDATE.
     *
     * @param targets the assigned columns; the value of each is the item of that index in {@code query}
     * @param query SELECT of the values, FROM the tables, with WHERE, ORDER BY and LIMIT
     */
    record Update(boolean ignore, List<List<String>> targets, ParserText query) implements StatementForm {}

    /**
     * DELETE.
     *
     * @param targets tables to delete from, as named before FROM or USING; empty for the form with one table
     * @param query SELECT FROM the tables, with WHERE, ORDER BY and LIMIT
     */
    record Delete(List<List<String>> targets, ParserText query) implements StatementForm {}

    /** One value of a row. */
    sealed interface Cell {
        /** A literal or placeholder. */
        record Value(int slot, boolean negated) implements Cell {}

        /** NULL. */
        record Null() implements Cell {}

        /** DEFAULT. */
        record Default() implements Cell {}

        /** The item of this index among the statement's expressions. */
        record Expression(int item) implements Cell {}
    }
}
