package org.keyline.stores.ddl;

import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** One change of an ALTER TABLE, or of an equivalent statement. Immutable. */
public sealed interface TableChange {

    /**
     * ADD COLUMN [IF NOT EXISTS].
     *
     * @param after the name of the preceding column; null unless the place is {@link Place#AFTER}
     */
    record AddColumn(
            DeclaredColumn column, Place place, @Nullable String after, boolean ifNotExists) implements TableChange {}

    enum Place {
        LAST,
        FIRST,
        AFTER
    }

    record DropColumn(String column, boolean ifExists) implements TableChange {}

    /** MODIFY COLUMN; CHANGE COLUMN if {@code column} is not the name in {@code definition}. */
    record ModifyColumn(String column, DeclaredColumn definition) implements TableChange {}

    record RenameColumn(String from, String to) implements TableChange {}

    /**
     * ALTER COLUMN … SET DEFAULT or DROP DEFAULT.
     *
     * @param defaultSql text of the default; null for DROP DEFAULT
     */
    record SetDefault(String column, @Nullable String defaultSql) implements TableChange {}

    record RenameTo(org.keyline.planner.TableName to) implements TableChange {}

    record AddIndex(TableIndex index, boolean ifNotExists) implements TableChange {}

    record DropIndex(String index, boolean ifExists) implements TableChange {}

    record AddPrimaryKey(List<String> columns) implements TableChange {
        public AddPrimaryKey {
            columns = List.copyOf(columns);
        }
    }

    /** SET ("key" = "value", …), or table options of MySQL (ENGINE, COMMENT, …). */
    record SetProperties(Map<String, String> properties) implements TableChange {
        public SetProperties {
            properties = java.util.Collections.unmodifiableMap(new java.util.LinkedHashMap<>(properties));
        }
    }

    /** MODIFY COMMENT 'text' or COMMENT = 'text'. */
    record SetComment(String comment) implements TableChange {}

    record SetColumnComment(String column, String comment) implements TableChange {}
}
