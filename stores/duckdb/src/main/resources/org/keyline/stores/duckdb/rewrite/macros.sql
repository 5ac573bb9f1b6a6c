-- Functions of MySQL and Doris as macros of DuckDB, one per line. The comment after a macro is its signature: the function's names,
-- the type to which each argument is converted, and the type of the result. Macros without a signature are for other macros and for
-- the rewriter.
--
-- Arguments: text, bytes, int (32 bits), integer (64 bits), double, number (an exact number or a double), date, timestamp (with a
-- time of day), clock (a timestamp, but no text), moment (either), json, any.
-- Results: text, bytes, integer, unsigned, double, bool, date, datetime, json, same (the type of the first argument); a result
-- with ! is never NULL.
-- An error('keyline NUMBER SQLSTATE message') reaches the client with this number, SQLSTATE and message.

CREATE OR REPLACE MACRO keyline_number(s) AS CASE WHEN s IS NULL THEN NULL ELSE coalesce(try_cast(regexp_extract(s, '^\s*[-+]?(\d+\.?\d*|\.\d+)([eE][-+]?\d+)?') AS DOUBLE), 0::DOUBLE) END;
CREATE OR REPLACE MACRO keyline_double_text(d) AS regexp_replace(replace(CAST(d + 0 AS VARCHAR), 'e+', 'e'), '\.0(e|$)', '\1');
CREATE OR REPLACE MACRO keyline_bits(n) AS CAST(CASE WHEN n < 0 THEN CAST(CAST(n AS BIGINT) AS HUGEINT) & 18446744073709551615::HUGEINT ELSE CAST(n AS HUGEINT) END AS UBIGINT);
CREATE OR REPLACE MACRO keyline_signed(n) AS CAST(CASE WHEN CAST(n AS HUGEINT) > 9223372036854775807 THEN CAST(n AS HUGEINT) - 18446744073709551616::HUGEINT ELSE CAST(n AS HUGEINT) END AS BIGINT);
CREATE OR REPLACE MACRO keyline_shift_left(n, c) AS CASE WHEN c IS NULL THEN NULL WHEN c < 0 OR c > 63 THEN 0::UBIGINT ELSE CAST((CAST(keyline_bits(n) AS HUGEINT) * CAST(pow(2, c) AS HUGEINT)) & 18446744073709551615::HUGEINT AS UBIGINT) END;
CREATE OR REPLACE MACRO keyline_shift_right(n, c) AS CASE WHEN c IS NULL THEN NULL WHEN c < 0 OR c > 63 THEN 0::UBIGINT ELSE CAST(CAST(keyline_bits(n) AS HUGEINT) // CAST(pow(2, c) AS HUGEINT) AS UBIGINT) END;
CREATE OR REPLACE MACRO keyline_finite(x) AS CASE WHEN isfinite(x) IS NOT FALSE THEN x ELSE error('keyline 1690 22003 DOUBLE value is out of range') END;
CREATE OR REPLACE MACRO keyline_divisor(y, x) AS CASE WHEN y = 0 AND x IS NOT NULL THEN error('keyline 1365 22012 Division by 0') ELSE y END;
CREATE OR REPLACE MACRO keyline_logarithm(r, x) AS CASE WHEN r IS NULL AND x IS NOT NULL THEN error('keyline 1365 22012 Division by 0') ELSE r END;
CREATE OR REPLACE MACRO keyline_binary(b, n) AS unhex(rpad(left(hex(b), 2 * n), 2 * n, '0'));
CREATE OR REPLACE MACRO keyline_offset(z) AS CASE WHEN z[1] IN ('+', '-') THEN (CASE WHEN z[1] = '-' THEN -1 ELSE 1 END) * (CAST(split_part(z[2:], ':', 1) AS INTEGER) * 3600 + CAST(split_part(z[2:], ':', 2) AS INTEGER) * 60) ELSE 0 END;
CREATE OR REPLACE MACRO keyline_zone(z) AS CASE WHEN z[1] IN ('+', '-') THEN 'UTC' ELSE z END;
CREATE OR REPLACE MACRO keyline_local(t, z) AS timezone(keyline_zone(z), timezone('UTC', t)) + to_seconds(keyline_offset(z));
CREATE OR REPLACE MACRO keyline_utc(t, z) AS timezone('UTC', timezone(keyline_zone(z), t)) - to_seconds(keyline_offset(z));
CREATE OR REPLACE MACRO keyline_moment(t) AS CASE WHEN t > TIMESTAMP '9999-12-31 23:59:59.999999' OR t < TIMESTAMP '0001-01-01' THEN error('keyline 1441 22008 Datetime function: datetime field overflow') ELSE t END;
CREATE OR REPLACE MACRO keyline_plain(s) AS CASE WHEN regexp_matches(s, '^\s*(\d{5,}|\d{1,2}[^\d\s]\d{1,2}[^\d\s]\d|\d+-\d+-\d.*[A-SU-Za-z+]|(?i:epoch|-?infinity)\s*$)') THEN error('keyline 1235 42000 This store doesn''t support the text ''' || s || ''' as a date or time; write YYYY-MM-DD hh:mm:ss') ELSE s END;
CREATE OR REPLACE MACRO keyline_same_date(s) AS CASE WHEN s IS NOT NULL THEN coalesce(TRY_CAST(keyline_plain(s) AS TIMESTAMP), TIMESTAMP '0001-01-01 (BC) 00:00:00') END;
CREATE OR REPLACE MACRO keyline_digits(s, c) AS CASE WHEN regexp_matches(s, '^\s*[-+]?(0[xXbB]|[\d.eE+-]*_)') THEN error('keyline 1265 01000 Data truncated for column ''' || c || ''' at row 1') ELSE s END;
CREATE OR REPLACE MACRO keyline_is_date(s) AS CASE WHEN s IS NOT NULL AND TRY_CAST(s AS TIMESTAMP) IS NULL THEN error('keyline 1525 HY000 Incorrect DATETIME value: ''' || s || '''') ELSE TRY_CAST(keyline_plain(s) AS TIMESTAMP) END;
CREATE OR REPLACE MACRO keyline_epoch(n) AS CASE WHEN n < 0 OR n >= 2147483648000000 THEN error('keyline 1235 42000 This store doesn''t support UNIX_TIMESTAMP and FROM_UNIXTIME before 1970 and after 2038-01-19 03:14:07') ELSE n END;
CREATE OR REPLACE MACRO keyline_within(t) AS CASE WHEN t BETWEEN TIMESTAMP '0001-01-01' AND TIMESTAMP '9999-12-31 23:59:59.999999' THEN t END;
CREATE OR REPLACE MACRO keyline_fit(s, n, c) AS CASE WHEN length(s) > n AND length(rtrim(s, ' ')) > n THEN error('keyline 1406 22001 Data too long for column ''' || c || ''' at row 1') ELSE left(s, n) END;
CREATE OR REPLACE MACRO keyline_months(a, b) AS CASE WHEN b >= a THEN date_diff('month', a, b) - CASE WHEN (day(b), CAST(b AS TIME)) < (day(a), CAST(a AS TIME)) THEN 1 ELSE 0 END ELSE date_diff('month', a, b) + CASE WHEN (day(a), CAST(a AS TIME)) < (day(b), CAST(b AS TIME)) THEN 1 ELSE 0 END END;

-- Text. A function whose result may be longer than its arguments together needs a case in TextRoom, which limits the length.
CREATE OR REPLACE MACRO keyline_length(b) AS octet_length(b); -- length|octet_length(bytes) integer
CREATE OR REPLACE MACRO keyline_bit_length(b) AS octet_length(b) * 8; -- bit_length(bytes) integer
CREATE OR REPLACE MACRO keyline_locate(t, s) AS instr(s, t); -- locate(text, text) integer
CREATE OR REPLACE MACRO keyline_locate_from(t, s, n) AS CASE WHEN s IS NULL OR t IS NULL THEN NULL WHEN n IS NULL OR n < 1 OR n > length(s) OR instr(substr(s, n), t) = 0 THEN 0 ELSE instr(substr(s, n), t) + n - 1 END; -- locate(text, text, int) integer
CREATE OR REPLACE MACRO keyline_instr(s, t) AS instr(s, t); -- instr(text, text) integer
CREATE OR REPLACE MACRO keyline_strcmp(a, b) AS CASE WHEN a < b THEN -1 WHEN a > b THEN 1 WHEN a = b THEN 0 END; -- strcmp(text, text) integer
CREATE OR REPLACE MACRO keyline_find_in_set(s, l) AS CASE WHEN s IS NULL OR l IS NULL THEN NULL WHEN l = '' THEN 0 ELSE coalesce(list_position(string_split(l, ','), s), 0) END; -- find_in_set(text, text) integer
CREATE OR REPLACE MACRO keyline_substring(s, n) AS CASE WHEN s IS NULL OR n IS NULL THEN NULL WHEN n = 0 OR n < -length(s) THEN '' ELSE substr(s, n) END; -- substring|substr|mid(text, int) text
CREATE OR REPLACE MACRO keyline_substring_of(s, n, c) AS CASE WHEN s IS NULL OR n IS NULL OR c IS NULL THEN NULL WHEN n = 0 OR n < -length(s) THEN '' ELSE substr(s, n, CASE WHEN c < 0 THEN 0 ELSE c END) END; -- substring|substr|mid(text, int, int) text
CREATE OR REPLACE MACRO keyline_left(s, n) AS left(s, CASE WHEN n < 0 THEN 0 ELSE n END); -- left|strleft(text, int) text
CREATE OR REPLACE MACRO keyline_right(s, n) AS right(s, CASE WHEN n < 0 THEN 0 ELSE n END); -- right(text, int) text
CREATE OR REPLACE MACRO keyline_substring_index(s, d, n) AS CASE WHEN s IS NULL OR d IS NULL OR n IS NULL THEN NULL WHEN d = '' OR n = 0 THEN '' WHEN n > 0 THEN array_to_string(string_split(s, d)[1:n], d) ELSE array_to_string(string_split(s, d)[greatest(len(string_split(s, d)) + n + 1, 1):], d) END; -- substring_index(text, text, int) text
CREATE OR REPLACE MACRO keyline_trim(s) AS trim(s, ' '); -- trim both(text) text
CREATE OR REPLACE MACRO keyline_ltrim(s) AS ltrim(s, ' '); -- trim leading|ltrim(text) text
CREATE OR REPLACE MACRO keyline_rtrim(s) AS rtrim(s, ' '); -- trim trailing|rtrim(text) text
CREATE OR REPLACE MACRO keyline_trim_leading(s, x) AS regexp_replace(s, '^(' || regexp_escape(x) || ')+', ''); -- trim leading(text, text) text
CREATE OR REPLACE MACRO keyline_trim_trailing(s, x) AS regexp_replace(s, '(' || regexp_escape(x) || ')+$', ''); -- trim trailing(text, text) text
CREATE OR REPLACE MACRO keyline_trim_both(s, x) AS keyline_trim_trailing(keyline_trim_leading(s, x), x); -- trim both(text, text) text
CREATE OR REPLACE MACRO keyline_upper(s) AS replace(upper(s), 'ẞ', 'ß'); -- upper|ucase(text) text
CREATE OR REPLACE MACRO keyline_lower(s) AS lower(s); -- lower|lcase(text) text
CREATE OR REPLACE MACRO keyline_replace(s, a, b) AS CASE WHEN a = '' THEN s ELSE replace(s, a, b) END; -- replace(text, text, text) text
CREATE OR REPLACE MACRO keyline_reverse(s) AS reverse(s); -- reverse(text) text
CREATE OR REPLACE MACRO keyline_repeat(s, n) AS repeat(s, CASE WHEN n < 0 THEN 0 ELSE n END); -- repeat(text, int) text
CREATE OR REPLACE MACRO keyline_space(n) AS repeat(' ', CASE WHEN n < 0 THEN 0 ELSE n END); -- space(int) text
CREATE OR REPLACE MACRO keyline_lpad(s, n, p) AS CASE WHEN n < 0 THEN NULL WHEN p = '' AND length(s) < n THEN NULL ELSE lpad(s, n, p) END; -- lpad(text, int, text) text
CREATE OR REPLACE MACRO keyline_rpad(s, n, p) AS CASE WHEN n < 0 THEN NULL WHEN p = '' AND length(s) < n THEN NULL ELSE rpad(s, n, p) END; -- rpad(text, int, text) text
CREATE OR REPLACE MACRO keyline_insert(s, n, c, t) AS CASE WHEN s IS NULL OR n IS NULL OR c IS NULL OR t IS NULL THEN NULL WHEN n < 1 OR n > length(s) THEN s ELSE left(s, n - 1) || t || substr(s, n + CASE WHEN c < 0 THEN length(s) ELSE c END) END; -- insert(text, int, int, text) text
CREATE OR REPLACE MACRO keyline_quote(s) AS coalesce('''' || replace(replace(CAST(s AS VARCHAR), '\', '\\'), '''', '\''') || '''', 'NULL'); -- quote(text) text
CREATE OR REPLACE MACRO keyline_regexp_replace(s, p, t) AS regexp_replace(s, p, t, 'g'); -- regexp_replace(text, text, text) text
CREATE OR REPLACE MACRO keyline_regexp_like(s, p) AS regexp_matches(s, p); -- regexp_like(text, text) bool
CREATE OR REPLACE MACRO keyline_regexp_substr(s, p) AS nullif(regexp_extract(s, p), ''); -- regexp_substr(text, text) text
CREATE OR REPLACE MACRO keyline_ascii(b) AS CASE WHEN b IS NULL THEN NULL ELSE coalesce(CAST('0x' || nullif(left(hex(b), 2), '') AS INTEGER), 0) END; -- ascii(bytes) integer
CREATE OR REPLACE MACRO keyline_unhex(s) AS try(unhex(s)); -- unhex(text) bytes
CREATE OR REPLACE MACRO keyline_md5(b) AS md5(b); -- md5(bytes) text
CREATE OR REPLACE MACRO keyline_sha1(b) AS sha1(b); -- sha1|sha(bytes) text
CREATE OR REPLACE MACRO keyline_sha2(b, n) AS CASE WHEN n IN (0, 256) THEN sha256(b) WHEN n IN (224, 384, 512) THEN error('keyline 1235 42000 This store doesn''t support SHA2 of ' || n || ' bits') END; -- sha2(bytes, int) text
CREATE OR REPLACE MACRO keyline_to_base64(b) AS to_base64(b); -- to_base64(bytes) text
CREATE OR REPLACE MACRO keyline_from_base64(s) AS try(from_base64(s)); -- from_base64(text) bytes
CREATE OR REPLACE MACRO keyline_bin(n) AS bin(keyline_bits(n)); -- bin(integer) text
CREATE OR REPLACE MACRO keyline_uuid() AS CAST(uuid() AS VARCHAR); -- uuid() text!
CREATE OR REPLACE MACRO keyline_split_part(s, d, n) AS CASE WHEN n = 0 OR abs(n) > len(string_split(s, d)) THEN NULL ELSE split_part(s, d, n) END; -- split_part(text, text, int) text

-- Numbers.
CREATE OR REPLACE MACRO keyline_abs(x) AS abs(x); -- abs(number) same
CREATE OR REPLACE MACRO keyline_sign(x) AS CAST(sign(x) AS INTEGER); -- sign(number) integer
CREATE OR REPLACE MACRO keyline_pow(a, b) AS pow(a, b); -- pow|power(double, double) double
CREATE OR REPLACE MACRO keyline_sqrt(x) AS CASE WHEN x < 0 THEN NULL ELSE sqrt(x) END; -- sqrt(double) double
CREATE OR REPLACE MACRO keyline_ln(x) AS CASE WHEN x <= 0 THEN NULL ELSE ln(x) END; -- ln|log(double) double
CREATE OR REPLACE MACRO keyline_log10(x) AS CASE WHEN x <= 0 THEN NULL ELSE log10(x) END; -- log10(double) double
CREATE OR REPLACE MACRO keyline_log2(x) AS CASE WHEN x <= 0 THEN NULL ELSE log2(x) END; -- log2(double) double
CREATE OR REPLACE MACRO keyline_log(b, x) AS keyline_ln(x) / nullif(keyline_ln(b), 0); -- log(double, double) double
CREATE OR REPLACE MACRO keyline_exp(x) AS exp(x); -- exp(double) double
CREATE OR REPLACE MACRO keyline_sin(x) AS sin(x); -- sin(double) double
CREATE OR REPLACE MACRO keyline_cos(x) AS cos(x); -- cos(double) double
CREATE OR REPLACE MACRO keyline_tan(x) AS tan(x); -- tan(double) double
CREATE OR REPLACE MACRO keyline_cot(x) AS cot(x); -- cot(double) double
CREATE OR REPLACE MACRO keyline_degrees(x) AS degrees(x); -- degrees(double) double
CREATE OR REPLACE MACRO keyline_radians(x) AS radians(x); -- radians(double) double
CREATE OR REPLACE MACRO keyline_asin(x) AS CASE WHEN abs(x) <= 1 THEN asin(x) END; -- asin(double) double
CREATE OR REPLACE MACRO keyline_acos(x) AS CASE WHEN abs(x) <= 1 THEN acos(x) END; -- acos(double) double
CREATE OR REPLACE MACRO keyline_atan(x) AS atan(x); -- atan|atan2(double) double
CREATE OR REPLACE MACRO keyline_atan2(y, x) AS atan2(y, x); -- atan|atan2(double, double) double
CREATE OR REPLACE MACRO keyline_pi() AS pi(); -- pi() double!
CREATE OR REPLACE MACRO keyline_rand() AS random(); -- rand() double!
CREATE OR REPLACE MACRO keyline_bit_count(n) AS CAST(bit_count(CAST(keyline_bits(n) AS HUGEINT)) AS BIGINT); -- bit_count(integer) integer

-- Dates and times.
CREATE OR REPLACE MACRO keyline_year(d) AS year(d); -- year|extract year(moment) integer
CREATE OR REPLACE MACRO keyline_quarter(d) AS quarter(d); -- quarter|extract quarter(moment) integer
CREATE OR REPLACE MACRO keyline_month(d) AS month(d); -- month|extract month(moment) integer
CREATE OR REPLACE MACRO keyline_day(d) AS day(d); -- day|dayofmonth|extract day(moment) integer
CREATE OR REPLACE MACRO keyline_dayofyear(d) AS dayofyear(d); -- dayofyear(moment) integer
CREATE OR REPLACE MACRO keyline_hour(t) AS hour(t); -- hour|extract hour(clock) integer
CREATE OR REPLACE MACRO keyline_minute(t) AS minute(t); -- minute|extract minute(clock) integer
CREATE OR REPLACE MACRO keyline_second(t) AS second(t); -- second|extract second(clock) integer
CREATE OR REPLACE MACRO keyline_microsecond(t) AS microsecond(t) % 1000000; -- microsecond|extract microsecond(clock) integer
CREATE OR REPLACE MACRO keyline_year_month(d) AS CAST(strftime(d, '%Y%m') AS BIGINT); -- extract year_month(moment) integer
CREATE OR REPLACE MACRO keyline_day_hour(d) AS CAST(strftime(d, '%d%H') AS BIGINT); -- extract day_hour(moment) integer
CREATE OR REPLACE MACRO keyline_day_minute(d) AS CAST(strftime(d, '%d%H%M') AS BIGINT); -- extract day_minute(moment) integer
CREATE OR REPLACE MACRO keyline_day_second(d) AS CAST(strftime(d, '%d%H%M%S') AS BIGINT); -- extract day_second(moment) integer
CREATE OR REPLACE MACRO keyline_hour_minute(d) AS CAST(strftime(d, '%H%M') AS BIGINT); -- extract hour_minute(timestamp) integer
CREATE OR REPLACE MACRO keyline_hour_second(d) AS CAST(strftime(d, '%H%M%S') AS BIGINT); -- extract hour_second(timestamp) integer
CREATE OR REPLACE MACRO keyline_minute_second(d) AS CAST(strftime(d, '%M%S') AS BIGINT); -- extract minute_second(timestamp) integer
CREATE OR REPLACE MACRO keyline_dayname(d) AS dayname(d); -- dayname(moment) text
CREATE OR REPLACE MACRO keyline_monthname(d) AS monthname(d); -- monthname(moment) text
CREATE OR REPLACE MACRO keyline_last_day(d) AS last_day(d); -- last_day(date) date
CREATE OR REPLACE MACRO keyline_to_days(d) AS date_diff('day', DATE '1970-01-01', d) + 719528; -- to_days(date) integer
CREATE OR REPLACE MACRO keyline_from_days(n) AS CAST(keyline_moment(DATE '1970-01-01' + (n - 719528)) AS DATE); -- from_days(int) date
CREATE OR REPLACE MACRO keyline_dayofweek(d) AS dayofweek(d) + 1; -- dayofweek(moment) integer
CREATE OR REPLACE MACRO keyline_weekday(d) AS isodow(d) - 1; -- weekday(moment) integer
CREATE OR REPLACE MACRO keyline_weekofyear(d) AS weekofyear(d); -- weekofyear(moment) integer
CREATE OR REPLACE MACRO keyline_week(d) AS CAST(strftime(d, '%U') AS INTEGER); -- week|extract week(moment) integer
CREATE OR REPLACE MACRO keyline_week_of(d, m) AS CASE m WHEN 0 THEN CAST(strftime(d, '%U') AS INTEGER) WHEN 1 THEN CASE WHEN isoyear(d) < year(d) THEN 0 WHEN isoyear(d) > year(d) THEN 53 ELSE weekofyear(d) END WHEN 3 THEN CAST(strftime(d, '%V') AS INTEGER) WHEN 5 THEN CAST(strftime(d, '%W') AS INTEGER) ELSE error('keyline 1235 42000 This store doesn''t support WEEK in mode ' || m) END; -- week(moment, int) integer
CREATE OR REPLACE MACRO keyline_yearweek_sunday(d) AS CAST(CASE WHEN strftime(d, '%U') = '00' THEN strftime(make_date(year(d) - 1, 12, 31), '%Y%U') ELSE strftime(d, '%Y%U') END AS INTEGER); -- yearweek(moment) integer
CREATE OR REPLACE MACRO keyline_yearweek(d, m) AS CASE WHEN m IN (1, 3) THEN CAST(strftime(d, '%G%V') AS INTEGER) ELSE error('keyline 1235 42000 This store doesn''t support YEARWEEK in mode ' || m) END; -- yearweek(moment, int) integer
CREATE OR REPLACE MACRO keyline_date(d) AS d; -- date|to_date(date) date
CREATE OR REPLACE MACRO keyline_timestamp(t) AS t; -- timestamp(timestamp) same
CREATE OR REPLACE MACRO keyline_convert_tz(t, a, b) AS keyline_local(keyline_utc(t, a), b); -- convert_tz(timestamp, text, text) same
CREATE OR REPLACE MACRO keyline_makedate(y, n) AS CASE WHEN n > 0 THEN CAST(make_date(y, 1, 1) + (n - 1) AS DATE) END; -- makedate(int, int) date
CREATE OR REPLACE MACRO keyline_datediff(a, b) AS date_diff('day', b, a); -- datediff(date, date) integer
CREATE OR REPLACE MACRO keyline_diff_microsecond(a, b) AS date_sub('microsecond', a, b); -- timestampdiff microsecond(timestamp, timestamp) integer
CREATE OR REPLACE MACRO keyline_diff_second(a, b) AS date_sub('second', a, b); -- timestampdiff second(timestamp, timestamp) integer
CREATE OR REPLACE MACRO keyline_diff_minute(a, b) AS date_sub('minute', a, b); -- timestampdiff minute(timestamp, timestamp) integer
CREATE OR REPLACE MACRO keyline_diff_hour(a, b) AS date_sub('hour', a, b); -- timestampdiff hour(timestamp, timestamp) integer
CREATE OR REPLACE MACRO keyline_diff_day(a, b) AS date_sub('day', a, b); -- timestampdiff day(timestamp, timestamp) integer
CREATE OR REPLACE MACRO keyline_diff_week(a, b) AS date_sub('week', a, b); -- timestampdiff week(timestamp, timestamp) integer
CREATE OR REPLACE MACRO keyline_diff_month(a, b) AS keyline_months(a, b); -- timestampdiff month(timestamp, timestamp) integer
CREATE OR REPLACE MACRO keyline_diff_quarter(a, b) AS keyline_months(a, b) // 3; -- timestampdiff quarter(timestamp, timestamp) integer
CREATE OR REPLACE MACRO keyline_diff_year(a, b) AS keyline_months(a, b) // 12; -- timestampdiff year(timestamp, timestamp) integer
CREATE OR REPLACE MACRO keyline_date_trunc(t, u) AS date_trunc(CASE WHEN lower(u) IN ('year', 'quarter', 'month', 'week', 'day', 'hour', 'minute', 'second') THEN lower(u) ELSE error('keyline 1235 42000 This store doesn''t support date_trunc to ' || u) END, t); -- date_trunc(moment, text) same
CREATE OR REPLACE MACRO keyline_years_add(d, n) AS keyline_moment(d + to_years(n)); -- years_add(moment, int) same
CREATE OR REPLACE MACRO keyline_months_add(d, n) AS keyline_moment(d + to_months(n)); -- months_add|add_months(moment, int) same
CREATE OR REPLACE MACRO keyline_weeks_add(d, n) AS keyline_moment(d + to_days(n * 7)); -- weeks_add(moment, int) same
CREATE OR REPLACE MACRO keyline_days_add(d, n) AS keyline_moment(d + to_days(n)); -- days_add(moment, int) same
CREATE OR REPLACE MACRO keyline_years_sub(d, n) AS keyline_moment(d - to_years(n)); -- years_sub(moment, int) same
CREATE OR REPLACE MACRO keyline_months_sub(d, n) AS keyline_moment(d - to_months(n)); -- months_sub(moment, int) same
CREATE OR REPLACE MACRO keyline_weeks_sub(d, n) AS keyline_moment(d - to_days(n * 7)); -- weeks_sub(moment, int) same
CREATE OR REPLACE MACRO keyline_days_sub(d, n) AS keyline_moment(d - to_days(n)); -- days_sub(moment, int) same

-- JSON functions that DuckDB answers as MySQL does, and other functions.
CREATE OR REPLACE MACRO keyline_json_extract(j, p) AS json_extract(j, p); -- json_extract(json, text) json
CREATE OR REPLACE MACRO keyline_json_extract_string(j, p) AS json_extract_string(j, p); -- json_extract_string(json, text) text
CREATE OR REPLACE MACRO keyline_json_unquote(j) AS json_extract_string(j, '$'); -- json_unquote(json) text
CREATE OR REPLACE MACRO keyline_json_valid(s) AS json_valid(s) AND NOT regexp_matches(regexp_replace(s, '"([^"\\]|\\.)*"', '""', 'gs'), '(?is),\s*[\]}]|nan|inf'); -- json_valid(text) bool
CREATE OR REPLACE MACRO keyline_json_length(j) AS CAST(CASE json_type(j) WHEN 'ARRAY' THEN json_array_length(j) WHEN 'OBJECT' THEN len(json_keys(j)) ELSE 1 END AS BIGINT); -- json_length(json) integer
CREATE OR REPLACE MACRO keyline_json_contains_path(j, w, p) AS json_exists(j, p); -- json_contains_path(json, text, text) bool
CREATE OR REPLACE MACRO keyline_json_quote(s) AS CAST(to_json(s) AS VARCHAR); -- json_quote(text) text
CREATE OR REPLACE MACRO keyline_size(a) AS CAST(json_array_length(a) AS BIGINT); -- size|cardinality|array_size(json) integer
CREATE OR REPLACE MACRO keyline_isnull(x) AS x IS NULL; -- isnull(any) bool!
CREATE OR REPLACE MACRO keyline_any_value(x) AS first(x); -- any_value(any) same
CREATE OR REPLACE MACRO keyline_approx_count_distinct(x) AS approx_count_distinct(x); -- approx_count_distinct|ndv(any) integer!
CREATE OR REPLACE MACRO keyline_stddev_pop(x) AS stddev_pop(x); -- std|stddev|stddev_pop(double) double
CREATE OR REPLACE MACRO keyline_stddev_samp(x) AS stddev_samp(x); -- stddev_samp(double) double
CREATE OR REPLACE MACRO keyline_var_pop(x) AS var_pop(x); -- variance|var_pop(double) double
CREATE OR REPLACE MACRO keyline_var_samp(x) AS var_samp(x); -- var_samp(double) double
