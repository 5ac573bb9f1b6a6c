package org.keyline.protocol.auth;

import static java.util.Objects.requireNonNull;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.Locale;
import java.util.Random;
import org.jspecify.annotations.Nullable;

/**
 * The stored form of an account's password, in MySQL's own formats, and the plugin that the account
 * requires. Immutable.
 *
 * <ul>
 * <li>{@code mysql_native_password}: {@code *} and SHA1(SHA1(password)) as 40 hexadecimal digits
 * <li>{@code caching_sha2_password}: {@code $A$}, the rounds in thousands as three hexadecimal
 *   digits, {@code $}, 20 characters of salt and 43 of the SHA-256 crypt
 * <li>the empty text: an empty password
 * </ul>
 *
 * {@code mysql_clear_password} has no stored form of its own. It can check a password against each
 * of these forms.
 */
public final class Credential {
    /**
     * Maximum length of a password, as in MySQL, because the work of the crypt grows with the
     * square of the length.
     */
    public static final int MAX_PASSWORD_BYTES = 256;

    private static final int SALT_LENGTH = 20;
    private static final int CRYPT_LENGTH = 43;
    private static final String SALT_ALPHABET = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
    private static final byte[] NONE = {};

    private final AuthPlugin plugin;
    private final String stored;
    private final byte[] doubleSha1;
    private final int rounds;

    private final byte[] salt;
    private final byte[] crypt;

    private Credential(AuthPlugin plugin, String stored, byte[] doubleSha1, int rounds, byte[] salt, byte[] crypt) {
        this.plugin = plugin;
        this.stored = stored;
        this.doubleSha1 = doubleSha1;
        this.rounds = rounds;
        this.salt = salt;
        this.crypt = crypt;
    }

    public static Credential empty(AuthPlugin plugin) {
        return new Credential(requireNonNull(plugin, "plugin is null"), "", NONE, 0, NONE, NONE);
    }

    /**
     * Returns the credential of a password, with a stored form in printable ASCII. Takes some
     * milliseconds if that form is a crypt.
     */
    public static Credential ofPassword(AuthPlugin plugin, String password, Random random) {
        byte[] bytes = password.getBytes(StandardCharsets.UTF_8);
        if (bytes.length > MAX_PASSWORD_BYTES) {
            throw new IllegalArgumentException(
                    "password length: " + bytes.length + " bytes (expected: 0.." + MAX_PASSWORD_BYTES + ")");
        }
        if (bytes.length == 0) {
            return empty(plugin);
        }
        if (plugin == AuthPlugin.NATIVE_PASSWORD) {
            MessageDigest sha1 = Scramble.sha1();
            return parse(plugin, "*" + HexFormat.of().withUpperCase().formatHex(sha1.digest(sha1.digest(bytes))));
        }
        byte[] salt = new byte[SALT_LENGTH];
        for (int i = 0; i < SALT_LENGTH; i++) {
            salt[i] = (byte) SALT_ALPHABET.charAt(random.nextInt(SALT_ALPHABET.length()));
        }
        byte[] crypt = Sha256Crypt.digest(bytes, salt, 5_000);
        return parse(plugin, "$A$005$" + latin1(salt) + latin1(crypt));
    }

    /**
     * Reads a stored form. A form that begins with {@code *} belongs to mysql_native_password, any
     * other form to caching_sha2_password.
     */
    public static Credential parse(String stored) {
        return parse(stored.startsWith("*") ? AuthPlugin.NATIVE_PASSWORD : AuthPlugin.CACHING_SHA2_PASSWORD, stored);
    }

    /**
     * Reads a stored form.
     *
     * @param stored one character, U+0000 to U+00FF, for each byte, because a salt can contain any
     *     byte
     * @throws IllegalArgumentException if the plugin cannot check this form; the message does not
     *     contain the form
     */
    public static Credential parse(AuthPlugin plugin, String stored) {
        requireNonNull(plugin, "plugin is null");
        if (stored.isEmpty()) {
            return empty(plugin);
        }
        if (stored.startsWith("*") && plugin != AuthPlugin.CACHING_SHA2_PASSWORD) {
            return parseNative(plugin, stored);
        }
        if (stored.startsWith("$A$") && plugin != AuthPlugin.NATIVE_PASSWORD) {
            return parseCrypt(plugin, stored);
        }
        throw new IllegalArgumentException("stored credential is not in a form of " + plugin.wireName());
    }

    private static Credential parseNative(AuthPlugin plugin, String stored) {
        if (stored.length() != 41) {
            throw new IllegalArgumentException("stored credential length: " + stored.length() + " (expected: 41)");
        }
        try {
            byte[] digest = HexFormat.of().parseHex(stored, 1, 41);
            return new Credential(plugin, stored.toUpperCase(Locale.ROOT), digest, 0, NONE, NONE);
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException("stored credential is not '*' and 40 hexadecimal digits");
        }
    }

    private static Credential parseCrypt(AuthPlugin plugin, String stored) {
        int expected = 7 + SALT_LENGTH + CRYPT_LENGTH;
        if (stored.length() != expected || stored.charAt(6) != '$') {
            throw new IllegalArgumentException("stored credential is not '$A$', 3 digits, '$' and "
                    + (SALT_LENGTH + CRYPT_LENGTH) + " characters");
        }
        int thousands = 0;
        for (int i = 3; i < 6; i++) {
            int digit = Character.digit(stored.charAt(i), 16);
            if (digit < 0) {
                throw new IllegalArgumentException("rounds of the stored credential are not 3 hexadecimal digits");
            }
            thousands = thousands << 4 | digit;
        }
        if (thousands < 5) {
            throw new IllegalArgumentException("rounds: " + thousands + " thousand (expected: 5..4095)");
        }
        byte[] bytes = stored.getBytes(StandardCharsets.ISO_8859_1);
        byte[] salt = Arrays.copyOfRange(bytes, 7, 7 + SALT_LENGTH);
        byte[] crypt = Arrays.copyOfRange(bytes, 7 + SALT_LENGTH, expected);
        return new Credential(plugin, stored, NONE, thousands * 1_000, salt, crypt);
    }

    public AuthPlugin plugin() {
        return plugin;
    }

    public String stored() {
        return stored;
    }

    public boolean isEmpty() {
        return stored.isEmpty();
    }

    /** Returns whether a password is correct. Takes some milliseconds if the form is a crypt. */
    public boolean checkPassword(byte[] password) {
        if (password.length > MAX_PASSWORD_BYTES) {
            return false;
        }
        if (isEmpty()) {
            return password.length == 0;
        }
        if (rounds == 0) {
            MessageDigest sha1 = Scramble.sha1();
            return MessageDigest.isEqual(sha1.digest(sha1.digest(password)), doubleSha1);
        }
        return MessageDigest.isEqual(Sha256Crypt.digest(password, salt, rounds), crypt);
    }

    /** Returns whether a native proof is correct; false if the stored form is a crypt. */
    boolean checkNative(byte[] proof, byte[] scramble) {
        return isEmpty() ? proof.length == 0 : Scramble.checkNative(proof, scramble, doubleSha1);
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof Credential that && plugin == that.plugin && stored.equals(that.stored);
    }

    @Override
    public int hashCode() {
        return 31 * plugin.hashCode() + stored.hashCode();
    }

    /** Returns a text without the stored form. */
    @Override
    public String toString() {
        return "Credential[" + plugin.wireName() + (isEmpty() ? ", empty]" : "]");
    }

    private static String latin1(byte[] bytes) {
        return new String(bytes, StandardCharsets.ISO_8859_1);
    }
}
