package org.keyline.gateway.session.settings;

import java.nio.charset.StandardCharsets;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The catalog in which the session's names are looked up. Only tables of the store's own catalog
 * have lines. Confined to one event loop.
 */
public final class CurrentCatalog {
    /*
     * Only the store knows the catalog. Besides statements, the database of a login, a default of
     * the user, and a failed USE can change it. So Keyline asks the store before the first read
     * that a line could answer, and after each statement that may have changed the catalog, even if
     * the statement failed.
     */

    /** Matches a USE of a name without a dot, which never changes the catalog. */
    private static final Pattern PLAIN_USE =
            Pattern.compile("\\s*USE\\s+(?:`[^`.\\s]+`|[^-\\s.`'\"/#;]+)[\\s;]*", Pattern.CASE_INSENSITIVE);

    /** Matches any of the words by which a text can change the catalog. */
    private static final Pattern SWITCHES =
            Pattern.compile("\\b(?:USE|SWITCH|CATALOG|EXECUTE|CALL)\\b", Pattern.CASE_INSENSITIVE);

    private static final int MAX_READ_BYTES = 4096;

    /**
     * The known catalog at a moment.
     *
     * @param name the name of the catalog; null if unknown
     * @param changes the number of earlier statements that may have changed the catalog
     */
    public record Moment(@Nullable String name, int changes) {}

    private final @Nullable String own;
    private volatile @Nullable String name;
    private boolean inOwn;
    private boolean verified;
    private int changes;

    /** @param own the name of the store's own catalog; null for a store with a single catalog */
    CurrentCatalog(@Nullable String own) {
        this.own = own;
        inOwn = own == null;
        verified = own == null;
    }

    public boolean isOneOfSeveral() {
        return own != null;
    }

    /** Returns whether the session is in the store's own catalog. */
    public boolean isOwn() {
        return inOwn;
    }

    /** Returns whether the store was asked after the last possible change of the catalog. */
    boolean verified() {
        return verified;
    }

    /** Returns the catalog's name; null if unknown, or if the store has only one. Thread-safe. */
    public @Nullable String name() {
        return name;
    }

    /** Receives the name of the catalog; null if the store does not report it. */
    void received(@Nullable String current) {
        name = current;
        inOwn = own == null || own.equals(current);
        verified = true;
    }

    /** Called when a statement may have changed the catalog. The store must be asked again. */
    void mayHaveChanged() {
        if (own != null) {
            changes++;
            askAgain();
        }
    }

    /** Called when the store must be asked again, for example because the schema is unknown. */
    void askAgain() {
        if (own != null) {
            name = null;
            inOwn = false;
            verified = false;
        }
    }

    /** Returns the present catalog, and the number of changes so far. */
    public Moment now() {
        return new Moment(name, changes);
    }

    /** Returns whether the session was in the store's own catalog at that moment, and still is. */
    public boolean isOwnSince(Moment moment) {
        return own == null || (inOwn && (moment.changes == changes || own.equals(moment.name)));
    }

    /** Returns true if no statement since that moment may have changed the catalog. */
    public boolean isSame(Moment moment) {
        return own == null || moment.changes == changes || isOwnSince(moment);
    }

    /** Returns why lines cannot answer; null if the catalog is the store's own or not verified. */
    @Nullable
    String whyForwarded() {
        if (inOwn || !verified) {
            return null;
        }
        return name == null
                ? "The store does not report the catalog of the session, and only tables of the catalog " + own
                        + " have lines."
                : "The session is in the catalog " + name + ", and only tables of the catalog " + own + " have lines.";
    }

    /** Returns whether the statement can change the catalog, even if it fails. */
    public boolean mayChange(SqlStatement text) {
        if (own == null || text.isEmpty()) {
            return false;
        }
        return switch (text.kind()) {
            case USE -> !PLAIN_USE.matcher(read(text)).matches() || text.length() > MAX_READ_BYTES;
            case SET, MULTI, MULTI_PRIVILEGE -> SWITCHES.matcher(read(text)).find() || text.length() > MAX_READ_BYTES;
            case CALL, EXECUTE, UNKNOWN, XA -> true;
            default -> false;
        };
    }

    private static String read(SqlStatement text) {
        return new String(text.sql(), text.from(), Math.min(text.length(), MAX_READ_BYTES), StandardCharsets.UTF_8);
    }

    /** Returns whether the argument of a COM_INIT_DB may name another catalog. */
    public boolean mayChange(String database) {
        return own != null && database.chars().anyMatch(at -> at == '.' || Character.isWhitespace(at));
    }

    /** Returns the schema in {@code [catalog.]schema}; null if {@code database} is null. */
    @Nullable
    String schemaOf(@Nullable String database) {
        return own == null || database == null ? database : database.substring(database.indexOf('.') + 1);
    }
}
