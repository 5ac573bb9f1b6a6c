package org.keyline.stores.duckdb.reply;

import org.jspecify.annotations.Nullable;
import org.keyline.planner.ColumnSchema;
import org.keyline.planner.TableModel;
import org.keyline.planner.TableName;
import org.keyline.protocol.Collation;
import org.keyline.protocol.ColumnDefinition;
import org.keyline.protocol.ColumnType;
import org.keyline.stores.ddl.TableDefinition;
import org.keyline.stores.duckdb.translate.OutputColumn;
import org.keyline.stores.duckdb.translate.Relations.Relation;
import org.keyline.stores.duckdb.translate.SqlType;

/**
 * Creates column definitions as a MySQL server sends them. The length of a column is the number of
 * bytes of its longest value, printed as text. Immutable.
 *
 * @see <a
 *     href="https://dev.mysql.com/doc/dev/mysql-server/latest/page_protocol_com_query_response_text_resultset_column_definition.html">Column
 *     definition</a>
 */
public final class ResultColumns {
    /** The {@code decimals} of a column whose values differ in their number of decimals. */
    public static final int DYNAMIC_DECIMALS = 0x1F;

    /** The maximum number of digits after the point of a DECIMAL. */
    static final int MAX_DECIMALS = 30;

    /** MySQL's internal flag of a column that is part of a key. */
    private static final int PART_KEY_FLAG = 1 << 14;

    private static final long LONGEST_TEXT = 0xFFFFFFFFL;
    private static final long BLOB_BYTES = 65_535;
    private static final int EXPRESSION_TEXT = 255;
    private static final int MAX_STRING_CHARS = 16_383;

    private final int collation;
    private final int bytesPerCharacter;

    /**
     * @param collation the collation of text in results, from character_set_results or the
     *     handshake
     */
    public ResultColumns(int collation) {
        this.collation = collation;
        Collation known = Collation.byId(collation);
        this.bytesPerCharacter = known == null ? 4 : known.maxBytesPerCharacter();
    }

    /** Returns the definition of a result column. */
    public ColumnDefinition of(OutputColumn column) {
        OutputColumn.Origin origin = column.origin();
        if (origin == null) {
            return ofValue(column.name(), column.type(), column.nullable());
        }
        TableName table = origin.relation().name();
        ColumnDefinition shape = shape(origin.column().type(), column.name());
        int flags = shape.flags()
                | keyFlags(origin.relation().definition(), origin.column())
                | (column.nullable() ? 0 : ColumnType.NOT_NULL_FLAG);
        return new ColumnDefinition(
                "def",
                table.schema(),
                origin.alias(),
                table.table(),
                column.name(),
                origin.column().name(),
                shape.collation(),
                shape.length(),
                shape.type(),
                flags,
                shape.decimals());
    }

    /** Returns the definition of a table's column for COM_FIELD_LIST. */
    public ColumnDefinition of(Relation relation, ColumnSchema column) {
        OutputColumn.Origin origin =
                new OutputColumn.Origin(relation, relation.name().table(), column);
        return of(new OutputColumn(column.name(), SqlType.UNKNOWN, column.nullable(), origin));
    }

    private static int keyFlags(@Nullable TableDefinition definition, ColumnSchema column) {
        int flags = column.autoIncrement() ? ColumnType.AUTO_INCREMENT_FLAG : 0;
        if (definition != null && definition.model() == TableModel.UNIQUE) {
            int position = definition.keyColumns().indexOf(definition.ordinal(column.name()));
            if (position >= 0) {
                flags |= ColumnType.PRI_KEY_FLAG | PART_KEY_FLAG;
            }
        }
        if (!column.nullable() && column.defaultSql() == null && !column.autoIncrement()) {
            flags |= ColumnType.NO_DEFAULT_VALUE_FLAG;
        }
        return flags;
    }

    /** Returns the definition of an expression. */
    public ColumnDefinition ofValue(String label, SqlType type, boolean nullable) {
        int flags = nullable ? 0 : ColumnType.NOT_NULL_FLAG;
        int number = flags | ColumnType.BINARY_FLAG;
        return switch (type.family()) {
            case NULL -> binary(label, 0, ColumnType.NULL, number, 0);
            case BOOLEAN -> binary(label, 1, ColumnType.LONGLONG, number, 0);
            case INTEGER ->
                type.unsigned()
                        ? binary(label, 21, ColumnType.LONGLONG, number | ColumnType.UNSIGNED_FLAG, 0)
                        : binary(label, 21, ColumnType.LONGLONG, number, 0);
            case DECIMAL ->
                binary(
                        label,
                        decimalLength(type.digits(), type.scale(), false),
                        ColumnType.NEWDECIMAL,
                        number,
                        type.scale());
            case DOUBLE -> binary(label, 23, ColumnType.DOUBLE, number, DYNAMIC_DECIMALS);
            case BYTES -> binary(label, LONGEST_TEXT, ColumnType.BLOB, number | ColumnType.BLOB_FLAG, DYNAMIC_DECIMALS);
            case DATE -> binary(label, 10, ColumnType.DATE, number, 0);
            case DATETIME -> binary(label, withFraction(19, type.scale()), ColumnType.DATETIME, number, type.scale());
            case JSON -> binary(label, LONGEST_TEXT, ColumnType.JSON, number | ColumnType.BLOB_FLAG, 0);
            case STRING, ROW, UNKNOWN -> {
                int characters = type.digits() == 0 ? EXPRESSION_TEXT : type.digits();
                yield characters > MAX_STRING_CHARS
                        ? text(label, LONGEST_TEXT, ColumnType.BLOB, flags | ColumnType.BLOB_FLAG, DYNAMIC_DECIMALS)
                        : text(
                                label,
                                (long) characters * bytesPerCharacter,
                                ColumnType.VAR_STRING,
                                flags,
                                DYNAMIC_DECIMALS);
            }
        };
    }

    /** Returns a definition with the type, length and flags of a declared type, without a table. */
    private ColumnDefinition shape(org.keyline.planner.ColumnType type, String name) {
        int unsigned = type.unsigned() ? ColumnType.UNSIGNED_FLAG : 0;
        boolean isUnsigned = type.unsigned();
        return switch (type.kind()) {
            case BOOLEAN -> number(name, 1, ColumnType.TINY, 0);
            case TINYINT -> number(name, isUnsigned ? 3 : 4, ColumnType.TINY, unsigned);
            case SMALLINT -> number(name, isUnsigned ? 5 : 6, ColumnType.SHORT, unsigned);
            case MEDIUMINT -> number(name, isUnsigned ? 8 : 9, ColumnType.INT24, unsigned);
            case INT -> number(name, isUnsigned ? 10 : 11, ColumnType.LONG, unsigned);
            case BIGINT -> number(name, 20, ColumnType.LONGLONG, unsigned);
            case LARGEINT -> text(name, 40L * bytesPerCharacter, ColumnType.STRING, 0, 0);
            case FLOAT -> binary(name, 12, ColumnType.FLOAT, unsigned, DYNAMIC_DECIMALS);
            case DOUBLE -> binary(name, 22, ColumnType.DOUBLE, unsigned, DYNAMIC_DECIMALS);
            case DECIMAL ->
                binary(
                        name,
                        decimalLength(type.length(), type.scale(), isUnsigned),
                        ColumnType.NEWDECIMAL,
                        unsigned,
                        type.scale());
            case DATE -> binary(name, 10, ColumnType.DATE, ColumnType.BINARY_FLAG, 0);
            case DATETIME ->
                binary(name, withFraction(19, type.scale()), ColumnType.DATETIME, ColumnType.BINARY_FLAG, type.scale());
            case TIMESTAMP ->
                binary(
                        name,
                        withFraction(19, type.scale()),
                        ColumnType.TIMESTAMP,
                        ColumnType.BINARY_FLAG | ColumnType.TIMESTAMP_FLAG,
                        type.scale());
            case BIT -> binary(name, Math.max(1, type.length()), ColumnType.BIT, ColumnType.UNSIGNED_FLAG, 0);
            case CHAR -> text(name, (long) Math.max(1, type.length()) * bytesPerCharacter, ColumnType.STRING, 0, 0);
            case VARCHAR -> text(name, (long) type.length() * bytesPerCharacter, ColumnType.VAR_STRING, 0, 0);
            case TEXT ->
                text(name, textLength(type.length(), bytesPerCharacter), ColumnType.BLOB, ColumnType.BLOB_FLAG, 0);
            case BINARY -> binary(name, Math.max(1, type.length()), ColumnType.STRING, ColumnType.BINARY_FLAG, 0);
            case VARBINARY -> binary(name, type.length(), ColumnType.VAR_STRING, ColumnType.BINARY_FLAG, 0);
            case BLOB ->
                binary(
                        name,
                        textLength(type.length(), 1),
                        ColumnType.BLOB,
                        ColumnType.BLOB_FLAG | ColumnType.BINARY_FLAG,
                        0);
            case JSON -> binary(name, LONGEST_TEXT, ColumnType.JSON, ColumnType.BLOB_FLAG | ColumnType.BINARY_FLAG, 0);
            // The store has no columns of these kinds, except ARRAY, whose values are text.
            case TIME, YEAR, IPV4, IPV6, ARRAY, ENUM, SET, GEOMETRY, MAP, STRUCT, VARIANT, OTHER ->
                text(name, LONGEST_TEXT, ColumnType.STRING, 0, 0);
        };
    }

    private static long textLength(int characters, int bytesPerCharacter) {
        if (characters == 0 || characters == BLOB_BYTES) {
            return BLOB_BYTES * bytesPerCharacter;
        }
        return Math.min(LONGEST_TEXT, (long) characters * bytesPerCharacter);
    }

    private static long decimalLength(int digits, int scale, boolean unsigned) {
        int precision = digits == 0 ? 10 : digits;
        return (long) precision + (scale > 0 ? 1 : 0) + (unsigned ? 0 : 1);
    }

    private static long withFraction(int length, int digits) {
        return digits == 0 ? length : length + 1L + digits;
    }

    private static ColumnDefinition number(String name, long length, int type, int flags) {
        return binary(name, length, type, flags, 0);
    }

    private static ColumnDefinition binary(String name, long length, int type, int flags, int decimals) {
        return ColumnDefinition.of(name, Collation.BINARY, length, type, flags, decimals);
    }

    private ColumnDefinition text(String name, long length, int type, int flags, int decimals) {
        return ColumnDefinition.of(name, collation, length, type, flags, decimals);
    }
}
