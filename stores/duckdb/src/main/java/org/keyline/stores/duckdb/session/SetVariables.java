package org.keyline.stores.duckdb.session;

import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.time.DateTimeException;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.keyline.planner.StatementRefusedException;
import org.keyline.planner.digest.SqlMode;
import org.keyline.protocol.Collation;
import org.keyline.protocol.memory.MemoryAccount;
import org.keyline.stores.duckdb.engine.Errors;
import org.keyline.stores.duckdb.reply.ReplyMemory;
import org.keyline.stores.duckdb.session.SystemVariables.Definition;
import org.keyline.stores.duckdb.session.SystemVariables.Kind;
import org.keyline.stores.duckdb.session.SystemVariables.Scope;

/**
 * The system variables, user variables and character sets of one session. Used by one thread at a
 * time.
 */
final class SetVariables {
    /** utf8mb4_0900_bin: the collation of text columns if character_set_results is NULL. */
    private static final int AS_STORED = 309;

    /** The character sets whose text is stored and sent without conversion. */
    static final Set<String> STORED = Set.of("utf8mb4", "utf8mb3", "binary");

    /** The character sets in which ASCII text has other bytes. */
    private static final Set<String> NOT_ASCII = Set.of("ucs2", "utf16", "utf16le", "utf32", "swe7");

    /** The modes of sql_mode that are honoured, and those that make no difference in this store. */
    private static final Set<String> MODES = Set.of("""
        ANSI_QUOTES ERROR_FOR_DIVISION_BY_ZERO IGNORE_SPACE NO_AUTO_CREATE_USER NO_AUTO_VALUE_ON_ZERO
        NO_BACKSLASH_ESCAPES NO_DIR_IN_CREATE NO_ENGINE_SUBSTITUTION NO_FIELD_OPTIONS NO_KEY_OPTIONS NO_TABLE_OPTIONS
        NO_ZERO_DATE NO_ZERO_IN_DATE ONLY_FULL_GROUP_BY PIPES_AS_CONCAT STRICT_ALL_TABLES STRICT_TRANS_TABLES
        TRADITIONAL
        """.strip().split("\\s+"));

    /** The modes of TRADITIONAL. */
    private static final String TRADITIONAL = "STRICT_TRANS_TABLES,STRICT_ALL_TABLES,NO_ZERO_IN_DATE,NO_ZERO_DATE,"
            + "ERROR_FOR_DIVISION_BY_ZERO,TRADITIONAL,NO_ENGINE_SUBSTITUTION";

    static final List<String> LEVELS = List.of("READ-UNCOMMITTED", "READ-COMMITTED", "REPEATABLE-READ", "SERIALIZABLE");

    private static final int MAX_USER_VARIABLES = 1_000;
    private static final int VARIABLE_BYTES = 128;
    private static final int NUMBER_BYTES = 64;
    private static final BigInteger MAX_UNSIGNED = BigInteger.ONE.shiftLeft(64).subtract(BigInteger.ONE);

    private final SystemVariables system;
    private final int handshakeCollation;
    private final MemoryAccount memory;
    private final Map<String, String> values = new HashMap<>();
    private final Map<String, @Nullable Object> user = new LinkedHashMap<>();
    private int resultsCollation;
    private SqlMode sqlMode = SqlMode.DEFAULT;

    /** @param memory accounts for the memory of user variables */
    SetVariables(SystemVariables system, int handshakeCollation, MemoryAccount memory) {
        this.system = system;
        this.memory = memory;
        this.handshakeCollation = handshakeCollation;
        reset();
    }

    /** Resets the variables to their state after login: the current global values. */
    void reset() {
        values.clear();
        values.putAll(system.globals());
        user.forEach((name, value) -> memory.give(bytes(name, value)));
        user.clear();
        sqlMode = mode(get("sql_mode"));
        Collation collation = Collation.byId(handshakeCollation);
        if (collation == null || NOT_ASCII.contains(collation.charset())) {
            collation = Collation.byId(Collation.UTF8MB4_0900_AI_CI);
        }
        if (collation != null) {
            names(collation);
        }
    }

    private static SqlMode mode(String text) {
        return SqlMode.parse(text).orElse(SqlMode.DEFAULT);
    }

    private void names(Collation collation) {
        values.put("character_set_client", collation.charset());
        values.put("character_set_connection", collation.charset());
        values.put("character_set_results", collation.charset());
        values.put("collation_connection", collation.name());
        resultsCollation = collation.id();
    }

    /** Checks SET NAMES, and returns the task that carries it out. */
    Runnable naming(String charset, @Nullable String collationName) {
        Collation collation = collationName == null ? charset(charset) : collation(collationName);
        if (collationName != null && !charset(charset).charset().equals(collation.charset())) {
            throw Errors.error(
                    1253,
                    "42000",
                    "COLLATION '" + collationName + "' is not valid for CHARACTER SET '" + charset + "'");
        }
        int results = charset(charset).id();
        return () -> {
            names(collation);
            resultsCollation = results;
        };
    }

    private static Collation charset(String name) {
        Collation collation = Collation.defaultOf(name.toLowerCase(Locale.ROOT));
        if (collation == null) {
            throw Errors.error(1115, "42000", "Unknown character set: '" + name + "'");
        }
        if (NOT_ASCII.contains(collation.charset())) {
            throw StatementRefusedException.unsupported("the character set " + name);
        }
        return collation;
    }

    private static Collation collation(String name) {
        Collation collation = Collation.byName(name);
        if (collation == null) {
            throw Errors.error(1273, "HY000", "Unknown collation: '" + name + "'");
        }
        return collation;
    }

    /** Returns the session's value of a system variable as text. */
    String get(String name) {
        Definition definition = system.require(name);
        return definition.scope() == Scope.GLOBAL
                ? system.global(definition)
                : values.getOrDefault(definition.name(), definition.initial());
    }

    boolean isOn(String name) {
        return get(name).equals("ON");
    }

    long number(String name) {
        return new BigInteger(get(name)).longValue();
    }

    /** Returns the value of a system variable as SELECT @@name shows it. */
    Object value(String name, boolean global) {
        Definition definition = system.require(name);
        String text = global ? system.global(definition) : get(name);
        return switch (definition.kind()) {
            case TEXT -> text;
            case SWITCH -> text.equals("ON") ? 1L : 0L;
            case INTEGER -> {
                BigInteger number = new BigInteger(text.isEmpty() ? "0" : text);
                yield number.bitLength() < Long.SIZE ? (Object) number.longValue() : number;
            }
        };
    }

    boolean isNumber(String name) {
        return system.require(name).kind() != Kind.TEXT;
    }

    /**
     * Checks SET of a system variable, and returns the task that carries it out.
     *
     * @param value null for DEFAULT
     */
    Runnable setting(String name, @Nullable Object value, boolean global) {
        Definition definition = system.require(name);
        if (definition.scope() == Scope.FIXED) {
            throw Errors.error(1238, "HY000", "Variable '" + name + "' is a read only variable");
        }
        if (definition.scope() == Scope.GLOBAL && !global) {
            throw Errors.error(
                    1229, "HY000", "Variable '" + name + "' is a GLOBAL variable and should be set with SET GLOBAL");
        }
        String text = value == null && global ? definition.initial() : checked(name, value);
        if (definition.scope() == Scope.INITIAL_ONLY && !text.equalsIgnoreCase(definition.initial())) {
            throw StatementRefusedException.unsupported("SET " + definition.name() + " = " + text);
        }
        Runnable parsed = parsed(definition, text);
        if (global) {
            return () -> system.setGlobal(definition, text);
        }
        return () -> {
            values.put(definition.name(), text);
            parsed.run();
        };
    }

    /** Checks a value. Returns the task that stores its parsed form, such as the time zone. */
    private Runnable parsed(Definition definition, String text) {
        switch (definition.name()) {
            case "sql_mode" -> {
                for (String name : text.split(",", -1)) {
                    if (!name.isEmpty() && !MODES.contains(name)) {
                        throw wrongValue(definition, name);
                    }
                }
                SqlMode mode = mode(text);
                return () -> sqlMode = mode;
            }
            case "time_zone" -> requireUtc(text);
            case "character_set_client", "character_set_connection" -> charset(text);
            case "character_set_results" -> {
                int results = text.isEmpty() ? AS_STORED : charset(text).id();
                return () -> resultsCollation = results;
            }
            case "collation_connection" -> {
                String charset = collation(text).charset();
                return () -> values.put("character_set_connection", charset);
            }
            default -> {}
        }
        return () -> {};
    }

    /** Checks a value of a system variable and returns its text. Null means the global value. */
    String checked(String name, @Nullable Object value) {
        Definition definition = system.require(name);
        return value == null ? system.global(definition) : checked(definition, value);
    }

    private static String checked(Definition definition, Object value) {
        String text = value instanceof byte[] bytes ? new String(bytes, StandardCharsets.UTF_8) : value.toString();
        if (definition.name().equals("transaction_isolation")) {
            String level = text.toUpperCase(Locale.ROOT);
            if (!LEVELS.contains(level)) {
                throw wrongValue(definition, text);
            }
            return level;
        }
        if (definition.name().equals("sql_mode")) {
            return text.equals("0") ? "" : modes(text);
        }
        return switch (definition.kind()) {
            case TEXT -> text;
            case SWITCH -> switched(definition, text);
            case INTEGER -> integer(definition, text);
        };
    }

    /** Returns the modes of a sql_mode in upper case, each once. */
    private static String modes(String text) {
        return Arrays.stream(text.toUpperCase(Locale.ROOT).split(",", -1))
                .flatMap(name ->
                        name.equals("TRADITIONAL") ? Arrays.stream(TRADITIONAL.split(",", -1)) : Stream.of(name))
                .filter(name -> !name.isEmpty())
                .distinct()
                .collect(Collectors.joining(","));
    }

    private static String switched(Definition definition, String text) {
        return switch (text.toUpperCase(Locale.ROOT)) {
            case "1", "ON", "TRUE" -> "ON";
            case "0", "OFF", "FALSE" -> "OFF";
            default -> throw wrongValue(definition, text);
        };
    }

    private static String integer(Definition definition, String text) {
        try {
            BigInteger number = new BigInteger(text.trim());
            return number.signum() < 0 ? "0" : number.min(MAX_UNSIGNED).toString();
        } catch (NumberFormatException e) {
            throw Errors.error(1232, "42000", "Incorrect argument type to variable '" + definition.name() + "'");
        }
    }

    private static RuntimeException wrongValue(Definition definition, String text) {
        return Errors.error(
                1231, "42000", "Variable '" + definition.name() + "' can't be set to the value of '" + text + "'");
    }

    private static void requireUtc(String text) {
        try {
            boolean utc = text.equalsIgnoreCase("SYSTEM")
                    || ZoneId.of(text).getRules().equals(ZoneOffset.UTC.getRules());
            if (!utc) {
                throw StatementRefusedException.unsupported("the time_zone " + text + "; the store computes in UTC");
            }
        } catch (DateTimeException e) {
            throw Errors.error(1298, "HY000", "Unknown or incorrect time zone: '" + text + "'");
        }
    }

    void setUser(String name, @Nullable Object value) {
        if (user.size() >= MAX_USER_VARIABLES && !user.containsKey(name)) {
            throw Errors.error(1105, "HY000", "A session has at most " + MAX_USER_VARIABLES + " user variables");
        }
        boolean known = user.containsKey(name);
        ReplyMemory.take(memory, bytes(name, value) - (known ? bytes(name, user.get(name)) : 0));
        user.put(name, value);
    }

    /**
     * Estimates the bytes of a user variable: the map's entry, the name and the value, with two
     * bytes per character.
     */
    private static long bytes(String name, @Nullable Object value) {
        long held = value instanceof byte[] binary
                ? binary.length
                : value instanceof String text ? 2L * text.length() : NUMBER_BYTES;
        return VARIABLE_BYTES + 2L * name.length() + held;
    }

    @Nullable
    Object user(String name) {
        return user.get(name);
    }

    /** Returns whether the session's sql_mode has this mode. */
    boolean hasMode(String name) {
        return get("sql_mode").contains(name);
    }

    SqlMode sqlMode() {
        return sqlMode;
    }

    /** Returns the collation id in the definitions of text columns. */
    int resultsCollation() {
        return resultsCollation;
    }

    /** Returns whether text in results must be ASCII, because the client does not expect UTF-8. */
    boolean asciiResults() {
        Collation collation = Collation.byId(resultsCollation);
        return collation != null && !STORED.contains(collation.charset());
    }

    /** Returns whether statements and values must be ASCII, because they are not in UTF-8. */
    boolean asciiStatements() {
        return !STORED.contains(charset(get("character_set_client")).charset());
    }

    List<Map.Entry<String, String>> all(boolean global) {
        return system.all().stream()
                .map(Definition::name)
                .map(name -> Map.entry(name, global ? system.global(system.require(name)) : get(name)))
                .toList();
    }
}
