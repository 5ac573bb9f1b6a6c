package org.keyline.stores.mysql.signal;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.keyline.planner.TableName;
import org.keyline.planner.TableSchema;
import org.keyline.stores.ChangeListener;
import org.keyline.stores.ChangeSignal;
import org.keyline.stores.PartitionSpans;
import org.keyline.stores.RowImage;

/** Records the reports of a signal as texts. */
class RecordedChanges implements ChangeListener {
    final List<String> heard = new ArrayList<>();
    final List<TableName> tables = new ArrayList<>();
    long completeNanos;

    @Nullable
    PartitionSpans partitioning;

    /** Returns the reports since the last call. */
    List<String> take() {
        List<String> taken = List.copyOf(heard);
        heard.clear();
        return taken;
    }

    @Override
    public void row(TableSchema table, List<byte @Nullable []> key, List<RowImage> images) {
        heard.add("row of " + table.name().table());
    }

    @Override
    public void table(TableName table) {
        heard.add("table " + table.table());
    }

    @Override
    public void partitions(TableName table, PartitionSpans partitioning, Collection<Long> changed) {
        heard.add("partitions of " + table.table() + ": "
                + changed.stream().sorted().toList());
        this.partitioning = partitioning;
    }

    @Override
    public void state(ChangeSignal.State state, String because) {
        heard.add(state + " " + because);
    }

    @Override
    public void definitions(Collection<TableName> changed) {
        changed.forEach(table -> heard.add("definition of " + table.table()));
    }

    @Override
    public void everything() {
        heard.add("everything");
    }

    @Override
    public void allDefinitions() {
        heard.add("all definitions");
    }

    @Override
    public void storedCode() {
        heard.add("stored code");
    }

    @Override
    public void privileges() {
        heard.add("privileges");
    }

    @Override
    public void complete(long asOfNanos) {
        heard.add("complete");
        completeNanos = asOfNanos;
    }

    @Override
    public void complete(TableName table, long asOfNanos) {
        heard.add("complete " + table.table());
        completeNanos = asOfNanos;
    }

    @Override
    public Collection<TableName> tables() {
        return tables;
    }
}
