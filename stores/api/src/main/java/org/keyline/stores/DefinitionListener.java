package org.keyline.stores;

import java.util.Collection;
import org.jspecify.annotations.Nullable;
import org.keyline.planner.TableName;

/** A listener for changes of definitions by statements. Thread-safe. */
public interface DefinitionListener {
    /**
     * Called when definitions may have changed. The store must read its catalog again.
     *
     * @param tables the tables, a renamed one under both names; null if unknown
     */
    void definitionsChanged(@Nullable Collection<TableName> tables);

    /**
     * Called before a statement that can change views, functions or triggers, but no table. Until
     * the store has read these again, every write counts as a write to all tables.
     *
     * @return a task for the caller to run once, on any thread, when the statement is complete or
     * its outcome is unknown
     */
    default Runnable storedCodeChanging() {
        return () -> definitionsChanged(null);
    }
}
