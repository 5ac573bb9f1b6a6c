package org.keyline.stores.ddl;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.keyline.planner.StatementRefusedException;

/** Parses INDEX, KEY and UNIQUE elements, of which only UNIQUE affects replies. */
final class IndexReader {

    private static final int MAX_PROPERTIES = 64;

    private final TokenCursor tokens;
    private String comment = "";
    private @Nullable String using;

    IndexReader(TokenCursor tokens) {
        this.tokens = tokens;
    }

    /** @param constraint the name of an index without its own name; may be empty */
    TableIndex read(String constraint) {
        if (tokens.at("SPATIAL")) {
            throw StatementRefusedException.unsupported("SPATIAL INDEX");
        }
        boolean unique = tokens.take("UNIQUE");
        boolean fulltext = tokens.take("FULLTEXT");
        if (!tokens.take("INDEX")) {
            tokens.take("KEY");
        }
        tokens.takeIfNotExists();
        String name = tokens.atSymbol('(') || tokens.at("USING") ? constraint : tokens.name("an index name");
        return body(name, unique, fulltext);
    }

    /** Reads CREATE INDEX from the columns on. */
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
            if (tokens.take("USING")) {
                using = tokens.name("an index type").toUpperCase(java.util.Locale.ROOT);
            } else if (tokens.take("COMMENT")) {
                comment = tokens.string("a comment");
            } else if (tokens.take("PROPERTIES")) {
                tokens.properties(properties, MAX_PROPERTIES);
            } else if (tokens.take("KEY_BLOCK_SIZE")) {
                tokens.take('=');
                tokens.integer("a block size", Integer.MAX_VALUE);
            } else if (tokens.take("WITH")) {
                tokens.expect("PARSER");
                tokens.name("a parser");
            } else {
                more = tokens.take("VISIBLE") || tokens.take("INVISIBLE");
            }
        }
    }
}
