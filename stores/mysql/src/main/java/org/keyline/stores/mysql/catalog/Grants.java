package org.keyline.stores.mysql.catalog;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The rights of the gateway's account, as SHOW GRANTS of MySQL or MariaDB lists them. Immutable.
 *
 * @param everywhere privileges on {@code *.*}
 * @param revoked whether partial revokes exclude some schemas from these privileges
 * @param columns whether the account has privileges on single columns
 */
record Grants(Set<String> everywhere, boolean revoked, boolean columns) {
    private static final Pattern LINE = Pattern.compile("(GRANT|REVOKE) (.+?) ON (?:TABLE )?(.+?) (?:TO|FROM) .*");
    private static final String EVERYWHERE = "*.*";

    Grants {
        everywhere = Set.copyOf(everywhere);
    }

    /**
     * Reads the rights of the account. If an unknown store rejects SHOW GRANTS, nothing counts as
     * visible except columns, which the {@code SELECT *} of each load verifies.
     */
    static Grants read(CatalogRows rows, Dialect dialect) throws ReadFailure {
        List<String> lines = new ArrayList<>();
        try {
            rows.query("SHOW GRANTS", row -> lines.add(row.required(1)));
        } catch (ReadFailure e) {
            if (dialect.isKnown() || !e.refused()) {
                throw e;
            }
        }
        return of(lines);
    }

    /** Returns the rights of these lines. A line that is not understood grants nothing. */
    static Grants of(List<String> lines) {
        Set<String> everywhere = new HashSet<>();
        boolean revoked = false;
        boolean columns = false;
        for (String line : lines) {
            Matcher parts = LINE.matcher(line);
            if (!parts.matches()) {
                continue;
            }
            String privileges = parts.group(2).toUpperCase(Locale.ROOT);
            if (parts.group(1).equals("REVOKE")) {
                revoked = true;
            } else if (parts.group(3).equals(EVERYWHERE)) {
                everywhere.addAll(List.of(privileges.split(", ")));
            } else {
                columns |= privileges.contains("(");
            }
        }
        return new Grants(everywhere, revoked, columns);
    }

    /**
     * Returns whether the account sees the triggers and foreign keys of all tables. Global SELECT
     * is not enough for these.
     */
    boolean seesTriggers() {
        return everywhere("TRIGGER");
    }

    boolean seesTables() {
        return everywhere("SELECT");
    }

    boolean seesFunctions() {
        return everywhere("SELECT");
    }

    boolean seesViews() {
        return everywhere("SHOW VIEW");
    }

    boolean seesColumns() {
        return !columns || everywhere("SELECT");
    }

    boolean seesProcesses() {
        return everywhere("PROCESS");
    }

    /**
     * Returns whether the account has this privilege for all schemas. Returns false if any
     * privilege has been revoked for some schemas.
     */
    private boolean everywhere(String privilege) {
        return !revoked && (everywhere.contains("ALL PRIVILEGES") || everywhere.contains(privilege));
    }
}
