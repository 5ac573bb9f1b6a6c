package org.keyline.stores.mysql.catalog;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.keyline.planner.ColumnSchema;
import org.keyline.planner.ColumnType;
import org.keyline.planner.TableModel;
import org.keyline.planner.TableName;
import org.keyline.planner.TableSchema;

class PublishedTablesTest {
    private static final TableName T = new TableName("d", "t");
    private static final TableName OTHER = new TableName("d", "other");

    private final AtomicInteger wanted = new AtomicInteger();
    private final PublishedTables published = new PublishedTables(wanted::incrementAndGet);

    @BeforeEach
    void read() {
        published.read(snapshot(), published.all());
    }

    private static Snapshot snapshot() {
        Map<TableName, TableSchema> tables = new HashMap<>();
        Map<TableName, ListedTable> listed = new HashMap<>();
        for (TableName name : List.of(T, OTHER)) {
            TableSchema table = new TableSchema(
                    name,
                    tables.size() + 1,
                    TableModel.UNIQUE,
                    List.of(ColumnSchema.of("k", ColumnType.of(ColumnType.Kind.BIGINT), false)),
                    List.of(0),
                    List.of(),
                    "",
                    Map.of());
            tables.put(name, table);
            listed.put(name, new ListedTable(table, "one"));
        }
        return Snapshot.of(tables, new Reading(listed, StoredCode.NONE, NameRule.EXACT, Set.of(), Set.of()));
    }

    private CompletableFuture<Void> changed(TableName... tables) {
        CompletableFuture<Void> done = new CompletableFuture<>();
        assertThat(published.changed(tables.length == 0 ? null : List.of(tables), done))
                .isTrue();
        return done;
    }

    private void anythingChanged() {
        var unused = changed();
    }

    private boolean knows(TableName name) {
        return published.table(name.schema(), name.table()) != null;
    }

    private PublishedTables.Ahead ahead() {
        return requireNonNull(published.ahead());
    }

    @Test
    void changed_anything_whatIsAskedForComesAheadOfTheRest() {
        CompletableFuture<Void> done = changed();
        PublishedTables.Task all = published.all();
        assertThat(published.ahead()).isNull();
        assertThat(knows(T)).isFalse();
        assertThat(published.table("d", "nowhere")).isNull();
        assertThat(ahead().asked()).containsExactly(T);
        long version = published.version();
        published.read(snapshot(), ahead().task());
        assertThat(knows(T)).isTrue();
        assertThat(published.version()).isGreaterThan(version);
        assertThat(published.writeScopeUnknown()).as("cascades are not read").isTrue();
        assertThat(published.code()).isEqualTo(StoredCode.ANY);
        assertThat(knows(OTHER)).isFalse();
        assertThat(done).isNotDone();
        published.read(snapshot(), all);
        assertThat(knows(OTHER)).isTrue();
        assertThat(published.writeScopeUnknown()).isFalse();
        assertThat(published.ahead()).isNull();
        assertThat(done).isDone();
    }

    @Test
    void changed_again_hidesWhatWasReadBefore() {
        anythingChanged();
        PublishedTables.Task first = published.all();
        assertThat(knows(T)).isFalse();
        PublishedTables.Task early = ahead().task();
        published.read(snapshot(), early);
        assertThat(knows(T)).isTrue();
        anythingChanged();
        assertThat(knows(T)).isFalse();
        published.read(snapshot(), early);
        assertThat(knows(T)).as("a reading that began before").isFalse();
        published.read(snapshot(), first);
        assertThat(knows(OTHER)).isFalse();
        published.read(snapshot(), ahead().task());
        assertThat(knows(T)).isTrue();
    }

    @Test
    void changed_aTableThatIsKnownAheadOfTheRest_hidesIt() {
        anythingChanged();
        assertThat(knows(T)).isFalse();
        published.read(snapshot(), ahead().task());
        CompletableFuture<Void> done = changed(T);
        assertThat(knows(T)).isFalse();
        assertThat(ahead().changed()).containsExactly(T);
        published.read(snapshot(), ahead().task());
        assertThat(knows(T)).isTrue();
        assertThat(done).isDone();
    }
}
