package org.keyline.stores.duckdb.calcite;

import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** MySQL's functions by name in lower case. */
final class Functions {

    /** How a call becomes an expression of DuckDB. */
    interface Function {
        Typed translate(FunctionCall call);
    }

    private static final Map<String, Function> ALL = all();

    private Functions() {}

    private static Map<String, Function> all() {
        Map<String, Function> all = new HashMap<>();
        StringFunctions.register(all);
        NumberFunctions.register(all);
        DateFunctions.register(all);
        ControlFunctions.register(all);
        SessionFunctions.register(all);
        JsonFunctions.register(all);
        NestedFunctions.register(all);
        AggregateFunctions.register(all);
        return Map.copyOf(all);
    }

    static @Nullable Function named(String name) {
        return ALL.get(name);
    }
}
