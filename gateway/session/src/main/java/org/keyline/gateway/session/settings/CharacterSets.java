package org.keyline.gateway.session.settings;

import java.util.Locale;
import org.jspecify.annotations.Nullable;
import org.keyline.gateway.key.SlotValues;
import org.keyline.protocol.Collation;

/**
 * The character sets of a session's statements, of the literals in them, and of its results.
 * Immutable.
 *
 * @param client {@code character_set_client}, lower case
 * @param connection {@code collation_connection}, lower case
 * @param results {@code character_set_results}, lower case; the word {@code null} if text is sent
 * as stored
 * @param resultsFrom the origin of the results' collation. Column definitions show the number of
 * this collation, which the character set alone does not determine
 * @param defaultCollations the store's default collations of character sets; empty if the store
 * reports none
 */
public record CharacterSets(
        String client, String connection, String results, String resultsFrom, String defaultCollations) {
    private static final String BINARY = "binary";

    /** The {@link #resultsFrom} of a collation that comes from the store's global variable. */
    static final String GLOBAL = "global";

    /*
     * Hits require utf8mb4 or its subset utf8mb3 for statements and for results, because lines
     * contain text in utf8mb4. character_set_results may also be NULL, as Connector/J sets it.
     * Strings without a character set (MediaWiki) are compared only with byte columns.
     */

    /** Returns the character sets after a login. */
    static CharacterSets of(Collation collation, String resultsFrom) {
        return new CharacterSets(collation.charset(), collation.name(), collation.charset(), resultsFrom, "");
    }

    /** Returns the character sets after SET NAMES. */
    CharacterSets withNames(Collation collation, String from) {
        return new CharacterSets(collation.charset(), collation.name(), collation.charset(), from, defaultCollations);
    }

    /**
     * Derives the character sets from the store's values of the three variables.
     *
     * @param collation the number of the results' collation, from the column definitions of the
     * store's answer; 0 if they show no collation
     * @param defaults the value of {@link #defaultCollations}
     */
    CharacterSets received(
            @Nullable String client,
            @Nullable String connection,
            @Nullable String results,
            int collation,
            String defaults) {
        // If a login or SET NAMES determined the collation, the answer does not change its origin.
        String from = collation > 0 && resultsFrom.equals(GLOBAL) ? String.valueOf(collation) : resultsFrom;
        return new CharacterSets(lower(client), lower(connection), lower(results), from, defaults);
    }

    /** Returns these character sets with an unknown collation, until the store's next answer. */
    CharacterSets unknown() {
        return new CharacterSets(client, connection, results, GLOBAL, defaultCollations);
    }

    private static String lower(@Nullable String value) {
        return value == null ? "null" : value.toLowerCase(Locale.ROOT);
    }

    /** Returns whether the store would convert a text in the same way under {@code others}. */
    public boolean convertsAs(CharacterSets others) {
        return client.equals(others.client) && charset(connection).equals(charset(others.connection));
    }

    private static String charset(String collation) {
        int end = collation.indexOf('_');
        return end < 0 ? collation : collation.substring(0, end);
    }

    CharacterSets withClient(String charset) {
        return new CharacterSets(lower(charset), connection, results, resultsFrom, defaultCollations);
    }

    CharacterSets withConnection(Collation collation) {
        return new CharacterSets(client, collation.name(), results, resultsFrom, defaultCollations);
    }

    CharacterSets withResults(String charset, boolean byDefault) {
        return new CharacterSets(
                client, connection, lower(charset), byDefault ? GLOBAL : lower(charset), defaultCollations);
    }

    /** Returns a text that is equal for sessions whose character sets have the same effect. */
    public String identity() {
        return names() + "/" + resultsFrom + "/" + defaultCollations;
    }

    String names() {
        return client + "/" + connection + "/" + results;
    }

    /** Returns whether statements are in UTF-8; also true if they have no character set. */
    boolean textIsUtf8() {
        return client.equals("utf8mb4") || client.equals(BINARY) || isUtf8mb3(client);
    }

    /**
     * Returns whether results are in UTF-8. Also true if the store does not convert results,
     * because the texts that the store generates, such as names of columns, are then in UTF-8.
     */
    boolean resultsAreUtf8() {
        return results.equals("utf8mb4") || basicResults() || resultsAsStored();
    }

    /**
     * Returns the maximum bytes per character in statements: 4 or 3 for UTF-8, 0 for another
     * encoding, {@link SlotValues#NO_CHARACTERS} without a character set.
     */
    int utf8Bytes() {
        if (client.equals(BINARY) && connection.equals(BINARY)) {
            return SlotValues.NO_CHARACTERS;
        }
        if (client.equals("utf8mb4") && connection.startsWith("utf8mb4")) {
            return 4;
        }
        boolean basic = isUtf8mb3(client) && (isUtf8mb3(connection) || connection.startsWith("utf8mb4"));
        return basic ? 3 : 0;
    }

    /** Returns whether the store replaces characters beyond Unicode's basic plane in results. */
    public boolean basicResults() {
        return isUtf8mb3(results);
    }

    /** Returns whether text is sent in the character set of its column. */
    public boolean resultsAsStored() {
        return results.equals("null") || results.equals(BINARY);
    }

    /** Returns whether lines can answer statements with these character sets. */
    boolean served() {
        return utf8Bytes() != 0 && (results.equals("utf8mb4") || basicResults() || resultsAsStored());
    }

    /** Returns whether the name is {@code utf8mb3}, {@code utf8} or one of their collations. */
    private static boolean isUtf8mb3(String name) {
        return name.equals("utf8") || name.startsWith("utf8_") || name.startsWith("utf8mb3");
    }
}
