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
    final List<String> reported = new ArrayList<>();
    final List<TableName> tables = new ArrayList<>();
    /** Tables that reads use although they have no lines. */
    final List<TableName> read = new ArrayList<>();

    long completeNanos;

    @Nullable
    PartitionSpans partitioning;

    /** Returns the reports since the last call. */
    List<String> take() {
        List<String> taken = List.copyOf(reported);
        reported.clear();
        return taken;
    }

    @Override
    public void row(TableSchema table, List<byte @Nullable []> key, List<RowImage> images) {
        reported.add("row of " + table.name().table());
    }

    @Override
    public void table(TableName table) {
        reported.add("table " + table.table());
    }

    @Override
    public void partitions(TableName table, PartitionSpans partitioning, Collection<Long> changed) {
        reported.add("partitions of " + table.table() + ": "
                + changed.stream().sorted().toList());
        this.partitioning = partitioning;
    }

    @Override
    public void state(ChangeSignal.State state, String because) {
        reported.add(state + " " + because);
    }

    @Override
    public void definitions(Collection<TableName> changed) {
        changed.forEach(table -> reported.add("definition of " + table.table()));
    }

    @Override
    public void everything() {
        reported.add("everything");
    }

    @Override
    public void allDefinitions() {
        reported.add("all definitions");
    }

    @Override
    public void storedCode() {
        reported.add("stored code");
    }

    @Override
    public void privileges() {
        reported.add("privileges");
    }

    @Override
    public void complete(long asOfNanos) {
        reported.add("complete");
        completeNanos = asOfNanos;
    }

    @Override
    public void complete(TableName table, long asOfNanos) {
        reported.add("complete " + table.table());
        completeNanos = asOfNanos;
    }

    @Override
    public Collection<TableName> tables() {
        return tables;
    }

    @Override
    public Collection<TableName> readTables() {
        return read;
    }
}
