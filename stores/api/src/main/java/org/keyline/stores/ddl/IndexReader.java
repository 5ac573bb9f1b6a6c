package org.keyline.stores.ddl;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.keyline.planner.StatementRefusedException;

/** Parses indexes (INDEX, KEY, UNIQUE). Only UNIQUE affects the store's replies. */
final class IndexReader {

    private static final int MAX_PROPERTIES = 64;

    private final DdlCursor tokens;
    private String comment = "";
    private @Nullable String using;

    IndexReader(DdlCursor tokens) {
        this.tokens = tokens;
    }

    /** @param constraint the default name, from a CONSTRAINT clause; can be empty */
    TableIndex read(String constraint) {
        if (tokens.at("SPATIAL")) {
            throw StatementRefusedException.unsupported("SPATIAL INDEX");
        }
        boolean unique = tokens.accept("UNIQUE");
        boolean fulltext = tokens.accept("FULLTEXT");
        if (!tokens.accept("INDEX")) {
            tokens.accept("KEY");
        }
        tokens.acceptIfNotExists();
        String name = tokens.atSymbol("(") || tokens.at("USING") ? constraint : tokens.name("an index name");
        return body(name, unique, fulltext);
    }

    /** Reads the columns and options of an index. */
    TableIndex body(String name, boolean unique, boolean fulltext) {
        Map<String, String> properties = new LinkedHashMap<>();
        options(properties);
        List<String> columns = tokens.indexColumns();
        options(properties);
        return new TableIndex(name, columns, unique, fulltext ? "FULLTEXT" : using, properties, comment);
    }

    List<String> readPrimary() {
        Map<String, String> properties = new LinkedHashMap<>();
        options(properties);
        List<String> columns = tokens.indexColumns();
        options(properties);
        return columns;
    }

    private void options(Map<String, String> properties) {
        boolean more = true;
        while (more) {
            if (tokens.accept("USING")) {
                using = tokens.name("an index type").toUpperCase(java.util.Locale.ROOT);
            } else if (tokens.accept("COMMENT")) {
                comment = tokens.string("a comment");
            } else if (tokens.accept("PROPERTIES")) {
                tokens.properties(properties, MAX_PROPERTIES);
            } else if (tokens.accept("KEY_BLOCK_SIZE")) {
                tokens.acceptSymbol("=");
                tokens.integer("a block size", Integer.MAX_VALUE);
            } else if (tokens.accept("WITH")) {
                tokens.expect("PARSER");
                tokens.name("a parser");
            } else {
                more = tokens.accept("VISIBLE") || tokens.accept("INVISIBLE");
            }
        }
    }
}
