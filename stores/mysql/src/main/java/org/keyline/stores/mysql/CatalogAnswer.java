package org.keyline.stores.mysql;

import io.netty.buffer.ByteBuf;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.keyline.protocol.ColumnDefinition;
import org.keyline.protocol.client.ReplySummary;
import org.keyline.protocol.client.ResultListener;
import org.keyline.protocol.codec.TextRowReader;

/**
 * Reads the name of a session's current catalog from a reply. Doris marks this catalog in
 * {@code SHOW CATALOGS}, StarRocks has a variable with the name. Confined to one event loop.
 */
final class CatalogAnswer implements ResultListener {
    /** Completes with the catalog's name; with null if the user may not see the catalog. */
    final CompletableFuture<@Nullable String> answer = new CompletableFuture<>();

    private TextRowReader cells = new TextRowReader(0);
    /** Index of the column with the catalog's name; negative if the reply has no such column. */
    private int nameAt = -1;

    private int markAt = -1;
    private String mark = "";
    private @Nullable String name;

    @Override
    public void columns(List<ColumnDefinition> columns) {
        cells = new TextRowReader(columns.size());
        List<String> names = columns.stream().map(ColumnDefinition::name).toList();
        if (names.contains("IsCurrent")) {
            read(names.indexOf("CatalogName"), names.indexOf("IsCurrent"), "yes");
        } else {
            read(names.indexOf("Value"), names.indexOf("Variable_name"), "catalog");
        }
    }

    private void read(int name, int marked, String by) {
        nameAt = marked < 0 ? -1 : name;
        markAt = marked;
        mark = by;
    }

    @Override
    public void row(ByteBuf row) {
        cells.read(row);
        if (nameAt >= 0 && mark.equalsIgnoreCase(text(markAt))) {
            name = text(nameAt);
        }
    }

    private @Nullable String text(int cell) {
        return cells.isNull(cell) ? null : cells.text(cell, StandardCharsets.UTF_8);
    }

    @Override
    public void end(ReplySummary summary) {
        answer.complete(summary.error() == null ? name : null);
    }

    @Override
    public void failed(Throwable cause) {
        answer.completeExceptionally(cause);
    }
}
