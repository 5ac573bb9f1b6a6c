package org.keyline.stores.duckdb;

import java.util.List;
import java.util.regex.Pattern;
import org.keyline.stores.duckdb.translate.Resources;

/** Reads the statements of {@code demo.sql}, which create the sample data. */
public final class Demo {
    private static final Pattern END = Pattern.compile(";\\R");

    private Demo() {}

    /** Returns the statements in the order in which they must run. */
    public static List<String> statements() {
        String text = String.join("\n", Resources.lines(Demo.class, "demo.sql"));
        return END.splitAsStream(text + "\n").toList();
    }
}
