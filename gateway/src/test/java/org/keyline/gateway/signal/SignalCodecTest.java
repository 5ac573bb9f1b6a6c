package org.keyline.gateway.signal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.keyline.planner.TableName;
import org.keyline.stores.RowImage;

final class SignalCodecTest {
    private static final TableName TABLE = new TableName("shop", "order\u20ACs");

    private static List<byte @Nullable []> cells(byte @Nullable [] one, byte @Nullable [] other) {
        List<byte @Nullable []> cells = new ArrayList<>();
        cells.add(one);
        cells.add(other);
        return cells;
    }

    private static final List<SignalMessage> MESSAGES = List.of(
            new SignalMessage.Row(
                    TABLE,
                    -5,
                    cells(new byte[] {1, 2}, null),
                    List.of(cells(null, RowImage.UNKNOWN), cells(new byte[0], new byte[] {3}))),
            new SignalMessage.Table(TABLE),
            new SignalMessage.Definitions(List.of(TABLE, new TableName("", "t"))),
            new SignalMessage.Everything(),
            new SignalMessage.AllDefinitions(),
            new SignalMessage.Privileges(),
            new SignalMessage.Complete(null, 7),
            new SignalMessage.Complete(TABLE, Long.MAX_VALUE),
            new SignalMessage.Told("0-1-7,\u20AC"));

    private static byte[] reply() {
        return SignalCodec.reply(MESSAGES.stream().map(SignalCodec::encode).toList());
    }

    @Test
    void messages_comeAsTheyWere() throws IOException {
        List<SignalMessage> read = SignalCodec.messages(reply());
        assertThat(read).hasSameSizeAs(MESSAGES);
        assertThat(read.subList(1, read.size())).isEqualTo(MESSAGES.subList(1, MESSAGES.size()));
        SignalMessage.Row row = (SignalMessage.Row) read.get(0);
        assertThat(row.table()).isEqualTo(TABLE);
        assertThat(row.definition()).isEqualTo(-5);
        assertThat(row.key().get(0)).containsExactly(1, 2);
        assertThat(row.key().get(1)).isNull();
        assertThat(row.key()).hasSize(2);
        assertThat(row.images()).hasSize(2);
        assertThat(row.images().get(0).get(0)).isNull();
        assertThat(row.images().get(0).get(1)).isSameAs(RowImage.UNKNOWN);
        assertThat(row.images().get(1).get(0)).isNotSameAs(RowImage.UNKNOWN).isEmpty();
        assertThat(row.images().get(1).get(1)).containsExactly(3);
    }

    @Test
    void questions_comeAsTheyWere() throws IOException {
        SignalQuestion all = new SignalQuestion(-1, 1, "mysql://db:3306", Set.of(TABLE));
        assertThat(SignalCodec.question(SignalCodec.encode(all))).isEqualTo(all);
        SignalQuestion none = new SignalQuestion(2, 2, "mysql://db:3306", null);
        assertThat(SignalCodec.question(SignalCodec.encode(none))).isEqualTo(none);
    }

    /** Whatever is read is no other exception, and takes no more memory than there are bytes. */
    @Test
    void damagedBytes_areReadOrRefused() {
        byte[] question = SignalCodec.encode(new SignalQuestion(-1, 1, "mysql://db:3306", Set.of(TABLE)));
        Random random = new Random(7);
        int refused = 0;
        for (int i = 0; i < 50_000; i++) {
            byte[] damaged = (i % 2 == 0 ? reply() : question).clone();
            int times = 1 + random.nextInt(3);
            for (int j = 0; j < times; j++) {
                damaged[random.nextInt(damaged.length)] = (byte) random.nextInt(256);
            }
            byte[] cut = random.nextInt(4) == 0 ? Arrays.copyOf(damaged, random.nextInt(damaged.length)) : damaged;
            try {
                if (i % 2 == 0) {
                    SignalCodec.messages(cut);
                } else {
                    SignalCodec.question(cut);
                }
            } catch (IOException expected) {
                refused++;
            }
        }
        assertThat(refused).isBetween(5_000, 49_000);
    }

    @Test
    void anotherVersion_andMoreThanExpected_areRefused() {
        byte[] other = reply();
        other[0] = 2;
        assertThatThrownBy(() -> SignalCodec.messages(other)).hasMessageContaining("version of messages: 2");
        byte[] more = Arrays.copyOf(reply(), reply().length + 1);
        assertThatThrownBy(() -> SignalCodec.messages(more)).hasMessageContaining("1 bytes more");
    }
}
