package org.keyline.gateway.session.settings;

import java.util.Locale;
import org.jspecify.annotations.Nullable;
import org.keyline.gateway.key.SlotValues;
import org.keyline.protocol.Collation;

/**
 * The character sets of a session's statements, of the literals in them, and of its results. Immutable.
 *
 * @param client {@code character_set_client}, lower case
 * @param connection {@code collation_connection}, lower case
 * @param results {@code character_set_results}, lower case; {@code null} as a word: text is sent as it is stored
 * @param resultsFrom where the collation of the results comes from, whose number column definitions show: a character set's name does not tell it
 * @param defaultCollations what the store tells of the collations that it gives to character sets; empty if nothing
 */
public record CharacterSets(
        String client, String connection, String results, String resultsFrom, String defaultCollations) {
    private static final String BINARY = "binary";

    /** A {@link #resultsFrom}: the store's global variable. */
    static final String GLOBAL = "global";

    /*
     * Hits need utf8mb4 in both directions, since lines hold utf8mb4 and key bytes are compared as such; utf8mb3 is a part of it.
     * character_set_results may also be NULL, as Connector/J sets it. Strings without a character set, as MediaWiki's, are compared with
     * columns of bytes alone.
     */

    /** What logins set. */
    static CharacterSets of(Collation collation, String resultsFrom) {
        return new CharacterSets(collation.charset(), collation.name(), collation.charset(), resultsFrom, "");
    }

    /** What SET NAMES sets. */
    CharacterSets withNames(Collation collation, String from) {
        return new CharacterSets(collation.charset(), collation.name(), collation.charset(), from, defaultCollations);
    }

    /**
     * What a store tells of the three variables.
     *
     * @param collation of the results, as the definitions of its answer show it; 0 if they show none
     * @param defaults of {@link #defaultCollations}
     */
    CharacterSets told(
            @Nullable String client,
            @Nullable String connection,
            @Nullable String results,
            int collation,
            String defaults) {
        // What logins and names set is the same in every session, whether it was asked or not.
        String from = collation > 0 && resultsFrom.equals(GLOBAL) ? String.valueOf(collation) : resultsFrom;
        return new CharacterSets(lower(client), lower(connection), lower(results), from, defaults);
    }

    /** The same, until the store has told what was set. */
    CharacterSets unknown() {
        return new CharacterSets(client, connection, results, GLOBAL, defaultCollations);
    }

    private static String lower(@Nullable String value) {
        return value == null ? "null" : value.toLowerCase(Locale.ROOT);
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

    /** Part of what makes two replies the same. */
    public String identity() {
        return names() + "/" + resultsFrom + "/" + defaultCollations;
    }

    /** Names all three. */
    String names() {
        return client + "/" + connection + "/" + results;
    }

    /** Whether statements are in UTF-8. To the store, those in no character set are. */
    boolean textIsUtf8() {
        return client.equals("utf8mb4") || client.equals(BINARY) || isUtf8mb3(client);
    }

    /** Whether results are in UTF-8; names and other text of the store's own are so where text is sent as it is stored. */
    boolean resultsAreUtf8() {
        return results.equals("utf8mb4") || basicResults() || resultsAsStored();
    }

    /**
     * How many bytes a character of a statement's strings has at most in UTF-8; 0 if they are in another encoding,
     * {@link SlotValues#NO_CHARACTERS} if they have no character set.
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

    /** Whether results have no characters beyond the basic plane: the store replaces them. */
    public boolean basicResults() {
        return isUtf8mb3(results);
    }

    /** Whether text is sent in the character set that its column has. */
    public boolean resultsAsStored() {
        return results.equals("null") || results.equals(BINARY);
    }

    /** Whether lines can answer in them. */
    boolean served() {
        return utf8Bytes() != 0 && (results.equals("utf8mb4") || basicResults() || resultsAsStored());
    }

    /** {@code utf8mb3}, {@code utf8} and their collations. */
    private static boolean isUtf8mb3(String name) {
        return name.equals("utf8") || name.startsWith("utf8_") || name.startsWith("utf8mb3");
    }
}
