package org.keyline.stores.ddl;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.keyline.planner.StatementRefusedException;
import org.keyline.planner.TableName;
import org.keyline.stores.ddl.DdlStatement.CreateView;
import org.keyline.stores.ddl.DdlStatement.CreateView.Existing;
import org.keyline.stores.ddl.DdlStatement.ViewAttributes;

/** Parses CREATE VIEW and ALTER VIEW. Used once per statement. */
final class CreateViewReader {

    private static final Set<String> ALGORITHMS = Set.of("UNDEFINED", "MERGE", "TEMPTABLE");

    private final TokenCursor tokens;
    private String algorithm = "UNDEFINED";
    private String definer = "";
    private String security = "DEFINER";

    CreateViewReader(TokenCursor tokens) {
        this.tokens = tokens;
    }

    /** Returns whether the statement at the cursor defines a view. Does not move the cursor. */
    static boolean reads(TokenCursor tokens) {
        int start = tokens.mark();
        try {
            if (!tokens.take("CREATE") && !tokens.take("ALTER")) {
                return false;
            }
            if (tokens.take("OR")) {
                tokens.take("REPLACE");
            }
            if (tokens.at("ALGORITHM") || tokens.at("SQL")) {
                return true;
            }
            // DEFINER may also begin a procedure or a trigger.
            return tokens.at("VIEW") || (tokens.at("DEFINER") && tokens.kindAhead("VIEW"));
        } finally {
            tokens.reset(start);
        }
    }

    CreateView read() {
        boolean alter = tokens.take("ALTER");
        if (!alter) {
            tokens.expect("CREATE");
        }
        Existing existing = alter ? Existing.ALTER : Existing.FAIL;
        if (!alter && tokens.take("OR")) {
            tokens.expect("REPLACE");
            existing = Existing.REPLACE;
        }
        attributes();
        tokens.expect("VIEW");
        if (existing == Existing.FAIL && tokens.takeIfNotExists()) {
            existing = Existing.KEEP;
        }
        TableName name = tokens.tableName();
        if (alter && tokens.atAll("MODIFY", "COMMENT")) {
            throw StatementRefusedException.unsupported("comments of views");
        }
        List<String> columns = tokens.atSymbol('(') ? columns() : List.of();
        if (tokens.at("COMMENT")) {
            throw StatementRefusedException.unsupported("comments of views");
        }
        tokens.expect("AS");
        String query = tokens.query();
        String check = "NONE";
        if (tokens.take("WITH")) {
            check = tokens.take("LOCAL") ? "LOCAL" : "CASCADED";
            tokens.take("CASCADED");
            tokens.expect("CHECK");
            tokens.expect("OPTION");
        }
        return new CreateView(name, existing, columns, query, new ViewAttributes(algorithm, definer, security, check));
    }

    private List<String> columns() {
        List<String> names = new ArrayList<>();
        tokens.expect('(');
        do {
            names.add(tokens.name("a column name"));
            if (tokens.at("COMMENT")) {
                throw StatementRefusedException.unsupported("comments of a view's columns");
            }
        } while (tokens.take(','));
        tokens.expect(')');
        return names;
    }

    private void attributes() {
        if (tokens.take("ALGORITHM")) {
            tokens.expect('=');
            algorithm = tokens.name("an algorithm").toUpperCase(Locale.ROOT);
            if (!ALGORITHMS.contains(algorithm)) {
                throw tokens.error("UNDEFINED, MERGE or TEMPTABLE before it");
            }
        }
        if (tokens.take("DEFINER")) {
            tokens.expect('=');
            definer = tokens.account();
        }
        if (tokens.take("SQL")) {
            tokens.expect("SECURITY");
            security = tokens.take("INVOKER") ? "INVOKER" : "DEFINER";
            if (security.equals("DEFINER")) {
                tokens.expect("DEFINER");
            }
        }
    }
}
