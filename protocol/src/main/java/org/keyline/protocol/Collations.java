package org.keyline.protocol;

import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The table of all collations of MySQL and MariaDB.
 *
 * <p>MySQL and MariaDB number whole families of collations by rule, so the table has one entry for
 * each family. The Unicode 4.0 tailorings of each character set have consecutive ids in the same
 * order. MariaDB's NO PAD variant of a collation has its id plus 1024. The ids of MariaDB's
 * UCA-14.0.0 collations encode the character set, the tailoring, and the accent, case and pad bits.
 */
final class Collations {
    private static final int NOPAD = 1024;

    private static final int UCA1400 = 2048;

    private static final String SINGLE = """
            1 big5_chinese_ci 2 latin2_czech_cs 3 dec8_swedish_ci 4 cp850_general_ci 5 latin1_german1_ci
            6 hp8_english_ci 7 koi8r_general_ci 8 latin1_swedish_ci 9 latin2_general_ci 10 swe7_swedish_ci
            11 ascii_general_ci 12 ujis_japanese_ci 13 sjis_japanese_ci 14 cp1251_bulgarian_ci 15 latin1_danish_ci
            16 hebrew_general_ci 18 tis620_thai_ci 19 euckr_korean_ci 20 latin7_estonian_cs 21 latin2_hungarian_ci
            22 koi8u_general_ci 23 cp1251_ukrainian_ci 24 gb2312_chinese_ci 25 greek_general_ci 26 cp1250_general_ci
            27 latin2_croatian_ci 28 gbk_chinese_ci 29 cp1257_lithuanian_ci 30 latin5_turkish_ci 31 latin1_german2_ci
            32 armscii8_general_ci 33 utf8mb3_general_ci 34 cp1250_czech_cs 35 ucs2_general_ci 36 cp866_general_ci
            37 keybcs2_general_ci 38 macce_general_ci 39 macroman_general_ci 40 cp852_general_ci 41 latin7_general_ci
            42 latin7_general_cs 43 macce_bin 44 cp1250_croatian_ci 45 utf8mb4_general_ci 46 utf8mb4_bin 47 latin1_bin
            48 latin1_general_ci 49 latin1_general_cs 50 cp1251_bin 51 cp1251_general_ci 52 cp1251_general_cs
            53 macroman_bin 54 utf16_general_ci 55 utf16_bin 56 utf16le_general_ci 57 cp1256_general_ci 58 cp1257_bin
            59 cp1257_general_ci 60 utf32_general_ci 61 utf32_bin 62 utf16le_bin 63 binary 64 armscii8_bin 65 ascii_bin
            66 cp1250_bin 67 cp1256_bin 68 cp866_bin 69 dec8_bin 70 greek_bin 71 hebrew_bin 72 hp8_bin 73 keybcs2_bin
            74 koi8r_bin 75 koi8u_bin 76 utf8mb3_tolower_ci 77 latin2_bin 78 latin5_bin 79 latin7_bin 80 cp850_bin
            81 cp852_bin 82 swe7_bin 83 utf8mb3_bin 84 big5_bin 85 euckr_bin 86 gb2312_bin 87 gbk_bin 88 sjis_bin
            89 tis620_bin 90 ucs2_bin 91 ujis_bin 92 geostd8_general_ci 93 geostd8_bin 94 latin1_spanish_ci
            95 cp932_japanese_ci 96 cp932_bin 97 eucjpms_japanese_ci 98 eucjpms_bin 99 cp1250_polish_ci
            159 ucs2_general_mysql500_ci 223 utf8mb3_general_mysql500_ci 248 gb18030_chinese_ci 249 gb18030_bin
            250 gb18030_unicode_520_ci
            255 utf8mb4_0900_ai_ci 256 utf8mb4_de_pb_0900_ai_ci 257 utf8mb4_is_0900_ai_ci 258 utf8mb4_lv_0900_ai_ci
            259 utf8mb4_ro_0900_ai_ci 260 utf8mb4_sl_0900_ai_ci 261 utf8mb4_pl_0900_ai_ci 262 utf8mb4_et_0900_ai_ci
            263 utf8mb4_es_0900_ai_ci 264 utf8mb4_sv_0900_ai_ci 265 utf8mb4_tr_0900_ai_ci 266 utf8mb4_cs_0900_ai_ci
            267 utf8mb4_da_0900_ai_ci 268 utf8mb4_lt_0900_ai_ci 269 utf8mb4_sk_0900_ai_ci
            270 utf8mb4_es_trad_0900_ai_ci 271 utf8mb4_la_0900_ai_ci 273 utf8mb4_eo_0900_ai_ci
            274 utf8mb4_hu_0900_ai_ci 275 utf8mb4_hr_0900_ai_ci 277 utf8mb4_vi_0900_ai_ci 278 utf8mb4_0900_as_cs
            279 utf8mb4_de_pb_0900_as_cs 280 utf8mb4_is_0900_as_cs 281 utf8mb4_lv_0900_as_cs 282 utf8mb4_ro_0900_as_cs
            283 utf8mb4_sl_0900_as_cs 284 utf8mb4_pl_0900_as_cs 285 utf8mb4_et_0900_as_cs 286 utf8mb4_es_0900_as_cs
            287 utf8mb4_sv_0900_as_cs 288 utf8mb4_tr_0900_as_cs 289 utf8mb4_cs_0900_as_cs 290 utf8mb4_da_0900_as_cs
            291 utf8mb4_lt_0900_as_cs 292 utf8mb4_sk_0900_as_cs 293 utf8mb4_es_trad_0900_as_cs
            294 utf8mb4_la_0900_as_cs 296 utf8mb4_eo_0900_as_cs 297 utf8mb4_hu_0900_as_cs 298 utf8mb4_hr_0900_as_cs
            300 utf8mb4_vi_0900_as_cs 303 utf8mb4_ja_0900_as_cs 304 utf8mb4_ja_0900_as_cs_ks 305 utf8mb4_0900_as_ci
            306 utf8mb4_ru_0900_ai_ci 307 utf8mb4_ru_0900_as_cs 308 utf8mb4_zh_0900_as_cs 309 utf8mb4_0900_bin
            310 utf8mb4_nb_0900_ai_ci 311 utf8mb4_nb_0900_as_cs 312 utf8mb4_nn_0900_ai_ci 313 utf8mb4_nn_0900_as_cs
            314 utf8mb4_sr_latn_0900_ai_ci 315 utf8mb4_sr_latn_0900_as_cs 316 utf8mb4_bs_0900_ai_ci
            317 utf8mb4_bs_0900_as_cs 318 utf8mb4_bg_0900_ai_ci 319 utf8mb4_bg_0900_as_cs 320 utf8mb4_gl_0900_ai_ci
            321 utf8mb4_gl_0900_as_cs 322 utf8mb4_mn_cyrl_0900_ai_ci 323 utf8mb4_mn_cyrl_0900_as_cs
            576 utf8mb3_croatian_ci 577 utf8mb3_myanmar_ci 578 utf8mb3_thai_520_w2
            608 utf8mb4_croatian_ci 609 utf8mb4_myanmar_ci 610 utf8mb4_thai_520_w2
            640 ucs2_croatian_ci 641 ucs2_myanmar_ci 642 ucs2_thai_520_w2 672 utf16_croatian_ci
            673 utf16_myanmar_ci 674 utf16_thai_520_w2 736 utf32_croatian_ci 737 utf32_myanmar_ci
            738 utf32_thai_520_w2
            """;

    private static final String[] TAILORINGS =
            ("unicode icelandic latvian romanian slovenian polish estonian spanish swedish turkish czech danish "
                            + "lithuanian slovak spanish2 roman persian esperanto hungarian sinhala german2 croatian "
                            + "unicode_520 vietnamese")
                    .split(" ", -1);

    /** The default collations of character sets whose default is not their _general_ci. */
    private static final Map<String, String> DEFAULTS =
            Stream.of("""
            utf8mb4_0900_ai_ci latin1_swedish_ci binary big5_chinese_ci dec8_swedish_ci
            hp8_english_ci swe7_swedish_ci ujis_japanese_ci sjis_japanese_ci tis620_thai_ci
            euckr_korean_ci gb2312_chinese_ci gbk_chinese_ci latin5_turkish_ci cp932_japanese_ci
            eucjpms_japanese_ci gb18030_chinese_ci
            """.strip().split("\\s+")).collect(Collectors.toMap(Collations::charset, name -> name));

    /** Maps MySQL's names of character sets to Java's. */
    private static final String JAVA_NAMES = """
            utf8mb4=UTF-8 utf8mb3=UTF-8 ascii=US-ASCII binary=ISO-8859-1 latin1=windows-1252
            latin2=ISO-8859-2 latin5=ISO-8859-9 latin7=ISO-8859-13 greek=ISO-8859-7
            hebrew=ISO-8859-8 koi8r=KOI8-R koi8u=KOI8-U cp850=IBM850 cp852=IBM852 cp866=IBM866
            cp1250=windows-1250 cp1251=windows-1251 cp1256=windows-1256 cp1257=windows-1257
            macroman=x-MacRoman macce=x-MacCentralEurope tis620=TIS-620 big5=Big5 gbk=GBK
            gb2312=GB2312 gb18030=GB18030 sjis=Shift_JIS cp932=windows-31j ujis=EUC-JP
            eucjpms=EUC-JP euckr=EUC-KR ucs2=UTF-16BE utf16=UTF-16BE utf16le=UTF-16LE utf32=UTF-32BE
            """;

    private static final Map<Integer, Collation> BY_ID = new HashMap<>();
    private static final Map<String, Collation> BY_NAME = new HashMap<>();
    private static final Map<String, Charset> JAVA_CHARSETS = new HashMap<>();

    static {
        addTailorings(101, "utf16");
        addTailorings(128, "ucs2");
        addTailorings(160, "utf32");
        addTailorings(192, "utf8mb3");
        addTailorings(224, "utf8mb4");
        addSingle();
        addNopad();
        String[] unicode = {"utf8mb3", "utf8mb4", "ucs2", "utf16", "utf32"};
        for (int i = 0; i < unicode.length; i++) {
            addUca1400(UCA1400 + 256 * i, unicode[i]);
        }
        for (String names : JAVA_NAMES.strip().split("\\s+", -1)) {
            int equal = names.indexOf('=');
            String javaName = names.substring(equal + 1);
            if (Charset.isSupported(javaName)) {
                JAVA_CHARSETS.put(names.substring(0, equal), Charset.forName(javaName));
            }
        }
    }

    private Collations() {}

    static @Nullable Collation byId(int id) {
        return BY_ID.get(id);
    }

    static @Nullable Collation byName(String name) {
        return BY_NAME.get(mb3(name.toLowerCase(Locale.ROOT)));
    }

    static @Nullable Collation defaultOf(String charset) {
        String name = mb3(charset.toLowerCase(Locale.ROOT));
        return BY_NAME.get(DEFAULTS.getOrDefault(name, name + "_general_ci"));
    }

    static @Nullable Charset javaCharset(String charset) {
        return charset.equals("utf8mb4") ? StandardCharsets.UTF_8 : JAVA_CHARSETS.get(charset);
    }

    private static String mb3(String name) {
        return name.equals("utf8") || name.startsWith("utf8_") ? "utf8mb3" + name.substring(4) : name;
    }

    private static String charset(String collation) {
        int underscore = collation.indexOf('_');
        return underscore < 0 ? collation : collation.substring(0, underscore);
    }

    private static void add(int id, String name) {
        Collation collation = new Collation(id, name, charset(name));
        BY_ID.put(id, collation);
        // MariaDB and MySQL have different ids for the Croatian collations of the same name. Here,
        // the name refers to MySQL's id.
        BY_NAME.putIfAbsent(name, collation);
    }

    private static void addSingle() {
        String[] words = SINGLE.strip().split("\\s+", -1);
        for (int i = 0; i < words.length; i += 2) {
            add(Integer.parseInt(words[i]), words[i + 1]);
        }
    }

    private static void addTailorings(int firstId, String charset) {
        for (int i = 0; i < TAILORINGS.length; i++) {
            add(firstId + i, charset + "_" + TAILORINGS[i] + "_ci");
        }
    }

    private static void addNopad() {
        for (Collation padded : BY_ID.values().toArray(Collation[]::new)) {
            String name = padded.name();
            boolean isDefault = padded.equals(defaultOf(padded.charset())) || name.endsWith("_general_ci");
            boolean isUnicode = name.endsWith("_unicode_ci") || name.endsWith("_unicode_520_ci");
            if (padded.id() >= 248 || name.equals("binary") || !(isDefault || isUnicode || name.endsWith("_bin"))) {
                continue;
            }
            int end = name.lastIndexOf('_');
            add(padded.id() + NOPAD, name.substring(0, end) + "_nopad" + name.substring(end));
        }
    }

    /** Adds MariaDB's UCA-14.0.0 collations. Each tailoring has eight ids: pad × accent × case. */
    private static void addUca1400(int firstId, String charset) {
        String[] tailorings =
                ("- icelandic latvian romanian slovenian polish estonian spanish swedish turkish czech danish "
                                + "lithuanian slovak spanish2 roman persian esperanto hungarian - german2 croatian - "
                                + "vietnamese")
                        .split(" ", -1);
        String[] variants = {
            "ai_ci", "ai_cs", "as_ci", "as_cs", "nopad_ai_ci", "nopad_ai_cs", "nopad_as_ci", "nopad_as_cs"
        };
        for (int t = 0; t < tailorings.length; t++) {
            if (t > 0 && tailorings[t].equals("-")) {
                continue;
            }
            String prefix = charset + "_uca1400_" + (t == 0 ? "" : tailorings[t] + "_");
            for (int v = 0; v < variants.length; v++) {
                add(firstId + 8 * t + v, prefix + variants[v]);
            }
        }
    }
}
