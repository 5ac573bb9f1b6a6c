package org.keyline.protocol.codec;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.keyline.protocol.ColumnDefinition;
import org.keyline.protocol.ColumnType;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

/**
 * A row of YCSB's shape, a key, ten fields of 100 bytes and three numbers: writing it, and finding
 * its cells.
 */
@SuppressWarnings("NullAway.Init") // JMH fills them
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 5, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(2)
public class RowsBenchmark {
    private static final int FIELDS = 11;

    private final byte[] field = new byte[100];
    private final ByteBuf out = Unpooled.buffer(4096);
    private RowWriter textWriter;
    private RowWriter binaryWriter;
    private RowReader textReader;
    private RowReader binaryReader;
    private byte[] textRow;
    private byte[] binaryRow;

    @Setup
    public void prepare() {
        List<ColumnDefinition> columns = new ArrayList<>();
        for (int i = 0; i < FIELDS; i++) {
            columns.add(ColumnDefinition.of("field" + i, 45, 400, ColumnType.VAR_STRING, 0, 0));
        }
        columns.add(ColumnDefinition.of("id", 63, 20, ColumnType.LONGLONG, 0, 0));
        columns.add(ColumnDefinition.of("small", 63, 11, ColumnType.LONG, 0, 0));
        columns.add(ColumnDefinition.of("at", 63, 19, ColumnType.DATETIME, 0, 0));
        textWriter = new TextRowWriter(columns);
        binaryWriter = new BinaryRowWriter(columns);
        textReader = new TextRowReader(columns.size());
        binaryReader = new BinaryRowReader(columns);
        textRow = ByteBufUtil.getBytes(write(textWriter));
        binaryRow = ByteBufUtil.getBytes(write(binaryWriter));
    }

    @Benchmark
    public ByteBuf writeText() {
        return write(textWriter);
    }

    @Benchmark
    public ByteBuf writeBinary() {
        return write(binaryWriter);
    }

    @Benchmark
    public int readText() {
        textReader.read(textRow, 0, textRow.length);
        return textReader.valueOffset(FIELDS);
    }

    @Benchmark
    public int readBinary() {
        binaryReader.read(binaryRow, 0, binaryRow.length);
        return binaryReader.valueOffset(FIELDS);
    }

    private ByteBuf write(RowWriter writer) {
        writer.beginRow(out.clear());
        for (int i = 0; i < FIELDS; i++) {
            writer.bytes(field, 0, field.length);
        }
        writer.int64(9_876_543_210L);
        writer.int64(-42);
        writer.dateTime(2024, 2, 29, 12, 30, 59, 0);
        writer.endRow();
        return out;
    }
}
