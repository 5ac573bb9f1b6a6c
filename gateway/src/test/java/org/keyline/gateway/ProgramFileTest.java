package org.keyline.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.FileTime;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What counts as written over: another content of the same file. */
final class ProgramFileTest {
    private static final FileTime LATER = FileTime.fromMillis(4_000_000_000_000L);

    @TempDir
    private Path directory;

    @Test
    void isOverwritten_otherTime_isNot_otherContentIs() throws IOException {
        Path path = Files.writeString(directory.resolve("program"), "one");
        ProgramFile file = ProgramFile.of(path);
        Files.setLastModifiedTime(path, LATER);
        assertThat(file.isOverwritten()).as("touched").isFalse();
        Files.setLastModifiedTime(Files.writeString(path, "two"), LATER);
        assertThat(file.isOverwritten()).as("as many other bytes").isTrue();
        Files.writeString(path, "longer");
        assertThat(file.isOverwritten()).as("more bytes").isTrue();
    }

    @Test
    void isOverwritten_replacedOrDeleted_isNot() throws IOException {
        Path path = Files.writeString(directory.resolve("program"), "one");
        ProgramFile file = ProgramFile.of(path);
        Files.move(Files.writeString(directory.resolve("next"), "other"), path, StandardCopyOption.REPLACE_EXISTING);
        assertThat(file.isOverwritten()).as("replaced").isFalse();
        Files.delete(path);
        assertThat(file.isOverwritten()).as("deleted").isFalse();
    }
}
