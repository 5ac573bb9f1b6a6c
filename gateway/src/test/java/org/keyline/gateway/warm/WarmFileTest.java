package org.keyline.gateway.warm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.zip.CRC32C;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.keyline.planner.TableName;

class WarmFileTest {
    private static final int CHECKSUM_AT = 12;
    private static final WarmFile.Content CONTENT = new WarmFile.Content(
            "mysql://127.0.0.1:3306",
            List.of(
                    new WarmFile.Statement("shop", "SELECT `ä` FROM t WHERE k = ?"),
                    new WarmFile.Statement("", "SELECT ?")),
            List.of(
                    new WarmFile.Table(new TableName("shop", "t"), 1, "ab12"),
                    new WarmFile.Table(new TableName("shop", "ü"), 3, "cd34")),
            List.of(
                    new WarmFile.Key(1, (byte) 0, new byte[] {1, 0, -1}),
                    new WarmFile.Key(0, (byte) 1, new byte[] {}),
                    new WarmFile.Key(0, (byte) 1, new byte[300])));

    @TempDir
    private Path directory;

    private Path file;

    @BeforeEach
    void name() {
        file = directory.resolve("hot.warm");
    }

    @Test
    void whatIsWritten_isRead() throws Exception {
        WarmFile.write(file, CONTENT);
        WarmFile.Content read = WarmFile.read(file);
        assertThat(read).usingRecursiveComparison().isEqualTo(CONTENT);
    }

    @Test
    void file_isReplacedAsAWhole_andForItsOwnerOnly() throws Exception {
        Files.writeString(file, "what was there before");
        // What a gateway left that was killed while it wrote.
        Files.writeString(directory.resolve("hot.warm.new"), "half of a fi");
        WarmFile.write(file, CONTENT);
        assertThat(WarmFile.read(file)).usingRecursiveComparison().isEqualTo(CONTENT);
        try (var files = Files.list(directory)) {
            assertThat(files).containsExactly(file);
        }
        assumeTrue(file.getFileSystem().supportedFileAttributeViews().contains("posix"));
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file)))
                .isEqualTo("rw-------");
    }

    @Test
    void everyFlippedByte_isNoticed() throws Exception {
        byte[] good = WarmFile.encode(CONTENT);
        for (int i = 0; i < good.length; i++) {
            byte[] bad = good.clone();
            bad[i] ^= 0x20;
            assertUnusable(bad);
        }
    }

    @Test
    void everyTruncatedOrLongerFile_isNoticed() throws Exception {
        byte[] good = WarmFile.encode(CONTENT);
        for (int length = 0; length < good.length; length++) {
            assertUnusable(Arrays.copyOf(good, length));
        }
        assertUnusable(Arrays.copyOf(good, good.length + 1));
    }

    /** A checksum that is right by chance or on purpose: lengths that lie neither take memory nor end the start. */
    @Test
    void lengthsThatLie_areNoticed() throws Exception {
        Random random = new Random(17);
        byte[] good = WarmFile.encode(CONTENT);
        for (int i = 0; i < 2_000; i++) {
            byte[] bad = good.clone();
            for (int flips = 1 + random.nextInt(4); flips > 0; flips--) {
                bad[CHECKSUM_AT + 4 + random.nextInt(bad.length - CHECKSUM_AT - 4)] = (byte) random.nextInt();
            }
            CRC32C crc = new CRC32C();
            crc.update(bad, CHECKSUM_AT + 4, bad.length - CHECKSUM_AT - 4);
            ByteBuffer.wrap(bad).putInt(CHECKSUM_AT, (int) crc.getValue());
            Files.write(file, bad);
            try {
                WarmFile.read(file);
            } catch (WarmFile.Unusable refused) {
                assertThat(refused).hasMessage("it is damaged");
            }
        }
    }

    @Test
    void otherFormatsAndFiles_areNamed() throws Exception {
        byte[] later = WarmFile.encode(CONTENT);
        later[11] = WarmFile.VERSION + 1;
        Files.write(file, later);
        assertThatThrownBy(() -> WarmFile.read(file))
                .hasMessage("it is of format 3, this version of Keyline writes format 2");
        Files.writeString(file, "listen: 127.0.0.1:9030\ncache:\n  ttl: 1s\n");
        assertThatThrownBy(() -> WarmFile.read(file)).hasMessage("it is no warm file");
    }

    private void assertUnusable(byte[] bytes) throws IOException {
        Files.write(file, bytes);
        assertThatThrownBy(() -> WarmFile.read(file)).isInstanceOf(WarmFile.Unusable.class);
    }
}
