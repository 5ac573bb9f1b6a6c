package org.keyline.gateway.signal;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.keyline.planner.TableName;

/** What a change signal told, on its way to another gateway: the calls of a {@link org.keyline.stores.ChangeListener}. */
sealed interface SignalMessage {
    /**
     * A row came, went or changed.
     *
     * @param definition a digest of the table's columns and key
     * @param images the cells of all columns; {@link org.keyline.stores.RowImage#UNKNOWN} where one is not known
     */
    record Row(TableName table, long definition, List<byte @Nullable []> key, List<List<byte @Nullable []>> images)
            implements SignalMessage {}

    record Table(TableName table) implements SignalMessage {}

    record Definitions(List<TableName> tables) implements SignalMessage {}

    record Everything() implements SignalMessage {}

    record AllDefinitions() implements SignalMessage {}

    record Privileges() implements SignalMessage {}

    /**
     * All changes have been told that were visible when a question had come.
     *
     * @param table of this one; null: of all
     * @param question its number
     */
    record Complete(@Nullable TableName table, long question) implements SignalMessage {}

    /** All has been told that the signal had told at this position of its own. */
    record Told(String position) implements SignalMessage {}
}
