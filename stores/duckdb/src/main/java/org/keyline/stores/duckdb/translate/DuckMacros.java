package org.keyline.stores.duckdb.translate;

import java.util.List;

/**
 * Functions that translated statements call: MySQL's where DuckDB has none that is exactly alike. The store creates them once,
 * before it runs a translated statement, where a name without a schema finds them.
 */
public final class DuckMacros {

    private static final String NUMBER_PATTERN = "'^\\s*[-+]?(\\d+\\.?\\d*|\\.\\d+)([eE][-+]?\\d+)?'";
    private static final String BITS = "18446744073709551615::HUGEINT";

    /**
     * Longest text that a function makes of a short one, the value that {@code max_allowed_packet} shows: beyond it the answer is
     * NULL. DuckDB does not count such texts against its memory.
     */
    public static final int MAX_TEXT_BYTES = 64 << 20;

    private DuckMacros() {}

    /** Statements that create them; they may be run again. */
    public static List<String> statements() {
        return List.of(
                // The number that a text begins with, 0 if with none.
                macro(
                        "keyline_number(s)",
                        "CASE WHEN s IS NULL THEN NULL ELSE coalesce(try_cast(regexp_extract(s, " + NUMBER_PATTERN
                                + ") AS DOUBLE), 0::DOUBLE) END"),
                // A double as MySQL prints it.
                macro(
                        "keyline_double_text(d)",
                        "regexp_replace(replace(CAST(d AS VARCHAR), 'e+', 'e'), '\\.0(e|$)', '\\1')"),
                macro(
                        "keyline_repeat(s, n)",
                        "CASE WHEN CAST(strlen(s) AS HUGEINT) * n > " + MAX_TEXT_BYTES
                                + " THEN NULL ELSE repeat(s, greatest(n, 0)) END"),
                // 64 bits of a number, negative ones in two's complement.
                macro("keyline_bits(n)", "CAST(CAST(n AS HUGEINT) & " + BITS + " AS UBIGINT)"),
                macro(
                        "keyline_shift_left(n, c)",
                        "CASE WHEN c IS NULL THEN NULL WHEN c < 0 OR c > 63 THEN 0::UBIGINT ELSE"
                                + " CAST((CAST(keyline_bits(n) AS HUGEINT) * CAST(pow(2, c) AS HUGEINT)) & " + BITS
                                + " AS UBIGINT) END"),
                macro(
                        "keyline_shift_right(n, c)",
                        "CASE WHEN c IS NULL THEN NULL WHEN c < 0 OR c > 63 THEN 0::UBIGINT ELSE"
                                + " CAST(CAST(keyline_bits(n) AS HUGEINT) // CAST(pow(2, c) AS HUGEINT) AS UBIGINT) END"),
                // Seconds east of UTC of an offset such as +02:00.
                macro(
                        "keyline_offset(z)",
                        "CASE WHEN z[1] IN ('+', '-') THEN (CASE WHEN z[1] = '-' THEN -1 ELSE 1 END)"
                                + " * (CAST(split_part(z[2:], ':', 1) AS INTEGER) * 3600"
                                + " + CAST(split_part(z[2:], ':', 2) AS INTEGER) * 60) ELSE 0 END"),
                macro("keyline_zone(z)", "CASE WHEN z[1] IN ('+', '-') THEN 'UTC' ELSE z END"),
                // A moment in UTC as local time of a zone, and back.
                macro(
                        "keyline_local(t, z)",
                        "timezone(keyline_zone(z), timezone('UTC', t)) + to_seconds(keyline_offset(z))"),
                macro(
                        "keyline_utc(t, z)",
                        "timezone('UTC', timezone(keyline_zone(z), t)) - to_seconds(keyline_offset(z))"),
                macro(
                        "keyline_quote(s)",
                        "coalesce('''' || replace(replace(CAST(s AS VARCHAR), '\\', '\\\\'), '''', '\\''') || '''', 'NULL')"),
                // A decimal's text with commas between thousands and n decimals.
                macro(
                        "keyline_grouped(s, n)",
                        "CASE WHEN s[1] = '-' THEN '-' ELSE '' END"
                                + " || reverse(rtrim(regexp_replace(reverse(ltrim(split_part(s, '.', 1), '-')),"
                                + " '(\\d{3})', '\\1,', 'g'), ','))"
                                + " || CASE WHEN n = 0 THEN '' ELSE '.' || rpad(split_part(s, '.', 2), CAST(n AS INTEGER), '0') END"),
                // Whole months between moments, as MySQL counts them.
                macro(
                        "keyline_months(a, b)",
                        "CASE WHEN b >= a THEN date_diff('month', a, b)"
                                + " - CASE WHEN (day(b), CAST(b AS TIME)) < (day(a), CAST(a AS TIME)) THEN 1 ELSE 0 END"
                                + " ELSE date_diff('month', a, b)"
                                + " + CASE WHEN (day(a), CAST(a AS TIME)) < (day(b), CAST(b AS TIME)) THEN 1 ELSE 0 END END"),
                // A quotient of integers, rounded; half away from zero.
                macro(
                        "keyline_ratio(n, d)",
                        "CASE WHEN (n < 0) <> (d < 0) THEN -1 ELSE 1 END * ((2 * abs(n) + abs(d)) // (2 * abs(d)))"),
                // The 64 bits of an unsigned number, with a sign.
                macro(
                        "keyline_signed(n)",
                        "CAST(CASE WHEN CAST(n AS HUGEINT) > 9223372036854775807 THEN CAST(n AS HUGEINT)"
                                + " - 18446744073709551616::HUGEINT ELSE CAST(n AS HUGEINT) END AS BIGINT)"),
                macro(
                        "keyline_find_in_set(s, l)",
                        "CASE WHEN s IS NULL OR l IS NULL THEN NULL WHEN l = '' THEN 0"
                                + " ELSE coalesce(list_position(string_split(l, ','), s), 0) END"),
                macro(
                        "keyline_substring_index(s, d, n)",
                        "CASE WHEN s IS NULL OR d IS NULL OR n IS NULL THEN NULL WHEN d = '' OR n = 0 THEN ''"
                                + " WHEN n > 0 THEN array_to_string(string_split(s, d)[1:n], d)"
                                + " ELSE array_to_string(string_split(s, d)[greatest(len(string_split(s, d)) + n + 1, 1):], d) END"),
                // A moment that MySQL has, for a column.
                macro(
                        "keyline_moment(t)",
                        "CASE WHEN t > TIMESTAMP '9999-12-31 23:59:59.999999' OR t < TIMESTAMP '0001-01-01'"
                                + " THEN error('keyline 1441 22008 Datetime function: datetime field overflow') ELSE t END"),
                // Text that a column of n characters can hold.
                macro(
                        "keyline_fit(s, n, c)",
                        "CASE WHEN length(s) > n AND length(rtrim(s, ' ')) > n"
                                + " THEN error('keyline 1406 22001 Data too long for column ''' || c || ''' at row 1')"
                                + " ELSE left(s, n) END"));
    }

    private static String macro(String head, String body) {
        return "CREATE OR REPLACE MACRO " + head + " AS " + body;
    }
}
