package org.keyline.protocol.client;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.keyline.protocol.Capabilities.CLIENT_DEPRECATE_EOF;
import static org.keyline.protocol.ServerStatus.SERVER_MORE_RESULTS_EXISTS;
import static org.keyline.protocol.ServerStatus.SERVER_STATUS_AUTOCOMMIT;
import static org.keyline.protocol.ServerStatus.SERVER_STATUS_CURSOR_EXISTS;
import static org.keyline.protocol.ServerStatus.SERVER_STATUS_LAST_ROW_SENT;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.keyline.protocol.CommandCode;
import org.keyline.protocol.ErrPacket;
import org.keyline.protocol.Lenenc;
import org.keyline.protocol.PrepareOk;
import org.keyline.protocol.ProtocolException;

final class ReplyScannerTest {
    private static final int AUTOCOMMIT = SERVER_STATUS_AUTOCOMMIT;
    private static final int MORE = SERVER_STATUS_AUTOCOMMIT | SERVER_MORE_RESULTS_EXISTS;

    /**
     * Scans a reply that must end with its last byte: at once, byte by byte, and followed by bytes
     * of the next reply.
     */
    private static ReplyScanner scan(int command, boolean deprecateEof, ByteBuf reply) {
        int capabilities = deprecateEof ? CLIENT_DEPRECATE_EOF : 0;
        int length = reply.writerIndex();

        ReplyScanner pieces = new ReplyScanner(4096);
        pieces.begin(command, capabilities);
        for (int i = 0; i < length; i++) {
            assertThat(pieces.ended())
                    .as("ended before byte %d of %d", i, length)
                    .isFalse();
            ByteBuf one = reply.copy(i, 1);
            assertThat(pieces.scan(one, 0, 1)).isEqualTo(1);
            one.release();
        }
        assertThat(pieces.ended()).isTrue();

        ReplyScanner whole = new ReplyScanner(4096);
        whole.begin(command, capabilities);
        ByteBuf more = Unpooled.buffer().writeBytes(reply, 0, length).writeBytes(reply, 0, length);
        assertThat(whole.scan(more, 0, more.writerIndex())).isEqualTo(length);
        assertThat(whole.ended()).isTrue();
        assertThat(whole.head()).isEqualTo(pieces.head());
        assertThat(whole.lastPacket()).isEqualTo(pieces.lastPacket());
        assertThat(whole.summary().rows()).isEqualTo(pieces.summary().rows());
        more.release();
        return whole;
    }

    @Test
    void ok_hasAllFields() {
        ReplyScanner scanner = scan(CommandCode.COM_QUERY, false, new FramedReply(false).ok(AUTOCOMMIT).bytes);
        ReplySummary summary = scanner.summary();
        assertThat(summary.status()).isEqualTo(AUTOCOMMIT);
        assertThat(summary.hasStatus()).isTrue();
        assertThat(summary.affectedRows()).isEqualTo(7);
        assertThat(summary.lastInsertId()).isEqualTo(300);
        assertThat(summary.warnings()).isEqualTo(2);
        assertThat(summary.results()).isEqualTo(1);
        assertThat(summary.columnCount()).isZero();
        assertThat(summary.error()).isNull();
    }

    @Test
    void error_hasNumberStateAndText() {
        ReplyScanner scanner = scan(CommandCode.COM_QUERY, true, new FramedReply(true).error(1064, "né").bytes);
        assertThat(scanner.summary().error()).isEqualTo(new ErrPacket(1064, "42000", "né"));
        assertThat(scanner.summary().hasStatus()).isFalse();
    }

    /** Found by fuzzing: two bytes of the state formed one character. */
    @Test
    void error_stateThatIsNoAscii_isStillFiveCharacters() {
        FramedReply reply = new FramedReply(true).raw(0xFF, 0x28, 4, '#', '4', '2', 0xD0, 0xCF, 0x86, 'x');
        ErrPacket error = requireNonNull(
                scan(CommandCode.COM_QUERY, true, reply.bytes).summary().error());
        assertThat(error.sqlState()).hasSize(5);
        assertThat(error.message()).isEqualTo("x");
    }

    @Test
    void error_textLongerThanTheBuffer_isTruncatedOnlyHere() {
        ReplyScanner scanner =
                scan(CommandCode.COM_QUERY, true, new FramedReply(true).error(1105, "x".repeat(20_000)).bytes);
        assertThat(scanner.summary().error())
                .isEqualTo(new ErrPacket(1105, "42000", "x".repeat(ControlPacket.MAX_BYTES - 9)));
        assertThat(scanner.lastPacket()).isNull();
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void rows_areCountedAndTheHeadIsStored(boolean deprecateEof) {
        FramedReply reply = new FramedReply(deprecateEof).columnCount(2).definitions(2, AUTOCOMMIT);
        byte[] head = ByteBufUtil.getBytes(reply.bytes);
        reply.raw(1, 'a', 1, 'b').raw(0, 0).raw(0xFB, 0xFB).end(AUTOCOMMIT);
        ReplyScanner scanner = scan(CommandCode.COM_QUERY, deprecateEof, reply.bytes);
        assertThat(scanner.summary().rows()).isEqualTo(3);
        assertThat(scanner.summary().columnCount()).isEqualTo(2);
        assertThat(scanner.summary().warnings()).isEqualTo(1);
        assertThat(scanner.head()).isEqualTo(head);
        assertThat(scanner.lastPacket()).startsWith(0xFE);
    }

    @Test
    void head_longerThanTheLimit_isNotStored() {
        FramedReply reply =
                new FramedReply(true).columnCount(20).definitions(20, 0).end(0);
        ReplyScanner scanner = new ReplyScanner(100);
        scanner.begin(CommandCode.COM_QUERY, CLIENT_DEPRECATE_EOF);
        scanner.scan(reply.bytes, 0, reply.bytes.writerIndex());
        assertThat(scanner.ended()).isTrue();
        assertThat(scanner.head()).isNull();
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void columnCount_above65535_isFollowed(boolean deprecateEof) {
        FramedReply reply = new FramedReply(deprecateEof)
                .columnCount(100_000)
                .definitions(100_000, 0)
                .raw(1, 'x')
                .end(0);
        ReplyScanner scanner = scan(CommandCode.COM_QUERY, deprecateEof, reply.bytes);
        assertThat(scanner.summary().columnCount()).isEqualTo(100_000);
        assertThat(scanner.summary().rows()).isEqualTo(1);
    }

    @Test
    void execute_ofAProcedureWithACursor_hasRows() {
        int within = SERVER_STATUS_CURSOR_EXISTS | SERVER_MORE_RESULTS_EXISTS;
        FramedReply reply = new FramedReply(false)
                .columnCount(1)
                .definitions(1, within)
                .raw(0, 0)
                .end(within)
                .ok(AUTOCOMMIT);
        ReplyScanner scanner = scan(CommandCode.COM_STMT_EXECUTE, false, reply.bytes);
        assertThat(scanner.summary().rows()).isEqualTo(1);
        assertThat(scanner.summary().results()).isEqualTo(2);
    }

    @Test
    void columnCount_above250_isNoFileRequest() {
        FramedReply reply =
                new FramedReply(false).columnCount(251).definitions(251, 0).end(0);
        assertThat(reply.bytes.getUnsignedByte(4)).isEqualTo((short) 0xFC);
        ReplyScanner scanner = scan(CommandCode.COM_QUERY, false, reply.bytes);
        assertThat(scanner.summary().columnCount()).isEqualTo(251);
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void multipleResults_lastOneEndsTheReply(boolean deprecateEof) {
        FramedReply reply = new FramedReply(deprecateEof)
                .ok(MORE)
                .columnCount(1)
                .definitions(1, MORE)
                .raw(1, 'x')
                .end(MORE)
                .columnCount(3)
                .definitions(3, MORE)
                .end(MORE)
                .ok(AUTOCOMMIT);
        ReplyScanner scanner = scan(CommandCode.COM_QUERY, deprecateEof, reply.bytes);
        assertThat(scanner.summary().results()).isEqualTo(4);
        assertThat(scanner.summary().rows()).isEqualTo(1);
        assertThat(scanner.summary().status()).isEqualTo(AUTOCOMMIT);
    }

    @Test
    void multipleResults_errorInTheMiddle_endsTheReply() {
        FramedReply reply = new FramedReply(false)
                .ok(MORE)
                .columnCount(1)
                .definitions(1, MORE)
                .raw(1, 'x');
        reply.error(1317, "interrupted");
        ReplyScanner scanner = scan(CommandCode.COM_QUERY, false, reply.bytes);
        assertThat(scanner.summary().error()).isNotNull();
    }

    @Test
    void end_okWithTextOf200Bytes_isAnEndOnlyWithDeprecateEof() {
        FramedReply reply = new FramedReply(true).columnCount(1).definitions(1, 0);
        reply.payload(out -> {
            out.writeByte(0xFE).writeZero(2).writeShortLE(AUTOCOMMIT).writeShortLE(0);
            Lenenc.writeString(out, "i".repeat(200));
        });
        assertThat(scan(CommandCode.COM_QUERY, true, reply.bytes).summary().rows())
                .isZero();
    }

    @Test
    void end_eofOfFiveBytesDespiteDeprecateEof_isUnderstood() {
        FramedReply reply =
                new FramedReply(true).columnCount(1).definitions(1, 0).raw(0xFE, 3, 0, 2, 0);
        ReplySummary summary = scan(CommandCode.COM_QUERY, true, reply.bytes).summary();
        assertThat(summary.status()).isEqualTo(AUTOCOMMIT);
        assertThat(summary.warnings()).isEqualTo(3);
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void prepare_definitionsOfParametersAndColumns_endIt(boolean deprecateEof) {
        for (int parameters : new int[] {0, 1, 3}) {
            for (int columns : new int[] {0, 1, 2}) {
                FramedReply reply = new FramedReply(deprecateEof);
                reply.payload(new PrepareOk(0x12345678, columns, parameters, 1)::encode);
                if (parameters > 0) {
                    reply.definitions(parameters, AUTOCOMMIT);
                }
                if (columns > 0) {
                    reply.definitions(columns, AUTOCOMMIT);
                }
                ReplyScanner scanner = scan(CommandCode.COM_STMT_PREPARE, deprecateEof, reply.bytes);
                assertThat(scanner.summary().statementId()).isEqualTo(0x12345678);
                assertThat(scanner.summary().parameterCount()).isEqualTo(parameters);
                assertThat(scanner.summary().columnCount()).isEqualTo(columns);
                assertThat(scanner.head()).isEqualTo(ByteBufUtil.getBytes(reply.bytes));
            }
        }
    }

    /** Old Doris releases omit the warning count, newer ones add a byte. */
    @Test
    void prepareOkOfOtherLengths_isUnderstood() {
        FramedReply shorter =
                new FramedReply(false).raw(0, 1, 0, 0, 0, 1, 0, 0, 0, 0).definitions(1, 0);
        assertThat(scan(CommandCode.COM_STMT_PREPARE, false, shorter.bytes)
                        .summary()
                        .columnCount())
                .isEqualTo(1);
        FramedReply longer = new FramedReply(false)
                .raw(0, 1, 0, 0, 0, 0, 0, 1, 0, 0, 9, 0, 1)
                .definitions(1, 0);
        ReplySummary summary =
                scan(CommandCode.COM_STMT_PREPARE, false, longer.bytes).summary();
        assertThat(summary.parameterCount()).isEqualTo(1);
        assertThat(summary.warnings()).isEqualTo(9);
    }

    @Test
    void execute_withCursor_endsAfterDefinitions() {
        int cursor = AUTOCOMMIT | SERVER_STATUS_CURSOR_EXISTS;
        FramedReply classic = new FramedReply(false).columnCount(1).definitions(1, cursor);
        assertThat(scan(CommandCode.COM_STMT_EXECUTE, false, classic.bytes)
                        .summary()
                        .status())
                .isEqualTo(cursor);
        FramedReply deprecated =
                new FramedReply(true).columnCount(1).definitions(1, cursor).end(cursor);
        assertThat(scan(CommandCode.COM_STMT_EXECUTE, true, deprecated.bytes)
                        .summary()
                        .rows())
                .isZero();
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void fetch_rowsWithoutDefinitions_endWithTheirEnd(boolean deprecateEof) {
        int status = SERVER_STATUS_CURSOR_EXISTS | SERVER_STATUS_LAST_ROW_SENT;
        FramedReply reply =
                new FramedReply(deprecateEof).raw(0, 0, 1, 'x').raw(0, 4).end(status);
        ReplyScanner scanner = scan(CommandCode.COM_STMT_FETCH, deprecateEof, reply.bytes);
        assertThat(scanner.summary().rows()).isEqualTo(2);
        assertThat(scanner.summary().status()).isEqualTo(status);
        assertThat(scanner.head()).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void fieldList_definitionsUpToTheEnd(boolean deprecateEof) {
        FramedReply reply = new FramedReply(true).definitions(3, 0);
        ByteBuf bytes = reply.bytes;
        FramedReply end = new FramedReply(deprecateEof, reply.nextSequenceId()).end(AUTOCOMMIT);
        bytes.writeBytes(end.bytes);
        assertThat(scan(CommandCode.COM_FIELD_LIST, deprecateEof, bytes)
                        .summary()
                        .columnCount())
                .isEqualTo(3);
    }

    @Test
    void simpleCommands_oneOkOrEofEndsThem() {
        int[] commands = {
            CommandCode.COM_PING,
            CommandCode.COM_INIT_DB,
            CommandCode.COM_SET_OPTION,
            CommandCode.COM_STMT_RESET,
            CommandCode.COM_RESET_CONNECTION,
            CommandCode.COM_DEBUG,
            CommandCode.COM_PROCESS_KILL,
            0x77
        };
        for (int command : commands) {
            assertThat(scan(command, false, new FramedReply(false).ok(MORE).bytes)
                            .ended())
                    .isTrue();
            assertThat(scan(command, false, new FramedReply(false).end(AUTOCOMMIT).bytes)
                            .ended())
                    .isTrue();
            assertThat(scan(command, true, new FramedReply(true).end(AUTOCOMMIT).bytes)
                            .ended())
                    .isTrue();
            assertThat(scan(command, true, new FramedReply(true).error(1047, "no").bytes)
                            .summary()
                            .error())
                    .isNotNull();
        }
    }

    @Test
    void statistics_textOrOk_endsIt() {
        FramedReply text = new FramedReply(false).raw('U', 'p', 't', 'i', 'm', 'e');
        assertThat(scan(CommandCode.COM_STATISTICS, false, text.bytes).lastPacket())
                .asString()
                .isEqualTo("Uptime");
        assertThat(scan(CommandCode.COM_STATISTICS, false, new FramedReply(false).ok(0).bytes)
                        .ended())
                .isTrue();
    }

    @Test
    void silentCommands_areEndedAtOnce() {
        ReplyScanner scanner = new ReplyScanner();
        assertThat(scanner.ended()).isTrue();
        scanner.begin(CommandCode.COM_STMT_CLOSE, 0);
        assertThat(scanner.ended()).isTrue();
        scanner.begin(CommandCode.COM_STMT_SEND_LONG_DATA, 0);
        assertThat(scanner.ended()).isTrue();
        scanner.begin(CommandCode.COM_QUIT, 0);
        assertThat(scanner.ended()).isTrue();
    }

    @Test
    void localInfile_replyContinuesAfterTheClientsFile() {
        FramedReply reply = new FramedReply(false).raw(0xFB, 'f');
        ReplyScanner scanner = new ReplyScanner();
        scanner.begin(CommandCode.COM_QUERY, 0);
        ByteBuf bytes = reply.bytes;
        int asked = bytes.writerIndex();
        assertThat(scanner.scan(bytes, 0, asked)).isEqualTo(asked);
        assertThat(scanner.awaitsFile()).isTrue();
        assertThat(scanner.ended()).isFalse();
        assertThat(scanner.nextSequenceId()).isEqualTo(2);
        scanner.resume(4);
        reply.skipSequenceIds(2).ok(AUTOCOMMIT);
        assertThat(scanner.scan(bytes, asked, bytes.writerIndex())).isEqualTo(bytes.writerIndex());
        assertThat(scanner.ended()).isTrue();
        assertThat(scanner.summary().affectedRows()).isEqualTo(7);
    }

    @Test
    void changeUser_exchange_awaitsTheClientButNotAfterFastSuccess() {
        FramedReply reply = new FramedReply(false).raw(0xFE, 'p', 0, 's', 0);
        ReplyScanner scanner = new ReplyScanner();
        scanner.begin(CommandCode.COM_CHANGE_USER, 0);
        int asked = reply.bytes.writerIndex();
        assertThat(scanner.scan(reply.bytes, 0, asked)).isEqualTo(asked);
        assertThat(scanner.awaitsClient()).isTrue();
        assertThat(scanner.awaitsFile()).isFalse();
        scanner.resume(3);
        reply.skipSequenceIds(1).raw(1, 3).ok(AUTOCOMMIT);
        assertThat(scanner.scan(reply.bytes, asked, reply.bytes.writerIndex())).isEqualTo(reply.bytes.writerIndex());
        assertThat(scanner.ended()).isTrue();
    }

    @Test
    void begin_commandOver16MiB_expectsTheSequenceIdAfterIt() {
        FramedReply reply = new FramedReply(false, 3).ok(AUTOCOMMIT);
        ReplyScanner scanner = new ReplyScanner();
        scanner.begin(CommandCode.COM_QUERY, 0, 3);
        scanner.scan(reply.bytes, 0, reply.bytes.writerIndex());
        assertThat(scanner.ended()).isTrue();
    }

    @Test
    void sequenceIds_wrapAfter255() {
        FramedReply reply = new FramedReply(true).columnCount(1).definitions(1, 0);
        for (int i = 0; i < 1_000; i++) {
            reply.raw(1, 'x');
        }
        reply.end(0);
        assertThat(scan(CommandCode.COM_QUERY, true, reply.bytes).summary().rows())
                .isEqualTo(1_000);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "01000002 00", // sequence id
                "00000001", // empty packet
                "01000001 fe", // no result starts so
                "01000001 fc", // column count ends early
                "03000001 000000", // OK ends early
                "05000001 fdffffff00", // bytes behind the column count
                "09000001 fe0000000100000000", // columns out of range
                "01000001 01 01000002 03 01000003 03" // row where EOF must be
            })
    void brokenReply_isProtocolError(String hex) {
        byte[] bytes = ByteBufUtil.decodeHexDump(hex.replace(" ", ""));
        ByteBuf reply = Unpooled.wrappedBuffer(bytes);
        ReplyScanner scanner = new ReplyScanner();
        scanner.begin(CommandCode.COM_QUERY, 0);
        assertThatThrownBy(() -> scanner.scan(reply, 0, bytes.length)).isInstanceOf(ProtocolException.class);
    }
}
