package org.keyline.ycsb;

import java.io.IOException;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Arrays;
import java.util.Random;
import java.util.function.IntSupplier;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * Bibliographic records like those of the published measurement: 5,507,988 records of about 750
 * bytes. The frequencies of words follow those in the titles of 2,616 records of DBLP, by a
 * Zipf-Mandelbrot distribution. The word of rank 100 is in 1.1 % of all titles, that of rank 300 in
 * 0.42 %, that of rank 1,000 in 0.11 %. The number of records per year doubles every seven years.
 * One in 50 records has a publisher. The same seed makes the same records. Confined to one thread.
 */
final class Bibliography {
    static final int PUBLISHED_RECORDS = 5_507_988;
    static final int LAST_YEAR = 2020;
    static final int PUBLISHERS = 1_000;

    private static final int FIRST_YEAR = 1960;
    private static final int RECORD_BYTES = 752;
    private static final int VOCABULARY = 20_000;
    private static final double SCALE = 9.71;
    private static final double OFFSET = 84.4;
    private static final double EXPONENT = 1.3;
    private static final double YEARS_TO_DOUBLE = 7;
    private static final double WITH_PUBLISHER = 0.02;
    private static final String CONSONANTS = "bcdfghjklmnpqrstvwxz";
    private static final String VOWELS = "aeiou";
    private static final int SYLLABLES = CONSONANTS.length() * VOWELS.length();
    private static final int ROWS_PER_INSERT = 500;

    private final Random random;
    private final double[] words = new double[VOCABULARY];
    private final double[] years = new double[LAST_YEAR - FIRST_YEAR + 1];

    Bibliography(long seed) {
        random = new Random(seed);
        for (int rank = 1; rank <= VOCABULARY; rank++) {
            words[rank - 1] = (rank == 1 ? 0 : words[rank - 2]) + SCALE / Math.pow(rank + OFFSET, EXPONENT);
        }
        for (int i = 0; i < years.length; i++) {
            years[i] = (i == 0 ? 0 : years[i - 1]) + Math.pow(2, i / YEARS_TO_DOUBLE);
        }
    }

    /** Returns the word of a rank from 1. All words have six letters, so none contains another. */
    static String word(int rank) {
        StringBuilder word = new StringBuilder();
        // The factor is coprime to the number of words. So all words differ, and words of
        // neighbouring ranks are not neighbours in the alphabet.
        for (long left = rank * 7_919L; word.length() < 6; left /= SYLLABLES) {
            int syllable = (int) (left % SYLLABLES);
            word.append(CONSONANTS.charAt(syllable / VOWELS.length()))
                    .append(VOWELS.charAt(syllable % VOWELS.length()));
        }
        return word.toString();
    }

    /** Returns the name of a publisher, 1 to {@link #PUBLISHERS}. */
    static String publisher(int number) {
        return "publisher " + number;
    }

    /** Drops and fills the table {@code publications}. */
    void load(Target target, int records, boolean fullText) throws IOException {
        try (Connection connection = target.openCreatingDatabase();
                Statement sql = connection.createStatement()) {
            sql.execute("DROP TABLE IF EXISTS publications");
            sql.execute(
                    "CREATE TABLE publications (id INT PRIMARY KEY, title VARCHAR(400) NOT NULL, authors VARCHAR(200) NOT NULL,"
                            + " year INT NOT NULL, publisher VARCHAR(40), venue VARCHAR(40) NOT NULL, source VARCHAR(1000) NOT NULL)");
            StringBuilder insert = new StringBuilder();
            for (int id = 1; id <= records; id++) {
                insert.append(insert.isEmpty() ? "INSERT INTO publications VALUES " : ", ");
                append(insert, id);
                if (id % ROWS_PER_INSERT == 0 || id == records) {
                    sql.execute(insert.toString());
                    insert.setLength(0);
                }
            }
            if (fullText) {
                sql.execute("ALTER TABLE publications ADD FULLTEXT (title)");
            }
        } catch (SQLException e) {
            throw new IOException("the table cannot be filled: " + e.getMessage(), e);
        }
    }

    private void append(StringBuilder insert, int id) {
        // The sum of the shares of all words is the mean number of words in a title.
        int count = Math.max(1, (int) Math.round(words[VOCABULARY - 1] + random.nextGaussian() * 2));
        String title = joined(" ", count, () -> 1 + drawn(words));
        String authors = joined(", ", 1 + random.nextInt(4), () -> 1 + random.nextInt(VOCABULARY));
        int year = FIRST_YEAR + drawn(years);
        boolean published = random.nextDouble() < WITH_PUBLISHER;
        String publisher = published ? "'" + publisher(1 + random.nextInt(PUBLISHERS)) + "'" : "NULL";
        String row = "(%d, '%s', '%s', %d, %s, 'venue %d', '"
                .formatted(id, title, authors, year, publisher, 1 + random.nextInt(2_000));
        insert.append(row)
                .append("0123456789abcdef".repeat(Math.max(0, RECORD_BYTES - row.length()) / 16))
                .append("')");
    }

    private static String joined(String separator, int words, IntSupplier rank) {
        return IntStream.range(0, words).mapToObj(i -> word(rank.getAsInt())).collect(Collectors.joining(separator));
    }

    private int drawn(double[] sums) {
        int found = Arrays.binarySearch(sums, random.nextDouble() * sums[sums.length - 1]);
        return found < 0 ? -found - 1 : found;
    }
}
