package org.keyline.stores.duckdb.calcite;

import java.util.List;
import java.util.Map;
import org.apache.calcite.sql.SqlNode;
import org.jspecify.annotations.Nullable;
import org.keyline.planner.ColumnType;
import org.keyline.planner.StatementRefusedException;
import org.keyline.stores.duckdb.calcite.Functions.Function;
import org.keyline.stores.duckdb.translate.DuckTypes;
import org.keyline.stores.duckdb.translate.OutputColumn;
import org.keyline.stores.duckdb.translate.SqlType;

/** Functions of arrays, maps, structs and variants, whose text DuckDB reads as JSON. */
final class NestedFunctions {

    private NestedFunctions() {}

    static void register(Map<String, Function> all) {
        for (String name : List.of("size", "cardinality", "array_size")) {
            all.put(name, NestedFunctions::size);
        }
        all.put("element_at", c -> element(c.arity(2, 2).arg(0), c.arg(1), c.translation()));
        all.put("struct_element", c -> element(c.arity(2, 2).arg(0), c.arg(1), c.translation()));
    }

    private static Typed size(FunctionCall call) {
        Typed x = call.arity(1, 1).arg(0);
        @Nullable ColumnType type = declared(x);
        if (type != null && type.kind() != ColumnType.Kind.ARRAY) {
            throw StatementRefusedException.unsupported(call.name() + " of a " + type.kind());
        }
        return call.integer(Duck.cast(Duck.call("json_array_length", json(x)), "BIGINT"));
    }

    /** {@code x[index]}: the element of an array counted from 1 (from its end where negative), or the value of a key. */
    static Typed element(Typed x, Typed index, Translation translation) {
        @Nullable ColumnType type = declared(x);
        ColumnType.Kind kind = type == null ? ColumnType.Kind.VARIANT : type.kind();
        if (kind == ColumnType.Kind.ARRAY) {
            return array(type, x, index);
        }
        @Nullable String name = translation.literalText(index);
        if (name == null || name.indexOf('"') >= 0 || name.indexOf('\\') >= 0) {
            throw StatementRefusedException.unsupported(
                    "access to a " + kind + " by other than a plain string literal");
        }
        @Nullable ColumnType part = kind == ColumnType.Kind.VARIANT ? null : part(type, name);
        return typed(Duck.call("json_extract_string", json(x), Duck.string("$.\"" + name + "\"")), part);
    }

    private static @Nullable ColumnType part(@Nullable ColumnType type, String name) {
        if (type == null) {
            return null;
        }
        if (type.kind() == ColumnType.Kind.MAP) {
            if (Columns.type(type.fields().get(0).type()).family() != SqlType.Family.STRING) {
                throw StatementRefusedException.unsupported("access to a MAP whose keys are no text");
            }
            return type.fields().get(1).type();
        }
        return type.fields().stream()
                .filter(field -> field.name().equalsIgnoreCase(name))
                .findFirst()
                .map(ColumnType.Field::type)
                .orElseThrow(() ->
                        StatementRefusedException.unsupported("the field '" + name + "', which the STRUCT has not"));
    }

    private static Typed array(@Nullable ColumnType type, Typed x, Typed index) {
        SqlNode position = Coercions.toInteger(index);
        SqlNode rising = Duck.around("WHEN ", " > 0 THEN '$[' || (", " - 1) || ']'", position, position);
        SqlNode falling = Duck.around("WHEN ", " < 0 THEN '$[#' || ", " || ']'", position, position);
        SqlNode path = Duck.around("CASE ", " ", " END", rising, falling);
        return typed(
                Duck.call("json_extract_string", json(x), path),
                type == null ? null : type.fields().get(0).type());
    }

    private static Typed typed(SqlNode text, @Nullable ColumnType type) {
        if (type == null || type.nested()) {
            return Typed.of(text, SqlType.STRING);
        }
        return Typed.of(Duck.cast(text, DuckTypes.of(type)), Columns.type(type));
    }

    private static @Nullable ColumnType declared(Typed x) {
        OutputColumn.Origin origin = x.origin();
        return origin != null && origin.column().type().nested()
                ? origin.column().type()
                : null;
    }

    private static SqlNode json(Typed x) {
        return Duck.cast(Coercions.text(x).node(), "JSON");
    }
}
