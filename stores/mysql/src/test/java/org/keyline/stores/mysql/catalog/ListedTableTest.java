package org.keyline.stores.mysql.catalog;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.keyline.planner.ColumnSchema;
import org.keyline.planner.ColumnType;
import org.keyline.planner.TableModel;
import org.keyline.planner.TableName;
import org.keyline.planner.TableSchema;
import org.keyline.planner.TriggerText;
import org.keyline.planner.WriteScope;

final class ListedTableTest {
    @ParameterizedTest
    @EnumSource(WriteScope.class)
    void with_triggersFoundLater_noLongerChangesAsAssigned(WriteScope reach) {
        TableSchema schema = new TableSchema(
                new TableName("d", "t"),
                0,
                TableModel.UNIQUE,
                List.of(ColumnSchema.of("k", ColumnType.of(ColumnType.Kind.BIGINT), false)),
                List.of(0),
                List.of(),
                "",
                Map.of(TableSchema.CHANGES_AS_ASSIGNED, "YES"),
                reach);
        ListedTable listed = new ListedTable(schema, "", Set.of());
        ListedTable triggering = listed.with(List.of(new TriggerText("counts", "SET NEW.k = 1", "")));

        assertThat(listed.schema().changesAsAssigned()).isTrue();
        assertThat(triggering.schema().changesAsAssigned()).isFalse();
        assertThat(triggering.schema().writeScope()).isNotEqualTo(WriteScope.CELLS);
    }
}
