package org.keyline.protocol.codec;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.keyline.protocol.Lenenc;
import org.keyline.protocol.ProtocolException;
import org.keyline.protocol.fixtures.Hex;
import org.keyline.protocol.fixtures.LeakCheck;
import org.keyline.protocol.fixtures.Seeds;
import org.keyline.protocol.fixtures.Wire;

/** Bytes from the protocol's page on integer types. */
@ExtendWith(LeakCheck.class)
final class LenencTest {
    @ParameterizedTest
    @CsvSource({
        "0, 00",
        "250, fa",
        "251, fc fb 00",
        "65535, fc ff ff",
        "65536, fd 00 00 01",
        "16777215, fd ff ff ff",
        "16777216, fe 00 00 00 01 00 00 00 00",
        "-1, fe ff ff ff ff ff ff ff ff"
    })
    void writeInt_atEveryBorder_hasTheShortestForm(long value, String hex) {
        assertThat(Wire.encode(out -> Lenenc.writeInt(out, value))).isEqualTo(Hex.bytes(hex));
        assertThat(Lenenc.size(value)).isEqualTo(Hex.bytes(hex).length);
        assertThat(Lenenc.readInt(Wire.hex(hex))).isEqualTo(value);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "fb", "ff", "fc", "fc 01", "fd ff ff", "fe 00 00 00 00 00 00 00"})
    void readInt_cutOffOrNoInteger_isProtocolError(String hex) {
        assertThatThrownBy(() -> Lenenc.readInt(Wire.hex(hex))).isInstanceOf(ProtocolException.class);
    }

    @ParameterizedTest
    @ValueSource(strings = {"02 61", "fe ff ff ff ff ff ff ff 7f 61", "fe ff ff ff ff ff ff ff ff 61"})
    void readString_longerThanTheRest_isProtocolError(String hex) {
        assertThatThrownBy(() -> Lenenc.readString(Wire.hex(hex))).isInstanceOf(ProtocolException.class);
        assertThatThrownBy(() -> Lenenc.readBytes(Wire.hex(hex))).isInstanceOf(ProtocolException.class);
    }

    @Test
    void integersAndStrings_random_comeBack() {
        Seeds.tryAll(500, random -> {
            long value = Seeds.skewed(random);
            String text = Seeds.text(random, 400);
            ByteBuf buffer = Unpooled.buffer();
            Lenenc.writeInt(buffer, value);
            Lenenc.writeString(buffer, text);
            assertThat(Lenenc.readInt(buffer)).isEqualTo(value);
            assertThat(Lenenc.readString(buffer)).isEqualTo(text);
            assertThat(buffer.isReadable()).isFalse();
        });
    }

    @Test
    void readNulString_withoutNul_takesTheRest() {
        ByteBuf buffer = Wire.hex("61 62 00 63");
        assertThat(Lenenc.readNulString(buffer, StandardCharsets.UTF_8)).isEqualTo("ab");
        assertThat(Lenenc.readNulString(buffer, StandardCharsets.UTF_8)).isEqualTo("c");
        assertThat(buffer.isReadable()).isFalse();
    }
}
